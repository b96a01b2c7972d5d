"""Results of code at a terminal: Markdown as styled text, formulas as they are, pages by name."""

from __future__ import annotations

import re

from playhead.terminal.safe_text import plain
from playhead.terminal.screen import Screen

_LONGEST = 200_000
_TITLE = re.compile(r"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


class Result:
    """Gathers the text of one result, then shows it."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._pieces: list[str] = []

    def add(self, text: str) -> None:
        """A piece of it."""
        self._pieces.append(text)

    def show(self, screen: Screen) -> None:
        """Write it; what a terminal cannot show is named on one line."""
        text = "".join(self._pieces)
        if self._form == "markdown" and len(text) <= _LONGEST:
            from rich.markdown import Markdown  # slow to import, and rarely needed

            screen.write_block(Markdown(plain(text), hyperlinks=False))
        elif self._form in ("markdown", "latex"):
            screen.write_line(plain(text).strip("\n"))
        elif text:
            screen.write_line(f"{_named(self._form, text)} (not shown in a terminal)", "magenta")


def _named(form: str, text: str) -> str:
    title = _TITLE.search(text) if form == "html" else None
    words = f" “{' '.join(plain(title[1]).split())}”" if title else ""
    return f"{plain(form)}{words}, {len(text):,} characters"
