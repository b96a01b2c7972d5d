from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.terminal import (
    OutputFilter,
    plain,
    visible,
    without_colours,
    without_controls,
)
from playhead.ui.timeline.model.console_text import ConsoleText

SEQUENCES = [
    "\x1b[2J",  # clears the screen
    "\x1b[3K",
    "\x1b[>4m",
    "\x1b[?25l",
    "\x1b]0;title\x07",
    "\x1b]52;c;Y2xpcGJvYXJk\x1b\\",
    "\x1bPdevice\x1b\\",
    "\x1b_program\x1b\\",
    "\x1b(B",
    "\x1b#8",
    "\x1b7",
    "\x1b\\",
    "\x1b",
]
COLOURS = ["\x1b[31m", "\x1b[0m", "\x1b[38;5;200m"]
PIECES = [*SEQUENCES, *COLOURS, "\x1b[K", "a", "é", "[", "31", "m", "\n", "\r", "\b", "\t", "\x07"]


def filtered(*pieces: str) -> str:
    output = OutputFilter()
    return "".join(map(output.feed, pieces)) + output.finish()


def in_console(text: str) -> str:
    console = ConsoleText()
    console.feed(text)
    return "\n".join(console.lines())


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_all_readers_know_the_same_sequences(sequence: str) -> None:
    text = f"a{sequence}\nb"
    assert plain(text) == filtered(text) == without_controls(text) == in_console(text) == "a\nb"


@given(st.lists(st.sampled_from(PIECES)))
def test_however_output_is_cut_nothing_but_text_is_let_through(pieces: list[str]) -> None:
    text = "".join(pieces) + "\n"
    assert filtered(*text) == filtered(text)
    assert "\x1b" not in without_colours(filtered(text)) + plain(text) + without_controls(text)


def test_what_is_removed_leaves_no_new_sequence() -> None:
    text = "\x1b\x1b[0m[31mred"
    assert plain(text) == without_controls(text) == "[31mred"
    assert filtered(text) == "\x1b[0m[31mred"


@pytest.mark.parametrize(
    ("line", "shown"),
    [("abcdef\rxy", "xycdef"), ("abcdef\rxy\x1b[K", "xy"), ("abc\b\bX", "aXc"), ("abc\r", "abc")],
)
def test_plain_text_is_what_the_console_shows(line: str, shown: str) -> None:
    assert plain(line) == in_console(line) == shown


def test_an_endless_sequence_is_not_waited_for() -> None:
    assert filtered("\x1b]" + "x" * 10_000) == "x" * 10_000
    console = ConsoleText()
    for _ in range(20):
        console.feed("\x1b]" + "x" * 1_000)
    assert console.line_count == 1


def test_code_shows_what_a_terminal_would_hide() -> None:
    assert visible("a\x1b[8m\u202e\tb\n") == "a\\u001b[8m\\u202e\tb\n"
