"""The effects of runs on files for programs: list them, undo one and do it again."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.effect_choice import undos_of, waiting_aside
from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.payloads import FileChanges
from playhead.errors import ExecutionError, RequestError
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import encode_chunk
from playhead.session.session import Session

TakeBack = Literal["undo", "redo"]
Settle = Literal["keep", "delete"]
SettleReview = Literal["apply", "discard"]


async def list_effects(session: Session) -> Wire:
    """Return the effects of the conversation that can be undone or were, the oldest first.

    Each has what a chunk computer/files has, the files of it that are `undone` now, and those that
    were set aside and are `waiting`.
    """
    with suppress(ExecutionError):
        await session.files.settle()
    states = effect_states(session.conversation.everything)
    return {"effects": [_wire(one.changes, states) for one in session.files.effects]}


async def take_back(session: Session, what: TakeBack, effect_id: str, path: str = "") -> Wire:
    """Undo an effect or one file of it, or do it again; '' is the last one of which some is left.

    Return what was done; a file that was left as it is is among its `conflicts`. Raises
    RequestError and SessionError.
    """
    with _refused_in_words():
        await session.files.settle()
    changes = _find(session, what, effect_id)
    if path and not any(path in (one.path, one.old_path) for one in changes.listed):
        raise RequestError("The run did not change that file.", code="not_found", param="path")
    with _refused_in_words():
        done = await _take_back(session, what, changes, path)
    return {"effects": [_wire(one) for one in done]}


async def settle(session: Session, what: Settle, effect_id: str, path: str = "") -> Wire:
    """Keep or delete what was set aside of an effect, or one file of it; '' is any that has some.

    Return what was done, for each file. Raises RequestError and SessionError.
    """
    states = effect_states(session.conversation.everything)
    contents = [message.content for message in session.conversation.messages]
    found = [
        (one.id, waiting)
        for one in contents
        if isinstance(one, FileChanges) and one.id and effect_id in ("", one.id)
        for waiting in waiting_aside(one, states)
        if path in ("", waiting)
    ]
    if not found:
        words = "That file does not wait to be kept or deleted." if path else "Nothing waits."
        raise RequestError(words, code="not_found", param="path")
    act = session.files.keep if what == "keep" else session.files.delete
    with _refused_in_words():
        done = [await act(*one) for one in found]
    return {"effects": [_wire(one) for one in done]}


@contextmanager
def _refused_in_words() -> Generator[None]:
    try:
        yield
    except ExecutionError as error:
        raise RequestError(
            error.title, detail=error.detail, remedy=error.remedy, code="invalid_state"
        ) from error


async def _take_back(
    session: Session, what: TakeBack, changes: FileChanges, path: str
) -> list[FileChanges]:
    if what == "redo":
        undos = undos_of(session.conversation, changes, path)
        return [await session.files.redo_run(undo_id, only) for undo_id, only in undos]
    if path:
        return [await session.files.undo_file(changes.id, path)]
    return [await session.files.undo_run(changes.id)]


async def list_review(session: Session) -> Wire:
    """Return what would change if the copy that runs work in were applied, as one effect or none.

    Raises RequestError.
    """
    with _refused_in_words():
        await session.copy.look()
    waiting = session.copy.waiting
    has_any = waiting is not None and (waiting.listed or waiting.note)
    return {"effects": [_wire(waiting)] if waiting is not None and has_any else []}


async def settle_review(session: Session, what: SettleReview, paths: Sequence[str] = ()) -> Wire:
    """Apply what waits in the copy, or some paths of it, or discard all; return what was done.

    Raises RequestError and SessionError.
    """
    await list_review(session)
    known = session.copy.waiting.listed if session.copy.waiting is not None else ()
    names = {path for one in known for path in (one.path, one.old_path)}
    unknown = next((path for path in paths if path not in names), "")
    if unknown:
        raise RequestError("That file does not wait for a review.", code="not_found", param="paths")
    with _refused_in_words():
        done = await (session.copy.discard() if what == "discard" else session.copy.apply(paths))
    return {"effects": [_wire(done)]}


def _find(session: Session, what: TakeBack, effect_id: str) -> FileChanges:
    effects = session.files.effects if effect_id else session.files.left(what)
    for one in effects:
        if effect_id in ("", one.changes.id):
            return one.changes
    if effect_id:
        raise RequestError(
            "There is no such effect in this conversation.", code="not_found", param="effect_id"
        )
    words = "There is nothing to undo." if what == "undo" else "Nothing was undone."
    raise RequestError(words, code="invalid_state")


def _wire(changes: FileChanges, states: Mapping[str, EffectState] | None = None) -> Wire:
    chunk = encode_chunk(Chunk(role="computer", type="files", content=changes))
    content: dict[str, Any] = dict(chunk["content"])
    if states is not None:
        state = states.get(changes.id, EffectState())
        content["undone"] = [one.path for one in changes.listed if state.undone_by(one)]
        if changes.variables is not None:
            content["variables"]["is_undone"] = bool(state.variables)
        if waiting := waiting_aside(changes, states):
            content["waiting"] = waiting
    return content
