"""The palette's commands run wherever the keyboard was, the editor's own widget included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
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


def is_focused(bench: Bench, place: str) -> bool:
    """Put the keyboard there, whatever the command before has done or is about to do."""
    parts = bench.parts
    for one in QApplication.topLevelWidgets():
        if isinstance(one, QDialog | QMenu) and one.isVisible():
            one.close()
    if not bench.session.is_idle:
        bench.session.stop()
        return False
    if place == "first page":
        bench.window.new_conversation()
    elif not bench.session.conversation.messages:
        bench.send("A question")
        return False
    parts.show_sidebar(True)
    parts.show_editor(True)
    target = PLACES[place](parts)
    target.setFocus(Qt.FocusReason.OtherFocusReason)
    return bench.window.focusWidget() is (target.focusProxy() or target)


async def prepare(bench: Bench, place: str) -> None:
    await until(lambda: is_focused(bench, place))


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
        assert len(wanted) > 50
        for text in wanted:
            await prepare(bench, place)
            shown = palette(bench)
            shown.field.setText(text[:-1])
            QTest.keyClicks(shown.field, text[-1])
            if shown.current is None or not shown.current.is_offered:  # gone with its conversation
                shown.close_popup()
                continue
            QTest.keyClick(shown.field, Qt.Key.Key_Return)
            assert not shown.isVisible(), text
            assert chosen[-1].text.startswith(text), text
        await prepare(bench, place)


async def test_every_command_of_the_menus_is_listed_with_its_place_and_keys(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("One.")) as bench:
        await prepare(bench, "composer")
        talk = bench.session.conversation.id
        await until(lambda: bench.parts.sidebar.model.summary(talk) is not None)
        listed = {(entry.group, entry.text) for entry in palette(bench).shown}
        assert {
            ("", "Restart kernel"),
            ("", "Runs on: where it runs (interpreter, server, machine)"),
            ("", "Choose the model"),
            ("", "Show or hide the variables"),
            ("", "Run code without asking in this conversation"),
            ("This conversation", "Duplicate"),
            ("This conversation", "Archive"),
            ("This conversation", "Delete"),
            ("This conversation", "Export"),
            ("Conversation", "Find"),
            ("Editor", "Save as"),
            ("Editor", "Wrap long lines"),
            ("Code that waits", "Skip"),
            ("Conversation", "A question"),
        } <= listed
        in_menus = {
            action.text().partition("\t")[0].rstrip("…")
            for menu in bench.window.findChildren(QMenu)
            for action in menu.actions()
            if action.text() and action.menu() is None
        }
        assert in_menus - {text for _group, text in listed} <= {"All commands", "Open", "Rename"}


async def test_one_row_is_marked_under_the_mouse_or_by_the_keys(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        shown = palette(bench)
        third = shown.list.topLevelItem(2)
        assert third is not None

        def is_third_marked_by_mouse() -> bool:
            for step in (0, 1):
                place = shown.list.visualItemRect(third).center() + QPoint(step, 0)
                QTest.mouseMove(shown.list.viewport(), place)
            return shown.list.currentItem() is third

        await until(is_third_marked_by_mouse)
        QTest.keyClick(shown.field, Qt.Key.Key_Down)
        assert shown.list.currentItem() is shown.list.topLevelItem(3)
        assert len(shown.list.selectedItems()) == 1
