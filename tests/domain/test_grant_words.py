"""What is said of paths that a sandbox hid from code, and of grants."""

from __future__ import annotations

import pytest

from playhead.domain.text.grant_words import hidden_path
from playhead.domain.text.risk_words import Limits, RiskGroup, held_text, risk_groups
from playhead.domain.trust import Policy, Reach, RiskFact

HOME = "/home/me"
FOLDER = f"{HOME}/work"
DATA = f"{HOME}/Downloads/my data.csv"
PLAIN = f"{HOME}/Downloads/a.csv"


@pytest.mark.parametrize(
    ("printed", "path"),
    [
        (f"FileNotFoundError: [Errno 2] No such file or directory: '{DATA}'", DATA),
        (f"OSError: [Errno 30] Read-only file system: '{PLAIN}'", PLAIN),
        (f"cat: {PLAIN}: No such file or directory\n", PLAIN),
        (f"ls: cannot access '{DATA}': No such file or directory", DATA),
        (f"Error: ENOENT: no such file or directory, open '{DATA}'", DATA),
        (f"  cannot open file '{DATA}': No such file or directory", DATA),
        (f"No such file or directory @ rb_sysopen - {PLAIN} (Errno::ENOENT)", PLAIN),
        (f"java.io.FileNotFoundException: {PLAIN} (No such file or directory)", PLAIN),
        (f"'{PLAIN}' was read\nKeyError: 'a'", ""),
        (f"No such file or directory: '{FOLDER}/no.csv'", ""),
        ("No such file or directory: 'no.csv'", ""),
        ("No such file or directory: '/usr/lib/no.so'", ""),
        (f"No such file or directory: '{HOME}/.cache/thing'", ""),
        (f"No such file or directory: '{HOME}/given/no.csv'", ""),
        (f"No such file or directory: '{FOLDER}/../Downloads'", f"{HOME}/Downloads"),
    ],
)
def test_the_path_that_was_hidden_is_found_in_what_was_printed(
    printed: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", HOME)
    assert hidden_path(printed, FOLDER, Reach(readable=(f"{HOME}/given",))) == path


def test_facts_say_what_the_sandbox_makes_of_them_and_what_may_be_granted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", HOME)
    facts = (
        RiskFact(kind="network", line=1, target="api.example.com"),
        RiskFact(kind="writes_outside", line=2, target="~/out/a.csv"),
        RiskFact(kind="reads_secrets", line=3, target="~/.ssh/id_rsa"),
        RiskFact(kind="installs_packages", line=4, target="pandas"),
        RiskFact(kind="deletes", line=5, target="build"),
    )
    shut = Limits(policy=Policy(files="folder", network="off"), folder=FOLDER)
    assert {group.text: [one.target for one in group.wanted] for group in groups(facts, shut)} == {
        "deletes: build": [],
        "writes outside: ~/out/a.csv · hidden": [f"{HOME}/out"],
        "reads secrets: ~/.ssh/id_rsa · hidden": [],
        "network: api.example.com · blocked": ["api.example.com"],
        "installs: pandas · blocked": ["pypi"],
    }
    assert held_text(facts[:2], shut) == "Not let through: api.example.com, ~/out/a.csv."
    reach = Reach(hosts=("api.example.com",), writable=(f"{HOME}/out",))
    granted = Limits(policy=shut.policy, reach=reach, folder=FOLDER)
    assert held_text(facts[:2], granted) == ""
    assert all("blocked" not in group.text for group in groups(facts, Limits()))


def groups(facts: tuple[RiskFact, ...], limits: Limits) -> list[RiskGroup]:
    return risk_groups(facts, limits=limits, language="python")
