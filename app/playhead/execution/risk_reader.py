"""Looks at code, its folder, its interpreter and its modules, in a thread beside the window."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

from playhead.domain.execution import place_of
from playhead.domain.trust import CodeLook

_READ_LIMIT = 300_000
"""The bytes of a local module that are read."""


class RiskReader:
    """Reads what code would do. Nothing of it is run, nothing outside of the folder is read."""

    async def look(self, language: str, code: str, folder: str, interpreter: str) -> CodeLook:
        """Return what code is seen to do in a folder, and what else decides that."""
        return await asyncio.to_thread(_look, language, code, folder, interpreter)


def _look(language: str, code: str, folder: str, interpreter: str) -> CodeLook:
    from playhead.analysis.code_facts import facts_of
    from playhead.analysis.targets import Surroundings

    real = os.path.realpath(folder) if folder else ""
    where = Surroundings(folder=real or "/", home=os.path.expanduser("~"))
    found = facts_of(language, code, where, lambda path: read_local(real, path) if real else None)
    return CodeLook(
        found.facts,
        (
            *_stamp(folder, is_folder=True),
            *_interpreter(interpreter),
            *(f"{path} {digest}" for path, digest in found.modules),
        ),
    )


def read_local(folder: str, path: str) -> str | None:
    """Return the text of a file inside a folder; None for a missing one. Nothing is waited for."""
    whole = os.path.realpath(os.path.join(folder, path))
    if not whole.startswith(folder.rstrip(os.sep) + os.sep):
        return None
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(whole, flags)
    except (OSError, ValueError):
        return None
    with open(descriptor, "rb") as file:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            return None
        try:
            data = file.read(_READ_LIMIT)
        except OSError:
            return None
    text = data.decode("utf-8", "replace")
    if known.st_size > len(data):  # what is not read may change, too
        text += f"\n#{known.st_size} {known.st_mtime_ns}"
    return text


def _stamp(path: str, *, is_folder: bool = False) -> tuple[str, ...]:
    """Return what distinguishes a file or a folder from another one at the same place."""
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return (path, "absent")
    times = () if is_folder else (str(known.st_size), str(known.st_mtime_ns))
    return (os.path.realpath(path), str(known.st_dev), str(known.st_ino), *times)


def _interpreter(path: str) -> tuple[str, ...]:
    """Return what distinguishes a Python from others: its program, version and packages."""
    if not path:
        return ("",)
    if place := place_of(path):
        return (path, *_stamp(str(Path(place.folder, "kernel.json"))))
    root = Path(path).parent.parent
    packages = sorted(root.glob("lib/python3*/site-packages"))[:4]
    known = [*_stamp(path), *_stamp(str(root / "pyvenv.cfg"))]
    for folder in packages:
        try:
            known.append(f"{folder} {folder.stat().st_mtime_ns}")
        except OSError:
            known.append(str(folder))
    return tuple(known)
