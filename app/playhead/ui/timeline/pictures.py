"""Decodes pictures in a thread, at the size at which they are shown."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QObject,
    QRunnable,
    QSize,
    Qt,
    QThreadPool,
    Signal,
)
from PySide6.QtGui import QImage, QImageReader

from playhead.ui.timeline.drawings import draw_svg
from playhead.ui.wording import tr

MAX_HEIGHT = 480
_KEPT = 48
_LIMIT_MB = 512
_KEEP = Qt.AspectRatioMode.KeepAspectRatio
Key = tuple[str, int, float]


class _Answer(QObject):
    ready = Signal(object, QImage, str)


class _Decoding(QRunnable):
    """Reads one picture; holds nothing of the view, which may be gone before it ends."""

    def __init__(self, key: Key, source: str, kind: str, limit: QSize, answer: _Answer) -> None:
        super().__init__()
        self._key = key
        self._source = source
        self._kind = kind
        self._limit = limit
        self._answer = answer

    def run(self) -> None:
        """Called in a thread of the pool."""
        image, problem = decode(self._source, self._kind, self._limit)
        self._answer.ready.emit(self._key, image, problem)


def decode(source: str, kind: str, limit: QSize) -> tuple[QImage, str]:
    """A picture no larger than `limit`, and what is wrong with it; may run in any thread."""
    if kind == "svg":
        return draw_svg(source, limit)
    data = QBuffer()
    if kind.startswith("base64"):
        try:
            data.setData(QByteArray(base64.b64decode(source, validate=False)))
        except (binascii.Error, ValueError):
            return QImage(), tr("The picture's data cannot be read.")
        data.open(QIODevice.OpenModeFlag.ReadOnly)
        reader = QImageReader(data)
    else:
        reader = QImageReader(source)
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
        return QImage(), tr("it is too large ({words})", words=words)
    image = reader.read()
    return image, "" if not image.isNull() else _problem(reader)


def _is_too_large(reader: QImageReader, size: QSize) -> bool:
    """Only JPEG is made small while it is read; others would be whole in memory first."""
    if reader.format() in (b"jpeg", b"jpg"):
        return False
    return size.isValid() and size.width() * size.height() * 4 > _LIMIT_MB << 20


def _problem(reader: QImageReader) -> str:
    """Why a picture cannot be shown, in words that help."""
    match reader.error():
        case QImageReader.ImageReaderError.FileNotFoundError:
            return tr("the file is not there any more")
        case QImageReader.ImageReaderError.UnsupportedFormatError:
            return tr("it is no picture, or of an unknown kind")
        case QImageReader.ImageReaderError.InvalidDataError:
            return tr("its data are damaged")
        case _:
            return reader.errorString()


class Pictures(QObject):
    """Keeps the last pictures that were shown.

    `ready(name)` comes when one is decoded; of a name `row#part` it is the row.
    """

    ready = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[Key, tuple[QImage, str]] = OrderedDict()
        self._asked: set[Key] = set()
        self.ratio = 1.0
        self._answer = _Answer()
        self._answer.ready.connect(self._on_ready)

    def get(
        self, name: str, source: str, kind: str, width: int, ratio: float
    ) -> tuple[QImage, str] | None:
        """The picture and what is wrong with it, or None while it is decoded."""
        key = (name, width, ratio)
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._asked:
            self._asked.add(key)
            limit = QSize(round(width * ratio), round(MAX_HEIGHT * ratio))
            QThreadPool.globalInstance().start(_Decoding(key, source, kind, limit, self._answer))
        return None

    def _on_ready(self, key: Key, image: QImage, problem: str) -> None:
        self._asked.discard(key)
        image.setDevicePixelRatio(key[2])
        self._known[key] = (image, problem)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.ready.emit(key[0].partition("#")[0])
