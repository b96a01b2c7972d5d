"""The rail of runs by itself: places of marks, keys, what a screen reader gets, its picture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from playhead.domain.conversation.run_fold import RunOutcome
from playhead.ui.timeline.scroll.run_rail import RAIL_PX, RunRail
from playhead.ui.timeline.view import TimelineView
from playhead.ui.widgets.theme import Theme

LEFT = Qt.MouseButton.LeftButton
FIVE: tuple[RunOutcome, ...] = ("ok", "failed", "stopped", "undone", "ok")


@pytest.fixture
def rail(theme: Theme) -> Iterator[RunRail]:
    view = TimelineView(theme)
    view.resize(500, 600)
    view.show()
    view.rail.describe = lambda number: f"Run {number}"
    yield view.rail
    view.deleteLater()


def test_every_place_leads_to_its_run_however_many_there_are(rail: RunRail) -> None:
    for count in (1, 5, 40, 1_000):
        rail.show_runs(FIVE[:1] * count)
        assert rail.is_at_present
        for number in range(1, count + 2):
            y = rail.y_of(number)
            assert 0 <= y <= rail.height()
            assert rail.place_at(y) == (number, 1.0)
        assert rail.place_at(-50)[0] == 1
        assert rail.place_at(10_000) == (count + 1, 1.0)


def test_between_two_marks_is_the_block_of_the_later_run(rail: RunRail) -> None:
    rail.show_runs(FIVE)
    parts = [rail.place_at(rail.y_of(2) + step) for step in range(5, 24)]
    assert {number for number, _part in parts} == {3}
    assert parts == sorted(parts)
    assert 0 <= parts[0][1] < 0.1
    assert 0.9 < parts[-1][1] < 1
    assert rail.place_at(rail.y_of(5) + 10) == (5, 1.0)  # no code runs between the last and now


def test_keys_and_mouse_move_the_playhead_and_nothing_else_does(rail: RunRail) -> None:
    chosen: list[tuple[int, float]] = []
    rail.chosen.connect(lambda number, part: chosen.append((number, part)))
    rail.show_runs(FIVE)
    stepped: list[int] = []
    rail.line_stepped.connect(stepped.append)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Home, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(rail, key)
    assert [number for number, _part in chosen] == [5, 4, 1, 2]
    QTest.keyClick(rail, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert stepped == [1]
    rail.show_runs([*FIVE, "running"])
    assert (rail.value(), rail.maximum()) == (2, 7)
    QTest.keyClick(rail, Qt.Key.Key_Escape)
    QTest.mouseClick(rail, LEFT, pos=QPoint(10, round(rail.y_of(4))))
    assert [number for number, _part in chosen[4:]] == [7, 4]
    rail.show_runs(())
    assert rail.isHidden()


def test_a_screen_reader_gets_a_slider_with_a_name_and_the_run_in_words(rail: RunRail) -> None:
    rail.show_runs(FIVE)
    face = QAccessible.queryAccessibleInterface(rail)
    assert face.role() == QAccessible.Role.Slider
    assert face.text(QAccessible.Text.Name) == "Playhead"
    assert face.text(QAccessible.Text.Description) == "now"
    QTest.keyClick(rail, Qt.Key.Key_PageUp)
    values = face.valueInterface()
    assert (values.currentValue(), values.minimumValue(), values.maximumValue()) == (1, 1, 6)
    assert face.text(QAccessible.Text.Description) == "Run 1"


def test_outcomes_differ_by_shape_and_one_failure_of_a_thousand_runs_is_seen(
    rail: RunRail, theme: Theme, qapp: QApplication
) -> None:
    rail.show_runs(FIVE)
    theme.set_mode("dark")
    try:
        shapes = [shape_at(rail, number) for number in (1, 2, 3, 4)]
        assert len(set(shapes)) == 4
    finally:
        theme.set_mode("light")
    many: list[RunOutcome] = ["ok"] * 1_000
    many[499] = "failed"
    rail.show_runs(many)
    picture = rail.grab().toImage()
    danger = theme.colour("danger")
    rows = {
        y for y in range(picture.height()) if QColor(picture.pixel(RAIL_PX // 2 - 5, y)) == danger
    }
    assert {round(rail.y_of(500))} == rows


def test_the_text_stays_where_it_is_when_the_rail_comes(rail: RunRail) -> None:
    view = rail.parentWidget()
    assert isinstance(view, TimelineView)
    for width in (1_200, 640, 440):
        view.resize(width, 600)
        rail.show_runs(())
        before = view.canvas.column()
        rail.show_runs(FIVE)
        after = view.canvas.column().translated(RAIL_PX, 0)
        assert (after.left(), after.width()) == (before.left(), before.width())
        assert rail.geometry().right() < view.viewport().geometry().left()


def shape_at(rail: RunRail, number: int) -> frozenset[tuple[int, int]]:
    """Return which pixels of a mark differ from the ground, whatever their colour."""
    picture, top = rail.grab().toImage(), round(rail.y_of(number)) - 6
    ground = picture.pixel(0, 0)
    around = [(x, y) for x in range(4, 17) for y in range(13)]
    return frozenset((x, y) for x, y in around if picture.pixel(x, top + y) != ground)
