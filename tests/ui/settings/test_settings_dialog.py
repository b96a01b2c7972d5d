"""The settings dialog over ports in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from playhead.domain.model import DIRECT_MODEL, LocalServer, ModelFacts, ModelSettings
from playhead.domain.secret import KeyInfo, KeyringStatus, Secret
from playhead.domain.settings import AppSettings
from playhead.errors import KeyStoreError, ProviderError, StorageError
from playhead.ui.settings.models_page import key_words
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


class Catalog(SmallCatalog):
    """Knows a server on this machine."""

    async def local_servers(self) -> list[LocalServer]:
        return [LocalServer("Ollama", "http://127.0.0.1:11434/v1", ("openai/llama3",))]


class CheckedProvider(ScriptedProvider):
    """Remembers what was checked; refuses one key."""

    checked: ModelSettings | None = None
    listed: ModelSettings | None = None
    answering: asyncio.Event | None = None

    async def facts(self, model: ModelSettings) -> ModelFacts:
        return ModelFacts(model=model.model, takes_tools=True, context_tokens=128_000)

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        self.listed = model
        return [ModelFacts(model="openai/one"), ModelFacts(model="openai/two")]

    async def check(self, model: ModelSettings) -> str:
        self.checked = model
        if self.answering is not None:
            await self.answering.wait()
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
        bench.form.choose("anthropic", "claude")
        QTest.keyClicks(bench.form.api_key, "sk-2")
        bench.dialog.models.answers.temperature.setText("0.5")
        bench.dialog.conversation.instructions.setPlainText("Be brief.")
        QTest.mouseClick(bench.dialog.save_button, Qt.MouseButton.LeftButton)
        await until(lambda: bench.saved)
        saved = bench.settings.current
        assert (saved.model, saved.parameters.temperature) == ("anthropic/claude", 0.5)
        assert saved.instructions == "Be brief."
        assert bench.keys.keys["anthropic"] == Secret("sk-2")
        assert not bench.dialog.isVisible()


async def test_cancelling_keeps_nothing(theme: Theme) -> None:
    async with opened(theme) as bench:
        before = bench.settings.current
        bench.form.model.setEditText("other")
        QTest.keyClicks(bench.form.api_key, "sk-2")
        QTest.mouseClick(bench.dialog.cancel_button, Qt.MouseButton.LeftButton)
        assert bench.settings.current == before
        assert list(bench.keys.keys) == ["openai"]


async def test_a_wrong_number_is_said_and_nothing_is_saved(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.dialog.models.answers.temperature.setText("warm")
        bench.dialog.save()
        await until(lambda: bench.dialog.problem)
        assert "Temperature must be a number" in bench.dialog.problem
        bench.dialog.models.answers.temperature.setText("7")
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


async def test_a_server_of_this_machine_needs_no_address_and_offers_its_models(
    theme: Theme,
) -> None:
    async with opened(theme) as bench:
        bench.form.choose("ollama", "")
        await bench.dialog.tasks.settled()
        assert bench.form.model.itemText(0) == "llama3"
        assert bench.form.api_key.isHidden()
        bench.form.model.setCurrentIndex(0)
        bench.dialog.save()
        await until(lambda: bench.saved)
        saved = bench.saved[0]
        assert (saved.model, saved.api_base) == ("openai/llama3", "http://127.0.0.1:11434/v1")


async def test_another_address_is_kept_and_a_default_one_is_not_shown_as_typed(
    theme: Theme,
) -> None:
    before = AppSettings(model="openai/llama3", api_base="http://192.168.0.7:11434/v1")
    async with opened(theme, SettingsInMemory(before)) as bench:
        assert bench.form.page is not None
        assert bench.form.page.name == "other"
        assert bench.form.address.text() == before.api_base
        assert bench.form.chosen_model == before.model
    local = AppSettings(model="openai/llama3", api_base="http://127.0.0.1:11434/v1")
    async with opened(theme, SettingsInMemory(local)) as bench:
        assert bench.form.address.text() == ""
        assert bench.form.api_base == local.api_base


async def test_typing_replaces_the_model_that_is_shown(theme: Theme) -> None:
    async with opened(theme) as bench:
        await until(bench.dialog.isActiveWindow)
        bench.form.provider.setFocus()
        for _ in range(10):
            if not bench.form.model_field.hasFocus():
                focused = QApplication.focusWidget()
                assert focused is not None
                QTest.keyClick(focused, Qt.Key.Key_Tab)
        assert bench.form.model_field.hasFocus()
        bench.form.offer("openai", ["gpt-1", "gpt-2"])  # which may come at any moment
        QTest.keyClicks(bench.form.model_field, "gpt-9")
        assert bench.form.chosen_model == "openai/gpt-9"


async def test_a_whole_model_string_may_be_pasted(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.choose("anthropic", "anthropic/claude")
        assert bench.form.chosen_model == "anthropic/claude"
        bench.form.choose("lmstudio", "openai/gpt-oss-20b")  # a name that servers really use
        assert bench.form.chosen_model == "openai/openai/gpt-oss-20b"


async def test_direct_mode_is_a_choice(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.provider.setCurrentIndex(0)
        await bench.dialog.tasks.settled()
        assert bench.form.model.isHidden()
        assert bench.form.api_key.isHidden()
        bench.dialog.save()
        await until(lambda: bench.saved)
        assert bench.saved[0].model == DIRECT_MODEL


async def test_each_provider_shows_just_its_fields(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        for name, shown, hidden in (
            ("openai", [form.api_key, form.address], [form.fields["azure.api_version"]]),
            ("gemini", [form.api_key], [form.address, form.extra]),
            ("azure", [form.api_key, form.address, form.fields["azure.api_version"]], []),
            ("bedrock", [form.fields["bedrock.aws_region_name"]], [form.api_key, form.address]),
            ("raw", [form.extra, form.address, form.api_key], []),
        ):
            form.choose(name, "m")
            assert [one.isHidden() for one in shown] == [False] * len(shown)
            assert [one.isHidden() for one in hidden] == [True] * len(hidden)


async def test_azure_is_saved_with_its_endpoint_deployment_and_version(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        form.choose("azure", "mine")
        bench.dialog.save()
        await until(lambda: "address is missing" in bench.dialog.problem)
        form.address.setText("https://me.openai.azure.com")
        form.fields["azure.api_version"].setText("soon")
        bench.dialog.save()
        await until(lambda: "does not look right" in bench.dialog.problem)
        form.fields["azure.api_version"].setText("2024-10-21")
        bench.dialog.save()
        await until(lambda: bench.saved)
        saved = bench.saved[0]
        assert (saved.model, saved.api_base) == ("azure/mine", "https://me.openai.azure.com")
        assert saved.provider_fields == {"azure.api_version": "2024-10-21"}


async def test_the_secrets_of_bedrock_are_one_key_and_never_settings(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        form.choose("bedrock", "anthropic.claude")
        form.fields["bedrock.aws_region_name"].setText("eu-west-1")
        form.fields["bedrock.aws_access_key_id"].setText("AKIA1")
        bench.dialog.save()
        await until(lambda: "belong together" in bench.dialog.problem)
        form.fields["bedrock.aws_secret_access_key"].setText("hush")
        bench.dialog.save()
        await until(lambda: bench.saved)
        kept = json.loads(bench.keys.keys["bedrock"].reveal())
        assert kept == {"aws_access_key_id": "AKIA1", "aws_secret_access_key": "hush"}
        assert bench.saved[0].provider_fields == {"bedrock.aws_region_name": "eu-west-1"}
        assert "hush" not in repr(bench.saved[0])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("example.com/v1", "begin with http"),
        ("https://", "has no server name"),
        ("https://me:pw@example.com", "user and password"),
        ("https://example.com/v1/chat/completions", "Leave /chat/completions off"),
        ("https://example.com/v1?key=x", "goes only to the path"),
        ("https://example.com:99999", "port"),
        ("https://exa mple.com", "space"),
        ("", "missing"),
    ],
)
async def test_a_wrong_address_is_said_in_words(theme: Theme, address: str, words: str) -> None:
    async with opened(theme) as bench:
        bench.form.choose("other", "m", address)
        bench.dialog.save()
        await until(lambda: words in bench.dialog.problem)
        assert bench.saved == []


@pytest.mark.parametrize(
    ("key", "words"),
    [("Bearer sk-1", "without"), ("sk 1", "space"), ("https://x.example", "an address")],
)
async def test_what_is_no_key_is_said_in_words(theme: Theme, key: str, words: str) -> None:
    async with opened(theme) as bench:
        bench.form.api_key.setText(key)
        bench.dialog.save()
        await until(lambda: words in bench.dialog.problem)
        assert bench.keys.keys["openai"] == Secret("sk-1")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("{", "not valid JSON"),
        ("[]", "JSON object"),
        ('{"api_key": "sk-1"}', "looks like a secret"),
        ('{"extra_headers": {"X-Token": "t"}}', "looks like a secret"),
    ],
)
async def test_wrong_extra_parameters_are_said(theme: Theme, extra: str, words: str) -> None:
    async with opened(theme) as bench:
        bench.form.choose("raw", "groq/llama")
        bench.form.extra.setText(extra)
        bench.dialog.save()
        await until(lambda: words in bench.dialog.problem)
        bench.form.extra.setText('{"max_tokens_per_day": 3, "seed": 1}')
        bench.dialog.save()
        await until(lambda: bench.saved)


async def test_the_provider_says_which_models_it_has(theme: Theme) -> None:
    async with opened(theme) as bench:
        QTest.mouseClick(bench.form.find_models, Qt.MouseButton.LeftButton)
        await until(lambda: "2 models" in bench.form.models_note.text())
        form = bench.form
        assert [form.model.itemText(place) for place in range(2)] == ["one", "two"]
        assert bench.provider.listed is not None
        assert bench.provider.listed.api_key == Secret("sk-1")
        form.model.hidePopup()


async def test_leaving_a_provider_forgets_the_key_that_was_typed_for_it(theme: Theme) -> None:
    async with opened(theme) as bench:
        QTest.keyClicks(bench.form.api_key, "sk-openai")
        bench.form.choose("anthropic", "claude")
        assert bench.form.api_key.text() == ""


async def test_the_system_prompt_is_shown_and_the_built_in_one_comes_back(theme: Theme) -> None:
    async with opened(theme) as bench:
        page = bench.dialog.conversation
        built_in = page.prompt.toPlainText()
        assert "Playhead" in built_in
        assert not page.built_in.isEnabled()
        page.prompt.setPlainText("You are mine.")
        assert page.built_in.isEnabled()
        bench.dialog.save()
        await until(lambda: bench.saved)
        assert bench.saved[0].system_prompt == "You are mine."
    async with opened(theme, bench.settings) as bench:
        page = bench.dialog.conversation
        assert page.prompt.toPlainText() == "You are mine."
        QTest.mouseClick(page.built_in, Qt.MouseButton.LeftButton)
        assert page.prompt.toPlainText() == built_in
        bench.dialog.save()
        await until(lambda: bench.saved)
        assert bench.saved[0].system_prompt == ""


async def test_the_network_page_keeps_what_is_typed_and_refuses_nonsense(theme: Theme) -> None:
    async with opened(theme) as bench:
        page = bench.dialog.network
        page.proxy.setText("proxy")
        bench.dialog.save()
        await until(lambda: "proxy must look like" in bench.dialog.problem)
        page.proxy.setText("http://proxy.example:3128")
        page.ca_file.setText("/nowhere/ca.pem")
        bench.dialog.save()
        await until(lambda: "no file" in bench.dialog.problem)
        page.ca_file.setText(__file__)
        page.first_limit.setText("90")
        page.retries.setText("0")
        bench.dialog.save()
        await until(lambda: bench.saved)
        saved = bench.saved[0]
        assert (saved.proxy, saved.ca_file) == ("http://proxy.example:3128", __file__)
        assert (saved.first_limit_s, saved.retries) == (90, 0)


async def test_the_user_s_word_on_a_model_is_kept_by_model(theme: Theme) -> None:
    async with opened(theme) as bench:
        answers = bench.dialog.models.answers
        assert "Calls tools" in answers.facts_note.text()
        answers.takes_tools.setCurrentIndex(2)
        answers.context.setText("8000")
        bench.dialog.save()
        await until(lambda: bench.saved)
        override = bench.saved[0].model_overrides["openai/test"]
        assert (override.takes_tools, override.context_tokens) == (False, 8000)


async def test_a_small_dialog_has_a_menu_in_place_of_the_list(theme: Theme) -> None:
    async with opened(theme) as bench:
        pages = bench.dialog.pages
        assert pages.menu.isHidden()
        bench.dialog.resize(420, 400)
        await until(lambda: not pages.menu.isHidden())
        assert pages.list.isHidden()
        pages.menu.setCurrentIndex(2)
        assert pages.current == "conversation"


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
    usable = KeyringStatus(is_usable=True, backend="GNOME Keyring")
    missing = KeyringStatus(is_usable=False, error=KeyStoreError("No keyring is running."))
    from_environment = KeyInfo(Secret("x"), "environment", "OPENAI_API_KEY")
    assert "OPENAI_API_KEY" in key_words("m", from_environment, usable, "OPENAI_API_KEY")
    assert "GNOME Keyring" in key_words("m", KeyInfo(Secret("x"), "keyring"), usable, "")
    assert "nowhere else" in key_words("m", KeyInfo(), usable, "")
    assert "No keyring is running." in key_words("m", KeyInfo(), missing, "X_API_KEY")
    assert "X_API_KEY" in key_words("m", KeyInfo(), missing, "X_API_KEY")


async def test_check_never_sends_the_key_of_another_provider(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.form.choose("anthropic", "claude")
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


async def test_an_answer_of_check_stays_while_it_is_right(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.dialog.check()
        await until(lambda: "answered" in bench.form.check_result.text())
        QTest.mouseClick(bench.form.find_models, Qt.MouseButton.LeftButton)
        await until(lambda: "2 models" in bench.form.models_note.text())
        bench.form.model.hidePopup()
        bench.dialog.models.answers.context.setText("1000")  # which neither depends on
        assert "answered" in bench.form.check_result.text()
        bench.form.model_field.setText("two")
        assert bench.form.check_result.text() == ""
        assert "2 models" in bench.form.models_note.text()
        QTest.keyClicks(bench.form.api_key, "x")
        assert bench.form.models_note.text() == ""


async def test_an_answer_of_check_for_what_is_no_longer_typed_is_not_shown(theme: Theme) -> None:
    async with opened(theme) as bench:
        bench.provider.answering = asyncio.Event()
        bench.dialog.check()
        await until(lambda: bench.provider.checked is not None)
        bench.form.model_field.setText("two")
        bench.provider.answering.set()
        await bench.dialog.tasks.settled()
        assert bench.form.check_result.text() == ""


async def test_the_form_does_not_jump_when_notes_come_and_go(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        await bench.dialog.tasks.settled()
        QApplication.processEvents()  # lays out what the keys' notes have changed
        order = [form.provider, form.api_key, form.model, form.check_button]
        places = [widget.y() for widget in order]
        assert places == sorted(places)
        bench.dialog.check()
        await until(lambda: "answered" in form.check_result.text())
        form.models_note.show_text("2 models: choose one.")
        QApplication.processEvents()
        hairline = bench.dialog.models.answers.y()
        form.check_result.show_text("")
        form.models_note.show_text("")
        form.key_note.show_text("")
        form.replace_key.hide()
        QApplication.processEvents()
        assert [widget.y() for widget in order] == places
        assert bench.dialog.models.answers.y() == hairline


async def test_the_address_comes_before_the_key_and_the_key_before_the_model(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        form.choose("compatible", "m", "http://127.0.0.1:1/v1")
        QApplication.processEvents()
        assert form.address.y() < form.api_key.y() < form.model.y() < form.check_button.y()
        order = [form.address, form.api_key, form.model, form.check_button]
        tabbed: list[QWidget] = []
        widget: QWidget | None = form.address.nextInFocusChain()
        while widget is not None and widget is not form.address:
            tabbed += [widget] if widget in order else []
            widget = widget.nextInFocusChain()
        assert tabbed == order[1:]


async def test_long_words_are_shown_whole_and_push_the_rest_down(theme: Theme) -> None:
    async with opened(theme) as bench:
        form = bench.form
        form.check_result.show_text("A server that says very much. " * 20, "danger")
        form.key_note.show_text("A keyring that does not work. " * 20)
        for note in (form.check_result, form.key_note):
            await until(lambda note=note: note.height() >= note.heightForWidth(note.width()))
        answers = bench.dialog.models.answers
        await until(lambda: answers.y() >= form.check_result.geometry().bottom())


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


async def test_what_code_of_new_conversations_may_do_is_set_with_words_on_what_it_opens(
    theme: Theme,
) -> None:
    async with opened(theme) as bench:
        policy = bench.dialog.policy
        assert policy.network_note.isHidden()
        for box, value in (
            (policy.files, "look"),
            (policy.network, "on"),
            (policy.asking, "outside"),
        ):
            box.setCurrentIndex(box.findData(value))
        assert "also send" in policy.network_note.text()
        assert "boundary test" in policy.ask_note.text()
        bench.dialog.save()
        await until(lambda: bench.settings.current.sandbox_files == "look")
        kept = bench.settings.current
        assert (kept.sandbox_network, kept.sandbox_ask) == ("on", "outside")


async def test_a_folder_for_new_conversations_is_one_that_is_there(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme) as bench:
        bench.dialog.interpreter.folder.setText(str(tmp_path / "gone"))
        bench.dialog.save()
        await until(lambda: "is not a folder" in bench.dialog.problem)
        bench.dialog.interpreter.folder.setText(str(tmp_path))
        bench.dialog.running.asks_typed.setChecked(True)
        bench.dialog.save()
        await until(lambda: bench.settings.current.folder == str(tmp_path))
        assert bench.settings.current.asks_typed_code


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
