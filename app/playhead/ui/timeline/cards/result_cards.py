"""Texts that the code returned: pages as folded source, Markdown as prose."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_Y,
    Intent,
    PaintState,
    Spot,
    draw_detail,
    draw_header,
)
from playhead.ui.timeline.cards.code_cards import PanelCard
from playhead.ui.timeline.cards.message_cards import MarkdownCard
from playhead.ui.timeline.text.block_column import BlockColumn
from playhead.ui.timeline.text.line_clipper import clip
from playhead.ui.timeline.text.markdown_stream import cut_plain
from playhead.ui.timeline.text.shapes import draw_hairline, draw_panel, text_width
from playhead.ui.widgets.wording import format_size, tr

_SHOWN_CHARS = 200_000
_PAD = 16


class PageCard(PanelCard):
    """HTML or JavaScript that was shown: never rendered here, its source folded away."""

    gap = 12

    def refresh(self) -> None:
        """Lay out the source only while it is open."""
        if self.column is None:
            self.column = BlockColumn(self.tools.maker)
        source = clip(self.row.text[:_SHOWN_CHARS]) if self.row.is_open else ""
        blocks = cut_plain(source, "code", self.row.language.lower()) if source else []
        self.column.set_blocks(blocks)

    def frame_height(self) -> int:
        """Return the height; while it is folded, only that of the header."""
        return super().frame_height() if self.row.is_open else HEADER

    def text_box(self) -> QRect:
        """Return the box inside the panel."""
        return super().text_box() if self.row.is_open else QRect(0, HEADER, self.width, 0)

    def foot_label(self) -> str:
        """Return how much was left out."""
        return tr("Hide the source") if len(self.row.text) > 4_000 and self.row.is_open else ""

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the frame; while it is closed, only the header."""
        if self.row.is_open:
            super().paint_frame(painter, state)
            return
        tokens = self.theme.tokens
        header = QRect(0, 0, self.width, HEADER)
        draw_panel(painter, header, tokens.header, tokens.line)
        self.paint_header(painter, header)

    def paint_header(self, painter: QPainter, header: QRect) -> None:
        """Paint the kind and the length."""
        is_page = self._is_page()
        title = tr("Web page") if is_page else "JavaScript"
        icon = "globe" if is_page else "file-braces"
        right = draw_header(painter, self.theme, header, icon, title) + 10
        words = format_size(len(self.row.text))
        if not is_page:
            words += tr(" · not run here")
        draw_detail(painter, self.theme, right, header.adjusted(0, 0, -120, 0), words)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the buttons to open it outside, and to copy and unfold the source."""
        middle = HEADER // 2
        chevron = "chevron-down" if self.row.is_open else "chevron-right"
        tip = tr("Hide the source") if self.row.is_open else tr("Show the source")
        copy = Intent("copy", self.row.text)
        spots = [
            self.icon_spot(self.width - 8, middle, chevron, tip, Intent("fold")),
            self.icon_spot(self.width - 40, middle, "copy", tr("Copy the source"), copy),
        ]
        if self._is_page():
            label = tr("Open in browser")
            left = self.width - 78 - text_width(self.theme, label, 13) - 46
            spots.append(
                Spot(
                    rect=QRect(left, middle - 13, text_width(self.theme, label, 13) + 46, 26),
                    intent=Intent("page", self.row.key),
                    tip=tr("Your browser loads and runs what the page asks for"),
                    icon="square-arrow-out-up-right",
                    label=label,
                    look="button",
                )
            )
        return spots + self.foot_spots()

    def _is_page(self) -> bool:
        return self.row.language.lower() == "html"


class RenderedCard(MarkdownCard):
    """Markdown that the code returned, in a frame, because it is not from the model."""

    gap = 12

    def text_box(self) -> QRect:
        """Return the box inside the frame, below its header."""
        return QRect(_PAD, HEADER + PAD_Y, self.width - 2 * _PAD, 0)

    def frame_height(self) -> int:
        """Return the height with the lower edge."""
        return super().frame_height() + PAD_Y + 2

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the frame and its header."""
        tokens = self.theme.tokens
        draw_panel(painter, QRect(0, 0, self.width, self.frame_height()), tokens.bg, tokens.line)
        header = QRect(0, 0, self.width, HEADER)
        draw_panel(painter, header, tokens.header, tokens.line, is_bottom=False)
        draw_hairline(painter, 0, HEADER - 1, self.width, self.theme.colour("line"))
        draw_header(painter, self.theme, header, "file-text", tr("Result"))

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the button to copy the Markdown."""
        copy = Intent("copy", self.row.text)
        icon = self.icon_spot(self.width - 8, HEADER // 2, "copy", tr("Copy markdown"), copy)
        return [icon, *self.fence_spots()]
