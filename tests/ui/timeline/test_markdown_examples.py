"""The examples of CommonMark, from the package that ships them, split in every way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.ui.timeline.markdown import Block, MarkdownStream, markdown_blocks

SPECIFICATION = (
    Path(__file__).parents[2] / "clients/javascript/node_modules/commonmark-spec/spec.txt"
)
_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", re.MULTILINE | re.DOTALL)


@cache
def examples() -> list[str]:
    text = SPECIFICATION.read_text(encoding="utf-8")
    return [found.replace("→", "\t") for found in _EXAMPLE.findall(text)]


def streamed(pieces: Sequence[str]) -> list[Block]:
    stream = MarkdownStream()
    for piece in pieces:
        stream.feed(piece)
        stream.tail()
    stream.finish()
    return stream.closed


def test_letter_by_letter_every_example_gives_the_blocks_of_the_whole() -> None:
    found = examples()
    assert len(found) > 600
    different = [text for text in found if streamed(list(text)) != markdown_blocks(text)[0]]
    assert different == []


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_examples_after_each_other_give_the_same_blocks_for_any_split(data: st.DataObject) -> None:
    text = "\n\n".join(data.draw(st.lists(st.sampled_from(examples()), min_size=1, max_size=5)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    pieces = [text[start:end] for start, end in pairwise([0, *sorted(cuts), len(text)])]
    assert streamed(pieces) == markdown_blocks(text)[0]
