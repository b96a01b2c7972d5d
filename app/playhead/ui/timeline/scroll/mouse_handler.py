"""The mouse in the timeline: hovering, clicking, selecting, and the context menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QCursor, QHelpEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from playhead.ui.timeline.cards.card import Intent, IntentKind, Spot
from playhead.ui.timeline.cards.code_cards import ConsoleCard
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.caret import Caret
from playhead.ui.timeline.scroll.copier import to_clipboard
from playhead.ui.timeline.scroll.text_selection import Mark, Selection
from playhead.ui.timeline.scroll.version_position import version_beside
from playhead.ui.timeline.text.block_column import END, START
from playhead.ui.timeline.text.find_query import MARKDOWN_KINDS
from playhead.ui.widgets.wording import mark, tr

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
        if target := version_beside(view, index, step):
            _add(menu, label, _version_slot(view, target), keys)
    _add(menu, tr("Delete this turn"), lambda: view.delete_requested.emit(row.key), "Del")


def _version_slot(view: Canvas, target: str) -> Callable[[], object]:
    return lambda: view.version_chosen.emit(target)


_AUTOSCROLL_MS = 30


class MouseHandler:
    """What the mouse does. Owner: the view."""

    def __init__(self, view: Canvas, caret: Caret) -> None:
        self._view = view
        self._caret = caret
        self._pressed: tuple[int, Spot] | None = None
        self._pressed_link = ""
        self._begun: Mark | None = None
        self._pressed_at = QPoint()
        self._last_double = -(1 << 40)
        self._printed = ("", -1)
        self._drag = QTimer(view)
        self._drag.setInterval(_AUTOSCROLL_MS)
        self._drag.timeout.connect(self._on_drag)

    def forget(self) -> None:
        """Nothing is hovered or pressed any more."""
        self._view.hovered = (-1, None)
        self._point(None)
        self._pressed = None
        self._begun = None
        self._drag.stop()

    def refresh(self) -> None:
        """The rows moved under the mouse."""
        view = self._view.viewport()
        if self._begun is None and view.underMouse():
            self._hover(view.mapFromGlobal(QCursor.pos()))

    def press(self, event: QMouseEvent) -> None:
        """Begin a click or a selection."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        self._pressed_at = point
        index, spot = self._spot_at(point)
        if spot is not None:
            self._pressed = (index, spot)
            return  # also on one that is not enabled: no selection begins at it
        self._pressed_link = self._link_at(point)
        mark = self.mark_at(point)
        if mark is None:
            return
        is_third = event.timestamp() - self._last_double < QApplication.doubleClickInterval()
        if is_third:
            self._select_around(mark, "paragraph")
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            selection = self._view.selection
            self._begun = selection.anchor if selection else self._caret.begin() or mark
            drawn = Selection(self._begun, mark)
            self._view.select(None if drawn.is_empty else drawn)
        else:
            self._begun = self._caret.mark = mark
            self._view.ring("")
            self._view.clear_selection()

    def move(self, event: QMouseEvent) -> None:
        """Draw the selection on, or show what is under the mouse."""
        point = event.position().toPoint()
        if self._begun is None:
            self._hover(point)
            self._point(point)  # by the hand only: marks by keys outlast the scrolling
            return
        self._extend(point)
        is_outside = not 0 <= point.y() < self._view.viewport().height()
        if is_outside != self._drag.isActive():
            self._drag.start() if is_outside else self._drag.stop()

    def release(self, event: QMouseEvent) -> None:
        """End a click or a selection."""
        point = event.position().toPoint()
        self._drag.stop()
        pressed, self._pressed = self._pressed, None
        link, self._pressed_link = self._pressed_link, ""
        self._begun = None
        if pressed is not None:
            if self._spot_at(point) == pressed and pressed[1].is_enabled:
                self._view.activate(pressed[1].intent, pressed[0])
        elif link and not self._view.selection and self._link_at(point) == link:
            self._view.open_link(link)
        self._hover(point)

    def double_click(self, event: QMouseEvent) -> None:
        """Select a word; on a button it is a second click."""
        point = event.position().toPoint()
        if self._spot_at(point)[1] is not None:
            self.press(event)
            return
        self._last_double = event.timestamp()
        if (mark := self.mark_at(point)) is not None:
            self._select_around(mark, "word")

    def mark_at(self, point: QPoint) -> Mark | None:
        """The place in the text nearest to a point of the viewport."""
        view = self._view
        if not view.sheet.rows:
            return None
        index = view.sheet.index_at(view.content_y(point))
        if view.content_y(point) >= view.sheet.bottom_of(index):
            return Mark(index, END)
        card = view.sheet.card(index)
        if card.column is None or not view.sheet.is_shown(index):
            return Mark(index, START)
        corner = view.card_rect(index).topLeft()
        return Mark(index, card.place_at(point.x() - corner.x(), point.y() - corner.y()))

    def show_tip(self, event: QEvent) -> None:
        """The name of a button, or where a link leads."""
        point = cast("QHelpEvent", event).pos()
        _, spot = self._spot_at(point)
        text = spot.tip if spot is not None else self._link_at(point) or self._tip_at(point)
        QToolTip.showText(self._view.viewport().mapToGlobal(point), text, self._view.viewport())

    def open_menu(self, point: QPoint, at: QPoint) -> None:
        """Show the menu without waiting for it."""
        self.menu_at(point).popup(at)

    def menu_at(self, point: QPoint) -> QMenu:
        """Copy and what else can be done with the row under the mouse."""
        printed = self.printed_at(point)
        return make_menu(self._view, self._row_at(point), self._link_at(point), printed)

    def _extend(self, point: QPoint) -> None:
        if self._begun is None:
            return
        mark = self.mark_at(point)
        far = (point - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
        if mark is not None and (far or self._view.selection):
            selection = Selection(self._begun, mark)
            self._view.select(None if selection.is_empty else selection)

    def _on_drag(self) -> None:
        view = self._view
        point = view.viewport().mapFromGlobal(QCursor.pos())
        over = point.y() - view.viewport().height() if point.y() > 0 else point.y()
        view.scroll_by(over)
        self._extend(point)

    def _select_around(self, mark: Mark, unit: str) -> None:
        column = self._view.sheet.card(mark.row).column
        if column is None or not len(column) or mark.place == END:
            return
        around = column.word_at if unit == "word" else column.paragraph_at
        first, last = around(mark.place)
        self._view.select(Selection(Mark(mark.row, first), Mark(mark.row, last)))

    def _row_at(self, point: QPoint) -> int:
        view = self._view
        if not view.sheet.rows:
            return -1
        y = view.content_y(point)
        index = view.sheet.index_at(y)
        return index if view.sheet.outer_top_of(index) <= y < view.sheet.bottom_of(index) else -1

    def _spot_at(self, point: QPoint) -> tuple[int, Spot | None]:
        index = self._row_at(point)
        if index < 0:
            return -1, None
        inside = point - self._view.card_rect(index).topLeft()
        spots = self._view.sheet.card(index).spots(True)
        return index, next((spot for spot in spots if spot.rect.contains(inside)), None)

    def _link_at(self, point: QPoint) -> str:
        index = self._row_at(point)
        if index < 0:
            return ""
        inside = point - self._view.card_rect(index).topLeft()
        return self._view.sheet.card(index).link_at(inside.x(), inside.y())

    def _tip_at(self, point: QPoint) -> str:
        index = self._row_at(point)
        if index < 0:
            return ""
        inside = point - self._view.card_rect(index).topLeft()
        return self._view.sheet.card(index).tip_at(inside.x(), inside.y())

    def _hover(self, point: QPoint) -> None:
        found = self._spot_at(point)
        if found != self._view.hovered:
            before, self._view.hovered = self._view.hovered[0], found
            for index in {before, found[0]}:
                if 0 <= index < len(self._view.sheet.rows):
                    self._view.viewport().update(self._view.card_rect(index))
        self._view.viewport().setCursor(self._cursor(found, point))

    def printed_at(self, point: QPoint) -> tuple[str, int]:
        """The output under a point and the number of its line, -1 for none."""
        index = self._row_at(point)
        card = self._view.sheet.card(index) if index >= 0 else None
        if not isinstance(card, ConsoleCard):
            return "", -1
        inside = point - self._view.card_rect(index).topLeft()
        number = card.printed_at(inside.x(), inside.y())
        return (card.row.key, number) if number >= 0 else ("", -1)

    def _point(self, point: QPoint | None) -> None:
        """Tell when another line of an output is under the mouse."""
        printed = self.printed_at(point) if point is not None else ("", -1)
        if printed != self._printed:
            self._printed = printed
            self._view.printed_pointed.emit(*printed)

    def _cursor(self, found: tuple[int, Spot | None], point: QPoint) -> Qt.CursorShape:
        if found[1] is not None and not found[1].is_enabled:
            return Qt.CursorShape.ArrowCursor
        if found[1] is not None or self._link_at(point):
            return Qt.CursorShape.PointingHandCursor
        if found[0] >= 0:
            inside = point - self._view.card_rect(found[0]).topLeft()
            if self._view.sheet.card(found[0]).has_text_at(inside.x(), inside.y()):
                return Qt.CursorShape.IBeamCursor
        return Qt.CursorShape.ArrowCursor
