"""Texts of the user's own: new, open, save, close, and back again after a crash."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from playhead.errors import AppError
from playhead.ui.editor import tab_drafts
from playhead.ui.editor.own_tabs import OwnTabs
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.editor.tab import Tab
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until


class Bench:
    """A pane with the user's own tabs, and what went wrong."""

    def __init__(self, theme: Theme, home: Path) -> None:
        self.pane = EditorPane(theme)
        self.tasks = TaskOwner(self.pane)
        self.path = home / "data" / "tabs.json"
        self.own = OwnTabs(self.pane, self.tasks, self.path, lambda: str(home), self.pane)
        self.errors: list[AppError] = []
        self.tasks.failed.connect(self.errors.append)
        self.pane.resize(600, 400)
        self.pane.show()

    @property
    def titles(self) -> list[str]:
        return [tab.title for tab in self.pane.tabs]

    def type(self, text: str) -> None:
        target = self.pane.editor.widget.focusProxy()
        assert target is not None
        QTest.keyClicks(target, text)

    async def open(self, path: Path) -> None:
        self.own.open_path(str(path))
        await self.tasks.settled()

    async def save(self) -> None:
        self.own.save()
        await self.tasks.settled()

    def answer(self, text: str) -> None:
        """Click on the button of the question that is asked."""
        box = self.pane.findChild(QMessageBox)
        assert box is not None
        next(one for one in box.findChildren(QPushButton) if one.text() == text).click()

    def is_asked(self) -> bool:
        return any(box.isVisible() for box in self.pane.findChildren(QMessageBox))


@asynccontextmanager
async def begun(theme: Theme, home: Path) -> AsyncIterator[Bench]:
    bench = Bench(theme, home)
    await bench.own.restore()
    try:
        yield bench
    finally:
        await bench.tasks.close()
        bench.pane.close()
        bench.pane.deleteLater()


async def test_a_file_is_opened_edited_and_saved(theme: Theme, tmp_path: Path) -> None:
    path = tmp_path / "a file.py"
    path.write_bytes(b"x = 1\r\n")
    async with begun(theme, tmp_path) as bench:
        await bench.open(path)
        assert bench.titles == ["a file.py"]
        assert "CRLF" in bench.pane.notice.words.text()
        bench.type("y = 2; ")
        assert bench.pane.header.edited.text() == "not saved"
        await bench.save()
        assert path.read_bytes() == b"y = 2; x = 1\r\n"
        assert bench.pane.header.edited.isHidden()
        await bench.open(path)
        assert bench.titles == ["a file.py"]


async def test_a_binary_file_is_refused_in_words(theme: Theme, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(256)))
    async with begun(theme, tmp_path) as bench:
        await bench.open(path)
        assert [error.title for error in bench.errors] == [
            "“a.bin” cannot be opened in the editor."
        ]
        assert bench.titles == ["scratch"]


async def test_a_new_text_is_saved_where_the_user_says(theme: Theme, tmp_path: Path) -> None:
    async with begun(theme, tmp_path) as bench:
        bench.own.new_tab()
        bench.type("select 1")
        bench.own.save()
        dialog = bench.pane.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(tmp_path / "query.sql"))
        dialog.reject()
        await bench.tasks.settled()
        assert (tmp_path / "query.sql").read_text() == "select 1"
        assert bench.titles == ["query.sql"]
        assert bench.pane.language == "sql"


async def test_closing_asks_before_anything_is_lost(theme: Theme, tmp_path: Path) -> None:
    async with begun(theme, tmp_path) as bench:
        key = bench.own.new_tab().key
        bench.type("x")
        bench.own.close_tab(key)
        bench.answer("Cancel")
        assert bench.pane.text() == "x"
        bench.own.close_tab(key)
        await until(bench.is_asked)
        boxes = bench.pane.findChildren(QMessageBox)
        buttons = [one for one in boxes[-1].findChildren(QPushButton) if "without" in one.text()]
        buttons[0].click()
        assert bench.titles == ["scratch"]
        assert bench.pane.text() == ""


async def test_what_another_program_wrote_is_not_replaced_unasked(
    theme: Theme, tmp_path: Path
) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    async with begun(theme, tmp_path) as bench:
        await bench.open(path)
        bench.type("mine ")
        path.write_text("theirs, and longer\n")
        await bench.save()
        assert path.read_text() == "theirs, and longer\n"
        bench.answer("Replace it")
        await bench.tasks.settled()
        assert path.read_text() == "mine x = 1\n"


async def test_a_file_that_changed_can_be_loaded_again(theme: Theme, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    async with begun(theme, tmp_path) as bench:
        await bench.open(path)
        path.write_text("theirs\n")
        os.utime(path, ns=(1, 1))
        bench.pane.show_tab(bench.pane.current.key)  # as by coming back to it
        await bench.tasks.settled()
        assert "Another program has changed a.py." in bench.pane.notice.words.text()
        bench.pane.notice.buttons[0].click()
        await bench.tasks.settled()
        assert bench.pane.text() == "theirs\n"
        bench.pane.editor.undo()
        assert bench.pane.text() == "x = 1\n"


async def test_unsaved_texts_and_the_open_tab_survive_a_crash(theme: Theme, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    async with begun(theme, tmp_path) as bench:
        await bench.open(path)
        bench.type("y ")
        bench.own.new_tab()
        bench.type("half a thought ")
        await until(lambda: bench.path.exists() and "thought" in bench.path.read_text())
        assert bench.path.stat().st_mode & 0o077 == 0
    async with begun(theme, tmp_path) as later:  # nothing was closed down before
        assert later.titles == ["a.py", "untitled 1"]
        assert later.pane.text() == "half a thought "
        later.pane.show_tab(later.pane.tabs[0].key)
        assert later.pane.text() == "y x = 1\n"
        assert later.pane.is_edited
        await later.save()
        assert path.read_text() == "y x = 1\n"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"tabs": 3}', '{"tabs": [1, {"key": 2}, {"key": "a"}]}']
)
def test_drafts_that_make_no_sense_are_passed_over(text: str) -> None:
    assert tab_drafts.decoded(text).tabs == ()


def test_drafts_come_back_as_they_were() -> None:
    tab = Tab(
        key="own:1",
        title="t",
        language="r",
        is_own=True,
        text="a\ud800\0b",
        original="",
        is_edited=True,
    )
    kept = tab_drafts.decoded(tab_drafts.encoded([tab], "own:1"))
    assert kept == tab_drafts.TabDrafts((tab,), "own:1")
