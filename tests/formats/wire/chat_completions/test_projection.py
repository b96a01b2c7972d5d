"""Code and output as text: fences that nothing can end early, and the code that a yes is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from playhead.domain.conversation.payloads import Proposal
from playhead.formats.wire.chat_completions.projection import (
    OUTPUT,
    QUESTION,
    Projection,
    last_proposed_code,
)

ATOMS = ["`", "``", "```", "````", "```python\n", "\n", " ", "a", "~", ">", "\t"]
texts = st.lists(st.sampled_from(ATOMS), min_size=1, max_size=8).map("".join)


def fences_of(text: str) -> list[tuple[str, str]]:
    """(word, content) as a reader of markdown sees them."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [(token.info.strip(), token.content) for token in tokens if token.type == "fence"]


def test_code_output_and_words_stand_on_lines_of_their_own():
    text = Projection()
    text.message("Let me see.")
    text.begin_fence("python")
    text.fenced("34 /")
    text.fenced(" 24")
    text.end_fence()
    text.begin_fence(OUTPUT)
    text.fenced("1.4166666666666667\n")
    text.end_fence()
    text.message("About 1.42.")
    assert text.take().split("\n") == [
        *("Let me see.", ""),
        *("```python", "34 / 24", "```", ""),
        *("```output", "1.4166666666666667", "```", ""),
        "About 1.42.",
    ]


def test_a_console_without_output_says_nothing():
    text = Projection()
    text.begin_fence(OUTPUT)
    text.end_fence()
    assert text.take() == ""


@given(st.lists(texts, min_size=1, max_size=5))
def test_output_never_gets_out_of_its_fences(pieces: list[str]):
    text = Projection()
    text.message("So:")
    text.begin_fence(OUTPUT)
    for piece in pieces:
        text.fenced(piece)
    text.end_fence()
    text.message("After.")
    tokens = MarkdownIt("commonmark").parse(text.take())
    blocks = [token for token in tokens if token.level == 0 and not token.type.endswith("_close")]
    assert [blocks[0].type, blocks[-1].type] == ["paragraph_open", "paragraph_open"]
    assert {block.type for block in blocks[1:-1]} == {"fence"}
    assert {block.info for block in blocks[1:-1]} == {OUTPUT}
    shown = "".join(block.content for block in blocks[1:-1])
    assert shown.replace("\n", "") == "".join(pieces).replace("\n", "")


@given(st.lists(texts, min_size=1, max_size=5), texts)
def test_the_code_that_is_asked_about_can_be_read_from_the_answer(pieces: list[str], prose: str):
    code = "".join(pieces)
    text = Projection()
    text.message(prose)
    text.begin_fence("python")
    for piece in pieces:
        text.fenced(piece)
    text.end_fence()
    text.ask(Proposal(id="", message_id="", language="python", code=code))
    answer = text.take()
    found = last_proposed_code(answer)
    assert found is not None
    assert found == ("python", code.removesuffix("\n"))
    assert last_proposed_code(answer + " \n") == found


def test_with_several_blocks_the_one_that_waits_is_asked_about():
    text = Projection()
    for code in ("first()", "second()"):
        text.begin_fence("python")
        text.fenced(code)
        text.end_fence()
    text.ask(Proposal(id="", message_id="", language="python", code="first()"))
    answer = text.take()
    assert [content for _, content in fences_of(answer)] == [
        "first()\n",
        "second()\n",
        "first()\n",
    ]
    assert last_proposed_code(answer) == ("python", "first()")


@pytest.mark.parametrize(
    "text",
    [
        "",
        QUESTION,
        f"```python\nx\n```\n\n{QUESTION} Really?",
        f"x\n```\n\n{QUESTION}",
        f"```\nx\n```\n\n{QUESTION}",
        f"```output\nx\n```\n\n{QUESTION}",
        f"```python\nx\n````\n\n{QUESTION}",
        f"```python\nx\n```\n\nAnd?\n\n{QUESTION}",
    ],
)
def test_other_texts_propose_nothing(text: str):
    assert last_proposed_code(text) is None
