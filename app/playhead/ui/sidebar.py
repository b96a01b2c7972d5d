"""The conversations at the left: new, find, open, rename, delete, settings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.conversation.requests import ApiStatus, ConversationSummary
from playhead.session.session import SessionState
from playhead.ui.conversation_list import ConversationList, RowDelegate
from playhead.ui.questions import ask
from playhead.ui.sidebar_model import SidebarModel
from playhead.ui.theme import BAR_HEIGHT, Theme


class Sidebar(QWidget):
    """Signals: `new_requested()`, `opened(str id)`, `renamed(str id, str title)`,
    `delete_confirmed(str id)`, `kept(str id)`, `stop_requested(str id)`: of a program's,
    `settings_requested()`, `api_clicked()`, `fold_requested()`.
    """

    new_requested = Signal()
    opened = Signal(str)
    renamed = Signal(str, str)
    delete_confirmed = Signal(str)
    kept = Signal(str)
    stop_requested = Signal(str)
    settings_requested = Signal()
    api_clicked = Signal()
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
        self._api_status = ApiStatus()
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
        layout.addLayout(self._make_foot())
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_conversations(self, summaries: Sequence[ConversationSummary]) -> None:
        """Show the list as it is now, states included."""
        self._summaries = summaries
        self._refresh()

    def show_api(self, status: ApiStatus) -> None:
        """Say quietly whether other programs can reach this window; nothing while it is off."""
        self._api_status = status
        has_failed = status.state == "failed"
        port = status.address.rpartition(":")[2]
        words = "API is not listening" if has_failed else f"API on :{port}"
        tip = status.message if has_failed else f"Other programs reach Playhead at {status.address}"
        self.api_button.setText(words)
        self.api_button.setToolTip(tip)
        self.api_button.setAccessibleName(f"{words}. Open its settings")
        self.api_button.setVisible(status.state in ("listening", "failed"))
        self._show_api_icon()

    def set_current(self, conversation_id: str) -> None:
        """Which conversation is in the window."""
        self._current = conversation_id
        self._select_current()

    def begin_rename(self, conversation_id: str) -> None:
        """Change a title in place."""
        index = self.model.index_of(conversation_id)
        if self.model.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.list.edit(index)

    def ask_delete(self, conversation_id: str) -> None:
        """Ask before a conversation is gone for good; the program runs on meanwhile.

        What a program has begun is not there to be deleted: it goes by itself.
        """
        row = self.model.row_at(self.model.index_of(conversation_id))
        if not row.conversation_id or row.client:
            return
        ask(
            self,
            "Delete conversation",
            f"Delete “{row.text}”?",
            "Its messages and outputs are deleted for good.",
            "Delete",
            lambda: self.delete_confirmed.emit(conversation_id),
        )

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def menu_for(self, conversation_id: str) -> QMenu:
        """What can be done with one conversation."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open", lambda: self.opened.emit(conversation_id))
        if self.model.row_at(self.model.index_of(conversation_id)).client:
            menu.addAction("Keep in the list", lambda: self.kept.emit(conversation_id))
            menu.addSeparator()
            menu.addAction("Stop", lambda: self.stop_requested.emit(conversation_id))
            return menu
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
        self.list = ConversationList(self)
        self.list.setProperty("kind", "conversations")
        self.list.setAccessibleName("Conversations")
        self.list.setModel(self.model)
        self.list.setItemDelegate(RowDelegate(self._theme, self.model, self.list))
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

    def _make_foot(self) -> QVBoxLayout:
        self.api_button = QPushButton(self)
        self.api_button.setProperty("kind", "quiet-row")
        self.api_button.clicked.connect(self.api_clicked)
        self.api_button.hide()
        self.settings_button = QPushButton("Settings", self)
        self.settings_button.setProperty("kind", "row")
        self.settings_button.setToolTip("Settings (Ctrl+,)")
        self.settings_button.clicked.connect(self.settings_requested)
        foot = QVBoxLayout()
        foot.setSpacing(2)
        foot.addWidget(self.api_button)
        foot.addWidget(self.settings_button)
        return foot

    def _refresh(self) -> None:
        now = dt.datetime.now().astimezone()
        wanted = self.search.text()
        chosen = self.model.row_at(self.list.currentIndex()).conversation_id
        with self.list.place_kept():
            self.model.show(self._summaries, wanted, now)
        is_empty = not self.model.rows
        words = f"Nothing is called “{wanted}”." if wanted else "Your conversations stand here."
        self._empty.setText(words)
        self._empty.setVisible(is_empty)
        self.list.viewport().update()  # states are painted but are no data of the rows
        # Not hasFocus(): that is false while another window is in front, and until this one is.
        has_keys = self.window().focusWidget() is self.list
        is_walking = has_keys and self.model.index_of(chosen).isValid()
        self._select(chosen if is_walking else self._current)

    def _select_current(self) -> None:
        self._select(self._current)

    def _select(self, conversation_id: str) -> None:
        """Choose a conversation, or nothing when it stands in no row any more."""
        index = self.model.index_of(conversation_id)
        if index != self.list.currentIndex():
            self.list.setCurrentIndex(index)
        if not index.isValid():
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
        self._show_api_icon()
        self.list.viewport().update()

    def _show_api_icon(self) -> None:
        has_failed = self._api_status.state == "failed"
        name, colour = ("triangle-alert", "danger") if has_failed else ("plug", "mute")
        self._theme.label_icon(self.api_button, name, colour)
