"""Code with line numbers and colours, line by line as it streams."""

from __future__ import annotations

from rich.syntax import Syntax
from rich.text import Text

from playhead.terminal.safe_text import visible

_WHOLE_LINES, _CONTEXT_LINES = 100, 50
"""Up to the first, all earlier lines are read again for the colours, then only some of them."""


class CodeLines:
    """A line is given as soon as it is whole."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []
        self._rest = ""

    def feed(self, text: str) -> list[Text]:
        """The lines that are whole after this."""
        *whole, self._rest = (self._rest + text).split("\n")
        return self._add(whole)

    def finish(self) -> list[Text]:
        """The last line, which may have no end."""
        rest, self._rest = self._rest, ""
        return self._add([rest]) if rest else []

    def _add(self, lines: list[str]) -> list[Text]:
        if not lines:
            return []
        first = len(self._lines)
        self._lines += [visible(line) for line in lines]
        start = 0 if first <= _WHOLE_LINES else first - _CONTEXT_LINES
        coloured = _coloured("\n".join(self._lines[start:]), self._language)
        numbered = list(enumerate(coloured, start + 1))[first - start :]
        return [Text.assemble((f"{number:>4} │ ", "dim"), line) for number, line in numbered]


def _coloured(code: str, language: str) -> list[Text]:
    syntax = Syntax("", language, theme="ansi_dark", background_color="default")
    text = syntax.highlight(code)
    lines = list(text.split("\n", allow_blank=True))
    return lines[: code.count("\n") + 1]
