"""Contents come out of a row as they went in."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Echo,
    Failure,
    FileChange,
    FileChanges,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    PrintedLines,
    Proposal,
    RunReport,
    Source,
    Table,
    Usage,
    Waiting,
)
from playhead.storage.history.row_codec import UnknownContentError, decode, encode, storable

CONTENTS = [
    None,
    "",
    "text with “quotes” and 🎈",
    7,
    Proposal("p1", "m1", "python", "34/24", "/home/me", "/usr/bin/python3"),
    RunReport("killed", 1.5, 3, -9, "/data/out", "the kernel ended: signal 9"),
    CodeError("ValueError", "no", (Frame("", 1, "<module>"), Frame("/a.py", 2, "f"))),
    InputRequest("i1", "Password: ", is_secret=True),
    LineTiming(4, 0.25),
    Failure("upstream_error", "It broke.", "detail", "remedy"),
    Table(("a", "b"), ("int64", "object"), ((1, "x"), (2.5, None)), 900, 2, "frame"),
    FileChanges("/home/me", (FileChange("new.csv", 12, "text"),), note="node_modules was skipped"),
    Usage(12, 5, "length", is_estimated=True),
    PrintedLines((0.0, 1.5), (3, 0)),
    Waiting(2.5, 1, 3, "The provider asks to wait."),
    Echo("anthropic", '[{"type": "thinking"}]'),
    Citation(0, 4, "text", (Source("1", "A page", "https://example.org"),)),
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: type(content).__name__)
def test_a_content_survives(content):
    assert decode(*encode(content)) == content


def test_every_payload_has_a_kind():
    assert {type(content) for content in CONTENTS} >= set(get_args(Payload))


def test_what_is_no_content_is_refused():
    with pytest.raises(TypeError, match="no kind for list"):
        encode([])  # pyright: ignore[reportArgumentType]


def test_of_an_input_only_the_question_is_kept():
    _, text = encode(InputRequest("i1", "Password: ", is_secret=True))
    assert json.loads(text or "") == {"id": "i1", "prompt": "Password: ", "is_secret": True}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("table", "{}"),
        ("run", None),
        ("run", "{}"),
        ("run", "[1]"),
        ("run", "{nonsense"),
        ("number", "many"),
        ("code_error", '{"name": "E", "message": "m", "frames": [{"file": "a"}]}'),
    ],
)
def test_what_is_not_known_is_refused_as_such(kind, text):
    with pytest.raises(UnknownContentError):
        decode(kind, text)


def test_fields_of_a_newer_version_are_passed_over():
    assert decode("timing", '{"line": 1, "seconds": 2.0, "cpu": 3}') == LineTiming(1, 2.0)


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_becomes_one_that_a_file_can_hold(text):
    kept = storable(text)
    kept.encode()
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert kept == text


def test_the_halves_of_a_pair_are_joined():
    assert storable("a\ud83c\udf88b") == "a🎈b"
    assert storable("a\ud83cb") == "a\ufffdb"
