"""Small cards: attachments, sources, lines about a run, problems and notes."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QFont, QPainter

from playhead.domain.conversation.payloads import Failure
from playhead.session.stops import QUESTIONS
from playhead.ui.timeline.cards.card import Card, CardTools, Intent, PaintState, Spot
from playhead.ui.timeline.cards.input_line import INPUT_HEIGHT
from playhead.ui.timeline.cards.message_cards import answer_actions
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.model.sources import split_source
from playhead.ui.timeline.model.timeline_model import input_of
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.line_clipper import clip, visible
from playhead.ui.timeline.text.markdown_stream import Block, cut_plain
from playhead.ui.timeline.text.shapes import BUTTON_PX, draw_icon, draw_panel, draw_text, text_width
from playhead.ui.widgets.wording import tr, tr_error

_CHIP = 26
_NAME_CHARS = 300
_MOST_WORDS = 4_000


class AttachmentCard(Card):
    """A file that the user gave, as a chip."""

    gap = 8

    def frame_height(self) -> int:
        """Return the height of one line."""
        return _CHIP

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint an icon and the file's name."""
        tokens = self.theme.tokens
        name = visible(PurePath(self.row.text).name or self.row.text or "file")[:_NAME_CHARS]
        width = min(self.width, text_width(self.theme, name, 12) + 40)
        left = self.width - width if self.row.role == "user" else 0
        rect = QRect(left, 0, width, _CHIP)
        draw_panel(painter, rect, tokens.header, tokens.line, radius=7)
        draw_icon(painter, self.theme, "file", "mute", QPointF(left + 16, _CHIP / 2), 14)
        box = QRect(left + 28, 0, width - 36, _CHIP)
        draw_text(painter, box, name, self.theme, "text", 12, QFont.Weight.Medium)


class CitationCard(Card):
    """The sources of an answer as numbered chips, with the answer's actions at the turn's end."""

    gap = 10

    def frame_height(self) -> int:
        """Return the height of the lines of chips, with one for the turn's foot if it ends here."""
        foot = BUTTON_PX + 4 if self.row.is_last else 0
        return self._chips()[1] + foot

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the chips."""
        semibold = QFont.Weight.DemiBold
        for rect, text in self._chips()[0]:
            draw_panel(painter, rect, self.theme.tokens.accent_bg, None, radius=6)
            box = rect.adjusted(8, 0, -8, 0)
            draw_text(painter, box, text, self.theme, "accent", 11, semibold)
        if self.row.is_last:
            foot = QRect(0, self.frame_height() - BUTTON_PX, self.width - 80, BUTTON_PX)
            draw_text(painter, foot, self.row.foot, self.theme, "mute", 12)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the sources that can be opened; Copy and Retry at the end of a turn."""
        spots: list[Spot] = []
        for (rect, _), line in zip(self._chips()[0], self.row.items, strict=True):
            title, address = split_source(line)
            tip = f"{title}\n{address}" if address else title
            look = "bare" if address else "label"
            spots.append(
                Spot(
                    rect=rect,
                    intent=Intent("link", address),
                    tip=tip,
                    look=look,
                    is_enabled=bool(address),
                )
            )
        if not self.row.is_last:
            return spots
        return spots + answer_actions(self, self.frame_height() - BUTTON_PX // 2, self.row.key)

    def source(self) -> str:
        """Return the sources, one per line."""
        numbered = enumerate(map(split_source, self.row.items), 1)
        return "\n".join(f"[{number}] {' '.join(one).strip()}" for number, one in numbered)

    def _chips(self) -> tuple[list[tuple[QRect, str]], int]:
        x = y = 0
        room = self.width
        chips: list[tuple[QRect, str]] = []
        for number, item in enumerate(self.row.items, 1):
            text = f"{number}  {split_source(item)[0]}"
            width = min(room, text_width(self.theme, text, 11, QFont.Weight.DemiBold) + 18)
            if x and x + width > room:
                x, y = 0, y + 24
            chips.append((QRect(x, y + 4, width, 18), text))
            x += width + 6
        return chips, y + 26


class RunCard(Card):
    """A line that says why a run ended early."""

    gap = 10
    icon = "circle-stop"

    def refresh(self) -> None:
        """Set the line."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker, "mute")
        self.column.set_blocks(cut_plain(self.row.text, "plain"))

    def text_box(self) -> QRect:
        """Return the box beside the icon."""
        return QRect(24, 2, self.width - 24, 0)

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the icon."""
        draw_icon(painter, self.theme, self.icon, "mute", QPointF(8, 12))


class UnknownCard(RunCard):
    """A quiet line in place of a result that cannot be shown."""

    icon = "info"


class BoxCard(Card):
    """A tinted box with an icon, a title, words and perhaps a button."""

    look = ("danger_bg", "danger_line", "danger", "circle-alert")

    def refresh(self) -> None:
        """Set the words."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker)
        words = self.words()
        self.column.set_blocks(cut_plain(clip(words[:_MOST_WORDS]), "plain") if words else [])
        if self._title_column is None:
            self._title_column = BlockColumn(self.tools.maker, self.look[2])
        self._title_column.set_blocks(
            [Block(kind="title", source=clip(self.title()[:_MOST_WORDS]))]
        )

    def __init__(self, row: Row, tools: CardTools) -> None:
        self._title_column: BlockColumn | None = None
        super().__init__(row, tools)

    def title(self) -> str:
        """Return the first line."""
        return ""

    def title_margin(self) -> int:
        """Return the room that the title leaves to buttons beside it."""
        return 0

    def words(self) -> str:
        """Return the text below the title."""
        return ""

    def button(self) -> tuple[str, str, Intent] | None:
        """Return the button's label, icon and intent; None for no button."""
        return None

    def forget(self) -> None:
        """Forget the colours, which the title's document has too."""
        super().forget()
        if self._title_column is not None:
            self._title_column.forget()

    def source(self) -> str:
        """Return title and words."""
        return f"{self.title()}\n{self.words()}".strip()

    def text_box(self) -> QRect:
        """Return the box beside the icon, below the title."""
        title = self._title_column
        assert title is not None  # noqa: S101 - made with the card
        width = self.width - 40 - 14
        height = title.lay_out(width - self.title_margin(), 0, 10_000) if self.width else 0
        return QRect(40, 12 + height, width, 0)

    def frame_height(self) -> int:
        """Return the height with the button and the lower edge."""
        return super().frame_height() + (40 if self.button() else 0) + 12

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the box, the icon and the title."""
        ground, border, colour, icon = self.look
        tokens = self.theme.tokens
        rect = QRect(0, 0, self.width, self.frame_height())
        draw_panel(painter, rect, tokens.of(ground), tokens.of(border))
        draw_icon(painter, self.theme, icon, colour, QPointF(22, 23))
        if self._title_column is not None:
            painter.save()
            painter.translate(40, 12)
            clip = state.clip.translated(-40, -12)
            self._title_column.paint(painter, clip, None)
            painter.restore()

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the button."""
        if (button := self.button()) is None:
            return []
        label, icon, intent = button
        return [self.button_spot(40, self.frame_height() - 40, label, intent, icon)]


class FailureCard(BoxCard):
    """The reason for a missing answer, the remedy, and Retry.

    One that is a question is not a red box, because a bar above the composer takes the answer.
    """

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._is_question = isinstance(content, Failure) and content.code in QUESTIONS
        if self._is_question:
            self.look = ("header", "line", "text", "info")
        super().__init__(row, tools)

    def title(self) -> str:
        """Return the failure in one sentence."""
        return tr_error(self._failure()).title

    def words(self) -> str:
        """Return the facts and the remedy."""
        failure = tr_error(self._failure())
        remedy = "" if self._is_question else failure.remedy
        return "\n".join(part for part in (failure.detail, remedy) if part)

    def button(self) -> tuple[str, str, Intent] | None:
        """Return Retry."""
        if self._is_question:
            return None
        return tr("Retry"), "refresh-cw", Intent("retry", self.row.key)

    def _failure(self) -> Failure:
        content = self.row.message.content if self.row.message else None
        if isinstance(content, Failure):
            return content
        return Failure(code="", title=self.row.text or tr("The answer failed."))


class NoteCard(BoxCard):
    """A message of the window itself."""

    def __init__(self, row: Row, tools: CardTools) -> None:
        kind = row.note.kind if row.note else "info"
        quiet = ("header", "line", "text")
        self.look = {
            "info": (*quiet, "info"),
            "warning": (*quiet, "triangle-alert"),
            "error": BoxCard.look,
        }[kind]
        super().__init__(row, tools)

    def title(self) -> str:
        """Return the message."""
        return self.row.note.title if self.row.note else ""

    def words(self) -> str:
        """Return the details."""
        return self.row.note.detail if self.row.note else ""

    def button(self) -> tuple[str, str, Intent] | None:
        """Return the button for the remedy; None for no button."""
        if self.row.note is None or self.row.note.action is None:
            return None
        return self.row.note.action[0], "", Intent("act", self.row.key)


class InputCard(BoxCard):
    """A request of the running code for a line; the view puts the field, a widget, over it."""

    look = ("raised", "line_strong", "text", "keyboard")

    def title(self) -> str:
        """Return the prompt of the code."""
        request = input_of(self.row)
        prompt = request.prompt.strip() if request else ""
        return prompt or tr("The code asks for a line of text.")

    def words(self) -> str:
        """Return the answer, unless it is a secret."""
        if not self.row.state:
            return ""
        if self.row.state == "stopped":
            return tr("Stopped before an answer.")
        return self.row.detail or tr("Answered.")

    def frame_height(self) -> int:
        """Return the height, with room for the field."""
        return super().frame_height() + (0 if self.row.state else INPUT_HEIGHT + 10)

    def field_box(self) -> QRect:
        """Return the box of the field."""
        top = self.frame_height() - INPUT_HEIGHT - 12
        return QRect(40, top, self.width - 40 - 14, INPUT_HEIGHT)
