"""Histories are recognised by what they say, for an hour, the newest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from playhead.api.turns.client_request import history_links
from playhead.api.turns.turns import ConversationIndex, ConversationPosition

END = ConversationPosition("c1", "m9")


def links(wire_format: str, keys: list[str]) -> list[bytes]:
    return list(history_links(wire_format, keys))


def found(
    known: ConversationIndex, wire_format: str, keys: list[str]
) -> tuple[int, ConversationPosition] | None:
    """How many of the keys are known, at most, and the position after them."""
    return next(known.matches(links(wire_format, keys)), None)


def test_the_longest_known_beginning_is_found():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b"], ConversationPosition("c1", "m2"))
    known.remember(links("native", ["a", "b", "c"]), ["d"], ConversationPosition("c1", "m4"))
    assert found(known, "native", ["a", "b", "c", "d", "e"]) == (
        4,
        ConversationPosition("c1", "m4"),
    )
    assert found(known, "native", ["a", "b", "x"]) == (2, ConversationPosition("c1", "m2"))


def test_what_was_asked_and_not_answered_is_no_end():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b"], END)
    assert found(known, "native", ["a", "c"]) == (1, ConversationPosition("c1", "m9", is_end=False))
    assert found(known, "native", ["b"]) is None
    assert found(known, "native", []) is None


def test_the_midst_of_an_answer_is_marked_as_such():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b", "c"], END)
    assert found(known, "native", ["a", "b", "edited"]) == (
        2,
        ConversationPosition("c1", "m9", is_end=False),
    )


def test_formats_are_told_apart():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b"], END)
    assert found(known, "chat", ["a", "b"]) is None


def test_with_several_matches_the_newest_counts():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b"], ConversationPosition("old", "m2"))
    known.remember(links("native", ["a"]), ["b"], ConversationPosition("new", "m2"))
    assert found(known, "native", ["a", "b"]) == (2, ConversationPosition("new", "m2"))


def test_after_an_hour_nothing_is_known():
    time_s = 0.0
    known = ConversationIndex(now=lambda: time_s)
    known.remember(links("native", ["a"]), ["b"], END)
    known.remember_code("python", "1 + 1")
    time_s = 3599.0
    assert found(known, "native", ["a", "b"])
    assert known.has_proposed("python", "1 + 1")
    time_s = 3601.0
    assert found(known, "native", ["a", "b"]) is None
    assert not known.has_proposed("python", "1 + 1")


def test_only_the_very_code_counts_as_proposed():
    known = ConversationIndex()
    known.remember_code("python", "print(1)")
    assert not known.has_proposed("python", "print(2)")
    assert not known.has_proposed("bash", "print(1)")


def test_a_conversation_that_is_gone_is_forgotten():
    known = ConversationIndex()
    known.remember(links("native", ["a"]), ["b"], END)
    known.drop("c1")
    assert found(known, "native", ["a", "b"]) is None


@given(st.lists(st.text(), min_size=1), st.lists(st.text(), min_size=1), st.lists(st.text()))
def test_whatever_texts_a_known_history_is_found_again(asked, answered, more):
    known = ConversationIndex()
    known.remember(links("chat", asked), answered, END)
    whole = [*asked, *answered, *more]
    assert found(known, "chat", whole) == (len(asked) + len(answered), END)
