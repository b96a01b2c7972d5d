"""Code that waits for an answer: found and reached by keyboard wherever the user has gone."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from playhead.ui.timeline.cards.input_line import InputLine
from playhead.ui.timeline.cards.small_cards import InputCard
from playhead.ui.timeline.model.rows import Row
from playhead.ui.widgets.theme import Theme
from tests.support import kernels
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

CODE = "name = input('Your name? ')\nprint('Hello', name)"


@asynccontextmanager
async def asking(theme: Theme, home: Path, code: str = CODE) -> AsyncIterator[Bench]:
    """A window with a real kernel whose code waits for an answer."""
    async with (
        kernels.executor(home) as made,
        opened(theme, home, coded(code), said("Done."), executor=made) as bench,
    ):
        bench.session.set_interpreter(sys.executable)
        bench.send("Ask me")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.state == "awaiting_input")
        await until(lambda: bench.parts.timeline.input_field is not None)
        yield bench


def field(bench: Bench) -> QLineEdit:
    [line] = [one for one in bench.parts.timeline.findChildren(InputLine) if one.isVisible()]
    return line.field


def focused(bench: Bench) -> QWidget | None:
    return bench.window.focusWidget()


def asked(bench: Bench) -> Row:
    return next(row for row in bench.parts.timeline.model.rows if row.kind == "input")


def shown_words(bench: Bench) -> str:
    timeline = bench.parts.timeline
    timeline.canvas.flush()
    card = timeline.canvas.sheet.card(timeline.model.rows.index(asked(bench)))
    assert isinstance(card, InputCard)
    return card.words()


async def test_waiting_for_an_answer_is_a_state_of_its_own(theme: Theme, tmp_path: Path) -> None:
    async with asking(theme, tmp_path) as bench:
        kept = bench.session.conversation.id
        model = bench.parts.sidebar.model
        assert bench.parts.header.state_pill.text() == "waiting for your answer"
        assert model.state_words(kept) == "waiting for your answer"
        assert bench.parts.pane.current.state == "waiting"
        assert bench.parts.pane.header.run.text() == "Stop"
        await until(lambda: focused(bench) is field(bench))
        QTest.keyClicks(field(bench), "Ada")
        QTest.keyClick(field(bench), Qt.Key.Key_Return)
        assert bench.session.state == "running"
        await bench.rests()
        assert "Hello Ada" in "".join(m.text for m in bench.session.conversation.messages)
        assert bench.parts.pane.current.state == ""


async def test_who_comes_back_types_the_answer_at_once(theme: Theme, tmp_path: Path) -> None:
    async with asking(theme, tmp_path) as bench:
        kept = bench.session
        bench.window.new_conversation()
        assert focused(bench) is bench.parts.composer.text_edit
        bench.window.open_conversation(kept.conversation.id)
        await until(lambda: bench.session is kept)
        await until(lambda: focused(bench) is field(bench))
        QTest.keyClicks(field(bench), "Ada")
        QTest.keyClick(field(bench), Qt.Key.Key_Return)
        await bench.rests()
        assert "Hello Ada" in "".join(m.text for m in kept.conversation.messages)
        bench.window.new_conversation()
        bench.window.open_conversation(kept.conversation.id)
        await until(lambda: bench.session is kept)
        await until(lambda: focused(bench) is bench.parts.composer.text_edit)
        assert shown_words(bench) == "Answered."


async def test_tab_and_f6_reach_the_field(theme: Theme, tmp_path: Path) -> None:
    async with asking(theme, tmp_path) as bench:
        bench.parts.composer.setFocus()
        bench.parts.focus_next_pane()
        assert focused(bench) is field(bench)
        bench.parts.focus_next_pane()
        assert focused(bench) is bench.parts.timeline
        reached = []
        for _ in range(12):
            focus = focused(bench)
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Tab)
            reached.append(focused(bench))
        assert field(bench) in reached
        bench.session.stop()
        await bench.rests()


async def test_what_was_stopped_before_an_answer_says_so_and_stays_so(
    theme: Theme, tmp_path: Path
) -> None:
    async with asking(theme, tmp_path) as bench:
        kept = bench.session.conversation.id
        bench.session.stop()
        await bench.rests()
        assert shown_words(bench) == "Stopped before an answer."
        assert [tab.state for tab in bench.parts.pane.tabs] == [""]
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(kept)
        await until(lambda: bench.session.conversation.id == kept)
        assert shown_words(bench) == "Stopped before an answer."


async def test_what_the_end_of_the_program_stopped_was_not_answered_either(
    theme: Theme, tmp_path: Path
) -> None:
    async with asking(theme, tmp_path) as bench:
        kept = bench.session.conversation.id
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(kept)
        await until(lambda: bench.session.conversation.id == kept)
        assert shown_words(bench) == "Stopped before an answer."


async def test_an_answer_is_not_taken_back_by_a_stop_later_on(theme: Theme, tmp_path: Path) -> None:
    code = "import time\nname = input()\nprint('slow')\nwhile True: time.sleep(0.01)"
    async with asking(theme, tmp_path, code) as bench:
        QTest.keyClicks(field(bench), "Ada")
        QTest.keyClick(field(bench), Qt.Key.Key_Return)
        await until(lambda: "slow" in bench.session.conversation.messages[-1].text)
        bench.session.stop()
        await bench.rests()
        assert shown_words(bench) == "Ada"


async def test_output_of_a_thread_does_not_take_the_field_away(
    theme: Theme, tmp_path: Path
) -> None:
    code = (
        "import threading\n"
        "threading.Timer(0.2, print, ['from a thread']).start()\n"
        "print('Hello', input())"
    )
    async with asking(theme, tmp_path, code) as bench:
        await until(lambda: "thread" in bench.session.conversation.messages[-1].text)
        assert bench.session.state == "awaiting_input"
        QTest.keyClicks(field(bench), "Ada")
        QTest.keyClick(field(bench), Qt.Key.Key_Return)
        await bench.rests()
        assert "Hello Ada" in "".join(m.text for m in bench.session.conversation.messages)


async def test_a_tab_whose_code_was_stopped_while_it_waited_waits_no_more(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        bench.send("One?")
        await bench.asked()
        assert bench.parts.pane.current.state == "waiting"
        bench.session.stop()
        await bench.rests()
        assert bench.parts.pane.current.state == ""
