"""The list inside the sidebar: the painting of its rows, its keys and its gutter."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QKeyCombination,
    QMargins,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
)

from playhead.ui.widgets.focus_memory import is_text
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import (
        QFocusEvent,
        QKeyEvent,
        QMouseEvent,
    )
    from PySide6.QtWidgets import (
        QStyleOptionViewItem,
        QWidget,
    )

    from playhead.ui.sidebar.model import Row, SidebarModel
    from playhead.ui.widgets.theme import Theme

GUTTER_PX = 12
"""As wide as the margin that everything else has at that side."""


class GutteredList(QListView):
    """A list with room at its side in which its scroll bar appears."""

    def keep_gutter(self) -> None:
        """Set up the room for the scroll bar; called once, when the list is made."""
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self._on_range_changed(0, 0)

    def _on_range_changed(self, _low: int, high: int) -> None:
        bar = self.verticalScrollBar().sizeHint().width() if high else 0
        self.setViewportMargins(trailing_margin(self, max(0, GUTTER_PX - bar)))


def trailing_margin(widget: QWidget, width_px: int) -> QMargins:
    """Return a margin in pixels at the side where lines end."""
    is_mirrored = widget.isRightToLeft()
    return QMargins(width_px if is_mirrored else 0, 0, 0 if is_mirrored else width_px, 0)


_Index = QModelIndex | QPersistentModelIndex
_ROW_PX, _DOT_PX, _ICON_PX, _SIGN_PX = 32, 8, 12, 14
_MENU_KEYS = QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F10)
_STAYING = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)
"""Reasons for which the keyboard comes back by itself."""
_WAITING_SIGNS = {"awaiting_approval": "circle-alert", "awaiting_input": "keyboard"}
_MORE_PX = 24
"""Room at the right of a row under the mouse for the sign that opens its menu."""


class ConversationList(GutteredList):
    """Enter and a click open, F2 and a double click rename, Delete deletes; arrows only move.

    With Ctrl or Shift a click chooses several. Signals: `opened(QModelIndex)`, `delete_pressed()`,
    `escape_pressed()`, `undo_pressed()`, `left()` when the keyboard has gone elsewhere,
    `menu_wanted(QModelIndex, QPoint)` with the row, invalid outside all rows, and the point on the
    screen.
    """

    opened = Signal(QModelIndex)
    delete_pressed = Signal()
    escape_pressed = Signal()
    undo_pressed = Signal()
    left = Signal()
    menu_wanted = Signal(QModelIndex, QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.EditKeyPressed | trigger.DoubleClicked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.clicked.connect(self._on_clicked)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QListView.Shape.NoFrame)
        # Ten thousand rows are laid out again whenever a program begins or ends a conversation.
        self.setUniformItemSizes(True)
        self.keep_gutter()

    @contextmanager
    def place_kept(self) -> Iterator[None]:
        """Keep the rows in view in place while rows above change, unless the list is at the top."""
        top = QPersistentModelIndex(self.indexAt(QPoint(1, 1)))
        bar = self.verticalScrollBar()
        before = self.visualRect(top).y()
        yield
        if bar.value() and top.isValid():
            moved = self.visualRect(top).y() - before
            bar.setValue(bar.value() + moved)

    @property
    def is_editing(self) -> bool:
        """Return whether a title is being typed; changed rows end only Qt's editing state."""
        editors = self.viewport().findChildren(QLineEdit)
        return any(not editor.isHidden() for editor in editors)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open, delete or undo by the keyboard."""
        index = self.currentIndex()
        if self.is_editing:  # Return has ended the editor and comes here as well
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.opened.emit(index)
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.delete_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        elif event.keyCombination() == _MENU_KEYS:
            self._open_menu_of_current()
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.undo_pressed.emit()
        elif is_text(event):
            event.ignore()  # it is the window's, which puts it into the message
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that the keyboard has gone elsewhere in the window."""
        super().focusOutEvent(event)
        if event.reason() not in _STAYING:
            self.left.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the row under the mouse, or of the current one."""
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            self.menu_wanted.emit(self.indexAt(event.pos()), event.globalPos())
        elif QApplication.activePopupWidget() is None:
            self._open_menu_of_current()

    def _open_menu_of_current(self) -> None:
        """Ask for the menu by Shift+F10, which is a context menu event on Windows only."""
        index = self.currentIndex()
        self.scrollTo(index)
        place = self.viewport().mapToGlobal(self.visualRect(index).center())
        self.menu_wanted.emit(index, place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open the menu at the button for it; handle other places like any list."""
        index = self.indexAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and self._is_at_more(index, event.position().toPoint()):
            self.menu_wanted.emit(index, event.globalPosition().toPoint())
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Rename the title that was clicked, unless the button of its menu was."""
        place = event.position().toPoint()
        if not self._is_at_more(self.indexAt(place), place):
            super().mouseDoubleClickEvent(event)

    def _is_at_more(self, index: QModelIndex, place: QPoint) -> bool:
        """Return whether a point is on the menu button of the row under the mouse."""
        is_editable = bool(self.model().flags(index) & Qt.ItemFlag.ItemIsEditable)
        return is_editable and more_rect(self.visualRect(index)).contains(place)

    def _on_clicked(self, index: QModelIndex) -> None:
        choosing = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if not QGuiApplication.keyboardModifiers() & choosing:
            self.opened.emit(index)


def more_rect(row: QRect) -> QRect:
    """Return the rectangle of the menu button in a row."""
    return QRect(row.right() - _MORE_PX - 3, row.top() + 4, _MORE_PX, row.height() - 8)


class RowDelegate(QStyledItemDelegate):
    """Paints headings and rows: hover, selection, focus ring and the conversation's state."""

    def __init__(self, theme: Theme, model: SidebarModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows, including headings."""
        return QSize(0, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a heading or a conversation."""
        row = self._model.row_at(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.conversation_id:
            self._paint_row(painter, option, index, row.text)
        else:
            if row.fold:
                self._paint_ground(painter, option, index)
            lead = 0 if row.fold else 7  # one that can be opened has its own background
            self._paint_heading(painter, option.rect.adjusted(10, lead, -10, 0), row)
        painter.restore()

    def _paint_heading(self, painter: QPainter, room: QRect, row: Row) -> None:
        """Paint the heading of a group of days, or of a program that uses the API."""
        text = row.text.upper()
        if row.client:
            text = row.client
            ratio = painter.device().devicePixelRatioF()
            icon = self._theme.pixmap("plug", "faint", _ICON_PX, ratio)
            painter.drawPixmap(room.left(), room.center().y() - _ICON_PX // 2, icon)
            room.setLeft(room.left() + _ICON_PX + 6)
        if row.fold:
            name = "chevron-down" if self._model.is_archive_open else "chevron-right"
            ratio = painter.device().devicePixelRatioF()
            icon = self._theme.pixmap(name, "faint", _ICON_PX, ratio)
            painter.drawPixmap(room.right() - _ICON_PX, room.center().y() - _ICON_PX // 2, icon)
        painter.setFont(self._theme.font(11, QFont.Weight.DemiBold))
        painter.setPen(self._theme.colour("faint"))
        elide = painter.fontMetrics().elidedText
        shown = elide(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_row(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index, text: str
    ) -> None:
        from PySide6.QtWidgets import QStyle

        rect = option.rect.adjusted(0, 1, 0, -1)
        self._paint_ground(painter, option, index)
        room = rect.adjusted(10, 0, -10, 0)
        state = option.state
        if state & QStyle.StateFlag.State_MouseOver and self._paint_more(painter, option, index):
            room.setRight(more_rect(option.rect).left() - 2)
        if self._paint_sign(painter, room, index):
            room.setRight(room.right() - _SIGN_PX - 4)
        conversation_id = self._model.row_at(index).conversation_id
        self._paint_machine(painter, room, self._model.machine(conversation_id))
        is_unread = self._model.is_unread(conversation_id)
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        is_bold = is_chosen or self._model.is_open(index)
        weight = QFont.Weight.Medium if is_bold else QFont.Weight.Normal
        weight = QFont.Weight.DemiBold if is_unread else weight
        painter.setFont(self._theme.font(13, weight))
        painter.setPen(self._theme.colour("text"))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_machine(self, painter: QPainter, room: QRect, machine: str) -> None:
        """Paint where the code runs at the end of the row, and take its room off."""
        if not machine:
            return
        painter.setFont(self._theme.font(11))
        painter.setPen(self._theme.colour("accent"))
        metrics = painter.fontMetrics()
        most = room.width() * 2 // 5
        words = metrics.elidedText(machine, Qt.TextElideMode.ElideMiddle, most)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
        room.setRight(room.right() - metrics.horizontalAdvance(words) - 6)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint the background for hover, selection and focus, and of the open conversation."""
        from PySide6.QtWidgets import QStyle

        state = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected) or self._model.is_open(index)
        has_focus = bool(state & QStyle.StateFlag.State_HasFocus)
        if not (is_chosen or has_focus or state & QStyle.StateFlag.State_MouseOver):
            return
        painter.setBrush(self._theme.colour("pressed" if is_chosen else "hover"))
        painter.setPen(self._theme.colour("accent") if has_focus else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 7, 7)

    def _paint_more(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> bool:
        """Paint the button of the menu and return whether it is shown."""
        if not self._model.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        icon = self._theme.pixmap("ellipsis", "mute", 16, painter.device().devicePixelRatioF())
        middle = more_rect(option.rect).center()
        painter.drawPixmap(middle.x() - 7, middle.y() - 7, icon)
        return True

    def _paint_sign(self, painter: QPainter, room: QRect, index: _Index) -> bool:
        """Paint the state and return whether there is one.

        Three quarters of a ring: at work; "!" in a ring: waits for a decision; a keyboard: waits
        for an answer; a full dot: unread.
        """
        state = self._model.state_at(index)
        place = QRect(0, 0, _SIGN_PX, _SIGN_PX)
        place.moveCenter(QPoint(room.right() - _SIGN_PX // 2, room.center().y() + 1))
        if name := _WAITING_SIGNS.get(state):
            ratio = painter.device().devicePixelRatioF()
            icon = self._theme.pixmap(name, "warn", _SIGN_PX, ratio)
            painter.drawPixmap(place.topLeft(), icon)
        elif state != "idle":
            painter.setPen(QPen(self._theme.colour("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawArc(place.adjusted(2, 2, -2, -2), 90 * 16, -270 * 16)
        elif self._model.is_unread(self._model.row_at(index).conversation_id):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent"))
            inset = (_SIGN_PX - _DOT_PX) // 2
            painter.drawEllipse(place.adjusted(inset, inset, -inset, -inset))
        else:
            return False
        return True

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a field for the title."""
        editor = QLineEdit(parent)
        editor.setAccessibleName(tr("Title"))
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Select the whole title so that typing replaces it; keep text that was typed already."""
        if isinstance(editor, QLineEdit) and not editor.isModified():
            editor.setText(self._model.row_at(index).text)
            editor.selectAll()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Place the field over the row."""
        editor.setGeometry(option.rect)
        editor.palette().setColor(QPalette.ColorRole.Base, self._theme.colour("bg"))
