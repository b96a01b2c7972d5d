"""Zoom at once: text and pictures in conversation, message field and editor, by keys and wheel."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from playhead.ui.shell.window_layout import next_zoom
from playhead.ui.widgets.theme import Theme, TypeLook
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import opened

Ctrl = Qt.KeyboardModifier.ControlModifier


def turn(widget: QWidget, by: int) -> None:
    """Turn the wheel over a widget, as a hand does it."""
    window = widget.window()
    place = QPointF(widget.mapTo(window, widget.rect().center()))
    QTest.wheelEvent(window.windowHandle(), place, QPoint(0, by), QPoint(), Ctrl)


def test_the_zoom_goes_up_and_down_by_what_is_offered_and_stops_at_the_ends() -> None:
    assert [next_zoom(one, 1) for one in (50, 100, 300)] == [60, 110, 300]
    assert [next_zoom(one, -1) for one in (50, 100, 300)] == [50, 90, 250]


async def test_keys_and_wheel_zoom_everything_at_once_and_the_zoom_is_stored(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Words.")) as bench:
        bench.send("Hello")
        await until(lambda: bench.window.view.session is not None)
        await bench.rests()
        field, timeline = bench.parts.composer.text_edit, bench.parts.timeline
        field.setFocus()
        await until(field.hasFocus)
        settings = bench.window._settings
        before = field.fontMetrics().height()
        for key, wanted in (
            (Qt.Key.Key_Plus, 110),
            (Qt.Key.Key_Equal, 125),
            (Qt.Key.Key_Minus, 110),
        ):
            QTest.keyClick(field, key, Ctrl)
            assert timeline.canvas.port.percent == theme.type.zoom_percent == wanted
            await until(lambda wanted=wanted: settings.current.zoom_percent == wanted)
        for widget, by, wanted in (
            (timeline.viewport(), 120, 125),
            (field.viewport(), 60, 125),
            (field.viewport(), 60, 150),
            (bench.parts.pane.editor.widget.focusProxy(), 120, 175),
        ):
            assert widget is not None
            turn(widget, by)
            assert theme.type.zoom_percent == wanted
        assert field.fontMetrics().height() > 1.5 * before
        QTest.keyClick(field, Qt.Key.Key_0, Ctrl)
        assert field.fontMetrics().height() == before
        await until(lambda: settings.current.zoom_percent == 100)


async def test_a_button_is_hit_and_a_picture_is_as_large_where_it_is_drawn_at_another_zoom(
    theme: Theme, tmp_path: Path
) -> None:
    path = tmp_path / "a.png"
    QImage(1200, 300, QImage.Format.Format_RGB32).save(str(path))
    async with opened(theme, tmp_path, coded("x = 1")) as bench:
        bench.send("Code")
        await bench.asked()
        timeline = bench.parts.timeline
        canvas = timeline.canvas
        for percent in (200, 110, 50):
            theme.set_type(TypeLook(zoom_percent=percent))
            canvas.flush()
            index = next(i for i, row in enumerate(timeline.model.rows) if row.kind == "code")
            spots = canvas.sheet.card(index).spots(True)
            copy = next(spot for spot in spots if spot.intent.kind == "copy")
            rect = canvas.port.to_screen(copy.rect.translated(canvas.card_rect(index).topLeft()))
            QApplication.clipboard().setText("")
            QTest.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
            assert QApplication.clipboard().text().strip() == "x = 1"
        session = bench.window.view.session
        assert session is not None
        picture = timeline.pictures

        def shown(percent: int) -> tuple[float, int]:
            theme.set_type(TypeLook(zoom_percent=percent))
            found = picture.get("p", str(path), "path", 600)
            assert found is not None
            return found[0].deviceIndependentSize().width(), found[0].width()

        picture.get("p", str(path), "path", 600)
        await until(lambda: picture.get("p", str(path), "path", 600) is not None)
        assert shown(100) == (600, 600)
        assert shown(200) == (600, 600), "the one that is there, until a sharper one is"
        await until(lambda: shown(200) == (600, 1200))
        assert shown(50) == (600, 600)


async def test_the_type_of_text_and_code_is_chosen_live(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Words of prose.")) as bench:
        bench.send("Hello")
        await bench.rests()
        timeline = bench.parts.timeline
        timeline.canvas.flush()
        index = next(i for i, row in enumerate(timeline.model.rows) if row.kind == "answer")
        before = timeline.canvas.card_rect(index)
        theme.wear(replace(bench.window._settings.current, text_px=28, code_px=20))
        timeline.canvas.flush()
        after: QRect = timeline.canvas.card_rect(index)
        assert after.height() > 1.3 * before.height()
        assert bench.parts.composer.text_edit.fontMetrics().height() > 25


@pytest.mark.parametrize("percent", [50, 125, 300])
async def test_a_stored_zoom_is_there_at_the_start(
    theme: Theme, tmp_path: Path, percent: int
) -> None:
    theme.set_type(TypeLook(zoom_percent=percent))
    async with opened(theme, tmp_path) as bench:
        assert bench.parts.timeline.canvas.port.percent == percent
