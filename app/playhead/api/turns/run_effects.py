"""The effects of runs on files for programs: list them, undo one and do it again."""

from __future__ import annotations

from typing import Any, Literal

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.effect_choice import effects_left, undos_of
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.payloads import FileChanges
from playhead.errors import ExecutionError, RequestError
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import encode_chunk
from playhead.session.session import Session

TakeBack = Literal["undo", "redo"]


def list_effects(session: Session) -> Wire:
    """Return the effects of the conversation that can be undone or were, the oldest first.

    Each has what a chunk computer/files has, and the files of it that are `undone` now.
    """
    states = effect_states(session.conversation.everything)
    contents = [message.content for message in session.conversation.messages]
    effects = [one for one in contents if isinstance(one, FileChanges) and one.id]
    return {"effects": [_wire(one, states.get(one.id, EffectState())) for one in effects]}


async def take_back(session: Session, what: TakeBack, effect_id: str, path: str = "") -> Wire:
    """Undo an effect or one file of it, or do it again; '' is the last one of which some is left.

    Return what was done; a file that was left as it is is among its `conflicts`. Raises
    RequestError and SessionError.
    """
    changes = _find(session, what, effect_id)
    if path and not any(path in (one.path, one.old_path) for one in changes.listed):
        raise RequestError("The run did not change that file.", code="not_found", param="path")
    try:
        done = await _take_back(session, what, changes, path)
    except ExecutionError as error:
        raise RequestError(
            error.title, detail=error.detail, remedy=error.remedy, code="invalid_state"
        ) from error
    return {"effects": [_wire(one) for one in done]}


async def _take_back(
    session: Session, what: TakeBack, changes: FileChanges, path: str
) -> list[FileChanges]:
    if what == "redo":
        undos = undos_of(session.conversation, changes, path)
        return [await session.files.redo_run(undo_id, only) for undo_id, only in undos]
    if path:
        return [await session.files.undo_file(changes.id, path)]
    return [await session.files.undo_run(changes.id)]


def _find(session: Session, what: TakeBack, effect_id: str) -> FileChanges:
    contents = (message.content for message in session.conversation.messages)
    if not effect_id:
        contents = (message.content for message in effects_left(session.conversation, what))
    for content in contents:
        if isinstance(content, FileChanges) and content.id and effect_id in ("", content.id):
            return content
    if effect_id:
        raise RequestError(
            "There is no such effect in this conversation.", code="not_found", param="effect_id"
        )
    words = "There is nothing to undo." if what == "undo" else "Nothing was undone."
    raise RequestError(words, code="invalid_state")


def _wire(changes: FileChanges, state: EffectState | None = None) -> Wire:
    chunk = encode_chunk(Chunk(role="computer", type="files", content=changes))
    content: dict[str, Any] = dict(chunk["content"])
    if state is not None:
        content["undone"] = [one.path for one in changes.listed if state.undone_by(one)]
    return content
