"""Prose of the assistant and what the user said, with the arrows between versions: ‹ 2/3 ›."""

from __future__ import annotations

import time

from msgspec.structs import replace
from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QPainter

from playhead.domain.conversation.conversation import Versions
from playhead.ui.timeline.cards.card import Card, CardTools, Intent, PaintState, Spot, draw_header
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.block_column import FENCE_HEADER, PAD_X, BlockColumn
from playhead.ui.timeline.text.line_clipper import PROSE_LINE, LineClipper, clip
from playhead.ui.timeline.text.markdown_stream import Block, MarkdownStream, plain_blocks
from playhead.ui.timeline.text.shapes import BUTTON_PX, draw_icon, draw_panel, draw_text, text_width
from playhead.ui.widgets.wording import mark, tr, tr_n

_ARROW_PX = 24
VERSIONS_HEIGHT = 26


def versions_width(card: Card, versions: Versions | None) -> int:
    """Return the width of the arrows."""
    return 2 * _ARROW_PX + _version_label_width(card, versions) if versions is not None else 0


def version_spots(card: Card, right: int, middle: int, versions: Versions | None) -> list[Spot]:
    """Return the arrows, ending at `right`; one that leads nowhere is not enabled."""
    if versions is None:
        return []
    width = _version_label_width(card, versions)
    label = _version_label(versions)
    left = right - versions_width(card, versions)
    box = QRect(left + _ARROW_PX, middle - _ARROW_PX // 2, width, _ARROW_PX)
    tip = tr("Version {number} of {count}", number=versions.number, count=len(versions.ids))
    return [
        _arrow(
            left,
            middle,
            "chevron-left",
            tr("{tip}: show the one before", tip=tip),
            versions.previous,
        ),
        Spot(
            rect=box, intent=Intent("version"), tip=tip, label=label, look="label", is_enabled=False
        ),
        _arrow(
            right - _ARROW_PX,
            middle,
            "chevron-right",
            tr("{tip}: show the next", tip=tip),
            versions.following,
        ),
    ]


def _arrow(left: int, middle: int, icon: str, tip: str, target: str) -> Spot:
    rect = QRect(left, middle - _ARROW_PX // 2, _ARROW_PX, _ARROW_PX)
    return Spot(
        rect=rect, intent=Intent("version", target), tip=tip, icon=icon, is_enabled=bool(target)
    )


def _version_label(versions: Versions) -> str:
    return f"{versions.number}/{len(versions.ids)}"


def _version_label_width(card: Card, versions: Versions | None) -> int:
    return text_width(card.theme, _version_label(versions), 12) + 6 if versions is not None else 0


class VersionsCard(Card):
    """The arrows of an answer that does not end with prose, on a line of their own."""

    gap = 6

    def frame_height(self) -> int:
        """Return the height of one line."""
        return VERSIONS_HEIGHT

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the arrows, in the same place as those of other answers."""
        return version_spots(self, self.width, VERSIONS_HEIGHT // 2, self.row.versions)

    def source(self) -> str:
        """Return no text: the card has none of its own."""
        return ""


_ACTIONS = 36
_OVERHANG = 4
"""How far signs may reach out of their line."""
_STEP = 400
_BUDGET_S = 0.004
_LONG_LINES, _LONG_CHARS = 20, 2_000
_BUBBLE_SHARE = 0.85
_BUBBLE_X, _BUBBLE_Y = 14, 8
_FOOT = 26
CUT_WORD = mark("interrupted")


class MarkdownCard(Card):
    """A text that streams in as markdown. `ink` is the token of its colour."""

    ink = "text"

    def __init__(self, row: Row, tools: CardTools) -> None:
        self._stream = MarkdownStream()
        self._clipper = LineClipper()
        self._fed = 0
        self._edition = row.edition
        self._is_finished = False
        super().__init__(row, tools)

    @property
    def parsed_chars(self) -> int:
        """The number of characters parsed so far, for callers that watch the work."""
        return self._stream.parsed_chars

    def refresh(self) -> None:
        """Take what is new of the row's text; nothing that is closed is looked at again."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker, self.ink, has_panels=True)
        if self.row.edition != self._edition:
            self._stream, self._fed, self._is_finished = MarkdownStream(), 0, False
            self._clipper, self._edition = LineClipper(), self.row.edition
            self.column.set_blocks([])
        known, stable = self._stream.definitions, len(self._stream.closed)
        tail = self._read()
        if not self.row.is_streaming and not self._is_finished and not self.is_behind:
            self._stream.finish()
            self._is_finished = True
            tail = []
        self.column.definitions = self._stream.definitions
        if known != self._stream.definitions and self._is_finished:
            self.column.forget()
        self.column.set_blocks([*self._stream.closed[stable:], *tail], stable)

    def _read(self) -> list[Block]:
        """Feed what is new, for no longer than a part of a frame."""
        text = self.row.text
        deadline = time.perf_counter() + _BUDGET_S
        tail = self._stream.tail()
        while self._fed < len(text):
            self._stream.feed(self._clipper.feed(text[self._fed : self._fed + _STEP]))
            self._fed = min(len(text), self._fed + _STEP)
            tail = self._stream.tail()
            if time.perf_counter() > deadline:
                break
        self.is_behind = self._fed < len(text)
        return tail

    def fence_spots(self) -> list[Spot]:
        """Return the spots at each code in the text and at each table that is too wide."""
        return fence_spots(self)

    def act(self, word: str) -> bool:
        """Move a wide table sideways."""
        index, _, delta = word.partition(" ")
        return self.column is not None and self.column.wide_tables.slide(int(index), int(delta))

    def slide_at(self, y: int, delta: int) -> bool:
        """Move the table at a height sideways; return whether one moved."""
        if self.column is None or not len(self.column):
            return False
        index = self.column.index_at(y - self.text_box().top())
        return self.column.wide_tables.slide(index, delta)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the spots of the code in the text."""
        return self.fence_spots()

    def paint_spots(self, painter: QPainter, state: PaintState) -> None:
        """Paint the spots, and the names of the languages."""
        super().paint_spots(painter, state)
        paint_fence_names(self, painter, state)


def fence_spots(card: Card) -> list[Spot]:
    """Copy, and Run where it can be run, at each code in a card's text."""
    if card.column is None:
        return []
    box = card.text_box()
    spots: list[Spot] = []
    for header, index in card.column.fence_headers():
        header.translate(box.topLeft())
        code, block = card.column.fence_source(index), card.column.block(index)
        middle = header.center().y() + 1
        copy = Intent("copy", code)
        spots.append(card.icon_spot(header.right() - 6, middle, "copy", tr("Copy code"), copy, 24))
        if card.tools.can_run(block.language):
            run = Intent("run", code, block.language)
            right = header.right() - 34
            spots.append(card.icon_spot(right, middle, "play", tr("Run this code"), run, 24))
    return spots + _table_spots(card)


def _table_spots(card: Card) -> list[Spot]:
    """Return the arrows under each table that is too wide."""
    spots: list[Spot] = []
    column = card.column
    for strip, index, shift, most in column.wide_tables.strips(column.width) if column else ():
        strip.translate(card.text_box().topLeft())
        step, right = strip.width() * 2 // 3, strip.right() + 1
        for icon, tip, delta, is_enabled, end in (
            ("chevron-left", tr("Columns to the left"), -step, shift > 0, right - 26),
            ("chevron-right", tr("Columns to the right"), step, shift < most, right),
        ):
            intent = Intent("card", f"{index} {delta}")
            spot = card.icon_spot(end, strip.center().y() + 2, icon, tip, intent, 24)
            spots.append(replace(spot, is_enabled=is_enabled))
    return spots


def paint_fence_names(card: Card, painter: QPainter, state: PaintState) -> None:
    """Paint the names of the languages over the code in a card's text."""
    if card.column is None:
        return
    box = card.text_box()
    for header, index in card.column.fence_headers():
        header.translate(box.topLeft())
        if header.intersects(state.clip):
            left = header.adjusted(PAD_X, 0, -80, 0)
            left.setHeight(FENCE_HEADER)
            word = card.column.block(index).language
            missing = card.tools.why_not(word) if word else ""
            label = f"{word or 'text'} · {missing}" if missing else word or "text"
            draw_text(painter, left, label, card.theme, "mute", 12)
    for strip, _index, shift, most in card.column.wide_tables.strips(card.column.width):
        strip.translate(box.topLeft())
        room = strip.width() - 64
        bar = QRect(strip.left(), strip.center().y() + 1, room, 4)
        painter.fillRect(bar, card.theme.colour("line"))
        part = room * strip.width() // (strip.width() + most)
        bar.setRect(bar.left() + (room - part) * shift // most, bar.top(), part, 4)
        painter.fillRect(bar, card.theme.colour("line_strong"))


class AnswerCard(MarkdownCard):
    """Prose of the assistant; at the end of a turn with Copy and Retry under it.

    One that was stopped, or cut off by a failure or a crash, says so there.
    """

    @property
    def is_cut(self) -> bool:
        """True if the answer was interrupted."""
        message = self.row.message
        if message is None or self.row.is_streaming:
            return False
        return message.state == "interrupted"

    def take_grown_top(self) -> int:
        """Return the top of the first block that is new or longer."""
        top = self.column.take_changed_top() if self.column is not None else 0
        return max(0, self.text_box().top() + top - _OVERHANG)

    def frame_height(self) -> int:
        """Return the height with room for the actions."""
        has_foot = self.row.is_last or self.is_cut
        return super().frame_height() + (_ACTIONS if has_foot else 0)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the spots of the code, then Copy and Retry."""
        spots = fence_spots(self)
        if self.row.is_last:
            middle = self.frame_height() - BUTTON_PX // 2
            spots += answer_actions(self, middle, self.row.key)
        return spots

    def paint_spots(self, painter: QPainter, state: PaintState) -> None:
        """Paint the spots, the word for an answer that is cut, and the cost of the turn."""
        super().paint_spots(painter, state)
        words = [tr(CUT_WORD) if self.is_cut else "", self.row.foot if self.row.is_last else ""]
        foot = " · ".join(word for word in words if word)
        if foot:
            actions = 80 + versions_width(self, self.row.versions)
            box = QRect(0, self.frame_height() - BUTTON_PX, self.width - actions, BUTTON_PX)
            draw_text(painter, box, foot, self.theme, "mute", 12)


def answer_actions(card: Card, middle: int, key: str) -> list[Spot]:
    """Copy and Retry of an answer at the right end, before them the arrows between versions."""
    copy = Intent("copy", card.source())
    retry = Intent("retry", key)
    return [
        *version_spots(card, card.width - 70, middle, card.row.versions),
        card.icon_spot(card.width - 34, middle, "copy", tr("Copy answer"), copy),
        card.icon_spot(card.width, middle, "refresh-cw", tr("Retry"), retry),
    ]


class QuestionCard(Card):
    """The user's message, as typed, in a bubble at the right; Edit and Copy beside it."""

    gap = 24

    def refresh(self) -> None:
        """Set the text as it was typed."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker, has_panels=True)
        text = self.row.text.strip("\n")
        self._lines = text.count("\n") + 1
        self._is_long = self._lines > _LONG_LINES or len(text) > _LONG_CHARS
        if self._is_long and not self.row.is_open:
            text = "\n".join(text[:_LONG_CHARS].split("\n")[:_LONG_LINES]) + " …"
        self.column.set_blocks(plain_blocks(clip(text, PROSE_LINE)))
        self._natural = -1
        self._natural_for = -1

    def forget(self) -> None:
        """Measure the bubble again, too."""
        super().forget()
        self._natural_for = -1

    def text_box(self) -> QRect:
        """Return the box inside the bubble."""
        limit = int(self.width * _BUBBLE_SHARE) - 2 * _BUBBLE_X
        if self._natural_for != limit and self.column is not None:
            is_wide = self._is_long and self.row.is_open
            self._natural = limit if is_wide else max(20, self.column.natural_width(limit))
            self._natural_for = limit
        left = self.width - _BUBBLE_X - self._natural
        return QRect(left, _BUBBLE_Y + 2, self._natural, 0)

    def frame_height(self) -> int:
        """Return the height with the bubble's lower edge and the arrows between versions."""
        return self._bubble_height() + (VERSIONS_HEIGHT + 2 if self.row.versions else 0)

    def _bubble_height(self) -> int:
        foot = _FOOT if self._is_long else 0
        return super().frame_height() + _BUBBLE_Y - 2 + foot

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the bubble."""
        box = self.text_box()
        left = box.left() - _BUBBLE_X
        rect = QRect(left, 0, self.width - left, self._bubble_height())
        draw_panel(painter, rect, self.theme.tokens.bubble, None, radius=12)

    def paint_spots(self, painter: QPainter, state: PaintState) -> None:
        """Paint the spots, and the names of the languages."""
        super().paint_spots(painter, state)
        paint_fence_names(self, painter, state)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Copy and Edit while the mouse is near; the line to unfold a long message."""
        middle = self._bubble_height() + 2 + VERSIONS_HEIGHT // 2
        always = [
            *fence_spots(self),
            *([self._fold_spot()] if self._is_long else []),
            *version_spots(self, self.width, middle, self.row.versions),
        ]
        if not is_hovered:
            return always
        right = self.text_box().left() - _BUBBLE_X - 6
        middle = min(self._bubble_height() // 2, 20)
        edit, copy = Intent("edit", self.row.key), Intent("copy", self.row.text)
        return [
            self.icon_spot(right - BUTTON_PX, middle, "copy", tr("Copy message"), copy),
            self.icon_spot(right, middle, "pencil", tr("Edit and send again"), edit),
            *always,
        ]

    def _fold_spot(self) -> Spot:
        label = tr("Show less") if self.row.is_open else tr_n("Show all %n lines", self._lines)
        if self._lines <= _LONG_LINES and not self.row.is_open:
            label = tr("Show all")
        width = text_width(self.theme, label, 12) + 4
        top = self._bubble_height() - _BUBBLE_Y - _FOOT + 2
        rect = QRect(self.text_box().left(), top, width, _FOOT)
        return Spot(rect=rect, intent=Intent("fold"), tip=label, label=label, look="word")


class FoldCard(MarkdownCard):
    """A line that opens: the model's thinking, a call of a tool, its result."""

    ink = "mute"
    gap = 12
    _LINE = 24

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the line itself as a spot, and those of the code while it is open."""
        width = 26 + text_width(self.theme, self._title(), 12) + 24
        rect = QRect(0, 0, min(width, self.width), self._LINE)
        tip = tr("Fold") if self.row.is_open else tr("Show")
        fold = Spot(rect=rect, intent=Intent("fold"), tip=tip, look="bare")
        return [fold, *(fence_spots(self) if self.row.is_open else [])]

    def text_box(self) -> QRect:
        """Return the box below the line, indented."""
        return QRect(14, self._LINE + 4, self.width - 14, 0)

    def frame_height(self) -> int:
        """Return the height; it is that of the line while it is folded."""
        return super().frame_height() if self.row.is_open else self._LINE

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Lay out the text, but nothing while it is folded."""
        self.width = width
        return super().lay_out(width, top, bottom) if self.row.is_open else self._LINE

    def has_text_at(self, x: int, y: int) -> bool:
        """Return whether a press here begins a selection: only while the card is open."""
        return self.row.is_open and super().has_text_at(x, y)

    def refresh(self) -> None:
        """Parse only what is looked at."""
        if self.row.is_open or self.column is None:
            super().refresh()
        self.is_behind = self.is_behind and self.row.is_open

    def paint(self, painter: QPainter, state: PaintState) -> None:
        """Paint the line, and the text with a bar beside it while it is open."""
        self._paint_line(painter, state)
        if self.row.is_open:
            super().paint(painter, state)
            bar = QRect(0, self._LINE + 4, 2, max(0, self.frame_height() - self._LINE - 4))
            painter.fillRect(bar, self.theme.colour("line_strong"))
        else:
            self.paint_spots(painter, state)

    def _paint_line(self, painter: QPainter, state: PaintState) -> None:
        is_hovered = state.hover is not None and state.hover.look == "bare"
        colour = "text" if is_hovered else "mute"
        middle = QRect(0, 0, 14, self._LINE).center().toPointF()
        draw_icon(painter, self.theme, self._icon(), colour, middle, 14)
        box = QRect(22, 0, max(0, self.width - 46), self._LINE)
        medium = QFont.Weight.Medium
        width = draw_text(painter, box, self._title(), self.theme, colour, 12, medium)
        chevron = "chevron-down" if self.row.is_open else "chevron-right"
        centre = QRect(22 + width + 4, 0, 14, self._LINE).center().toPointF()
        draw_icon(painter, self.theme, chevron, colour, centre, 14)

    def _icon(self) -> str:
        return "brain" if self.row.kind == "reasoning" else "wrench"

    def _title(self) -> str:
        name = self.row.language or tr("a tool")
        match self.row.kind:
            case "reasoning":
                took = (
                    tr("Thought for {detail}", detail=self.row.detail)
                    if self.row.detail
                    else tr("Thought")
                )
                return tr("Thinking…") if self.row.is_streaming else took
            case "tool_call":
                return (
                    tr("Calling {name}…", name=name)
                    if self.row.is_streaming
                    else tr("Called {name}", name=name)
                )
            case _:
                return tr("Result of {name}", name=name)


class PlanCard(MarkdownCard):
    """The model's plan, as it sent it."""

    def text_box(self) -> QRect:
        """Return the box below the header."""
        return QRect(16, 38, self.width - 32, 0)

    def frame_height(self) -> int:
        """Return the height with the lower edge."""
        return super().frame_height() + 12

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint a box with a title."""
        tokens = self.theme.tokens
        rect = QRect(0, 0, self.width, self.frame_height())
        draw_panel(painter, rect, tokens.raised, tokens.line)
        draw_header(painter, self.theme, QRect(0, 0, self.width, 36), "list-checks", tr("Plan"))
