"""Versions and deleted turns in the window, by mouse and keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bench(theme: Theme, tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Bench]]:
    return lambda *answers: opened(theme, tmp_path, *answers)


def shown(bench: Bench) -> list[str]:
    return [message.text for message in bench.session.conversation.messages]


def spots(bench: Bench, words: str) -> list[tuple[int, QPoint, bool]]:
    """Where the arrows with these words are, and whether they lead anywhere."""
    view = bench.parts.timeline
    view.coalescer.flush_now()
    return [
        (index, spot.rect.center() + view.canvas.card_rect(index).topLeft(), spot.is_enabled)
        for index in view.canvas.visible_rows()
        for spot in view.canvas.sheet.card(index).spots(False)
        if words in spot.tip
    ]


def press(bench: Bench, words: str) -> QPoint:
    [(_, point, is_enabled)] = spots(bench, words)
    assert is_enabled
    port = bench.parts.timeline.viewport()
    QTest.mouseMove(port, point)
    QTest.mouseClick(port, LEFT, Qt.KeyboardModifier.NoModifier, point)
    return point


async def asked(bench: Bench, text: str) -> None:
    bench.send(text)
    await bench.rests()
    bench.parts.timeline.coalescer.flush_now()  # nobody acts on what is not drawn yet


async def answered_again(bench: Bench) -> None:
    press(bench, "Retry")
    await until(lambda: not bench.session.is_idle)
    await bench.rests()


async def test_arrows_go_between_answers_and_stay_under_the_mouse(bench: Callable) -> None:
    async with bench(said("first"), said("second\n\nlonger")) as window:
        await asked(window, "Question")
        assert spots(window, "Version") == []
        await answered_again(window)
        point = press(window, "show the one before")
        assert shown(window) == ["Question", "first"]
        [(_, _, is_enabled)] = spots(window, "show the one before")
        assert not is_enabled
        [(_, after, is_enabled)] = spots(window, "show the next")
        assert is_enabled
        assert abs(after.y() - point.y()) <= 40
        press(window, "show the next")
        assert shown(window) == ["Question", "second\n\nlonger"]


async def test_an_edited_question_keeps_the_one_before_it(bench: Callable) -> None:
    async with bench(said("one"), said("two")) as window:
        await asked(window, "Question")
        view = window.parts.timeline
        view.setFocus()
        QTest.keyClick(view, Qt.Key.Key_Down)
        QTest.keyClick(view, Qt.Key.Key_E)
        QTest.keyClicks(window.parts.composer.text_edit, " again")
        QTest.keyClick(window.parts.composer.text_edit, Qt.Key.Key_Return)
        await until(lambda: shown(window)[-1:] == ["two"])
        await window.rests()
        assert shown(window) == ["Question again", "two"]
        press(window, "Version 2 of 2: show the one before")
        assert shown(window) == ["Question", "one"]


async def test_a_version_cannot_be_changed_while_a_turn_runs(bench: Callable) -> None:
    async with bench(said("one"), said("two"), said("three")) as window:
        await asked(window, "Question")
        await answered_again(window)
        window.provider.gate = asyncio.Semaphore(0)
        window.session.send("More")
        await until(lambda: len(window.provider.requests) == 3)
        press(window, "show the one before")
        assert shown(window)[:2] == ["Question", "two"]
        assert "busy" in window.parts.notifications.banners[0].title
        window.provider.gate.release()
        await window.session.stopped()


async def test_a_turn_is_deleted_from_the_menu_and_undone(bench: Callable) -> None:
    async with bench(said("one"), said("two")) as window:
        await asked(window, "First")
        await asked(window, "Second")
        view = window.parts.timeline
        view._pointer.open_menu(view.canvas.card_rect(0).center(), view.mapToGlobal(QPoint(5, 5)))
        menu = view.findChild(QMenu, "timeline_menu")
        assert menu is not None
        [delete] = [one for one in menu.actions() if "Delete" in one.text()]
        delete.trigger()
        menu.close()
        assert shown(window) == []
        banner = window.parts.notifications.banners[0]
        assert banner.title == "“First” and its answer were deleted."
        assert "1 other turn" in banner.detail
        window.click(banner.button)
        assert shown(window) == ["First", "one", "Second", "two"]
        assert not window.parts.notifications.banners


async def test_a_deletion_is_final_when_its_time_is_over(bench: Callable) -> None:
    async with bench(said("one")) as window:
        await asked(window, "First")
        window.parts.timeline.delete_requested.emit(window.session.conversation.messages[1].id)
        assert window.session.conversation.aside_id
        window.window.turns.countdown.timeout.emit()
        assert window.session.conversation.aside_id is None
        assert not window.parts.notifications.banners


async def test_the_next_message_ends_the_undo(bench: Callable) -> None:
    async with bench(said("one"), said("two")) as window:
        await asked(window, "First")
        window.parts.timeline.delete_requested.emit(window.session.conversation.messages[0].id)
        assert window.parts.notifications.banners
        await asked(window, "Second")
        assert shown(window) == ["Second", "two"]
        assert not window.parts.notifications.banners
