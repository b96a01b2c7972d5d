"""A lock on a file that the system takes back when its process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO


class ProcessLock:
    """Held by at most one process; a file left by a killed one is ignored.

    `words` name the holder, in the file, for those that find the lock taken.
    """

    def __init__(self, path: Path, words: str = "") -> None:
        self._path = path
        self._words = words
        self._file: IO[bytes] | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; whether we hold it.

        Raises OSError without a usable file, or where the file system has no locks.
        """
        if self._file is not None:
            return True
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            if not _try_lock(file):
                file.close()
                return False
        except OSError:
            file.close()
            raise
        self._file = file
        if self._words:
            with suppress(OSError):  # a full disk: the lock holds without the words
                file.truncate(0)
                file.write(f"\n{self._words}".encode())  # Windows locks the first byte for all
        return True

    @property
    def holder(self) -> str:
        """Return the words of the process that holds the lock, '' if it left none."""
        try:
            with self._path.open("rb", buffering=0) as file:
                file.seek(1)
                return file.read(_LONGEST_BYTES).decode("utf-8", "replace").strip()
        except OSError:
            return ""

    def release(self) -> None:
        """Give it back; the file stays, for removing it would let two hold two files."""
        if self._file is not None:
            self._file.close()
            self._file = None


_LONGEST_BYTES = 200
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True
