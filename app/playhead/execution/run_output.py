"""Decides how much of a run's output is shown, and keeps all of it in a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

SHOWN_LIMIT = 1_000_000
TAIL_LIMIT = 64_000
FILE_LIMIT = 256_000_000


class RunOutput:
    """The output of one run: its first megabyte is shown, then nothing, at the end its tail.

    The file is deleted when everything was shown.
    """

    def __init__(self, path: Path, shown: int = SHOWN_LIMIT, kept: int = FILE_LIMIT) -> None:
        self._path = path
        self._shown_left = shown
        self._file_left = kept
        self._file: BinaryIO | None = None
        self._problem = ""
        self._tail = ""
        self._hidden = 0

    @property
    def is_cut(self) -> bool:
        """Whether some of the output was not shown as it came."""
        return self._hidden > 0

    @property
    def path(self) -> str | None:
        """The file with the whole output, if it was cut and could be written."""
        return str(self._path) if self.is_cut and not self._problem else None

    def add(self, text: str) -> str:
        """Take output in; returns what of it is to be shown."""
        self._keep(text)
        shown = text[: self._shown_left]
        self._shown_left -= len(shown)
        rest = text[len(shown) :]
        if not rest:
            return shown
        note = "" if self.is_cut else self._first_note()
        self._hidden += len(rest.encode("utf-8", "backslashreplace"))
        self._tail = (self._tail + rest)[-TAIL_LIMIT:]
        return shown + note

    def close(self) -> str:
        """End the run's output; returns what is still to be shown: a note and the tail."""
        self._close_file()
        if not self.is_cut:
            return ""
        missing = self._hidden - len(self._tail.encode("utf-8", "backslashreplace"))
        note = f"\n[… {missing:,} bytes not shown, {self._whereabouts()}]\n" if missing > 0 else ""
        return note + self._tail

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()  # writes what is buffered: a full disk may first show itself here
        except OSError as error:
            self._problem = self._problem or error.strerror or str(error)
        if not self.is_cut:
            self._path.unlink(missing_ok=True)

    def _first_note(self) -> str:
        return "\n[The output is long: more of it follows when the code has ended.]\n"

    def _whereabouts(self) -> str:
        if self._problem:
            return f"the rest could not be kept: {self._problem}"
        if self._file_left <= 0:
            return f"the first {FILE_LIMIT // 1_000_000} MB of the output are in {self._path}"
        return f"whole output in {self._path}"

    def _keep(self, text: str) -> None:
        if self._problem or self._file_left <= 0:
            return
        data = text.encode("utf-8", "backslashreplace")[: self._file_left]
        try:
            if self._file is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("wb")
            self._file.write(data)
        except OSError as error:  # a full disk must not stop the run
            self._problem = error.strerror or str(error)
            return
        self._file_left -= len(data)


def file_name(run_id: str) -> str:
    """A run's id as the stem of a file's name."""
    return re.sub(r"[^\w-]", "_", run_id) or "run"
