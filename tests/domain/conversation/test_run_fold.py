from msgspec.structs import replace

from playhead.domain.conversation.chunk import Content
from playhead.domain.conversation.effects import effect_states
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    FileChange,
    FileChanges,
    Proposal,
    RunReport,
)
from playhead.domain.conversation.run_fold import RunFold, with_undone


def messages(*contents: Content) -> list[Message]:
    return [
        Message(
            id=str(n), parent_id=None, role="computer", type="run", content=content, created_at=n
        )
        for n, content in enumerate(contents)
    ]


BEGIN, DONE = RunReport(state="started"), RunReport(state="finished")
ERROR = CodeError(name="ValueError", message="no")
CHANGE = FileChanges(folder="/f", id="e", created=(FileChange(path="a"),), created_total=3)
UNDO = FileChanges(folder="/f", id="u", action="undo", of="e", is_whole=True)


def proposal(code: str, language: str = "python") -> Proposal:
    return Proposal(id=code, message_id=f"code of {code}", language=language, code=code)


def test_runs_are_told_with_their_code_their_place_and_their_outcome() -> None:
    told = messages(
        *(proposal("x"), BEGIN, "out", DONE, RunReport(state="killed")),  # by a restart, later
        *(proposal("never"), proposal("y", "bash"), BEGIN, ERROR, DONE),
        *(BEGIN, RunReport(state="finished", exit_status=2)),
        *(proposal("z"), BEGIN, RunReport(state="interrupted")),
        *(BEGIN, BEGIN, "so far"),
    )
    runs = RunFold(told).runs
    ends = ["ok", "failed", "failed", "stopped", "stopped", "running"]
    assert [run.outcome for run in runs] == ends
    assert [(run.message_id, run.code, run.language) for run in runs[:3]] == [
        ("code of x", "x", "python"),
        ("code of y", "y", "bash"),
        ("", "", ""),
    ]
    assert [(run.started_id, run.end_id, run.at) for run in runs[:2]] == [
        ("1", "3", 1),
        ("7", "9", 7),
    ]
    assert runs[-1].end_id == "17"


def test_a_run_is_undone_when_all_that_it_changed_was_taken_back() -> None:
    told = messages(BEGIN, CHANGE, DONE, BEGIN, DONE)
    [first, second] = RunFold(told).runs
    assert (first.files, first.effect_id, second.files) == (3, "e", 0)
    undone = with_undone([first, second], effect_states([*told, *messages(UNDO)]))
    assert [run.outcome for run in undone] == ["undone", "ok"]


def test_an_undo_of_a_run_without_files_names_the_run() -> None:
    begin, done = messages(BEGIN, DONE)
    console = replace(begin, id="c", type="console", content="out", call_id="run")
    [run] = RunFold([begin, console, done]).runs
    [undone] = with_undone([run], effect_states(messages(replace(UNDO, of="run"))))
    assert (run.outcome, undone.outcome) == ("ok", "undone")
