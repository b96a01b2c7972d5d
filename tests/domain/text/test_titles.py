"""What a conversation is called after its first message."""

from __future__ import annotations

import pytest

from playhead.domain.text.titles import copy_title, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What's 34/24?", "What's 34/24?"),
        ("6*7", "6*7"),
        ("2 * 3 ** 4", "2 * 3 ** 4"),
        ("my_name > 3", "my_name > 3"),
        ('print("x" * 3)', 'print("x" * 3)'),
        ("# Plan for **the** _week_", "Plan for the week"),
        ("> quoted `code`", "quoted code"),
        ("```python\nimport os\n```", "import os"),
    ],
)
def test_markup_goes_and_the_signs_of_code_stay(text: str, title: str) -> None:
    assert title_from(text) == title


def test_without_words_the_attachments_give_the_title() -> None:
    assert title_from("", ["a.csv", "b.png"]) == "a.csv, b.png"


def test_a_long_line_is_cut_at_a_word() -> None:
    title = title_from("word " * 40)
    assert len(title) <= 48
    assert title.endswith("word…")


def test_copies_are_told_apart() -> None:
    assert copy_title("Sales", {"Sales"}) == "Sales (copy)"
    assert copy_title("Sales", {"Sales", "Sales (copy)"}) == "Sales (copy 2)"
    assert copy_title("Sales (copy)", {"Sales", "Sales (copy)"}) == "Sales (copy 2)"
    assert copy_title("", set()) == "New conversation (copy)"
