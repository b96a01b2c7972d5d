"""The question about the way of a key: what it shows, and what a click answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel

from playhead.domain.key_route import KeyRoute, RouteQuestion
from playhead.ui.dialogs.key_route_dialog import KeyRouteDialog, ask_route
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

NEVER_MS = 2**31 - 1
QUESTION = RouteQuestion(
    key="openai@gateway.example",
    source="keyring",
    variable="",
    old=KeyRoute(address="https://gateway.example/ada/v1"),
    new=KeyRoute(
        address="https://gateway.example/eve/v1", proxy="http://u:s3cret@127.0.0.1:9/", extra="x\n‮y"
    ),
)


def dialog_of(bench: Bench) -> KeyRouteDialog:
    (found,) = bench.window.findChildren(KeyRouteDialog)
    return found


def is_asked(bench: Bench) -> bool:
    return [one.is_armed for one in bench.window.findChildren(KeyRouteDialog)] == [True]


def texts_of(dialog: KeyRouteDialog) -> str:
    labels = [label.text() for label in dialog.findChildren(QLabel)]
    return "\n".join(labels).replace("\u200b", "")


async def test_each_answer_has_its_button(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        for answer in ("new", "old", "remove"):
            asking = asyncio.create_task(ask_route(QUESTION, bench.window, 0))
            await until(lambda: is_asked(bench))
            bench.click(getattr(dialog_of(bench), f"{answer}_button"))
            assert await asking == answer
            await until(lambda: not bench.window.findChildren(KeyRouteDialog))


async def test_it_names_the_key_and_all_that_changed(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        asking = asyncio.create_task(ask_route(QUESTION, bench.window, 0))
        await until(lambda: is_asked(bench))
        texts = texts_of(dialog_of(bench))
        for part in ("openai@gateway.example", "/ada/v1", "/eve/v1", "http://…@127.0.0.1:9/"):
            assert part in texts
        assert "s3cret" not in texts
        assert "\u202e" not in texts
        assert "The provider's own" not in texts
        dialog = dialog_of(bench)
        assert dialog.focusWidget() is dialog.old_button
        assert dialog.old_button.nextInFocusChain() is dialog.new_button
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert await asking == "later"


async def test_a_stop_closes_it_and_a_key_of_the_environment_cannot_be_removed(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        question = replace(QUESTION, source="environment", variable="OPENAI_API_KEY")
        asking = asyncio.create_task(ask_route(question, bench.window, 0))
        await until(lambda: is_asked(bench))
        assert not dialog_of(bench).remove_button.isVisible()
        assert "OPENAI_API_KEY" in texts_of(dialog_of(bench))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await until(lambda: not bench.window.findChildren(KeyRouteDialog))


async def test_it_takes_no_answer_at_first(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        asking = asyncio.create_task(ask_route(QUESTION, bench.window, NEVER_MS))
        await until(lambda: len(bench.window.findChildren(KeyRouteDialog)) == 1)
        dialog = dialog_of(bench)
        for button in (dialog.new_button, dialog.old_button, dialog.remove_button):
            bench.click(button)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
            QTest.keyClick(dialog, key)
        assert not asking.done()
        assert dialog.isVisible()
        dialog.reject()
        assert await asking == "later"


async def test_it_is_above_the_settings_and_goes_with_them(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        settings = QDialog(bench.window)
        settings.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        settings.open()
        asking = asyncio.create_task(ask_route(QUESTION, bench.window, 0))
        await until(lambda: is_asked(bench))
        assert dialog_of(bench).parent() is settings
        settings.close()
        assert await asking == "later"
