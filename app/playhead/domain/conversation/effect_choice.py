"""Choose the effect on files that is undone next, or done again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import FileChange, FileChanges


def effects_left(conversation: Conversation, what: Literal["undo", "redo"]) -> list[Message]:
    """Return the messages with runs that can be undone, or undos that can be taken back.

    The last one comes first. Of each at least one file is left.
    """
    states = effect_states(conversation.everything)
    found: list[Message] = []
    for message in reversed(conversation.messages):
        match message.content:
            case FileChanges(id=str(id_)) as changes if id_:
                state = states.get(id_, EffectState())
                is_left = not all(state.undone_by(one) for one in changes.listed)
                wanted = ("run", "apply") if what == "undo" else ("undo",)
                if changes.action in wanted and is_left:
                    found.append(message)
            case _:
                pass
    return found


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
    undos = (state.undone_by(one) for one in changes.listed)
    return [(undo_id, "") for undo_id in dict.fromkeys(undos) if undo_id]
