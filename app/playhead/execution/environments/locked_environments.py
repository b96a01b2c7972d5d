"""Makes an environment with exactly the versions that were recorded: by uv, else by venv and pip.

Only wheels are taken: to build a package would run code that nobody has approved.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from playhead.domain.execution import Interpreter, pins_of
from playhead.errors import ExecutionError, phrase
from playhead.execution import environment
from playhead.execution.environments.interpreters import ProbedInterpreter, probe, python_in, search

_NO_NETWORK = re.compile(
    r"(?i)dns error|network|connection|temporary failure|timed out|unreachable|resolve host"
    r"|error sending request|could not connect|failed to fetch"
)
_SHOWN = 400


class _FailedProgramError(Exception):
    """A program failed; `output` is what it printed."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


class LockedEnvironments:
    """Makes environments. `find_uv` returns the path of uv, "" for Python's own venv and pip."""

    def __init__(self, find_uv: Callable[[], str] = environment.uv_program) -> None:
        self._find_uv = find_uv

    async def make(
        self, place: Path, python: str, packages: Sequence[str], near: str
    ) -> Interpreter:
        """Make an environment in a new folder and return its Python. Raises ExecutionError.

        `packages` are like `numpy 2.3.1`, `near` is the Python to take where none of the version is
        found.
        """
        base = await asyncio.to_thread(_base, python, near)
        try:
            await self._make(place, base)
            # Before anything is installed: a package can have code that runs with each start.
            found = await asyncio.to_thread(probe, str(python_in(place)), "venv")
            if pins := pins_of(packages):
                await self._install(place, pins)
        except OSError as error:
            raise _not_made(error.strerror or str(error)) from error
        except _FailedProgramError as error:
            raise _not_made(error.output) from error
        return found.interpreter

    async def _make(self, place: Path, base: ProbedInterpreter) -> None:
        path = base.interpreter.path
        if uv := self._find_uv():
            options = ["--quiet", "--no-project", "--color", "never", "--no-python-downloads"]
            await self._run([uv, "venv", *options, "--python", path, str(place)])
            return
        if not base.can_make_environments:
            raise _not_made(phrase("{path} comes without the module venv.", path=path))
        await self._run([path, "-I", "-m", "venv", str(place)])

    async def _install(self, place: Path, pins: Sequence[str]) -> None:
        python = str(python_in(place))
        if uv := self._find_uv():
            command = [uv, "pip", "install", "--color", "never", "--no-build", "--python", python]
        else:
            command = [python, "-I", "-m", "pip", "install", "--disable-pip-version-check"]
            command += ["--only-binary", ":all:"]
        try:
            await self._run([*command, *pins])
        except _FailedProgramError as error:
            raise _not_installed(error.output) from None

    async def _run(self, command: Sequence[str]) -> None:
        """Run a program; end it with its children if this is cancelled."""
        process = await asyncio.to_thread(_start, command)
        waiting = asyncio.ensure_future(asyncio.to_thread(process.communicate))
        try:
            output, _ = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            _end_group(process)
            await asyncio.wait({waiting})
            raise
        if process.returncode != 0:
            raise _FailedProgramError(output.decode(errors="replace").strip())


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=environment.OWN_FOLDER,
        env=environment.kernel_environment("", os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _base(python: str, near: str) -> ProbedInterpreter:
    """Return the Python to make it from: of the version, else of the minor one, else that there."""
    own = probe(near)
    if not python or own.interpreter.version == python:
        return own
    minor = python.split(".")[:2]
    found = [own, *search(path=os.environ.get("PATH"))]
    same = [one for one in found if one.interpreter.version == python]
    near_ones = [one for one in found if one.interpreter.version.split(".")[:2] == minor]
    return next(iter((*same, *near_ones, own)))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _not_made(detail: str) -> ExecutionError:
    return ExecutionError(
        "The environment for the check could not be made.",
        detail=detail[-_SHOWN:],
        remedy="Check with the present environment; the report then says so.",
        code="no_environment",
    )


def _not_installed(detail: str) -> ExecutionError:
    is_offline = _NO_NETWORK.search(detail) is not None
    return ExecutionError(
        "The package index cannot be reached."
        if is_offline
        else "The recorded packages could not be installed.",
        detail=" ".join(detail[-_SHOWN:].split()),
        remedy="Check with the present environment; the report then says so.",
        code="no_environment",
    )
