"""Finding one's way by keyboard: palette, shortcuts, About."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from playhead import __version__
from playhead.domain.settings import AppSettings
from playhead.ui.commands.command_palette import CommandPalette, PaletteEntry, matching
from playhead.ui.commands.shortcuts_page import ShortcutsPage, all_shortcuts
from playhead.ui.dialogs.about_dialog import AboutDialog
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened


def entries(*texts: str) -> list[PaletteEntry]:
    return [PaletteEntry(text=text, run=lambda: None) for text in texts]


def palette_of(bench: Bench) -> CommandPalette:
    bench.window.actions_by_name["commands"].trigger()
    palette = bench.window.help.palette
    assert palette is not None
    return palette


def test_what_begins_with_the_words_comes_first_and_all_words_must_be_there() -> None:
    known = entries("Show the editor", "Edit", "Run the code in the editor", "Quit")
    assert [e.text for e in matching(known, "edit")] == [
        "Edit",
        "Show the editor",
        "Run the code in the editor",
    ]
    assert [e.text for e in matching(known, "RUN edi")] == ["Run the code in the editor"]
    assert matching(known, "edit nothing") == []
    assert matching(known, " ") == known


async def test_a_command_is_found_and_done_by_keyboard_alone(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.composer.setFocus()
        palette = palette_of(bench)
        await until(palette.field.hasFocus)
        was_shown = bench.parts.is_sidebar_shown
        QTest.keyClicks(palette.field, "hide the sideb")
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert bench.parts.is_sidebar_shown != was_shown
        assert palette.isHidden()
        await until(bench.parts.composer.text_edit.hasFocus)


async def test_escape_and_the_same_key_close_the_palette(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        palette = palette_of(bench)
        QTest.keyClicks(palette.field, "no such thing")
        assert palette.list.isHidden()
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert palette.isVisible()
        QTest.keyClick(palette.field, Qt.Key.Key_Escape)
        assert palette.isHidden()
        palette_of(bench)
        assert palette.isVisible()
        assert palette.field.text() == ""
        palette_of(bench)
        assert palette.isHidden()


async def test_conversations_and_colours_are_in_the_palette(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Yes.")) as bench:
        bench.send("about whales")
        await bench.rests()
        first = bench.session.conversation.id
        bench.window.new_conversation()
        palette = palette_of(bench)
        QTest.keyClicks(palette.field, "whales")
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        await until(lambda: bench.session.conversation.id == first)
        palette_of(bench)
        QTest.keyClicks(palette.field, "colours dark")
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert theme.tokens.name == "dark"
        await until(lambda: bench.settings.current.theme == "dark")


async def test_the_palette_stays_inside_a_small_window(theme: Theme, tmp_path: Path) -> None:
    settings = AppSettings()
    async with opened(theme, tmp_path, settings=settings) as bench:
        bench.window.resize(480, 400)
        palette = palette_of(bench)
        await until(lambda: bench.window.width() <= 520)
        await until(lambda: bench.window.rect().contains(palette.geometry()))


async def test_f1_lists_every_shortcut_and_finds_by_name_or_key(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["shortcuts"].trigger()
        page = bench.window.findChild(ShortcutsPage)
        assert page is not None
        told = {(shortcut.text, shortcut.keys) for shortcut in page.shown}
        for action in bench.window.actions_by_name.values():
            if not action.shortcut().isEmpty():
                assert (action.text(), action.shortcut().toString()) in told
        QTest.keyClicks(page.field, "f5")
        assert {shortcut.text for shortcut in page.shown} == {"Run the code in the editor"}
        page.close()


def test_no_key_of_the_window_means_two_things() -> None:
    window = [s.keys for s in all_shortcuts() if s.place == "Everywhere"]
    assert len(window) == len(set(window))
    for shortcut in all_shortcuts():
        assert QKeySequence(shortcut.keys).count() == 1, shortcut


async def test_about_copies_what_a_report_needs(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["about"].trigger()
        dialog = bench.window.findChild(AboutDialog)
        assert dialog is not None
        button = next(b for b in dialog.findChildren(QPushButton) if "Copy" in b.text())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        copied = QGuiApplication.clipboard().text()
        assert f"Playhead {__version__}" in copied
        assert f"Data: {tmp_path}" in copied
        for part in ("Python 3.", "Qt 6.", "PySide6 6.", "litellm 1."):
            assert part in copied
        dialog.close()
