"""Clip very long texts so that they can be laid out.

The clipped text says that it is clipped; copies have all of it.
"""

from __future__ import annotations

import re

from playhead.ui.widgets.wording import tr_n

CODE_LINE = 2_000
PROSE_LINE = 10_000
MOST_CHARS = 400_000
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clip(text: str, line_chars: int = CODE_LINE) -> str:
    """Return the text with its longest lines cut, and without its end if it is too long."""
    left = len(text) - MOST_CHARS
    if left > 0:
        text = text[:MOST_CHARS]
    if len(text) > line_chars:
        text = "\n".join(clip_line(line, line_chars) for line in text.split("\n"))
    text = visible(text)
    return f"{text}\n{_left(left)}" if left > 0 else text


def clip_line(line: str, chars: int = CODE_LINE) -> str:
    """Return one line, cut if it is too long."""
    left = len(line) - chars
    return f"{line[:chars]} {_left(left)}" if left > 0 else line


def visible(text: str) -> str:
    """Return the text with marks in place of invisible characters."""
    return text if text.isprintable() else _UNSEEN.sub("\ufffd", text)


class LineClipper:
    """Clips the lines of a text that arrives in pieces."""

    def __init__(self, chars: int = PROSE_LINE) -> None:
        self._chars = chars
        self._length = 0

    def feed(self, piece: str) -> str:
        """Return the piece without what would make its line too long."""
        kept: list[str] = []
        for number, line in enumerate(piece.split("\n")):
            if number:
                kept.append("\n")
                self._length = 0
            room = self._chars - self._length
            self._length += len(line)
            if room > 0:
                kept.append(line[:room] + (" …" if len(line) > room else ""))
        return visible("".join(kept))


def _left(count: int) -> str:
    return tr_n("… %n characters more", count, one="… 1 character more")
