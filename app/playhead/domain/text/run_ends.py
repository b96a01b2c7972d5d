"""Texts for the end of a run, shared by the window, the terminal, the wire, documents and models.

So are those for variables that came back from an earlier kernel, or did not. `tr` puts a text into
the language of its reader; without one the words are English.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RunEnd, RunReport
from playhead.domain.execution import GoingOn
from playhead.domain.text.quantities import (
    Translate,
    TranslateNumber,
    count_in_english,
    format_duration,
    in_english,
)

if TYPE_CHECKING:
    from playhead.domain.saved_variables import SavedName, WhyLost

_NAMES_LISTED = 40


def run_end_text(report: RunReport, tr: Translate = in_english) -> str:
    """Return how a run ended as a sentence; "" if it came to its end with no status but 0."""
    match report.state:
        case "killed":
            return _kernel_end(report, tr)
        case "interrupted":
            return _clause(tr("Stopped"), report, tr)
        case "started" | "finished":
            status = report.exit_status
            return tr("It ended with status {status}.", status=status) if status else ""


def going_on_text(
    going_on: GoingOn, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> str:
    """Return what computes on after the end of a run; "" if nothing does."""
    if going_on.main:
        return tr("the main thread goes on")
    counts = (
        (going_on.threads, tr_n("%n threads go on", going_on.threads, one="1 thread goes on")),
        (
            going_on.processes,
            tr_n("%n processes go on", going_on.processes, one="1 process goes on"),
        ),
    )
    return ", ".join(text for count, text in counts if count)


def run_end_for_model(report: RunReport) -> str:
    """Return the end of a run with what the model that wrote the code must know of it."""
    hidden = ""
    if report.hidden:
        from playhead.domain.text.grant_words import hidden_for_model  # not for the first paint

        hidden = hidden_for_model(report.hidden)
    refused = f"{refused_text(report)} {_ASK_FOR_NAMES}" if report.refused else ""
    return " ".join(filter(None, (_end_for_model(report), hidden, refused)))


_SHOWN_PLACES = 10
_ASK_FOR_NAMES = "Only the user can let code reach a place, in Playhead: do not try another way."


def refused_text(report: RunReport, tr: Translate = in_english) -> str:
    """Return which places in the network a run was refused; "" if none was."""
    places = [
        f"{one.target} ({one.count}×)" if one.count > 1 else one.target
        for one in report.refused[:_SHOWN_PLACES]
    ]
    places += ["…"] if len(report.refused) > _SHOWN_PLACES else []
    return tr("Refused: {places}.", places=", ".join(places)) if places else ""


def _end_for_model(report: RunReport) -> str:
    if report.state == "interrupted" and report.end is None:
        return _clause("Stopped by the user", report, in_english)
    if report.state != "killed":
        return run_end_text(report) if report.state == "interrupted" else ""
    next_one = "without variables" if not report.is_saved else "that can have these"
    return f"{_kernel_end(report, in_english)} The next run has a new kernel {next_one}."


def run_end_as_output(chunk: Chunk) -> list[Chunk]:
    """Return the console message for a run's end that nothing else in the stream reports.

    A stop that nobody but the user caused has a traceback.
    """
    report = chunk.content
    if not isinstance(report, RunReport) or (report.state == "interrupted" and report.end is None):
        return []
    text = run_end_text(report)
    if not text:
        return []
    return [
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="output", content=f"[{text}]\n"),
        Chunk(role="computer", type="console", end=True),
    ]


def has_ended_by_itself(report: RunReport) -> bool:
    """Return whether the kernel ended in a run that nobody and no limit stopped."""
    end = report.end
    return end is not None and end.kind in ("exited", "signalled") and end.grace_s is None


def run_end_place(report: RunReport, tr: Translate = in_english) -> str:
    """Return the line and the time of a run's end, as far as they are known."""
    at = tr("at line {line}", line=report.line) if report.line else ""
    after = tr("after {time}", time=format_duration(report.seconds, tr)) if report.seconds else ""
    return " ".join(filter(None, (at, after)))


def run_end_reason(end: RunEnd | None, tr: Translate = in_english) -> str:
    """Return why a run ended, to follow a colon; "" if it was only stopped."""
    if end is None:
        return ""
    grace = end.grace_s
    kept_on = "" if grace is None else tr("the code did not stop within {limit:g} s", limit=grace)
    return "; ".join(filter(None, (_cause(end, tr), kept_on)))


def parse_run_end(words: str) -> RunEnd | None:
    """Return the end that stored or foreign words give as its reason."""
    words = words.removeprefix("the kernel ended: ").removesuffix(".")
    return RunEnd(kind="other", words=words) if words else None


def _kernel_end(report: RunReport, tr: Translate) -> str:
    reason = run_end_reason(report.end, tr)
    if reason and not run_end_place(report):  # between two runs, or nothing else is known
        return f"{reason[0].upper()}{reason[1:]}."
    words = tr("Its variables were lost.")
    if report.is_saved:
        words = tr("The variables from before this run are saved.")
    return f"{_clause(tr('The kernel ended'), report, tr)} {words}"


def _clause(head: str, report: RunReport, tr: Translate) -> str:
    place, reason = run_end_place(report, tr), run_end_reason(report.end, tr)
    return f"{head} {place}".rstrip() + (f": {reason}." if reason else ".")


def _cause(end: RunEnd, tr: Translate) -> str:
    match end.kind:
        case "exited":
            return tr("exit status {status}", status=end.exit_status)
        case "signalled":
            return _signal_text(end.signal, tr)
        case "time_limit":
            return tr("the limit of the settings is {limit:g} s", limit=end.limit)
        case "memory_limit":
            megabytes = end.limit / 1e6
            return tr(
                "the limit of the settings is {megabytes:,.0f} MB of memory", megabytes=megabytes
            )
        case "start_limit":
            return tr("it did not start within {limit:g} s", limit=end.limit)
        case "policy_changed":
            return tr("what code may do was changed")
        case "other_language":
            return tr("code of another language works in the copy of the folder")
        case "other":
            return end.words
        case _:
            return _decision(end, tr)


def _decision(end: RunEnd, tr: Translate) -> str:
    """Return what somebody did that ended the run."""
    match end.kind:
        case "stopped_early":
            return tr("it was stopped before the code began")
        case "abandoned":
            return tr("the run was abandoned")
        case "restarted":
            return tr("the kernel was restarted")
        case "closed":
            return tr("the program was closed")
        case "interpreter_changed":
            return tr("another interpreter was chosen")
        case "conversation_ended":
            return tr("the run was ended with its conversation")
        case "app_ended":
            return tr("Playhead ended while this code was running")
        case "saved_early":
            return tr("this is how far the run was when it was saved")
        case _:
            return ""


def _signal_text(number: int, tr: Translate) -> str:
    try:
        name, words = signal.Signals(number).name, signal.strsignal(number)
    except ValueError:
        name = words = None
    text = tr("signal {number}", number=number)
    return f"{text} ({name}: {words})" if words else text


def loss_words(why: WhyLost, line: int = 0, tr: Translate = in_english) -> str:
    """Return why a variable did not come back, as the end of a sentence.

    With a line, that one makes it again.
    """
    words = _reasons(tr).get(why) or tr("it is lost")
    if line <= 0:
        return words
    return tr("{words}; line {line} of its block makes it again", words=words, line=line)


def note_for_model(back: Sequence[str], lost: Sequence[SavedName], *, is_done: bool) -> str:
    """Return the sentences that a model gets in place of "names no longer exist"."""
    when = "were" if is_done else "are"
    then = "" if is_done else " before the next code runs, unless the user refuses"
    parts = [f"These names {when} brought back{then}: {_listed(back)}."] if back else []
    missing = [f"{one.name} ({loss_words(one.why, again_line(one))})" for one in lost]
    if missing:
        parts.append(f"Not brought back: {_listed(missing)}.")
    return " ".join([*parts, "All other names and data from those runs no longer exist."])


def again_line(lost: SavedName) -> int:
    """Return the line that makes a variable again; 0 if none does."""
    return lost.line if lost.verdict == "again" else 0


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _NAMES_LISTED
    return ", ".join(words[:_NAMES_LISTED]) + (f" and {more} more" if more > 0 else "")


def _reasons(tr: Translate) -> dict[WhyLost, str]:
    return {
        "generator": tr("a generator cannot be kept"),
        "file": tr("an open file cannot be kept"),
        "lock": tr("a lock cannot be kept"),
        "socket": tr("a socket cannot be kept"),
        "connection": tr("an open connection cannot be kept"),
        "process": tr("a running program cannot be kept"),
        "thread": tr("a thread cannot be kept"),
        "view": tr("a view of memory cannot be kept"),
        "gpu": tr("it is in the memory of a graphics card"),
        "frame": tr("a frame cannot be kept"),
        "reference": tr("a weak reference cannot be kept"),
        "local_class": tr("its class is not defined at the top of a block"),
        "class_changed": tr("its class was defined again since"),
        "unpicklable": tr("it cannot be pickled"),
        "too_large": tr("it is too large"),
        "secret": tr("it looks like a secret"),
        "slow": tr("saving it took too long, or failed"),
        "no_module": tr("its module cannot be imported"),
        "unreadable": tr("it could not be read again"),
        "missing": tr("its file is missing or was changed"),
        "other_python": tr("another Python has saved it"),
        "other_policy": tr("code that may do something else has saved it"),
    }
