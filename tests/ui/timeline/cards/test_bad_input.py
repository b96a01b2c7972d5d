"""Whatever code or a model sends is shown or refused in words, and never all laid out at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    CodeError,
    Failure,
    FileChange,
    FileChanges,
    Frame,
    InputRequest,
    Table,
)
from playhead.ui.timeline.text.line_clipper import CODE_LINE, MOST_CHARS, LineClipper, clip
from playhead.ui.timeline.view import TimelineView
from tests.support.card_samples import Sample, table

LINE = "x" * 5_000_000
TEXTS = {
    "a line of 5 MB": LINE,
    "100,000 blank lines": "\n" * 100_000,
    "controls": "a\x00b\x1b[999;999Hc\x07\x7f\u202e" * 500,
    "lone surrogates": "a\ud800b\udfffc",
}
MESSAGES = [
    ("assistant", "message", None),
    ("user", "message", None),
    ("assistant", "code", "python"),
    ("computer", "console", None),
    ("computer", "code", "html"),
    ("computer", "code", "markdown"),
    ("assistant", "plan", None),
    ("assistant", "tool_call", "search"),
    ("user", "file", "path"),
]
PAYLOADS: dict[str, Callable[[str], Chunk]] = {
    "error": lambda text: Chunk(
        role="computer",
        type="error",
        content=CodeError(name=text, message=text, frames=(Frame(text, 1, text),), remedy=text),
    ),
    "input": lambda text: Chunk(role="computer", type="input", content=InputRequest("i", text)),
    "table": lambda text: Chunk(
        role="computer",
        type="table",
        content=Table(
            columns=(text, "b"),
            dtypes=(text, ""),
            rows=((text, 1),) * 3,
            total_rows=3,
            total_columns=2,
            name=text,
        ),
    ),
    "files": lambda text: Chunk(
        role="computer",
        type="files",
        content=FileChanges(
            folder="/", created=(FileChange(path=text, size_bytes=1, kind="text", diff=text),)
        ),
    ),
    "failure": lambda text: Chunk(
        role="server", type="error", content=Failure(code="c", title=text, detail=text, remedy=text)
    ),
}


def look(view: TimelineView, sample: Sample) -> int:
    """Show the last entry, folded and unfolded; how many characters were laid out at most."""
    view.set_conversation(sample)
    most = 0
    for _ in range(2):
        for _ in range(3):
            view.coalescer.flush_now()
            view.viewport().repaint()
        index = len(view.canvas.sheet.rows) - 1
        column = view.canvas.sheet.card(index).column
        blocks = [column.block(number) for number in range(len(column))] if column else []
        most = max(most, sum(len(block.source) for block in blocks))
        view._fold(index)
    return most


@pytest.mark.parametrize(("role", "kind", "form"), MESSAGES)
@pytest.mark.parametrize("what", TEXTS)
def test_a_message_of_any_kind_is_laid_out_in_bounds(view, what, role, kind, form) -> None:
    sample = Sample()
    sample.say(role, kind, TEXTS[what], form)
    assert look(view, sample) < 2 * MOST_CHARS


@pytest.mark.parametrize("kind", PAYLOADS)
@pytest.mark.parametrize("what", TEXTS)
def test_a_result_of_any_kind_is_laid_out_in_bounds(view, what, kind) -> None:
    sample = Sample()
    sample.apply(PAYLOADS[kind](TEXTS[what]))
    assert look(view, sample) < 2 * MOST_CHARS


def test_of_a_million_rows_only_those_in_sight_are_drawn(view) -> None:
    sample = Sample()
    sample.give("table", table(1_000_000, 1_000_000))
    look(view, sample)
    card = view.canvas.sheet.card(0)
    assert "1,000,000 rows" in card.size_words()
    heads = [spot for spot in card.spots(True) if spot.look == "bare"]
    assert not any(spot.is_enabled for spot in heads), "a sort would be felt"
    assert "too many rows" in heads[0].tip


def test_what_is_cut_says_how_much() -> None:
    assert clip(LINE[: CODE_LINE + 7]) == "x" * CODE_LINE + " … 7 characters more"
    assert clip("short\nlines\n" * (MOST_CHARS // 12) + "abcdef").endswith("2 characters more")
    assert clip("short\nlines\n" * (MOST_CHARS // 12) + "abcde").endswith("1 character more")
    assert clip("\x00\ud800\x1b") == "\ufffd\ufffd\ufffd"
    assert clip("größe\t漢字\n👩‍👩‍👧 \u202e") == "größe\t漢字\n👩‍👩‍👧 \u202e"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_text_in_pieces_is_cut_as_the_whole_is(size: int) -> None:
    text = "short\n" + "x" * 50 + "\nend"
    clipper = LineClipper(20)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    shown = "".join(clipper.feed(piece) for piece in pieces)
    assert shown.replace(" …", "") == "short\n" + "x" * 20 + "\nend"
