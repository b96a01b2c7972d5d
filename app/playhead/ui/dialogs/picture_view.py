"""Opens, copies and saves a picture; shows it over the window: fitted, at its size or any scale."""

from __future__ import annotations

import asyncio
import base64
import binascii
from pathlib import Path, PurePath

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QToolButton, QWidget

from playhead.atomic_file import read_plain
from playhead.domain.conversation.message import Message
from playhead.errors import StorageError
from playhead.ui.timeline.cards.picture_decoder import decode_picture
from playhead.ui.timeline.text.shapes import draw_panel, draw_text
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.focus_memory import FocusMemory
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

_LIMIT_BYTES = 500_000_000
_LARGEST = QSize(6_000, 6_000)
_DRAWING = QSize(2_400, 2_400)
_SMALLEST_LEVEL = 400
BAR = 48
_STEP = 1.25
_MOST = 16.0
_MARGIN = 16
_PAGE = 80
_KEYS = Qt.Key
_LEFT = Qt.MouseButton.LeftButton


class PictureOpener(QObject):
    """Handles the actions of pictures. Owner: the opener of results.

    Signal: `noticed(title, detail)` for what could not be done.
    """

    noticed = Signal(str, str)

    def __init__(self, tasks: TaskOwner, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._tasks = tasks
        self._theme = theme
        self._window = window
        self.view: PictureView | None = None

    def handle(self, what: str, message: Message, folder: str) -> None:
        """Do what the card of a picture asks for."""
        match what:
            case "picture":
                self._open(message, folder)
            case "copy_picture":
                self._tasks.start(self._copy(message, folder))
            case _:
                self._choose_file(message, folder)

    def close_down(self) -> None:
        """Remove the open picture."""
        if self.view is not None:
            self.view.end()

    def _open(self, message: Message, folder: str) -> None:
        self.close_down()
        view = self.view = PictureView(self._theme, _name(message), self._window)
        view.closed.connect(self._on_closed)
        view.copy_requested.connect(lambda: self._tasks.start(self._copy(message, folder)))
        view.save_requested.connect(lambda: self._choose_file(message, folder))
        self._tasks.start(self._fill(view, message, folder))

    def _on_closed(self) -> None:
        self.view = None

    async def _fill(self, view: PictureView, message: Message, folder: str) -> None:
        levels, problem = await asyncio.to_thread(_levels, message, folder)
        if self.view is view:
            view.show_picture(levels, problem)

    async def _copy(self, message: Message, folder: str) -> None:
        image, problem = await asyncio.to_thread(_decoded, message, folder)
        if problem:
            self.noticed.emit(tr("The picture could not be copied."), problem)
        else:
            QGuiApplication.clipboard().setImage(image)

    def _choose_file(self, message: Message, folder: str) -> None:
        start = str(Path(folder) / _name(message))
        dialog = FileDialog(self._window, tr("Save picture"), start)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(start)
        dialog.fileSelected.connect(
            lambda path: self._tasks.start(save_picture(message, folder, Path(path)))
        )
        dialog.open()


async def save_picture(message: Message, folder: str, path: Path) -> None:
    """Write the original bytes of the picture to a file."""
    try:
        await asyncio.to_thread(lambda: path.write_bytes(_data(message, folder)))
    except (OSError, binascii.Error, ValueError) as error:
        raise StorageError(
            tr("{name} could not be written.", name=path.name),
            detail=str(error),
            remedy=tr("Choose another folder."),
        ) from error


def _kind(message: Message) -> str:
    return message.format or "path"


def _source(message: Message, folder: str) -> str:
    return str(Path(folder) / message.text) if _kind(message) == "path" else message.text


def _data(message: Message, folder: str) -> bytes:
    kind = _kind(message)
    if kind.startswith("base64"):
        return base64.b64decode(message.text, validate=False)
    if kind == "svg":
        return message.text.encode("utf-8", "replace")
    data = read_plain(_source(message, folder), _LIMIT_BYTES, folder)
    if data is None:
        raise ValueError(tr("The picture is not a regular file."))
    return data


def _name(message: Message) -> str:
    kind = _kind(message)
    if kind == "path":
        return PurePath(message.text).name
    return f"picture.{'svg' if kind == 'svg' else kind.partition('.')[2] or 'png'}"


def _decoded(message: Message, folder: str) -> tuple[QImage, str]:
    kind = _kind(message)
    limit = _DRAWING if kind == "svg" else _LARGEST
    return decode_picture(_source(message, folder), kind, limit)


def _levels(message: Message, folder: str) -> tuple[list[QImage], str]:
    """Return the picture, its smooth halvings for small scales, and what is wrong with it."""
    image, problem = _decoded(message, folder)
    levels = [] if image.isNull() else [image]
    while levels and levels[-1].width() > 2 * _SMALLEST_LEVEL:
        half = levels[-1].width() // 2
        levels.append(levels[-1].scaledToWidth(half, Qt.TransformationMode.SmoothTransformation))
    return levels, problem


class PictureView(QWidget):
    """Covers its window until Escape. Owner: the opener of pictures.

    Signals: `closed()`, `copy_requested()`, `save_requested()`.
    """

    closed = Signal()
    copy_requested = Signal()
    save_requested = Signal()

    def __init__(self, theme: Theme, name: str, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._name = name
        self._levels: list[QImage] = []
        self._problem = ""
        self._scale = 0.0
        self._middle = QPointF()
        self._dragged: QPoint | None = None
        self._focus = FocusMemory()
        self._focus.keep(self)
        self.setObjectName("picture_view")
        self.setAccessibleName(tr("Picture {name}", name=name).strip())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.bar = self._make_bar()
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def scale(self) -> float:
        """Return the scale: 1 is one pixel of the screen for each pixel of the picture."""
        return self._scale or self._fitting()

    @property
    def problem(self) -> str:
        """Return the text that is shown instead of a picture that cannot be read."""
        return self._problem

    @property
    def is_ready(self) -> bool:
        """Return whether the picture or the problem with it is shown."""
        return bool(self._levels or self._problem)

    def show_picture(self, levels: list[QImage], problem: str) -> None:
        """Show the picture, given in its own size and halved repeatedly, or a problem."""
        self._levels, self._problem = levels, problem
        if levels:
            self._middle = QPointF(levels[0].width() / 2, levels[0].height() / 2)
        self.update()

    def fit(self) -> None:
        """Fit the picture into the view, but never larger than its own size."""
        self._scale = 0.0
        if self._levels:
            self.show_picture(self._levels, "")

    def zoom_to(self, scale: float, at: QPointF | None = None) -> None:
        """Set the scale; the point of the view `at` remains in place."""
        if not self._levels:
            return
        at = at or QRectF(self._room()).center()
        held = self._to_picture(at)
        self._scale = max(min(self._fitting(), 1.0) / 4, min(_MOST, scale))
        self._middle += held - self._to_picture(at)
        self._keep_inside()
        self.update()

    def move_by(self, dx: float, dy: float) -> None:
        """Move the picture, in pixels of the screen."""
        self._middle += QPointF(dx, dy) / self.scale
        self._keep_inside()
        self.update()

    def end(self) -> None:
        """Close, and give the keyboard focus back."""
        self._focus.give_back()
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def _make_bar(self) -> QWidget:
        bar = QWidget(self)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(_MARGIN, 8, 12, 8)
        layout.setSpacing(4)
        layout.addStretch(1)
        for icon, words, slot in (
            ("minus", tr("Smaller (-)"), lambda: self.zoom_to(self.scale / _STEP)),
            ("plus", tr("Larger (+)"), lambda: self.zoom_to(self.scale * _STEP)),
            ("", tr("Fit"), self.fit),
            ("", "100 %", lambda: self.zoom_to(1.0)),
            ("copy", tr("Copy picture"), self.copy_requested.emit),
            ("download", tr("Save picture…"), self.save_requested.emit),
            ("x", tr("Close (Esc)"), self.end),
        ):
            button = QToolButton(bar)
            button.setToolTip(words)
            button.setAccessibleName(words.partition(" (")[0])
            button.setAutoRaise(True)
            button.setMinimumHeight(32)
            button.setIcon(self._theme.icon(icon, "text")) if icon else button.setText(words)
            button.clicked.connect(slot)
            layout.addWidget(button)
        return bar

    def _room(self) -> QRect:
        return QRect(0, BAR, self.width(), max(1, self.height() - BAR))

    def _size(self) -> QSize:
        return self._levels[0].size() if self._levels else QSize(1, 1)

    def _fitting(self) -> float:
        room = self._room().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        size = self._size()
        across, down = room.width() / size.width(), room.height() / size.height()
        return max(0.001, min(1.0, across, down))

    def _to_picture(self, at: QPointF) -> QPointF:
        return self._middle + (at - QRectF(self._room()).center()) / self.scale

    def _keep_inside(self) -> None:
        """Keep the picture from moving out of sight."""
        size, scale, room = self._size(), self.scale, self._room()
        for whole, shown, get, put in (
            (size.width(), room.width(), self._middle.x, self._middle.setX),
            (size.height(), room.height(), self._middle.y, self._middle.setY),
        ):
            half = shown / scale / 2
            inside = whole / 2 if whole <= 2 * half else min(whole - half, max(half, get()))
            put(inside)

    def _level(self) -> tuple[QImage, float]:
        """Return the smallest picture that is sharp at this scale, and its own scale."""
        shown = self.scale * self.devicePixelRatioF()
        for image in reversed(self._levels):
            share = image.width() / self._levels[0].width()
            if share >= min(1.0, shown):
                return image, share
        return self._levels[0], 1.0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw only the visible part, so that the cost depends on the window's size."""
        painter = QPainter(self)
        tokens, room = self._theme.tokens, self._room()
        painter.fillRect(self.rect(), QColor(tokens.code_bg))
        centre = Qt.AlignmentFlag.AlignHCenter
        if self._levels:
            painter.save()
            painter.setClipRect(room)
            self._paint_picture(painter, room)
            painter.restore()
        else:
            words = self._problem or tr("Loading the picture…")
            draw_text(painter, room, words, self._theme, "mute", 13, align=centre)
        draw_panel(painter, QRect(-20, -20, self.width() + 40, BAR + 20), tokens.header, None)
        painter.fillRect(QRect(0, BAR - 1, self.width(), 1), self._theme.colour("line"))
        title = QRect(_MARGIN, 0, max(0, self.width() - self.bar.sizeHint().width() - 32), BAR)
        draw_text(painter, title, self._words(), self._theme, "text", 13)
        painter.end()

    def _paint_picture(self, painter: QPainter, room: QRect) -> None:
        image, share = self._level()
        scale, size = self.scale, self._size()
        corner = QRectF(room).center() - self._middle * scale
        whole = QRectF(corner.x(), corner.y(), size.width() * scale, size.height() * scale)
        seen = whole.intersected(QRectF(room))
        source = QRectF((seen.topLeft() - corner) / scale * share, seen.size() / scale * share)
        if image.hasAlphaChannel():
            painter.fillRect(seen, QColor("#FFFFFF"))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 3)
        painter.drawImage(seen, image, source)

    def _words(self) -> str:
        if not self._levels:
            return self._name
        size = self._size()
        percent = f"{self.scale * 100:.0f} %"
        return f"{self._name} · {size.width():,} × {size.height():,} · {percent}"

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom in and out around the mouse."""
        turned = event.angleDelta().y() / 120
        self.zoom_to(self.scale * _STEP**turned, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag."""
        if event.button() == _LEFT:
            self._dragged = event.position().toPoint()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the picture."""
        if self._dragged is None:
            return
        now = event.position().toPoint()
        moved, self._dragged = self._dragged - now, now
        self.move_by(moved.x(), moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self._dragged = None
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Toggle between fitted and its own size."""
        self.zoom_to(1.0, event.position()) if not self._scale else self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Escape, + and -, 0 (fit), 1 (its own size) and the arrows."""
        moves = {
            _KEYS.Key_Left: (-_PAGE, 0),
            _KEYS.Key_Right: (_PAGE, 0),
            _KEYS.Key_Up: (0, -_PAGE),
            _KEYS.Key_Down: (0, _PAGE),
        }
        match event.key():
            case Qt.Key.Key_Escape:
                self.end()
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_to(self.scale * _STEP)
            case Qt.Key.Key_Minus:
                self.zoom_to(self.scale / _STEP)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_1:
                self.zoom_to(1.0)
            case key if key in moves:
                self.move_by(*moves[_KEYS(key)])
            case _:
                super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the focus back, so that Tab does not reach what is covered."""
        super().focusOutEvent(event)
        self.update()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Keep Tab among the buttons and the picture."""
        around = [self, *self.bar.findChildren(QToolButton)]
        focused = self.window().focusWidget()
        at = around.index(focused) if focused in around else 0
        around[(at + (1 if is_next else -1)) % len(around)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the bar at the top."""
        super().resizeEvent(event)
        self.bar.setGeometry(0, 0, self.width(), BAR)
        self._keep_inside()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window."""
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self.setGeometry(self.window().rect())
        return super().eventFilter(watched, event)
