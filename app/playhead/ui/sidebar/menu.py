"""What can be done with conversations of the sidebar, as a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from playhead.domain.history import ConversationSummary
from playhead.ui.wording import tr, tr_n

MenuEntries = Callable[[Sequence[str], QMenu], Sequence[QAction]]
"""More entries for the menu of conversations, by their ids; none: for that beside all rows."""


@dataclass(frozen=True, slots=True)
class MenuVerbs:
    """What the entries do; those with ids take one conversation or several."""

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


def program_menu(id_: str, verbs: MenuVerbs, parent: QWidget) -> QMenu:
    """For a conversation that a program has begun: it goes by itself."""
    menu = _menu(parent)
    menu.addAction(tr("Open"), lambda: verbs.open(id_))
    menu.addAction(tr("Keep in the list"), lambda: verbs.keep(id_))
    menu.addSeparator()
    menu.addAction(tr("Stop"), lambda: verbs.stop(id_))
    return menu


def conversation_menu(
    row: ConversationSummary, verbs: MenuVerbs, more: Sequence[MenuEntries], parent: QWidget
) -> QMenu:
    """For one of the user's conversations."""
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
    verbs: MenuVerbs,
    more: Sequence[MenuEntries],
    parent: QWidget,
) -> QMenu:
    """For several at once."""
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


def list_menu(verbs: MenuVerbs, more: Sequence[MenuEntries], parent: QWidget) -> QMenu:
    """For the place beside all rows."""
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
    """Name the key that the list takes itself."""
    action.setText(f"{action.text()}\t{key}")
