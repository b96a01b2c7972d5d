"""The mouse in the timeline: hovering, clicking, selecting, and the context menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCursor, QHelpEvent, QKeySequence, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from playhead.ui.timeline.cards.card import Intent, IntentKind, Spot
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.caret import Caret
from playhead.ui.timeline.scroll.copier import Copier, to_clipboard
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


class EntryMenu(QMenu):
    """Menu with the actions for the selection and for an entry.

    Signal: `find_requested()`.
    """

    find_requested = Signal()

    def __init__(
        self, canvas: Canvas, copier: Copier, activate: Callable[[Intent, int], None]
    ) -> None:
        super().__init__(canvas.area)
        self._canvas = canvas
        self._copier = copier
        self._activate = activate
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("timeline_menu")

    def fill(
        self, index: int, link: str, printed: tuple[str, int], files: Sequence[Spot] = ()
    ) -> None:
        """Offer what fits an entry (-1: none), a link in it, a line of an output or of files."""
        self._add_copies()
        if link:
            self.addAction(tr("Copy link address"), lambda: to_clipboard(link))
        if printed[0]:
            intent = Intent("printed", f"{printed[0]} {printed[1]}")
            self._offer(tr("Show the line that printed this"), intent, index)
        self.addSeparator()
        for spot in files:
            self._offer(spot.tip, spot.intent, index).setEnabled(spot.is_enabled)
        if index >= 0:
            self.addSeparator()
            self._add_entry(index)
            self._add_turn(index)
        self.addSeparator()
        self._add(tr("Find in conversation…"), self.find_requested.emit, "Ctrl+F")
        self._add(tr("Select all"), self._canvas.select_all, "Ctrl+A")

    def _add(self, text: str, slot: Callable[[], object], keys: str = "") -> QAction:
        action = self.addAction(text)
        if keys:  # only shown: the view itself knows its keys
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda _checked=False: slot())
        return action

    def _offer(self, text: str, intent: Intent, index: int, keys: str = "") -> QAction:
        return self._add(text, lambda: self._activate(intent, index), keys)

    def _add_copies(self) -> None:
        copier = self._copier
        self._add(tr("Copy"), copier.copy, "Ctrl+C")
        markdown, text = tr("Copy as Markdown"), tr("Copy as text")
        self._add(markdown, lambda: copier.copy_selection(is_markdown=True), "Ctrl+Shift+C")
        self._add(text, lambda: copier.copy_selection(is_markdown=False))
        for action in self.actions():
            action.setEnabled(bool(self._canvas.selection))

    def _add_entry(self, index: int) -> None:
        row, copier = self._canvas.sheet.rows[index], self._copier
        if row.kind == "image":
            self._add(tr("Copy picture"), lambda: copier.pictures.copy(row))
        source = self._canvas.sheet.source
        self._add(tr("Copy this entry"), lambda: to_clipboard(source(index)))
        self._add(
            tr("Copy this entry as Markdown"), lambda: to_clipboard(copier.markdown_of(index))
        )
        if row.kind in MARKDOWN_KINDS:
            self._add(tr("Copy this entry as text"), lambda: to_clipboard(copier.text_of(index)))
        if row.kind == "table":
            for what, detail, label in _TABLE_ACTIONS:
                self._offer(tr(label), Intent(what, detail), index)
        if row.kind == "code":
            self._offer(tr("Open in the editor"), Intent("open", row.key), index)
            run = self._offer(tr("Run again"), Intent("run", row.text, row.language), index)
            run.setEnabled(self._canvas.can_run(row.language))

    def _add_turn(self, index: int) -> None:
        row = self._canvas.sheet.rows[index]
        if row.message is None:
            return
        self.addSeparator()
        self._offer(tr("Copy this turn as Markdown"), Intent("copy_turn", "markdown"), index)
        self._offer(tr("Copy this turn as text"), Intent("copy_turn", "text"), index)
        if row.role in ("assistant", "server"):
            self._offer(tr("Retry"), Intent("retry", row.key), index)
            self._offer(tr("View what was sent…"), Intent("request", row.key), index)
        if row.kind == "question":
            self._offer(tr("Edit and send again"), Intent("edit", row.key), index)
        for label, step, keys in (
            (tr("Previous version"), -1, "Alt+Left"),
            (tr("Next version"), 1, "Alt+Right"),
        ):
            if target := version_beside(self._canvas, index, step):
                self._offer(label, Intent("other_version", target), index, keys)
        self._offer(tr("Delete this turn"), Intent("delete", row.key), index, "Del")


_AUTOSCROLL_MS = 30


class MouseHandler(QObject):
    """Hovers, clicks, selects and opens the menu. Owner: the view.

    Signals: `printed_pointed(message_id, number)` of the line of an output under the mouse
    (-1: none), `find_requested()`.
    """

    printed_pointed = Signal(str, int)
    find_requested = Signal()

    def __init__(
        self,
        canvas: Canvas,
        caret: Caret,
        copier: Copier,
        activate: Callable[[Intent, int], None],
    ) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._caret = caret
        self._copier = copier
        self._activate = activate
        self._pressed: tuple[int, Spot] | None = None
        self._pressed_link = ""
        self._start: Mark | None = None
        self._pressed_at = QPoint()
        self._last_double = -(1 << 40)
        self._printed = ("", -1)
        self._drag = QTimer(self)
        self._drag.setInterval(_AUTOSCROLL_MS)
        self._drag.timeout.connect(self._on_drag)

    def forget(self) -> None:
        """Reset the state: nothing is hovered or pressed any more."""
        self._canvas.hovered = (-1, None)
        self._point(None)
        self._pressed = None
        self._start = None
        self._drag.stop()

    def refresh(self) -> None:
        """Update what is hovered after the rows moved under the mouse."""
        port = self._canvas.port
        if self._start is None and port.widget.underMouse():
            self._hover(port.from_global(QCursor.pos()))

    def press(self, event: QMouseEvent) -> None:
        """Begin a click or a selection."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = self._point_of(event)
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
            selection = self._canvas.selection
            self._start = selection.anchor if selection else self._caret.begin() or mark
            drawn = Selection(self._start, mark)
            self._canvas.select(None if drawn.is_empty else drawn)
        else:
            self._start = self._caret.mark = mark
            self._canvas.ring("")
            self._canvas.select(None)

    def move(self, event: QMouseEvent) -> None:
        """Draw the selection on, or show what is under the mouse."""
        point = self._point_of(event)
        if self._start is None:
            self._hover(point)
            self._point(point)  # by the hand only: marks by keys outlast the scrolling
            return
        self._extend(point)
        is_outside = not 0 <= point.y() < self._canvas.port.height()
        if is_outside != self._drag.isActive():
            self._drag.start() if is_outside else self._drag.stop()

    def release(self, event: QMouseEvent) -> None:
        """End a click or a selection."""
        point = self._point_of(event)
        self._drag.stop()
        pressed, self._pressed = self._pressed, None
        link, self._pressed_link = self._pressed_link, ""
        self._start = None
        if pressed is not None:
            if self._spot_at(point) == pressed and pressed[1].is_enabled:
                self._activate(pressed[1].intent, pressed[0])
        elif link and not self._canvas.selection and self._link_at(point) == link:
            self._activate(Intent("link", link), self._row_at(point))
        self._hover(point)

    def double_click(self, event: QMouseEvent) -> None:
        """Select a word; on a button it is a second click."""
        point = self._point_of(event)
        if self._spot_at(point)[1] is not None:
            self.press(event)
            return
        self._last_double = event.timestamp()
        if (mark := self.mark_at(point)) is not None:
            self._select_around(mark, "word")

    def slide(self, point: QPoint, delta: int) -> None:
        """Move a wide table under a point sideways."""
        canvas = self._canvas
        index = self._row_at(point)
        if index < 0:
            return
        card = canvas.sheet.card(index)
        if card.slide_at(point.y() + canvas.top - canvas.sheet.top_of(index), delta):
            canvas.row_changed(card.row.key)

    def _point_of(self, event: QMouseEvent) -> QPoint:
        return self._canvas.port.to_rows(event.position().toPoint())

    def mark_at(self, point: QPoint) -> Mark | None:
        """Return the place in the text nearest to a point of the viewport."""
        canvas = self._canvas
        if not canvas.sheet.rows:
            return None
        y = point.y() + canvas.top
        index = canvas.sheet.index_at(y)
        if y >= canvas.sheet.bottom_of(index):
            return Mark(index, END)
        card = canvas.sheet.card(index)
        if card.column is None or not canvas.sheet.is_shown(index):
            return Mark(index, START)
        corner = canvas.card_rect(index).topLeft()
        return Mark(index, card.place_at(point.x() - corner.x(), point.y() - corner.y()))

    def show_tip(self, event: QEvent) -> None:
        """Show the name of a button, or where a link leads."""
        at = cast("QHelpEvent", event).pos()
        point = self._canvas.port.to_rows(at)
        _, spot = self._spot_at(point)
        text = spot.tip if spot is not None else self._link_at(point) or self._tip_at(point)
        port = self._canvas.port.widget
        QToolTip.showText(port.mapToGlobal(at), text, port)

    def open_menu(self, point: QPoint, at: QPoint) -> None:
        """Show the menu without waiting for it."""
        self.menu_at(point).popup(at)

    def menu_at(self, point: QPoint) -> QMenu:
        """Copy and what else can be done with the row under the mouse."""
        menu = EntryMenu(self._canvas, self._copier, self._activate)
        menu.find_requested.connect(self.find_requested)
        index = self._row_at(point)
        menu.fill(index, self._link_at(point), self.printed_at(point), self._files_at(point, index))
        return menu

    def _files_at(self, point: QPoint, index: int) -> list[Spot]:
        """Return what can be done about the file in the line at a point, or about all of a run."""
        if index < 0 or self._canvas.sheet.rows[index].kind not in ("files", "undone"):
            return []
        y = point.y() - self._canvas.card_rect(index).top()
        spots = self._canvas.sheet.card(index).spots(True)
        near = [spot for spot in spots if spot.rect.top() <= y <= spot.rect.bottom()]
        every = [spot for spot in spots if spot.intent.kind in ("undo", "redo")]
        run = [spot for spot in every[:1] if not spot.intent.text and spot not in near]
        return near + run

    def _extend(self, point: QPoint) -> None:
        if self._start is None:
            return
        mark = self.mark_at(point)
        far = (point - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
        if mark is not None and (far or self._canvas.selection):
            selection = Selection(self._start, mark)
            self._canvas.select(None if selection.is_empty else selection)

    def _on_drag(self) -> None:
        canvas = self._canvas
        point = canvas.port.from_global(QCursor.pos())
        over = point.y() - canvas.port.height() if point.y() > 0 else point.y()
        canvas.scroll_by(over)
        self._extend(point)

    def _select_around(self, mark: Mark, unit: str) -> None:
        column = self._canvas.sheet.card(mark.row).column
        if column is None or not len(column) or mark.place == END:
            return
        units = QTextCursor.SelectionType
        is_word = unit == "word"
        first, last = column.around(
            mark.place, units.WordUnderCursor if is_word else units.BlockUnderCursor
        )
        self._canvas.select(Selection(Mark(mark.row, first), Mark(mark.row, last)))

    def _row_at(self, point: QPoint) -> int:
        canvas = self._canvas
        if not canvas.sheet.rows:
            return -1
        y = point.y() + canvas.top
        index = canvas.sheet.index_at(y)
        return (
            index if canvas.sheet.outer_top_of(index) <= y < canvas.sheet.bottom_of(index) else -1
        )

    def _spot_at(self, point: QPoint) -> tuple[int, Spot | None]:
        index = self._row_at(point)
        if index < 0:
            return -1, None
        inside = point - self._canvas.card_rect(index).topLeft()
        spots = self._canvas.sheet.card(index).spots(True)
        return index, next((spot for spot in spots if spot.rect.contains(inside)), None)

    def _link_at(self, point: QPoint) -> str:
        index = self._row_at(point)
        if index < 0:
            return ""
        inside = point - self._canvas.card_rect(index).topLeft()
        return self._canvas.sheet.card(index).link_at(inside.x(), inside.y())

    def _tip_at(self, point: QPoint) -> str:
        index = self._row_at(point)
        if index < 0:
            return ""
        inside = point - self._canvas.card_rect(index).topLeft()
        return self._canvas.sheet.card(index).tip_at(inside.x(), inside.y())

    def _hover(self, point: QPoint) -> None:
        found = self._spot_at(point)
        if found != self._canvas.hovered:
            before, self._canvas.hovered = self._canvas.hovered[0], found
            for index in {before, found[0]}:
                if 0 <= index < len(self._canvas.sheet.rows):
                    self._canvas.port.update(self._canvas.card_rect(index))
        self._canvas.port.widget.setCursor(self._cursor(found, point))

    def printed_at(self, point: QPoint) -> tuple[str, int]:
        """Return the output under a point and the number of its line, -1 for none."""
        from playhead.ui.timeline.cards.code_cards import ConsoleCard  # loaded with its first card

        index = self._row_at(point)
        card = self._canvas.sheet.card(index) if index >= 0 else None
        if not isinstance(card, ConsoleCard):
            return "", -1
        inside = point - self._canvas.card_rect(index).topLeft()
        number = card.printed_at(inside.x(), inside.y())
        return (card.row.key, number) if number >= 0 else ("", -1)

    def _point(self, point: QPoint | None) -> None:
        """Emit `printed_pointed` when another line of an output is under the mouse."""
        printed = self.printed_at(point) if point is not None else ("", -1)
        if printed != self._printed:
            self._printed = printed
            self.printed_pointed.emit(*printed)

    def _cursor(self, found: tuple[int, Spot | None], point: QPoint) -> Qt.CursorShape:
        if found[1] is not None and not found[1].is_enabled:
            return Qt.CursorShape.ArrowCursor
        if found[1] is not None or self._link_at(point):
            return Qt.CursorShape.PointingHandCursor
        if found[0] >= 0:
            inside = point - self._canvas.card_rect(found[0]).topLeft()
            if self._canvas.sheet.card(found[0]).has_text_at(inside.x(), inside.y()):
                return Qt.CursorShape.IBeamCursor
        return Qt.CursorShape.ArrowCursor
