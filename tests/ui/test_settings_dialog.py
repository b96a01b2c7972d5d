"""The settings dialog over ports in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playhead.conversation.requests import (
    DIRECT_MODEL,
    AppSettings,
    KeyInfo,
    KeyringStatus,
    LocalServer,
    ModelSettings,
)
from playhead.conversation.secret import Secret
from playhead.errors import ProviderError, StorageError
from playhead.ui.settings_dialog import SettingsDialog, key_words
from playhead.ui.settings_form import DIRECT_LABEL
from playhead.ui.theme import Theme
from tests.support.ports import (
    ApiInMemory,
    KeysInMemory,
    OneInterpreter,
    ScriptedProvider,
    SettingsInMemory,
    SmallCatalog,
)
from tests.support.waiting import until


class Catalog(SmallCatalog):
    """Knows a server on this machine."""

    async def local_servers(self) -> list[LocalServer]:
        return [LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/llama3",))]


class CheckedProvider(ScriptedProvider):
    """Remembers what was checked; refuses one key."""

    checked: ModelSettings | None = None

    async def check(self, model: ModelSettings) -> str:
        self.checked = model
        if model.api_key == Secret("wrong"):
            raise ProviderError("The key was refused.", remedy="Check the key.")
        return f"{model.model} answered."


class FullDisk(SettingsInMemory):
    """Cannot be written."""

    async def save(self, settings: AppSettings) -> None:
        raise StorageError("The settings could not be saved.", detail="The disk is full.")


class Bench:
    """An open dialog."""

    def __init__(self, settings: SettingsInMemory) -> None:
        self.settings = settings
        self.keys = KeysInMemory(openai="sk-1")
        self.provider = CheckedProvider()
        self.saved: list[AppSettings] = []
        self.api = ApiInMemory(settings)
        self.dialog = SettingsDialog(
            settings, self.keys, Catalog(), OneInterpreter(), self.provider, self.api
        )
        self.form = self.dialog.form
        self.dialog.saved.connect(self.saved.append)


@asynccontextmanager
async def opened(theme: Theme, settings: SettingsInMemory | None = None) -> AsyncIterator[Bench]:
    bench = Bench(settings or SettingsInMemory())
    bench.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    bench.dialog.open()
    await bench.dialog.tasks.settled()
    try:
        yield bench
    finally:
        bench.dialog.reject()
        bench.dialog.deleteLater()


async def test_it_shows_what_is_set_and_says_where_the_key_is(theme: Theme) -> None:
    async with opened(theme) as bench:
        assert bench.form.chosen_model == "openai/test"
        assert "memory until Playhead ends" in bench.form.key_note.text()
        assert bench.form.api_key.text() == ""
        assert bench.form.api_key.echoMode() == bench.form.api_key.EchoMode.Password


async def test_saving_keeps_settings_and_key(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.model.setEditText("anthropic/claude")
        QTest.keyClicks(bench.form.api_key, "sk-2")
        bench.form.temperature.setText("0.5")
        bench.form.instructions.setPlainText("Be brief.")
        QTest.mouseClick(bench.dialog.save_button, Qt.MouseButton.LeftButton)
        await until(lambda: bench.saved)
        saved = bench.settings.current
        assert (saved.model, saved.temperature) == ("anthropic/claude", 0.5)
        assert saved.instructions == "Be brief."
        assert bench.keys.keys["anthropic"] == Secret("sk-2")
        assert not bench.dialog.isVisible()


async def test_cancelling_keeps_nothing(theme: Theme) -> None:
    async with opened(theme) as bench:
        before = bench.settings.current
        bench.form.model.setEditText("other/model")
        QTest.keyClicks(bench.form.api_key, "sk-2")
        QTest.mouseClick(bench.dialog.cancel_button, Qt.MouseButton.LeftButton)
        assert bench.settings.current == before
        assert list(bench.keys.keys) == ["openai"]


async def test_a_wrong_number_is_said_and_nothing_is_saved(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.temperature.setText("warm")
        bench.dialog.save()
        await until(lambda: bench.dialog.problem)
        assert "Temperature must be a number" in bench.dialog.problem
        bench.form.temperature.setText("7")
        bench.dialog.save()
        await until(lambda: "between" in bench.dialog.problem)
        assert bench.saved == []


async def test_check_asks_with_what_is_typed_and_says_what_happened(theme: Theme) -> None:
    async with opened(theme) as bench:
        QTest.mouseClick(bench.form.check_button, Qt.MouseButton.LeftButton)
        await until(lambda: "answered" in bench.form.check_result.text())
        assert bench.provider.checked is not None
        assert bench.provider.checked.api_key == Secret("sk-1")
        QTest.keyClicks(bench.form.api_key, "wrong")
        QTest.mouseClick(bench.form.check_button, Qt.MouseButton.LeftButton)
        await until(lambda: "refused" in bench.form.check_result.text())
        assert "Check the key." in bench.form.check_result.text()
        assert bench.keys.keys["openai"] == Secret("sk-1")


async def test_a_model_of_this_machine_brings_its_address(theme: Theme) -> None:
    async with opened(theme) as bench:
        assert "Ollama" in bench.form.servers_note.text()
        model = bench.form.model
        model.setCurrentIndex(model.findText("ollama_chat/llama3"))
        model.activated.emit(model.currentIndex())
        assert bench.form.api_base.text() == "http://127.0.0.1:11434"
        model.setCurrentIndex(model.findText("openai/test"))
        model.activated.emit(model.currentIndex())
        assert bench.form.api_base.text() == ""


async def test_leaving_the_models_field_keeps_the_address(theme: Theme) -> None:
    before = AppSettings(model="ollama_chat/llama3", api_base="http://192.168.0.7:11434")
    async with opened(theme, SettingsInMemory(before)) as bench:
        bench.form.model.setFocus()
        bench.form.temperature.setFocus()
        assert bench.form.api_base.text() == before.api_base


async def test_typing_replaces_the_model_that_is_shown(theme: Theme) -> None:
    async with opened(theme) as bench:
        QTest.keyClicks(bench.form.model_field, "x/y")
        assert bench.form.chosen_model == "x/y"


async def test_direct_mode_is_a_choice(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.model.setEditText(DIRECT_LABEL)
        await until(lambda: "needs no key" in bench.form.key_note.text())
        assert not bench.form.api_key.isEnabled()
        bench.dialog.save()
        await until(lambda: bench.saved)
        assert bench.saved[0].model == DIRECT_MODEL


async def test_a_disk_that_refuses_is_said_in_the_dialog(theme: Theme) -> None:
    async with opened(theme, FullDisk()) as bench:
        bench.dialog.save()
        await until(lambda: bench.dialog.problem)
        assert "The disk is full." in bench.dialog.problem
        assert bench.dialog.isVisible()


async def test_a_key_can_be_removed(theme: Theme) -> None:
    async with opened(theme) as bench:
        QTest.mouseClick(bench.form.remove_key, Qt.MouseButton.LeftButton)
        await until(lambda: "openai" not in bench.keys.keys)
        await bench.dialog.tasks.settled()
        assert bench.form.remove_key.isHidden()


def test_where_a_key_is_kept_is_said_for_every_case() -> None:
    usable = KeyringStatus(True, "GNOME Keyring")
    missing = KeyringStatus(False, message="No keyring is running.")
    from_environment = KeyInfo(Secret("x"), "environment", "OPENAI_API_KEY")
    assert "OPENAI_API_KEY" in key_words("m", from_environment, usable, "OPENAI_API_KEY")
    assert "GNOME Keyring" in key_words("m", KeyInfo(Secret("x"), "keyring"), usable, "")
    assert "nowhere else" in key_words("m", KeyInfo(), usable, "")
    assert "No keyring is running." in key_words("m", KeyInfo(), missing, "X_API_KEY")
    assert "X_API_KEY" in key_words("m", KeyInfo(), missing, "X_API_KEY")


async def test_check_never_sends_the_key_of_another_provider(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.model.setEditText("anthropic/claude")
        bench.dialog.check()  # sooner than the note about its key
        await until(lambda: "answered" in bench.form.check_result.text())
        assert bench.provider.checked is not None
        assert bench.provider.checked.api_key is None


async def test_an_answer_of_check_is_gone_as_soon_as_it_may_be_wrong(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.dialog.check()
        await until(lambda: "answered" in bench.form.check_result.text())
        QTest.keyClicks(bench.form.api_key, "x")
        assert not bench.form.check_result.isVisible()


async def test_long_words_are_shown_whole_and_push_the_rest_down(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        form.check_result.say("A server that says very much. " * 20, "danger")
        form.key_note.say("A keyring that does not work. " * 20)
        for note in (form.check_result, form.key_note):
            await until(lambda note=note: note.height() >= note.heightForWidth(note.width()))
        await until(lambda: form.temperature.y() >= form.check_result.geometry().bottom())


async def test_what_a_run_may_use_is_set_and_can_be_taken_away(theme: Theme) -> None:
    async with opened(theme) as bench:
        running = bench.dialog.running
        assert running.shows_line.isChecked()
        assert not running.times_lines.isChecked()
        running.shows_line.setChecked(False)
        assert not running.times_lines.isEnabled()
        running.shows_line.setChecked(True)
        running.times_lines.setChecked(True)
        running.seconds.setText("30")
        running.memory.setText("2000")
        running.output.setText("50")
        bench.dialog.save()
        await until(lambda: bench.settings.current.run_limit_s == 30)
        kept = bench.settings.current
        assert (kept.times_lines, kept.run_limit_mb, kept.output_limit_mb) == (True, 2000, 50)


async def test_empty_limits_are_no_limits(theme: Theme) -> None:
    limited = AppSettings(run_limit_s=5, run_limit_mb=9, output_limit_mb=7)
    async with opened(theme, SettingsInMemory(limited)) as bench:
        running = bench.dialog.running
        assert running.seconds.text() == "5"
        for field in (running.seconds, running.memory, running.output):
            field.clear()
        bench.dialog.save()
        await until(lambda: bench.settings.current.run_limit_s == 0)
        kept = bench.settings.current
        assert (kept.run_limit_mb, kept.output_limit_mb) == (0, AppSettings().output_limit_mb)


async def test_a_limit_that_is_no_number_is_refused(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.dialog.running.memory.setText("much")
        bench.dialog.save()
        await until(lambda: "Most memory" in bench.dialog.problem)
