"""The mark moves at the pace of the screen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.payloads import LineTiming
from playhead.ui.editor.code.code_editor import editor_colours
from playhead.ui.editor.code.scintilla_editor import ScintillaEditor
from playhead.ui.editor.pane.running_line import RunningLine
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import format_seconds
from tests.support.editor_marks import is_running, line_heat, line_note


@pytest.fixture
def editor(qtbot: QtBot, theme: Theme) -> ScintillaEditor:
    made = ScintillaEditor()
    qtbot.addWidget(made)
    made.set_colours(editor_colours(theme))
    made.show_text("\n".join(f"x{n} = {n}" for n in range(50)))
    return made


def marked(editor: ScintillaEditor) -> list[int]:
    return [line for line in range(1, 51) if is_running(editor, line)]


def test_the_first_line_shows_at_once_and_a_burst_only_by_its_last(
    qtbot: QtBot, editor: ScintillaEditor
) -> None:
    running = RunningLine(editor, editor)
    running.move(1)
    assert marked(editor) == [1]
    for line in range(2, 40):
        running.move(line)
    assert marked(editor) == [1]
    qtbot.waitUntil(lambda: marked(editor) == [39])


def test_the_end_of_the_run_takes_the_mark_away_at_once(editor: ScintillaEditor) -> None:
    running = RunningLine(editor, editor)
    running.move(7)
    running.move(None)
    assert marked(editor) == []


def test_the_seconds_stand_on_the_line_while_it_runs(qtbot: QtBot, editor: ScintillaEditor) -> None:
    running = RunningLine(editor, editor)
    running.move(3)
    assert line_note(editor, 3).strip() == "running"
    qtbot.waitUntil(lambda: "running · 0." in line_note(editor, 3))
    running.move(None)
    assert line_note(editor, 3) == ""


def test_timings_of_one_line_add_up(editor: ScintillaEditor) -> None:
    running = RunningLine(editor, editor)
    running.add_timing(LineTiming(line=2, seconds=0.4))
    running.add_timing(LineTiming(line=2, seconds=0.7))
    assert line_note(editor, 2).strip() == "1.1 s"
    running.reset()
    assert line_note(editor, 2) == ""


def test_what_took_no_time_is_not_noted(editor: ScintillaEditor) -> None:
    RunningLine(editor, editor).add_timing(LineTiming(line=2, seconds=0.0002))
    assert line_note(editor, 2) == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.038, "38 ms"), (0.42, "0.4 s"), (1.13, "1.1 s"), (125, "2 min 5 s")],
)
def test_times_are_said_as_people_read_them(seconds: float, words: str) -> None:
    assert format_seconds(seconds) == words


def test_where_the_time_went_is_painted_beside_the_lines(editor: ScintillaEditor) -> None:
    running = RunningLine(editor, editor)
    running.add_timing(LineTiming(line=1, seconds=0.01))
    running.add_timing(LineTiming(line=3, seconds=0.9, last_line=6))
    assert [line_heat(editor, line) for line in range(1, 9)] == [0] * 8
    running.show_heat()
    assert [line_heat(editor, line) for line in range(1, 9)] == [0, 0, 4, 4, 4, 4, 0, 0]
    running.reset()
    assert [line_heat(editor, line) for line in range(1, 9)] == [0] * 8


def test_the_line_at_which_a_run_was_stopped_says_so(editor: ScintillaEditor) -> None:
    RunningLine(editor, editor).show_stop(7, 12.34)
    assert line_note(editor, 7).strip() == "stopped here after 12.3 s"
