"""Cards of results: pages as folded source, Markdown as prose, and pictures."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_Y,
    Card,
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
from playhead.ui.timeline.text.shapes import (
    clip_round,
    draw_hairline,
    draw_icon,
    draw_panel,
    draw_text,
    text_width,
)
from playhead.ui.widgets.wording import format_size, tr

_SHOWN_CHARS = 200_000
_PAD = 16
_WAITING_HEIGHT = 200
_PROBLEM_HEIGHT = 56
_USER_WIDTH = 280
_EDGE = 1
_BUTTON = 28
_GREY = 25


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
    """Markdown or LaTeX that the code returned, in a frame, because it is not from the model."""

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
        """Return the button to copy the source."""
        source = self.row.message.text if self.row.message is not None else ""
        is_latex = self.row.language.lower() == "latex"
        tip = tr("Copy LaTeX") if is_latex else tr("Copy markdown")
        copy = Intent("copy", source or self.row.text)
        icon = self.icon_spot(self.width - 8, HEADER // 2, "copy", tip, copy)
        return [icon, *self.fence_spots()]


def picture_problem(name: str, problem: str) -> str:
    """Return why a picture is not shown, as a sentence."""
    problem = problem.rstrip(".")
    return tr(
        "{name} cannot be shown: {lower}{name_2}.",
        name=name,
        lower=problem[:1].lower(),
        name_2=problem[1:],
    )


class ImageCard(Card):
    """A picture, decoded in a thread at the card's width, or why it cannot be read."""

    gap = 12

    def frame_height(self) -> int:
        """Return the height of the picture; a guess until it is decoded."""
        found = self._picture()
        if found is None:
            return _WAITING_HEIGHT
        image, problem = found
        if problem:
            return _PROBLEM_HEIGHT
        return round(image.deviceIndependentSize().height()) + 2 * _EDGE

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the picture in a hairline, or the message instead of it."""
        tokens = self.theme.tokens
        rect = self._box()
        found = self._picture()
        if found is None or found[1]:
            draw_panel(painter, rect, tokens.code_bg, tokens.line)
            words = (
                tr("Loading the picture…")
                if found is None
                else picture_problem(self._name(), found[1])
            )
            draw_icon(
                painter, self.theme, "image", "mute", QPointF(rect.left() + 24, rect.center().y())
            )
            box = rect.adjusted(44, 0, -14, 0)
            draw_text(painter, box, words, self.theme, "mute", 13)
            return
        painter.save()
        clip_round(painter, rect)
        painter.fillRect(rect, self._ground(found[0]))
        size = found[0].deviceIndependentSize()
        left = rect.left() + max(_EDGE, (rect.width() - round(size.width())) // 2)
        if found[0].hasAlphaChannel():  # what is drawn on nothing is drawn for paper
            paper = QRectF(QPointF(left, _EDGE), size).adjusted(1, 1, -1, -1)
            painter.fillRect(paper, Qt.GlobalColor.white)
        painter.drawImage(QPointF(left, _EDGE), found[0])
        painter.restore()
        draw_panel(painter, rect, None, tokens.line)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return Zoom for a click anywhere on it; Save and Copy while the mouse is near."""
        found = self._picture()
        if found is None or found[1]:
            return []
        rect, key = self._box(), self.row.key
        zoom = Spot(rect=rect, intent=Intent("picture", key), tip=tr("Open picture"), look="bare")
        if not is_hovered or rect.width() < 3 * _BUTTON:
            return [zoom]
        copy, save = Intent("copy_picture", key), Intent("save_picture", key)
        return [
            self._button(rect.right() - 6, "download", tr("Save picture…"), save),
            self._button(rect.right() - 8 - _BUTTON, "copy", tr("Copy picture"), copy),
            zoom,
        ]

    def _button(self, right: int, icon: str, tip: str, intent: Intent) -> Spot:
        rect = QRect(right - _BUTTON, 6, _BUTTON, _BUTTON)
        return Spot(rect=rect, intent=intent, tip=tip, icon=icon)

    def paint_spots(self, painter: QPainter, state: PaintState) -> None:
        """Paint a background under the icons, because the picture may have any colour."""
        tokens = self.theme.tokens
        for spot in self.spots(state.is_hovered or state.focus is not None):
            if spot.look == "icon":
                draw_panel(painter, spot.rect, tokens.raised, tokens.line_strong, radius=7)
        super().paint_spots(painter, state)

    def source(self) -> str:
        """Return its path, or a word instead of its data."""
        return self.row.text if self._kind() in ("path", "svg") else "[image]"

    def _kind(self) -> str:
        return self.row.language or "path"

    def _name(self) -> str:
        return tr("The picture") if self._is_inline() else PurePath(self.row.text).name

    def _ground(self, image: QImage) -> QColor:
        """Return the colour beside the picture: its own ground if that is one and grey."""
        right, bottom = image.width() - 1, image.height() - 1
        inset = min(2, right // 2, bottom // 2)
        places = [(x, y) for x in (inset, right - inset) for y in (inset, bottom - inset)]
        corners = [image.pixelColor(x, y) for x, y in places]
        if any(one != corners[0] for one in corners) or corners[0].hsvSaturation() > _GREY:
            return self.theme.colour("code_bg")
        return corners[0] if corners[0].alpha() == 255 else QColor("#FFFFFF")

    def _is_inline(self) -> bool:
        """Return whether the row's text is the picture, not its path."""
        return self._kind() != "path"

    def _limit(self) -> int:
        wide = self.width - 2 * _EDGE
        return max(16, min(_USER_WIDTH, wide) if self.row.role == "user" else wide)

    def _picture(self):
        kind = self._kind()
        return self.tools.pictures.get(self.row.key, self.row.text, kind, self._limit())

    def _box(self) -> QRect:
        if self.row.role != "user":
            return QRect(0, 0, self.width, self.frame_height())
        found = self._picture()
        wide = self._limit()
        if found is not None and not found[1]:
            wide = round(found[0].deviceIndependentSize().width())
        width = wide + 2 * _EDGE
        return QRect(self.width - width, 0, width, self.frame_height())
