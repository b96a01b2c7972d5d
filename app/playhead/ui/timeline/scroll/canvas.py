"""The virtual scroll under the timeline: what is seen is laid out and painted, nothing else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from playhead.ui.timeline.cards.card import CardTools, Intent, PaintState, Spot
from playhead.ui.timeline.cards.picture_decoder import PictureDecoder
from playhead.ui.timeline.model.timeline_model import Changes, TimelineModel
from playhead.ui.timeline.scroll.coalescer import Coalescer
from playhead.ui.timeline.scroll.copier import Copier, PictureCopier, to_clipboard
from playhead.ui.timeline.scroll.row_layout import Anchor, RowLayout
from playhead.ui.timeline.scroll.text_selection import Selection, everything, selected_text
from playhead.ui.timeline.text.document_maker import SAFE_SCHEMES, Colourer, DocumentMaker
from playhead.ui.timeline.text.formula_renderer import FormulaRenderer
from playhead.ui.timeline.text.shapes import draw_focus
from playhead.ui.widgets.theme import COLUMN_WIDTH, GAP_XXXL, Theme

_SETTLE_LIMIT = 16
AT_END = 2
_NARROW = 16


class Canvas(QAbstractScrollArea):
    """Scrolls and paints the rows of a model; what mouse and keys mean is decided elsewhere.

    The first block that is seen is the anchor: corrected heights never move what is read.
    At the end the view sticks to the end, until the reader scrolls up.
    `request_wanted(message_id)`: to see what the model was sent before that message.
    """

    retry_requested = Signal(str)
    edit_requested = Signal(str)
    version_chosen = Signal(str)
    delete_requested = Signal(str)
    find_requested = Signal()
    run_requested = Signal(str, str)
    open_code_requested = Signal(str)
    input_answered = Signal(str, str)
    text_sent = Signal(str, bool)
    line_requested = Signal(str, int)
    printed_pointed = Signal(str, int)
    printed_requested = Signal(str, int)
    mend_requested = Signal(str)
    request_wanted = Signal(str)
    result_requested = Signal(str, str, str)
    link_activated = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None, colourer: Colourer | None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.model = TimelineModel()
        self.pictures = PictureDecoder(self)
        self.formulas = FormulaRenderer(self)
        self.formulas.changed.connect(self._on_formulas_changed)
        self._has_new_formulas = False
        self.maker = DocumentMaker(theme, colourer, self.formulas)
        self._can_run: Callable[[str], bool] = lambda word: False
        self._why_not: Callable[[str], str] = lambda word: ""
        self.model_name: Callable[[], str] = lambda: ""
        tools = CardTools(
            theme=theme,
            maker=self.maker,
            pictures=self.pictures,
            can_run=lambda word: self._can_run(word),
            why_not=lambda word: self._why_not(word),
            has_model=lambda: bool(self.model_name()),
        )
        self.sheet = RowLayout(self.model, tools)
        self.coalescer = Coalescer(self._flush, self)
        self.copier = Copier(self.sheet, self.maker)
        self.picture_copier = PictureCopier(self)
        self.selection: Selection | None = None
        self.hovered: tuple[int, Spot | None] = (-1, None)
        self.focused: tuple[int, Spot] | None = None
        self.ringed = ""
        """The key of the entry that the keyboard, or a search, is at."""
        self.top = 0
        self._is_following = True
        self._anchor: Anchor | None = None
        self._line: Anchor | None = None
        """The line that is read while widths or sizes change, until the reader scrolls."""
        self._first_moved: int | None = None

    def activate(self, intent: Intent, index: int) -> None:
        """Do what a spot of a card stands for."""

    def on_settled(self) -> None:
        """The rows are where they belong; what lies over them must follow."""

    def on_scrolled(self) -> None:
        """The rows moved under the mouse."""

    def on_taken(self, changes: Changes) -> None:
        """Rows came, grew or are others."""

    def on_reset(self) -> None:
        """The rows are others."""

    def selected_text(self) -> str:
        """What is selected, as text."""
        return selected_text(self.selection, self.sheet) if self.selection else ""

    def select_all(self) -> None:
        """Select the whole conversation."""
        self.select(everything(self.sheet))

    def clear_selection(self) -> None:
        """Select nothing."""
        self.select(None)

    def select(self, selection: Selection | None) -> None:
        """Show another selection."""
        if selection != self.selection:
            self.selection = selection
            self.viewport().update()

    def copy(self) -> None:
        """Put what is selected on the clipboard; a picture alone as a picture."""
        index = self._lone_picture()
        if index is not None:
            self.picture_copier.copy(self.sheet.rows[index])
        else:
            to_clipboard(self.selected_text())

    def copy_markdown(self) -> None:
        """Put what is selected on the clipboard as Markdown."""
        if self.selection:
            to_clipboard(self.copier.selection(self.selection, is_markdown=True))

    def copy_text(self) -> None:
        """Put what is selected on the clipboard as it is shown."""
        if self.selection:
            to_clipboard(self.copier.selection(self.selection, is_markdown=False))

    def copy_turn(self, index: int, *, is_markdown: bool) -> None:
        """Put the turn of an entry on the clipboard."""

    def can_run(self, language: str) -> bool:
        """Whether code in a language can be run here."""
        return self._can_run(language)

    def ring(self, key: str) -> None:
        """Put the ring around another entry; '' takes it away."""
        if key != self.ringed:
            self.ringed = key
            self.viewport().update()

    def _lone_picture(self) -> int | None:
        if self.selection is None:
            index = self.model.index_of(self.ringed)
            is_picture = index is not None and self.sheet.rows[index].kind == "image"
            return index if is_picture else None
        shown = [
            index
            for index in range(self.selection.first.row, self.selection.last.row + 1)
            if index < len(self.sheet.rows) and self.sheet.is_shown(index)
        ][:2]
        is_lone = len(shown) == 1 and self.sheet.rows[shown[0]].kind == "image"
        return shown[0] if is_lone else None

    def is_following(self) -> bool:
        """Whether the view stays at the end while something streams in."""
        return self._is_following

    def jump_to_end(self) -> None:
        """Go to the newest line and stay there."""
        self._is_following, self._line = True, None
        self._settle()
        self.viewport().update()

    def scroll_by(self, delta: int) -> None:
        """Scroll by pixels."""
        self.scroll_to(self.top + delta)

    def scroll_to(self, target: int) -> None:
        """Scroll so that the view begins at `target`; what was seen is moved, not drawn again."""
        target = max(0, min(target, self.max_top()))
        delta = target - self.top
        if not delta:
            return
        self._line = None
        is_near = abs(delta) < self.viewport().height()
        self._is_following = delta > 0 and target >= self.max_top() - AT_END
        before = self._anchor
        if is_near and before is not None:
            self._anchor = Anchor(key=before.key, part=before.part, above=before.above + delta)
        else:
            self._anchor = self.sheet.anchor_at(target)
        self.top = target
        moved = self._settle(before if is_near else None)
        if moved is None:
            self.viewport().update()
        else:
            self._blit(moved)
        self.on_scrolled()

    def show_anchor(self, anchor: Anchor) -> None:
        """Begin the view at an anchor, and hold it there."""
        self._is_following, self._anchor, self._line = False, anchor, None
        self._settle()
        self.viewport().update()
        self.on_scrolled()

    def hold_line(self) -> None:
        """Lines will be broken elsewhere: hold the one at the top, not its block."""
        if not self._is_following:
            self._line = self._line or self.sheet.line_at(self.top)
            self._anchor = self._line

    def make_room(self, height: int) -> None:
        """Leave the upper end to something else; what is read stays where it is on the screen."""
        change = height - self.viewportMargins().top()
        self.setViewportMargins(0, height, 0, 0)
        if not self._is_following:
            self.scroll_by(change)

    def follow_if_at_end(self) -> None:
        """Stay at the end if the view came to stand there."""
        self._is_following = self.top >= self.max_top() - AT_END

    def max_top(self) -> int:
        """Where the view begins at the very end."""
        return max(0, self.sheet.height - self.viewport().height())

    def column(self) -> QRect:
        """Where the text runs, in the viewport."""
        width = self.viewport().width()
        margin = GAP_XXXL if width > 420 else _NARROW
        column = max(120, min(COLUMN_WIDTH, width - 2 * margin))
        return QRect((width - column) // 2, 0, column, self.viewport().height())

    def card_rect(self, index: int) -> QRect:
        """Where a card is in the viewport."""
        column = self.column()
        top = self.sheet.top_of(index) - self.top
        return QRect(
            column.left(), top, column.width(), self.sheet.bottom_of(index) - self.top - top
        )

    def visible_rows(self) -> list[int]:
        """The rows that can be seen."""
        return list(self.sheet.visible(self.top, self.top + self.viewport().height()))

    def row_changed(self, key: str) -> None:
        """A row looks different: lay it out and draw it."""
        self.sheet.touch(key)
        self.model.mark(key)
        self._flush()

    def open_link(self, url: str) -> None:
        """Tell the window of a link; other schemes than the known ones are dead."""
        scheme, _, _ = url.partition(":")
        if scheme.lower() in SAFE_SCHEMES:
            self.link_activated.emit(url)

    def _on_formulas_changed(self) -> None:
        self._has_new_formulas = True
        self.coalescer.due()

    def _take_formulas(self) -> None:
        """What stood there as LaTeX is drawn now."""
        if self._has_new_formulas:
            self._has_new_formulas = False
            for key in self.sheet.renew():
                self.model.mark(key)

    def _flush(self) -> None:
        self._take_formulas()
        for key in self.sheet.take_behind():
            self.model.mark(key)
        changes = self.model.take_changes()
        self.sheet.take(changes)
        self.on_taken(changes)
        if changes.is_reset:
            self.focused = None
            self.hovered = (-1, None)
            self.on_reset()
        before = self._anchor
        moved = self._settle(before)
        if moved is None or changes.is_reset:
            self.viewport().update()
            return
        if moved:
            self._blit(moved)
        first_new = len(self.sheet.rows) - changes.added
        for index in changes.changed:
            if index < first_new:
                self._update_row(index)
        if changes.added:
            self._update_from(max(0, first_new - 1))
        if self._first_moved is not None:
            self._update_from(self._first_moved)

    def _blit(self, moved: int) -> None:
        self.viewport().scroll(0, moved)
        self._update_sticky(moved)
        self.on_settled()  # the scroll took the child widgets with it

    def _update_row(self, index: int) -> None:
        top = self.sheet.outer_top_of(index) - self.top
        bottom = self.sheet.bottom_of(index) - self.top
        view = self.viewport()
        if bottom >= 0 and top <= view.height():
            view.update(QRect(0, top, view.width(), bottom - top + 1))

    def _update_from(self, index: int) -> None:
        top = max(0, self.sheet.outer_top_of(index) - self.top)
        view = self.viewport()
        view.update(QRect(0, top, view.width(), max(0, view.height() - top)))

    def _settle(self, watched: Anchor | None = None) -> int | None:
        """Lay out what is seen, again until heights hold; the anchor does not move.

        Returns by how many pixels `watched` moved on the screen, None if that cannot be said.
        """
        width = self.column().width()
        if self.sheet.width not in (0, width):
            self.hold_line()
        self.sheet.width = width
        self._first_moved = None
        height = self.viewport().height()
        was_at = -watched.above if watched else 0
        for _ in range(_SETTLE_LIMIT):
            self._pin()
            changed = self.sheet.lay_out(self.top, self.top + height)
            if changed is None:
                break
            known = self._first_moved
            self._first_moved = changed if known is None else min(known, changed)
        self._pin()
        self._anchor = self.sheet.anchor_at(self.top)
        self._update_bar()
        if self.sheet.is_behind:
            self.coalescer.soon()
        if watched is None or (now := self.sheet.y_of(watched)) is None:
            return None
        return now - watched.above - self.top - was_at

    def _pin(self) -> None:
        """Put the view where the anchor, or the end, wants it."""
        if self._is_following:
            self.top = self.max_top()
        elif self._anchor is not None and (y := self.sheet.y_of(self._anchor)) is not None:
            self.top = y
        self.top = max(0, min(self.top, self.max_top()))

    def _update_sticky(self, moved: int) -> None:
        """What stays at the top was moved with the rest: draw it where it belongs."""
        for index in self.sheet.visible(self.top, self.top + max(0, moved) + 1):
            if high := self.sheet.card(index).sticky_height:
                rect = self.card_rect(index)
                self.viewport().update(rect.left(), 0, rect.width(), high + abs(moved))

    def _update_bar(self) -> None:
        bar = self.verticalScrollBar()
        bar.blockSignals(True)
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, self.max_top())
        bar.setValue(self.top)
        bar.setEnabled(self.max_top() > 0)  # one that has nothing to scroll is not seen
        bar.blockSignals(False)
        self.on_settled()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The scroll bar was moved by the user."""
        self.scroll_to(self.verticalScrollBar().value())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows that touch the exposed rectangle."""
        painter = QPainter(self.viewport())
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # else it is the application's
        clip = event.rect()
        painter.fillRect(clip, self.theme.colour("bg"))
        hovered_row, hover = self.hovered
        focused_row, focus = self.focused or (-1, None)
        for index in self.sheet.visible(self.top + clip.top(), self.top + clip.bottom() + 1):
            rect = self.card_rect(index)
            painter.save()
            painter.translate(rect.topLeft())
            state = PaintState(
                clip=clip.translated(-rect.topLeft()),
                selection=self.selection.part(index) if self.selection else None,
                hover=hover if hovered_row == index else None,
                focus=focus if focused_row == index and self.hasFocus() else None,
                is_hovered=index in (hovered_row, focused_row),
                view_top=max(0, -rect.top()),
            )
            self.sheet.card(index).paint(painter, state)
            painter.restore()
            if self.sheet.rows[index].key == self.ringed:
                draw_focus(painter, self.theme, rect.adjusted(-8, -6, 8, 6))
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Touchpads give pixels, wheels notches."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        pixels = event.pixelDelta().y() or round(event.angleDelta().y() * 90 / 120)
        self.scroll_by(-pixels)
        event.accept()

    def sizeHint(self) -> QSize:
        """A comfortable column."""
        return QSize(COLUMN_WIDTH + 2 * GAP_XXXL, 600)

    def content_y(self, point: QPoint) -> int:
        """A point of the viewport as a height in the whole."""
        return point.y() + self.top
