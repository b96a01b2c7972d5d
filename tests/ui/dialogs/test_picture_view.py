"""A picture of the conversation is looked at closely, copied and saved."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.chunk import Chunk
from playhead.ui.dialogs.picture_view import PictureView
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def png(width: int = 1_600, height: int = 1_200) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#3B5BDB"))
    for x in range(20):
        image.setPixelColor(x, 0, QColor("#FF0000"))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # pyright: ignore[reportArgumentType, reportCallIssue] - the stub errs
    return bytes(data.data())


def gave_picture(bench: Bench, data: bytes) -> str:
    text = base64.b64encode(data).decode()
    return bench.session.conversation.apply(
        Chunk(role="computer", type="image", format="base64.png", content=text)
    )


async def looked_at(bench: Bench, data: bytes) -> PictureView:
    key = gave_picture(bench, data)
    bench.parts.timeline.result_requested.emit("picture", key, key)
    view = bench.window.results.pictures.view
    assert view is not None
    await until(lambda: view.is_ready)
    return view


def button(view: PictureView, name: str) -> QToolButton:
    found = [one for one in view.bar.findChildren(QToolButton) if one.accessibleName() == name]
    assert found, name
    return found[0]


def drag(view: PictureView, start: QPoint, end: QPoint) -> None:
    """By events of its own: moves of a test are lost where no window manager runs."""
    kinds = QEvent.Type
    for kind, at in (
        (kinds.MouseButtonPress, start),
        (kinds.MouseMove, end),
        (kinds.MouseButtonRelease, end),
    ):
        place = QPointF(at)
        QApplication.sendEvent(
            view, QMouseEvent(kind, place, view.mapToGlobal(place), LEFT, LEFT, NONE)
        )


async def test_a_click_on_a_picture_opens_it_over_the_window(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        timeline = bench.parts.timeline
        gave_picture(bench, png())

        def place() -> QPoint | None:
            timeline.coalescer.flush_now()
            for index in timeline.canvas.visible_rows():
                for spot in timeline.canvas.sheet.card(index).spots(False):
                    if spot.tip == "Open picture":
                        return spot.rect.center() + timeline.canvas.card_rect(index).topLeft()
            return None

        await until(lambda: place() is not None)
        point = place()
        assert point is not None
        qtbot.mouseClick(timeline.viewport(), LEFT, NONE, point)
        view = bench.window.results.pictures.view
        assert view is not None
        assert view.size() == bench.window.size()
        await until(lambda: view.is_ready)
        assert view.scale < 1
        qtbot.keyClick(view, Qt.Key.Key_Escape)
        assert bench.window.results.pictures.view is None


async def test_wheel_keys_and_buttons_zoom_and_the_mouse_drags(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        view = await looked_at(bench, png())
        fitted = view.scale
        qtbot.mouseClick(button(view, "100 %"), LEFT)
        assert view.scale == 1
        before = view.grab().toImage()
        at = QPointF(view.rect().center())
        wheel = QWheelEvent(
            at, view.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, wheel)
        assert view.scale > 1
        qtbot.keyClick(view, Qt.Key.Key_1)
        drag(view, QPoint(100, 100), QPoint(900, 700))
        assert view.grab().toImage() != before, "the red corner was dragged into sight"
        qtbot.keyClick(view, Qt.Key.Key_0)
        assert view.scale == fitted


async def test_it_is_copied_and_saved_as_it_came(
    theme: Theme, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a copy.png"
    monkeypatch.setattr(QFileDialog, "open", lambda box: box.fileSelected.emit(str(target)))
    async with opened(theme, tmp_path / "home") as bench:
        data = png(300, 200)
        view = await looked_at(bench, data)
        QGuiApplication.clipboard().clear()
        qtbot.mouseClick(button(view, "Copy picture"), LEFT)
        await until(lambda: QGuiApplication.clipboard().image().width() == 300)
        qtbot.mouseClick(button(view, "Save picture…"), LEFT)
        await until(lambda: target.exists() and target.read_bytes() == data)


async def test_what_is_no_picture_is_said_in_words(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        view = await looked_at(bench, png()[:200])
        assert "damaged" in view.problem
