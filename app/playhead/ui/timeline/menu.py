"""The context menu of the timeline: what can be done with a selection, an entry and its turn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from playhead.ui.timeline.branching import target_of
from playhead.ui.timeline.canvas import Canvas
from playhead.ui.timeline.cards.card import Intent, IntentKind
from playhead.ui.timeline.copying import to_clipboard
from playhead.ui.timeline.found_text import MARKDOWN_KINDS
from playhead.ui.wording import mark, tr

_TABLE_ACTIONS: tuple[tuple[IntentKind, str, str], ...] = (
    ("copy_table", "tsv", mark("Copy for a spreadsheet (TSV)")),
    ("copy_table", "csv", mark("Copy as CSV")),
    ("save", "", mark("Save as…")),
    ("table", "", mark("Open the table")),
)


def make_menu(view: Canvas, index: int, link: str, printed: tuple[str, int] = ("", -1)) -> QMenu:
    """The menu for what is selected and for the entry at an index (-1: none).

    `printed` is the output and the line of it that the menu is opened at.
    """
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setObjectName("timeline_menu")
    _add_copies(menu, view)
    if link:
        menu.addAction(tr("Copy link address"), lambda: to_clipboard(link))
    if printed[0]:
        label = tr("Show the line that printed this")
        menu.addAction(label, lambda: view.printed_requested.emit(*printed))
    if index >= 0:
        menu.addSeparator()
        _add_entry(menu, view, index)
        _add_turn(menu, view, index)
    menu.addSeparator()
    _add(menu, tr("Find in conversation…"), view.find_requested.emit, "Ctrl+F")
    _add(menu, tr("Select all"), view.select_all, "Ctrl+A")
    return menu


def _add(menu: QMenu, text: str, slot: Callable[[], object], keys: str = "") -> None:
    action = menu.addAction(text)
    if keys:  # only shown: the view itself knows its keys
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(lambda _checked=False: slot())


def _add_copies(menu: QMenu, view: Canvas) -> None:
    _add(menu, tr("Copy"), view.copy, "Ctrl+C")
    _add(menu, tr("Copy as Markdown"), view.copy_markdown, "Ctrl+Shift+C")
    menu.addAction(tr("Copy as text"), view.copy_text)
    for action in menu.actions():
        action.setEnabled(bool(view.selection))


def _add_entry(menu: QMenu, view: Canvas, index: int) -> None:
    row, copier = view.sheet.rows[index], view.copier
    if row.kind == "image":
        menu.addAction(tr("Copy picture"), lambda: view.picture_copier.copy(row))
    menu.addAction(tr("Copy this entry"), lambda: to_clipboard(view.sheet.source(index)))
    menu.addAction(
        tr("Copy this entry as Markdown"), lambda: to_clipboard(copier.markdown_of(index))
    )
    if row.kind in MARKDOWN_KINDS:
        menu.addAction(tr("Copy this entry as text"), lambda: to_clipboard(copier.text_of(index)))
    if row.kind == "table":
        for what, detail, label in _TABLE_ACTIONS:
            intent = Intent(what, detail)
            menu.addAction(tr(label), lambda intent=intent: view.activate(intent, index))
    if row.kind == "code":
        menu.addAction(tr("Open in the editor"), lambda: view.open_code_requested.emit(row.key))
        run = menu.addAction(
            tr("Run again"), lambda: view.run_requested.emit(row.language, row.text)
        )
        run.setEnabled(view.can_run(row.language))


def _add_turn(menu: QMenu, view: Canvas, index: int) -> None:
    row = view.sheet.rows[index]
    if row.message is None:
        return
    menu.addSeparator()
    menu.addAction(
        tr("Copy this turn as Markdown"), lambda: view.copy_turn(index, is_markdown=True)
    )
    menu.addAction(tr("Copy this turn as text"), lambda: view.copy_turn(index, is_markdown=False))
    if row.role in ("assistant", "server"):
        menu.addAction(tr("Retry"), lambda: view.retry_requested.emit(row.key))
        menu.addAction(tr("View what was sent…"), lambda: view.request_wanted.emit(row.key))
    if row.kind == "question":
        menu.addAction(tr("Edit and send again"), lambda: view.edit_requested.emit(row.key))
    for label, step, keys in (
        (tr("Previous version"), -1, "Alt+Left"),
        (tr("Next version"), 1, "Alt+Right"),
    ):
        if target := target_of(view, index, step):
            _add(menu, label, _chooser(view, target), keys)
    _add(menu, tr("Delete this turn"), lambda: view.delete_requested.emit(row.key), "Del")


def _chooser(view: Canvas, target: str) -> Callable[[], object]:
    return lambda: view.version_chosen.emit(target)
