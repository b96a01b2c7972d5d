"""Decides how much of a run's output is shown, and keeps all of it in a file."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import BinaryIO

SHOWN_LIMIT = 1_000_000
TAIL_LIMIT = 64_000
FILE_LIMIT = 200_000_000
_KEPT_TAIL = 4_000_000
_LONGEST_CHARACTER = 4


class RunOutput:
    """The output of one run: its first megabyte is shown, then nothing, at the end its tail.

    There is a file only when not everything was shown. It holds the bytes as they came, up to
    `kept` (0: without limit); of a longer output its head and tail, and a line between that says
    how much is missing. Bytes that are no UTF-8 are shown as `\\xff`.
    """

    def __init__(self, path: Path, shown: int = SHOWN_LIMIT, kept: int = FILE_LIMIT) -> None:
        self._path = path
        self._shown_left = shown
        self._tail_kept = min(_KEPT_TAIL, kept // 2) if kept else 0
        self._head_left = kept - self._tail_kept if kept else None
        self._beyond = 0
        self._file: BinaryIO | None = None
        self._problem = ""
        self._recent = bytearray()
        self._recent_limit = max(shown, TAIL_LIMIT, self._tail_kept)
        self._hidden = 0
        self._text = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    @property
    def is_cut(self) -> bool:
        """Whether some of the output was not shown as it came."""
        return self._hidden > 0

    @property
    def path(self) -> str | None:
        """The file with the output, if it was cut and could be written."""
        return str(self._path) if self.is_cut and not self._problem else None

    def add(self, data: bytes) -> str:
        """Take output in; returns what of it is to be shown."""
        if self.is_cut:
            self._hide(data)
            return ""
        if len(data) <= self._shown_left:
            self._shown_left -= len(data)
            self._recent += data
            return self._text.decode(data)
        cut = _character_start(data, self._shown_left)
        shown = self._text.decode(data[:cut])
        self._open_file()
        self._keep(bytes(self._recent) + data[:cut])
        self._recent += data[:cut]
        self._hide(data[cut:])
        return shown + "\n[The output is long: more of it follows when the code has ended.]\n"

    def close(self) -> str:
        """End the run's output; returns what is still to be shown: a note and the tail."""
        self._close_file()
        hidden = self._recent[-self._hidden :] if self._hidden else b""
        if self._hidden <= TAIL_LIMIT:
            return self._text.decode(hidden, final=True)
        cut_off = self._text.decode(b"", final=True)
        tail = hidden[_character_end(hidden, len(hidden) - TAIL_LIMIT) :]
        missing = self._hidden - len(tail)
        note = f"\n[… {missing:,} bytes not shown, {self._whereabouts()}]\n"
        return cut_off + note + self._text.decode(tail, final=True)

    def _hide(self, data: bytes) -> None:
        self._hidden += len(data)
        self._keep(data)
        self._recent += data
        if len(self._recent) > 2 * self._recent_limit:
            del self._recent[: -self._recent_limit]

    def _open_file(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
        except OSError as error:
            self._problem = error.strerror or str(error)

    def _keep(self, data: bytes) -> None:
        if self._head_left is not None:
            self._beyond += max(0, len(data) - self._head_left)
            data = data[: self._head_left]
            self._head_left -= len(data)
        if data:
            self._write(data)

    def _write(self, data: bytes) -> None:
        if self._file is None or self._problem:
            return
        try:
            self._file.write(data)
        except OSError as error:  # a full disk must not stop the run
            self._problem = error.strerror or str(error)

    def _close_file(self) -> None:
        if self._file is None:
            return
        if self._missing:
            limit = "the limit of the settings"
            self._write(f"\n[… {self._missing:,} bytes are missing here: {limit} …]\n".encode())
        if self._beyond:
            self._write(bytes(self._recent[-min(self._beyond, self._tail_kept) :]))
        file, self._file = self._file, None
        try:
            file.close()  # writes what is buffered: a full disk may first show itself here
        except OSError as error:
            self._problem = self._problem or error.strerror or str(error)

    @property
    def _missing(self) -> int:
        """How much is not in the file."""
        return max(0, self._beyond - self._tail_kept)

    def _whereabouts(self) -> str:
        if self._problem:
            return f"the rest could not be kept: {self._problem}"
        what = "head and tail of the output" if self._missing else "whole output"
        return f"{what} in {self._path}"


def file_name(run_id: str) -> str:
    """A run's id as the stem of a file's name."""
    return re.sub(r"[^\w-]", "_", run_id) or "run"


def _character_start(data: bytes, at: int) -> int:
    """The place at or before `at` where no character of UTF-8 is cut."""
    for place in range(at, max(-1, at - _LONGEST_CHARACTER), -1):
        if not _is_continuation(data[place]):
            return place
    return at


def _character_end(data: bytes | bytearray, at: int) -> int:
    """The place at or after `at` where no character of UTF-8 is cut."""
    for place in range(at, min(len(data), at + _LONGEST_CHARACTER)):
        if not _is_continuation(data[place]):
            return place
    return at


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80
