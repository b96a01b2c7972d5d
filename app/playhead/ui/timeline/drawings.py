"""Draws SVG that code gave back: nothing is loaded from outside, and what is too much is refused.

Qt's renderer opens local files that an image names, and draws what a `use` refers to as often as
it is asked to, which can be without end. Both are looked for before it sees the text.
"""

from __future__ import annotations

from xml.parsers import expat

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from playhead.ui.wording import tr

LIMIT_CHARS = 8_000_000
_LIMIT_ELEMENTS = 200_000
_SMALLEST = 16
_INLINE = ("data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp")
_FILTERS = frozenset({"filter", "foreignObject"})


class _Refusal(Exception):
    """Says in words why a drawing is not shown."""


class _Inspector:
    """Walks through a drawing without drawing it."""

    def __init__(self) -> None:
        self._count = 0
        self._ids: list[str] = []
        self._repeating: set[str] = set()
        self._repeated: set[str] = set()

    def look(self, text: str) -> None:
        """Raises _Refusal for what must not reach the renderer."""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.EntityDeclHandler = self._on_entity
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise _Refusal(
                tr("The drawing is not well-formed (line {lineno}).", lineno=error.lineno)
            ) from None
        if self._repeating & self._repeated:
            raise _Refusal(tr("The drawing repeats itself inside of itself."))

    def _on_start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > _LIMIT_ELEMENTS:
            raise _Refusal(
                tr(
                    "The drawing has more than {limit_elements:,} elements.",
                    limit_elements=_LIMIT_ELEMENTS,
                )
            )
        local = name.rpartition(":")[2]
        if local in _FILTERS:
            raise _Refusal(tr("The drawing uses {local}, which is not drawn here.", local=local))
        self._ids.append(attributes.get("id", ""))
        address = attributes.get("xlink:href") or attributes.get("href") or ""
        if local == "use":
            self._repeated.add(address.removeprefix("#"))
            self._repeating.update(one for one in self._ids if one)
        if local != "a" and address and not _is_inside(address):
            raise _Refusal(tr("The drawing refers to something outside of itself."))

    def _on_end(self, _name: str) -> None:
        self._ids.pop()

    def _on_entity(self, *_rest: object) -> None:
        raise _Refusal(tr("The drawing declares entities of its own."))


def draw_svg(text: str, limit: QSize) -> tuple[QImage, str]:
    """A drawing no larger than `limit`, and what is wrong with it; may run in any thread."""
    try:
        return _draw(text, limit), ""
    except _Refusal as refusal:
        return QImage(), str(refusal)


def _draw(text: str, limit: QSize) -> QImage:
    if len(text) > LIMIT_CHARS:
        raise _Refusal(tr("The drawing is larger than {number} MB.", number=LIMIT_CHARS // 1000000))
    _Inspector().look(text)
    renderer = QSvgRenderer(QByteArray(text.encode("utf-8", "replace")))
    if not renderer.isValid():
        raise _Refusal(tr("The drawing cannot be read."))
    size = renderer.defaultSize()
    if size.isEmpty():
        size = QSize(300, 150)  # what browsers take for a drawing that does not say
    size = size.scaled(limit, Qt.AspectRatioMode.KeepAspectRatio)
    size = size.expandedTo(QSize(_SMALLEST, 1)).boundedTo(limit)
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(Qt.GlobalColor.transparent))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def _is_inside(address: str) -> bool:
    return address.startswith(("#", *_INLINE))
