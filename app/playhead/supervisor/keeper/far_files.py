"""Files on the far side: what a run has changed in its folder, and what is brought and fetched."""

from __future__ import annotations

import contextlib
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    Facts = tuple[int, int, int]

_MOST_FILES, _LONGEST_S = 2000, 0.02
_MOST_LISTED = 200
_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages"})
_PIECE_BYTES = 65536
_MOST_NAMES = 1000
PUT_LIMIT = 1 << 40


class FolderLook:
    """The files of a folder before a run, the topmost first, as many as a short look finds."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._before, self._seen, self._is_whole = _look(folder)

    def changes(self) -> dict[str, Any]:
        """Return the files that are new, other and gone since then, with their sizes.

        `is_whole`: all of the folder was looked at.
        """
        after, seen, is_whole = _look(self._folder)
        both = self._seen & seen
        before = {path: facts for path, facts in self._before.items() if _parent(path) in both}
        known = {p: f for p, f in after.items() if _parent(p) in both or _is_new(p, before, seen)}
        found = {
            "created": sorted(known.keys() - before.keys()),
            "changed": sorted(p for p in known.keys() & before.keys() if known[p] != before[p]),
            "deleted": sorted(before.keys() - after.keys()),
        }
        rows = {
            kind: [[path, known.get(path, (0,))[0]] for path in paths[:_MOST_LISTED]]
            for kind, paths in found.items()
        }
        totals = {f"{kind}_total": len(paths) for kind, paths in found.items()}
        return {
            "folder": self._folder,
            "is_whole": self._is_whole and is_whole,
            **rows,
            **totals,
        }


def _parent(path: str) -> str:
    return os.path.dirname(path)


def _is_new(path: str, before: dict[str, Facts], seen: set[str]) -> bool:
    """Return whether it is in a folder that has been made since."""
    parent = _parent(path)
    return parent in seen and not any(_parent(one) == parent for one in before) and bool(parent)


def _look(folder: str) -> tuple[dict[str, Facts], set[str], bool]:
    """Return files by their path in the folder, the folders that were read, whether all were."""
    found: dict[str, Facts] = {}
    seen: set[str] = set()
    waiting = [""]
    until = time.monotonic() + _LONGEST_S
    while waiting:
        inner = waiting.pop(0)
        try:
            entries = list(os.scandir(os.path.join(folder, inner)))
        except OSError:
            continue
        if len(found) + len(entries) > _MOST_FILES or time.monotonic() > until:
            return found, seen, False
        seen.add(inner)
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _LEFT_OUT:
                continue
            with contextlib.suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                path = os.path.join(inner, entry.name)
                if stat.S_ISDIR(facts.st_mode):
                    waiting.append(path)
                elif stat.S_ISREG(facts.st_mode):
                    found[path] = (facts.st_size, facts.st_mtime_ns, facts.st_ino)
    return found, seen, True


class Incoming:
    """A file that is being brought: it gets a name when it is whole, but never another file's."""

    def __init__(self, folder: str, name: str, size: int) -> None:
        self._folder, self._name, self._left = folder, name, size
        self._part = os.path.join(folder, ".%s.%d.part" % (name[:100], os.getpid()))
        self._file: BinaryIO = open(self._part, "wb")  # noqa: SIM115 - it is closed when it is whole
        self.path = ""
        self.problem = ""

    @property
    def is_over(self) -> bool:
        """Return whether nothing more is to come."""
        return bool(self.problem) or self._left <= 0

    def take(self, data: bytes) -> None:
        """Add some bytes."""
        if self.problem:
            return
        try:
            self._file.write(data[: self._left])
            self._left -= len(data)
        except OSError as error:
            self._fail(error)

    def finish(self) -> None:
        """Give it its name."""
        try:
            self._file.close()
            for number in range(1, _MOST_NAMES):
                path = os.path.join(self._folder, _numbered(self._name, number))
                with contextlib.suppress(FileExistsError):
                    os.link(self._part, path)
                    self.path = path
                    break
            os.unlink(self._part)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.problem = error.strerror or str(error)
        self.give_up()

    def give_up(self) -> None:
        """Delete what is there of it."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            os.unlink(self._part)


def _numbered(name: str, number: int) -> str:
    stem, suffix = os.path.splitext(name)
    return name if number == 1 else "%s-%d%s" % (stem, number, suffix)


class Outgoing:
    """A file that is being fetched. Raises OSError where there is no file."""

    def __init__(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            os.close(fd)
            raise OSError(0, "It is not a file")
        self.size = self._left = facts.st_size
        self._file = open(fd, "rb")  # noqa: SIM115 - it is closed at its end

    @property
    def is_over(self) -> bool:
        """Return whether all of it has been read."""
        return self._left <= 0

    def next_piece(self) -> bytes:
        """Return the next bytes; zeros for what has been cut off meanwhile."""
        data = self._file.read(min(_PIECE_BYTES, self._left))
        data = data or bytes(min(_PIECE_BYTES, self._left))
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Close it."""
        self._file.close()
