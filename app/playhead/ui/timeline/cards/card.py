"""The base of all cards: a row's picture, laid out where it is visible, with spots to click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFont, QPainter

from playhead.ui.timeline.cards.picture_decoder import PictureDecoder
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import START, BlockColumn, Place
from playhead.ui.timeline.text.document_maker import DocumentMaker
from playhead.ui.timeline.text.find_query import FindQuery
from playhead.ui.timeline.text.shapes import (
    BUTTON_PX,
    draw_focus,
    draw_icon,
    draw_panel,
    draw_text,
    text_width,
)
from playhead.ui.widgets.theme import Theme

HEADER = 35
PAD_X, PAD_Y = 14, 10
IntentKind = Literal[
    "copy", "retry", "edit", "run", "open", "link", "fold", "act", "type", "card",
    "table", "copy_table", "save", "sort", "page", "file", "output", "version", "picture",
    "copy_picture", "save_picture", "line", "mend", "delete", "request", "printed", "copy_turn",
    "other_version", "block", "source", "failure", "undo", "redo", "keep", "discard",
    "packages",
]  # fmt: skip


class Intent(Struct, frozen=True):
    """The action that a click on a spot requests."""

    kind: IntentKind
    text: str = ""
    language: str = ""


class Spot(Struct, frozen=True, kw_only=True):
    """A place to click: an icon, a word, or both; `look` says how it is drawn.

    A label, and whatever is not enabled, is only looked at.
    """

    rect: QRect
    intent: Intent
    tip: str
    icon: str = ""
    label: str = ""
    look: Literal["icon", "word", "quiet", "button", "bare", "label"] = "icon"
    is_enabled: bool = True


class CardTools(Struct, frozen=True, kw_only=True):
    """The parts of the view that cards need."""

    theme: Theme
    maker: DocumentMaker
    pictures: PictureDecoder
    can_run: Callable[[str], bool]
    why_not: Callable[[str], str]
    has_model: Callable[[], bool] = lambda: False


class PaintState(Struct, frozen=True, kw_only=True):
    """State of one paint: the clip, the selection, where mouse and keyboard are.

    `view_top` is how much of the card is above the view.
    """

    clip: QRect
    selection: tuple[Place, Place] | None = None
    hover: Spot | None = None
    focus: Spot | None = None
    is_hovered: bool = False
    view_top: int = 0


class Card:
    """Base of all cards; coordinates are the card's own, `gap` is the space above it."""

    gap = 16
    is_behind = False
    """Whether more of the row's text is left to take in, in a later frame."""
    sticky_height = 0
    """How much stays at the top of the view while the rest is scrolled away under it."""

    def __init__(self, row: Row, tools: CardTools) -> None:
        self.row = row
        self.tools = tools
        self.theme = tools.theme
        self.column: BlockColumn | None = None
        self.width = 0
        self.refresh()

    def refresh(self) -> None:
        """Update the card after the row changed."""

    def forget(self) -> None:
        """Update the card after the colours changed."""
        if self.column is not None:
            self.column.forget()

    def release(self) -> None:
        """Release the documents once the card is far away."""
        if self.column is not None:
            self.column.release()

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Lay out exactly what is between `top` and `bottom`; return the height without the gap."""
        self.width = width
        if self.column is None:
            return self.frame_height()
        box = self.text_box()
        self.column.lay_out(box.width(), top - box.top(), bottom - box.top())
        return self.frame_height()

    def frame_height(self) -> int:
        """Return the card's current height."""
        return self.text_box().top() + (self.column.height if self.column else 0)

    def take_grown_top(self) -> int:
        """Return from where on the card looks different by the text that it got."""
        return 0

    def text_box(self) -> QRect:
        """Return where the column is: its top, left and width count."""
        return QRect(0, 0, self.width, 0)

    def paint(self, painter: QPainter, state: PaintState) -> None:
        """Draw what touches the clip."""
        self.paint_frame(painter, state)
        if self.column is not None:
            box = self.text_box()
            painter.save()
            painter.translate(box.topLeft())
            clip = state.clip.translated(-box.topLeft())
            self.column.paint(painter, clip, state.selection)
            painter.restore()
        self.paint_spots(painter, state)

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint what is around the text."""

    def paint_spots(self, painter: QPainter, state: PaintState) -> None:
        """Paint the spots to click."""
        for spot in self.spots(state.is_hovered or state.focus is not None):
            if spot.rect.intersects(state.clip):
                draw_spot(painter, self.theme, spot, spot == state.hover, spot == state.focus)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the spots to click; some only show while the mouse or the keyboard is here."""
        return []

    def place_at(self, x: int, y: int) -> Place:
        """Return the place in the text nearest to a point."""
        if self.column is None:
            return START
        box = self.text_box()
        return self.column.place_at(x - box.left(), y - box.top())

    def has_text_at(self, x: int, y: int) -> bool:
        """Return whether a press here begins a selection."""
        if self.column is None:
            return False
        box = self.text_box()
        return QRect(box.left(), box.top(), box.width(), self.column.height).contains(x, y)

    def link_at(self, x: int, y: int) -> str:
        """Return the address under a point."""
        box = self.text_box()
        return self.column.link_at(x - box.left(), y - box.top()) if self.column else ""

    def tip_at(self, x: int, y: int) -> str:
        """Return the tooltip for a point."""
        box = self.text_box()
        return self.column.tip_at(x - box.left(), y - box.top()) if self.column else ""

    def slide_at(self, y: int, delta: int) -> bool:
        """Move what is wide at a height sideways; return whether something moved."""
        return False

    def act(self, word: str) -> bool:
        """Do what a spot of the card's own asks for; whether anything looks different now."""
        return False

    def bring_in(self, wanted: FindQuery) -> tuple[int, int] | None:
        """Show what a query finds beside the text, sideways or unfolded; its top and height."""
        return None

    def source(self) -> str:
        """Return the whole card as text, for the clipboard."""
        return self.row.text

    def part_at(self, y: int) -> tuple[int, int]:
        """Return a block near `y` and its top: it stays in place while heights are corrected."""
        if self.column is None or not len(self.column):
            return 0, 0
        index = self.column.index_at(y - self.text_box().top())
        return index, self.part_top(index)

    def part_top(self, index: int) -> int:
        """Return the top of a block."""
        if self.column is None or not index or index >= len(self.column):
            return 0
        return self.text_box().top() + self.column.top_of(index)

    def icon_spot(
        self, right: int, middle: int, icon: str, tip: str, intent: Intent, size: int = BUTTON_PX
    ) -> Spot:
        """Return an icon button that ends at `right`."""
        rect = QRect(right - size, middle - size // 2, size, size)
        return Spot(rect=rect, intent=intent, tip=tip, icon=icon)

    def button_spot(self, left: int, top: int, label: str, intent: Intent, icon: str = "") -> Spot:
        """Return a bordered button with a word."""
        width = text_width(self.theme, label, 13) + 24 + (22 if icon else 0)
        return Spot(
            rect=QRect(left, top, width, 28),
            intent=intent,
            tip=label,
            icon=icon,
            label=label,
            look="button",
        )


def draw_spot(
    painter: QPainter, theme: Theme, spot: Spot, is_hovered: bool, is_focused: bool
) -> None:
    """Draw one spot."""
    tokens = theme.tokens
    rect = spot.rect
    if spot.look == "button":
        ground = tokens.hover if is_hovered else tokens.raised
        draw_panel(painter, rect, ground, tokens.line_strong, radius=7)
        left = rect.left() + 12
        if spot.icon:
            draw_icon(painter, theme, spot.icon, "text", QPointF(left + 7, rect.center().y() + 1))
            left += 22
        box = QRect(left, rect.top(), rect.right() - left, rect.height())
        draw_text(painter, box, spot.label, theme, "text", 13, QFont.Weight.Medium)
    elif spot.look == "label":
        centre = Qt.AlignmentFlag.AlignHCenter
        draw_text(painter, rect, spot.label, theme, "mute", 12, QFont.Weight.Medium, centre)
    elif spot.look == "word":
        colour = "text" if is_hovered else "mute"
        draw_text(painter, rect, spot.label, theme, colour, 12, QFont.Weight.Medium)
    elif spot.look == "quiet":
        if is_hovered and spot.is_enabled:
            draw_panel(painter, rect, tokens.hover, None, radius=7)
        colour = ("text" if is_hovered else "mute") if spot.is_enabled else "line_strong"
        centre = Qt.AlignmentFlag.AlignHCenter
        draw_text(painter, rect, spot.label, theme, colour, 12, QFont.Weight.Medium, centre)
    elif spot.look == "icon":
        if is_hovered and spot.is_enabled:
            draw_panel(painter, rect, tokens.hover, None, radius=7)
        colour = ("text" if is_hovered else "mute") if spot.is_enabled else "line_strong"
        centre = QPointF(rect.center()) + QPointF(0.5, 0.5)
        draw_icon(painter, theme, spot.icon, colour, centre)
    if is_focused:
        draw_focus(painter, theme, rect.adjusted(-2, 0, 2, 0) if spot.look == "word" else rect)


def draw_header(
    painter: QPainter, theme: Theme, rect: QRect, icon: str, title: str, colour: str = "text"
) -> int:
    """Draw a card's first line, and return where the title ends."""
    middle = rect.center().y() + 1
    draw_icon(painter, theme, icon, "mute", QPointF(rect.left() + 21, middle))
    box = QRect(rect.left() + 37, rect.top(), max(0, rect.width() - 140), rect.height())
    width = draw_text(painter, box, title, theme, colour, 13, QFont.Weight.DemiBold)
    return box.left() + width


def draw_detail(painter: QPainter, theme: Theme, left: int, rect: QRect, text: str) -> int:
    """Quiet words in a card's first line; where they end."""
    box = QRect(left, rect.top(), max(0, rect.right() - 80 - left), rect.height())
    return left + draw_text(painter, box, text, theme, "mute", 12, align=Qt.AlignmentFlag.AlignLeft)
