"""What is left of the effects of runs after undo and redo."""

from __future__ import annotations

from typing import Any

from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import FileChange, FileChanges, FileConflict


def states_of(*effects: dict[str, Any]) -> dict[str, EffectState]:
    contents = [FileChanges(folder="/w", **fields) for fields in effects]
    messages = [
        Message(id=str(n), parent_id=None, role="computer", type="files", content=content)
        for n, content in enumerate(contents)
    ]
    return effect_states(messages)


A, B = FileChange(path="a"), FileChange(path="b")
MOVED = FileChange(path="new", old_path="old")
RUN: dict[str, Any] = {"id": "run", "created": (A, B), "moved": (MOVED,)}
BACK = FileChange(path="old", old_path="new")


def test_a_file_is_undone_and_redone_by_its_own() -> None:
    undo: dict[str, Any] = {"id": "u", "action": "undo", "of": "run", "moved": (BACK,)}
    state = states_of(RUN, undo)["run"]
    assert [state.undone_by(one) for one in (A, MOVED)] == ["", "u"]
    assert not state.is_undone
    state = states_of(RUN, undo, {**undo, "id": "r", "action": "redo", "of": "u"})["run"]
    assert state.undone_by(MOVED) == ""


def test_a_run_is_undone_but_for_its_conflicts_and_redone_in_part() -> None:
    undo: dict[str, Any] = {
        "id": "u", "action": "undo", "of": "run", "is_whole": True, "deleted": (A,),
        "conflicts": (FileConflict(path="b", reason="changed"),),
    }  # fmt: skip
    state = states_of(RUN, undo)["run"]
    assert [state.undone_by(one) for one in (A, B, MOVED)] == ["u", "", "u"]
    redo: dict[str, Any] = {"id": "r", "action": "redo", "of": "u", "created": (A,)}
    state = states_of(RUN, undo, redo)["run"]
    assert [state.undone_by(one) for one in (A, MOVED)] == ["", "u"]
    state = states_of(RUN, undo, {**redo, "is_whole": True})["run"]
    assert not state.is_undone
    assert state.undone_by(MOVED) == ""
    again = {**undo, "id": "u2"}
    assert states_of(RUN, undo, {**redo, "is_whole": True}, again)["run"].undone_by(A) == "u2"


def test_what_was_set_aside_is_settled_once() -> None:
    run = {**RUN, "set_aside": (FileChange(path=".envrc"),)}
    keep: dict[str, Any] = {"id": "k", "action": "keep", "of": "run"}
    state = states_of(run, {**keep, "created": (FileChange(path=".envrc"),)})["run"]
    assert state.settled == {".envrc": "keep"}


def test_a_file_that_was_undone_before_the_rest_stays_with_its_own_undo() -> None:
    first: dict[str, Any] = {"id": "u1", "action": "undo", "of": "run", "deleted": (A,)}
    rest = {**first, "id": "u2", "is_whole": True, "deleted": (B,), "moved": (BACK,)}
    state = states_of(RUN, first, rest)["run"]
    assert [state.undone_by(one) for one in (A, B, MOVED)] == ["u1", "u2", "u2"]
    redo: dict[str, Any] = {"id": "r", "action": "redo", "of": "u2", "is_whole": True}
    state = states_of(RUN, first, rest, {**redo, "created": (B,), "moved": (MOVED,)})["run"]
    assert [state.undone_by(one) for one in (A, B, MOVED)] == ["u1", "", ""]
    alone: dict[str, Any] = {"id": "r", "action": "redo", "of": "u1", "created": (A,)}
    state = states_of(RUN, first, rest, alone)["run"]
    assert [state.undone_by(one) for one in (A, B)] == ["", "u2"]
