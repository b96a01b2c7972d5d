"""A lock on a file that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO


class ProcessLock:
    """Held by at most one process; a file left by a killed one is ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; whether we hold it. Raises OSError without a usable file."""
        if self._file is not None:
            return True
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        file = os.fdopen(descriptor, "r+b", buffering=0)
        if not _try_lock(file):
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give it back; the file stays, for removing it would let two hold two files."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
