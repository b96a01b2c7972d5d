"""The state of a folder: what is in it, looked at by descriptors only, no link is followed."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

HAS_DESCRIPTORS = {os.open, os.stat, os.unlink, os.rename, os.mkdir} <= os.supports_dir_fd
"""Whether files can be reached without paths here; without, changes are only listed."""
FILE_LIMIT = 50_000
COUNT_LIMIT = 20_000
"""Files counted in one folder that is left out."""
TEMPORARY = ".playhead-undo-"
"""How names of files begin that are being put back."""
LEFT_OUT = frozenset(
    {"node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", "site-packages"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints"}
    | {".cache", ".matplotlib"}
)
_FOLDERS_OPEN = 64
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
FOLDER_FLAGS = _FLAGS | getattr(os, "O_DIRECTORY", 0)
FILE_FLAGS = _FLAGS | getattr(os, "O_NONBLOCK", 0)
"""What was a file a moment ago may be a pipe now, which is not waited for."""


class Entry(NamedTuple):
    """One state of a file: `kind` is file, dir, link, fifo, special or left_out.

    Inode and `ctime_ns` together name a state of a file; `size` of a folder that is left out is the
    number of its files. `target` is that of a link.
    """

    kind: str
    mode: int
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int
    links: int = 1
    target: str = ""

    @property
    def key(self) -> tuple[int, int]:
        """Return what names this state of the file."""
        return self.inode, self.ctime_ns


Entries = dict[str, Entry]
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "dir",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
}


def entry_of(facts: os.stat_result, target: str = "") -> Entry:
    """Return the entry of what the system says of a file."""
    return Entry(
        _KINDS.get(stat.S_IFMT(facts.st_mode), "special"),
        stat.S_IMODE(facts.st_mode),
        facts.st_size,
        facts.st_mtime_ns,
        facts.st_ino,
        facts.st_ctime_ns,
        facts.st_nlink,
        target,
    )


class Tree:
    """A folder held by its descriptor, and the way from it to what is below.

    Each component of a path is opened by itself, without following links: a folder that was
    replaced by a link is an OSError at any moment.
    """

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, FOLDER_FLAGS)
        self._open: dict[str, int] = {}

    @property
    def identity(self) -> tuple[int, int]:
        """Return what names the folder whatever its path is."""
        facts = os.fstat(self.fd)
        return facts.st_dev, facts.st_ino

    def folder(self, path: str) -> int:
        """Return the descriptor of a folder, which stays the tree's. Raises OSError."""
        if not path:
            return self.fd
        if (fd := self._open.pop(path, None)) is None:
            above, _, name = path.rpartition("/")
            fd = os.open(name, FOLDER_FLAGS, dir_fd=self.folder(above))
        self._open[path] = fd  # the last one used is the last one closed
        if len(self._open) > _FOLDERS_OPEN:
            os.close(self._open.pop(next(iter(self._open))))
        return fd

    def place(self, path: str) -> tuple[int, str]:
        """Return the descriptor of the folder that a path is in, and the name there."""
        above, _, name = path.rpartition("/")
        return self.folder(above), name

    def look(self, path: str) -> Entry | None:
        """Return what is there now; None if nothing is. Raises OSError for another way."""
        if not path:
            return entry_of(os.fstat(self.fd))
        try:
            fd, name = self.place(path)
            facts = os.stat(name, dir_fd=fd, follow_symlinks=False)
            is_link = stat.S_ISLNK(facts.st_mode)
            return entry_of(facts, os.readlink(name, dir_fd=fd) if is_link else "")
        except FileNotFoundError:
            return None

    def look_or_none(self, path: str) -> Entry | None:
        """Return what is there now; None also if there is no way to it."""
        try:
            return self.look(path)
        except OSError:
            return None

    @contextmanager
    def file(self, path: str) -> Generator[int]:
        """Open a file for reading."""
        fd, name = self.place(path)
        opened = os.open(name, FILE_FLAGS, dir_fd=fd)
        try:
            yield opened
        finally:
            os.close(opened)

    def forget(self, path: str = "") -> None:
        """Close the descriptors of a folder and those below it."""
        below = f"{path}/" if path else ""
        for name in [one for one in self._open if one == path or one.startswith(below)]:
            os.close(self._open.pop(name))

    def close(self) -> None:
        """Close all descriptors."""
        self.forget()
        os.close(self.fd)


class ScanProblem(Exception):
    """The folder is too large, or takes too long: `too_many` or `too_slow`."""


class Scan:
    """Looks at everything below a folder but what has the identity `without`.

    `known` are the entries of an earlier look, used again where they are the same.
    """

    def __init__(self, known: Entries, without: tuple[int, int] | None, within_s: float) -> None:
        self._known = known
        self._without = without
        self._end = time.monotonic() + within_s
        self._left = FILE_LIMIT
        self._device = 0
        self.entries: Entries = {}
        self.unreadable: list[str] = []
        """Folders that may not be read."""

    def run(self, tree: Tree) -> Scan:
        """Look. Raises ScanProblem, or OSError if the folder itself cannot be read."""
        # Opened again: btrfs shows in an open folder what was there when it was opened.
        top = os.open(".", FOLDER_FLAGS, dir_fd=tree.fd)
        root = os.fstat(top)
        self._device = root.st_dev
        self.entries[""] = entry_of(root)
        waiting: list[tuple[int, str, Iterator[str]]] = [(top, "", iter(()))]
        try:
            waiting[0] = top, "", iter(self._look_into(top, ""))
            while waiting:
                fd, prefix, folders = waiting[-1]
                name = next(folders, None)
                if name is None:
                    waiting.pop()
                    os.close(fd)
                elif (below := self._open(fd, prefix, name)) is not None:
                    path = f"{prefix}{name}/"
                    waiting.append((below, path, iter(self._look_into(below, path))))
        finally:
            for fd, _, _ in waiting:
                os.close(fd)
        return self

    def _open(self, fd: int, prefix: str, name: str) -> int | None:
        try:
            return os.open(name, FOLDER_FLAGS, dir_fd=fd)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):  # else it has gone
                self.unreadable.append(prefix + name)
            return None

    def _look_into(self, fd: int, prefix: str) -> list[str]:
        """Add what is in a folder; return the names of the folders to look into."""
        if time.monotonic() > self._end:
            raise ScanProblem("too_slow")
        folders: list[str] = []
        known, entries = self._known, self.entries
        try:
            with os.scandir(fd) as found:
                for one in found:
                    name = one.name
                    try:
                        facts = one.stat(follow_symlinks=False)
                    except OSError:
                        continue  # it has just gone
                    path = prefix + name
                    if stat.S_ISDIR(facts.st_mode):
                        if self._is_looked_into(facts, fd, name, path):
                            folders.append(name)
                        continue
                    before = known.get(path)
                    if (
                        before is not None
                        and before.ctime_ns == facts.st_ctime_ns
                        and before.inode == facts.st_ino
                    ):
                        entries[path] = before
                    else:
                        entries[path] = entry_of(facts, _target(facts, name, fd))
        except OSError:
            self.unreadable.append(prefix[:-1])
        if len(entries) > self._left:
            raise ScanProblem("too_many")
        return folders

    def _is_looked_into(self, facts: os.stat_result, fd: int, name: str, path: str) -> bool:
        """Add a folder; return whether it is one of those whose files are kept."""
        if (facts.st_dev, facts.st_ino) == self._without:
            return False
        entry = entry_of(facts)
        is_other = facts.st_dev != self._device
        is_made = is_environment(fd, name) and not is_in_use(self._known, path)
        if is_other or name in LEFT_OUT or is_made:
            count = 0 if is_other else _count(fd, name)
            self.entries[path] = entry._replace(kind="left_out", size=count, mtime_ns=0, ctime_ns=0)
            return False
        self.entries[path] = entry
        return True


def _target(facts: os.stat_result, name: str, fd: int) -> str:
    if not stat.S_ISLNK(facts.st_mode):
        return ""
    with suppress(OSError):
        return os.readlink(name, dir_fd=fd)
    return ""


def is_in_use(known: Entries, path: str) -> bool:
    """Return whether a folder had files that were looked at: it becomes no environment by one more.

    Else code could have all in it left out, by a file that it writes there.
    """
    before = known.get(path)
    if before is None or before.kind != "dir":
        return False
    return any(one.startswith(f"{path}/") for one in known)


def is_environment(fd: int, name: str) -> bool:
    """Return whether a folder is a virtual environment of Python."""
    try:
        os.stat(f"{name}/pyvenv.cfg", dir_fd=fd, follow_symlinks=False)
    except OSError:
        return False
    return True


def _count(fd: int, name: str) -> int:
    """Return the number of files below a folder, up to a limit; links are not followed."""
    count = 0
    waiting: list[int] = []
    try:
        waiting.append(os.open(name, FOLDER_FLAGS, dir_fd=fd))
        while waiting and count < COUNT_LIMIT:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as found:
                    for one in found:
                        if not one.is_dir(follow_symlinks=False):
                            count += 1
                        elif len(waiting) < _FOLDERS_OPEN:
                            with suppress(OSError):
                                waiting.append(os.open(one.name, FOLDER_FLAGS, dir_fd=folder))
            finally:
                os.close(folder)
    except OSError:
        return count
    finally:
        for folder in waiting:
            os.close(folder)
    return count


def scan_by_paths(folder: str, without: str) -> Entries:
    """Look at a folder where there are no descriptors: to list changes, nothing is put back."""
    entries: Entries = {}
    waiting = [("", folder)]
    while waiting:
        prefix, path = waiting.pop()
        with suppress(OSError), os.scandir(path) as found:
            for one in found:
                entry = entry_of(one.stat(follow_symlinks=False))
                if entry.kind != "dir":
                    entries[prefix + one.name] = entry
                elif one.name not in LEFT_OUT and os.path.abspath(one.path) != without:
                    waiting.append((f"{prefix}{one.name}/", one.path))
        if len(entries) > FILE_LIMIT:
            raise ScanProblem("too_many")
    return entries
