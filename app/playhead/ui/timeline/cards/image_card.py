"""A picture that the code drew or the user gave."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor, QImage, QPainter

from playhead.ui.timeline.cards.card import Card, Intent, PaintState, Spot
from playhead.ui.timeline.text.shapes import clip_round, draw_icon, draw_panel, draw_text
from playhead.ui.widgets.wording import tr

_WAITING_HEIGHT = 200
_PROBLEM_HEIGHT = 56
_USER_WIDTH = 280
_EDGE = 1
_BUTTON = 28


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
        """Return the picture's own background, so that it fills its card; white for drawings."""
        corner = image.pixelColor(min(2, image.width() - 1), min(2, image.height() - 1))
        if corner.alpha() == 255:
            return corner
        return QColor("#FFFFFF") if self._kind() == "svg" else self.theme.colour("raised")

    def _is_inline(self) -> bool:
        """Return whether the row's text is the picture, not its path."""
        return self._kind() != "path"

    def _limit(self) -> int:
        wide = self.width - 2 * _EDGE
        return max(16, min(_USER_WIDTH, wide) if self.row.role == "user" else wide)

    def _picture(self):
        kind = self._kind()
        return self.tools.pictures.get(
            self.row.key, self.row.text, kind, self._limit(), self.tools.pictures.ratio
        )

    def _box(self) -> QRect:
        if self.row.role != "user":
            return QRect(0, 0, self.width, self.frame_height())
        found = self._picture()
        wide = self._limit()
        if found is not None and not found[1]:
            wide = round(found[0].deviceIndependentSize().width())
        width = wide + 2 * _EDGE
        return QRect(self.width - width, 0, width, self.frame_height())
