"""What a login shell says of its PATH."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from playhead.execution.login_path import LoginPath, ask_shell, is_bare
from playhead.execution.process_executor import ProcessExecutor
from tests.support.guards import descendants
from tests.support.kernels import request, run, text_of
from tests.support.waiting import until_now

BARE = "/usr/bin:/bin:/usr/sbin:/sbin"
pytestmark = pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs /bin/bash")


def home_with(folder: Path, start_file: str) -> dict[str, str]:
    """The variables of somebody whose shell has this start file."""
    (folder / ".bash_profile").write_text(start_file)
    mark = {name: value for name, value in os.environ.items() if name == "PYTEST_RUN_MARK"}
    return mark | {"SHELL": "/bin/bash", "HOME": str(folder), "PATH": BARE}


def test_the_path_is_what_the_start_files_make_of_it(tmp_path: Path) -> None:
    variables = home_with(tmp_path, "echo Welcome\nexport PATH=/opt/mine/bin:$PATH\n")
    assert ask_shell(variables).startswith("/opt/mine/bin:")


@pytest.mark.parametrize("start_file", ["exec cat", "sleep 600", "exit 3", "exec sleep 600"])
def test_a_shell_that_hangs_or_fails_says_nothing_and_leaves_nothing(
    tmp_path: Path, start_file: str
) -> None:
    before = set(descendants())
    begun = tmp_path / "begun"
    variables = home_with(tmp_path, f"echo > {begun}\n{start_file}\n")
    limit_s = 0.5
    while not begun.exists():  # the limit may not end a shell that has not come to it yet
        assert ask_shell(variables, limit_s) == ""
        limit_s *= 2
    until_now(lambda: not set(descendants()) - before)


@pytest.mark.parametrize("shell", ["", "bash", "/nowhere/sh", "/etc/passwd"])
def test_without_a_shell_there_is_no_answer(shell: str) -> None:
    assert ask_shell({"SHELL": shell, "PATH": BARE}) == ""


def test_a_bare_path_has_nothing_of_the_users() -> None:
    assert is_bare(BARE)
    assert is_bare("")
    assert not is_bare(f"/home/ada/.local/bin:{BARE}")


async def test_it_is_asked_once_and_only_for_a_bare_path(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    variables = home_with(tmp_path, f"echo x >> {asked}\nexport PATH=/opt/mine/bin:$PATH\n")
    login = LoginPath(variables)
    first, second = await login.path(), await login.path()
    assert first == second
    assert first.startswith("/opt/mine/bin:")
    assert asked.read_text() == "x\n"
    rich = LoginPath(variables | {"PATH": f"/mine:{BARE}"})
    assert await rich.path() == f"/mine:{BARE}"
    assert asked.read_text() == "x\n"


async def test_code_gets_the_path_of_the_login_shell(tmp_path: Path) -> None:
    variables = home_with(tmp_path, "export PATH=/opt/mine/bin:$PATH\n")
    made = ProcessExecutor(tmp_path / "output", variables)
    try:
        chunks = await run(made, request(tmp_path, "import os\nprint(os.environ['PATH'])"))
    finally:
        await made.close()
    assert "/opt/mine/bin" in text_of(chunks)
