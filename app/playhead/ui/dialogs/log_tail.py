"""The end of a log file and the lines added to it, with their levels; no Qt."""

from __future__ import annotations

import re
from collections import deque
from pathlib import Path

from msgspec import Struct

TAIL_BYTES = 512_000
"""The number of bytes read from the end, so that a log of any size opens at once."""
MOST_LINES = 5_000
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_HEAD = re.compile(rf"^\d{{4}}-\d\d-\d\d [\d:,]+ ({'|'.join(LEVELS)}) ")
_LONGEST_LINE = 4_000
_SECRETS = re.compile(
    r"(?i)(\bbearer\s+|\b(?:api[-_]?key|token|secret|password|authorization)[\"']?\s*[:=]\s*[\"']?)"
    r"[^\s\"',}]{6,}"
)
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|ghp|github_pat|glpat|eyJ)[-_]?[A-Za-z0-9_\-.]{12,}"
)


class LogLine(Struct, frozen=True):
    """One line; those of a traceback have the level of the entry that they belong to."""

    text: str
    level: str


class LogTail:
    """Reads a file from near its end; `read` it again for added lines, or for a new file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: deque[LogLine] = deque(maxlen=MOST_LINES)
        self.is_cut = False
        self._place = -1
        self._rest = b""
        self._level = "INFO"

    def read(self) -> bool:
        """Read what is new and return whether the lines changed; a missing file has no lines."""
        try:
            size = self.path.stat().st_size
            if size == self._place:
                return False
            with self.path.open("rb") as file:
                self._begin(size)
                file.seek(self._place)
                found = file.read(TAIL_BYTES)
        except OSError:
            return self._forget()
        self._place += len(found)
        self._feed(found)
        return True

    def _begin(self, size: int) -> None:
        """Start again if the file was replaced by a shorter one or grew by more than the tail."""
        if 0 <= self._place <= size and size - self._place <= TAIL_BYTES:
            return
        self.lines.clear()
        self._rest = b""
        self._place = max(0, size - TAIL_BYTES)
        self.is_cut = self._place > 0
        if self.is_cut:
            self._rest = b"\n"  # the text before the first line break is incomplete

    def _forget(self) -> bool:
        was_there = self._place >= 0
        self._place, self._rest = -1, b""
        self.lines.clear()
        return was_there

    def _feed(self, found: bytes) -> None:
        is_piece = self._rest == b"\n"
        *whole, rest = ((b"" if is_piece else self._rest) + found).split(b"\n")
        self._rest = rest or b""
        for raw in whole[1:] if is_piece else whole:
            text = raw.decode("utf-8", "replace").rstrip("\r")[:_LONGEST_LINE]
            if head := _HEAD.match(text):
                self._level = head.group(1)
            self.lines.append(LogLine(text, self._level))


def redacted(text: str, home: Path | None = None) -> str:
    """Return the text without what looks like a key, and with the user's folder as `~`."""
    text = _SECRETS.sub(r"\1[removed]", text)
    text = _KEYS.sub("[removed]", text)
    where = str(home or Path.home())
    return text.replace(where, "~") if len(where) > 1 else text
