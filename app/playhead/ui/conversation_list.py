"""The list inside the sidebar: how its rows are painted and which keys it takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from playhead.ui.sidebar_model import Row, SidebarModel
from playhead.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_ROW_PX, _DOT_PX, _ICON_PX = 32, 8, 12


class ConversationList(QListView):
    """Enter opens, F2 renames, Delete asks; the arrow keys only move.

    Signals: `opened(QModelIndex)`, `delete_pressed(QModelIndex)`.
    """

    opened = Signal(QModelIndex)
    delete_pressed = Signal(QModelIndex)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QListView.Shape.NoFrame)
        # Ten thousand rows are laid out anew whenever a program begins or ends a conversation.
        self.setUniformItemSizes(True)

    @contextmanager
    def place_kept(self) -> Iterator[None]:
        """Rows that come and go above do not move what is read, unless the top is."""
        top = QPersistentModelIndex(self.indexAt(QPoint(1, 1)))
        bar = self.verticalScrollBar()
        before = self.visualRect(top).y()
        yield
        if bar.value() and top.isValid():
            moved = self.visualRect(top).y() - before
            bar.setValue(bar.value() + moved)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open or delete by the keyboard."""
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.opened.emit(index)
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.delete_pressed.emit(index)
        else:
            super().keyPressEvent(event)


class RowDelegate(QStyledItemDelegate):
    """Paints headings and rows: hover, choice, focus ring and the state's dot."""

    def __init__(self, theme: Theme, model: SidebarModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """All rows are equally high, headings too."""
        return QSize(0, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw a heading or a conversation."""
        row = self._model.row_at(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.conversation_id:
            self._paint_row(painter, option, index, row.text)
        else:
            self._paint_heading(painter, option.rect.adjusted(10, 7, -10, 0), row)
        painter.restore()

    def _paint_heading(self, painter: QPainter, room: QRect, row: Row) -> None:
        """A group of days, or the program that begins conversations over the API."""
        text = row.text.upper()
        if row.client:
            text = row.client
            ratio = painter.device().devicePixelRatioF()
            icon = self._theme.pixmap("plug", "faint", _ICON_PX, ratio)
            painter.drawPixmap(room.left(), room.center().y() - _ICON_PX // 2, icon)
            room.setLeft(room.left() + _ICON_PX + 6)
        painter.setFont(self._theme.font(11, QFont.Weight.DemiBold))
        painter.setPen(self._theme.colour("faint"))
        elide = painter.fontMetrics().elidedText
        shown = elide(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_row(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, text: str
    ) -> None:
        rect = option.rect.adjusted(0, 1, 0, -1)
        state = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(self._theme.colour("pressed" if is_chosen else "hover"))
            has_focus = is_chosen and bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(self._theme.colour("accent") if has_focus else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect.adjusted(1, 0, -1, 0), 7, 7)
        room = rect.adjusted(10, 0, -10, 0)
        if self._paint_dot(painter, rect, index):
            room.setRight(room.right() - 2 * _DOT_PX)
        weight = QFont.Weight.Medium if is_chosen else QFont.Weight.Normal
        painter.setFont(self._theme.font(13, weight))
        painter.setPen(self._theme.colour("text"))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_dot(self, painter: QPainter, rect: QRect, index: _Index) -> bool:
        """A full dot: at work; a ring: waits for the user."""
        state = self._model.state_at(index)
        if state == "idle":
            return False
        colour = self._theme.colour("accent")
        place = QRect(rect.right() - 10 - _DOT_PX, rect.center().y() - 3, _DOT_PX, _DOT_PX)
        is_waiting = state == "awaiting_approval"
        painter.setPen(colour)
        painter.setBrush(Qt.BrushStyle.NoBrush if is_waiting else colour)
        painter.drawEllipse(place.adjusted(1, 1, -1, -1))
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """A field for the title."""
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title")
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """The title, chosen whole so that typing replaces it."""
        if isinstance(editor, QLineEdit):
            editor.setText(self._model.row_at(index).text)
            editor.selectAll()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """The field takes the row's place."""
        editor.setGeometry(option.rect)
        editor.palette().setColor(QPalette.ColorRole.Base, self._theme.colour("bg"))
