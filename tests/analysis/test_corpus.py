"""Every snippet of the corpus is seen to do what a person has found in it."""

from __future__ import annotations

import pytest

from tests.support.fact_corpus import false_alarms, harmless, recall, risky

RECALL, FALSE_ALARMS = 0.97, 0.05


@pytest.mark.parametrize("is_held_back", [False, True], ids=["tuned", "held back"])
def test_what_a_literal_says_is_seen_and_harmless_code_is_left_alone(is_held_back: bool) -> None:
    chosen, others = risky(is_held_back=is_held_back), harmless(is_held_back=is_held_back)
    assert recall(chosen) >= RECALL, [(one.name, one.missed()) for one in chosen if one.missed()]
    assert false_alarms(others) <= FALSE_ALARMS, [one.name for one in others if one.facts]


def test_the_corpus_is_as_large_as_it_is_said_to_be() -> None:
    assert sum(len(risky(is_held_back=held)) for held in (False, True)) >= 300
    assert sum(len(harmless(is_held_back=held)) for held in (False, True)) >= 200
