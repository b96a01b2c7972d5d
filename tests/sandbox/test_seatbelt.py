"""The profile for macOS says what the view has, as far as that can be read without a Mac."""

from __future__ import annotations

import re

from playhead.domain.trust import Policy
from playhead.sandbox.seatbelt import seatbelt_profile
from playhead.sandbox.view import Surroundings, view_of

AROUND = Surroundings(
    folder='/Users/me/"work\\',
    home="/Users/me",
    private_home="/data/homes/1",
    readable=("/Users/me/.pyenv",),
    held=('/Users/me/"work\\/.git',),
    pinned=('/Users/me/"work\\/.git/hooks',),
    hidden=('/Users/me/"work\\/socket',),
)
FOLDER = r"/Users/me/\"work\\"


def profile(policy: Policy) -> list[str]:
    lines = seatbelt_profile(view_of(policy, AROUND, "/data/spool")).splitlines()
    for line in lines:
        bare = re.sub(r'"(\\.|[^"\\])*"', "", line)
        assert bare.count("(") == bare.count(")")
        assert '"' not in bare
    return lines


def test_nothing_is_allowed_but_the_view_and_parts_of_the_folder_are_refused_last() -> None:
    lines = profile(Policy(files="folder", network="off"))
    assert lines[:2] == ["(version 1)", "(deny default)"]
    (read,) = [line for line in lines if line.startswith("(allow file-read* (literal")]
    assert '"/Users/me/.pyenv"' in read
    assert '"/Users/me")' not in read
    (write,) = [line for line in lines if line.startswith("(allow file-read* file-write* ")]
    for path in ("/data/homes/1", "/data/spool", FOLDER):
        assert f'(subpath "{path}")' in write
    assert lines[-3:] == [
        f'(deny file-write* (subpath "{FOLDER}/.git/hooks"))',
        f'(deny file-write-unlink (literal "{FOLDER}") (literal "{FOLDER}/.git"))',
        f'(deny file-read* file-write* (subpath "{FOLDER}/socket"))',
    ]
    assert "network" not in "".join(lines)


def test_look_only_writes_nothing_and_the_network_is_opened_by_choice() -> None:
    lines = profile(Policy(files="look", network="on"))
    assert FOLDER not in "".join(line for line in lines if "allow" in line and "write*" in line)
    assert "(allow system-socket)" in lines
    assert any(line.startswith("(allow network-outbound (remote ip)") for line in lines)
