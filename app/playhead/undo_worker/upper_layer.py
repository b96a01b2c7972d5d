"""The layer of a copy that has its changes, as overlayfs keeps them: read by descriptors only."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from playhead.undo_worker.pack import EMPTY, Image
from playhead.undo_worker.scanning import (
    FILE_LIMIT,
    FOLDER_FLAGS,
    LEFT_OUT,
    Entries,
    Entry,
    ScanProblem,
    Tree,
    entry_of,
    is_in_use,
)
from playhead.undo_worker.set_aside import COMPILED

OWN_ATTRIBUTES = "user.overlay."
"""How the names of attributes begin that are overlayfs's own."""
_OPAQUE = f"{OWN_ATTRIBUTES}opaque"


class LayerTree(Tree):
    """The files of a layer, whatever code lets be read of them; they look the same afterwards."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._unlocked: dict[str, int] = {}

    def folder(self, path: str) -> int:
        """Return the descriptor of a folder, which stays the tree's. Raises OSError."""
        try:
            return super().folder(path)
        except PermissionError:
            parts = path.split("/")
            for count in range(len(parts) + 1):
                self._unlock("/".join(parts[:count]))
            return super().folder(path)

    def _unlock(self, path: str) -> None:
        with self._held(path) as (held, mode):
            if mode & 0o700 != 0o700:
                os.chmod(f"/proc/self/fd/{held}", mode | 0o700)
                self._unlocked[path] = mode

    @contextmanager
    def _held(self, path: str) -> Generator[tuple[int, int]]:
        above, _, name = path.rpartition("/")
        at = super().folder(above)
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
        held = os.open(name or ".", flags, dir_fd=at)
        try:
            yield held, stat.S_IMODE(os.fstat(held).st_mode)
        finally:
            os.close(held)

    def close(self) -> None:
        """Close all descriptors."""
        for path, mode in sorted(self._unlocked.items(), reverse=True):
            with suppress(OSError), self._held(path) as (held, now):
                if now == mode | 0o700:
                    os.chmod(f"/proc/self/fd/{held}", mode)
        super().close()


class UpperLayer(NamedTuple):
    """The changes of a copy: the paths that it has, or has no more (None), as it has them.

    `images` has the attributes of its folders; `left_out` are folders of which the files are
    counted only.
    """

    entries: dict[str, Entry | None]
    images: dict[str, Image]
    left_out: dict[str, int]


class _Reader:
    """Reads the layer `upper` over a folder with the entries `below`."""

    def __init__(self, upper: Tree, below: Entries) -> None:
        self._upper = upper
        self._below = below
        self._covered: set[str] = set()
        self.found = UpperLayer({}, {}, {})

    def read(self) -> UpperLayer:
        """Read it. Raises ScanProblem."""
        self.found.entries[""] = entry_of(os.fstat(self._upper.fd))
        self.found.images[""] = image_of(self._upper.fd)
        self._read_folder(self._upper.fd, "")
        entries = self.found.entries
        for path in self._below:
            if path not in entries and any(above in self._covered for above in _ways(path)):
                entries[path] = None
        return self.found

    def _read_folder(self, fd: int, prefix: str) -> None:
        for name in os.listdir(fd):
            with suppress(FileNotFoundError, NotADirectoryError):  # code that goes on took it away
                self._read_one(fd, name, prefix + name)
        if len(self.found.entries) > 2 * FILE_LIMIT:
            raise ScanProblem("too_many")

    def _read_one(self, fd: int, name: str, path: str) -> None:
        facts = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if is_whiteout(facts):
            self.found.entries[path] = None
            self._covered.add(path)
        elif stat.S_ISDIR(facts.st_mode):
            self._read_below(fd, name, path, entry_of(facts))
        else:
            target = os.readlink(name, dir_fd=fd) if stat.S_ISLNK(facts.st_mode) else ""
            self.found.entries[path] = entry_of(facts, target)
            self._covered.add(path)

    def _read_below(self, fd: int, name: str, path: str, entry: Entry) -> None:
        if name == COMPILED:  # nobody sees what is in it: it stays in the copy
            return
        below = self._below.get(path)
        with opened(fd, name) as folder:
            is_environment = _has(folder, "pyvenv.cfg") and not is_in_use(self._below, path)
            if name in LEFT_OUT or is_environment or (below and below.kind == "left_out"):
                self.found.left_out[path] = sum(1 for _ in _files(folder))
                return
            self.found.entries[path] = entry
            self.found.images[path] = image_of(folder)
            if below is None or below.kind != "dir" or is_opaque(folder):
                self._covered.add(path)
            self._read_folder(folder, f"{path}/")


def read_upper(upper: Tree, below: Entries) -> UpperLayer:
    """Return what differs in a copy of a folder. Raises ScanProblem, OSError."""
    try:
        return _Reader(upper, below).read()
    except RecursionError as error:
        raise ScanProblem("too_many") from error


def is_whiteout(facts: os.stat_result) -> bool:
    """Return whether it stands for a file that was deleted."""
    return stat.S_ISCHR(facts.st_mode) and facts.st_rdev == 0


def is_opaque(folder: int) -> bool:
    """Return whether nothing of the folder below shows through."""
    with suppress(OSError):
        return os.getxattr(folder, _OPAQUE) == b"y"
    return False


@contextmanager
def opened(fd: int, name: str, flags: int = FOLDER_FLAGS) -> Generator[int]:
    """Open a file of the layer, also one that may not be read; it looks the same afterwards."""
    mode = stat.S_IMODE(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
    least = 0o700 if flags == FOLDER_FLAGS else 0o400
    if mode & least == least:
        found = os.open(name, flags, dir_fd=fd)
    else:
        found = _open_forbidden(fd, name, flags, mode | least)
    try:
        yield found
    finally:
        if mode & least != least and os.fstat(found).st_mode & 0o7777 == mode | least:
            os.fchmod(found, mode)
        os.close(found)


def _open_forbidden(fd: int, name: str, flags: int, mode: int) -> int:
    held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
    try:
        os.chmod(f"/proc/self/fd/{held}", mode)
        return os.open(name, flags, dir_fd=fd)
    finally:
        os.close(held)


def image_of(fd: int) -> Image:
    """Return the attributes of a file of the layer, without overlayfs's own."""
    attributes: dict[str, str] = {}
    with suppress(OSError):
        for name in os.listxattr(fd):
            if not name.startswith(OWN_ATTRIBUTES):
                attributes[name] = base64.b64encode(os.getxattr(fd, name)).decode()
    return Image(place="", attributes=attributes) if attributes else EMPTY


def _has(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _files(folder: int) -> Iterator[str]:
    """Yield the names of all files below a folder of the layer."""
    with os.scandir(folder) as names:
        found = [(one.name, one.is_dir(follow_symlinks=False)) for one in names]
    for name, is_folder in found:
        if not is_folder:
            yield name
        else:
            with suppress(OSError), opened(folder, name) as below:
                yield from _files(below)


def _ways(path: str) -> Iterator[str]:
    """Yield a path and the folders that it is in."""
    while path:
        yield path
        path = path.rpartition("/")[0]
