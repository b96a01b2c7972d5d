"""Decides how much of a run's output is shown, and keeps all of it in a file."""

from __future__ import annotations

import codecs
import os
import re
import sys
from io import FileIO
from pathlib import Path

from playhead.domain.conversation.left_out import left_out_line
from playhead.domain.conversation.payloads import OutputTail

SHOWN_LIMIT = 1_000_000
TAIL_LIMIT = 64_000
LIVE_LIMIT = 16_000
"""What is shown of the end of a long output while it goes on."""
FILE_LIMIT = 200_000_000
_KEPT_TAIL = 1_000_000
_RECENT_LIMIT = _KEPT_TAIL
_LONGEST_CHARACTER = 4
_ALL_TAILS = 1_000_000
_LEAST_TAIL = 2_000
"""Each picture and question of a run is preceded by a tail; after many they are short."""


class RunOutput:
    """The output of one run: its first megabyte is shown, then only tails of it.

    `add()` returns what is shown at once, `settle()` the tail before a message of another kind and
    `close()` that at the end, after a line that says how many lines were left out. Meanwhile
    `tail()` has the last lines for now.
    There is a file only when not everything was shown. It holds the unchanged bytes, up to
    `kept` (0: without limit); of a longer output its head and tail, and between them a line with
    the number of missing bytes. Bytes that are not UTF-8 are shown as `\\xff`.
    """

    def __init__(
        self,
        path: Path,
        shown: int = SHOWN_LIMIT,
        kept: int = FILE_LIMIT,
        tail: int = TAIL_LIMIT,
    ) -> None:
        self._path = path
        self._tail_limit = tail
        self._shown_left = shown
        self.is_cut = False
        """Whether some of the output was not shown at once."""
        self._hidden = 0  # bytes, and lines that they end, since what was shown last
        self._hidden_lines = 0
        self._is_line_whole = True  # that which was shown last
        self._tails_left = _ALL_TAILS
        self.has_news = False
        """Whether `tail()` would return other lines than the last time."""
        self._text = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._file: FileIO | None = None
        self._problem = ""
        self._tail_kept = min(_KEPT_TAIL, kept // 2) if kept else 0
        self._head_kept = kept - self._tail_kept if kept else sys.maxsize
        self._in_file = 0
        self._recent = bytearray()  # output not in the file, at least its last part
        self._recent_total = 0
        self._unbroken = 0  # characters at the end of what was shown, after a cut

    @property
    def path(self) -> str | None:
        """Return the file with the output, if it was cut and could be written."""
        return str(self._path) if self.is_cut and not self._problem else None

    def add(self, data: bytes) -> str:
        """Take output in; returns what of it is to be shown."""
        if self.is_cut:
            self._hide(data)
            return ""
        if len(data) <= self._shown_left:
            self._shown_left -= len(data)
            self._recent += data
            return self._shown(data)
        cut = self._head_end(data)
        shown, self._recent = bytes(self._recent) + data[:cut], bytearray()
        self._open_file()
        self.is_cut = True
        self._store(shown)
        text = self._shown(data[:cut])
        self._hide(data[cut:])
        return text

    def tail(self) -> OutputTail:
        """Return the last lines for now."""
        self.has_news = False
        data = self._last_lines(LIVE_LIMIT)
        text = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode(data)
        return OutputTail(self._left_out(data), text)

    def settle(self) -> str:
        """Return what is to be shown before a message of another kind: the tail so far."""
        limit = max(_LEAST_TAIL, min(self._tail_limit, self._tails_left // 4))
        return self._settled(self._last_lines(limit), f"the output is in {self._path}")

    def close(self) -> str:
        """End the run's output; returns what is still to be shown: a line and the tail."""
        data = self._last_lines(self._tail_limit)
        self._close_file()
        text = self._settled(data, self._whereabouts())
        rest = self._text.decode(b"", final=True)
        if self.is_cut:
            self._unbroken += len(rest)
        return text + rest

    def unbroken_end(self, count: int) -> int:
        """Return `count` if the last so many characters shown are whole, without a note; else 0.

        Known once the output was closed.
        """
        return count if not self.is_cut or 0 < count <= self._unbroken else 0

    def _settled(self, data: bytes, whereabouts: str) -> str:
        missing, lines = self._hidden - len(data), self._left_out(data)
        start = "" if self._is_line_whole else "\n"
        self._hidden = self._hidden_lines = 0
        self._is_line_whole, self.has_news = True, False
        self._tails_left -= len(data)
        cut_off = self._text.decode(b"", final=True) if missing else ""
        text = self._text.decode(data)
        self._unbroken = len(text)
        if not missing:
            return text
        note = f"[… {missing:,} bytes not shown, {whereabouts}]\n"
        if lines:
            note = left_out_line(lines, missing, whereabouts)
        return cut_off + start + note + text

    def _shown(self, data: bytes) -> str:
        if data:
            self._is_line_whole = data.endswith(b"\n")
        return self._text.decode(data)

    def _hide(self, data: bytes) -> None:
        self._hidden += len(data)
        self._hidden_lines += data.count(b"\n")
        self.has_news = True
        self._store(data)

    def _head_end(self, data: bytes) -> int:
        """Return where the head ends in the data that goes beyond it: between lines, if it can."""
        line_end = data.rfind(b"\n", 0, self._shown_left) + 1
        if line_end or (self._is_line_whole and self._recent):
            return line_end
        return _character_start(data, self._shown_left)

    def _last_lines(self, limit: int) -> bytes:
        """Return all that is hidden, or its last whole lines; of an endless line the last part."""
        data = self._last(min(self._hidden, limit))
        if len(data) == self._hidden:
            return data
        start = data.find(b"\n", 0, len(data) - 1) + 1
        if not start:  # a progress bar rewrites its line from each carriage return on
            start = data.find(b"\r")
        return data[start if start >= 0 else _character_end(data) :]

    def _left_out(self, data: bytes) -> int:
        """Return how many lines are between what was shown last and this tail."""
        if len(data) == self._hidden:
            return 0
        lines = self._hidden_lines - data.count(b"\n")
        return max(0, lines if self._is_line_whole else lines - 1)

    def _store(self, data: bytes) -> None:
        """Write into the file what goes there, remember the last part of the rest."""
        room = self._head_kept - self._in_file
        written = self._write(data if len(data) <= room else data[:room])
        self._in_file += written
        if written < len(data):
            self._recent += data[written:] if written else data
            self._recent_total += len(data) - written
            if len(self._recent) > 2 * _RECENT_LIMIT:
                del self._recent[:-_RECENT_LIMIT]

    def _open_file(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = FileIO(self._path, "w+")
        except OSError as error:
            self._problem = error.strerror or str(error)

    def _write(self, data: bytes) -> int:
        """Return how many bytes are in the file now; a full disk must not stop the run."""
        written = 0
        try:
            while self._file is not None and not self._problem and written < len(data):
                written += self._file.write(data[written:] if written else data)
        except OSError as error:
            self._problem = error.strerror or str(error)
        return written

    def _last(self, count: int) -> bytes:
        """Return the last bytes of the output."""
        recent = bytes(self._recent[-count:]) if count else b""
        missing = count - len(recent)
        if self._file is None or not missing:
            return recent
        try:
            self._file.seek(-missing, os.SEEK_END)
            return self._file.read(missing) + recent
        except OSError as error:
            self._problem = self._problem or error.strerror or str(error)
            return recent

    def _close_file(self) -> None:
        file = self._file
        if file is None:
            return
        if self._missing:
            limit = "the limit of the settings"
            self._write(f"\n[… {self._missing:,} bytes are missing here: {limit} …]\n".encode())
        self._write(bytes(self._recent[-self._tail_kept :]))
        self._file = None
        try:
            file.close()
        except OSError as error:
            self._problem = self._problem or error.strerror or str(error)

    @property
    def _missing(self) -> int:
        """Return how many bytes are neither in the file nor added to it at the end."""
        return max(0, self._recent_total - self._tail_kept)

    def _whereabouts(self) -> str:
        if self._problem:
            return f"the rest could not be kept: {self._problem}"
        what = "head and tail of the output" if self._missing else "whole output"
        return f"{what} in {self._path}"


def file_name(run_id: str) -> str:
    """Return a run's id as the stem of a file's name."""
    return re.sub(r"[^\w-]", "_", run_id) or "run"


def _character_start(data: bytes, at: int) -> int:
    """Return the place at or before `at` where no UTF-8 character is cut."""
    for place in range(at, max(-1, at - _LONGEST_CHARACTER), -1):
        if not _is_continuation(data[place]):
            return place
    return at


def _character_end(data: bytes) -> int:
    """Return the first place where no UTF-8 character is cut."""
    for place in range(min(len(data), _LONGEST_CHARACTER)):
        if not _is_continuation(data[place]):
            return place
    return 0


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80
