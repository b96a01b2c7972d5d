"""Splits a kernel's byte stream into output and marks, however the pipe cuts it."""

from __future__ import annotations

from typing import Union

from . import protocol

Piece = Union[bytes, protocol.Mark]


class OutputDecoder:
    """Splits the kernel's output from its marks, incrementally; output stays bytes.

    All work on bytes is done by C calls (`find`, `rfind`). What looks like a mark but is not one
    is output.
    """

    def __init__(self, nonce: str) -> None:
        self._prefix = protocol.mark_prefix(nonce)
        self._held = b""

    def feed(self, data: bytes) -> list[Piece]:
        """Return the pieces that are certain; never empty output, never two outputs in a row."""
        if self._held:
            data = self._held + data
        elif b"\x1b" not in data:  # the flood: looked at by one C call, not copied
            return [data] if data else []
        return self._split(data, is_last=False)

    def finish(self) -> list[Piece]:
        """Return what was held back, as output."""
        return self._split(self._held, is_last=True)

    def _split(self, data: bytes, is_last: bool) -> list[Piece]:
        pieces: list[Piece] = []
        output: list[bytes] = []
        at = 0
        while (start := data.find(self._prefix, at)) >= 0:
            output.append(data[at:start])
            end = self._end_of_mark(data, start)
            if end < 0 and not is_last and len(data) - start < protocol.MARK_LIMIT:
                at = start
                break
            inner = data.rfind(self._prefix, start, end) if end >= 0 else start
            if inner > start:  # a mark that was never finished, then a whole one
                output.append(data[start:inner])
                at = inner
                continue
            mark = protocol.parse_mark(data[start + len(self._prefix) : end]) if end >= 0 else None
            if mark is None:
                output.append(data[start : start + 1])
                at = start + 1
                continue
            self._add(pieces, output)
            pieces.append(mark)
            output = []
            at = end + len(protocol.MARK_CLOSE)
        else:
            start = len(data) if is_last else self._possible_start(data, at)
            output.append(data[at:start])
            at = start
        self._held = data[at:]
        self._add(pieces, output)
        return pieces

    def _end_of_mark(self, data: bytes, start: int) -> int:
        return data.find(protocol.MARK_CLOSE, start, start + protocol.MARK_LIMIT)

    def _possible_start(self, data: bytes, at: int) -> int:
        """Return where the beginning of a mark may be cut off at the end of the data."""
        escape = data.rfind(b"\x1b", max(at, len(data) - len(self._prefix) + 1))
        is_start = escape >= 0 and self._prefix.startswith(data[escape:])
        return escape if is_start else len(data)

    def _add(self, pieces: list[Piece], parts: list[bytes]) -> None:
        output = b"".join(parts)
        if output:
            pieces.append(output)
