"""What a model is told before anything else."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec.structs import replace

from playhead.domain.trust import Policy
from playhead.providers.prompt import (
    BUILT_IN_PROMPT,
    PLACEHOLDERS,
    PromptValues,
    describe_python,
    find_packages,
    system_prompt,
)

PLACE = PromptValues(
    languages=("python", "bash"),
    folder="/home/me/data",
    python="3.12.1 (/usr/bin/python3)",
    packages=("numpy", "pandas"),
    date="Monday, 3 March 2025",
    policy=Policy(files="folder", network="listed", hosts=("pypi.org",)),
)


def test_the_prompt_says_all_that_it_knows_of_the_place() -> None:
    told = system_prompt(PLACE)
    for words in ("python, bash", PLACE.folder, PLACE.python, "numpy, pandas", PLACE.date):
        assert words in told
    assert "decides whether it runs" in told
    assert "{" not in told


def test_it_is_short() -> None:
    assert len(system_prompt(PLACE)) < 3_000


def test_the_sandbox_is_described_where_there_is_one() -> None:
    """A model that does not know of it writes into a home that nobody sees, and blames the net."""
    writes, reads = (Policy(files=files, network="off") for files in ("folder", "look"))
    told = system_prompt(replace(PLACE, policy=writes))
    assert "sandbox" in told
    assert "There is no network" in told
    assert "write what they shall have into the working folder" in told
    told = system_prompt(replace(PLACE, policy=reads), own_text="Be kind.")
    assert told.startswith("Be kind.\n- Code runs in a sandbox")
    assert "nothing in it can be changed" in told
    assert "pypi.org" in system_prompt(PLACE)
    told = system_prompt(replace(PLACE, policy=Policy()), own_text="Be kind.")
    assert told == "Be kind."
    assert "sandbox" not in system_prompt(replace(PLACE, policy=Policy()))


def test_every_placeholder_is_known_and_filled() -> None:
    names = "".join(f"<{{{name}}}>" for name in PLACEHOLDERS)
    told = system_prompt(PLACE, own_text=names)
    assert "{" not in told
    assert "<>" not in told
    assert all(f"{{{name}}}" in BUILT_IN_PROMPT for name in PLACEHOLDERS if name != "languages")


def test_a_model_without_tools_is_told_of_fences_and_not_of_the_tool() -> None:
    told = system_prompt(PromptValues(takes_tools=False))
    assert "fence" in told
    assert "`execute`" not in told


def test_braces_of_the_users_own_prompt_and_instructions_stay() -> None:
    told = system_prompt(PLACE, "Answer as {json}.", "In {folder} write {this} and {{that}}.")
    assert told.startswith("In /home/me/data write {this} and {{that}}.")
    assert told.endswith("Answer as {json}.")


def test_a_folder_with_braces_is_not_filled_again() -> None:
    odd = PromptValues(folder="/home/{date}", date="today")
    assert system_prompt(odd, own_text="{folder}") == "/home/{date}"


def test_packages_and_version_are_read_from_the_folders_of_an_environment(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    for name in ("NumPy-2.0.1", "scikit_learn-1.5.0", "unheard_of-1.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n", "utf-8")
    python = str(tmp_path / "bin" / "python")
    assert find_packages(python) == ("numpy", "scikit-learn")
    assert describe_python(python) == f"3.12.4 ({python})"


def test_a_python_that_is_not_there_is_named_and_nothing_more(tmp_path: Path) -> None:
    gone = str(tmp_path / "no" / "python")
    assert find_packages(gone) == ()
    assert describe_python(gone) == f"({gone})"
    assert (find_packages(""), describe_python("")) == ((), "")


def test_the_python_of_these_tests_has_a_version() -> None:
    version = ".".join(map(str, sys.version_info[:2]))
    assert describe_python(sys.executable).startswith(version)
