"""Contents come out of a row as they went in."""

from __future__ import annotations

import json
from typing import get_args

import pytest

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
    OutputTail,
    Payload,
    PrintedLines,
    Proposal,
    RunEnd,
    RunReport,
    Source,
    Table,
    Usage,
    Waiting,
)
from playhead.storage.history.row_codec import UnknownContentError, decode, encode

CONTENTS = [
    None,
    "",
    "text with “quotes” and 🎈",
    7,
    Proposal(
        id="p1",
        message_id="m1",
        language="python",
        code="34/24",
        folder="/home/me",
        interpreter="/usr/bin/python3",
    ),
    RunReport(
        state="killed",
        seconds=1.5,
        line=3,
        exit_status=-9,
        output_path="/data/out",
        end=RunEnd(kind="memory_limit", limit=5e8, grace_s=1.0),
    ),
    RunReport(state="interrupted", line=2, printed=120),
    CodeError(
        name="ValueError",
        message="no",
        frames=(Frame("", 1, "<module>"), Frame("/a.py", 2, "f")),
        printed=71,
    ),
    InputRequest("i1", "Password: ", is_secret=True),
    LineTiming(line=4, seconds=0.25),
    Failure(code="upstream_error", title="It broke.", detail="detail", remedy="remedy"),
    Failure(
        code="step_limit",
        title="Stopped after 8 steps.",
        phrases={"title": ("Stopped after {steps} steps.", {"steps": "8"})},
    ),
    Table(
        columns=("a", "b"),
        dtypes=("int64", "object"),
        rows=((1, "x"), (2.5, None)),
        total_rows=900,
        total_columns=2,
        name="frame",
    ),
    FileChanges(
        folder="/home/me",
        created=(FileChange(path="new.csv", size_bytes=12, kind="text"),),
        note="node_modules was skipped",
    ),
    Usage(input_tokens=12, output_tokens=5, finish_reason="length", is_estimated=True),
    PrintedLines((0.0, 1.5), (3, 0)),
    OutputTail(7, "the last\n"),
    Waiting(seconds=2.5, attempt=1, attempts=3, reason="The provider asks to wait."),
    Echo("anthropic", '[{"type": "thinking"}]'),
    Citation(
        start=0,
        end=4,
        text="text",
        sources=(Source(id="1", title="A page", url="https://example.org"),),
    ),
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


def test_the_end_of_a_run_in_the_words_of_an_earlier_version_is_kept():
    stored = '{"state": "killed", "seconds": 1.5, "reason": "the kernel ended: signal 9"}'
    report = decode("run", stored)
    assert isinstance(report, RunReport)
    assert report.end == RunEnd(kind="other", words="signal 9")
    newer = decode("run", '{"state": "killed", "end": {"kind": "restarted", "cause": 3}}')
    assert newer == RunReport(state="killed", end=RunEnd(kind="restarted"))


def test_fields_of_a_newer_version_are_passed_over():
    assert decode("timing", '{"line": 1, "seconds": 2.0, "cpu": 3}') == LineTiming(
        line=1, seconds=2.0
    )
