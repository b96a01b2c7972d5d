"""What is typed into the search becomes terms, and their places in texts are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.search import (
    excerpt_of,
    first_place,
    folded,
    has_all,
    pattern_of,
    spans_in,
    terms_of,
)


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("rows columns", ["rows", "columns"]),
        ('"two words" one', ["two words", "one"]),
        ('"not closed yet', ["not closed yet"]),
        ("pand*", ["pand"]),
        ("**kwargs", ["**kwargs"]),
        ('" "" \x00\t', []),
        ("a\x00b", ["a", "b"]),
        ("twice twice", ["twice"]),
    ],
)
def test_words_phrases_and_signs_are_terms(query: str, texts: list[str]) -> None:
    assert [term.text for term in terms_of(query)] == texts


@pytest.mark.parametrize(
    ("text", "is_indexed", "is_checked"),
    [
        ("rows", True, False),
        ("read_csv", True, True),
        ("C++", True, True),
        ("+=", False, True),
        ("🎈", False, True),
        ("東京", False, True),
        ("한국", True, False),
        ("'; DROP", True, True),
    ],
)
def test_what_an_index_of_words_cannot_tell_is_checked_in_the_text(
    text: str, is_indexed: bool, is_checked: bool
) -> None:
    (term,) = terms_of(f'"{text}"')
    assert (term.is_indexed, term.is_checked) == (is_indexed, is_checked)


def found(text: str, query: str) -> str | None:
    place = first_place(text, pattern_of(terms_of(query)))
    return text[slice(*place)] if place else None


def test_words_are_found_at_their_beginning_whatever_their_accents() -> None:
    assert found("Le CAFÉ est là", "cafe") == "CAFÉ"
    assert found("reset the set", "set") == "set"
    assert found("reset only", "set") is None
    assert found("the\n two  words", '"two words"') == "two  words"
    assert found("wording", '"word"') is None
    assert found("これは東京です", "東京") == "東京"
    assert found("x = y ** 2", "**") == "**"


def test_a_place_far_down_in_a_long_text_is_found() -> None:
    text = "x " * 50_000 + "needle"
    assert first_place(text, pattern_of(terms_of("needle"))) == (100_000, 100_006)
    line, marks = excerpt_of(text, pattern_of(terms_of("needle")))
    assert line.startswith("… x")
    assert [line[slice(*mark)] for mark in marks] == ["needle"]


def test_an_excerpt_is_one_line_that_begins_a_little_before_the_place() -> None:
    text = "first\n\nsome words that lie far before the\tplace and what follows it" + "." * 300
    line, marks = excerpt_of(text, pattern_of(terms_of("place")))
    assert "\n" not in line
    assert "\t" not in line
    assert line.startswith("… lie far before the place and")
    assert line.endswith(".…")
    assert [line[slice(*mark)] for mark in marks] == ["place"]


def test_titles_are_found_inside_of_words_too() -> None:
    assert has_all(folded("Verkaufszahlen für Köln"), terms_of("zahlen koln"))
    assert not has_all(folded("Verkaufszahlen"), terms_of("zahlen koln"))
    assert spans_in("Sales, résumé", terms_of("les RESUME")) == ((2, 5), (7, 13))


@given(st.text(), st.text())
def test_nothing_that_can_be_typed_or_stored_is_an_error(query: str, text: str) -> None:
    terms = terms_of(query)
    line, marks = excerpt_of(text, pattern_of(terms))
    assert all(0 <= start < end <= len(line) for start, end in marks)
    assert len(folded(text)) == len(text)
    spans_in(text, terms)


@given(st.text(min_size=1))
def test_a_query_finds_itself(query: str) -> None:
    terms = terms_of(query)
    if terms and all(term.is_checked for term in terms):
        assert first_place(terms[0].text, pattern_of(terms)) is not None


@pytest.mark.parametrize(
    ("text", "query", "line"),
    [
        ("## The **mean** of `price`", "mean", "The mean of price"),
        ("- [x] done with *care*", "care", "done with care"),
        ("> quoted [here](https://x.org/a)", "quoted", "quoted here"),
        ("| a | mean |\n|---|---|\n| 1 | 2 |", "mean", "a · mean 1 · 2"),
        ("snake_case and 2 * 3 * 4", "snake", "snake_case and 2 * 3 * 4"),
        ("pass **kwargs on", "**kwargs", "pass **kwargs on"),
        ("```python\nprint(mean)\n```", "mean", "print(mean)"),
    ],
)
def test_an_excerpt_of_markdown_reads_as_words(text: str, query: str, line: str) -> None:
    excerpt, marks = excerpt_of(text, pattern_of(terms_of(query)), is_markdown=True)
    assert excerpt == line
    assert [excerpt[start:end] for start, end in marks] == [query]
