"""The rail beside the timeline: a mark for each run, and the playhead that is dragged to one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QToolTip

from playhead.domain.conversation.run_fold import RunOutcome
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.row_layout import Anchor
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import mark, tr

RAIL_PX = 20
_PAD_PX = 14
_MOST_STEP_PX = 28
_SHAPED_PX = 8
"""Where marks are closer to each other they are bars, because shapes would touch."""
_FINE_PX = 12
"""Where marks are this far from each other, the space above one is the block of its run."""
_SNAP_PX = 4
_PAGE = 10
_ABOVE_PX = 40
_CHANGING = frozenset(
    ("run", "retry", "edit", "delete", "mend", "undo", "redo", "keep", "discard", "type")
)
"""What cannot be asked for while an earlier run is looked at."""
_COLOURS: dict[RunOutcome, str] = {
    "ok": "ok",
    "failed": "danger",
    "stopped": "mute",
    "undone": "mute",
    "running": "accent",
}
_BARS: dict[RunOutcome, int] = {"ok": 3, "undone": 6, "stopped": 8, "running": 10, "failed": 12}
"""The widths of bars; of runs that share a line of pixels the widest bar is drawn."""
OUTCOME_WORDS: dict[RunOutcome, str] = {
    "ok": mark("ran"),
    "failed": mark("failed"),
    "stopped": mark("stopped"),
    "undone": mark("undone"),
    "running": mark("running"),
}
_KEYS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -_PAGE,
    Qt.Key.Key_PageDown: _PAGE,
}


class RunRail(QAbstractSlider):
    """A slider over the runs of the conversation, from the first, 1, to the present behind all.

    It paints all marks itself, and dims the rows after a run that is looked at. Owner: the
    timeline; hidden while there is no run.

    Signals: `chosen(int, float)` when the user moves the playhead to a run, and to which part of
    its block (1.0: after it), `line_stepped(int)` when a key moves it by a line within the block,
    `refused()` when something was to change while the past is shown.
    `describe` returns a run in words, for its tip.
    """

    chosen = Signal(int, float)
    line_stepped = Signal(int)
    refused = Signal()

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        super().__init__(canvas.area)
        self._theme = theme
        self._canvas = canvas
        self._outcomes: Sequence[RunOutcome] = ()
        self._marks: QPixmap | None = None
        self._part = 1.0
        self._pointed = 0
        self.describe: Callable[[int], str] = str
        self.setOrientation(Qt.Orientation.Vertical)
        self.setInvertedAppearance(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Playhead"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        theme.changed.connect(self._forget_marks)
        self.show_runs(())

    @property
    def is_at_present(self) -> bool:
        """Return whether the playhead is behind the last run."""
        return self.value() == self.maximum()

    @property
    def part(self) -> float:
        """Return the part of the run's block that the playhead is at; 1.0 after it."""
        return self._part

    def show_runs(self, outcomes: Sequence[RunOutcome]) -> None:
        """Show the runs; the playhead stays at its run, or at the present."""
        number = 0 if self.is_at_present else self.value()
        self._outcomes = tuple(outcomes)
        self.setRange(1, len(outcomes) + 1)
        self.move_to(number or len(outcomes) + 1, self._part)
        self.setVisible(bool(outcomes))
        self._canvas.make_room_beside(RAIL_PX if outcomes else 0)
        self._forget_marks()

    def show_until(self, keys: Sequence[str]) -> None:
        """Scroll to these messages, and dim what came after them; () for nothing dimmed."""
        canvas, model = self._canvas, self._canvas.model
        for key in keys:
            model.choose(key)  # of several blocks in one card
        canvas.flush()
        found = [at for key in keys if (at := model.index_of(key)) is not None]
        canvas.shown_until = model.rows[max(found)].key if found else ""
        if found:
            above = min(_ABOVE_PX, canvas.port.height() // 8)
            canvas.show_anchor(Anchor(key=model.rows[min(found)].key, part=0, above=-above))
        canvas.port.update()

    def refuses(self, action: str) -> bool:
        """Return whether an action of a card is refused, because the past is only shown."""
        is_refused = bool(self._canvas.shown_until) and action in _CHANGING
        if is_refused:
            self.refused.emit()
        return is_refused

    def place(self) -> None:
        """Take the left edge of the timeline."""
        self.setGeometry(0, 0, RAIL_PX, self._canvas.area.height())

    def move_to(self, number: int, part: float = 1.0) -> None:
        """Put the playhead at a run, or behind the last; nothing is emitted."""
        self._part = part if number < self.maximum() else 1.0
        self.setValue(number)
        self._describe_place()
        self.update()

    def y_of(self, number: int, part: float = 1.0) -> float:
        """Return where a run's mark, or a part of its block, is."""
        return self.height() - _PAD_PX - (self.maximum() - number + 1 - part) * self._step

    def place_at(self, y: float) -> tuple[int, float]:
        """Return the run, and the part of its block, that is nearest to a height."""
        last = self.maximum()
        at = last - (self.height() - _PAD_PX - y) / self._step
        number = max(1, min(last, round(at)))
        if self._step < _FINE_PX or abs(at - number) * self._step <= _SNAP_PX or at >= last - 1:
            return number, 1.0
        number = max(1, math.ceil(at))
        edge = _SNAP_PX / self._step
        part = (at - number + 1 - edge) / (1 - 2 * edge)
        return number, min(0.999, max(0.0, part))

    @property
    def _step(self) -> float:
        """Return the distance between two marks."""
        room = max(1, self.height() - 2 * _PAD_PX)
        return min(_MOST_STEP_PX, room / self.maximum())

    def _choose(self, number: int, part: float = 1.0) -> None:
        number = max(1, min(self.maximum(), number))
        if (number, part) != (self.value(), self._part):
            self.move_to(number, part)
            self.chosen.emit(number, part)

    def _describe_place(self) -> None:
        is_now = self.is_at_present
        self.setAccessibleDescription(tr("now") if is_now else self.describe(self.value()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from run to run, with Shift from line to line, to the first, and back to now."""
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.ShiftModifier and key in (
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
        ):
            if not self.is_at_present:
                self.line_stepped.emit(_KEYS[key])
        elif modifiers:
            event.ignore()
        elif key in _KEYS:
            self._choose(self.value() + _KEYS[key])
        elif key == Qt.Key.Key_Home:
            self._choose(1)
        elif key == Qt.Key.Key_End or (key == Qt.Key.Key_Escape and not self.is_at_present):
            self._choose(self.maximum())
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put the playhead where the mouse is, and begin to drag it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._pointed = 0
            self._choose(*self.place_at(event.position().y()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the playhead, or show what is under the mouse."""
        y = event.position().y()
        if self.isSliderDown():
            self._choose(*self.place_at(y))
        elif (pointed := self.place_at(y)[0]) != self._pointed:
            self._pointed = pointed
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the timeline, which scrolls."""
        event.ignore()

    def event(self, event: QEvent) -> bool:
        """Show what is under the mouse as a tip; forget it when the mouse leaves."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number, _part = self.place_at(event.pos().y())
            is_now = number == self.maximum()
            words = tr("Now: drag the playhead up to see an earlier run")
            QToolTip.showText(event.globalPos(), words if is_now else self.describe(number), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self._pointed = 0
            self.update()
        if event.type() == QEvent.Type.Resize:
            self._marks = None
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the marks, which are kept as a picture, and the playhead over them."""
        if self._marks is None:
            self._marks = self._draw_marks()
        painter = QPainter(self)
        painter.drawPixmap(QPoint(0, 0), self._marks)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if 0 < self._pointed <= self.maximum():
            painter.setPen(QPen(self._theme.colour("mute"), 1))
            painter.drawEllipse(QPointF(RAIL_PX / 2, self.y_of(self._pointed)), 6, 6)
        self._draw_playhead(painter)
        painter.end()

    def _draw_playhead(self, painter: QPainter) -> None:
        y = self.y_of(self.value(), self._part)
        painter.setPen(QPen(self._theme.colour("bg"), 1.5))
        painter.setBrush(self._theme.colour("accent"))
        corners = ((3, -5), (11, -5), (17, 0), (11, 5), (3, 5))
        painter.drawPolygon(QPolygonF([QPointF(x, y + dy) for x, dy in corners]))
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(0.5, y - 8.5, RAIL_PX - 1, 17), 4, 4)

    def _draw_marks(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(self._theme.colour("bg"))
        painter = QPainter(pixmap)
        painter.setPen(self._theme.colour("line_strong"))
        middle = RAIL_PX / 2
        painter.drawLine(QPointF(middle, self.y_of(1)), QPointF(middle, self.y_of(self.maximum())))
        if self._step < _SHAPED_PX:
            self._draw_bars(painter, middle)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for number, outcome in enumerate(self._outcomes, 1):
                self._draw_shape(painter, outcome, QPointF(middle, self.y_of(number)))
            painter.setPen(QPen(self._theme.colour("mute"), 1.5))
            painter.setBrush(self._theme.colour("bg"))
            painter.drawEllipse(QPointF(middle, self.y_of(self.maximum())), 3, 3)
        painter.end()
        return pixmap

    def _draw_bars(self, painter: QPainter, middle: float) -> None:
        """Draw a bar for each line of pixels that has runs: the most telling of them."""
        lines: dict[int, RunOutcome] = {}
        for number, outcome in enumerate(self._outcomes, 1):
            y = round(self.y_of(number))
            if y not in lines or _BARS[outcome] > _BARS[lines[y]]:
                lines[y] = outcome
        height = max(1, math.floor(self._step) - 1)
        for y, outcome in lines.items():
            wide = _BARS[outcome]
            colour = self._theme.colour(_COLOURS[outcome])
            painter.fillRect(QRectF(middle - wide / 2, y, wide, height), colour)

    def _draw_shape(self, painter: QPainter, outcome: RunOutcome, at: QPointF) -> None:
        """Draw a mark that differs from others also without its colour."""
        colour = self._theme.colour(_COLOURS[outcome])
        painter.setPen(QPen(colour, 1.5))
        painter.setBrush(colour)
        match outcome:
            case "ok":
                painter.drawEllipse(at, 2.5, 2.5)
            case "failed":
                ends = ((0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0))
                painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in ends]))
            case "stopped":
                painter.drawRect(QRectF(at.x() - 2.5, at.y() - 2.5, 5, 5))
            case "undone" | "running":
                painter.setBrush(self._theme.colour("bg"))
                painter.drawEllipse(at, 3.5, 3.5)
                if outcome == "running":
                    painter.drawPoint(at)

    def _forget_marks(self) -> None:
        self._marks = None
        self.update()
