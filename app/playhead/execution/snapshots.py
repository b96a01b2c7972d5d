"""What lies in a working folder: a snapshot of its files, and texts that a diff could need."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

FILE_LIMIT = 50_000
TEXT_LIMIT = 200_000
ALL_TEXTS_LIMIT = 20_000_000
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", "site-packages"}
)
_NO_TEXT = re.compile(
    r"\.(png|jpe?g|gif|bmp|webp|tiff?|ico|pdf|zip|gz|xz|bz2|zst|7z|tar|whl|so|dll|exe|pyc"
    r"|np[yz]|pkl|parquet|feather|h5|sqlite|db|mp[34]|mov|wav|ttf)$",
    re.IGNORECASE,
)
GivenUp = Callable[[], bool]


class Stamp(NamedTuple):
    """What tells one state of a file from another without reading it."""

    mtime_ns: int
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files by their path from the folder on, with slashes; `skipped` names folders.

    `is_whole` is False when there were too many, or somebody gave up.
    """

    files: dict[str, Stamp]
    skipped: frozenset[str] = frozenset()
    is_whole: bool = True


def take(folder: str, without: str, is_given_up: GivenUp) -> Snapshot:
    """Look at all files below a folder but those below `without`; links are not followed."""
    files: dict[str, Stamp] = {}
    skipped: set[str] = set()
    waiting = [("", folder)]
    while waiting:
        prefix, path = waiting.pop()
        for entry, is_folder in _entries(path):
            if not is_folder:
                _add(files, prefix + entry.name, entry)
            elif entry.name in _SKIPPED or _is_environment(entry.path):
                skipped.add(entry.name)
            elif not _is_same(entry, without):
                waiting.append((f"{prefix}{entry.name}/", entry.path))
        if len(files) > FILE_LIMIT or is_given_up():
            return Snapshot(files, frozenset(skipped), is_whole=False)
    return Snapshot(files, frozenset(skipped))


def _entries(path: str) -> Iterator[tuple[os.DirEntry[str], bool]]:
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                yield entry, entry.is_dir(follow_symlinks=False)
    except OSError:
        return  # a folder that may not be read, or that has just gone


def _is_same(entry: os.DirEntry[str], folder: str) -> bool:
    """Whether it is that folder; asked of the system only where the names agree."""
    if entry.name != os.path.basename(folder):
        return False
    try:
        return os.path.samefile(entry.path, folder)
    except OSError:
        return False


def _add(files: dict[str, Stamp], path: str, entry: os.DirEntry[str]) -> None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        return
    files[path] = Stamp(facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _is_environment(path: str) -> bool:
    return os.path.exists(os.path.join(path, "pyvenv.cfg"))


@dataclass(slots=True)
class Texts:
    """Texts of small files, kept for the diff to come; each belongs to one stamp of its file."""

    _known: dict[str, tuple[Stamp, str]] = field(default_factory=dict[str, tuple[Stamp, str]])
    _bytes: int = 0

    def learn(self, folder: str, snapshot: Snapshot, is_given_up: GivenUp) -> None:
        """Read what is not known yet, the files changed last first, as far as there is room."""
        for path in [path for path in list(self._known) if path not in snapshot.files]:
            self._forget(path)
        newest = sorted(snapshot.files.items(), key=lambda item: -item[1].mtime_ns)
        for path, stamp in newest:
            if self.get(path, stamp) is not None or not _could_be_text(path, stamp):
                continue
            if self._bytes + stamp.size > ALL_TEXTS_LIMIT or is_given_up():
                return
            self._keep(path, stamp, read_text(os.path.join(folder, path), stamp))

    def get(self, path: str, stamp: Stamp) -> str | None:
        """The text that the file had in that state."""
        known = self._known.get(path)
        return known[1] if known is not None and known[0] == stamp else None

    def _keep(self, path: str, stamp: Stamp, text: str | None) -> None:
        self._forget(path)
        if text is not None:
            self._known[path] = stamp, text
            self._bytes += stamp.size

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= known[0].size


def read_text(path: str, stamp: Stamp) -> str | None:
    """The text of a file in this very state; None if it is none, too long, or another by now."""
    if stamp.size > TEXT_LIMIT:
        return None
    try:
        # Not blocking, no link followed: what was a file a moment ago may be a pipe now.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NOT_BLOCKING)
    except OSError:
        return None
    try:
        data = os.read(fd, TEXT_LIMIT + 1)
        facts = os.fstat(fd)
    except OSError:
        return None
    finally:
        os.close(fd)
    is_same = Stamp(facts.st_mtime_ns, facts.st_size, facts.st_ino) == stamp
    if not is_same or not stat.S_ISREG(facts.st_mode) or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def _could_be_text(path: str, stamp: Stamp) -> bool:
    return stamp.size <= TEXT_LIMIT and not _NO_TEXT.search(path)
