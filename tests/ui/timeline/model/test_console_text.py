import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.terminal import without_colours
from playhead.ui.timeline.model.console_text import (
    HEAD_LINES,
    LINE_LIMIT,
    TAIL_LINES,
    ConsoleText,
    places_in,
    styled_spans,
)

PIECES = [
    "a",
    "bc",
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[K",
    "\x1b[2K",
    "é",
    "\t",
]


def lines_of(*texts: str) -> list[str]:
    console = ConsoleText()
    for text in texts:
        console.feed(text)
    return console.lines()


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.integers(0, 100))
def test_any_split_gives_the_same_lines(text, cut):
    assert lines_of(*text) == lines_of(text) == lines_of(text[:cut], text[cut:])


def test_a_progress_bar_overwrites_its_line():
    assert lines_of("  5% |#    |\r 50% |##   |\r100% |#####|\ndone\n") == ["100% |#####|", "done"]


def test_what_a_shorter_line_does_not_cover_stays_until_it_is_erased():
    assert lines_of("abcdef\rxy\n") == ["xycdef"]
    assert lines_of("abcdef\rxy\x1b[K\n") == ["xy"]
    assert lines_of("abc\b\bX\n") == ["aXc"]


def test_colours_stay_with_their_characters_when_a_part_is_overwritten():
    [line] = lines_of("\x1b[31mred\x1b[0m plain\r\x1b[32mG\x1b[0m")
    assert without_colours(line) == "Ged plain"
    inks = [(text, style.ink) for text, style in styled_spans(line) if text]
    assert inks == [("G", 2), ("ed", 1), (" plain", None)]


def test_other_controls_do_not_show():
    assert lines_of("\x1b]0;title\x07\x1b[2J\x1b[1;1Hhello\x1b[?25l\x00\n") == ["hello"]


def test_of_a_huge_output_the_first_and_the_last_lines_are_kept():
    console = ConsoleText()
    total = HEAD_LINES + TAIL_LINES + 5_000
    text = "".join(f"{number}\n" for number in range(total))
    for at in range(0, len(text), 10_000):
        console.feed(text[at : at + 10_000])
    lines = console.lines()
    assert len(lines) == HEAD_LINES + TAIL_LINES
    assert lines[0] == "0"
    assert lines[-1] == str(total - 1)
    assert console.hidden == 5_000
    assert console.line_count == total


def test_a_line_without_end_is_cut_for_display_and_not_kept_whole():
    console = ConsoleText()
    for _ in range(100):
        console.feed("x" * 10_000)
    [line] = console.lines()
    assert len(line) <= LINE_LIMIT + 2
    assert len(console._open) < 20_000


@pytest.mark.parametrize("before", [0, 3, HEAD_LINES, HEAD_LINES + TAIL_LINES])
@pytest.mark.parametrize("more", [-2, -1, 0, 1, 2, 700])
def test_many_lines_at_once_are_kept_and_counted_as_one_after_the_other(before, more):
    whole, single = ConsoleText(), ConsoleText()
    begun = "".join(f"before {number}\n" for number in range(before)) + "open "
    lines = [f"{number}" for number in range(HEAD_LINES + TAIL_LINES + more)]
    for console in (whole, single):
        console.feed(begun)
    whole.feed("\n".join(lines))
    for number, line in enumerate(lines):
        single.feed("\n" * bool(number) + line)
    assert whole.lines() == single.lines()
    assert (whole.hidden, whole.line_count) == (single.hidden, single.line_count)


def test_places_that_a_traceback_names_are_found() -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "<block 2>", line 3, in <module>\n'
        "    f()\n"
        '  | File "/a b/c.py", line 12, in f\n'
        "  |     return 1 / 0\n"
        "ValueError: it is not\n"
        'in File "x", line 4\n'
        '  File "x", line 99999999999\n'
    )
    found = [(one.number, one.file, one.line, one.source) for one in places_in(trace)]
    assert found == [(1, "<block 2>", 3, "f()"), (3, "/a b/c.py", 12, "return 1 / 0")]
    lines = trace.split("\n")
    words = [lines[one.number][one.start : one.end] for one in places_in(trace)]
    assert words == ['File "<block 2>", line 3', 'File "/a b/c.py", line 12']


def test_of_very_many_places_the_last_are_found() -> None:
    found = places_in('  File "x", line 1\n' * 10_000)
    assert len(found) == 100
    assert found[-1].number == 9_999
