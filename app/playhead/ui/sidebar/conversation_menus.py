"""The menus of conversations in the sidebar, and the bar for several that are chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from playhead.domain.history import ConversationSummary
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr, tr_n

MenuEntries = Callable[[Sequence[str], QMenu], Sequence[QAction]]
"""Returns more entries for the menu of conversations, by their ids; without ids, of the list."""


class MenuActions(Struct, frozen=True, kw_only=True):
    """Holds the functions of the entries; those with ids take one conversation or several."""

    open: Callable[[str], object]
    rename: Callable[[str], object]
    duplicate: Callable[[str], object]
    pin: Callable[[Sequence[str], bool], object]
    archive: Callable[[Sequence[str], bool], object]
    mark_unread: Callable[[Sequence[str], bool], object]
    delete: Callable[[Sequence[str]], object]
    keep: Callable[[str], object]
    stop: Callable[[str], object]
    new: Callable[[], object]


def program_menu(id_: str, verbs: MenuActions, parent: QWidget) -> QMenu:
    """Return the menu of a conversation that a program began, which is removed by itself."""
    menu = _menu(parent)
    menu.addAction(tr("Open"), lambda: verbs.open(id_))
    menu.addAction(tr("Keep in the list"), lambda: verbs.keep(id_))
    menu.addSeparator()
    menu.addAction(tr("Stop"), lambda: verbs.stop(id_))
    return menu


def conversation_menu(
    row: ConversationSummary, verbs: MenuActions, more: Sequence[MenuEntries], parent: QWidget
) -> QMenu:
    """Return the menu of one of the user's conversations."""
    id_, ids = row.id, (row.id,)
    menu = _menu(parent)
    menu.addAction(tr("Open"), lambda: verbs.open(id_))
    _with_key(menu.addAction(tr("Rename"), lambda: verbs.rename(id_)), "F2")
    menu.addAction(tr("Duplicate"), lambda: verbs.duplicate(id_))
    menu.addSeparator()
    menu.addAction(
        tr("Unpin") if row.is_pinned else tr("Pin"), lambda: verbs.pin(ids, not row.is_pinned)
    )
    read = tr("Mark as read") if row.is_unread else tr("Mark as unread")
    menu.addAction(read, lambda: verbs.mark_unread(ids, not row.is_unread))
    kept = tr("Take out of the archive") if row.is_archived else tr("Archive")
    menu.addAction(kept, lambda: verbs.archive(ids, not row.is_archived))
    _add_more(menu, ids, more)
    menu.addSeparator()
    _with_key(menu.addAction(tr("Delete"), lambda: verbs.delete(ids)), "Del")
    return menu


def several_menu(
    rows: Sequence[ConversationSummary],
    verbs: MenuActions,
    more: Sequence[MenuEntries],
    parent: QWidget,
) -> QMenu:
    """Return the menu of several conversations."""
    ids = tuple(row.id for row in rows)
    is_pinned = all(row.is_pinned for row in rows)
    is_archived = all(row.is_archived for row in rows)
    menu = _menu(parent)
    menu.addAction(tr("Unpin") if is_pinned else tr("Pin"), lambda: verbs.pin(ids, not is_pinned))
    menu.addAction(tr("Mark as read"), lambda: verbs.mark_unread(ids, False))
    kept = tr("Take out of the archive") if is_archived else tr("Archive")
    menu.addAction(kept, lambda: verbs.archive(ids, not is_archived))
    _add_more(menu, ids, more)
    menu.addSeparator()
    words = tr_n("Delete %n conversations", len(ids))
    _with_key(menu.addAction(words, lambda: verbs.delete(ids)), "Del")
    return menu


def list_menu(verbs: MenuActions, more: Sequence[MenuEntries], parent: QWidget) -> QMenu:
    """Return the menu of the place outside all rows."""
    menu = _menu(parent)
    menu.addAction(tr("New conversation"), verbs.new)
    _add_more(menu, (), more)
    return menu


def _menu(parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def _add_more(menu: QMenu, ids: Sequence[str], more: Sequence[MenuEntries]) -> None:
    actions = [action for entries in more for action in entries(ids, menu)]
    if actions:
        menu.addSeparator()
        menu.addActions(actions)


def _with_key(action: QAction, key: str) -> None:
    """Show the key that the list handles itself."""
    action.setText(f"{action.text()}\t{key}")


class SelectionBar(QFrame):
    """The bar below the list while several conversations are chosen. Owner: the sidebar.

    Signals: `archive_requested(bool)`: into it or out of it, `delete_requested()`,
    `menu_requested(QPoint)` with all that can be done, `cleared()`.
    """

    archive_requested = Signal(bool)
    delete_requested = Signal()
    menu_requested = Signal(QPoint)
    cleared = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_archived = False
        self.setProperty("kind", "notice")
        self.label = QLabel(self)
        self.archive_button = QToolButton(self)
        self.delete_button = self._button("trash-2", tr("Delete"))
        self.more_button = self._button("ellipsis", tr("More"))
        self.clear_button = self._button("x", tr("Choose none (Esc)"))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 3, 3)
        row.setSpacing(2)
        row.addWidget(self.label, 1)
        for button in (
            self.archive_button,
            self.delete_button,
            self.more_button,
            self.clear_button,
        ):
            row.addWidget(button)
        self.archive_button.clicked.connect(
            lambda: self.archive_requested.emit(not self._is_archived)
        )
        self.delete_button.clicked.connect(self.delete_requested)
        self.more_button.clicked.connect(self._on_more)
        self.clear_button.clicked.connect(self.cleared)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_count(self, count: int, *, is_archived: bool) -> None:
        """Show the number of conversations; `is_archived` is whether all are in the archive."""
        self._is_archived = is_archived
        self.label.setText(tr_n("%n chosen", count))
        self._name(
            self.archive_button, tr("Take out of the archive") if is_archived else tr("Archive")
        )
        self._on_theme_changed()

    def _on_more(self) -> None:
        self.menu_requested.emit(self.more_button.mapToGlobal(QPoint(0, 0)))

    def _on_theme_changed(self) -> None:
        icon = "archive-restore" if self._is_archived else "archive"
        self.archive_button.setIcon(self._theme.icon(icon))
        self.delete_button.setIcon(self._theme.icon("trash-2"))
        self.more_button.setIcon(self._theme.icon("ellipsis"))
        self.clear_button.setIcon(self._theme.icon("x"))

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(self._theme.icon(icon))
        button.setIconSize(QSize(16, 16))
        self._name(button, name)
        return button

    def _name(self, button: QToolButton, name: str) -> None:
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
