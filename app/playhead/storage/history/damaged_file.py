"""The rows of a SQLite file that is damaged: whatever page can be read is read.

SQLite gives up at the first page that is not as it should be. This reads the file by its format,
https://sqlite.org/fileformat2.html, with the journal beside it, and never writes.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from playhead.atomic_file import read_plain

Row = list[Any]
Fits = Callable[[Row], bool]

_MAGIC = b"SQLite format 3\0"
_PAGE_BYTES = 4096
_INDEX_INTERIOR, _TABLE_INTERIOR, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_INTERIOR = (_INDEX_INTERIOR, _TABLE_INTERIOR)
_DEEPEST = 20
_WORK_S, _REST_S = 0.001, 0.001
_JOURNAL_BYTES = 2**30
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


class _Malformed(ValueError):
    """A page, a cell or a record is not what it should be."""


class Cell(Struct, frozen=True):
    """A cell of a page: its child and key in the inside of a tree, its row in a leaf."""

    child: int = 0
    key: int = 0
    row: Row | None = None


class Page(Struct, frozen=True):
    """A page of a tree; None in place of cells that cannot be read."""

    kind: int
    cells: list[Cell | None]
    last_child: int = 0


class Tree(Struct):
    """A tree of the file: `lost` are the ranges of keys, both ends included, that it misses."""

    pages: set[int]
    lost: list[tuple[int, int]]

    def misses(self, key: int) -> bool:
        """Return whether the row of this key may be among the lost ones."""
        return any(low <= key <= high for low, high in self.lost)


class DamagedFile:
    """Reads pages, trees and rows. Close it after use."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        head = self._bytes(0, 100)
        is_sound = head.startswith(_MAGIC)
        (size, _, _, reserved) = struct.unpack_from(">HBBB", head.ljust(100, b"\0"), 16)
        size = 65536 if size == 1 else size
        is_sound = is_sound and 512 <= size <= 65536 and not size & (size - 1) and reserved <= 32
        self._size = size if is_sound else _PAGE_BYTES
        self._usable = self._size - (reserved if is_sound else 0)
        journal = Journal(path.with_name(path.name + "-wal"))
        self._journal = journal.pages if journal.page_bytes == self._size else {}
        in_file = os.fstat(self._file).st_size // self._size
        self.page_count = max(in_file, max(self._journal, default=0))
        self._rested_at = time.perf_counter()

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def roots(self) -> dict[str, int]:
        """Return the first pages of the tables and indexes that can be found, by their names."""
        found: dict[str, int] = {}
        for _, row in self.rows(1, Tree(set(), [])):
            if len(row) == 5 and isinstance(row[1], str) and isinstance(row[3], int):
                found[row[1]] = row[3]
        return found

    def roots_like(self, fits: Fits, known: set[int]) -> list[int]:
        """Return the first page of a table whose rows look so, or all its pages if that is lost.

        A table is made before all pages that it grows by, so that its page has the lowest number.
        """
        below: set[int] = set()
        tops: dict[int, int] = {}
        for number, page in self._other_pages(known):
            below.update(cell.child for cell in page.cells if cell and page.kind in _INTERIOR)
            below.add(page.last_child)
            if page.kind in (_TABLE_INTERIOR, _TABLE_LEAF) and self._has(number, fits):
                tops[number] = page.kind
        numbers = [number for number in tops if number not in below]
        return numbers[:1] if numbers and tops[numbers[0]] == _TABLE_INTERIOR else numbers

    def rows(self, root: int, tree: Tree) -> Iterator[tuple[int, Row]]:
        """Yield the keys and rows of a table in order, and fill in the tree as it is read."""
        waiting = [(root, _LOWEST, _HIGHEST, 0)]
        while waiting:
            number, low, high, depth = waiting.pop()
            page = self._page(number) if number not in tree.pages and depth < _DEEPEST else None
            if page is None or page.kind not in (_TABLE_INTERIOR, _TABLE_LEAF):
                tree.lost.append((low, high))
                continue
            tree.pages.add(number)
            if page.kind == _TABLE_LEAF:
                yield from _rows_of(page, low, high, tree)
            else:
                waiting += reversed(list(_children(page, low, high, depth, tree)))

    def lost_rows(self, tree: Tree, known: set[int], fits: Fits) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a table that are in pages whose way is lost.

        `known` are the pages of all trees and those that are free. What is outside of the lost
        keys was deleted long ago.
        """
        if not tree.lost:
            return
        for _, page in self._other_pages(known):
            if page.kind == _TABLE_LEAF:
                for cell in page.cells:
                    if cell and cell.row and tree.misses(cell.key) and fits(cell.row):
                        yield cell.key, cell.row

    def entries(self, root: int, tree: Tree) -> Iterator[Row]:
        """Yield the entries of an index in any order, and fill in the tree as it is read."""
        waiting = [(root, 0)]
        while waiting:
            number, depth = waiting.pop()
            page = self._page(number) if number not in tree.pages and depth < _DEEPEST else None
            if page is None or page.kind not in (_INDEX_INTERIOR, _INDEX_LEAF):
                tree.lost.append((_LOWEST, _HIGHEST))
                continue
            tree.pages.add(number)
            for cell in page.cells:
                if cell is None or cell.row is None:
                    tree.lost.append((_LOWEST, _HIGHEST))
                else:
                    yield cell.row
                if cell is not None and page.kind == _INDEX_INTERIOR:
                    waiting.append((cell.child, depth + 1))
            if page.kind == _INDEX_INTERIOR:
                waiting.append((page.last_child, depth + 1))

    def free_pages(self) -> set[int]:
        """Return the pages that are not in use, as far as they can be found."""
        head = self._raw(1)
        found: set[int] = set()
        number = int.from_bytes(head[32:36], "big") if head.startswith(_MAGIC) else 0
        while 0 < number <= self.page_count and number not in found:
            found.add(number)
            trunk = self._raw(number)
            if len(trunk) < self._size:
                break
            number, count = struct.unpack_from(">II", trunk)
            count = min(count, self._usable // 4 - 2)
            found.update(struct.unpack_from(f">{count}I", trunk, 8))
        return found

    def _has(self, number: int, fits: Fits) -> bool:
        """Return whether the first row of a table that can be read looks so."""
        found = next(self.rows(number, Tree(set(), [])), None)
        return found is not None and fits(found[1])

    def _other_pages(self, known: set[int]) -> Iterator[tuple[int, Page]]:
        for number in range(2, self.page_count + 1):
            if number not in known and (page := self._page(number)) is not None:
                yield number, page

    def _rest(self) -> None:
        """Leave the interpreter to the window every millisecond: Python would in five."""
        if time.perf_counter() - self._rested_at > _WORK_S:
            time.sleep(_REST_S)
            self._rested_at = time.perf_counter()

    def _bytes(self, offset: int, count: int) -> bytes:
        """Return what can be read there: a disk may refuse a part of a file."""
        with suppress(OSError):
            os.lseek(self._file, offset, os.SEEK_SET)
            return os.read(self._file, count)
        return b""

    def _raw(self, number: int) -> bytes:
        kept = self._journal.get(number)
        return self._bytes((number - 1) * self._size, self._size) if kept is None else kept

    def _page(self, number: int) -> Page | None:
        """Return a page of a tree, None if it is not one."""
        self._rest()
        data = self._raw(number) if 0 < number <= self.page_count else b""
        if len(data) < self._size:
            return None
        with suppress(_Malformed):
            return self._parsed(data, 100 if number == 1 else 0)
        return None

    def _parsed(self, data: bytes, start: int) -> Page:
        kind = data[start]
        if kind not in (*_INTERIOR, _INDEX_LEAF, _TABLE_LEAF):
            raise _Malformed
        count = struct.unpack_from(">H", data, start + 3)[0]
        first = start + (12 if kind in _INTERIOR else 8)
        if first + 2 * count > self._usable:
            raise _Malformed
        offsets = struct.unpack_from(f">{count}H", data, first)
        least = first + 2 * count
        cells = [self._cell_at(data, kind, offset, least) for offset in offsets]
        if count and not any(cells):
            raise _Malformed
        last = struct.unpack_from(">I", data, start + 8)[0] if kind in _INTERIOR else 0
        return Page(kind, cells, last)

    def _cell_at(self, data: bytes, kind: int, offset: int, least: int) -> Cell | None:
        try:
            if not least <= offset <= self._usable - 2:
                return None
            return self._cell(data, kind, offset)
        except (_Malformed, IndexError, struct.error):
            return None

    def _cell(self, data: bytes, kind: int, offset: int) -> Cell:
        child = 0
        if kind in _INTERIOR:
            child = struct.unpack_from(">I", data, offset)[0]
            offset += 4
        if kind == _TABLE_INTERIOR:
            return Cell(child, _varint(data, offset)[0])
        length, offset = _varint(data, offset)
        key = 0
        if kind == _TABLE_LEAF:
            key, offset = _varint(data, offset)
        return Cell(child, key, _record(self._payload(data, kind, offset, length)))

    def _payload(self, data: bytes, kind: int, offset: int, length: int) -> bytes:
        """Return the content of a cell, the parts in other pages too. Raises _Malformed."""
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        local = length
        if length > most:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (length - least) % (usable - 4)
            local = local if local <= most else least
        if not 0 < length <= self.page_count * self._size or offset + local > usable:
            raise _Malformed
        parts = [data[offset : offset + local]]
        if local < length:
            following = struct.unpack_from(">I", data, offset + local)[0]
            parts += self._overflow(following, length - local)
        return b"".join(parts)

    def _overflow(self, number: int, length: int) -> Iterator[bytes]:
        while length > 0:
            data = self._raw(number) if 0 < number <= self.page_count else b""
            if len(data) < self._size:
                raise _Malformed
            yield data[4 : min(4 + length, self._usable)]
            length -= self._usable - 4
            number = struct.unpack_from(">I", data)[0]
        if number:
            raise _Malformed


def _rows_of(page: Page, low: int, high: int, tree: Tree) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a leaf; where some cannot be read, the keys between are lost."""
    before, is_missing = low, False
    for cell in page.cells:
        if cell is None or cell.row is None or not before <= cell.key <= high:
            is_missing = True
            continue
        if is_missing:
            tree.lost.append((before, cell.key - 1))
            is_missing = False
        before = cell.key + 1
        yield cell.key, cell.row
    if is_missing:
        tree.lost.append((before, high))


def _children(
    page: Page, low: int, high: int, depth: int, tree: Tree
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the pages below one with the ranges of their keys."""
    is_missing = False
    for cell in page.cells:
        if cell is None or not low <= cell.key <= high:
            is_missing = True
            continue
        if is_missing:  # its range is that of this one's child as well
            tree.lost.append((low, cell.key))
            is_missing = False
        yield cell.child, low, cell.key, depth + 1
        low = cell.key + 1
    if is_missing:
        tree.lost.append((low, high))
    yield page.last_child, low, high, depth + 1


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return a signed number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(8):
        byte = data[offset + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + place + 1
    value = value << 8 | data[offset + 8]
    return value - (1 << 64) if value >= 1 << 63 else value, offset + 9


def _record(data: bytes) -> Row:
    """Return the values of a row. Raises _Malformed."""
    end, offset = _varint(data, 0)
    if not 0 < end <= len(data):
        raise _Malformed
    kinds: list[int] = []
    while offset < end:
        kind, offset = _varint(data, offset)
        kinds.append(kind)
    if offset != end:
        raise _Malformed
    row: Row = []
    for kind in kinds:
        size = _size_of(kind)
        if offset + size > len(data):
            raise _Malformed
        row.append(_value(kind, data[offset : offset + size]))
        offset += size
    if offset != len(data):
        raise _Malformed
    return row


def _size_of(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    if kind == 7:
        return 8
    return _INTEGERS.get(kind, 0)


def _value(kind: int, data: bytes) -> Any:
    if kind >= 12:
        return data.decode("utf-8", "replace") if kind % 2 else data
    match kind:
        case 0:
            return None
        case 7:
            return struct.unpack(">d", data)[0]
        case 8 | 9:
            return kind - 8
        case 10 | 11:
            raise _Malformed
        case _:
            return int.from_bytes(data, "big", signed=True)


class Journal:
    """The write-ahead journal beside a database: `pages` are the newest of its transactions.

    SQLite leaves out all that is behind a damaged frame (`is_damaged`). Every frame has the sum of
    all before it, so that those behind one can be checked all the same.
    """

    def __init__(self, path: Path) -> None:
        self.pages: dict[int, bytes] = {}
        self.is_damaged = False
        self.page_bytes = 0
        with suppress(OSError):
            data = read_plain(path, _JOURNAL_BYTES) or b""
            if len(data) > 32 and data[:3] == b"\x37\x7f\x06":
                self.page_bytes = int.from_bytes(data[8:12], "big")
                self._read(data)

    def _read(self, data: bytes) -> None:
        order = ">" if data[3] & 1 else "<"
        salts, sums = data[16:24], struct.unpack_from(">II", data, 24)
        waiting: dict[int, bytes] = {}
        misses = False
        size = 24 + self.page_bytes
        for start in range(32, len(data) - size + 1, size):
            number, is_commit = struct.unpack_from(">II", data, start)
            wanted = struct.unpack_from(">II", data, start + 16)
            content = data[start + 24 : start + size]
            is_ours = data[start + 8 : start + 16] == salts
            if is_ours and _summed(sums, data[start : start + 8] + content, order) == wanted:
                waiting[number] = content
                if is_commit:
                    self.is_damaged = self.is_damaged or misses
                    self.pages.update(waiting)
                    waiting = {}
            else:
                misses = True
            sums = wanted if is_ours else sums
            time.sleep(0)


def last_commit(path: Path) -> int:
    """Return the number of the last frame of a journal that ends a transaction, unchecked."""
    data = read_plain(path, _JOURNAL_BYTES) or b""
    size = 24 + int.from_bytes(data[8:12], "big")
    starts = range(32, len(data) - size + 1, size)
    ends = [
        number
        for number, start in enumerate(starts, 1)
        if data[start + 8 : start + 16] == data[16:24] and any(data[start + 4 : start + 8])
    ]
    return max(ends, default=0)


def _summed(sums: Sequence[int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = first + one + second & 0xFFFFFFFF
        second = second + other + first & 0xFFFFFFFF
    return first, second
