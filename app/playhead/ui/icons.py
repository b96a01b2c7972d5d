"""Line icons: Lucide SVGs in any colour, drawn once per colour, size and density."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE_PX = 16
TEXT_GAP_PX = 3
STROKE = "1.75"
_DENSITIES = (1.0, 2.0)


class IconSet:
    """The icons of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sources: dict[str, str] = {}
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}

    def icon(self, name: str, colour: str) -> QIcon:
        """An icon for buttons and menus. Raises FileNotFoundError for a name that is not there."""
        key = (name, colour)
        if key not in self._icons:
            icon = QIcon()
            for density in _DENSITIES:
                icon.addPixmap(self.pixmap(name, colour, SIZE_PX, density))
            self._icons[key] = icon
        return self._icons[key]

    def beside_text(self, name: str, colour: str) -> QIcon:
        """An icon with air on its right: Qt leaves four pixels to the text, which is too little."""
        key = (name, f"{colour} beside text")
        if key not in self._icons:
            icon = QIcon()
            for density in _DENSITIES:
                drawn = self.pixmap(name, colour, SIZE_PX, density)
                wide = QPixmap(round((SIZE_PX + TEXT_GAP_PX) * density), drawn.height())
                wide.fill(Qt.GlobalColor.transparent)
                wide.setDevicePixelRatio(density)
                painter = QPainter(wide)
                painter.drawPixmap(0, 0, drawn)
                painter.end()
                icon.addPixmap(wide)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(self, name: str, colour: str, size_px: int, ratio: float) -> QPixmap:
        """A picture of `size_px` logical pixels at a device pixel ratio."""
        key = (name, colour, size_px, ratio)
        if key not in self._pixmaps:
            self._pixmaps[key] = self._draw(name, colour, size_px, ratio)
        return self._pixmaps[key]

    def _draw(self, name: str, colour: str, size_px: int, ratio: float) -> QPixmap:
        svg = self._source(name).replace("currentColor", colour)
        side = round(size_px * ratio)
        pixmap = QPixmap(side, side)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, side, side))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        return pixmap

    def _source(self, name: str) -> str:
        if name not in self._sources:
            text = (self._folder / f"{name}.svg").read_text(encoding="utf-8")
            self._sources[name] = text.replace('stroke-width="2"', f'stroke-width="{STROKE}"')
        return self._sources[name]
