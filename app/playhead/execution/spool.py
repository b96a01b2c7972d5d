"""The folder through which a kernel hands over what is too long for a mark."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path


class Spool:
    """Owner of one kernel's folder; running code can put anything there, so nothing is trusted.

    A name leads nowhere else, a link is not followed, and what is not a plain file within the
    limit is not read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """Make the folder. Raises OSError."""
        self.folder.mkdir(parents=True, mode=0o700)

    def remove(self) -> None:
        """Delete it with what was not fetched."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self, name: str, limit: int) -> bytes | None:
        """A file's bytes, and the file is gone; None if it is none or longer than the limit."""
        if not _is_plain(name):
            return None
        path = self.folder / name
        try:
            # Not blocking: to open a pipe that code put there would wait for its other end.
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NOT_BLOCKING)
        except OSError:
            return None
        with os.fdopen(fd, "rb") as file:
            facts = os.fstat(fd)
            is_fit = stat.S_ISREG(facts.st_mode) and facts.st_size <= limit
            data = file.read(limit + 1) if is_fit else None
        with suppress(OSError):
            path.unlink()
        return data if data is not None and len(data) <= limit else None

    def take(self, name: str, target: Path, limit: int) -> bool:
        """Move a file out; False if it is none or longer than the limit."""
        if not _is_plain(name):
            return False
        try:
            os.replace(self.folder / name, target)
            facts = target.lstat()
        except OSError:
            return False
        is_fit = stat.S_ISREG(facts.st_mode) and facts.st_size <= limit
        if not is_fit:
            with suppress(OSError):
                target.unlink()
        return is_fit


_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def _is_plain(name: str) -> bool:
    """Whether it names something in the folder itself."""
    return bool(name) and name == os.path.basename(name) and name[0] != "." and "\0" not in name
