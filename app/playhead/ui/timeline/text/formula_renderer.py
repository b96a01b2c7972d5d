"""Draws formulas in a thread and keeps the last ones."""

from __future__ import annotations

import re
import sys
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from msgspec import Struct
from PySide6.QtCore import QByteArray, QObject, QRectF, QRunnable, Qt, QThreadPool, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from playhead.ui.widgets.wording import tr

_LIMIT_CHARS = 2_000
_LIMIT_DEPTH = 20
_LIMIT_PX = 8_000
_KEPT = 400
_LIMIT_S = 1.5
"""The time limit for one formula; nested roots take twice as long with each level."""
_PORTION_S, _PAUSE_S = 0.002, 0.001
_LOOK_EVERY = 100
"""Calls between checks of the clock, because a check takes longer than a call."""
_SCALE = 1.1
"""The characters of the mathematical font are lower than those of the text."""
# They can be endless, and no answer needs them.
_MACROS = re.compile(
    r"\\(?:re)?newcommand|\\(?:provide|DeclareRobust)command|\\[gex]?def(?![a-zA-Z])|\\let\b"
)
FormulaKey = tuple[str, float, bool, float]


class FormulaDrawing(Struct, frozen=True, kw_only=True):
    """A formula in black; sizes in pixels of the text, `descent` is the part below the line."""

    image: QImage = msgspec.field(default_factory=QImage)
    width: float = 0.0
    height: float = 0.0
    descent: float = 0.0
    problem: str = ""

    def in_colour(self, colour: QColor) -> QImage:
        """Return the picture in a colour."""
        image = self.image.copy()
        painter = QPainter(image)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(QRectF(0, 0, self.width + 1, self.height + 1), colour)
        painter.end()
        return image


class _TooLong(Exception):
    """A formula took too much time."""


@contextmanager
def _in_portions() -> Iterator[None]:
    """Pause now and then for the window's thread, and stop after too long.

    Python code that is busy in another thread keeps the interpreter for 5 ms at a time.
    """
    began = portion = time.thread_time()
    calls = 0

    def look(*_event: object) -> None:
        nonlocal calls, portion
        calls += 1
        if calls % _LOOK_EVERY:
            return
        now = time.thread_time()
        if now - portion > _PORTION_S:
            if now - began > _LIMIT_S:
                raise _TooLong
            time.sleep(_PAUSE_S)
            portion = now

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


class _RenderSignals(QObject):
    ready = Signal(object, object)


class _RenderJob(QRunnable):
    """Draws one formula; has no reference to the view, which may be deleted before it ends."""

    def __init__(self, key: FormulaKey, answer: _RenderSignals) -> None:
        super().__init__()
        self._key = key
        self._answer = answer

    def run(self) -> None:
        """Draw the formula; called in a thread of the pool."""
        self._answer.ready.emit(self._key, draw_formula(*self._key))


class FormulaRenderer(QObject):
    """Returns formulas as pictures. Owner: the view.

    `changed()` is emitted when one that was asked for is ready.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[FormulaKey, FormulaDrawing] = OrderedDict()
        self._asked: set[FormulaKey] = set()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self.destroyed.connect(self._pool.clear)  # else the program's end waits for all formulas
        self.zoom = 1.0
        self._answer = _RenderSignals()
        self._answer.ready.connect(self._on_ready)

    @property
    def ratio(self) -> float:
        """Return how many pixels of the screen are drawn for one of the text."""
        app = QGuiApplication.instance()
        return self.zoom * (app.devicePixelRatio() if isinstance(app, QGuiApplication) else 1.0)

    def get(self, latex: str, size_px: float, is_display: bool) -> FormulaDrawing | None:
        """Return a formula in a font size, or None while it is drawn.

        One of another `ratio` is returned meanwhile: it has the same size, and is less sharp.
        """
        key = (latex, size_px, is_display, self.ratio)
        if (known := self._known.get(key)) is not None:
            self._known.move_to_end(key)
            return known
        if key not in self._asked:
            self._asked.add(key)
            self._pool.start(_RenderJob(key, self._answer))
        return next((one for known, one in self._known.items() if known[:3] == key[:3]), None)

    def _on_ready(self, key: FormulaKey, drawing: FormulaDrawing) -> None:
        self._asked.discard(key)
        self._known[key] = drawing
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.changed.emit()


def draw_formula(latex: str, size_px: float, is_display: bool, ratio: float) -> FormulaDrawing:
    """Return a formula as a picture, or what is wrong with it.

    May run in any thread.
    """
    if problem := _refusal(latex):
        return FormulaDrawing(problem=problem)
    try:
        with _in_portions():
            svg, width, height, descent = _render(latex, size_px * _SCALE, is_display)
    except _TooLong:
        return FormulaDrawing(problem=tr("This formula takes too long to draw."))
    except Exception:  # noqa: BLE001 - the libraries fail in every way on what is not LaTeX
        return FormulaDrawing(problem=tr("This formula cannot be read."))
    if not 0 < width < _LIMIT_PX or not 0 < height < _LIMIT_PX:
        return FormulaDrawing(problem=tr("This formula is too large to draw."))
    renderer = QSvgRenderer(QByteArray(svg.encode("utf-8", "replace")))
    if not renderer.isValid():
        return FormulaDrawing(problem=tr("This formula cannot be drawn."))
    image = QImage(
        max(1, round(width * ratio)), max(1, round(height * ratio)), QImage.Format.Format_ARGB32
    )
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    return FormulaDrawing(image=image, width=width, height=height, descent=descent)


def _refusal(latex: str) -> str:
    if len(latex) > _LIMIT_CHARS:
        return tr("This formula is too long to draw.")
    if _MACROS.search(latex):
        return tr("Formulas that define commands are not drawn.")
    depth = deepest = 0
    for sign in latex:
        depth += (sign == "{") - (sign == "}")
        deepest = max(deepest, depth)
    deepest = max(deepest, latex.count("\\left"), latex.count("\\begin"))
    return tr("This formula is nested too deeply to draw.") if deepest > _LIMIT_DEPTH else ""


def _render(latex: str, size_px: float, is_display: bool) -> tuple[str, float, float, float]:
    """Return the SVG of a formula, its width, height and descent."""
    from xml.etree import ElementTree

    from ziamath.config import config  # slow to import, and only some answers have formulas
    from ziamath.tex import tex2mml
    from ziamath.zmath import Math

    config.svg2 = False  # QtSvg draws the symbols of SVG 2 as nothing
    markup = tex2mml(latex, inline=not is_display)
    for element in ElementTree.fromstring(markup).iter():  # noqa: S314 - made by tex2mml above
        if element.text and element.text.startswith("\\"):
            raise ValueError(element.text)  # an unknown command, which would be drawn as a word
    drawn = Math(markup, size=size_px)
    width, height = drawn.getsize()
    return drawn.svg(), width, height, -drawn.getyofst()
