"""A proposal that has just appeared takes no approval, whichever door of the window is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleActionInterface
from PySide6.QtTest import QTest

from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded
from tests.support.waiting import until
from tests.support.window import Bench, opened

NEVER_MS = 2**31 - 1
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def key_in_the_message_field(bench: Bench) -> None:
    QTest.keyClick(bench.parts.composer.text_edit, Qt.Key.Key_Return, CTRL)


def key_for_the_rest_of_the_turn(bench: Bench) -> None:
    QTest.keyClick(bench.parts.composer.text_edit, Qt.Key.Key_Return, CTRL | SHIFT)


def key_in_the_editor(bench: Bench) -> None:
    QTest.keyClick(bench.parts.pane.editor.widget, Qt.Key.Key_Return, CTRL)


def run_of_the_editor(bench: Bench) -> None:
    bench.parts.pane.run_requested.emit("python", "print(1)")


def click(bench: Bench) -> None:
    bench.click(bench.parts.approval.run_button)


def space_on_the_button(bench: Bench) -> None:
    bench.parts.approval.run_button.setFocus()
    QTest.keyClick(bench.parts.approval.run_button, Qt.Key.Key_Space)


def assistive_technology(bench: Bench) -> None:
    face = QAccessible.queryAccessibleInterface(bench.parts.approval.run_button)
    assert face is not None
    actions = face.actionInterface()
    assert actions is not None
    actions.doAction(QAccessibleActionInterface.pressAction())


def menu_beside_the_button(bench: Bench) -> None:
    bench.parts.approval.run_rest_action.trigger()


def palette(bench: Bench) -> None:
    for entry in bench.parts.palette_entries(bench.window.keys):
        if entry.group == "Code that waits":
            assert not entry.is_offered
            entry.run()


DOORS: tuple[Callable[[Bench], None], ...] = (
    key_in_the_message_field,
    key_for_the_rest_of_the_turn,
    key_in_the_editor,
    run_of_the_editor,
    click,
    space_on_the_button,
    assistive_technology,
    menu_beside_the_button,
    palette,
)


async def test_no_door_of_the_window_takes_an_approval_at_first(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(1)"), arming_ms=NEVER_MS) as bench:
        bench.parts.load_editor()
        bench.send("go")
        await until(lambda: bench.session.pending is not None)
        await until(bench.parts.approval.isVisible)
        for door in DOORS:
            door(bench)
            assert bench.session.pending is not None, door.__name__
            assert bench.session.state == "awaiting_approval", door.__name__
        assert bench.ran == []
        pending = bench.session.pending
        assert pending is not None
        assert bench.session.reject(pending.id)  # as a program does, at once
        await bench.rests()


@pytest.mark.parametrize("door", [key_in_the_message_field, key_in_the_editor, click])
async def test_after_that_it_does(
    theme: Theme, tmp_path: Path, door: Callable[[Bench], None]
) -> None:
    async with opened(theme, tmp_path, coded("print(1)"), arming_ms=0) as bench:
        bench.parts.load_editor()
        bench.send("go")
        await bench.asked()
        door(bench)
        await until(lambda: bench.ran == ["print(1)"])
        await bench.rests()
