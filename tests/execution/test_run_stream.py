from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.conversation.assembler import Assembler
from playhead.conversation.chunk import Chunk
from playhead.conversation.payloads import CodeError, InputRequest, LineTiming, RunReport
from playhead.execution.run_output import RunOutput
from playhead.execution.run_stream import RunStream
from playhead.kernel.protocol import Mark


def mark(kind: str, /, run: str = "r", **fields: Any) -> Mark:
    return Mark(kind, run, fields)


IDLE = mark("idle", state="finished")


@pytest.fixture
def stream(tmp_path: Path) -> Iterator[RunStream]:
    output = RunOutput(tmp_path / "r.txt")
    yield RunStream("r", output, lambda name: f"/images/{name}")
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
    chunks = [*stream.start(), *stream.feed([mark("line", line=1), "1.41"]), *stream.feed(["66\n"])]
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
    stream.feed([mark("display"), "1.41"])
    assert not stream.has_held_text
    assert stream.flush() == []
    assert words(stream.feed(["66\n", mark("line", line=2)]))[0] == "output '1.4166\\n'"


def test_printed_text_goes_with_the_tick(stream: RunStream) -> None:
    stream.start()
    stream.feed(["half"])
    assert stream.has_held_text
    assert words(stream.flush()) == ["output 'half'"]


def test_an_image_closes_the_console_and_the_next_line_opens_it_again(stream: RunStream) -> None:
    chunks = [
        *stream.start(),
        *stream.feed([mark("line", line=1), mark("show", kind="png", file="a.png")]),
    ]
    chunks += stream.feed([mark("line", line=2), "x", IDLE])
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
    assert chunks[3].content == LineTiming(1, 0.5, 3)


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
    stream.feed([mark("line", line=4), "last words"])
    chunks = stream.finish("killed", "the kernel ended")
    assert words(chunks) == [
        "output 'last words'",
        "active_line None",
        "console end",
        "run killed",
    ]
    report = chunks[-1].content
    assert isinstance(report, RunReport)
    assert (report.line, report.reason) == (4, "the kernel ended")


def test_every_order_of_marks_keeps_the_grammar(stream: RunStream) -> None:
    pieces = [
        "a",
        mark("show", kind="png", file="1.png"),
        mark("input", id="q"),
        "b",
        mark("show", kind="png", file="2"),
        mark("show", kind="png", file="3"),
        mark("line", line=1),
        mark("display"),
        "v",
        IDLE,
    ]
    assembler = Assembler()
    for chunk in [*stream.start("earlier"), *stream.feed(pieces)]:
        if chunk.start:
            assembler.start(chunk, None)
        elif chunk.end:
            assembler.end(chunk)
        elif assembler.open_id:
            assembler.grow(chunk)
        else:
            assembler.single(chunk, None)
    assert assembler.open_id is None
