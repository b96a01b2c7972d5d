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

    def size(self, name: str) -> int:
        """A file's bytes by number; 0 if it is none."""
        try:
            facts = (self.folder / name).lstat() if _is_plain(name) else None
        except OSError:
            return 0
        return facts.st_size if facts is not None and stat.S_ISREG(facts.st_mode) else 0

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
        try:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
                return None
            data = os.read(fd, limit + 1)
        except OSError:
            return None
        finally:
            os.close(fd)
        with suppress(OSError):
            path.unlink()
        return data if len(data) <= limit else None

    def take(self, name: str, target: Path, limit: int) -> bool:
        """Move a file out; False if it is none or longer than the limit."""
        if not _is_plain(name):
            return False
        try:
            facts = (self.folder / name).lstat()
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
                return False
            os.replace(self.folder / name, target)
        except OSError:
            return False
        return True


_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def _is_plain(name: str) -> bool:
    """Whether it names something in the folder itself."""
    return bool(name) and name == os.path.basename(name) and name[0] != "." and "\0" not in name
