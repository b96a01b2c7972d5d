"""Files that come and go: results for the app's spool, files that are brought there or fetched."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import time
from collections.abc import Callable
from typing import Any, BinaryIO

_PIECE_BYTES = 65536
_AHEAD_BYTES = 4 * _PIECE_BYTES
"""So much of a file may be on its way: a Stop has to wait for it."""
_PROGRESS_S = 0.1
_LONGEST_NAME = 200
_BLOB_LIMIT = 64_000_000
_MOST_BYTES, _MOST_FILES = 1 << 30, 10_000
"""So much may wait in the spool for the app, which deletes what it has read."""
_AGAIN = "Try again; what was copied of it is deleted."


class SpoolFiles:
    """Owner of the files in the spool that come from the far side, and of those on their way.

    `send(kind, content)` sends a message there, `report(kind, **fields)` writes a mark for the app.
    """

    def __init__(
        self, send: Callable[[bytes, bytes], None], report: Callable[..., None], spool: str
    ) -> None:
        self._send = send
        self._report = report
        self._spool = spool
        self._numbers = itertools.count(1)
        self._kept_bytes = self._kept_files = 0
        self._blob: tuple[str, int, bytearray] | None = None
        self._brought: dict[int, _Brought] = {}
        self._fetched: dict[int, _Fetched] = {}

    def keep(self, name: str, data: bytes | bytearray) -> None:
        """Write a file where the app looks for it; with no room here it is not shown."""
        path = os.path.join(self._spool, name)
        with contextlib.suppress(OSError):
            if not self._has_room(len(data)):
                return
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(fd, "wb") as file:
                file.write(data)

    def _has_room(self, size: int) -> bool:
        """Return whether what waits there is within bounds with so many bytes more."""
        self._kept_bytes += size
        self._kept_files += 1
        if self._kept_bytes > _MOST_BYTES or self._kept_files > _MOST_FILES:
            sizes = [entry.stat(follow_symlinks=False).st_size for entry in os.scandir(self._spool)]
            self._kept_bytes, self._kept_files = sum(sizes) + size, len(sizes) + 1
        return self._kept_bytes <= _MOST_BYTES and self._kept_files <= _MOST_FILES

    def keep_new(self, fields: dict[str, Any]) -> str:
        """Write an object of JSON; return its name."""
        name = f"far-{os.getpid()}-{next(self._numbers)}.json"
        self.keep(name, json.dumps(fields).encode("ascii"))
        return name

    def begin(self, name: str, size: int) -> None:
        """Expect the bytes of a result, which come next."""
        is_fit = is_plain(name) and 0 <= size <= _BLOB_LIMIT
        self._blob = (name if is_fit else "", size, bytearray())
        self.take(b"")

    def take(self, content: bytes) -> None:
        """Take bytes of the result that is on its way."""
        if self._blob is None:
            return
        name, size, data = self._blob
        if name:  # else it is dropped
            data += content
        if name and len(data) >= size:
            self._blob = None
            self.keep(name, data)

    # Files of a person's

    def put(self, ask: str, path: str, name: str) -> None:
        """Bring a file of this computer there."""
        try:
            file = open(path, "rb")  # noqa: SIM115 - it is closed when it has arrived
            size = os.fstat(file.fileno()).st_size
        except OSError as error:
            self._answer(ask, error=f"{path}: {error.strerror}", remedy="")
            return
        number = next(self._numbers)
        self._brought[number] = _Brought(ask, file, size)
        self._command("put", ask=number, name=name, size=size)

    def get(self, ask: str, path: str, name: str) -> None:
        """Fetch a file into the spool under a name."""
        number = next(self._numbers)
        self._fetched[number] = _Fetched(ask, name)
        self._command("get", ask=number, path=path)

    def give_up(self, ask: str) -> bool:
        """Give one up; return whether there was one."""
        for kept in (self._brought, self._fetched):
            for number, one in list(kept.items()):
                if one.ask == ask:
                    self._command("give_up", ask=number)
                    del kept[number]
                    one.close()
                    return True
        return False

    def go_on(self, on_the_way: Callable[[], int]) -> None:
        """Send more of what is brought; `on_the_way()` returns how many bytes have not arrived."""
        for number, one in self._brought.items():
            while one.left and on_the_way() < _AHEAD_BYTES:
                piece = one.next_piece()
                self._send(b"u", number.to_bytes(4, "big") + piece)
            if one.is_due():
                self._report("progress", ask=one.ask, done=one.size - one.left, total=one.size)

    def take_report(self, report: dict[str, Any]) -> None:
        """Take the far side's word on a file."""
        number, problem = report["ask"], str(report.get("problem") or "")
        if report["t"] == "put" and (one := self._brought.pop(number, None)) is not None:
            one.close()
            if problem:
                self._answer(one.ask, error=problem, remedy=_AGAIN)
            else:
                self._answer(one.ask, path=str(report["path"]))
        elif report["t"] == "get" and (found := self._fetched.get(number)) is not None:
            problem = problem or found.begin(self._spool, int(report["size"]))
            self._end_fetched(number, found, problem)

    def take_piece(self, content: bytes) -> None:
        """Take bytes of a file that is fetched."""
        number = int.from_bytes(content[:4], "big")
        if (found := self._fetched.get(number)) is not None:
            self._end_fetched(number, found, found.take(content[4:]))
            if found.is_due():
                self._report(
                    "progress", ask=found.ask, done=found.size - found.left, total=found.size
                )

    def _end_fetched(self, number: int, one: _Fetched, problem: str) -> None:
        if not problem and one.left:
            return
        del self._fetched[number]
        if problem:
            self._command("give_up", ask=number)
            one.close()
            self._answer(one.ask, error=problem, remedy=_AGAIN)
        else:
            one.finish(self._spool)
            self._answer(one.ask, file=one.name, size=one.size)

    def _command(self, kind: str, **fields: Any) -> None:
        self._send(b"c", json.dumps({"t": kind, **fields}).encode("ascii"))

    def _answer(self, ask: str, **fields: Any) -> None:
        self._report("answer", ask=ask, file=self.keep_new(fields))

    def close(self) -> None:
        """Close what is on its way."""
        for one in (*self._brought.values(), *self._fetched.values()):
            one.close()


class _Transfer:
    def __init__(self, ask: str) -> None:
        self.ask = ask
        self.size = self.left = 0
        self._reported_at = 0.0

    def is_due(self) -> bool:
        """Return whether its progress is to be reported again."""
        now = time.monotonic()
        if now - self._reported_at < _PROGRESS_S:
            return False
        self._reported_at = now
        return True


class _Brought(_Transfer):
    def __init__(self, ask: str, file: BinaryIO, size: int) -> None:
        super().__init__(ask)
        self.size = self.left = size
        self._file = file

    def next_piece(self) -> bytes:
        """Return the next bytes; zeros for what has been cut off meanwhile."""
        count = min(_PIECE_BYTES, self.left)
        data = self._file.read(count) or bytes(count)
        self.left -= len(data)
        return data

    def close(self) -> None:
        self._file.close()


class _Fetched(_Transfer):
    def __init__(self, ask: str, name: str) -> None:
        super().__init__(ask)
        self.name = name
        self._file: BinaryIO | None = None
        self._part = ""

    def begin(self, spool: str, size: int) -> str:
        """Make the file; return why that could not be."""
        if not 0 <= size <= shutil.disk_usage(spool).free or self._file is not None:
            return "There is no room for it here"
        self.size = self.left = size
        self._part = os.path.join(spool, f".{self.name}.part")
        try:
            fd = os.open(self._part, os.O_WRONLY | os.O_CREAT, 0o600)
            self._file = open(fd, "wb")  # noqa: SIM115 - it is closed when it is whole
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def take(self, data: bytes) -> str:
        """Add bytes; return why that could not be."""
        if self._file is None:
            return "It was not announced"
        try:
            self._file.write(data[: self.left])
        except OSError as error:
            return error.strerror or str(error)
        self.left = max(0, self.left - len(data))
        return ""

    def finish(self, spool: str) -> None:
        """Give it its name."""
        if self._file is not None:
            self._file.close()
            os.replace(self._part, os.path.join(spool, self.name))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            with contextlib.suppress(OSError):
                os.unlink(self._part)


def is_plain(name: str) -> bool:
    """Return whether it names a file in a folder itself; the far side can say anything."""
    is_short = 0 < len(name) < _LONGEST_NAME
    return is_short and os.path.basename(name) == name and name[0] != "." and "\0" not in name
