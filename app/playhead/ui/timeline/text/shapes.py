"""Draw the few shapes that cards and blocks are made of."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen

from playhead.ui.timeline.text.line_clipper import visible
from playhead.ui.widgets.theme import RADIUS_CARD, Theme

ICON_PX = 16
BUTTON_PX = 28
_MOST_CHARS = 500
_MEDIUM, _SEMIBOLD = QFont.Weight.Medium, QFont.Weight.DemiBold


def draw_panel(
    painter: QPainter,
    rect: QRect,
    ground: str | None,
    border: str | None,
    is_top: bool = True,
    is_bottom: bool = True,
    radius: int = RADIUS_CARD,
) -> None:
    """Draw a background with a hairline around it, round only at its beginning and end."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    box = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5)
    box.adjust(0, 0 if is_top else -2 * radius, 0, 0 if is_bottom else 2 * radius)
    painter.setPen(QPen(QColor(border), 1) if border else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground) if ground else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, radius, radius)
    painter.restore()


def painted_ratio(painter: QPainter) -> float:
    """Return how many pixels of the screen one of the painter's is, the zoom included."""
    return painter.device().devicePixelRatioF() * painter.worldTransform().m11()


def draw_hairline(painter: QPainter, left: int, top: int, width: int, colour: QColor) -> None:
    """Draw a line of whole pixels; at 80 % a thinner one would be drawn or not by chance."""
    ratio = painted_ratio(painter)
    painter.fillRect(QRectF(left, top, width, max(1, round(ratio)) / ratio), colour)


def clip_round(painter: QPainter, rect: QRect, radius: int = RADIUS_CARD) -> None:
    """Clip the painter to a round box."""
    path = QPainterPath()
    path.addRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)


def text_width(theme: Theme, text: str, size_px: int, weight: QFont.Weight = _MEDIUM) -> int:
    """Return the width of one line of text in pixels."""
    return QFontMetrics(theme.font(size_px, weight)).horizontalAdvance(one_line(text))


def one_line(text: str) -> str:
    """Return as much of a text as can ever fit into a line, because more would only cost time."""
    return visible(text[:_MOST_CHARS].replace("\n", " "))


def draw_text(
    painter: QPainter,
    rect: QRect,
    text: str,
    theme: Theme,
    colour: str = "text",
    size_px: int = 13,
    weight: QFont.Weight = QFont.Weight.Normal,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> int:
    """Draw one line, elided if it does not fit; return its width."""
    font = theme.font(size_px, weight)
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, rect.width()))
    painter.setFont(font)
    painter.setPen(theme.colour(colour))
    painter.drawText(rect, align | Qt.AlignmentFlag.AlignVCenter, shown)
    return metrics.horizontalAdvance(shown)


def draw_icon(
    painter: QPainter, theme: Theme, name: str, colour: str, centre: QPointF, size_px: int = ICON_PX
) -> None:
    """Draw a line icon around a point."""
    ratio = painted_ratio(painter)
    pixmap = theme.pixmap(name, colour, size_px, ratio)
    corner = centre - QPointF(size_px / 2, size_px / 2)
    painter.drawPixmap(QPointF(round(corner.x()), round(corner.y())), pixmap)


def draw_pill(painter: QPainter, theme: Theme, left: int, middle: int, text: str) -> int:
    """Draw a small word on the accent's pale background; return its width."""
    width = text_width(theme, text, 11, _SEMIBOLD) + 16
    rect = QRect(left, middle - 8, width, 17)
    draw_panel(painter, rect, theme.tokens.accent_bg, None, radius=8)
    centre = Qt.AlignmentFlag.AlignHCenter
    draw_text(painter, rect, text, theme, "accent", 11, _SEMIBOLD, centre)
    return width


def draw_focus(painter: QPainter, theme: Theme, rect: QRect) -> None:
    """Draw the ring around what has the keyboard focus."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.colour("accent"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 7, 7)
    painter.restore()


def draw_task(
    painter: QPainter, theme: Theme, box: QRectF, state: Literal["open", "done", "none"]
) -> None:
    """Draw the box of a task with a tick if it is done; a dot for another item."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground = theme.colour("accent" if state == "done" else "bg")
    painter.setBrush(theme.colour("text") if state == "none" else ground)
    if state == "none":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(box.center(), 2, 2)
    else:
        painter.setPen(QPen(theme.colour("accent" if state == "done" else "mute"), 1.2))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    if state == "done":
        tick = [(0.25, 0.52), (0.43, 0.7), (0.76, 0.32)]
        points = [box.topLeft() + QPointF(x * box.width(), y * box.height()) for x, y in tick]
        painter.setPen(QPen(theme.colour("on_accent"), 1.6))
        painter.drawPolyline(points)
    painter.restore()
