"""However much comes at once, it is read as if it had come in pieces, and in a time to bear."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.conversation import Conversation
from playhead.model_worker.protocol import CallPiece, CitedPage, Delta
from playhead.providers.parser.delta_parser import (
    PART_CHARACTERS,
    DeltaParser,
    delta_parts,
    is_large_delta,
)
from tests.support.asking import canonical

LINES = "Let me see: `x`\n" * 600
CODE = "x = 'ä'\n" * 2_000


def told(*deltas: Delta) -> list[tuple[str, str | None, object]]:
    conversation, parser = Conversation("c"), DeltaParser(canonical)
    for delta in deltas:
        for chunk in parser.feed(delta):
            conversation.apply(chunk)
    for chunk in parser.finish():
        conversation.apply(chunk)
    return [(one.type, one.format, one.content) for one in conversation.messages]


WHOLE = Delta(
    text=f"{LINES}```python\n{CODE}```\n{LINES}",
    reasoning="So. " * 3_000,
    citations=(CitedPage(start=0, end=3, title="a", url="https://a.example"),),
)
CALL = Delta(
    text="Now.",
    calls=(
        CallPiece(
            index=0,
            id="a",
            name="execute",
            arguments=json.dumps({"language": "python", "code": CODE}),
        ),
        CallPiece(index=1, id="b", name="lookup", arguments='{"q": 1}'),
    ),
)


@pytest.mark.parametrize("delta", [WHOLE, CALL])
def test_parts_say_what_the_whole_says(delta: Delta):
    assert is_large_delta(delta)
    cut = list(delta_parts(delta))
    assert len(cut) > 3
    assert not any(is_large_delta(part) for part in cut)
    assert told(*cut) == told(delta)


@given(st.integers(PART_CHARACTERS - 3, PART_CHARACTERS + 3), st.sampled_from(["", "\n"]))
def test_a_fence_or_a_tag_may_stand_where_it_is_cut(lead: int, end: str):
    text = f"{'a' * (lead - 1)}\n```python\n1\n```\n<think>so</think>\nend{end}"
    assert told(*delta_parts(Delta(text=text))) == told(Delta(text=text))
    assert [kind for kind, *_ in told(Delta(text=text))] == [
        "message",
        "code",
        "reasoning",
        "message",
    ]


@pytest.mark.timeout(60)  # each took minutes while its time grew with the square of its length
@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param([Delta(text="a\n" * 400_000)], id="lines"),
        pytest.param(
            [Delta(text="```"), *([Delta(text="abc ")] * 40_000)], id="a fence without end"
        ),
        pytest.param(
            [
                Delta(
                    calls=(
                        CallPiece(
                            index=0,
                            id="a",
                            name="lookup",
                            arguments='{"q": "' + "x" * 4_000_000 + '"}',
                        ),
                    )
                )
            ],
            id="arguments",
        ),
    ],
)
def test_nothing_takes_longer_than_its_length_allows(deltas: list[Delta]):
    parser = DeltaParser(canonical)
    chunks = [chunk for delta in deltas for chunk in parser.feed(delta)] + parser.finish()
    assert chunks[-1].end
