"""The PATH of the user's login shell, after a start by double click, and what is found on one."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_LIMIT_S = 5.0
_OF_THE_SYSTEM = frozenset(
    {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
    | {"/usr/games", "/usr/local/games", "/snap/bin"}
)


class LoginPath:
    """Asks the login shell once, and only if the PATH that we have is the bare system's."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._asking: asyncio.Task[str] | None = None

    async def path(self) -> str:
        """Return the PATH for commands; this process's own one if the shell does not report one."""
        own = self._variables.get("PATH", "")
        if not is_bare(own):
            return own
        if self._asking is None:
            self._asking = asyncio.create_task(asyncio.to_thread(ask_shell, self._variables))
        return await asyncio.shield(self._asking) or own


def find_program(name: str, path: str | None = None) -> str:
    """Return the path of a program on a PATH, by default this process's own; "" without it.

    Relative folders on it are left out, and on Windows the current one: anything may be there.
    """
    absolute = absolute_folders(os.environ.get("PATH", os.defpath) if path is None else path)
    found = shutil.which(name, path=os.pathsep.join(absolute)) if absolute else None
    return found if found is not None and os.path.isabs(found) else ""


def absolute_folders(path: str) -> list[str]:
    """Return the folders on a PATH that do not depend on where a program is started."""
    return [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]


def is_bare(path: str) -> bool:
    """Return whether it contains only the system's folders."""
    return all(part in _OF_THE_SYSTEM for part in path.split(os.pathsep) if part)


def ask_shell(variables: Mapping[str, str], limit_s: float = _LIMIT_S) -> str:
    """Return the PATH in the user's interactive login shell; "" if it is not reported in time.

    Output of its start files is outside the marks. It gets no terminal to read from, and the
    programs that they started end with it.
    """
    shell = variables.get("SHELL", "")
    if sys.platform == "win32" or not Path(shell).is_absolute():
        return ""
    mark = uuid.uuid4().hex
    script = f"printf %s {mark}; command env -0; printf %s {mark}"
    try:
        process = subprocess.Popen(
            [shell, "-ilc", script],
            env=dict(variables),
            cwd=variables.get("HOME") if os.path.isdir(variables.get("HOME", "")) else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return ""
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        output = b""
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.communicate()
    return _path_in(output, mark.encode())


def _path_in(output: bytes, mark: bytes) -> str:
    parts = output.split(mark)
    lines = parts[1].split(b"\0") if len(parts) == 3 else []
    found = [os.fsdecode(line[5:]) for line in lines if line.startswith(b"PATH=")]
    return found[0] if found else ""
