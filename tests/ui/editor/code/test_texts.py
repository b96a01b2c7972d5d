"""Line edits, searches and comparisons of plain texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.editor.code import line_edits
from playhead.ui.editor.code.editor_language import (
    find_language,
    language_family,
    language_name,
    language_of_file,
)
from playhead.ui.editor.code.line_edits import line_replacement, selected_lines
from playhead.ui.editor.code.text_diff import LARGEST, hunks, marks
from playhead.ui.editor.pane.editor_find_bar import PatternError, Query, expanded, search

lines = st.lists(st.sampled_from(["", "a", "b", "  c"]), min_size=1, max_size=8)


def places(text: str, query: Query) -> list[tuple[int, int]]:
    return [(one.start, one.end) for some in search(text, query) for one in some]


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", ["a = 1", "  b"], ["# a = 1", "#   b"]),
        ("zsh", ["  ls", "", "  cd"], ["  # ls", "", "  # cd"]),
        ("js", ["f()"], ["// f()"]),
        ("sql", ["select 1"], ["-- select 1"]),
        ("html", ["<p>"], ["<!-- <p> -->"]),
        ("powershell", ["Get-Item x"], ["# Get-Item x"]),
    ],
)
def test_a_comment_comes_and_goes(language: str, before: list[str], after: list[str]) -> None:
    assert line_edits.toggle_comment(before, language) == after
    assert line_edits.toggle_comment(after, language) == before


def test_a_language_without_comments_says_so() -> None:
    assert line_edits.toggle_comment(["{}"], "json") is None
    assert line_edits.toggle_comment(["x"], "no such language") is None


def test_lines_go_in_and_out() -> None:
    assert line_edits.indent(["a", "", " b"]) == ["    a", "", "     b"]
    assert line_edits.unindent(["      a", "\tb", " c", "d"]) == ["  a", "b", "c", "d"]


def test_a_selection_that_ends_before_a_line_does_not_touch_it() -> None:
    assert selected_lines("a\nb\nc", 0, 2) == (0, 0)
    assert selected_lines("a\nb\nc", 1, 3) == (0, 1)
    assert selected_lines("a\nb\nc", 4, 4) == (2, 2)


def test_words_are_found_with_and_without_case() -> None:
    assert places("Foo foo", Query(text="foo")) == [(0, 3), (4, 7)]
    assert places("Foo foo", Query(text="foo", is_case=True)) == [(4, 7)]
    assert places("foo food _foo", Query(text="foo", is_word=True)) == [(0, 3)]
    assert places("a.c abc", Query(text="a.c")) == [(0, 3)]


def test_places_count_characters_also_after_emoji() -> None:
    assert places("😀 é x\n😀 x", Query(text="x")) == [(4, 5), (8, 9)]


def test_patterns_catch_groups_that_a_replacement_can_use() -> None:
    query = Query(text=r"(\w+)=(\d+)", is_pattern=True)
    (found,) = next(search("ab=12", query))
    assert expanded(r"\2->$1", found, query) == "12->ab"
    assert expanded(r"\1", found, Query(text="ab=12")) == r"\1"


def test_a_pattern_that_is_none_or_never_ends_is_said() -> None:
    with pytest.raises(PatternError):
        list(search("x", Query(text="(", is_pattern=True)))
    with pytest.raises(PatternError, match="too long"):
        list(search("a" * 30_000 + "b", Query(text="(a+)+$", is_pattern=True)))


def test_an_empty_match_is_no_place() -> None:
    assert places("aXb", Query(text="x*", is_pattern=True)) == [(1, 2)]
    assert list(search("abc", Query(text=""))) == []


@given(lines, lines)
def test_reverting_all_hunks_gives_the_old_text_back(old: list[str], new: list[str]) -> None:
    before, text = "\n".join(old), "\n".join(new)
    for hunk in reversed(hunks(before, text)):
        start, end, put = line_replacement(text, hunk.new_first, len(hunk.new), hunk.old)
        text = text[:start] + put + text[end:]
    assert text == before


def test_marks_say_what_became_of_each_line() -> None:
    found = hunks("a\nb\nc\nd", "a\nB\nc\nnew")
    assert [(one.line, one.kind) for one in marks(found, 4)] == [(2, "changed"), (4, "changed")]
    gone = list(marks(hunks("a\nb\nc", "a\nc"), 2))
    assert [(one.line, one.kind) for one in gone] == [(1, "removed")]
    more = list(marks(hunks("a", "a\nb"), 2))
    assert [(one.line, one.kind) for one in more] == [(2, "added")]


def test_what_is_too_much_to_compare_is_one_change() -> None:
    old = "\n".join(str(n) for n in range(LARGEST + 10))
    new = "\n".join(str(-n) for n in range(1, LARGEST + 20))
    assert len(hunks(old, new)) == 1


def test_a_hundred_thousand_blank_lines_differ_in_one_place() -> None:
    blank = "\n" * 100_000
    (hunk,) = hunks(blank, blank[:50_000] + "x" + blank[50_000:])
    assert (hunk.new_first, hunk.new) == (50_000, ("x",))


def test_languages_are_known_by_their_words_and_file_endings() -> None:
    names = [language_name(word) for word in ("py", "zsh", "r", "rb", "ps1", "html", "sql", "json")]
    expected = ["Python", "zsh", "R", "Ruby", "PowerShell", "HTML", "SQL", "JSON"]
    assert names == expected
    assert language_name("cobol") == "cobol"
    assert language_of_file("a/b.R") == "r"
    assert language_of_file("Makefile") == "text"
    assert language_family("bash") == "shell"
    assert find_language("nothing") is None
