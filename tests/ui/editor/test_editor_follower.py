"""The editor pane follows the code that arrives and runs, and keeps off the user's edits."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import RemoveFrom
from playhead.domain.conversation.payloads import CodeError, Frame, LineTiming, Proposal, RunReport
from playhead.domain.execution import GoingOn, KernelStatus
from playhead.ui.editor.editor_follower import MOST_CELLS, EditorFollower
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.widgets.theme import Theme
from tests.support.editor_marks import line_error, line_heat, line_note


class Bench:
    """A pane that follows a conversation."""

    def __init__(self, pane: EditorPane) -> None:
        self.pane = pane
        self.conversation = Conversation()
        self.follower = EditorFollower(pane, pane)
        self.follower.follow(self.conversation)

    @property
    def shown(self) -> Any:
        """The editor with its means to look at its own marks, which the pane does not need."""
        return self.pane.editor

    def write(self, *pieces: str) -> str:
        apply = self.conversation.apply
        message_id = apply(Chunk(role="assistant", type="code", format="python", start=True))
        for piece in pieces:
            apply(Chunk(role="assistant", type="code", format="python", content=piece))
        apply(Chunk(role="assistant", type="code", format="python", end=True))
        return message_id

    def propose(self, message_id: str, code: str) -> Proposal:
        proposal = Proposal(id="p", message_id=message_id, language="python", code=code)
        self.conversation.apply(
            Chunk(role="computer", type="confirmation", format="execution", content=proposal)
        )
        return proposal

    def begin_run(self, message_id: str, code: str) -> None:
        self.propose(message_id, code)
        self.conversation.apply(
            Chunk(role="computer", type="run", content=RunReport(state="started"))
        )
        self.conversation.apply(Chunk(role="computer", type="console", start=True))

    def line(self, number: int | None) -> None:
        self.conversation.apply(
            Chunk(role="computer", type="console", format="active_line", content=number)
        )

    def end_run(self, *between: Chunk) -> None:
        self.conversation.apply(Chunk(role="computer", type="console", end=True))
        for chunk in between:
            self.conversation.apply(chunk)
        self.conversation.apply(
            Chunk(role="computer", type="run", content=RunReport(state="finished", seconds=0.2))
        )

    def type(self, text: str) -> None:
        target = self.pane.editor.widget.focusProxy()
        assert target is not None
        QTest.keyClicks(target, text)

    def choose(self, title: str) -> None:
        """Click on a tab."""
        strip = self.pane.strip
        texts = [strip.tabText(n).removesuffix(" •") for n in range(strip.count())]
        place = strip.tabRect(texts.index(title)).center()
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)

    @property
    def title(self) -> str:
        return self.pane.header.title.text()


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme) -> Bench:
    pane = EditorPane(theme)
    qtbot.addWidget(pane)
    pane.resize(600, 400)
    pane.show()
    return Bench(pane)


def test_code_streams_in_and_cannot_be_typed_in_meanwhile(bench: Bench) -> None:
    apply = bench.conversation.apply
    apply(Chunk(role="assistant", type="code", format="python", start=True))
    apply(Chunk(role="assistant", type="code", format="python", content="a ="))
    bench.type("x")
    assert bench.pane.text() == "a ="
    apply(Chunk(role="assistant", type="code", format="python", content=" 1"))
    apply(Chunk(role="assistant", type="code", format="python", end=True))
    bench.type("# ")
    assert bench.pane.text() == "# a = 1"
    assert bench.title == "cell 1"


def test_the_running_line_moves_and_timings_stay(bench: Bench) -> None:
    code = "a = 1\nb = 2\nc = 3"
    message_id = bench.write(code)
    bench.begin_run(message_id, code)
    bench.line(2)
    assert bench.pane.running_line.line == 2
    bench.line(None)
    assert bench.pane.running_line.line is None
    bench.end_run(Chunk(role="computer", type="timing", content=LineTiming(line=2, seconds=0.5)))
    assert "0.5 s" in line_note(bench.shown, 2)


def test_an_error_stands_under_the_line_of_the_block_that_raised_it(bench: Bench) -> None:
    code = "import x\nx.f(\n1)"
    bench.begin_run(bench.write(code), code)
    frames = (Frame("", 2, "<module>"), Frame("/lib/x.py", 80, "f"))
    bench.end_run(
        Chunk(
            role="computer",
            type="error",
            content=CodeError(name="ValueError", message="no", frames=frames),
        )
    )
    assert line_error(bench.shown, 2) == "ValueError: no"


def test_code_that_the_user_is_editing_is_not_overwritten(bench: Bench) -> None:
    bench.write("first = 1")
    bench.type("my ")
    bench.write("second = 2")
    assert bench.pane.text() == "my first = 1"
    assert not bench.pane.header.newer.isHidden()
    bench.pane.header.newer.click()
    assert bench.pane.text() == "second = 2"
    assert bench.pane.header.newer.isHidden()
    bench.choose("cell 1")
    assert bench.pane.text() == "my first = 1"
    assert bench.pane.is_edited


def test_a_run_of_other_code_moves_no_line_in_the_edited_one(bench: Bench) -> None:
    bench.write("first = 1\nx = 2")
    bench.type("my ")
    bench.begin_run(bench.write("second = 2\ny = 3"), "second = 2\ny = 3")
    bench.line(2)
    assert bench.pane.running_line.line is None
    bench.line(None)
    bench.end_run()


def test_the_edited_text_becomes_the_message_when_it_runs(bench: Bench) -> None:
    message_id = bench.write("a = 1")
    bench.type("b")
    assert bench.pane.is_edited
    bench.begin_run(message_id, "ba = 1")
    bench.line(1)
    assert bench.pane.running_line.line == 1
    assert not bench.pane.is_edited
    bench.line(None)
    bench.end_run()
    bench.write("next = 2")
    assert bench.pane.text() == "next = 2"


def test_of_two_blocks_the_one_that_is_asked_about_is_shown(bench: Bench) -> None:
    first = bench.write("first = 1")
    bench.write("second = 2")
    assert bench.pane.text() == "second = 2"
    bench.propose(first, "first = 1")
    assert bench.pane.text() == "first = 1"
    assert bench.title == "cell 1"


def test_an_unfinished_edit_comes_back_with_its_conversation(bench: Bench) -> None:
    bench.write("a = 1")
    bench.type("x")
    other = Conversation()
    bench.follower.follow(other)
    assert bench.pane.text() == ""
    bench.follower.follow(bench.conversation)
    assert bench.pane.text() == "xa = 1"
    assert bench.pane.is_edited


def test_a_conversation_that_streams_is_joined_in_the_middle(bench: Bench) -> None:
    other = Conversation()
    other.apply(Chunk(role="assistant", type="code", format="python", start=True))
    other.apply(Chunk(role="assistant", type="code", format="python", content="a = "))
    bench.follower.follow(other)
    other.apply(Chunk(role="assistant", type="code", format="python", content="1"))
    other.apply(Chunk(role="assistant", type="code", format="python", end=True))
    assert bench.pane.text() == "a = 1"
    assert not bench.pane.is_edited


def test_the_run_button_sends_the_text_and_turns_into_stop(bench: Bench) -> None:
    told: list[tuple[str, str]] = []
    stops: list[bool] = []
    bench.pane.run_requested.connect(lambda *what: told.append(what))
    bench.pane.stop_requested.connect(lambda: stops.append(True))
    assert not bench.pane.header.run.isEnabled()
    bench.type("1 + 1")
    bench.pane.header.run.click()
    assert told == [("python", "1 + 1")]
    bench.pane.set_running(True)
    assert bench.pane.header.run.text() == "Stop"
    bench.pane.header.run.click()
    assert stops == [True]
    assert len(told) == 1


def test_the_kernel_its_memory_and_its_place_are_shown(bench: Bench) -> None:
    bench.pane.set_kernel(KernelStatus(state="busy", pid=7, memory_bytes=212_000_000))
    bench.pane.set_place("/srv/data", "Python 3.12")
    assert bench.pane.status.kernel.text() == "kernel busy · 212 MB"
    assert bench.pane.status.folder.text() == "data"
    assert bench.pane.status.interpreter.text() == "Python 3.12"
    assert bench.pane.status.restart.isEnabled()
    bench.pane.set_kernel(KernelStatus())
    assert not bench.pane.status.restart.isEnabled()


def test_what_goes_on_after_a_run_is_counted_and_stopped(bench: Bench) -> None:
    stops: list[bool] = []
    bench.pane.stop_requested.connect(lambda: stops.append(True))
    bench.pane.set_kernel(KernelStatus(state="idle", going_on=GoingOn(threads=2, processes=1)))
    assert bench.pane.status.kernel.text() == "2 threads go on, 1 process goes on"
    assert "all variables are lost" in bench.pane.status.stop.toolTip()
    bench.pane.status.stop.click()
    assert stops == [True]
    bench.pane.set_kernel(KernelStatus(state="idle", going_on=GoingOn(processes=1)))
    assert "variables are kept" in bench.pane.status.stop.toolTip()
    bench.pane.set_kernel(KernelStatus(state="idle"))
    assert bench.pane.status.stop.isHidden()


def test_what_the_last_run_said_of_its_lines_comes_back_with_its_code(bench: Bench) -> None:
    first = bench.write("x = 1\ny = 2\n")
    bench.begin_run(first, "x = 1\ny = 2\n")
    timing = Chunk(role="computer", type="timing", content=LineTiming(line=2, seconds=0.5))
    error = Chunk(
        role="computer",
        type="error",
        content=CodeError(name="ValueError", message="no", frames=(Frame("", 1, ""),)),
    )
    bench.end_run(error, timing)
    assert line_heat(bench.shown, 2) == 4
    bench.write("z = 3\n")
    assert line_note(bench.shown, 2) == ""
    bench.follower.show_message(first)
    assert line_note(bench.shown, 2).strip() == "0.5 s"
    assert line_error(bench.shown, 1) == "ValueError: no"
    assert line_heat(bench.shown, 2) == 4


def test_the_line_moves_only_in_the_code_that_runs(bench: Bench, qtbot: QtBot) -> None:
    other = bench.write("a = 1\nb = 2\n")
    message_id = bench.write("x = 1\ny = 2\n")
    bench.begin_run(message_id, "x = 1\ny = 2\n")
    bench.follower.show_message(other)
    bench.line(2)
    assert bench.pane.running_line.line is None
    bench.follower.show_message(message_id)
    bench.line(1)
    qtbot.waitUntil(lambda: bench.pane.running_line.line == 1)


def test_where_a_run_was_stopped_is_said_at_its_line(bench: Bench) -> None:
    message_id = bench.write("while True:\n    pass\n")
    bench.begin_run(message_id, "while True:\n    pass\n")
    bench.conversation.apply(Chunk(role="computer", type="console", end=True))
    report = RunReport(state="interrupted", seconds=12.34, line=2)
    bench.conversation.apply(Chunk(role="computer", type="run", content=report))
    assert line_note(bench.shown, 2).strip() == "stopped here after 12.3 s"


def test_pages_that_code_gave_back_are_no_cells(bench: Bench) -> None:
    apply = bench.conversation.apply
    apply(Chunk(role="computer", type="code", format="html", start=True))
    apply(Chunk(role="computer", type="code", format="html", content="<p>"))
    apply(Chunk(role="computer", type="code", format="html", end=True))
    bench.write("1")
    assert bench.title == "cell 1"


def test_a_tab_that_the_user_chose_stays_until_they_ask_again(bench: Bench) -> None:
    bench.write("first = 1")
    bench.write("second = 2")
    bench.choose("cell 1")
    bench.write("third = 3")
    assert bench.pane.text() == "first = 1"
    assert not bench.pane.header.newer.isHidden()
    bench.conversation.apply(Chunk(role="user", type="message", content="and now?"))
    bench.write("fourth = 4")
    assert bench.pane.text() == "fourth = 4"
    assert bench.pane.header.newer.isHidden()


def test_code_of_the_users_own_runs_where_it_was_typed(bench: Bench) -> None:
    bench.type("1 + 1")
    bench.follower.expect_own_run(True)
    apply = bench.conversation.apply
    message_id = apply(Chunk(role="user", type="code", format="python", start=True))
    apply(Chunk(role="user", type="code", format="python", content="1 + 1"))
    apply(Chunk(role="user", type="code", format="python", end=True))
    bench.begin_run(message_id, "1 + 1")
    bench.line(1)
    assert bench.pane.running_line.line == 1
    assert [tab.state for tab in bench.pane.tabs] == ["running"]
    bench.line(None)
    bench.end_run()
    assert [tab.state for tab in bench.pane.tabs] == [""]
    bench.write("next = 2")
    assert bench.pane.text() == "next = 2"


def test_a_long_conversation_has_tabs_for_its_newest_code_only(bench: Bench) -> None:
    ids = [bench.write(f"x = {n}") for n in range(MOST_CELLS + 5)]
    bench.follower.follow(None)
    bench.follower.follow(bench.conversation)
    assert len(bench.pane.tabs) == MOST_CELLS
    bench.follower.show_message(ids[0])
    assert bench.pane.text() == "x = 0"
    assert bench.title == "cell 1"


def test_the_tab_whose_code_waits_and_runs_is_marked(bench: Bench) -> None:
    message_id = bench.write("a = 1")
    bench.propose(message_id, "a = 1")
    assert bench.pane.tabs[-1].words == "cell 1, waits for your answer"
    bench.conversation.apply(Chunk(role="computer", type="run", content=RunReport(state="started")))
    assert bench.pane.tabs[-1].words == "cell 1, running"
    bench.conversation.apply(
        Chunk(role="computer", type="run", content=RunReport(state="finished", seconds=0.2))
    )
    assert bench.pane.tabs[-1].words == "cell 1"


def test_code_of_a_turn_that_is_gone_has_no_tab(bench: Bench) -> None:
    bench.write("a = 1")
    second = bench.write("b = 2")
    bench.conversation.change(RemoveFrom(second))
    assert [tab.title for tab in bench.pane.tabs] == ["cell 1"]
    assert bench.pane.text() == "a = 1"


def test_what_differs_from_the_models_version_stays_marked_after_it_ran(bench: Bench) -> None:
    message_id = bench.write("a = 1")
    bench.type("b")
    bench.begin_run(message_id, "ba = 1")
    bench.end_run()
    assert not bench.pane.is_edited
    assert bench.pane.current.base == "a = 1"
    bench.pane.tools.revert_all()
    assert bench.pane.text() == "a = 1"


def test_what_the_user_made_of_code_is_there_when_its_conversation_comes_back(
    bench: Bench,
) -> None:
    message_id = bench.write("a = 1")
    bench.type("my_")
    bench.begin_run(message_id, "my_a = 1")
    bench.end_run(Chunk(role="computer", type="timing", content=LineTiming(line=1, seconds=0.5)))
    bench.follower.follow(Conversation())
    bench.follower.follow(bench.conversation)
    assert bench.pane.text() == "my_a = 1"
    assert not bench.pane.is_edited
    assert bench.pane.current.base == "a = 1"
    assert "0.5 s" in line_note(bench.shown, 1)


def test_beside_code_of_another_language_stands_what_runs_that(bench: Bench) -> None:
    bench.pane.set_can_run(lambda word: True)
    bench.pane.set_place("/work", "Python 3.12")
    bench.write("print(1)")
    assert bench.pane.status.interpreter.text() == "Python 3.12"
    for form in ("r", "python"):
        bench.conversation.apply(Chunk(role="assistant", type="code", format=form, start=True))
        bench.conversation.apply(
            Chunk(role="assistant", type="code", format=form, content="x <- 1")
        )
        bench.conversation.apply(Chunk(role="assistant", type="code", format=form, end=True))
        expected = {"r": "R", "python": "Python 3.12"}[form]
        assert bench.pane.status.interpreter.text() == expected


def test_only_the_bar_that_asks_has_a_button_that_stands_out(bench: Bench) -> None:
    bench.write("print(1)")
    bench.pane.set_asked(True)
    assert bench.pane.header.run.property("kind") != "primary"
