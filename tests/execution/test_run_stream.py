from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.domain.conversation.assembler import Assembler
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    CodeError,
    InputRequest,
    LineTiming,
    RunEnd,
    RunReport,
)
from playhead.execution.results import whole_message
from playhead.execution.run_output import RunOutput
from playhead.execution.run_stream import RunStream
from playhead.kernel.protocol import Mark


def mark(kind: str, /, run: str = "r", **fields: Any) -> Mark:
    return Mark(kind, run, fields)


IDLE = mark("idle", state="finished")


def take(kind: str, name: str) -> list[Chunk] | str:
    """What a kernel would have shown: an image by its name, a text, or nothing."""
    match kind:
        case "png":
            return list(whole_message("image", "path", f"/images/{name}"))
        case "text":
            return name
        case _:
            return []


@pytest.fixture
def stream(tmp_path: Path) -> Iterator[RunStream]:
    output = RunOutput(tmp_path / "r.txt")
    yield RunStream("r", output, take, "r")
    output.close()


def words(chunks: list[Chunk]) -> list[str]:
    """A chunk as one word or two, for reading sequences."""
    return [word(chunk) for chunk in chunks]


def word(chunk: Chunk) -> str:
    if isinstance(chunk.content, RunReport):
        return f"run {chunk.content.state}"
    if chunk.start or chunk.end:
        return f"{chunk.type} {'start' if chunk.start else 'end'}"
    return f"{chunk.format or chunk.type} {chunk.content!r}"


def test_pieces_of_text_up_to_a_mark_are_one_chunk(stream: RunStream) -> None:
    chunks = [
        *stream.start(),
        *stream.feed([mark("line", line=1), b"1.41"]),
        *stream.feed([b"66\n"]),
    ]
    chunks += stream.feed([IDLE])
    assert words(chunks) == [
        "run started",
        "console start",
        "active_line 1",
        "output '1.4166\\n'",
        "active_line None",
        "console end",
        "run finished",
    ]


def test_a_displayed_value_is_not_cut_by_a_tick(stream: RunStream) -> None:
    stream.start()
    stream.feed([mark("display"), b"1.41"])
    assert not stream.has_held_text
    assert stream.flush() == []
    assert words(stream.feed([b"66\n", mark("line", line=2)]))[0] == "output '1.4166\\n'"


def test_printed_text_goes_with_the_tick(stream: RunStream) -> None:
    stream.start()
    stream.feed([b"half"])
    assert stream.has_held_text
    assert words(stream.flush()) == ["output 'half'"]


def test_of_a_long_output_the_tail_goes_on_and_is_kept_before_a_question(tmp_path: Path) -> None:
    stream = RunStream("r", RunOutput(tmp_path / "r.txt", shown=8), take, "r")
    chunks = [*stream.start(), *stream.feed([b"one\ntwo\nthree\n"])]
    assert stream.has_held_text
    chunks += stream.flush()
    assert not stream.has_held_text
    assert stream.flush() == []
    chunks += stream.feed([b"four\n", mark("line", line=2)])
    chunks += [*stream.flush(), *stream.feed([mark("input", id="1", prompt="Name?")])]
    chunks += [*stream.feed([b"five\n"]), *stream.flush(), *stream.feed([IDLE])]
    assert words(chunks) == [
        "run started",
        "console start",
        "output 'one\\ntwo\\n'",
        "tail OutputTail(lines=0, text='three\\n')",
        "active_line 2",
        "tail OutputTail(lines=0, text='three\\nfour\\n')",
        "output 'three\\nfour\\n'",
        "console end",
        "input InputRequest(id='1', prompt='Name?', is_secret=False)",
        "console start",
        "tail OutputTail(lines=0, text='five\\n')",
        "output 'five\\n'",
        "active_line None",
        "console end",
        "run finished",
    ]


def test_an_image_closes_the_console_and_the_next_line_opens_it_again(stream: RunStream) -> None:
    chunks = [
        *stream.start(),
        *stream.feed([mark("line", line=1), mark("show", kind="png", file="a.png")]),
    ]
    chunks += stream.feed([mark("line", line=2), b"x", IDLE])
    assert words(chunks)[2:] == [
        "active_line 1",
        "active_line None",
        "console end",
        "image start",
        "path '/images/a.png'",
        "image end",
        "console start",
        "active_line 2",
        "output 'x'",
        "active_line None",
        "console end",
        "run finished",
    ]


def test_an_image_at_the_end_leaves_no_empty_console(stream: RunStream) -> None:
    chunks = [
        *stream.start(),
        *stream.feed([mark("line", line=1), mark("show", kind="png", file="a.png")]),
    ]
    assert words(stream.feed([IDLE])) == ["run finished"]
    assert chunks[-1].end


def test_a_question_closes_the_console_while_the_line_stays_lit(stream: RunStream) -> None:
    stream.start()
    chunks = stream.feed([mark("line", line=3), mark("input", id="q", prompt="Name? ")])
    assert words(chunks[:2]) == ["active_line 3", "console end"]
    assert chunks[2].content == InputRequest("q", "Name? ")


def test_the_error_and_the_times_come_after_the_console(stream: RunStream) -> None:
    stream.start()
    failed = mark("error", name="E", message="m", frames=[["", 1, "<module>"], ["bad"]])
    chunks = stream.feed([mark("timings", times=[[1, 0.5, 3, None], ["x"]]), failed, IDLE])
    assert words(chunks[:2]) == ["active_line None", "console end"]
    assert isinstance(chunks[2].content, CodeError)
    assert chunks[2].content.frames[0].line == 1
    assert chunks[3].content == LineTiming(line=1, seconds=0.5, last_line=3)


def test_a_forged_time_without_end_is_dropped(stream: RunStream) -> None:
    chunks = [*stream.start(), *stream.feed([mark("timings", times=[[1, 10**400, 1, None]]), IDLE])]
    assert words(chunks)[-1] == "run finished"
    assert not any(isinstance(chunk.content, LineTiming) for chunk in chunks)


def test_marks_of_another_run_change_nothing(stream: RunStream) -> None:
    stream.start()
    assert stream.feed([mark("idle", run="other"), mark("line", run="other", line=9)]) == []
    assert not stream.is_over


def test_an_end_from_outside_closes_what_is_open_and_names_the_line(stream: RunStream) -> None:
    stream.start()
    stream.feed([mark("line", line=4), b"last words"])
    end = RunEnd(kind="signalled", signal=9)
    chunks = stream.finish("killed", end)
    assert words(chunks) == [
        "output 'last words'",
        "active_line None",
        "console end",
        "run killed",
    ]
    report = chunks[-1].content
    assert isinstance(report, RunReport)
    assert (report.line, report.end) == (4, end)


def test_every_order_of_marks_keeps_the_grammar(stream: RunStream) -> None:
    pieces = [
        b"a",
        mark("show", kind="png", file="1.png"),
        mark("input", id="q"),
        b"b",
        mark("show", kind="png", file="2"),
        mark("show", kind="png", file="3"),
        mark("line", line=1),
        mark("display"),
        b"v",
        IDLE,
    ]
    assembler = Assembler()
    for chunk in [*stream.start(b"earlier"), *stream.feed(pieces)]:
        if chunk.start:
            assembler.start(chunk, None)
        elif chunk.end:
            assembler.end(chunk)
        elif assembler.open_id:
            assembler.grow(chunk)
        else:
            assembler.single(chunk, None)
    assert assembler.open_id is None


def test_a_result_that_is_text_is_output(stream: RunStream) -> None:
    stream.start()
    chunks = stream.feed([mark("show", kind="text", file="a text"), mark("line", line=2)])
    assert words(chunks) == ["output 'a text'", "active_line 2"]


def test_a_result_that_is_nothing_closes_nothing(stream: RunStream) -> None:
    stream.start()
    assert stream.feed([mark("show", kind="cinema", file="x")]) == []


def test_times_of_lines_carry_their_share(stream: RunStream) -> None:
    stream.start()
    rows = [[1, 0.5, 3, None], [2, 0.2, 2, 0.4], [3, 0.1, 3, 1.5], [10**400, 0.1, 1, None]]
    timings = [
        chunk.content
        for chunk in stream.feed([mark("timings", times=rows), IDLE])
        if isinstance(chunk.content, LineTiming)
    ]
    assert timings == [
        LineTiming(line=1, seconds=0.5, last_line=3, share=None),
        LineTiming(line=2, seconds=0.2, last_line=2, share=0.4),
        LineTiming(line=3, seconds=0.1, last_line=3, share=None),
    ]


def test_an_exit_status_and_a_reason_reach_the_report(stream: RunStream) -> None:
    stream.start()
    end = stream.stop_cause = RunEnd(kind="time_limit", limit=5)
    chunks = stream.feed([mark("idle", state="interrupted", line=7, status=3, read=4)])
    report = chunks[-1].content
    assert isinstance(report, RunReport)
    assert (report.state, report.line, report.exit_status) == ("interrupted", 7, 3)
    assert (report.end, report.input_bytes) == (end, 4)


@pytest.mark.parametrize("line", [0, -1, 10**400, "x"])
def test_a_forged_line_lights_nothing(stream: RunStream, line: object) -> None:
    stream.start()
    assert stream.feed([mark("line", line=line)]) == []
    report = stream.feed([mark("idle", state="interrupted", line=line)])[-1].content
    assert isinstance(report, RunReport)
    assert report.line is None


@pytest.mark.parametrize(("is_stopping", "state"), [(True, "interrupted"), (False, "finished")])
def test_what_a_stop_ended_by_its_signal_was_interrupted(
    stream: RunStream, is_stopping: bool, state: str
) -> None:
    stream.start()
    stream.is_stopping = is_stopping
    report = stream.feed([mark("idle", state="finished", status=130)])[-1].content
    assert isinstance(report, RunReport)
    assert (report.state, report.exit_status) == (state, 130)


def test_very_many_lines_in_a_hurry_are_told_by_the_last_of_each_breath(stream: RunStream) -> None:
    stream.start()
    for line in range(1, 1001):
        assert words(stream.feed([mark("line", line=line)])) == [f"active_line {line}"]
    hurried = [mark("line", line=line) for line in range(1001, 2000)]
    assert words(stream.feed([*hurried, b"out\n", mark("line", line=2000)])) == [
        "active_line 1999",
        "output 'out\\n'",
        "active_line 2000",
    ]
    assert stream.line == 2000
