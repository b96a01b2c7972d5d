"""Keys that the user changes: on the page, in the settings, and where they are pressed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from playhead.domain.settings import AppSettings
from playhead.ui.commands.shortcuts_page import ShortcutsPage, is_typed
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def opened_page(bench: Bench) -> ShortcutsPage:
    bench.window.actions_by_name["shortcuts"].trigger()
    page = bench.window.findChild(ShortcutsPage)
    assert page is not None
    return page


def press(page: ShortcutsPage, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    target = page.recorder.edit.focusProxy() or page.recorder.edit
    QTest.keyClick(target, key, modifiers)


def keys_of(bench: Bench, name: str) -> str:
    return bench.window.actions_by_name[name].shortcut().toString()


async def test_recorded_keys_hold_at_once_and_are_kept(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        page = opened_page(bench)
        bench.click(page.button("window.sidebar"))
        press(page, Qt.Key.Key_Y, CTRL | SHIFT)
        assert page.recorder.note.text() == ""
        bench.click(page.recorder.set_button)
        assert keys_of(bench, "sidebar") == "Ctrl+Shift+Y"
        assert "Ctrl+Shift+Y" in page.button("window.sidebar").text()
        fold = bench.parts.sidebar.fold_button
        assert fold.toolTip() == "Hide the sidebar (Ctrl+Shift+Y)"
        await until(lambda: bench.settings.current.shortcuts == {"window.sidebar": "Ctrl+Shift+Y"})
        page.close()


async def test_keys_that_another_command_has_are_told_and_taken(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        page = opened_page(bench)
        bench.click(page.button("window.sidebar"))
        press(page, Qt.Key.Key_N, CTRL)
        assert page.recorder.note.text() == "Ctrl+N is “New conversation”, which would go without."
        bench.click(page.recorder.set_button)
        assert (keys_of(bench, "sidebar"), keys_of(bench, "new")) == ("Ctrl+N", "")
        bench.click(page.button("window.new"))
        bench.click(page.recorder.reset_button)
        assert (keys_of(bench, "sidebar"), keys_of(bench, "new")) == ("", "Ctrl+N")
        bench.click(page.recorder.reset_all_button)
        assert keys_of(bench, "sidebar") == "Ctrl+B"
        await until(lambda: bench.settings.current.shortcuts == {})
        page.close()


async def test_a_key_that_types_is_refused_and_escape_leaves(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        page = opened_page(bench)
        bench.click(page.button("window.write"))
        press(page, Qt.Key.Key_A, SHIFT)
        assert page.recorder.note.text() == "Shift+A is needed for typing. Add Ctrl or Alt."
        assert not page.recorder.set_button.isEnabled()
        press(page, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
        assert page.isVisible()
        assert page.recorder.currentIndex() == 0
        assert keys_of(bench, "write") == "Ctrl+L"
        page.close()


async def test_stored_keys_hold_from_the_start_in_all_parts(theme: Theme, tmp_path: Path) -> None:
    own = {
        "window.new": "Ctrl+Alt+N",
        "approval.skip": "Ctrl+Alt+S",
        "timeline.find": "Ctrl+Alt+F",
        "editor.comment": "Ctrl+Alt+C",
        "gone.command": "Ctrl+Alt+G",
    }
    async with opened(theme, tmp_path, settings=AppSettings(shortcuts=own)) as bench:
        parts = bench.parts
        assert keys_of(bench, "new") == "Ctrl+Alt+N"
        assert parts.approval.skip_action.shortcut().toString() == "Ctrl+Alt+S"
        assert parts.find_keys["find"].key() == QKeySequence("Ctrl+Alt+F")
        assert parts.pane.keys.keys_of("comment") == "Ctrl+Alt+C"
        bench.type_code("x = 1")
        target = parts.pane.editor.widget.focusProxy()
        assert target is not None
        QTest.keyClick(target, Qt.Key.Key_Slash, CTRL)
        assert parts.pane.editor.text() == "x = 1"
        QTest.keyClick(target, Qt.Key.Key_C, CTRL | Qt.KeyboardModifier.AltModifier)
        assert parts.pane.editor.text() == "# x = 1"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("A", True),
        ("Shift+A", True),
        ("Return", True),
        ("F7", False),
        ("Ctrl+A", False),
        ("", False),
    ],
)
def test_keys_that_write_are_no_shortcuts(keys: str, expected: bool) -> None:
    assert is_typed(keys) == expected
