from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.timeline.text.markdown_stream import (
    FENCE_LINES,
    TABLE_ROWS,
    Block,
    MarkdownStream,
    plain_blocks,
)
from tests.support.markdown import markdown_blocks

SAMPLE = """# Title

A paragraph
of two lines with `code`.

- one
- two
  - nested

  still two

```python
def f():

    return "```"
```

> quoted
> text

| a | b |
|---|---|
| 1 | 2 |

    indented code

1. first
2. second

***

[ref]: https://example.org
See [ref] and
~~~
tilde
~~~
last"""


def streamed(text: str, cuts: list[int]) -> MarkdownStream:
    stream = MarkdownStream()
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for start, end in pairwise(places):
        stream.feed(text[start:end])
        stream.tail()
    stream.finish()
    return stream


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_any_split_of_a_stream_gives_the_same_blocks(cuts):
    assert streamed(SAMPLE, cuts).closed == markdown_blocks(SAMPLE)[0]


def test_each_kind_of_block_is_found():
    blocks = markdown_blocks(SAMPLE)[0]
    code = [block for block in blocks if block.kind == "code"]
    assert [block.source for block in code] == [
        'def f():\n\n    return "```"',
        "indented code",
        "tilde",
    ]
    assert code[0].language == "python"
    assert sum(block.kind == "table" for block in blocks) == 1
    assert blocks[0] == Block(kind="prose", source="# Title\n")


def test_a_definition_is_known_to_every_later_block():
    stream = streamed(SAMPLE, [])
    assert stream.definitions == "[ref]: <https://example.org>\n"


def test_a_note_with_words_is_no_address():
    assert markdown_blocks("See[^1].\n\n[^1]: The note.\n")[1] == ""


def test_a_formula_on_lines_of_its_own_is_one_block_whatever_it_holds():
    blocks = markdown_blocks("So:\n$$\na\n- b\n= c\n$$\nand\n\\[\n# d\n\\]\n")[0]
    assert [block.source for block in blocks] == [
        "So:\n",
        "$$\na\n- b\n= c\n$$\n",
        "and\n",
        "\\[\n# d\n\\]\n",
    ]


def test_a_formula_without_an_end_ends_with_its_paragraph():
    blocks = markdown_blocks("$$\na\n\n- b\n")[0]
    assert [block.source for block in blocks] == ["$$\na\n", "- b\n"]


def work(text: str, step: int = 40) -> MarkdownStream:
    stream = MarkdownStream()
    for at in range(0, len(text), step):
        stream.feed(text[at : at + step])
        stream.tail()
    return stream


def assert_linear(piece: str, head: str = "") -> None:
    short, long = work(head + piece * 200), work(head + piece * 800)
    assert long.parsed_chars < 5 * short.parsed_chars


def test_the_work_grows_with_the_text_and_not_with_its_square():
    assert_linear("Some words.\n\n- a\n- b\n\n```\ncode\n```\n\n")


def test_a_long_open_fence_is_not_read_again_and_again():
    assert_linear("value = value + 1\n", "```python\n")


def test_a_long_list_is_not_read_again_and_again():
    assert_linear("- an item of the list\n")


def test_a_long_table_is_not_read_again_and_again():
    assert_linear("| 1 | 2 |\n", "| a | b |\n|---|---|\n")


def test_a_long_fence_is_cut_into_pieces_that_know_their_ends():
    lines = [f"line {number}" for number in range(2 * FENCE_LINES + 5)]
    text = "```python\n" + "\n".join(lines) + "\n```\n"
    for stream in (streamed(text, []), work(text, 7)):
        stream.finish()
        pieces = stream.closed
        assert "\n".join(piece.source for piece in pieces) == "\n".join(lines)
        assert [piece.is_first for piece in pieces] == [True, False, False]
        assert [piece.is_last for piece in pieces] == [False, False, True]
        assert {piece.language for piece in pieces} == {"python"}


def test_a_long_table_keeps_its_head_in_every_piece():
    head = "| a | b |\n|---|---|\n"
    rows = [f"| {number} | x |\n" for number in range(2 * TABLE_ROWS + 3)]
    stream = work(head + "".join(rows), 9)
    stream.finish()
    assert [piece.header for piece in stream.closed] == ["", head, head]
    assert "".join(piece.source.removeprefix(head) for piece in stream.closed) == "".join(rows)


def test_what_a_user_types_is_plain_but_for_its_fences():
    blocks = plain_blocks("Run *this*:\n```python\nprint(1)\n```\n# not a title")
    assert blocks == [
        Block(kind="plain", source="Run *this*:"),
        Block(kind="code", source="print(1)", language="python"),
        Block(kind="plain", source="# not a title"),
    ]


NESTED = "- top\n" + "".join(f"  - nested {number}\n" for number in range(1_000))
HARD = {
    NESTED: "too long a list",
    "".join("  " * depth + f"- item {depth}\n" for depth in range(60)): "nested too deep",
    "".join(f"> line {number}\n" for number in range(500)): "too long a list or quotation",
    "[" * 5_000: "too many brackets",
    "*a `b` " * 1_000: "too many changes of type",
    "x" * 50_000: "too long a word",
}


@pytest.mark.parametrize("text", HARD, ids=HARD.values())
def test_what_would_stall_the_window_is_shown_as_it_was_written_and_says_so(text: str) -> None:
    whole = markdown_blocks(text)[0]
    stream = MarkdownStream()
    for at in range(0, len(text), 50):
        stream.feed(text[at : at + 50])
        stream.tail()
    stream.finish()
    for blocks in (whole, stream.closed):
        told = next(block for block in blocks if HARD[text] in block.source)
        plain = blocks[blocks.index(told) + 1 :]
        assert {block.kind for block in plain} == {"plain"}
        assert max(len(block.source) for block in plain) <= 4_000
        shown = "".join(block.source for block in blocks if block is not told)
        assert "".join(shown.split()) == "".join(text.split()), "nothing is lost"


def test_a_block_that_is_too_long_is_not_parsed_again_and_again() -> None:
    stream = MarkdownStream()
    for at in range(0, len(NESTED), 50):
        stream.feed(NESTED[at : at + 50])
        stream.tail()
    assert stream.parsed_chars < 5 * len(NESTED)


def test_after_such_a_block_markdown_goes_on() -> None:
    blocks = markdown_blocks(NESTED + "\n## A title\n\n- a\n- b\n")[0]
    assert [(block.kind, block.source) for block in blocks[-2:]] == [
        ("prose", "## A title\n"),
        ("prose", "- a\n- b\n"),
    ]


def test_a_long_list_of_short_items_stays_one() -> None:
    text = "".join(f"- item {n}\n  - a\n  - b\n    - c\n" for n in range(200))
    assert {block.kind for block in markdown_blocks(text)[0]} == {"prose"}
