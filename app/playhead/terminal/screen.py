"""What is written to the terminal: lines that stay, and one live line below them."""

from __future__ import annotations

from collections.abc import Iterable

from rich.ansi import AnsiDecoder
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from playhead.terminal.prose import Piece, Words

_ERASE_LINE = (ControlType.ERASE_IN_LINE, 2)


class Screen:
    """Appends, and knows the column it stands at; what was written is never written again.

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
        """The terminal's width now, less the last column: some terminals wrap there."""
        return max(20, self._console.width - 1)

    @property
    def is_live(self) -> bool:
        """Whether a line can be erased."""
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
        """Show a line that the next writing takes away again; an empty one is none."""
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
