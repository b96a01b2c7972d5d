from __future__ import annotations

import signal
import sys
from typing import get_args

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Refused, RunEnd, RunEndKind, RunReport
from playhead.domain.text.run_ends import (
    parse_run_end,
    run_end_as_output,
    run_end_for_model,
    run_end_reason,
    run_end_text,
)


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (RunReport(state="started"), ""),
        (RunReport(state="finished", seconds=1.0), ""),
        (RunReport(state="finished", exit_status=3), "It ended with status 3."),
        (RunReport(state="interrupted"), "Stopped."),
        (RunReport(state="interrupted", seconds=2.5, line=3), "Stopped at line 3 after 2.5 s."),
        (
            RunReport(state="interrupted", seconds=5.0, end=RunEnd(kind="time_limit", limit=5)),
            "Stopped after 5.0 s: the limit of the settings is 5 s.",
        ),
        (RunReport(state="killed"), "The kernel ended. Its variables were lost."),
        (
            RunReport(state="killed", seconds=0.3, end=RunEnd(kind="exited", exit_status=0)),
            "The kernel ended after 0.3 s: exit status 0. Its variables were lost.",
        ),
        (RunReport(state="killed", end=RunEnd(kind="restarted")), "The kernel was restarted."),
    ],
)
def test_the_end_of_a_run_is_a_sentence(report: RunReport, text: str) -> None:
    assert run_end_text(report) == text


@pytest.mark.parametrize("kind", get_args(RunEndKind))
def test_every_kind_but_a_plain_stop_has_words(kind: RunEndKind) -> None:
    reason = run_end_reason(RunEnd(kind=kind, exit_status=1, signal=9, words="it broke"))
    assert bool(reason) == (kind != "stopped")
    assert not reason.endswith(".")


def test_a_limit_that_code_ignored_is_said_with_the_time_it_had() -> None:
    end = RunEnd(kind="memory_limit", limit=2e9, grace_s=1.0)
    words = "the limit of the settings is 2,000 MB of memory; the code did not stop within 1 s"
    assert run_end_reason(end) == words


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_is_named() -> None:
    named = run_end_reason(RunEnd(kind="signalled", signal=signal.SIGSEGV))
    assert named.startswith("signal 11 (SIGSEGV: ")
    assert run_end_reason(RunEnd(kind="signalled", signal=3_221_225_477)) == "signal 3221225477"


def test_the_words_are_translated_where_a_translation_is_given() -> None:
    report = RunReport(state="killed", line=2, end=RunEnd(kind="stopped", grace_s=2))
    text = run_end_text(report, lambda text, **values: f"<{text.format_map(values)}>")
    words = "<The kernel ended> <at line 2>: <the code did not stop within 2 s>."
    assert text == f"{words} <Its variables were lost.>"


def test_a_model_is_told_who_stopped_it_and_what_the_next_run_has() -> None:
    stopped = RunReport(state="interrupted", line=3, seconds=2.0)
    assert run_end_for_model(stopped) == "Stopped by the user at line 3 after 2.0 s."
    limited = RunReport(state="interrupted", seconds=2.0, end=RunEnd(kind="time_limit", limit=2))
    assert run_end_for_model(limited) == run_end_text(limited)
    restarted = RunReport(state="killed", end=RunEnd(kind="restarted"))
    words = "The kernel was restarted. The next run has a new kernel without variables."
    assert run_end_for_model(restarted) == words
    assert run_end_for_model(RunReport(state="finished", exit_status=3)) == ""
    places = (Refused("evil.example:443", 3), Refused("192.0.2.1:80"))
    refused = run_end_for_model(RunReport(state="finished", refused=places))
    assert refused.startswith("Refused: evil.example:443 (3×), 192.0.2.1:80. Only the user can")


def test_a_stop_by_the_user_is_no_output_since_its_traceback_is() -> None:
    def output(report: RunReport) -> list[object]:
        chunks = run_end_as_output(Chunk(role="computer", type="run", content=report))
        return [chunk.content for chunk in chunks if chunk.content]

    assert output(RunReport(state="interrupted", line=3)) == []
    end = RunEnd(kind="stopped_early")
    words = "[Stopped: it was stopped before the code began.]\n"
    assert output(RunReport(state="interrupted", end=end)) == [words]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("the kernel ended: exit status 3", "exit status 3"),
        ("The kernel was restarted.", "The kernel was restarted"),
        ("", ""),
    ],
)
def test_words_of_earlier_versions_are_kept_as_the_reason(words: str, reason: str) -> None:
    assert run_end_reason(parse_run_end(words)) == reason
