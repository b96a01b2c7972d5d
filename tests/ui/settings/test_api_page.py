"""The settings for other programs, in the real dialog over ports in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox

from playhead.api.server.api_switch import window_policy
from playhead.domain.settings import AppSettings
from playhead.errors import AppError, StorageError
from playhead.session.ports import ApiStatus
from playhead.ui.settings.api_page import AUTO_RUN_LABEL, CLIENT_APPROVES_LABEL, state_words
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.widgets.theme import Theme
from tests.support.ports import (
    ApiInMemory,
    KeysInMemory,
    OneInterpreter,
    ScriptedProvider,
    SettingsInMemory,
    SmallCatalog,
)
from tests.support.waiting import until

ADDRESS = "http://127.0.0.1:5001"
LISTENING = ApiStatus("listening", ADDRESS)
TAKEN = AppError("Port 5001 is taken.", remedy="Choose another.")


class FullDisk(SettingsInMemory):
    """Cannot be written."""

    async def save(self, settings: AppSettings) -> None:
        raise StorageError("The settings could not be saved.", detail="The disk is full.")


class Bench:
    """An open dialog."""

    def __init__(self, settings: SettingsInMemory) -> None:
        self.settings = settings
        self.api = ApiInMemory(settings)
        self.dialog = SettingsDialog(
            settings,
            KeysInMemory(),
            SmallCatalog(),
            OneInterpreter(),
            ScriptedProvider(),
            self.api,
        )
        self.section = self.dialog.programs

    async def saved(self) -> AppSettings:
        """The settings after a click on Save."""
        QTest.mouseClick(self.dialog.save_button, Qt.MouseButton.LeftButton)
        await until(lambda: not self.dialog.isVisible())
        return self.settings.current

    async def asked_to_renew(self, word: str) -> None:
        """Ask for another token and answer the question."""
        self.section.renew.click()
        box = self.section.findChildren(QMessageBox)[-1]
        assert "refused" in box.informativeText()
        next(one for one in box.buttons() if word in one.text()).click()
        await self.dialog.tasks.settled()

    def texts(self) -> list[str]:
        """Whatever stands in the dialog."""
        fields = [one.text() for one in self.dialog.findChildren(QLineEdit)]
        return fields + [one.text() for one in self.dialog.findChildren(QLabel)]


@asynccontextmanager
async def opened(
    theme: Theme, settings: SettingsInMemory | None = None, **values: object
) -> AsyncIterator[Bench]:
    bench = Bench(settings or SettingsInMemory(AppSettings(model="openai/test", **values)))  # type: ignore[arg-type]
    bench.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    bench.dialog.open()
    await bench.dialog.tasks.settled()
    try:
        yield bench
    finally:
        bench.dialog.reject()
        bench.dialog.deleteLater()


async def test_it_is_off_until_somebody_switches_it_on(theme: Theme) -> None:
    async with opened(theme) as bench:
        assert not bench.section.enabled.isChecked()
        assert bench.section.state_note.text() == "Off: no other program reaches Playhead."
        bench.section.enabled.click()
        assert "It begins when you save." in bench.section.state_note.text()
        saved = await bench.saved()
        assert saved.api_enabled
        assert (saved.api_port, saved.api_rate_limit) == (5001, 120)
        assert not saved.api_client_approves
        assert not saved.api_auto_run


async def test_all_of_it_is_saved_and_shown_again(theme: Theme) -> None:
    wanted = {
        "api_enabled": True,
        "api_port": 6001,
        "api_client_approves": True,
        "api_auto_run": True,
        "api_rate_limit": 0,
        "api_max_messages": 25,
    }
    async with opened(theme, **wanted) as bench:
        saved = await bench.saved()
        assert {name: getattr(saved, name) for name in wanted} == wanted


async def test_empty_numbers_are_the_usual_ones(theme: Theme) -> None:
    async with opened(theme, api_port=6001, api_rate_limit=7, api_max_messages=9) as bench:
        bench.section.port.clear()
        bench.section.rate_limit.clear()
        bench.section.max_messages.clear()
        assert bench.section.address.text() == ADDRESS
        saved = await bench.saved()
        assert (saved.api_port, saved.api_rate_limit) == (5001, 120)
        assert saved.api_max_messages == 10_000


@pytest.mark.parametrize("port", ["0", "65536", "http", "50.1"])
async def test_what_is_no_port_is_said_and_not_saved(theme: Theme, port: str) -> None:
    async with opened(theme) as bench:
        before = bench.settings.current
        bench.section.port.setText(port)
        bench.dialog.save()
        await until(lambda: bench.dialog.problem.startswith("Port must be"))
        assert bench.settings.current is before


async def test_the_address_follows_the_port_and_can_be_copied(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.section.port.setText("6001")
        bench.section.copy_address.click()
        assert QGuiApplication.clipboard().text() == "http://127.0.0.1:6001"
        assert bench.section.copy_address.text() == "Copied"
        assert bench.section.address_note.text().endswith("http://127.0.0.1:6001/v1")


async def test_the_token_is_copied_but_never_shown_and_made_only_when_wanted(theme: Theme) -> None:
    async with opened(theme) as bench:
        assert bench.api.made_tokens == 0
        bench.section.copy_token.click()
        await until(lambda: bench.section.copy_token.text() == "Copied")
        clipboard = QGuiApplication.clipboard()
        assert clipboard.text() == "token-1"
        hint = clipboard.mimeData().data("x-kde-passwordManagerHint")
        assert bytes(hint.data()) == b"secret"
        assert not any("token-1" in text for text in bench.texts())


async def test_a_token_is_renewed_after_a_question_and_takes_the_permissions_with_it(
    theme: Theme,
) -> None:
    async with opened(theme, api_client_approves=True, api_auto_run=True) as bench:
        await bench.asked_to_renew("Cancel")
        assert bench.api.made_tokens == 0
        assert bench.section.auto_run.isChecked()
        await bench.asked_to_renew("Renew")
        assert bench.api.made_tokens == 1
        assert "new token" in bench.section.token_note.text()
        assert not bench.section.client_approves.isChecked()
        assert not bench.section.auto_run.isChecked()
        QTest.mouseClick(bench.dialog.cancel_button, Qt.MouseButton.LeftButton)
        current = bench.settings.current
        assert (current.api_client_approves, current.api_auto_run) == (False, False)


async def test_no_token_is_renewed_while_its_permissions_cannot_be_taken_away(theme: Theme) -> None:
    allowed = FullDisk(AppSettings(api_auto_run=True))
    async with opened(theme, allowed) as bench:
        await bench.asked_to_renew("Renew")
        assert "The disk is full." in bench.dialog.problem
        assert bench.api.made_tokens == 0


async def test_letting_code_run_unasked_is_warned_of_in_colour(theme: Theme) -> None:
    async with opened(theme) as bench:
        note = bench.section.auto_run_note
        assert "delete your files" in note.text()
        assert note.property("kind") == "mute"
        bench.section.auto_run.click()
        assert note.property("kind") == "danger"


async def test_the_state_is_followed_while_the_dialog_is_open(theme: Theme) -> None:
    async with opened(theme, api_enabled=True) as bench:
        bench.api.tell(LISTENING)
        assert bench.section.state_note.text() == f"Listening on {ADDRESS}."
        bench.api.tell(ApiStatus("listening", ADDRESS, "The token is kept for this run only."))
        assert "for this run only" in bench.section.token_note.text()
        bench.api.tell(ApiStatus("failed", error=TAKEN))
        assert "Choose another." in bench.section.state_note.text()
        assert bench.section.state_note.property("kind") == "danger"
    assert bench.api.listener_count == 0


async def test_a_note_that_gets_shorter_gives_its_room_back(theme: Theme) -> None:
    async with opened(theme, api_enabled=True) as bench:
        bench.dialog.show_programs()
        note = bench.section.state_note
        bench.api.tell(LISTENING)
        await until(lambda: note.height() == note.fontMetrics().height())
        bench.api.tell(ApiStatus("failed", error=AppError("Very many words. " * 20)))
        await until(lambda: note.height() > 2 * note.fontMetrics().height())
        bench.api.tell(LISTENING)
        await until(lambda: note.height() == note.fontMetrics().height())


async def test_nothing_is_cut_off_at_the_right_however_small_the_dialog(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.dialog.resize(1, 300)
        await until(lambda: bench.dialog.height() == 300)
        for name in ("models", "profiles", "conversation", "running", "network", "programs"):
            bench.dialog.pages.show_page(name)
            area = bench.dialog.pages.area_of(name)
            page = area.widget()
            assert page is not None
            await until(lambda area=area, page=page: page.width() <= area.viewport().width())


def test_what_saving_changes_is_said() -> None:
    assert state_words(ApiStatus(), is_wanted=False)[0].endswith("reaches Playhead.")
    assert state_words(ApiStatus(), is_wanted=True)[0].endswith("It begins when you save.")
    assert state_words(LISTENING, is_wanted=False)[0].endswith("It ends when you save.")
    assert state_words(ApiStatus("starting"), is_wanted=True) == ("Starting…", "mute")


def test_refused_programs_are_told_the_switches_by_the_names_they_have_here() -> None:
    policy = window_policy(SettingsInMemory())
    assert f"“{CLIENT_APPROVES_LABEL}”" in policy.approve_switch
    assert f"“{AUTO_RUN_LABEL}”" in policy.auto_run_switch
