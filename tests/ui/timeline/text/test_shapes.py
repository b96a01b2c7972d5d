"""Shapes of cards, as they come out on a screen."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from playhead.ui.timeline.text.shapes import draw_hairline


@pytest.mark.parametrize(("scale", "thick"), [(0.8, 1), (1.0, 1), (1.25, 1), (1.5, 2), (2.0, 2)])
def test_a_hairline_is_as_thick_everywhere_at_any_scale(scale: float, thick: int) -> None:
    image = QImage(20, 400, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    for top in range(10, 110):
        image.fill(QColor("white"))
        painter = QPainter(image)
        draw_hairline(painter, 0, top, 20, QColor("black"))
        painter.end()
        column = [image.pixelColor(5, y).lightness() for y in range(image.height())]
        assert column.count(0) == thick, f"at {top}"
        assert set(column) == {0, 255}
