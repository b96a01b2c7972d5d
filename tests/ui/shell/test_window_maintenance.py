"""The program's own files in the window: crash reports, places, updates, the way back."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPushButton

from playhead.domain.app_data import ResetOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.errors import StorageError
from playhead.session.ports import Maintenance
from playhead.storage import paths
from playhead.storage.crash_reports import CrashWatch, StoredCrashes
from playhead.storage.program_folders import ProgramFolders
from playhead.ui.dialogs.crash_view import CrashView
from playhead.ui.dialogs.update_dialog import UpdateDialog
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.settings.storage_page import ResetDialog, StoragePage
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

Kind = TypeVar("Kind", bound=QDialog)
WORDS = ["what", "somebody", "wrote"]
BACKUP = "/data/backups/2026-11-21"


class Resetting:
    """Notes what is wished, and refuses when told to."""

    def __init__(self) -> None:
        self.wishes: list[ResetOptions] = []
        self.problem: StorageError | None = None

    async def reset(self, wish: ResetOptions) -> str:
        if self.problem is not None:
            raise self.problem
        self.wishes.append(wish)
        return BACKUP


def crashed() -> None:
    """An error that nobody has caught."""
    try:
        {}[" ".join(WORDS)]
    except KeyError as error:
        CrashWatch(paths.crashes_dir(), "window").record(error)


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


class Desk:
    """A window that knows its files."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.window = bench.window
        self.resetting = Resetting()
        self.crashes = StoredCrashes(paths.crashes_dir())
        port = Maintenance(ProgramFolders(), self.crashes, self.resetting)
        notifications = bench.parts.notifications
        self.window.help.upkeep.begin(port, notifications, self.window.tasks)

    @property
    def banners(self) -> list[tuple[str, str]]:
        return [banner.words for banner in self.bench.parts.notifications.banners]

    def command(self, name: str) -> None:
        self.window.actions_by_name[name].trigger()

    def dialog(self, kind: type[Kind]) -> Kind:
        (found,) = [one for one in self.window.findChildren(kind) if one.isVisible()]
        return found

    def storage(self) -> tuple[SettingsDialog, StoragePage]:
        self.command("storage")
        dialog = self.dialog(SettingsDialog)
        assert dialog.pages.current == "storage"
        assert dialog.storage is not None
        return dialog, dialog.storage


@asynccontextmanager
async def desk(theme: Theme, home: Path) -> AsyncIterator[Desk]:
    async with opened(theme, home) as bench:
        made = Desk(bench)
        await bench.window.tasks.settled()
        yield made


async def test_a_crash_is_told_once_and_shown_on_request(theme, tmp_path):
    crashed()
    async with desk(theme, tmp_path) as one:
        assert one.banners == [
            (
                "An error in Playhead itself was noted the last time.",
                "A report is on this computer. Nothing is sent.",
            )
        ]
        click(one.bench.parts.notifications.banners[0].button)
        view = one.dialog(CrashView)
        await view.tasks.settled()
        assert "KeyError" in view.text.toPlainText()
        assert " ".join(WORDS) not in view.text.toPlainText()
        view.accept()
        assert await one.crashes.new_reports() == []


async def test_without_a_crash_nothing_is_said_and_the_page_says_so(theme, tmp_path):
    async with desk(theme, tmp_path) as one:
        assert one.banners == []
        one.command("crashes")
        view = one.dialog(CrashView)
        await view.tasks.settled()
        assert view.empty.isVisible()
        assert not view.copy_button.isEnabled()


async def test_a_report_is_copied_and_deleted_by_hand(theme, tmp_path):
    crashed()
    async with desk(theme, tmp_path) as one:
        one.command("crashes")
        view = one.dialog(CrashView)
        await view.tasks.settled()
        click(view.copy_button)
        assert "KeyError" in QGuiApplication.clipboard().text()
        click(view.delete_button)
        await view.tasks.settled()
        assert view.empty.isVisible()
        assert list(paths.crashes_dir().iterdir()) == []


async def test_sending_to_a_newer_versions_conversations_says_why_not(theme, tmp_path):
    async with opened(theme, tmp_path) as bench:
        bench.session.add([Chunk(role="user", type="message", content="from before")])
    with closing(sqlite3.connect(tmp_path / "history.sqlite3")) as future:
        future.execute("PRAGMA user_version = 99")
    async with opened(theme, tmp_path) as bench:
        (row,) = bench.sessions.summaries
        bench.window.open_conversation(row.id)
        await bench.window.tasks.settled()
        assert [one.text for one in bench.session.conversation.messages] == ["from before"]
        bench.send("and now")
        (banner,) = bench.parts.notifications.banners
        assert banner.title == "The conversations can only be read here."
        assert "newer Playhead" in banner.detail
        assert bench.parts.composer.text == "and now"
        bench.parts.sidebar.pinned.emit([row.id], True)
        bench.parts.sidebar.delete_requested.emit([row.id])
        await bench.window.tasks.settled()
        assert bench.sessions.summaries == [row]
        assert len(bench.parts.notifications.banners) == 1


async def test_looking_for_updates_is_words_alone(theme, tmp_path, monkeypatch):
    def refused(*_arguments: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(QDesktopServices, "openUrl", refused)
    async with desk(theme, tmp_path) as one:
        one.command("updates")
        words = one.dialog(UpdateDialog).words.text()
    assert "git pull" in words
    assert "Playhead asks nobody by itself" in words


@pytest.mark.parametrize(
    ("frozen", "executable", "expected"),
    [
        (True, "/usr/lib/playhead/playhead", "apt install"),
        (True, "/home/ada/.local/playhead/playhead", "the packaged program"),
        (False, "/usr/bin/python3", "from its sources"),
    ],
)
def test_the_way_to_an_update_is_that_of_the_installation(
    monkeypatch, frozen, executable, expected
):
    from playhead.ui.dialogs.update_dialog import update_text

    monkeypatch.setattr("sys.frozen", frozen, raising=False)
    monkeypatch.setattr("sys.executable", executable)
    assert expected in update_text()


async def test_the_settings_name_every_folder_with_what_it_takes(theme, tmp_path, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toLocalFile()))
    (paths.config_dir() / "settings.json").write_text("x" * 1500)
    (paths.logs_dir() / "playhead.log").write_text("x" * 700)
    copy = paths.undo_dir() / "a" / "copies" / "b" / "upper"
    copy.mkdir(parents=True)
    (copy / "made.csv").write_text("x" * 3000)
    async with desk(theme, tmp_path) as one:
        dialog, page = one.storage()
        await dialog.tasks.settled()
        assert [path.text() for path in page.paths] == [
            str(place())
            for place in (paths.data_dir, paths.config_dir, paths.logs_dir, paths.cache_dir)
        ]
        notes = [row.note.text() for row in page.rows]
        # The logs inside have a row of their own.
        assert notes[0].endswith("· 3 kB, 3 kB of it in copies that wait for a review")
        assert notes[1].endswith("· 2 kB")
        assert notes[2].endswith("· 700 bytes")
        assert "--data-dir" in page.note.text()
        click(page.rows[1].open_button)
        assert asked == [str(paths.config_dir())]


async def test_a_portable_one_says_that_keys_are_elsewhere(theme, tmp_path, monkeypatch):
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"PLAYHEAD_{name}_DIR")  # and put back after the test
    paths.use_data_dir(str(tmp_path / "stick"))
    async with desk(theme, tmp_path) as one:
        _, page = one.storage()
        assert page.rows[0].path.text() == str(tmp_path / "stick")
        assert "everything is in it but the keys" in page.note.text()


async def test_a_reset_asks_does_as_wished_and_says_where_the_backup_is(theme, tmp_path):
    async with desk(theme, tmp_path) as one:
        _, page = one.storage()
        click(page.reset_button)
        asking = one.dialog(ResetDialog)
        assert not asking.keys.isChecked()
        assert not asking.conversations.isChecked()
        asking.conversations.setChecked(True)
        one.window.keys.set("window.new", "Ctrl+M")
        click(asking.reset_button)
        await asking.tasks.settled()
        assert one.resetting.wishes == [ResetOptions(takes_keys=False, takes_conversations=True)]
        assert one.banners == [
            ("Playhead was reset.", f"What was there before is in {BACKUP}."),
        ]
        assert one.window.actions_by_name["new"].shortcut().toString() == "Ctrl+N"
        await until(lambda: not one.window.findChildren(SettingsDialog))


async def test_a_reset_that_is_not_wanted_is_none(theme, tmp_path):
    async with desk(theme, tmp_path) as one:
        _, page = one.storage()
        click(page.reset_button)
        click(one.dialog(ResetDialog).cancel_button)
        assert one.resetting.wishes == []


async def test_a_reset_that_fails_says_so_and_can_be_tried_again(theme, tmp_path):
    async with desk(theme, tmp_path) as one:
        one.resetting.problem = StorageError("Nothing was reset.", detail="The disk is full.")
        _, page = one.storage()
        click(page.reset_button)
        asking = one.dialog(ResetDialog)
        click(asking.reset_button)
        await asking.tasks.settled()
        assert "The disk is full." in asking.problem.text()
        assert asking.reset_button.isEnabled()
        asking.reject()
