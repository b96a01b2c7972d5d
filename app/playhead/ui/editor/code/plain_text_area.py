"""A plain text field with a margin: line numbers, the running line, what was changed, notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QTextBlock,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from playhead.ui.editor.code.code_editor import HEAT_LEVELS, EditorColours, mix_colours

_ARROW_PX, _MARK_PX, _HEAT_PX, _PAD_PX = 14, 12, 3, 5
_SIGNS = {"added": "+", "changed": "|", "removed": "−"}


class PlainTextArea(QPlainTextEdit):
    """Paints the tables of lines (from 1) that its owner, the plain editor, fills."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.colours: EditorColours | None = None
        self.running: int | None = None
        self.running_note = ""
        self.notes: dict[int, str] = {}
        self.errors: dict[int, str] = {}
        self.changes: Mapping[int, str] = {}
        self.heat: dict[int, int] = {}
        self._margin = _Margin(self)
        self._line_count = 1
        self.document().setDocumentMargin(0)
        self.document().contentsChange.connect(self._on_contents_changed)
        self.blockCountChanged.connect(self.size_margin)
        self.updateRequest.connect(self._on_update_requested)

    def refresh(self) -> None:
        """Paint again after a change of the tables."""
        self.size_margin()
        self._margin.update()
        self.viewport().update()

    def size_margin(self) -> None:
        """Make room for the longest line number."""
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def margin_width(self) -> int:
        """Return the width of the margin in pixels."""
        digits = max(3, len(str(self.blockCount())))
        numbers = self.fontMetrics().horizontalAdvance("9") * digits + 16
        return numbers + _ARROW_PX + _MARK_PX + _HEAT_PX + _PAD_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the margin as high as the text."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(
            QRect(inside.left(), inside.top(), self.margin_width(), inside.height())
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, then the notes at the ends of its lines."""
        super().paintEvent(event)
        if self.colours is None or not (self.notes or self.errors or self.running):
            return
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        for block, top in self.visible_blocks():
            self._paint_note(painter, block, top)
        painter.end()

    def paint_margin(self, painter: QPainter) -> None:
        """Paint the numbers, arrow, marks and heat of the visible lines."""
        if (colours := self.colours) is None:
            return
        painter.fillRect(self._margin.rect(), QColor(colours.background))
        painter.setFont(self.font())
        for block, top in self.visible_blocks():
            height = round(self.blockBoundingRect(block).height())
            self._paint_margin_line(painter, colours, block.blockNumber() + 1, round(top), height)

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, float]]:
        """Yield the visible lines, each with its top."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        bottom = self.viewport().height()
        while block.isValid() and top <= bottom:
            if block.isVisible():
                yield block, top
                top += self.blockBoundingRect(block).height()
            block = block.next()

    def _paint_margin_line(
        self, painter: QPainter, colours: EditorColours, line: int, top: int, height: int
    ) -> None:
        row = self.fontMetrics().height()
        width = self.margin_width()
        right = width - _PAD_PX - _HEAT_PX - _MARK_PX - _ARROW_PX
        if line == self.running:
            painter.fillRect(0, top, width, height, QColor(colours.running))
            _paint_arrow(painter, QColor(colours.accent), right + 3, top + row / 2)
        painter.setPen(QColor(colours.faint))
        align = Qt.AlignmentFlag.AlignRight
        painter.drawText(QRect(0, top, right - 4, row), align, str(line))
        if (kind := self.changes.get(line)) is not None:
            painter.setPen(QColor(_change_colour(colours, kind)))
            mark = QRect(right + _ARROW_PX, top, _MARK_PX, row)
            painter.drawText(mark, Qt.AlignmentFlag.AlignHCenter, _SIGNS[kind])
        if level := self.heat.get(line, 0):
            colour = mix_colours(colours.background, colours.accent, level / HEAT_LEVELS)
            painter.fillRect(width - _PAD_PX - _HEAT_PX, top, _HEAT_PX, height, QColor(colour))

    def _paint_note(self, painter: QPainter, block: QTextBlock, top: float) -> None:
        colours = self.colours
        line = block.blockNumber() + 1
        note = self.running_note if line == self.running else self.notes.get(line, "")
        error = self.errors.get(line, "")
        if colours is None or not (note or error):
            return
        last = block.layout().lineAt(max(0, block.layout().lineCount() - 1))
        left = last.naturalTextRect().right() + self.contentOffset().x() + 24
        place = QPointF(left, top + last.y() + self.fontMetrics().ascent())
        for text, colour in ((error, colours.error), (note, colours.mute)):
            if text:
                painter.setPen(QColor(colour))
                painter.drawText(place, text)
                place.setX(place.x() + self.fontMetrics().horizontalAdvance(text) + 24)

    def _on_contents_changed(self, position: int, _removed: int, _added: int) -> None:
        """Move the notes and marks of lines when lines above are added or removed."""
        more = self.blockCount() - self._line_count
        self._line_count += more
        if not more:
            return
        block = self.document().findBlock(position)
        first = block.blockNumber() + (1 if position == block.position() else 2)
        for table in (self.notes, self.errors, self.heat):
            moved = {line + more if line >= first else line: one for line, one in table.items()}
            table.clear()
            table.update(moved)  # type: ignore[arg-type]

    def _on_update_requested(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())


class _Margin(QWidget):
    def __init__(self, text: PlainTextArea) -> None:
        super().__init__(text)
        self._text = text

    def sizeHint(self) -> QSize:
        """Return the width of the line numbers."""
        return QSize(self._text.margin_width(), 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Let the text area paint the margin."""
        painter = QPainter(self)
        self._text.paint_margin(painter)
        painter.end()


def _change_colour(colours: EditorColours, kind: str) -> str:
    by_kind = {"added": colours.added, "changed": colours.accent, "removed": colours.error}
    return by_kind[kind]


def _paint_arrow(painter: QPainter, colour: QColor, left: int, middle: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corners = [QPointF(left, middle - 5), QPointF(left + 6, middle), QPointF(left, middle + 5)]
    painter.drawPolygon(QPolygonF(corners))
