"""Choose the effect on files that is undone next, or done again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.payloads import FileChange, FileChanges, VariableChanges


class RunEffect(Struct, frozen=True):
    """An effect and the message that it is shown at: its own, or the first output of its run."""

    message_id: str
    changes: FileChanges


def run_effects(
    conversation: Conversation, variables: Mapping[str, VariableChanges]
) -> list[RunEffect]:
    """Return the effects of the active path, the oldest first, on files and on variables.

    `variables` has what is saved of the latter, by the ids of runs.
    """
    messages = conversation.messages
    named = {one.content.id for one in messages if isinstance(one.content, FileChanges)}
    found: list[RunEffect] = []
    for message in messages:
        run_id = message.call_id if message.type == "console" else None
        match message.content:
            case FileChanges(id=str(id_), action="run") as changes if id_ in variables:
                found.append(RunEffect(message.id, replace(changes, variables=variables[id_])))
            case FileChanges() as changes if changes.id:
                found.append(RunEffect(message.id, changes))
            case _ if run_id and run_id in variables and run_id not in named:
                named.add(run_id)
                changes = FileChanges(folder="", id=run_id, variables=variables[run_id])
                found.append(RunEffect(message.id, changes))
            case _:
                pass
    return found


def effects_left(
    conversation: Conversation,
    what: Literal["undo", "redo"],
    variables: Mapping[str, VariableChanges],
) -> list[RunEffect]:
    """Return the runs that can be undone, or undos that can be taken back, the last one first.

    Of each at least one file is left, or the variables are.
    """
    states = effect_states(conversation.everything)
    wanted = ("run", "apply") if what == "undo" else ("undo",)
    return [
        one
        for one in reversed(run_effects(conversation, variables))
        if one.changes.action in wanted
        and states.get(one.changes.id, EffectState()).is_left(one.changes)
    ]


def waiting_aside(changes: FileChanges, states: Mapping[str, EffectState]) -> list[str]:
    """Return the files of an effect that were set aside and wait to be kept or deleted."""
    settled = states.get(changes.id, EffectState()).settled
    return [one.path for one in changes.set_aside if one.path not in settled]


def undos_of(
    conversation: Conversation, changes: FileChanges, path: str = ""
) -> Sequence[tuple[str, str]]:
    """Return the undos by which an effect, or one file of it, is done again.

    Each is taken back as a whole (''), or for one path. An undo is the only one for itself.
    """
    if changes.action == "undo":
        return [(changes.id, path)]
    state = effect_states(conversation.everything).get(changes.id, EffectState())
    if path:
        change = next((one for one in changes.listed if one.path == path), FileChange(path=path))
        undo_id = state.undone_by(change)
        return [(undo_id, path if undo_id == state.whole else "")] if undo_id else []
    undos = [state.undone_by(one) for one in changes.listed] + [state.variables]
    return [(undo_id, "") for undo_id in dict.fromkeys(undos) if undo_id]
