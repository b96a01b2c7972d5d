"""The code of an earlier run in a tab of its own, read-only, with the values along its lines."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QObject

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import LineTiming
from playhead.domain.conversation.run_fold import Run
from playhead.domain.execution import LineValue
from playhead.errors import AppError
from playhead.ui.editor.editor_follower import show_result
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.editor.pane.running_line import LineTimings
from playhead.ui.editor.pane.tab_pages import TabPage
from playhead.ui.editor.tab import Tab
from playhead.ui.editor.value_notes import value_words
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr

_KEY = "past:run"


class PastTab(QObject):
    """Shows one run at a time, whole or up to a line of it; `close` leads back to the tab before.

    `ask(code)` returns the values along the lines of code that ran. Where the playhead is at a
    line, or the cursor is put there, the values after that line are shown, and no later ones.
    Owner: what shows the past.
    """

    def __init__(
        self,
        pane: EditorPane,
        tasks: TaskOwner,
        ask: Callable[[str], Awaitable[list[LineValue]]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._tasks = tasks
        self._ask = ask
        self._run: Run | None = None
        self._tab_before = ""
        self._line = 0
        self._timings: dict[int, str] = {}
        self._values: Sequence[LineValue] | None = None
        self._noted: set[int] = set()
        pane.pages.cursor_moved.connect(self._on_cursor_moved)

    @property
    def line(self) -> int:
        """Return the line that the playhead is at; 0 when it is behind the code."""
        return self._line

    def show(self, run: Run, title: str, results: Sequence[Message], *, has_values: bool) -> None:
        """Show the code of a run with its times and errors; it is behind the whole code."""
        if self._is_shown and self._run is not None and self._run.started_id == run.started_id:
            return
        self._run, self._line, self._values = run, 0, None if has_values else ()
        page = self._put_up(run, title)
        times = LineTimings()
        self._timings = {}
        self._noted = set()
        for message in results:
            show_result(page, message)
            if isinstance(message.content, LineTiming) and (note := times.add(message.content)):
                self._timings[message.content.line] = note
        if has_values:
            self._tasks.start(self._fetch(run))

    def move_to(self, part: float) -> None:
        """Put the playhead at the line that so much of the code is before; 1.0: behind all."""
        lines = self._lines()
        at = lines[min(len(lines) - 1, math.floor(part * len(lines)))] if lines else 0
        self._move(at if part < 1 else 0)

    def step(self, direction: int) -> float:
        """Move the playhead by a line; return the part of the code that is before it."""
        lines = self._lines()
        at = lines.index(self._line) if self._line in lines else len(lines)
        at = max(0, min(len(lines), at + direction))
        self._move(lines[at] if at < len(lines) else 0)
        return at / len(lines) if lines else 1.0

    def close(self) -> None:
        """Take the tab away, and show the one that was shown before."""
        self._run = None
        if (tab := self._pane.tab(_KEY)) is None:
            return
        rest = [one for one in self._pane.tabs if one is not tab]
        is_current = self._pane.current is tab
        before = self._tab_before if is_current else self._pane.current.key
        known = [one.key for one in rest]
        shown = before if before in known else known[-1]
        self._pane.set_tabs(rest, shown)
        if is_current:
            self._pane.tab_chosen.emit(shown)

    @property
    def _is_shown(self) -> bool:
        return self._pane.tab(_KEY) is not None and self._pane.current.key == _KEY

    def _put_up(self, run: Run, title: str) -> TabPage:
        """Show the code in the tab, which is made for the first run."""
        tab = self._pane.tab(_KEY)
        if self._pane.current.key != _KEY:
            self._tab_before = self._pane.current.key
        if tab is None:
            tab = Tab(key=_KEY, title=title, state="past")
            self._pane.add_tab(tab)
        tab.title, tab.language, tab.text, tab.original = title, run.language, run.code, run.code
        page = self._pane.pages.page(tab)
        page.is_fresh = False
        page.running_line.reset()
        page.editor.set_language(run.language)
        page.editor.show_text(run.code)
        page.editor.set_read_only(True)
        self._pane.show_tab(_KEY)
        self._pane.tab_chosen.emit(_KEY)  # newer code does not take its place
        return page

    def _lines(self) -> list[int]:
        """Return the lines that do something."""
        code = self._run.code if self._run is not None else ""
        told = enumerate(code.splitlines(), 1)
        return [number for number, text in told if text.strip() and text.strip()[0] != "#"]

    def _move(self, line: int, *, is_revealed: bool = True) -> None:
        if line != self._line:
            self._line = line
            self._mark()
            if line and is_revealed and self._is_shown:
                self._pane.editor.reveal_line(line)

    def _on_cursor_moved(self, line: int, _column: int) -> None:
        focused = self._pane.window().focusWidget()
        if self._is_shown and focused is not None and self._pane.pages.isAncestorOf(focused):
            self._move(line, is_revealed=False)

    async def _fetch(self, run: Run) -> None:
        try:
            values = await self._ask(run.code)
        except AppError:  # the kernel works, or is stuck: there is nothing to show
            return
        if self._run is not None and self._run.started_id == run.started_id:
            self._values = values
            self._mark()

    def _mark(self) -> None:
        """Show the line of the playhead, and the values up to there."""
        page = self._pane.pages.find(_KEY)
        if page is None:
            return
        known = self._values or ()
        reached = [one for one in known if not self._line or one.line <= self._line]
        shown: dict[int, list[LineValue]] = {}
        for value in reached:
            shown.setdefault(value.line, []).append(value)
        notes = {line: value_words(values) for line, values in shown.items()}
        at_line = notes.get(self._line, "")
        if self._line and self._values is not None and not known:
            at_line = tr("no values are kept of this run")
        page.editor.set_running_line(self._line or None, at_line)
        for line in self._noted | notes.keys():
            note = " · ".join(filter(None, (self._timings.get(line, ""), notes.get(line, ""))))
            page.editor.set_line_note(line, note)
        self._noted = set(notes)
