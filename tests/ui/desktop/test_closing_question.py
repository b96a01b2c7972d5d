"""What closing, quitting and logging out do while code runs, waits, or nothing is under way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from playhead.domain.settings import AppSettings
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

HIDE, STOP = "Hide window and go on", "Stop and close"


class LogOut:
    """A log-out as the system's session manager offers it; records what becomes of it."""

    def __init__(self, *, allows: bool = True) -> None:
        self.allows = allows
        self.is_cancelled = self.is_released = False

    def allowsInteraction(self) -> bool:
        return self.allows

    def cancel(self) -> None:
        self.is_cancelled = True

    def release(self) -> None:
        self.is_released = True


def ends(bench: Bench) -> list[bool]:
    """A list that grows whenever the window asks for the end of the program."""
    left: list[bool] = []
    bench.window.close_requested.connect(lambda: left.append(True))
    return left


def with_tray(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.window.desk.make_tray(), "isVisible", lambda: True)


def box_of(bench: Bench) -> QMessageBox:
    box = bench.window.closing.box
    assert box is not None
    return box


def buttons(bench: Bench) -> list[str]:
    return sorted(one.text() for one in box_of(bench).findChildren(QPushButton))


def press(bench: Bench, text: str) -> None:
    found = box_of(bench).findChildren(QPushButton)
    bench.click(next(one for one in found if one.text() == text))


async def begin_run(bench: Bench) -> None:
    bench.send("Wait a while")
    await bench.asked()
    bench.click(bench.parts.approval.run_button)
    await until(lambda: bench.session.state == "running")


async def test_closing_while_code_runs_asks_and_the_hidden_window_goes_on(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("wait for it"), said("Done.")) as bench:
        left = ends(bench)
        await begin_run(bench)
        bench.window.close()
        assert "Code is running in “Wait a while”." in box_of(bench).text()
        assert buttons(bench) == ["Cancel", HIDE, STOP]
        press(bench, HIDE)
        assert not bench.window.isVisible()
        assert (left, bench.session.state) == ([], "running")
        bench.window.raise_window()
        assert bench.window.isVisible()
        assert bench.window.focusWidget() is bench.parts.composer.text_edit
        bench.session.stop()
        await bench.rests()
        bench.window.close()
        assert left == [True], "nothing runs any more"


async def test_quitting_while_code_runs_stops_it_only_when_that_was_chosen(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("wait for it")) as bench:
        left = ends(bench)
        await begin_run(bench)
        leave = bench.window.actions_by_name["quit"]
        leave.trigger()
        leave.trigger()
        assert len(bench.window.findChildren(QMessageBox)) == 1
        QTest.keyClick(box_of(bench), Qt.Key.Key_Escape)
        assert (left, bench.window.closing.box) == ([], None)
        assert bench.window.isVisible()
        leave.trigger()
        press(bench, STOP)
        assert left == [True]


async def test_code_that_waits_for_a_decision_is_asked_about_and_several_are_counted(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(1)"), coded("print(2)")) as bench:
        bench.send("One?")
        await bench.asked()
        bench.window.close()
        assert box_of(bench).text() == "Code waits for your decision in “One?”."
        press(bench, "Cancel")
        bench.window.new_conversation()
        bench.send("Two?")
        await bench.asked()
        bench.window.close()
        assert box_of(bench).text() == "Code runs or waits in 2 conversations."
        press(bench, "Cancel")


async def test_an_answer_that_is_awaited_does_not_hold_the_window(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Never.")) as bench:
        bench.provider.gate = asyncio.Semaphore(0)
        left = ends(bench)
        bench.send("One?")
        await until(lambda: bench.session.state == "asking")
        bench.window.close()
        assert left == [True]


async def test_a_log_out_is_cancelled_for_code_that_runs_and_for_nothing_else(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("wait for it")) as bench:
        left, closing = ends(bench), bench.window.closing
        assert not closing.holds_log_out(LogOut())
        await begin_run(bench)
        forced, log_out = LogOut(allows=False), LogOut()
        assert not closing.holds_log_out(forced)
        assert not forced.is_cancelled
        assert closing.holds_log_out(log_out)
        assert (log_out.is_cancelled, log_out.is_released) == (True, True)
        assert buttons(bench) == ["Cancel", STOP], "a hidden window would be logged out with"
        press(bench, STOP)
        assert left == [True]


async def test_with_a_tray_that_keeps_running_nothing_is_asked(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = AppSettings(close_keeps_running="yes")
    async with opened(theme, tmp_path, coded("wait for it"), settings=settings) as bench:
        with_tray(bench, monkeypatch)
        await begin_run(bench)
        bench.window.close()
        assert bench.window.closing.box is None
        assert not bench.window.isVisible()


async def test_the_close_button_asks_once_whether_to_keep_running(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(theme, tmp_path) as bench:
        left = ends(bench)
        with_tray(bench, monkeypatch)
        bench.window.close()
        assert left == []
        press(bench, "Keep running")
        await until(lambda: not bench.window.isVisible())
        assert bench.settings.current.close_keeps_running == "yes"
        bench.window.show()
        bench.window.close()
        assert bench.window.closing.box is None
        assert not bench.window.isVisible()
        bench.window.actions_by_name["quit"].trigger()
        assert left == [True], "Quit quits, whatever the close button does"


async def test_without_a_tray_closing_ends_the_program(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        left = ends(bench)
        bench.window.close()
        assert left == [True]
        assert bench.window.closing.box is None
