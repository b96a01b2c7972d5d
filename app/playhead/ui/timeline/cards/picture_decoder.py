"""Decode pictures in a thread at the size at which they are shown.

SVG that code returned is drawn here too: nothing is loaded from outside, and what is too large is
refused.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from collections import OrderedDict

from PySide6.QtCore import (
    QByteArray,
    QDataStream,
    QObject,
    QRectF,
    QRunnable,
    QSize,
    Qt,
    QThreadPool,
    Signal,
)
from PySide6.QtGui import QColor, QImage, QImageReader, QPainter
from PySide6.QtSvg import QSvgRenderer

from playhead.atomic_file import open_inside
from playhead.ui.widgets.wording import format_size, tr

LIMIT_CHARS = 8_000_000
_LIMIT_ELEMENTS = 200_000
_SMALLEST = 16
_INLINE = ("data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp")
_FILTERS = frozenset({"filter", "foreignObject"})


class _RefusedError(Exception):
    """A drawing is not shown; the text says why."""


class _SvgInspector:
    """Checks a drawing without drawing it."""

    def __init__(self) -> None:
        self._count = 0
        self._ids: list[str] = []
        self._repeating: set[str] = set()
        self._repeated: set[str] = set()

    def look(self, text: str) -> None:
        """Raise _RefusedError for anything that must not reach the renderer."""
        from xml.parsers import expat  # with the first drawing

        parser = expat.ParserCreate()
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.EntityDeclHandler = self._on_entity
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            raise _RefusedError(
                tr("The drawing is not well-formed (line {lineno}).", lineno=error.lineno)
            ) from None
        if self._repeating & self._repeated:
            raise _RefusedError(tr("The drawing repeats itself inside of itself."))

    def _on_start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > _LIMIT_ELEMENTS:
            raise _RefusedError(
                tr(
                    "The drawing has more than {limit_elements:,} elements.",
                    limit_elements=_LIMIT_ELEMENTS,
                )
            )
        local = name.rpartition(":")[2]
        if local in _FILTERS:
            raise _RefusedError(
                tr("The drawing uses {local}, which is not drawn here.", local=local)
            )
        self._ids.append(attributes.get("id", ""))
        address = attributes.get("xlink:href") or attributes.get("href") or ""
        if local == "use":
            self._repeated.add(address.removeprefix("#"))
            self._repeating.update(one for one in self._ids if one)
        if local != "a" and address and not _is_inside(address):
            raise _RefusedError(tr("The drawing refers to something outside of itself."))

    def _on_end(self, _name: str) -> None:
        self._ids.pop()

    def _on_entity(self, *_rest: object) -> None:
        raise _RefusedError(tr("The drawing declares entities of its own."))


def draw_svg(text: str, limit: QSize) -> tuple[QImage, str]:
    """Return a drawing no larger than `limit`, and what is wrong with it.

    May run in any thread.
    """
    try:
        return _draw(text, limit), ""
    except _RefusedError as refusal:
        return QImage(), str(refusal)


def _draw(text: str, limit: QSize) -> QImage:
    if len(text) > LIMIT_CHARS:
        raise _RefusedError(
            tr("The drawing is larger than {number} MB.", number=LIMIT_CHARS // 1000000)
        )
    _SvgInspector().look(text)
    renderer = QSvgRenderer(QByteArray(text.encode("utf-8", "replace")))
    if not renderer.isValid():
        raise _RefusedError(tr("The drawing cannot be read."))
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


MAX_HEIGHT = 480
_KEPT = 48
_LIMIT_MB = 512
_KEEP = Qt.AspectRatioMode.KeepAspectRatio
PictureKey = tuple[str, int, float, float]


class _DecodeSignals(QObject):
    ready = Signal(object, QImage, str)


class _DecodeJob(QRunnable):
    """Reads one picture; has no reference to the view, which may be deleted before it ends."""

    def __init__(
        self, key: PictureKey, source: str, kind: str, limit: QSize, answer: _DecodeSignals
    ) -> None:
        super().__init__()
        self._key = key
        self._source = source
        self._kind = kind
        self._limit = limit
        self._answer = answer

    def run(self) -> None:
        """Read the picture; called in a thread of the pool."""
        image, problem = decode_picture(self._source, self._kind, self._limit)
        self._answer.ready.emit(self._key, image, problem)


def decode_picture(source: str, kind: str, limit: QSize) -> tuple[QImage, str]:
    """Return a picture no larger than `limit`, and what is wrong with it.

    May run in any thread.
    """
    if kind == "svg":
        return draw_svg(source, limit)
    data, problem = _picture_data(source, kind)
    if problem:
        return QImage(), problem
    # Reading locks Qt's list of formats, for which another thread may wait while it has the
    # interpreter's lock; so what is read from must not need that one, as a QBuffer from here would.
    stream = QDataStream(data)
    reader = QImageReader(stream.device())
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    reader.setAllocationLimit(_LIMIT_MB)
    size = reader.size()
    if size.isValid() and (size.width() > limit.width() or size.height() > limit.height()):
        reader.setScaledSize(size.scaled(limit, _KEEP))
    if _is_too_large(reader, size):
        million = size.width() * size.height() // 1_000_000
        words = tr(
            "{width:,} × {height:,}, {million} megapixels",
            width=size.width(),
            height=size.height(),
            million=million,
        )
        return QImage(), _too_large(words)
    image = reader.read()
    return image, "" if not image.isNull() else _problem(reader)


def _picture_data(source: str, kind: str) -> tuple[QByteArray, str]:
    """Return a picture's data, and what is wrong with it.

    It is never a pipe that code put where a picture is looked for: the thread would wait for ever.
    """
    if kind.startswith("base64"):
        try:
            return QByteArray(base64.b64decode(source, validate=False)), ""
        except (binascii.Error, ValueError):
            return QByteArray(), tr("The picture's data cannot be read.")
    try:
        with open(open_inside(source), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return QByteArray(), tr("The picture is not a regular file.")
            if status.st_size > _LIMIT_MB << 20:
                return QByteArray(), _too_large(format_size(status.st_size))
            return QByteArray(file.read(_LIMIT_MB << 20)), ""
    except (FileNotFoundError, ValueError):  # also a name that no file can have
        return QByteArray(), tr("the file is not there any more")
    except OSError as error:
        return QByteArray(), error.strerror or str(error)


def _is_too_large(reader: QImageReader, size: QSize) -> bool:
    """Return whether a picture is too large; only JPEG is reduced while it is read."""
    if reader.format() in (b"jpeg", b"jpg"):
        return False
    return size.isValid() and size.width() * size.height() * 4 > _LIMIT_MB << 20


def _too_large(words: str) -> str:
    return tr("it is too large ({words})", words=words)


def _problem(reader: QImageReader) -> str:
    """Return why a picture cannot be shown, with advice."""
    match reader.error():
        case QImageReader.ImageReaderError.UnsupportedFormatError:
            return tr("it is not a picture, or of an unknown kind")
        case QImageReader.ImageReaderError.InvalidDataError:
            return tr("its data are damaged")
        case _:
            return reader.errorString()


class PictureDecoder(QObject):
    """Keeps the last pictures that were shown.

    `ready(name)` is emitted when one is decoded; for a name `row#part`, with the row.
    """

    ready = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[PictureKey, tuple[QImage, str]] = OrderedDict()
        self._asked: set[PictureKey] = set()
        self.ratio = 1.0
        self.zoom = 1.0
        self._answer = _DecodeSignals()
        self._answer.ready.connect(self._on_ready)

    def get(self, name: str, source: str, kind: str, width: int) -> tuple[QImage, str] | None:
        """Return the picture and what is wrong with it, or None while it is decoded.

        One that was decoded for another zoom has the same size, and is shown meanwhile.
        """
        key = (name, width, self.ratio, self.zoom)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if source and key not in self._asked:  # its card may be measured before its path is there
            self._asked.add(key)
            sharp = self.ratio * self.zoom
            limit = QSize(round(width * sharp), round(MAX_HEIGHT * sharp))
            QThreadPool.globalInstance().start(_DecodeJob(key, source, kind, limit, self._answer))
        return next((found for known, found in self._known.items() if known[:3] == key[:3]), None)

    def _on_ready(self, key: PictureKey, image: QImage, problem: str) -> None:
        self._asked.discard(key)
        _, width, ratio, zoom = key
        enlarged = max(image.width() / (width * ratio), image.height() / (MAX_HEIGHT * ratio), 1.0)
        image.setDevicePixelRatio(ratio * min(enlarged, zoom))
        self._known[key] = (image, problem)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.ready.emit(key[0].partition("#")[0])
