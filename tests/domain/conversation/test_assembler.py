"""Each line of output knows the line of code that was running when it was printed."""

from __future__ import annotations

from playhead.domain.conversation.assembler import FIRST_KEPT, LAST_KEPT, PrintedRecorder
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.left_out import left_out_line
from playhead.domain.conversation.payloads import (
    OutputTail,
    PrintedLines,
    lines_that_printed,
    output_of_lines,
)


def recorded(*steps: int | str | None) -> PrintedLines | None:
    recorder = PrintedRecorder()
    for step in steps:
        if isinstance(step, str):
            recorder.grow(step)
        else:
            recorder.move(step)
    return recorder.taken()


def sources(printed: PrintedLines | None, count: int) -> list[tuple[int, ...]]:
    assert printed is not None
    return [lines_that_printed(printed, number) for number in range(count)]


def test_lines_of_output_are_those_of_the_line_that_ran():
    printed = recorded(1, "a\nb\n", 2, 4, "c\n")
    assert sources(printed, 3) == [(1,), (1,), (4,)]


def test_a_line_of_output_can_be_made_by_several_lines_of_code():
    printed = recorded(1, "a, ", 2, "b\nc", 3, " d\ne\n")
    assert sources(printed, 3) == [(1, 2), (2, 3), (3,)]


def test_where_nothing_is_known_nothing_is_said():
    assert recorded("a\n", None, "b\n") is None
    assert sources(recorded("a\n", 3, "b\n"), 2) == [(), (3,)]


def test_a_line_of_code_knows_what_it_printed():
    printed = recorded(1, "a\n", 2, "b\nc", 1, " d\ne\n")
    assert printed is not None
    assert list(output_of_lines(printed, 2, 2)) == [(1, 2)]
    assert list(output_of_lines(printed, 1, 1)) == [(0, 0), (2, None)]


def test_of_a_long_output_the_lines_that_were_left_out_are_counted():
    recorder = PrintedRecorder(1)
    recorder.grow("x\n" * 10)
    recorder.follow(OutputTail(990, "x\n" * 5))
    recorder.move(2)
    recorder.follow(OutputTail(4990, "x\n" * 5))
    recorder.grow(left_out_line(9985, 19_970, "whole output in a file") + "x\n" * 5)
    recorder.move(3)
    recorder.grow("end\n")
    found = sources(recorder.taken(), 10_001)
    assert [found[number] for number in (0, 5004, 5005, 9999, 10_000)] == [
        (1,),
        (1,),
        (2,),
        (2,),
        (3,),
    ]


def test_of_a_flood_the_beginning_and_the_end_are_kept():
    recorder = PrintedRecorder()
    count = 3 * (FIRST_KEPT + LAST_KEPT)
    for number in range(count):
        recorder.move(number % 2 + 1)
        recorder.grow("x\n")
    printed = recorder.taken()
    assert printed is not None
    assert len(printed.starts) == FIRST_KEPT + LAST_KEPT + 1
    assert lines_that_printed(printed, 1) == (2,)
    assert lines_that_printed(printed, count // 2) == (), "not known is not guessed"
    assert lines_that_printed(printed, count - 1) == (2,)


def test_a_bar_that_is_drawn_anew_takes_no_room():
    recorder = PrintedRecorder()
    for number in range(10_000):
        recorder.move(number % 2 + 1)
        recorder.grow("\r50 %")
    printed = recorder.taken()
    assert printed is not None
    assert len(printed.starts) == 2


def test_the_line_goes_on_over_a_picture_between_two_outputs():
    talk = Conversation()
    consoles = []
    for text in ("a\n", "b\n"):
        consoles.append(talk.apply(Chunk(role="computer", type="console", start=True)))
        if text == "a\n":
            talk.apply(Chunk(role="computer", type="console", format="active_line", content=7))
        talk.apply(Chunk(role="computer", type="console", format="output", content=text))
        assert talk.printed(consoles[-1]) is not None, "known while it still grows"
        talk.apply(Chunk(role="computer", type="console", end=True))
    assert [talk.printed(key) for key in consoles] == [PrintedLines((0.0,), (7,))] * 2
    assert len(talk.messages) == 2
