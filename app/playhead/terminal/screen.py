"""A terminal that only appends: lines that stay, a live line below, styled Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from playhead.domain.text.fences import Fence, may_open, opening_fence

Piece = tuple[str, str]
"""A text and its style in rich's words; "" is plain."""

_HEADING = re.compile(r"#{1,6} ")
_HASHES = re.compile(r"#{1,6}")
_LONGEST_HEAD = 300
"""No fence has such a line; held back it would be looked at again with each character."""


class Prose:
    """Headings, emphasis, inline code and fences lose their marks and get a style."""

    def __init__(self) -> None:
        self._head: str | None = ""  # the line's beginning while its kind is open
        self._line_style = ""
        self._fence: Fence | None = None
        self._is_marker_line = False
        self._is_bold = self._is_italic = self._is_code = False
        self._star = False
        self._before = " "
        self._pieces: list[Piece] = []

    def feed(self, text: str) -> list[Piece]:
        """Return the pieces that can be shown after this text."""
        for character in text:
            self._take(character)
        return self._taken()

    def finish(self) -> list[Piece]:
        """Return the pieces that were held back."""
        self._settle_head(is_final=True)
        self._settle_star()
        return self._taken()

    def _taken(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _take(self, character: str) -> None:
        if character == "\n":
            self._end_line()
        elif self._head is not None:
            self._head += character
            self._settle_head()
        else:
            self._inline(character)

    def _end_line(self) -> None:
        self._settle_head(is_final=True)
        self._settle_star()
        if not self._is_marker_line:
            self._put("\n")
        if not self._fence:
            self._is_bold = self._is_italic = self._is_code = False
        self._before = " "
        self._head, self._line_style, self._is_marker_line = "", "", False

    def _settle_head(self, is_final: bool = False) -> None:
        """Decide what kind of line it is as soon as that is certain."""
        head = self._head
        if head is None:
            return
        if is_final and self._is_boundary(head):
            self._is_marker_line, self._head = True, None
        elif not self._fence and _HEADING.match(head):
            self._line_style, self._head = "bold", None
        elif is_final or not self._may_become(head):
            self._head = None
            for character in head:
                self._inline(character)

    def _is_boundary(self, line: str) -> bool:
        if self._fence is None:
            self._fence = opening_fence(line)
            return self._fence is not None
        if not self._fence.closes(line):
            return False
        self._fence = None
        return True

    def _may_become(self, head: str) -> bool:
        if len(head) > _LONGEST_HEAD:
            return False
        if self._fence is not None:
            return self._fence.may_close(head)
        return may_open(head) or _HASHES.fullmatch(head) is not None

    def _inline(self, character: str) -> None:
        if self._fence:
            self._put(character)
        elif character == "*" and not self._is_code:
            if self._star:
                self._is_bold = not self._is_bold
            self._star = not self._star
        else:
            self._settle_star(character)
            if character == "`":
                self._is_code = not self._is_code
            else:
                self._put(character)

    def _settle_star(self, after: str = " ") -> None:
        """Decide about a single star: it is emphasis at the start or end of a word, else a star."""
        if not self._star:
            return
        self._star = False
        opens = not after.isspace() and not self._before.isalnum() and not self._is_italic
        if opens or (self._is_italic and not self._before.isspace()):
            self._is_italic = not self._is_italic
        else:
            self._put("*")

    def _put(self, text: str) -> None:
        style = self._style()
        self._before = text[-1]
        if self._pieces and self._pieces[-1][1] == style:
            self._pieces[-1] = (self._pieces[-1][0] + text, style)
        else:
            self._pieces.append((text, style))

    def _style(self) -> str:
        if self._fence or self._is_code:
            return "cyan"
        if self._is_bold:
            return "bold"
        return self._line_style or ("italic" if self._is_italic else "")


class Words:
    """Breaks lines between words: a word, and the gap before it, are held until it is whole."""

    def __init__(self) -> None:
        self._gap: list[Piece] = []
        self._word: list[Piece] = []

    def feed(self, pieces: Iterable[Piece], column: int, width: int) -> tuple[list[Piece], int]:
        """Return the pieces that can be shown, with line breaks, and the column after them."""
        shown: list[Piece] = []
        for text, style in pieces:
            for part in re.split(r"(\s)", text):
                if part == "\n":
                    self._flush(shown, column, width)
                    shown.append((part, style))
                    self._gap, column = [], 0
                elif part.isspace():
                    column = self._flush(shown, column, width)
                    self._gap.append((part, style))
                elif part:
                    self._word.append((part, style))
        return shown, column

    def finish(self, column: int, width: int) -> list[Piece]:
        """Return the last word."""
        shown: list[Piece] = []
        self._flush(shown, column, width)
        self._gap = []
        return shown

    def _flush(self, shown: list[Piece], column: int, width: int) -> int:
        if not self._word:
            return column
        gap, word = self._gap, self._word
        self._gap, self._word = [], []
        if column and column + _cells(gap) + _cells(word) > width:
            shown += [("\n", ""), *word]
            return _cells(word)
        shown += [*gap, *word]
        return column + _cells(gap) + _cells(word)


def _cells(pieces: list[Piece]) -> int:
    from rich.cells import cell_len

    return sum(cell_len(text) for text, _ in pieces)


_ERASE_LINE = (ControlType.ERASE_IN_LINE, 2)


class Screen:
    """Appends text and tracks the column of the cursor; text that was written is final.

    The live line is drawn only where a line has ended, on a terminal that can erase one.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._decoder = AnsiDecoder()
        self._words = Words()
        self._live = ""
        self.column = 0

    @property
    def width(self) -> int:
        """Return the terminal's width, less the last column: some terminals wrap there."""
        return max(20, self._console.width - 1)

    @property
    def is_live(self) -> bool:
        """Return whether a line can be erased."""
        return self._console.is_terminal and not self._console.is_dumb_terminal

    def write(self, text: str | Text, style: str = "") -> None:
        """Append text."""
        self.clear_live()
        styled = Text(text, style) if isinstance(text, str) else text
        if not styled.plain:
            return
        self._console.print(styled, end="", soft_wrap=True, highlight=False)
        last_line = styled.plain.rpartition("\n")
        before = 0 if last_line[1] else self.column
        self.column = before + cell_len(last_line[2])

    def write_words(self, pieces: Iterable[Piece], *, is_whole: bool = True) -> None:
        """Append prose, its lines broken between words; a last word may wait for its rest."""
        shown, column = self._words.feed(pieces, self.column, self.width)
        if is_whole:
            shown += self._words.finish(column, self.width)
        if shown:
            self.write(Text.assemble(*shown))

    def write_line(self, text: str | Text, style: str = "") -> None:
        """Append a line of its own."""
        self.end_line()
        self.write(text, style)
        self.end_line()

    def write_block(self, block: RenderableType) -> None:
        """Append what takes whole lines and knows how to break them."""
        self.end_line()
        self._console.print(block, width=self.width)

    def write_output(self, text: str) -> None:
        """Append what a program printed: its colours, and its carriage returns."""
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
            if number:
                self.write("\n")
            *_, shown = line.split("\r")
            if "\r" in line and shown:
                self._erase()
            self.write(self._decoder.decode_line(shown))

    def end_line(self) -> None:
        """Go to the start of a line."""
        self.clear_live()
        if self.column:
            self.write("\n")

    def live(self, text: str) -> None:
        """Show a line that the next output erases; an empty text shows no line."""
        if not self.is_live or self.column or text == self._live:
            return
        self.clear_live()
        if not text:
            return
        shown = Text(text, "dim", no_wrap=True, end="")
        shown.truncate(self.width, overflow="ellipsis")
        self._console.print(shown, end="", soft_wrap=True, highlight=False)
        self._live = text

    def clear_live(self) -> None:
        """Take the live line away."""
        if self._live:
            self._live = ""
            self._erase()

    def _erase(self) -> None:
        if self.is_live:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, _ERASE_LINE))
        else:
            self._console.print()
        self.column = 0
