from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playhead.domain.execution import EnvironmentStatus
from playhead.errors import ExecutionError
from playhead.execution.environment import uv_program
from playhead.execution.environments import interpreters
from playhead.execution.environments.interpreters import InterpreterFinder
from playhead.session.ports import Interpreters
from tests.support.guards import descendants
from tests.support.waiting import until, until_now

BASE = str(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Environments of which the default one is made; to be copied from, not changed."""
    folder = tmp_path_factory.mktemp("environments")
    asyncio.run(InterpreterFinder(folder, [BASE]).default())
    return folder


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One Python to be found, not all of this machine, each of which is started to be looked at."""
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "python3").symlink_to(BASE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'few'}{os.pathsep}/bin")
    every = interpreters.candidates
    monkeypatch.setattr(
        interpreters,
        "candidates",
        lambda *given: [one for one in every(*given) if one.startswith(str(tmp_path))],
    )


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


async def test_the_environment_is_made_once_and_told_as_it_goes(tmp_path: Path) -> None:
    finder: Interpreters = InterpreterFinder(tmp_path / "environments", [BASE])
    heard: list[EnvironmentStatus] = []
    finder.subscribe(heard.append)
    assert finder.status.state == "absent"
    first, second = await asyncio.gather(finder.default(), finder.default())
    assert first is second
    assert first.kind == "managed"
    assert first.path.startswith(str(tmp_path))
    assert [status.state for status in heard] == ["creating", "ready"]
    assert finder.status.interpreter == first


async def test_a_whole_environment_is_taken_as_it_is(made: Path) -> None:
    finder = InterpreterFinder(made, ["/nowhere/python"])
    default = await finder.default()
    assert default.path == str(made / "default" / "bin" / "python")
    assert default.has_pip
    assert finder.status.state == "ready"


async def test_half_an_environment_is_made_again(made: Path, tmp_path: Path) -> None:
    await asyncio.to_thread(shutil.copytree, made, tmp_path / "e", symlinks=True)
    marker = tmp_path / "e" / "default" / "playhead-environment.json"
    marker.unlink()
    (tmp_path / "e" / "default" / "left-over").touch()
    finder = InterpreterFinder(tmp_path / "e", [BASE])
    await finder.default()
    assert marker.exists()
    assert not (tmp_path / "e" / "default" / "left-over").exists()


async def test_an_environment_whose_python_is_gone_is_made_again(
    made: Path, tmp_path: Path
) -> None:
    await asyncio.to_thread(shutil.copytree, made, tmp_path / "e", symlinks=True)
    python = tmp_path / "e" / "default" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    finder = InterpreterFinder(tmp_path / "e", [BASE])
    assert (await finder.default()).path == str(python)


@pytest.mark.usefixtures("few")
async def test_a_python_without_venv_is_said_with_the_line_to_install(tmp_path: Path) -> None:
    """As on Debian, where the probe finds no ensurepip."""
    facts = '{"version": [3, 11, 2], "executable": "/usr/bin/python3", "prefix": "/usr", '
    facts += '"base_prefix": "/usr", "pip": false, "venv": false}'
    base = script(tmp_path / "python3", f"echo '{facts}'")
    finder = InterpreterFinder(tmp_path / "environments", [base], find_uv=lambda: "")
    fallback = await finder.default()
    assert fallback.kind != "managed"
    assert finder.status.state == "failed"
    assert "sudo apt install python3.11-venv" in str(finder.status.error)


async def test_uv_makes_one_where_venv_is_missing_and_without_the_network(tmp_path: Path) -> None:
    """As on Debian without python3-venv; pip comes later, when uv can get it."""
    text = BASE_WITHOUT_VENV.format(base=BASE)
    finder = InterpreterFinder(tmp_path / "environments", [script(tmp_path / "python3", text)])
    made = await finder.default()
    assert (made.kind, made.has_pip) == ("managed", False)
    assert not (tmp_path / "home" / ".cache").exists()


BASE_WITHOUT_VENV = """
hidden='import sys; sys.modules["ensurepip"] = None; exec(sys.argv[3])'
case "$*" in *ensurepip*) exec {base} -c "$hidden" "$@" ;; esac
exec {base} "$@"
"""


async def test_where_uv_fails_the_pythons_own_module_makes_it(tmp_path: Path) -> None:
    uv = script(tmp_path / "uv", "echo not on this machine; exit 2")
    made = await InterpreterFinder(tmp_path / "environments", [BASE], lambda: uv).default()
    assert (made.kind, made.has_pip) == ("managed", True)


def test_the_bundle_has_its_uv_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    uv = script(tmp_path / "uv", "exit 0")
    assert uv_program() == uv


@pytest.mark.usefixtures("few")
async def test_a_base_that_fails_is_said_with_its_words(tmp_path: Path) -> None:
    path = tmp_path / "python3"
    facts = f'{{"version": [3, 11, 2], "executable": "{path}", "prefix": "/usr", '
    facts += '"base_prefix": "/usr", "pip": false, "venv": true}'
    text = f"case \"$*\" in *--clear*) echo no room for it; exit 1;; esac\necho '{facts}'"
    finder = InterpreterFinder(tmp_path / "environments", [script(path, text)], lambda: "")
    await finder.default()
    assert finder.status.state == "failed"
    assert "no room for it" in str(finder.status.error)


@pytest.mark.usefixtures("few")
async def test_a_folder_that_takes_nothing_is_said_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "environments"
    folder.write_text("a file where the folder should be")
    finder = InterpreterFinder(folder, [BASE])
    assert (await finder.default()).kind != "managed"
    assert "could not be written" in str(finder.status.error)


async def test_a_caller_that_gives_up_does_not_stop_the_others(tmp_path: Path) -> None:
    finder = InterpreterFinder(tmp_path / "environments", [BASE])
    impatient = asyncio.create_task(finder.default())
    await until(lambda: finder.status.state == "creating")
    impatient.cancel()
    assert (await finder.default()).kind == "managed"


async def test_what_fails_after_its_caller_has_gone_is_no_error_of_the_loop(tmp_path: Path) -> None:
    problems: list[dict[str, object]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: problems.append(context))
    finder = InterpreterFinder(tmp_path / "environments", [BASE])
    impatient = asyncio.create_task(finder.default())
    await until(lambda: finder.status.state == "creating")
    impatient.cancel()
    await finder.close()
    assert impatient.cancelled()
    loop.set_exception_handler(None)
    assert problems == []


async def test_closing_gives_up_what_is_being_made(tmp_path: Path) -> None:
    finder = InterpreterFinder(tmp_path / "environments", [BASE])
    task = asyncio.create_task(finder.default())
    await until(lambda: finder.status.state == "creating")
    await finder.close()
    with pytest.raises(ExecutionError):
        await task
    assert not (tmp_path / "environments" / "default" / "playhead-environment.json").exists()


HOST = """
import asyncio, sys
from pathlib import Path
from playhead.execution.environments.interpreters import InterpreterFinder

finder = InterpreterFinder(Path(sys.argv[1]), [sys.argv[2]], lambda: "")
finder.subscribe(lambda status: print(status.state, flush=True))
asyncio.run(finder.default())
"""


def test_what_makes_an_environment_ends_with_a_killed_program(tmp_path: Path) -> None:
    before = set(descendants())
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path / "environments"), BASE],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "app")},
        stdout=subprocess.PIPE,
    )
    assert host.stdout is not None
    assert host.stdout.readline() == b"creating\n"
    place = tmp_path / "environments" / "default"
    until_now(lambda: (place / "pyvenv.cfg").exists())  # pip is being installed
    host.kill()
    host.wait()
    host.stdout.close()
    until_now(lambda: not set(descendants()) - before)
    assert not (place / "playhead-environment.json").exists()


async def test_what_is_found_begins_with_the_managed_one_and_leaves_out_our_own(
    made: Path,
) -> None:
    finder = InterpreterFinder(made)
    managed = await finder.default()
    found = await finder.found()
    assert found[0] == managed
    assert len({interpreter.path for interpreter in found}) == len(found)
    assert sys.prefix == sys.base_prefix or sys.executable not in {one.path for one in found}


@pytest.mark.usefixtures("few")
async def test_a_venv_in_the_working_folder_is_found(tmp_path: Path) -> None:
    command = [BASE, "-m", "venv", "--without-pip", str(tmp_path / ".venv")]
    await asyncio.to_thread(subprocess.run, command, check=True)
    found = await InterpreterFinder(tmp_path / "environments").found(str(tmp_path))
    (mine,) = [one for one in found if one.path.startswith(str(tmp_path))]
    assert (mine.kind, mine.has_pip) == ("venv", False)


def test_nothing_inside_the_working_folder_is_started_to_list_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by its own name, nor by PATH, a link from outside, a tool's list or a folder of PATH."""
    folder, outside, home = (tmp_path / name for name in ("project", "outside", "home"))
    trap = f"echo fired >> {tmp_path}/fired"
    roots = [folder / name for name in (".venv", "venv", "env", "tools", "conda")]
    for root in roots:
        (root / "bin").mkdir(parents=True)
        (root / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.11.4.final.0\n")
        for name in ("python", "python3", "python3.12"):
            script(root / "bin" / name, trap)
    packages = folder / ".venv" / "lib" / "python3.11" / "site-packages" / "pip"
    packages.mkdir(parents=True)
    (folder / "conda" / "pyvenv.cfg").unlink()
    (folder / "conda" / "conda-meta").mkdir()
    (folder / "conda" / "conda-meta" / "python-3.12.4-h99_0.json").touch()
    (folder / "env" / "pyvenv.cfg").unlink()
    os.mkfifo(folder / "env" / "pyvenv.cfg")
    (home / ".conda").mkdir(parents=True)
    (home / ".conda" / "environments.txt").write_text(f"{folder}/conda\n")
    (home / ".venvs").mkdir()
    (home / ".venvs" / "linked").symlink_to(folder / "tools")
    (outside / "bin").mkdir(parents=True)
    (outside / "bin" / "python3.12").symlink_to(folder / "tools" / "bin" / "python3.12")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(folder)
    path = os.pathsep.join([f"{folder}/tools/bin", "venv/bin", "", ".", str(outside / "bin")])
    (folder / "python3").symlink_to("tools/bin/python3")
    found = [one.interpreter for one in interpreters.search(str(folder), path)]
    assert not (tmp_path / "fired").exists()
    mine = {one.path.removeprefix(f"{folder}/"): one for one in found if "3.1" in one.label}
    assert mine[".venv/bin/python"].label == "Python 3.11.4 · .venv"
    assert (mine[".venv/bin/python"].kind, mine[".venv/bin/python"].has_pip) == ("venv", True)
    assert mine["conda/bin/python"].label == "Python 3.12.4 · conda conda"
    assert "env/bin/python" not in mine


def test_in_the_home_folder_only_its_own_environment_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    own, tools = (str(tmp_path / name / "bin" / "python") for name in (".venv", ".pyenv"))
    (tmp_path / ".pyenv").mkdir()
    assert interpreters.belongs_to(own, str(tmp_path))
    assert not interpreters.belongs_to(tools, str(tmp_path))
    assert interpreters.belongs_to(tools, str(tmp_path / ".pyenv"))


def test_versions_and_builds_of_one_folder_are_told_apart(tmp_path: Path) -> None:
    """As in /usr on Debian, and in /usr/local with the builds of python.org."""
    for name, version, is_free_threaded in (
        ("python3", "3, 14, 0", "false"),
        ("python3.14", "3, 14, 0", "false"),
        ("python3.14t", "3, 14, 0", "true"),
        ("python3.13", "3, 13, 9", "false"),
    ):
        facts = f'{{"version": [{version}], "executable": "{tmp_path / name}", "prefix": "/none", '
        facts += '"base_prefix": "/none", "pip": true, "venv": true, '
        facts += f'"free_threaded": {is_free_threaded}}}'
        script(tmp_path / name, f"echo '{facts}'")
    found = [one for one in interpreters.search(path=str(tmp_path)) if one.prefix == "/none"]
    assert sorted(one.interpreter.label.partition(" · ")[0] for one in found) == [
        "Python 3.13.9",
        "Python 3.14.0",
        "Python 3.14.0 free-threaded",
    ]
    assert max(found, key=lambda one: one.rank).interpreter.label.startswith("Python 3.14.0 · ")


async def test_a_python_is_looked_at(tmp_path: Path) -> None:
    finder = InterpreterFinder(tmp_path)
    interpreter = await finder.probe(BASE)
    assert interpreter.version == ".".join(str(part) for part in sys.version_info[:3])
    assert interpreter.kind == "chosen"


@pytest.mark.parametrize("text", ["echo hello", "exit 3", "echo '[]'"])
async def test_what_is_no_python_is_refused_in_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExecutionError, match="not a usable Python"):
        await InterpreterFinder(tmp_path).probe(script(tmp_path / "python", text))


async def test_an_old_python_is_refused_in_words(tmp_path: Path) -> None:
    facts = '{"version": [3, 8, 1], "executable": "x", "prefix": "x", "base_prefix": "x"}'
    with pytest.raises(ExecutionError, match="too old"):
        await InterpreterFinder(tmp_path).probe(script(tmp_path / "python", f"echo '{facts}'"))


async def test_without_any_python_the_packaged_program_serves_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(interpreters, "candidates", lambda folder="", path=None: [])
    finder = InterpreterFinder(tmp_path / "environments")
    bundled = await finder.default()
    assert (bundled.kind, bundled.path, bundled.has_pip) == ("bundled", sys.executable, False)
    assert await finder.probe(sys.executable) == bundled
    assert finder.status.state == "failed"


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs /bin/bash")
async def test_after_a_double_click_a_python_that_only_the_login_shell_knows_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    script(tmp_path / "mine" / "python3", f'exec {BASE} "$@"')
    (tmp_path / ".bash_profile").write_text(f"export PATH={tmp_path}/mine:$PATH\n")
    for name, value in {"SHELL": "/bin/bash", "HOME": str(tmp_path), "PATH": "/usr/bin"}.items():
        monkeypatch.setenv(name, value)
    every = interpreters.candidates
    mine = str(tmp_path / "mine")
    monkeypatch.setattr(
        interpreters,
        "candidates",
        lambda *given: [one for one in every(*given) if one.startswith(mine)],
    )
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    finder = InterpreterFinder(tmp_path / "environments")
    assert (await finder.default()).kind == "managed"
    note = tmp_path / "environments" / "default" / "playhead-environment.json"
    assert json.loads(note.read_text())["base"] == BASE


async def test_an_environment_is_made_for_a_folder_and_found_again(tmp_path: Path) -> None:
    finder = InterpreterFinder(tmp_path / "environments", [BASE])
    folder = tmp_path / "project"
    folder.mkdir()
    made = await finder.make_for(str(folder))
    assert made.path == str(folder / ".venv" / "bin" / "python")
    assert made.kind == "venv"
    assert finder.status.state == "absent"
    assert (await finder.make_for(str(folder))).path == made.path
    assert made.path in {found.path for found in await finder.found(str(folder))}


async def test_a_venv_folder_that_is_none_is_left_alone_and_said(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "mine").touch()
    with pytest.raises(ExecutionError, match="no Python"):
        await InterpreterFinder(tmp_path / "environments", [BASE]).make_for(str(tmp_path))
    assert (tmp_path / ".venv" / "mine").exists()


async def test_a_folder_environment_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    finder = InterpreterFinder(tmp_path / "environments", [BASE])
    (tmp_path / "file").touch()
    with pytest.raises(ExecutionError):
        await finder.make_for(str(tmp_path / "file"))
    with pytest.raises(ExecutionError):
        await InterpreterFinder(tmp_path / "e", ["/bin/false"]).make_for(str(tmp_path))
    assert not (tmp_path / ".venv").exists()


def test_pythons_of_every_tool_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("PYENV_ROOT", "WORKON_HOME", "UV_PYTHON_INSTALL_DIR", "POETRY_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".conda").mkdir()
    (tmp_path / ".conda" / "environments.txt").write_text(f"{tmp_path}/far/conda\n\n")
    roots = [
        tmp_path / ".pyenv" / "versions" / "3.12.1",
        tmp_path / "data" / "uv" / "python" / "cpython-3.13",
        tmp_path / "miniconda3" / "envs" / "science",
        tmp_path / "far" / "conda",
        tmp_path / ".virtualenvs" / "mine",
        tmp_path / ".venvs" / "other",
        tmp_path / "data" / "virtualenvs" / "pipenv-x",
        tmp_path / ".cache" / "pypoetry" / "virtualenvs" / "poetry-x",
        tmp_path / "project" / ".venv",
    ]
    for root in roots:
        (root / "bin").mkdir(parents=True)
        (root / "bin" / "python").touch()
    found = interpreters.candidates(str(tmp_path / "project"), "/nowhere")
    assert {str(root / "bin" / "python") for root in roots} <= set(found)
    assert found[0] == str(tmp_path / "project" / ".venv" / "bin" / "python")


def test_a_python_that_was_deleted_is_said_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="no Python at this place") as raised:
        interpreters.probe(str(tmp_path / "python"))
    assert "make its environment again" in raised.value.remedy
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "base" / "python3")
    with pytest.raises(ExecutionError, match="leads to"):
        interpreters.probe(str(link))
