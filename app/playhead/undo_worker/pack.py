"""Contents of files on the disk: small ones in pack files, large ones each in a file of its own.

A content is kept for one state of a file, which its inode and the time of its last change name.
"""

from __future__ import annotations

import base64
import errno
import json
import mmap
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from playhead.undo_worker.scanning import FILE_FLAGS, Entry, Tree
from playhead.undo_worker.sharing import shared

SMALL_BYTES = 1_000_000
LARGE_BYTES = 200_000_000
ALL_BYTES = 2_000_000_000
CLONED_BYTES = 4_000_000_000
"""The size of a file that is kept where it shares its blocks with the one in the folder."""
_ALL_CLONED_BYTES = 40_000_000_000
_CLONED = ".shared"
"""The end of the names of such files, which take no room until that one is changed."""
SEGMENT_BYTES = 64_000_000
YOUNG_NS = 20_000_000
"""A file that was changed so shortly before may change once more without another time."""
_BUFFER_BYTES = 4_000_000
_SHARED = 1_000
_SHARED_BYTES = 200_000_000
_SEGMENTS_APART = 1_000
_PARTS = 1000
"""So many buffers are written at once."""
_COPY_BYTES = 8_000_000
_KEY_FIELDS = 2
_FICLONE = 0x40049409
_HOLE_BYTES = 4096
_HAS_XATTR = hasattr(os, "listxattr")

Extents = list[list[int]]


class Image(NamedTuple):
    """The content of a file in one state: where its content is, its extended attributes.

    `place` is a segment's number and an offset, or the name of a file of its own. `extents` are the
    parts of a sparse file that are not holes. Without a content `why` says why.
    """

    place: list[int] | str | None = None
    size: int = 0
    extents: Extents | None = None
    attributes: dict[str, str] | None = None
    why: str = ""


EMPTY = Image(place="", size=0)


class Uncovered(Exception):
    """A content that is not kept, with the reason."""


def is_young(entry: Entry) -> bool:
    """Return whether the file may change once more without another time."""
    return 0 <= time.time_ns() - entry.ctime_ns < YOUNG_NS


class Pack:
    """The contents of the files of one folder, below `folder`, which is this worker's alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._large = folder / "large"
        self._large.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._index = folder / "index"
        self.images: dict[tuple[int, int], Image] = {}
        self._origins: dict[tuple[int, int], tuple[int, int]] = {}
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._unwritten: list[tuple[Any, ...]] = []
        self._segments: dict[int, int] = {
            int(one.name[5:]): one.stat().st_size for one in folder.glob("pack-*")
        }
        self._own_files = {
            one.name: 0 if one.suffix == _CLONED else one.stat().st_size
            for one in self._large.iterdir()
        }
        self._written = sum((*self._segments.values(), *self._own_files.values()))
        self._current = max(self._segments, default=0) + 1
        self._at = 0
        self._fd = -1
        self._opened: tuple[int, mmap.mmap] | None = None
        self._read_index()

    @property
    def size_bytes(self) -> int:
        """Return the size of all contents."""
        return self._written + self._buffered

    def keep(self, tree: Tree, path: str, entry: Entry) -> Image:
        """Return the image of a file in this state, read now unless it is known."""
        image = self.images.get(entry.key)
        if image is None or (image.why and image.why not in ("too_large", "special")):
            try:
                image = self._read(tree, path, entry)
            except Uncovered as error:
                image = Image(why=str(error))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise
                is_refused = error.errno in (errno.EACCES, errno.EPERM)
                image = Image(why="unreadable" if is_refused else "changing")
            self._remember(entry, image)
        return image

    def keep_all(self, tree: Tree, files: Sequence[tuple[str, Entry]]) -> None:
        """Keep files; several processes read them if they are many."""
        unknown = [one for one in files if one[1].key not in self.images]
        if len(unknown) > _SHARED and sum(one.size for _, one in unknown) < _SHARED_BYTES:
            self._keep_shared(tree, unknown)
        for path, entry in unknown:
            self.keep(tree, path, entry)

    def _keep_shared(self, tree: Tree, files: Sequence[tuple[str, Entry]]) -> None:
        """Keep files in several processes, each of which writes files of its own."""
        tree.forget()
        self._end_segment()
        first = self._current

        def work(part: Iterable[tuple[str, Entry]], number: int) -> list[Any]:
            if number:
                self._current, self._segments = first + number * _SEGMENTS_APART, {}
                self._unwritten = []
            for path, entry in part:
                self.keep(tree, path, entry)
            if not number:
                return []
            self._end_segment()
            own_files = {name: size for name, size in self._own_files.items() if name not in known}
            return [(self._unwritten, self._segments, own_files)]

        known = set(self._own_files)
        for states, segments, own_files in shared(files, work):
            self._segments |= segments
            self._own_files |= own_files
            for inode, ctime, *image in states:
                self.images[inode, ctime] = Image(*image)
            self._unwritten += states
        self._end_segment()
        self._current = max((self._current - 1, *self._segments)) + 1
        self._count()

    def _remember(self, entry: Entry, image: Image) -> None:
        if image.why == "changing" or is_young(entry):
            self.images.pop(entry.key, None)  # it may change without another time
        else:
            self.images[entry.key] = image
            self._unwritten.append((*entry.key, *image))

    def adopt(self, entry: Entry, origin: Entry, image: Image | None) -> None:
        """Know a file that was put back as the state that it was put back to."""
        key, old = entry[4:6], origin[4:6]
        old = self._origins.get(old, old)
        if key != old:
            self._origins[key] = old
            self._unwritten.append((*key, *old))
        if image is not None and not image.why:
            self.images[key] = image
            if old not in self.images:
                self._unwritten.append((*key, *image))

    def origin(self, key: tuple[int, int]) -> tuple[int, int]:
        """Return the state that a state is the same as."""
        return self._origins.get(key, key)

    def _read(self, tree: Tree, path: str, entry: Entry) -> Image:
        match entry.kind:
            case "link" | "fifo":
                return EMPTY
            case "dir":
                return self._read_folder(tree, path)
            case "file":
                if entry.size > CLONED_BYTES:
                    raise Uncovered("too_large")
                folder, name = tree.place(path)
                fd = os.open(name, FILE_FLAGS, dir_fd=folder)
                try:
                    return self._read_file(fd, entry)
                finally:
                    os.close(fd)
            case _:
                raise Uncovered("special")

    def _read_folder(self, tree: Tree, path: str) -> Image:
        attributes = _attributes(tree.folder(path))
        return Image(place="", attributes=attributes) if attributes else EMPTY

    def _read_file(self, fd: int, entry: Entry) -> Image:
        """Read a file; that it is the one, and the same, is found out when all of it was read."""
        size = entry.size
        data = os.read(fd, size + 1) if size <= SMALL_BYTES else b""
        attributes = _attributes(fd)
        facts = os.fstat(fd)
        if facts.st_ctime_ns != entry.ctime_ns or facts.st_ino != entry.inode:
            raise Uncovered("changing")
        if size > SMALL_BYTES or facts.st_blocks * 512 + _HOLE_BYTES <= size:
            return self._read_large(fd, facts, attributes)
        if len(data) != size:
            raise Uncovered("changing")
        if self._written + self._buffered + size > ALL_BYTES:
            raise Uncovered("too_much")
        return Image(self._append(data) if data else "", size, None, attributes or None)

    def _read_large(self, fd: int, facts: os.stat_result, attributes: dict[str, str]) -> Image:
        """Read a file that is large, or has holes."""
        size = facts.st_size
        extents = _extents(fd, facts) if facts.st_blocks * 512 + _HOLE_BYTES <= size else None
        held = sum(length for _, length in extents) if extents is not None else size
        if held > SMALL_BYTES:
            place: list[int] | str = self._copy_large(fd, size, extents, held)
        elif self.size_bytes + held > ALL_BYTES:
            raise Uncovered("too_much")
        else:
            place = self._append(b"".join(os.pread(fd, n, at) for at, n in extents or [[0, size]]))
        if os.fstat(fd).st_ctime_ns != facts.st_ctime_ns:
            raise Uncovered("changing")
        return Image(place, size, extents, attributes or None)

    def _append(self, data: bytes) -> list[int]:
        if self._at + len(data) > SEGMENT_BYTES:
            self._end_segment()
        at, self._at = self._at, self._at + len(data)
        self._buffer.append(data)
        self._buffered += len(data)
        if self._buffered > _BUFFER_BYTES:
            self._write_buffer()
        return [self._current, at]

    def _write_buffer(self) -> None:
        if not self._buffer:
            return
        if self._fd < 0:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            self._fd = os.open(self._segment(self._current), flags, 0o600)
        parts, self._buffer = self._buffer, []
        self._written, self._buffered = self._written + self._buffered, 0
        try:
            for at in range(0, len(parts), _PARTS):
                _write_parts(self._fd, parts[at : at + _PARTS])
        except OSError:
            self._drop_segment()
            raise
        self._segments[self._current] = self._at

    def _drop_segment(self) -> None:
        """Forget what is in a segment that could not be written whole."""
        current = self._current
        self._end_segment()
        self.images = {
            key: image
            for key, image in self.images.items()
            if not isinstance(image.place, list) or image.place[0] != current
        }
        self._segment(current).unlink(missing_ok=True)
        self._segments.pop(current, None)
        self._count()

    def _end_segment(self) -> None:
        self._write_buffer()
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._at = -1, 0
        self._current += 1

    def _segment(self, number: int) -> Path:
        return self._folder / f"pack-{number:06}"

    def _copy_large(self, fd: int, size: int, extents: Extents | None, held: int) -> str:
        name = os.urandom(12).hex()
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        target = os.open(self._large / name, flags, 0o600)
        try:
            if self._has_room_for_clone(size) and is_cloned(fd, target):
                os.rename(self._large / name, self._large / (name := f"{name}{_CLONED}"))
                held = 0
            elif size > LARGE_BYTES:
                raise Uncovered("too_large")
            elif self.size_bytes + held > ALL_BYTES:
                raise Uncovered("too_much")
            else:
                copy_content(fd, target, size, extents)
                held = size
        except BaseException:
            os.unlink(self._large / name)
            raise
        finally:
            os.close(target)
        self._own_files[name] = held
        self._written += held
        return name

    def _has_room_for_clone(self, size: int) -> bool:
        cloned = sum(one.stat().st_size for one in self._large.glob(f"*{_CLONED}"))
        return cloned + size <= _ALL_CLONED_BYTES

    def content(self, image: Image) -> bytes:
        """Return what a small file held. Raises OSError."""
        if isinstance(image.place, str):
            if not image.place:
                return b""
            return (self._large / image.place).read_bytes()
        held = bytes(self.held(image))
        if image.extents is None:
            return held
        data = bytearray(image.size)
        for at, length in image.extents:
            data[at : at + length], held = held[:length], held[length:]
        return bytes(data)

    def holds(self, image: Image, fd: int) -> bool:
        """Return whether an open file has the content of an image. Raises OSError."""
        at = 0
        for part in self._parts(image):
            if os.pread(fd, len(part), at) != part:
                return False
            at += len(part)
        return os.fstat(fd).st_size == at

    def _parts(self, image: Image) -> Iterator[bytes]:
        if not isinstance(image.place, str) or not image.place:
            yield self.content(image)
            return
        with (self._large / image.place).open("rb") as file:
            while part := file.read(_COPY_BYTES):
                yield part

    def same(self, one: Image | None, other: Image | None) -> bool:
        """Return whether two images are known to hold the same. Raises OSError."""
        if one is None or other is None or one.why or other.why:
            return False
        if one.size != other.size or (one.attributes or {}) != (other.attributes or {}):
            return False
        if one.place == other.place:
            return True
        return all(a == b for a, b in zip_longest(self._parts(one), self._parts(other)))

    def write(self, image: Image, target: int) -> None:
        """Write what a file held into an empty one. Raises OSError."""
        if image.place == "":
            os.ftruncate(target, image.size)
        elif isinstance(image.place, str):
            with (self._large / image.place).open("rb") as source:
                copy_content(source.fileno(), target, image.size, image.extents)
        else:
            held = self.held(image)
            if image.extents is None:
                _write_parts(target, [held])
                return
            os.ftruncate(target, image.size)
            for to, length in image.extents:
                os.pwrite(target, held[:length], to)
                held = held[length:]

    def _held(self, image: Image) -> int:
        return sum(n for _, n in image.extents) if image.extents is not None else image.size

    def held(self, image: Image) -> memoryview:
        """Return what is kept in a pack file of a file, until the next call. Raises OSError."""
        if not isinstance(image.place, list):
            raise FileNotFoundError(errno.ENOENT, "no content is kept")
        number, at = image.place
        size = self._held(image)
        if number == self._current:
            self._write_buffer()
        if self._opened is None or self._opened[0] != number or len(self._opened[1]) < at + size:
            self._opened = None
            with self._segment(number).open("rb") as file:
                whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._opened = number, whole
        if len(self._opened[1]) < at + size:
            raise FileNotFoundError(errno.ENOENT, "no content is kept")
        return memoryview(self._opened[1])[at : at + size]

    def save(self) -> None:
        """Write what is not on the disk yet. Raises OSError."""
        self._write_buffer()
        if self._unwritten:
            with self._index.open("a", encoding="ascii") as file:
                file.write(json.dumps(self._unwritten) + "\n")  # one line: far less work
            self._unwritten = []

    def sync(self) -> None:
        """Have all of it survive the end of the machine. Raises OSError."""
        self.save()
        if self._fd >= 0:
            os.fsync(self._fd)
        with suppress(FileNotFoundError), self._index.open("rb") as file:
            os.fsync(file.fileno())

    def _read_index(self) -> None:
        with suppress(OSError, ValueError):
            text = self._index.read_text("ascii")
            lines = text[: text.rfind("\n") + 1].splitlines()
            for inode, ctime, *fields in chain.from_iterable(map(json.loads, lines)):
                if len(fields) == _KEY_FIELDS:
                    self._origins[inode, ctime] = fields[0], fields[1]
                    continue
                image = Image(*fields)
                if self._is_there(image):
                    self.images[inode, ctime] = image
        for new, old in self._origins.items():
            if old in self.images:
                self.images.setdefault(new, self.images[old])

    def _is_there(self, image: Image) -> bool:
        match image.place:
            case None | "":
                return True
            case str() as name:
                return name in self._own_files
            case [number, at]:
                return self._segments.get(number, 0) >= at + self._held(image)
            case _:
                return False

    def shrink(self, used: Iterable[Image], current: Iterable[Entry]) -> None:
        """Delete the contents that neither the images in use nor the current files need."""
        keys = {entry.key for entry in current}
        self.images = {key: image for key, image in self.images.items() if key in keys}
        self._end_segment()
        places = [image.place for image in (*used, *self.images.values())]
        numbers = {place[0] for place in places if isinstance(place, list)}
        names = {place for place in places if isinstance(place, str)}
        for number in self._segments.keys() - numbers:
            self._segment(number).unlink(missing_ok=True)
            del self._segments[number]
        for name in self._own_files.keys() - names:
            (self._large / name).unlink(missing_ok=True)
            del self._own_files[name]
        self._count()
        self._origins = {new: old for new, old in self._origins.items() if new in keys}
        known = (*self.images.items(), *self._origins.items())
        self._unwritten = [(*key, *value) for key, value in known]
        self._index.unlink(missing_ok=True)
        self.save()

    def _count(self) -> None:
        self._written = sum((*self._segments.values(), *self._own_files.values()))

    def close(self) -> None:
        """Write what is left and close the files."""
        self._opened = None
        with suppress(OSError):
            self._end_segment()
            self.save()


def copy_content(source: int, target: int, size: int, extents: Extents | None) -> None:
    """Copy a file into an empty one: shared blocks where the system can, holes stay holes."""
    if is_cloned(source, target):
        return
    os.ftruncate(target, size)
    for at, length in [[0, size]] if extents is None else extents:
        while length > 0:
            data = os.pread(source, min(length, _COPY_BYTES), at)
            if not data:
                raise Uncovered("changing")
            os.pwrite(target, data, at)
            at, length = at + len(data), length - len(data)


def is_cloned(source: int, target: int) -> bool:
    """Have an empty file share the blocks of another one; return whether the system can."""
    with suppress(OSError, ImportError):
        import fcntl  # not on Windows

        fcntl.ioctl(target, _FICLONE, source)
        return True
    return False


def _write_parts(fd: int, parts: Sequence[bytes | memoryview]) -> None:
    written = os.writev(fd, parts)
    for part in parts:
        if written < len(part):  # the disk took less than all
            rest = memoryview(part)[written:]
            while rest:
                rest = rest[os.write(fd, rest) :]
        written = max(written - len(part), 0)


def _extents(fd: int, facts: os.stat_result) -> Extents | None:
    """Return where a sparse file has data; None if that is not known."""
    if not hasattr(os, "SEEK_DATA"):
        return None
    found: Extents = []
    at = 0
    while at < facts.st_size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
            at = os.lseek(fd, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:  # no more data
                return None
            break
        found.append([start, at - start])
    return found


def _attributes(fd: int) -> dict[str, str]:
    if not _HAS_XATTR:
        return {}
    try:
        names = os.listxattr(fd)
        return {n: base64.b64encode(os.getxattr(fd, n)).decode() for n in names}
    except OSError:
        return {}


def as_image(fields: Any) -> Image | None:
    """Return an image of the list that it is written as; None for none."""
    return None if fields is None else Image(*fields)
