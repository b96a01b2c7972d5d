"""Shows one difference of a check: what was recorded beside what came out."""

from __future__ import annotations

import base64

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPixmap, QResizeEvent, QTextCharFormat, QTextFormat
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from playhead.checking.check_report import Difference
from playhead.checking.comparing.outcome import Outcome
from playhead.checking.comparing.table_comparison import differing_cells
from playhead.checking.comparing.text_comparison import aligned, compare_texts
from playhead.domain.conversation.payloads import Table
from playhead.ui.timeline.cards.picture_decoder import decode_picture
from playhead.ui.widgets.theme import GAP_M, GAP_S, Theme
from playhead.ui.widgets.wording import tr, tr_phrase

_LARGEST = QSize(1600, 1600)
_NARROW_PX = 420
_MOST_ROWS, _MOST_COLUMNS = 200, 60
_Lines = list[tuple[str | None, bool]]


class SideBySide(QFrame):
    """Shows a difference: a sentence, and below it the two sides."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._difference: Difference | None = None
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.before = _Side(theme, tr("Recorded"), self)
        self.now = _Side(theme, tr("Now"), self)
        self._sides = sides = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        sides.setContentsMargins(0, 0, 0, 0)
        sides.setSpacing(GAP_M)
        sides.addWidget(self.before, 1)
        sides.addWidget(self.now, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_M, 0, 0, 0)
        layout.setSpacing(GAP_M)
        layout.addWidget(self.words)
        layout.addLayout(sides, 1)
        self._scroll_together()
        theme.changed.connect(self._show_again)

    def show_difference(self, difference: Difference) -> None:
        """Show another difference."""
        self._difference = difference
        words = tr_phrase(difference.words)
        if difference.cause:
            words += "\n" + tr("Likely: {cause}.", cause=tr_phrase(difference.cause))
        self.words.setText(words[:1].upper() + words[1:])
        before, now = difference.before, difference.now
        if before is not None and now is not None and before.table and now.table:
            cells = {(one.row, one.column) for one in differing_cells(before.table, now.table)}
            self.before.show_table(before.table, cells)
            self.now.show_table(now.table, cells)
        elif before is not None and now is not None and before.kind == now.kind == "text":
            pairs = aligned(before.text, now.text)
            marked = [_differ(left, right) for left, right in pairs]
            self.before.show_lines(
                [(one, is_on) for (one, _), is_on in zip(pairs, marked, strict=True)]
            )
            self.now.show_lines(
                [(one, is_on) for (_, one), is_on in zip(pairs, marked, strict=True)]
            )
        else:
            self.before.show_outcome(before)
            self.now.show_outcome(now)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the sides one above the other where there is little room."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._sides.setDirection(below if is_narrow else beside)

    def _show_again(self) -> None:
        if self._difference is not None:
            self.show_difference(self._difference)

    def _scroll_together(self) -> None:
        pairs = (
            (self.before.text.verticalScrollBar(), self.now.text.verticalScrollBar()),
            (self.before.cells.verticalScrollBar(), self.now.cells.verticalScrollBar()),
            (self.before.cells.horizontalScrollBar(), self.now.cells.horizontalScrollBar()),
        )
        for one, other in pairs:
            one.valueChanged.connect(other.setValue)
            other.valueChanged.connect(one.setValue)


def _differ(before: str | None, now: str | None) -> bool:
    """Return whether two lines differ by more than addresses and the like."""
    if before is None or now is None or before == now:
        return before != now
    return compare_texts(before, now).verdict == "differs"


class _Side(QWidget):
    """One side: a heading, and a text, a picture or a table."""

    def __init__(self, theme: Theme, heading: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        label = QLabel(heading, self)
        label.setProperty("kind", "section")
        self.text = QPlainTextEdit(self)
        self.text.setProperty("kind", "code")
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(heading)
        self.picture = _Picture(self)
        self.picture.setAccessibleName(heading)
        self.cells = QTableWidget(self)
        self.cells.setProperty("kind", "cells")
        self.cells.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.cells.setAccessibleName(heading)
        self.nothing = QLabel(tr("Nothing"), self)
        self.nothing.setProperty("kind", "faint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._pages = QStackedWidget(self)
        for page in (self.text, self.picture, self.cells, self.nothing):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_S)
        layout.addWidget(label)
        layout.addWidget(self._pages, 1)

    def show_outcome(self, outcome: Outcome | None) -> None:
        """Show a result of any kind; None is nothing."""
        if outcome is None:
            self._pages.setCurrentWidget(self.nothing)
        elif outcome.kind == "figure":
            self._show_picture(outcome)
        elif outcome.table is not None:
            self.show_table(outcome.table, set())
        else:
            named = outcome.kind == "error" and outcome.name
            text = f"{outcome.name}: {outcome.text}" if named else outcome.text
            self.show_lines([(line, False) for line in text.split("\n")])

    def show_lines(self, lines: _Lines) -> None:
        """Show lines of text; those that differ are marked, None is a gap."""
        self.text.setFont(self._theme.code_font())
        self.text.setPlainText("\n".join(line or "" for line, _ in lines))
        marks: list[QTextEdit.ExtraSelection] = []
        block = self.text.document().firstBlock()
        for line, is_other in lines:
            if is_other:
                marks.append(self._mark(block.position(), "faint" if line is None else "warn"))
            block = block.next()
        self.text.setExtraSelections(marks)
        self._pages.setCurrentWidget(self.text)

    def _mark(self, position: int, colour: str) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        cursor = self.text.textCursor()
        cursor.setPosition(position)
        mark.cursor = cursor  # type: ignore[attr-defined]
        style = QTextCharFormat()
        style.setBackground(self._ground(colour))
        style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        mark.format = style  # type: ignore[attr-defined]
        return mark

    def _ground(self, colour: str) -> QColor:
        return self._theme.colour("warn_bg" if colour == "warn" else "hover")

    def show_table(self, table: Table, marked: set[tuple[int, int]]) -> None:
        """Show the rows of a table; cells that differ are marked."""
        rows, columns = table.rows[:_MOST_ROWS], table.columns[:_MOST_COLUMNS]
        self.cells.setColumnCount(len(columns))
        self.cells.setRowCount(len(rows))
        self.cells.setHorizontalHeaderLabels(list(columns))
        for row, values in enumerate(rows):
            for column, value in enumerate(values[: len(columns)]):
                item = QTableWidgetItem("" if value is None else str(value))
                if (row, column) in marked:
                    item.setBackground(self._ground("warn"))
                    item.setForeground(self._theme.colour("warn"))
                self.cells.setItem(row, column, item)
        self._pages.setCurrentWidget(self.cells)

    def _show_picture(self, outcome: Outcome) -> None:
        is_drawing = b"<svg" in outcome.data[:4000]
        source = (
            outcome.data.decode("utf-8", "replace")
            if is_drawing
            else base64.b64encode(outcome.data).decode("ascii")
        )
        image, problem = decode_picture(source, "svg" if is_drawing else "base64", _LARGEST)
        self.picture.show_pixmap(QPixmap.fromImage(image), problem)
        self._pages.setCurrentWidget(self.picture)


class _Picture(QLabel):
    """A picture as large as there is room, and no larger than it is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._whole = QPixmap()
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self.setMinimumSize(80, 80)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def show_pixmap(self, pixmap: QPixmap, problem: str) -> None:
        """Show a picture, or why it cannot be."""
        self._whole = pixmap
        self.setText(problem)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the picture."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._whole.isNull():
            return
        room = self.size().boundedTo(self._whole.size())
        keep = Qt.AspectRatioMode.KeepAspectRatio
        smooth = Qt.TransformationMode.SmoothTransformation
        self.setPixmap(self._whole.scaled(room, keep, smooth))
