"""Code is read by a real code worker: none of it runs; one that hangs is replaced."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from playhead.code_worker.protocol import Question, encode
from playhead.domain.execution import CodePlace, Completions, Description
from playhead.execution.code_reader import HANG_S, CodeReader
from tests.support.waiting import LIMIT_S, until, until_now

TRACE = "open(__file__ + '.was-run', 'w').close()\n"
OWN = f"{TRACE}def turn(by, far=2):\n    'Turn it.'\n"
PACKAGE = {
    "__init__.py": f"{TRACE}def half(x): 'Halve it.'\n",
    "__init__.pyi": "from .core import whole\nfrom .core import inner as _inner\n"
    "__all__ = ['half', 'whole']\ndef half(x: int) -> float: ...\n",
    "core.pyi": "def whole(x: int, y: str = ...) -> list[int]: ...\ndef inner() -> None: ...\n",
}


@asynccontextmanager
async def reader(folder: Path, hang_s: float = HANG_S) -> AsyncIterator[CodeReader]:
    made = CodeReader(folder / "cache", hang_s=hang_s)
    try:
        yield made
    finally:
        await made.close()


def write_modules(folder: Path) -> None:
    """Modules of a working folder, each of which would leave a trace if it were imported."""
    for name in ("own", "zlib", "inspect", "math", "encodings", "sitecustomize"):
        (folder / f"{name}.py").write_text(OWN)
    (folder / f"built{EXTENSION_SUFFIXES[0]}").write_bytes(b"no library")
    package = folder / "stubbed"
    package.mkdir()
    for name, text in PACKAGE.items():
        (package / name).write_text(text)


def names(found: Completions) -> list[str]:
    return [one.text for one in found.candidates]


COMPLETED = {
    "own.tu": ["turn"],
    "import own\nown.tu": ["turn"],
    "from own import tu": ["turn"],
    "import stubbed\nstubbed.": ["core", "half", "whole"],
    "import stubbed\nx = stubbed.whole(1)\nx.app": ["append"],
    "import built\nbuilt.": [],
    "import json\njson.dum": ["dump", "dumps"],
    "def turn_it(by): pass\nturn_": ["turn_it"],
    "class A:\n    def __init__(self): self.size = 1\nA().": ["size"],
    "whil": ["while"],
    "import os.pat": ["path"],
    "a = 3\na /": [],
    "# own.tu": [],
    "open('own": ["own.py"],
    "lone = '\ud800'\nlon": ["lone"],
}
DESCRIBED = {
    ("import own\nown.turn(1, ", True): ("own.turn", ("by", "far = 2"), 1, "Turn it."),
    ("import own\nown.turn", False): ("own.turn", ("by", "far = 2"), -1, "Turn it."),
    ("import stubbed\nstubbed.half(", True): ("stubbed.half", ("x: int",), 0, "Halve it."),
    ("a = 3\na", False): ("a", (), -1, ""),
    ("import json\njson.dumps({}, inde", False): ("", (), -1, ""),
    ("nothing_of_that(", True): ("", (), -1, ""),
}


async def test_code_that_has_not_run_is_completed_and_described_and_never_run(tmp_path: Path):
    write_modules(tmp_path)
    where = str(tmp_path), sys.executable
    async with reader(tmp_path) as made:
        for code, wanted in COMPLETED.items():
            text = code if code != "own.tu" else f"import own\n{code}"
            found = await made.complete(CodePlace(text), *where, is_asked=False)
            assert names(found) == wanted, code
        for (code, is_call), (name, parameters, argument, documentation) in DESCRIBED.items():
            told = await made.describe(CodePlace(code), *where, is_call=is_call)
            assert (told.name, told.parameters, told.argument) == (name, parameters, argument), code
            assert told.documentation == documentation
        told = await made.describe(CodePlace("a = 3\na"), *where, is_call=False)
        assert (told.type, told.is_callable) == ("int", False)
        after = "\n    return 1\nclass B(A):\n    pass\n"
        place = CodePlace("class A:\n    def far(self):\n        self.fa", after)
        assert names(await made.complete(place, *where, is_asked=False)) == ["far"]
    assert not list(tmp_path.rglob("*.was-run"))  # noqa: ASYNC240 - a test may wait


def write_interpreter(file: Path, folder: Path) -> None:
    """An interpreter that also imports from a folder."""
    command = f"PYTHONPATH={shlex.quote(str(folder))} exec {shlex.quote(sys.executable)}"
    file.write_text(f'#!/bin/sh\n{command} "$@"\n')
    file.chmod(0o700)


async def test_an_interpreter_that_comes_later_is_asked(tmp_path: Path):
    (tmp_path / "later_made.py").write_text(OWN)
    python = tmp_path / "python"
    place = CodePlace("import later_made\nlater_made.tu")
    async with reader(tmp_path) as made:
        assert await made.complete(place, "", str(python), is_asked=False) == Completions()
        write_interpreter(python, tmp_path)
        assert names(await made.complete(place, "", str(python), is_asked=False)) == ["turn"]


async def test_a_package_that_was_installed_meanwhile_is_found(tmp_path: Path):
    site = tmp_path / "site"
    site.mkdir()
    python = tmp_path / "python"
    write_interpreter(python, site)
    place = CodePlace("import later_made\nlater_made.tu")
    async with reader(tmp_path) as made:
        assert await made.complete(place, "", str(python), is_asked=False) == Completions()
        (site / "later_made.py").write_text(OWN)
        assert names(await made.complete(place, "", str(python), is_asked=False)) == ["turn"]


async def test_a_later_question_interrupts_an_older_one_and_keeps_the_worker(tmp_path: Path):
    (tmp_path / "endless.py").write_text("x = [1, (2, 3), {4: 5}]\n" * 200_000)
    where = str(tmp_path), sys.executable
    async with reader(tmp_path, LIMIT_S) as made:
        await made.complete(CodePlace("pr"), *where, is_asked=False)
        pid = made.pid
        long = CodePlace("import endless\nendless.")
        first = asyncio.create_task(made.complete(long, *where, is_asked=False))
        told = asyncio.create_task(made.describe(long, *where, is_call=False))
        await asyncio.sleep(0)
        found = await made.complete(CodePlace("whil"), *where, is_asked=False)
        assert names(found) == ["while"]
        assert await first == Completions()
        assert await told == Description()
        assert made.pid == pid


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process")
async def test_a_worker_that_hangs_is_replaced_and_one_that_was_killed_too(tmp_path: Path):
    place = CodePlace("whil")
    async with reader(tmp_path) as made:
        await made.complete(place, "", "", is_asked=False)
        hung = made.pid
        assert hung is not None
        os.kill(hung, signal.SIGSTOP)
        # Until it has stopped one of its threads may still answer.
        await asyncio.to_thread(os.waitpid, hung, os.WUNTRACED)
        older = asyncio.create_task(made.complete(place, "", "", is_asked=False))
        await asyncio.sleep(0)
        assert names(await made.complete(place, "", "", is_asked=False)) == ["while"]
        assert await older == Completions()
        assert made.pid not in (None, hung)
        os.kill(made.pid or 0, signal.SIGKILL)
        await until(lambda: made.pid is None)
        assert names(await made.complete(place, "", "", is_asked=False)) == ["while"]


async def test_a_worker_that_never_answers_is_not_started_for_ever(tmp_path: Path):
    starts = tmp_path / "starts"
    command = [sys.executable, "-c", f"open({str(starts)!r}, 'a').write('x')"]
    made = CodeReader(tmp_path, command=command)
    for _ in range(5):
        assert await made.complete(CodePlace("whil"), "", "", is_asked=True) == Completions()
    await made.close()
    assert starts.read_text() == "xxx"
    assert await made.complete(CodePlace("whil"), "", "", is_asked=True) == Completions()


LARGE = """
import asyncio, sys
from pathlib import Path
from playhead.domain.execution import CodePlace
from playhead.execution.code_reader import CodeReader

async def main():
    memory = bytearray(1_100_000_000)
    reader = CodeReader(Path(sys.argv[1]))
    for _ in range(3):
        await reader.complete(CodePlace("whil"), "", "", is_asked=False)
        print(reader.pid)
    await reader.close()

asyncio.run(main())
"""


def test_a_worker_of_a_large_program_is_kept(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(set(done.stdout.split())) == 1, done.stdout


PARENT = """
import subprocess, sys
worker = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
worker.stdin.write(sys.stdin.buffer.readline())
worker.stdin.flush()
print(worker.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="looks for a process by its id")
def test_no_worker_outlives_the_app_however_much_it_has_to_do(tmp_path: Path):
    (tmp_path / "endless.py").write_text("x = [1, (2, 3), {4: 5}]\n" * 200_000)
    question = Question(number=1, kind="complete", before="import endless\nendless.")
    command = [sys.executable, "-P", "-m", "playhead.code_worker", str(tmp_path / "cache")]
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(encode(question))
        parent.stdin.flush()
        pid = int(parent.stdout.readline())
        parent.kill()
    until_now(lambda: not is_alive(pid))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
