"""Which Python runs code: the managed environment, made in the background, or a found one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from playhead.domain.execution import EnvironmentStatus, Interpreter
from playhead.errors import ExecutionError
from playhead.execution import environment, probing
from playhead.execution.login_path import LoginPath
from playhead.execution.probing import Probed

_log = logging.getLogger(__name__)
_COMPLETE = "playhead-environment.json"
"""Written into the environment last of all: without it a crash has left half of one."""

Listener = Callable[[EnvironmentStatus], None]


class InterpreterFinder:
    """Owner of the managed environment `environments_dir/default` and of the task that makes it.

    `bases` are the Pythons to make it from, by default the one that runs the app, then others
    that are found. Listeners are called in the loop's thread.
    """

    def __init__(self, environments_dir: Path, bases: Sequence[str] | None = None) -> None:
        self._folder = environments_dir / "default"
        self._bases = bases
        self._listeners: list[Listener] = []
        self._status = EnvironmentStatus("absent")
        self._making: asyncio.Task[Interpreter] | None = None
        self._login = LoginPath(os.environ)
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    @property
    def status(self) -> EnvironmentStatus:
        """How the managed environment stands."""
        return self._status

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell of changes of the managed environment."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def found(self, folder: str = "") -> list[Interpreter]:
        """All interpreters of this machine, the managed one first; also those of a folder."""
        managed = self._status.interpreter
        path = await self._login.path()
        searched = await asyncio.to_thread(probing.search, folder, path)
        others = [probed.interpreter for probed in searched]
        mine = [managed] if managed else []
        return mine + [other for other in others if not managed or other.path != managed.path]

    async def probe(self, path: str) -> Interpreter:
        """Look at one Python. Raises ExecutionError if it is none or too old."""
        if environment.is_bundled(path):
            return _bundled()
        return (await asyncio.to_thread(probing.probe, path, "chosen")).interpreter

    async def make_for(self, folder: str) -> Interpreter:
        """The environment `.venv` of a folder, made there if needed. Raises ExecutionError."""
        return await asyncio.to_thread(self._make_for, Path(folder), await self._login.path())

    async def default(self) -> Interpreter:
        """The managed environment, made if needed; else the best one. Raises ExecutionError."""
        if self._status.state == "ready" and self._status.interpreter:
            return self._status.interpreter
        if self._status.state == "failed":
            return await self._best()
        making = self._making = self._making or asyncio.create_task(
            self._provide(), name="managed environment"
        )
        # Several ask at the same time, and one that is cancelled must not spoil it for the others.
        # (From Python 3.14 on `asyncio.shield` reports what fails after its caller has gone.)
        await asyncio.wait((making,))
        return making.result()

    async def close(self) -> None:
        """Give up what is being made; the next start makes it anew."""
        self._is_closed = True
        for process in tuple(self._processes):
            _end_group(process)
        if self._making is not None:
            await asyncio.gather(self._making, return_exceptions=True)

    async def _provide(self) -> Interpreter:
        try:
            try:
                interpreter = await asyncio.to_thread(self._look)
                if interpreter is None:
                    self._set(EnvironmentStatus("creating", message=_CREATING))
                    interpreter = await asyncio.to_thread(self._make, await self._login.path())
            except ExecutionError as error:
                if self._is_closed:
                    raise
                self._set(EnvironmentStatus("failed", message=str(error)))
                best = await self._best()
                self._set(EnvironmentStatus("failed", best, str(error)))
                return best
            self._set(EnvironmentStatus("ready", interpreter))
            return interpreter
        finally:
            self._making = None

    async def _best(self) -> Interpreter:
        found = await asyncio.to_thread(probing.search, path=await self._login.path())
        if found:
            return max(found, key=lambda probed: probed.rank).interpreter
        if getattr(sys, "frozen", False):
            return _bundled()
        raise ExecutionError(
            "There is no Python that could run code.",
            detail=self._status.message,
            remedy="Install Python 3.9 or newer, or choose one.",
        )

    def _look(self) -> Interpreter | None:
        """The environment if it is whole and its Python still runs."""
        if not (self._folder / _COMPLETE).is_file():
            return None
        try:
            return self._managed()
        except ExecutionError as error:
            _log.info("the managed environment is broken and made anew: %s", error)
            return None

    def _managed(self) -> Interpreter:
        probed = probing.probe(str(probing.python_in(self._folder)), "managed")
        label = f"Python {probed.interpreter.version} · managed"
        return replace(probed.interpreter, label=label)

    def _make(self, path: str) -> Interpreter:
        """Make the managed environment anew. Raises ExecutionError."""
        shutil.rmtree(self._folder, ignore_errors=True)
        base = self._make_in(self._folder, path)
        try:
            interpreter = self._managed()
            note = {"base": base.interpreter.path, "version": interpreter.version}
            (self._folder / _COMPLETE).write_text(json.dumps(note), encoding="utf-8")
        except OSError as error:
            raise _not_written(error, self._folder) from error
        return interpreter

    def _make_for(self, folder: Path, path: str) -> Interpreter:
        """The folder's `.venv`, made if it is not there. Raises ExecutionError."""
        place = folder / ".venv"
        if place.exists():
            return probing.probe(str(probing.python_in(place)), "venv").interpreter
        try:
            self._make_in(place, path)
            return probing.probe(str(probing.python_in(place)), "venv").interpreter
        except ExecutionError:
            shutil.rmtree(place, ignore_errors=True)  # half of one would be taken for a whole one
            raise

    def _make_in(self, place: Path, path: str) -> Probed:
        """Make an environment from the first base that can; that base. Raises ExecutionError."""
        problems: list[ExecutionError] = []
        for base in self._base_pythons(path):
            try:
                self._make_from(base, place)
            except ExecutionError as error:
                problems.append(error)
            else:
                return base
        raise problems[0] if problems else _no_base()

    def _make_from(self, base: Probed, place: Path) -> None:
        if not base.can_make_environments:
            raise _no_venv(base, "")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            command = [base.interpreter.path, "-I", "-c", _GUARDED_VENV, "--clear", str(place)]
            self._run(command, base)
        except OSError as error:
            raise _not_written(error, place) from error

    def _run(self, command: list[str], base: Probed) -> None:
        variables = environment.kernel_environment(command[0], os.environ)
        process = subprocess.Popen(
            command,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # pip is a child of it: both must end when it is given up
        )
        self._processes.add(process)
        if self._is_closed:
            _end_group(process)
        with process:
            # Not by `communicate`: it would close the input, by which the process knows of us.
            output = process.stdout.read() if process.stdout else b""
            process.wait()
        self._processes.discard(process)
        if process.returncode != 0:
            raise _no_venv(base, output.decode(errors="replace").strip()[-500:])

    def _base_pythons(self, path: str) -> list[Probed]:
        if self._bases is not None:
            return [probing.probe(path) for path in self._bases]
        bases: list[Probed] = []
        own = getattr(sys, "_base_executable", None) or sys.executable
        if not getattr(sys, "frozen", False):
            bases.append(probing.probe(own))
        if not bases or not bases[0].can_make_environments:
            found = probing.search(path=path)
            others = (other for other in found if other.interpreter.kind == "system")
            bases += sorted(others, key=lambda other: other.rank, reverse=True)
        return bases

    def _set(self, status: EnvironmentStatus) -> None:
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)


_GUARDED_VENV = """
import os, runpy, signal, sys, threading
def end_with_parent():
    os.read(0, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("venv", run_name="__main__")
"""
"""The module venv, that ends with its pip when the program does, however that ended."""
_CREATING = "A Python environment for your code is being made."


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(process.pid, signal.SIGKILL)


def _bundled() -> Interpreter:
    version = ".".join(str(part) for part in sys.version_info[:3])
    label = f"Python {version} · built in, without packages"
    return Interpreter(sys.executable, version, label, "bundled", has_pip=False)


def _not_written(error: OSError, place: Path) -> ExecutionError:
    return ExecutionError(
        "The Python environment could not be written.",
        detail=f"{error.filename or place}: {error.strerror}.",
        remedy="Free disk space or choose another interpreter.",
    )


def _no_base() -> ExecutionError:
    return ExecutionError(
        "There is no Python to make an environment from.",
        remedy="Install Python 3.9 or newer, for example: sudo apt install python3 python3-venv",
    )


def _no_venv(base: Probed, detail: str) -> ExecutionError:
    major, minor = base.version[:2]
    package = f"python{major}.{minor}-venv"
    return ExecutionError(
        "The Python environment could not be made.",
        detail=detail or f"{base.interpreter.path} comes without the modules venv and ensurepip.",
        remedy=f"On Debian and Ubuntu install them: sudo apt install {package}",
    )
