"""The running line of one run: at most thirty moves a second, and its seconds.

When the run has ended, the times of all its lines are shown.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer

from playhead.ui.editor.code.code_editor import HEAT_LEVELS
from playhead.ui.widgets.wording import format_seconds, tr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playhead.domain.conversation.payloads import LineTiming
    from playhead.ui.editor.code.code_editor import CodeEditor

NOTED_FROM_S = 0.001
HEATED_FROM_S = 0.05
"""A run as short as this has nothing slow in it."""
_COOL_SHARE = 0.05
_NOTED_SHARE = 0.01


class LineHeat(Struct, frozen=True):
    """A stretch of lines and how much of the run's time they took."""

    first: int
    last: int
    level: int


class LineTimings:
    """Adds up the times of one run; times of the same statement are one."""

    def __init__(self) -> None:
        self._statements: dict[int, tuple[float, int]] = {}
        self._lines: dict[int, tuple[float, float]] = {}

    def add(self, timing: LineTiming) -> str:
        """Take one more; the note for its line, '' where there is nothing to say."""
        if timing.share is not None:
            seconds, share = self._lines.get(timing.line, (0.0, 0.0))
            self._lines[timing.line] = (seconds + timing.seconds, share + timing.share)
            return ""
        seconds, last = self._statements.get(timing.line, (0.0, 0))
        seconds += timing.seconds
        self._statements[timing.line] = (seconds, max(last, timing.last_line, timing.line))
        return format_seconds(seconds) if seconds >= NOTED_FROM_S else ""

    def shares(self) -> Iterator[tuple[int, str]]:
        """Yield notes for single lines inside loops and functions that took a notable time."""
        for line, (seconds, share) in self._lines.items():
            if seconds >= NOTED_FROM_S and share >= _NOTED_SHARE and line not in self._statements:
                yield line, f"{min(share, 1.0):.0%}"

    def heat(self) -> Iterator[LineHeat]:
        """Yield the heat of whole statements, or of single lines where their times are known."""
        total = sum(seconds for seconds, _last in self._statements.values())
        if total < HEATED_FROM_S:
            return
        for first, (seconds, last) in sorted(self._statements.items()):
            if not any(first <= line <= last for line in self._lines):
                yield from _stretch(first, last, seconds / total)
        for line, (seconds, _share) in sorted(self._lines.items()):
            yield from _stretch(line, line, seconds / total)


def _stretch(first: int, last: int, share: float) -> Iterator[LineHeat]:
    if share >= _COOL_SHARE:
        yield LineHeat(first, last, min(HEAT_LEVELS, 1 + int(share * HEAT_LEVELS)))


FRAME_MS = 33
CLOCK_MS = 100


class RunningLine(QObject):
    """Moves the mark of one editor.

    A mark that is overtaken within a frame is never painted: painting is nearly all of the cost.
    """

    def __init__(self, editor: CodeEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._wanted: int | None = None
        self._shown: int | None = None
        self._since = 0.0
        self._paused = 0
        self._timings = LineTimings()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(FRAME_MS)
        self._frame.timeout.connect(self._on_frame)
        self._clock = QTimer(self)
        self._clock.setInterval(CLOCK_MS)
        self._clock.timeout.connect(self._show_note)

    @property
    def line(self) -> int | None:
        """The line that is marked on the screen."""
        return self._shown

    def use(self, editor: CodeEditor) -> None:
        """Mark lines in another editor from now on."""
        self.reset()
        self._editor = editor

    def move(self, line: int | None) -> None:
        """Move the mark to the line that runs now; None if nothing runs."""
        if line is None:
            self._paused = 0
        elif self._paused:
            return  # on its way since before the pause
        if line != self._wanted:
            self._since = time.monotonic()
        self._wanted = line
        if line is None:
            self._frame.stop()
            self._apply()
        elif not self._frame.isActive():
            self._apply()
            self._frame.start()

    def pause(self, line: int) -> None:
        """Show that the code is paused before a line; 0 when it goes on."""
        self._paused = line
        if line:
            self._wanted = line
        self._since = time.monotonic()
        self._frame.stop()
        self._apply()

    def add_timing(self, timing: LineTiming) -> None:
        """Add the time that a statement, or a line in it, took."""
        if note := self._timings.add(timing):
            self._editor.set_line_note(timing.line, note)

    def show_heat(self) -> None:
        """Show, after the run, where its time went."""
        for line, note in self._timings.shares():
            self._editor.set_line_note(line, note)
        for heat in self._timings.heat():
            self._editor.set_heat(heat.first, heat.last, heat.level)

    def show_stop(self, line: int, seconds: float) -> None:
        """Show where the run was stopped."""
        after = tr(" after {time}", time=format_seconds(seconds)) if seconds else ""
        self._editor.set_line_note(line, tr("stopped here{after}", after=after))

    def reset(self) -> None:
        """Remove the mark and the timings before another run."""
        self._timings = LineTimings()
        self._wanted = self._shown = None
        self._paused = 0
        self._frame.stop()
        self._clock.stop()
        self._editor.clear_notes()

    def _on_frame(self) -> None:
        if self._wanted != self._shown:
            self._apply()
            self._frame.start()

    def _apply(self) -> None:
        self._shown = self._wanted
        if self._shown is None:
            self._clock.stop()
            self._editor.set_running_line(None)
            return
        self._show_note()
        if self._paused:
            self._clock.stop()
        else:
            self._clock.start()

    def _show_note(self) -> None:
        if self._paused:
            note = tr("paused before this line")
            self._editor.set_running_line(self._paused, note, is_paused=True)
            return
        elapsed = time.monotonic() - self._since
        note = (
            tr("running · {time}", time=format_seconds(elapsed))
            if elapsed >= CLOCK_MS / 1000
            else tr("running")
        )
        self._editor.set_running_line(self._shown, note)
