"""The list of what was found: how titles and places look, and which keys it takes."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from playhead.ui.gutter import GutteredList
from playhead.ui.sidebar.results import ResultRow, ResultsModel
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_Index = QModelIndex | QPersistentModelIndex
_HEIGHTS = {"title": 32, "hit": 44, "more": 26, "note": 44}
_LINES = 2
_INDENT = 20


class ResultsList(GutteredList):
    """Enter and a click open; Escape leaves. Signals: `opened(QModelIndex)`, `left()`."""

    opened = Signal(QModelIndex)
    left = Signal()

    def __init__(self, theme: Theme, model: ResultsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "conversations")
        self.setAccessibleName(tr("Search results"))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setModel(model)
        self.setItemDelegate(ResultDelegate(theme, model, self))
        self.keep_gutter()
        self.clicked.connect(self.opened)
        self._model = model

    def move(self, step: int) -> None:
        """Choose the next or the previous row, from wherever the keyboard is."""
        row = self.currentIndex().row()
        at = self._model.first_result if row < 0 < step else self._model.next_place(row, step)
        self.setCurrentIndex(self._model.index(at))

    def open_current(self) -> None:
        """Open what is chosen, else the first there is."""
        if not self.currentIndex().isValid():
            self.move(1)
        if self.currentIndex().isValid():
            self.opened.emit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open or leave by the keyboard."""
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.open_current()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


class ResultDelegate(QStyledItemDelegate):
    """Paints titles, places with their words marked, and what stands for the rest."""

    def __init__(self, theme: Theme, model: ResultsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Two lines for what was said."""
        row = self._model.row_at(index)
        return QSize(0, _HEIGHTS[row.kind] if row else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw one row."""
        row = self._model.row_at(index)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind != "note":
            self._paint_ground(painter, option)
        room = option.rect.adjusted(10, 0, -8, 0)
        if row.kind in ("hit", "more"):
            room.setLeft(room.left() + _INDENT - 10)
        match row.kind:
            case "title":
                self._paint_title(painter, room, row)
            case "hit":
                self._paint_hit(painter, room, row)
            case "more" | "note":
                self._paint_words(painter, room, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            has_focus = is_chosen and bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setBrush(self._theme.colour("pressed" if is_chosen else "hover"))
            painter.setPen(self._theme.colour("accent") if has_focus else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 7, 7)

    def _paint_title(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        if row.is_archived:
            painter.setFont(self._theme.font(11))
            painter.setPen(self._theme.colour("faint"))
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(room, align, tr("Archived"))
            room.setRight(
                room.right() - painter.fontMetrics().horizontalAdvance(tr("Archived")) - 8
            )
        layout = self._layout(row, self._theme.font(13, QFont.Weight.Medium), "text")
        self._draw(painter, layout, room, 1)

    def _paint_hit(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        painter.fillRect(room.left() - 10, room.top(), 1, room.height(), self._theme.colour("line"))
        self._draw(painter, self._layout(row, self._theme.font(12), "mute"), room, _LINES)

    def _paint_words(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        painter.setFont(self._theme.font(12))
        painter.setPen(self._theme.colour("accent" if row.kind == "more" else "faint"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(room, flags, row.text)

    def _layout(self, row: ResultRow, font: QFont, ink: str) -> QTextLayout:
        """The text with its speaker before it and the words that were looked for marked."""
        before = f"{row.speaker}: " if row.speaker else ""
        layout = QTextLayout(before + row.text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        formats = [self._range(0, len(before) + _units(row.text), ink)]
        if before:
            formats.append(self._range(0, len(before), "faint"))
        for start, end in row.marks:
            first = len(before) + _units(row.text[:start])
            marked = self._range(first, _units(row.text[start:end]), "text")
            marked.format.setBackground(self._theme.colour("selection"))
            formats.append(marked)
        layout.setFormats(formats)
        return layout

    def _range(self, start: int, length: int, ink: str) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        made.start, made.length = start, length
        made.format = QTextCharFormat()
        made.format.setForeground(self._theme.colour(ink))
        return made

    def _draw(self, painter: QPainter, layout: QTextLayout, room: QRect, most: int) -> None:
        """As many lines as there is room for; the last one ends in dots if there is more."""
        height, end = _lay_out(layout, room.width(), most)
        text = layout.text()
        if end < _units(text):
            kept = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, end - 2)]
            layout.setText(kept.decode("utf-16-le", "ignore").rstrip() + "…")
            height, _ = _lay_out(layout, room.width(), most)
        top = room.top() + (room.height() - height) / 2
        layout.draw(painter, QPointF(room.left(), top))


def _lay_out(layout: QTextLayout, width: int, most: int) -> tuple[float, int]:
    """The height of the first lines, and where in the text they end."""
    layout.beginLayout()
    height, end = 0.0, 0
    for _ in range(most):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(20, width))
        line.setPosition(QPointF(0, height))
        height += line.height()
        end = line.textStart() + line.textLength()
    layout.endLayout()
    return height, end


def _units(text: str) -> int:
    """How long Qt finds a text: signs beyond the first 65,536 count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
