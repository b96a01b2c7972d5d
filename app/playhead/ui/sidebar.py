"""The conversations at the left: new, find, open, rename, delete, settings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QMessageBox,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.conversation.requests import ConversationSummary
from playhead.session.session import SessionState
from playhead.ui.sidebar_model import SidebarModel
from playhead.ui.theme import BAR_HEIGHT, Theme

_Index = QModelIndex | QPersistentModelIndex
_ROW_PX, _HEADING_PX, _DOT_PX = 32, 34, 8


class Sidebar(QWidget):
    """Signals: `new_requested()`, `opened(str id)`, `renamed(str id, str title)`,
    `delete_confirmed(str id)`, `settings_requested()`, `fold_requested()`.
    """

    new_requested = Signal()
    opened = Signal(str)
    renamed = Signal(str, str)
    delete_confirmed = Signal(str)
    settings_requested = Signal()
    fold_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        state_of: Callable[[str], SessionState],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._current = ""
        self._summaries: Sequence[ConversationSummary] = ()
        self.setProperty("kind", "sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = SidebarModel(state_of, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 12)
        layout.setSpacing(6)
        layout.addWidget(self._make_head())
        layout.addWidget(self._make_new_button())
        layout.addWidget(self._make_search())
        layout.addWidget(self._make_list(), 1)
        layout.addWidget(self._make_settings())
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_conversations(self, summaries: Sequence[ConversationSummary]) -> None:
        """Show the list as it is now, states included."""
        self._summaries = summaries
        self._refresh()

    def set_current(self, conversation_id: str) -> None:
        """Which conversation is in the window."""
        self._current = conversation_id
        self._select_current()

    def begin_rename(self, conversation_id: str) -> None:
        """Change a title in place."""
        index = self.model.index_of(conversation_id)
        if index.isValid():
            self.list.edit(index)

    def ask_delete(self, conversation_id: str) -> None:
        """Ask before a conversation is gone for good; the program runs on meanwhile."""
        title = self.model.row_at(self.model.index_of(conversation_id)).text
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle("Delete conversation")
        box.setText(f"Delete “{title}”?")
        box.setInformativeText("Its messages and outputs are deleted for good.")
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        delete.setProperty("kind", "danger")
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(cancel)
        delete.clicked.connect(lambda: self.delete_confirmed.emit(conversation_id))
        box.open()

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def menu_for(self, conversation_id: str) -> QMenu:
        """What can be done with one conversation."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self.opened.emit(conversation_id))
        menu.addAction("Rename", lambda: self.begin_rename(conversation_id))
        menu.addSeparator()
        menu.addAction("Delete…", lambda: self.ask_delete(conversation_id))
        return menu

    def _make_head(self) -> QWidget:
        head = QWidget(self)
        head.setFixedHeight(BAR_HEIGHT)
        row = QHBoxLayout(head)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        self._mark = QLabel(head)
        name = QLabel("Playhead", head)
        name.setProperty("kind", "title")
        self._fold = QToolButton(head)
        self._fold.setToolTip("Hide the sidebar (Ctrl+B)")
        self._fold.setAccessibleName("Hide the sidebar")
        self._fold.clicked.connect(self.fold_requested)
        row.addWidget(self._mark)
        row.addWidget(name)
        row.addStretch(1)
        row.addWidget(self._fold)
        return head

    def _make_new_button(self) -> QWidget:
        self.new_button = QPushButton("New conversation", self)
        self.new_button.setToolTip("New conversation (Ctrl+N)")
        self.new_button.clicked.connect(self.new_requested)
        return self.new_button

    def _make_search(self) -> QWidget:
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search conversations")
        self.search.setAccessibleName("Search conversations")
        self._search_icon = QAction(self.search)
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self._refresh)
        # Not before it has something to clear: making the button takes 10 ms of the first paint.
        self.search.textEdited.connect(lambda: self.search.setClearButtonEnabled(True))
        return self.search

    def _make_list(self) -> QWidget:
        self.list = _ConversationList(self)
        self.list.setProperty("kind", "conversations")
        self.list.setAccessibleName("Conversations")
        self.list.setModel(self.model)
        self.list.setItemDelegate(_RowDelegate(self._theme, self.model, self.list))
        self.list.clicked.connect(self._on_opened)
        self.list.opened.connect(self._on_opened)
        self.list.delete_pressed.connect(
            lambda index: self.ask_delete(self.model.row_at(index).conversation_id)
        )
        self.list.customContextMenuRequested.connect(self._on_menu_requested)
        self.model.renamed.connect(self.renamed)
        self._empty = QLabel("", self)
        self._empty.setProperty("kind", "faint")
        self._empty.setWordWrap(True)
        self._empty.hide()
        box = QWidget(self)
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)
        column.addWidget(self.list, 1)
        return box

    def _make_settings(self) -> QWidget:
        self.settings_button = QPushButton("Settings", self)
        self.settings_button.setProperty("kind", "row")
        self.settings_button.setToolTip("Settings (Ctrl+,)")
        self.settings_button.clicked.connect(self.settings_requested)
        return self.settings_button

    def _refresh(self) -> None:
        now = dt.datetime.now().astimezone()
        wanted = self.search.text()
        self.model.show(self._summaries, wanted, now)
        is_empty = not self.model.rows
        words = f"Nothing is called “{wanted}”." if wanted else "Your conversations stand here."
        self._empty.setText(words)
        self._empty.setVisible(is_empty)
        self._select_current()

    def _select_current(self) -> None:
        index = self.model.index_of(self._current)
        if index.isValid():
            self.list.setCurrentIndex(index)
        else:
            self.list.clearSelection()

    def _on_opened(self, index: QModelIndex) -> None:
        if conversation_id := self.model.row_at(index).conversation_id:
            self.opened.emit(conversation_id)

    def _on_menu_requested(self, position: QPoint) -> None:
        row = self.model.row_at(self.list.indexAt(position))
        if row.conversation_id:
            self.menu_for(row.conversation_id).popup(self.list.viewport().mapToGlobal(position))

    def _on_theme_changed(self) -> None:
        theme = self._theme
        self._mark.setPixmap(theme.icon("terminal", "accent").pixmap(16, 16))
        self._fold.setIcon(theme.icon("panel-left", "mute"))
        theme.label_icon(self.new_button, "square-pen")
        self._search_icon.setIcon(theme.icon("search", "mute"))
        theme.label_icon(self.settings_button, "settings", "mute")
        self.list.viewport().update()


class _ConversationList(QListView):
    """Enter opens, F2 renames, Delete asks; the arrow keys only move."""

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.opened.emit(index)
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.delete_pressed.emit(index)
        else:
            super().keyPressEvent(event)


class _RowDelegate(QStyledItemDelegate):
    """Paints headings and rows: hover, choice, focus ring and the state's dot."""

    def __init__(self, theme: Theme, model: SidebarModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        is_heading = not self._model.row_at(index).conversation_id
        return QSize(0, _HEADING_PX if is_heading else _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = self._model.row_at(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.conversation_id:
            self._paint_row(painter, option, index, row.text)
        else:
            painter.setFont(self._theme.font(11, QFont.Weight.DemiBold))
            painter.setPen(self._theme.colour("faint"))
            rect = option.rect.adjusted(10, 8, -4, 0)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, row.text.upper())
        painter.restore()

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
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title")
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        if isinstance(editor, QLineEdit):
            editor.setText(self._model.row_at(index).text)
            editor.selectAll()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        editor.setGeometry(option.rect)
        editor.palette().setColor(QPalette.ColorRole.Base, self._theme.colour("bg"))
