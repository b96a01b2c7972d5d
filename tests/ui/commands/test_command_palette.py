"""The palette's commands run wherever the keyboard was, the editor's own widget included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from playhead.ui.commands.command_palette import CommandPalette, PaletteEntry
from playhead.ui.editor.code.scintilla_editor import ScintillaEditor
from playhead.ui.shell.window_layout import WindowLayout
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened


def find_field(parts: WindowLayout) -> QWidget:
    parts.timeline.find_bar.open()
    return parts.timeline.find_bar.words


def editor_find_field(parts: WindowLayout) -> QWidget:
    parts.pane.tools.find(replaces=False)
    return parts.pane.tools.bar.words


PLACES: dict[str, Callable[[WindowLayout], QWidget]] = {
    "composer": lambda parts: parts.composer.text_edit,
    "timeline": lambda parts: parts.timeline,
    "editor": lambda parts: parts.pane.editor.widget,
    "conversations": lambda parts: parts.sidebar.list,
    "search": lambda parts: parts.sidebar.search,
    "find": find_field,
    "find in the editor": editor_find_field,
    "first page": lambda parts: parts.start,
}


def palette(bench: Bench) -> CommandPalette:
    """The palette, opened."""
    bench.window.actions_by_name["commands"].trigger()
    made = bench.window.help.palette
    assert made is not None
    assert made.isVisible()
    return made


async def prepare(bench: Bench, place: str) -> None:
    """Put the keyboard there, whatever the command before has done."""
    for one in QApplication.topLevelWidgets():
        if isinstance(one, QDialog | QMenu) and one.isVisible():
            one.close()
    if bench.session.state != "idle":
        bench.session.stop()
    await bench.rests()
    bench.parts.show_sidebar(True)
    bench.parts.show_editor(True)
    if place == "first page":
        bench.window.new_conversation()
    elif not bench.session.conversation.messages:
        bench.send("A question")
        await bench.rests()
    target = PLACES[place](bench.parts)
    target.setFocus(Qt.FocusReason.OtherFocusReason)
    held = target.focusProxy() or target
    assert bench.window.focusWidget() is held


@pytest.mark.qt_log_ignore("does not support raise", extend=True)  # a platform without windows
@pytest.mark.parametrize("place", PLACES)
async def test_every_command_runs_from_everywhere(theme: Theme, tmp_path: Path, place: str) -> None:
    async with opened(theme, tmp_path, said("One.")) as bench:
        await until(lambda: isinstance(bench.parts.pane.editor, ScintillaEditor))
        await prepare(bench, place)
        chosen: list[PaletteEntry] = []
        first = palette(bench)
        first.chosen.connect(chosen.append)
        wanted = [entry.text for entry in first.shown if entry.is_offered]
        first.close_popup()
        assert len(wanted) > 25
        for text in wanted:
            await prepare(bench, place)
            shown = palette(bench)
            QTest.keyClicks(shown.field, text)
            if shown.current is None or not shown.current.is_offered:  # gone with its conversation
                shown.close_popup()
                continue
            QTest.keyClick(shown.field, Qt.Key.Key_Return)
            assert not shown.isVisible(), text
            assert chosen[-1].text.startswith(text), text
        await prepare(bench, place)
