"""The conversations at the left, with the field that searches them."""

from __future__ import annotations

import datetime as dt
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.search import LONGEST_QUERY
from playhead.session.ports import ApiStatus
from playhead.ui.sidebar.conversation_list import (
    GUTTER_PX,
    ConversationList,
    RowDelegate,
    trailing_margin,
)
from playhead.ui.sidebar.model import SidebarModel
from playhead.ui.widgets.theme import BAR_HEIGHT
from playhead.ui.widgets.wording import tr, tr_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import (
        QMenu,
    )

    from playhead.domain.conversation.search import SearchFound
    from playhead.domain.history import ConversationSummary
    from playhead.session.session import SessionState
    from playhead.ui.sidebar.conversation_menus import MenuActions, MenuEntries, SelectionBar
    from playhead.ui.sidebar.search_results import SidebarSearch
    from playhead.ui.widgets.theme import Theme


_CLEARING = "_q_qlineeditclearaction"
"""Qt's undocumented name for the action of the clear button."""


class SearchField(QLineEdit):
    """Up and Down choose among the results, Enter opens one, Escape clears and then leaves.

    Signals: `moved(int step)`, `entered()`, `left()` by Escape while it is empty.
    """

    moved = Signal(int)
    entered = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setPlaceholderText(tr("Search conversations"))
        self.setAccessibleName(tr("Search conversations"))
        self.setAccessibleDescription(tr("Titles and all messages. Down goes to the results."))
        self.setMaxLength(LONGEST_QUERY)
        self._icon = QAction(self)
        self.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        # Not before it has something to clear: making the button takes 10 ms of the first paint.
        self.textChanged.connect(self._offer_clearing)

    def apply_theme(self) -> None:
        """Use the theme's colours."""
        self._icon.setIcon(self._theme.icon("search", "mute"))
        self._dress_clearing()

    def _offer_clearing(self) -> None:
        if not self.isClearButtonEnabled():
            self.setClearButtonEnabled(True)
            self._dress_clearing()

    def _dress_clearing(self) -> None:
        """Replace Qt's clear icon, which is a black disc."""
        if action := self.findChild(QAction, _CLEARING):
            action.setIcon(self._theme.icon("x", "mute"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the results; leave others to the field."""
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.entered.emit()
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


_DAY_S = 86_400
_LITTLE_LATER_S = 2


class Sidebar(QWidget):
    """Shows the list, or the results of a search while something is typed into the field.

    Signals: `new_requested()`, `opened(str id)`, `found(str id, str message_id, str query)`: go to
    that place, `search_requested(str query, str id)`: in one conversation if there is an id,
    `renamed(str id, str title)`, `duplicate_requested(str id)`, `pinned(list ids, bool)`,
    `archived(list ids, bool)`, `unread_marked(list ids, bool)`, `delete_requested(list ids)`,
    `undo_requested()`: of a deletion, `kept(str id)`, `stop_requested(str id)`: of a program's,
    `settings_requested()`, `api_clicked()`, `fold_requested()`, `left()` by Escape.
    """

    new_requested = Signal()
    opened = Signal(str)
    found = Signal(str, str, str)
    search_requested = Signal(str, str)
    renamed = Signal(str, str)
    duplicate_requested = Signal(str)
    pinned = Signal(list, bool)
    archived = Signal(list, bool)
    unread_marked = Signal(list, bool)
    delete_requested = Signal(list)
    undo_requested = Signal()
    kept = Signal(str)
    stop_requested = Signal(str)
    settings_requested = Signal()
    api_clicked = Signal()
    fold_requested = Signal()
    left = Signal()

    def __init__(
        self,
        theme: Theme,
        state_of: Callable[[str], SessionState],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_searching = False
        self._summaries: Sequence[ConversationSummary] = ()
        self._api_status = ApiStatus()
        self._more_entries: list[MenuEntries] = []
        self.setProperty("kind", "sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = SidebarModel(state_of, self)
        layout = QVBoxLayout(self)
        gutter = trailing_margin(self, GUTTER_PX)
        layout.setContentsMargins(gutter.right(), 0, gutter.left(), 12)
        layout.setSpacing(6)
        layout.addLayout(self._make_top(theme))
        layout.addWidget(self._make_list(), 1)
        layout.addLayout(self._make_foot())
        self._column = layout
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._midnight.timeout.connect(self._refresh)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_conversations(self, summaries: Sequence[ConversationSummary]) -> None:
        """Show the current list, including the states."""
        self._summaries = summaries
        self._refresh()
        if self._is_searching:
            self.finder.set_summaries(summaries)

    @cached_property
    def finder(self) -> SidebarSearch:
        """Return the results of a search; make the widget when it is first needed."""
        from playhead.ui.sidebar.search_results import SidebarSearch

        finder = SidebarSearch(self._theme, self)
        finder.hide()
        finder.search_requested.connect(self.search_requested)
        finder.found.connect(self.found)
        finder.results.left.connect(self.focus_search)
        finder.set_summaries(self._summaries)
        self._column.insertWidget(self._column.indexOf(self._box) + 1, finder, 1)
        self.setTabOrder(self.search, finder.results)
        return finder

    @cached_property
    def selection_bar(self) -> SelectionBar:
        """Return the bar for several conversations; make it when it is first needed."""
        from playhead.ui.sidebar.conversation_menus import SelectionBar

        bar = SelectionBar(self._theme, self)
        bar.archive_requested.connect(self._on_archive_chosen)
        bar.delete_requested.connect(self.delete_chosen)
        bar.menu_requested.connect(self._on_chosen_menu_wanted)
        bar.cleared.connect(self._choose_one)
        row = QHBoxLayout()
        row.setContentsMargins(trailing_margin(self, GUTTER_PX))
        row.addWidget(bar)
        self._under_search.addLayout(row)
        return bar

    def show_found(self, query: str, conversation_id: str, found: SearchFound) -> None:
        """Show the results of a query, unless another one was typed since."""
        self.finder.show_found(query, conversation_id, found)

    def add_menu_entries(self, entries: MenuEntries) -> None:
        """Add entries to the menu of a conversation and to that of the list."""
        self._more_entries.append(entries)

    @property
    def is_renaming(self) -> bool:
        """Return whether a title is being typed, so that the keyboard focus must stay there."""
        return self.list.is_editing

    def show_api(self, status: ApiStatus) -> None:
        """Show whether other programs can reach this window; show nothing while the API is off."""
        self._api_status = status
        has_failed = status.state == "failed"
        port = status.address.rpartition(":")[2]
        words = tr("API is not listening") if has_failed else tr("API on :{port}", port=port)
        tip = (
            str(tr_error(status.error))
            if status.error
            else tr("Other programs reach Playhead at {address}", address=status.address)
        )
        self.api_button.setText(words)
        self.api_button.setToolTip(tip)
        self.api_button.setAccessibleName(tr("{words}. Open its settings", words=words))
        self.api_button.setVisible(status.state in ("listening", "failed"))
        self._show_api_icon()

    def set_current(self, conversation_id: str) -> None:
        """Set the conversation that is in the window."""
        self.model.open_id = conversation_id
        self._repaint_rows()
        self._select_current()

    def begin_rename(self, conversation_id: str) -> None:
        """Begin to edit a title in place."""
        self.search.clear()
        one = self.model.summary(conversation_id)
        if one is not None and one.is_archived:
            self._open_archive(True)
        index = self.model.index_of(conversation_id)
        if self.model.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.list.setCurrentIndex(index)
            self.list.edit(index)

    def delete_chosen(self) -> None:
        """Ask to delete the conversations chosen in the list, except those of programs."""
        if ids := [row.id for row in self._chosen()]:
            self.delete_requested.emit(ids)

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def menu_for(self, conversation_id: str) -> QMenu:
        """Return the menu of a conversation, or of all chosen ones if it is among them."""
        from playhead.ui.sidebar.conversation_menus import (
            conversation_menu,
            list_menu,
            program_menu,
            several_menu,
        )

        one = self.model.summary(conversation_id)
        chosen = self._chosen()
        if one is None:
            return list_menu(self._verbs(), self._more_entries, self)
        if one.client:
            return program_menu(conversation_id, self._verbs(), self)
        if len(chosen) > 1 and one in chosen:
            return several_menu(chosen, self._verbs(), self._more_entries, self)
        return conversation_menu(one, self._verbs(), self._more_entries, self)

    def current_menu(self) -> QMenu | None:
        """Return the menu of the conversation that is in the window; None for an empty one."""
        known = self.model.summary(self.model.open_id)
        return self.menu_for(self.model.open_id) if known is not None else None

    def _verbs(self) -> MenuActions:
        from playhead.ui.sidebar.conversation_menus import MenuActions

        return MenuActions(
            open=self.opened.emit,
            rename=self.begin_rename,
            duplicate=self.duplicate_requested.emit,
            pin=lambda ids, is_on: self.pinned.emit(list(ids), is_on),
            archive=lambda ids, is_on: self.archived.emit(list(ids), is_on),
            mark_unread=lambda ids, is_on: self.unread_marked.emit(list(ids), is_on),
            delete=lambda ids: self.delete_requested.emit(list(ids)),
            keep=self.kept.emit,
            stop=self.stop_requested.emit,
            new=self.new_requested.emit,
        )

    def _chosen(self) -> list[ConversationSummary]:
        """Return the user's conversations among the chosen ones, from the top."""
        indexes = sorted(self.list.selectedIndexes(), key=QModelIndex.row)
        rows = (self.model.summary(self.model.row_at(one).conversation_id) for one in indexes)
        return [row for row in rows if row is not None and not row.client]

    def _make_top(self, theme: Theme) -> QVBoxLayout:
        top = QVBoxLayout()
        top.setContentsMargins(trailing_margin(self, GUTTER_PX))
        top.setSpacing(6)
        top.addWidget(self._make_head())
        top.addWidget(self._make_new_button())
        top.addWidget(self._make_search(theme))
        return top

    def _make_head(self) -> QWidget:
        head = QWidget(self)
        head.setFixedHeight(BAR_HEIGHT)
        row = QHBoxLayout(head)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        self._mark = QLabel(head)
        name = QLabel("Playhead", head)
        name.setProperty("kind", "title")
        self.fold_button = QToolButton(head)
        self.fold_button.setToolTip(tr("Hide the sidebar (Ctrl+B)"))
        self.fold_button.setAccessibleName(tr("Hide the sidebar"))
        self.fold_button.clicked.connect(self.fold_requested)
        row.addWidget(self._mark)
        row.addWidget(name)
        row.addStretch(1)
        row.addWidget(self.fold_button)
        return head

    def _make_new_button(self) -> QWidget:
        self.new_button = QPushButton(tr("New conversation"), self)
        self.new_button.setToolTip(tr("New conversation (Ctrl+N)"))
        self.new_button.clicked.connect(self.new_requested)
        return self.new_button

    def _make_search(self, theme: Theme) -> QWidget:
        self.search = SearchField(theme, self)
        self.search.textChanged.connect(self._on_typed)
        self.search.moved.connect(self._on_moved)
        self.search.entered.connect(self._on_entered)
        self.search.left.connect(self.left)
        return self.search

    def _make_list(self) -> QWidget:
        self.list = ConversationList(self)
        self.list.setProperty("kind", "conversations")
        self.list.setAccessibleName(tr("Conversations"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(RowDelegate(self._theme, self.model, self.list))
        self.list.opened.connect(self._on_opened)
        self.list.delete_pressed.connect(self.delete_chosen)
        self.list.undo_pressed.connect(self.undo_requested)
        self.list.left.connect(self._on_list_left)
        self.list.escape_pressed.connect(self._on_escape)
        self.list.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.list.menu_wanted.connect(self._on_menu_wanted)
        self.model.renamed.connect(self.renamed)
        self._empty = QLabel(tr("Your conversations appear here."), self)
        self._empty.setProperty("kind", "faint")
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(10, 8, 10, 0)
        self._empty.hide()
        self._box = QWidget(self)
        column = QVBoxLayout(self._box)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._empty)
        column.addWidget(self.list, 1)
        self._under_search = column
        return self._box

    def _make_foot(self) -> QVBoxLayout:
        self.api_button = QPushButton(self)
        self.api_button.setProperty("kind", "quiet-row")
        self.api_button.clicked.connect(self.api_clicked)
        self.api_button.hide()
        self.settings_button = QPushButton(tr("Settings"), self)
        self.settings_button.setProperty("kind", "row")
        self.settings_button.setToolTip(tr("Settings (Ctrl+,)"))
        self.settings_button.clicked.connect(self.settings_requested)
        foot = QVBoxLayout()
        foot.setContentsMargins(trailing_margin(self, GUTTER_PX))
        foot.setSpacing(2)
        foot.addWidget(self.api_button)
        foot.addWidget(self.settings_button)
        return foot

    def _refresh(self) -> None:
        now = dt.datetime.now().astimezone()
        before = self.list.currentIndex()
        chosen, at = self.model.row_at(before).conversation_id, before.row()
        with self.list.place_kept():
            self.model.show(self._summaries, now)
        is_empty = not self.model.rows
        self._empty.setVisible(is_empty)
        # Without a row there is nothing that could show where the keyboard is.
        focus = Qt.FocusPolicy.NoFocus if is_empty else Qt.FocusPolicy.StrongFocus
        self.list.setFocusPolicy(focus)
        self._repaint_rows()  # states are painted but are no data of the rows
        self._wait_for_midnight(now)
        # Not hasFocus(): that is false while another window is in front, and until this one is.
        if self.is_renaming:  # another choice would end that
            return
        if self.window().focusWidget() is not self.list or not before.isValid():
            self._select(self.model.open_id)
        elif self.model.index_of(chosen).isValid():
            self._select(chosen)
        elif chosen:
            self._select(self.model.near(at) or self.model.open_id)

    def _wait_for_midnight(self, now: dt.datetime) -> None:
        """Show the list again after midnight, when today's conversations become yesterday's."""
        passed = now.hour * 3600 + now.minute * 60 + now.second
        self._midnight.start((_DAY_S - passed + _LITTLE_LATER_S) * 1000)

    def _open_archive(self, is_open: bool) -> None:
        self.model.is_archive_open = is_open
        self._refresh()

    def _select_current(self) -> None:
        self._select(self.model.open_id)

    def _select(self, conversation_id: str) -> None:
        """Choose a conversation, or nothing if it has no row any more."""
        index = self.model.index_of(conversation_id)
        if index != self.list.currentIndex():
            self.list.setCurrentIndex(index)
        if not index.isValid():
            self.list.clearSelection()

    def _choose_one(self) -> None:
        """Choose only the conversation that the window shows."""
        self.list.clearSelection()
        self.list.setCurrentIndex(QModelIndex())
        self._select_current()

    def _on_list_left(self) -> None:
        """Choose the shown conversation again, unless several are chosen or a title is typed."""
        if len(self._chosen()) <= 1 and not self.is_renaming:
            self._select_current()

    def _on_escape(self) -> None:
        """Reduce a selection of several to the shown one; else return to the composer."""
        if len(self._chosen()) > 1:
            self._choose_one()
        else:
            self.left.emit()

    def _on_selection_changed(self) -> None:
        chosen = self._chosen()
        is_several = len(chosen) > 1
        if is_several:
            all_archived = all(row.is_archived for row in chosen)
            self.selection_bar.show_count(len(chosen), is_archived=all_archived)
        if is_several or "selection_bar" in self.__dict__:
            self.selection_bar.setVisible(is_several)

    def _on_archive_chosen(self, is_on: bool) -> None:
        self.archived.emit([row.id for row in self._chosen()], is_on)

    def _on_chosen_menu_wanted(self, place: QPoint) -> None:
        if chosen := self._chosen():
            self.menu_for(chosen[0].id).popup(place)

    def _on_opened(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row.conversation_id:
            self.opened.emit(row.conversation_id)
        elif row.fold:
            self._open_archive(not self.model.is_archive_open)
            if self.model.is_archive_open:
                top = self.list.ScrollHint.PositionAtTop
                self.list.scrollTo(self.model.index(index.row()), top)

    def _on_typed(self, text: str) -> None:
        """Show results in place of the list as long as the field is not empty."""
        is_searching, was_searching = bool(text.strip()), self._is_searching
        if not is_searching and not was_searching:
            return
        self._is_searching = is_searching
        if not was_searching:
            self.finder.set_summaries(self._summaries)
        self.finder.setVisible(is_searching)
        self._box.setVisible(not is_searching)
        self.finder.look_for(text)

    def _on_moved(self, step: int) -> None:
        if not self._is_searching:
            self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.finder.results.move(step)

    def _on_entered(self) -> None:
        if self._is_searching:
            self.finder.results.open_current()

    def _on_menu_wanted(self, index: QModelIndex, place: QPoint) -> None:
        row = self.model.row_at(index)
        if row.conversation_id or not index.isValid():
            self.menu_for(row.conversation_id).popup(place)

    def _on_theme_changed(self) -> None:
        theme = self._theme
        self._mark.setPixmap(theme.icon("terminal", "accent").pixmap(16, 16))
        self.fold_button.setIcon(theme.icon("panel-left", "mute"))
        theme.label_icon(self.new_button, "square-pen")
        self.search.apply_theme()
        theme.label_icon(self.settings_button, "settings", "mute")
        self._show_api_icon()
        self._repaint_rows()
        if self._is_searching:
            self.finder.update()

    def _repaint_rows(self) -> None:
        if self.list.isVisible():
            self.list.viewport().update()

    def _show_api_icon(self) -> None:
        has_failed = self._api_status.state == "failed"
        name, colour = ("triangle-alert", "danger") if has_failed else ("plug", "mute")
        self._theme.label_icon(self.api_button, name, colour)
