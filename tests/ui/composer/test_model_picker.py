"""The picker of the composer: models, profiles and approval, by keyboard alone."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playhead.domain.model import ModelFacts
from playhead.domain.settings import AppSettings, Profile
from playhead.ui.composer.model_picker import ModelPicker
from playhead.ui.composer.picker_rows import (
    ModelAddress,
    PickerContents,
    PickerRow,
    matching_rows,
    rows_of,
)
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened

FACTS = ModelFacts(
    model="openai/gpt",
    takes_tools=True,
    supports_images=True,
    takes_documents=None,
    reasons=True,
    context_tokens=400_000,
    output_tokens=None,
    input_price=0.25,
    output_price=2.0,
)


def texts(rows: list[PickerRow], group: str) -> list[str]:
    return [row.text for row in rows if row.group == group]


def test_each_model_stands_once_in_the_first_group_that_has_it() -> None:
    a, b, c = ModelAddress("openai/a"), ModelAddress("openai/b"), ModelAddress("openai/c")
    rows = rows_of(
        PickerContents(current=b, favourites=[a], recent=[b, a], found={"OpenAI": [a, b, c]})
    )
    assert texts(rows, "Favourites") == ["openai/a"]
    assert texts(rows, "Recent") == ["openai/b"]
    assert texts(rows, "OpenAI") == ["openai/c"]
    assert [row.text for row in rows if row.is_current and row.kind == "model"] == ["openai/b"]


def test_a_row_says_what_its_model_can_and_costs() -> None:
    place = ModelAddress("openai/gpt")
    rows = rows_of(PickerContents(current=place, recent=[place], facts={"openai/gpt": FACTS}))
    assert rows[0].detail == "tools · vision · reasoning · 400k · $0.25 / $2"
    assert "thinks before it answers" in rows[0].words


def test_a_search_looks_at_models_providers_and_what_they_can() -> None:
    place, other = ModelAddress("openai/gpt"), ModelAddress("mistral/large")
    contents = PickerContents(current=place, recent=[place], found={"Mistral": [other]})
    rows = rows_of(contents)
    assert [row.text for row in matching_rows(rows, "mist LARGE")] == ["mistral/large"]
    assert matching_rows(rows, "nothing like that") == []


def test_a_favourite_at_an_address_comes_back_with_it() -> None:
    place = ModelAddress("openai/llama", "http://127.0.0.1:11434/v1")
    assert ModelAddress.of(place.text) == place
    assert ModelAddress.of("openai/gpt") == ModelAddress("openai/gpt")


def picker_of(bench: Bench) -> ModelPicker:
    bench.click(bench.parts.composer.buttons.choice)
    picker = bench.window.choosing.picker
    assert picker.isVisible()
    return picker


async def test_a_model_is_chosen_for_one_conversation_by_keys(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("hello")) as bench:
        picker = picker_of(bench)
        await until(lambda: any("llama3" in row.text for row in picker.shown))
        QTest.keyClicks(picker.field, "llama3")
        QTest.keyClick(picker.field, Qt.Key.Key_Return)
        assert picker.isHidden()
        await until(lambda: "llama3" in bench.parts.composer.buttons.choice.text())
        assert bench.session.config.model == "ollama_chat/llama3"
        assert bench.session.config.api_base == "http://127.0.0.1:11434"
        assert bench.settings.current.model == "openai/test"
        bench.send("go")
        await bench.rests()
        assert bench.provider.requests[-1].model.model == "ollama_chat/llama3"
        await bench.window.tasks.settled()


async def test_the_first_model_is_the_one_of_the_settings_too(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, settings=AppSettings()) as bench:
        picker = picker_of(bench)
        await until(lambda: any("llama3" in row.text for row in picker.shown))
        QTest.keyClicks(picker.field, "llama3")
        QTest.keyClick(picker.field, Qt.Key.Key_Return)
        await until(lambda: bench.settings.current.model == "ollama_chat/llama3")
        await bench.window.tasks.settled()


async def test_stars_are_kept_and_taken_back_by_ctrl_d(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        current = picker.current
        assert current is not None
        assert current.text == "openai/test"
        QTest.keyClick(picker.field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: bench.settings.current.favourite_models == ("openai/test",))
        await until(lambda: texts(picker.shown, "Favourites") == ["openai/test"])
        assert picker.current is not None
        assert picker.current.text == "openai/test"
        QTest.keyClick(picker.field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: bench.settings.current.favourite_models == ())
        await bench.window.tasks.settled()


async def test_arrows_pass_headings_and_go_round(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        QTest.keyClicks(picker.field, "run")  # the two rows about code
        assert [row.kind for row in picker.shown] == ["ask_first", "auto_run"]
        QTest.keyClick(picker.field, Qt.Key.Key_Down)
        assert picker.current == picker.shown[1]
        QTest.keyClick(picker.field, Qt.Key.Key_Down)
        assert picker.current == picker.shown[0]
        QTest.keyClick(picker.field, Qt.Key.Key_Escape)
        assert picker.isHidden()


async def test_a_profile_is_chosen_and_left_for_one_conversation(
    theme: Theme, tmp_path: Path
) -> None:
    profile = Profile(name="data work", model="anthropic/claude", auto_run=True)
    settings = AppSettings(model="openai/test", profiles=(profile,))
    async with opened(theme, tmp_path, settings=settings) as bench:
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        QTest.keyClicks(picker.field, "data work")
        QTest.keyClick(picker.field, Qt.Key.Key_Return)
        choice = bench.parts.composer.buttons.choice
        await until(lambda: "claude" in choice.text())
        assert "auto-run" in choice.text()
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        QTest.keyClicks(picker.field, "no profile")
        QTest.keyClick(picker.field, Qt.Key.Key_Return)
        await until(lambda: "openai/test" in choice.text())
        assert "ask first" in choice.text()


async def test_a_click_elsewhere_closes_it_and_the_last_row_opens_the_settings(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        await until(bench.window.isActiveWindow)  # the keyboard is in no field before
        picker = picker_of(bench)
        await until(picker.field.hasFocus)
        await bench.window.tasks.settled()
        bench.parts.composer.text_edit.setFocus()
        await until(picker.isHidden)
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        QTest.keyClicks(picker.field, "settings")
        QTest.keyClick(picker.field, Qt.Key.Key_Return)
        await until(lambda: bench.window._dialog is not None)


async def test_it_stays_inside_a_small_window(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.resize(640, 480)
        await until(lambda: bench.window.width() <= max(640, bench.window.minimumWidth()))
        picker = picker_of(bench)
        await bench.window.tasks.settled()
        assert bench.window.rect().contains(picker.geometry())
