"""Puts the variables of a conversation into an earlier state: its kernel's, or the next one's."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from playhead.domain.conversation.payloads import LeftName, VariableChanges
from playhead.domain.saved_variables import (
    Checkpoint,
    Origin,
    SavedName,
    WhyLost,
    composed,
    joined_with,
    to_take_back,
)
from playhead.errors import ExecutionError
from playhead.execution.keeping.kept_state import Kept, VariableStore, bounds_of

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel

_log = logging.getLogger(__name__)
_RESTORE_S = 60.0
_ANSWER_S = 5.0
"""Beyond what the kernel takes."""


class RestoredName(Struct):
    """A name in the answer of a kernel to `restore`."""

    name: str
    why: WhyLost = "unreadable"


class Restored(Struct):
    """The answer of a kernel to `restore`."""

    back: tuple[RestoredName, ...] = ()
    failed: tuple[RestoredName, ...] = ()
    is_other_python: bool = False


class _Wish(Struct, frozen=True, kw_only=True):
    """Names that are to be as in `target`; `left` are those that were not to be changed."""

    target: Checkpoint
    names: frozenset[str]
    left: tuple[LeftName, ...]
    origin: Origin


class Checkouts:
    """Changes only the names that differ; all others stay the very objects that they are."""

    def __init__(self, store: VariableStore) -> None:
        self._store = store

    async def take_back(
        self, kept: Kept, living: Checkpoint, effect_id: str, undo_id: str
    ) -> VariableChanges | None:
        """Take back what a run, or an undo, has changed; None where that is not kept."""
        owner = living.conversation_id
        after = await asyncio.to_thread(self._store.find, owner, effect_id)
        if after is None or after.changes is None:
            return None
        before = await asyncio.to_thread(self._store.find, owner, after.origin.before)
        if before is None:
            return None
        at_hand = kept.aside | {one.hash for one in living.names if kept.kernel is not None}
        names, left = to_take_back(living, after, before, at_hand)
        origin = Origin(id=undo_id, before=living.origin.id, place=undo_id)
        return await self._change(
            kept, living, _Wish(target=before, names=names, left=left, origin=origin)
        )

    async def go_to(self, kept: Kept, living: Checkpoint, effect_id: str) -> VariableChanges:
        """Have all variables as they were after a run, or an undo. Raises ExecutionError."""
        target = await asyncio.to_thread(self._store.find, living.conversation_id, effect_id)
        if target is None:
            raise ExecutionError("The variables of this run are not kept.")
        now, then = living.contents(), target.contents()
        names = {name for name in now.keys() | then.keys() if now.get(name) != then.get(name)}
        origin = Origin(id=uuid.uuid4().hex, before=living.origin.id, place=effect_id)
        return await self._change(
            kept, living, _Wish(target=target, names=frozenset(names), left=(), origin=origin)
        )

    async def lay(
        self, kernel: LiveKernel, target: Checkpoint, names: frozenset[str] | None = None
    ) -> tuple[Mapping[str, Any], list[SavedName]]:
        """Have a kernel read names of a checkpoint, and delete those that it does not have.

        Return its answer, {} for none, and what is not on the disk as it was written.
        """
        folder = kernel.spool_folder
        is_copied = kernel.confinement is not None
        plan, lost = await asyncio.to_thread(
            self._store.lay_out, target, folder, names, is_copied=is_copied
        )
        known = {one.name for one in target.names}
        plan["delete"] = sorted((names or frozenset()) - known)
        file = await asyncio.to_thread(self._store.write_plan, plan, folder)
        try:
            return await kernel.restore(file, _RESTORE_S, _ANSWER_S), lost
        except ExecutionError as error:
            _log.warning("The variables of a kernel did not come back: %s", error)
            return {}, lost
        finally:
            await asyncio.to_thread(self._store.clear_away, plan, folder)

    async def _change(self, kept: Kept, living: Checkpoint, wish: _Wish) -> VariableChanges:
        rows = {one.name: one for one in wish.target.names}
        names, reasons = self._possible(kept, wish)
        left: tuple[LeftName, ...] = ()
        if kept.kernel is not None and names:
            done, failed = await self._change_kernel(kept, kept.kernel, wish.target, names)
            reasons |= failed
            done, left = await self._with_joined(kept.kernel, living, wish, done, failed)
        elif kept.kernel is None:
            done = frozenset(name for name in names if name not in rows or rows[name].comes_back)
            reasons |= {name: rows[name].why for name in names - done}
        else:
            done = frozenset[str]()
        before = {one.name for one in living.names}
        changes = VariableChanges(
            made=tuple(sorted(done - before)),
            changed=tuple(sorted(name for name in done & before if name in rows)),
            deleted=tuple(sorted(name for name in done & before if name not in rows)),
            left=(
                *wish.left,
                *left,
                *(LeftName(name, "not_kept", reasons[name]) for name in sorted(reasons)),
            ),
        )
        is_move = wish.origin.place != wish.origin.id
        if done or is_move:
            found = composed(living, wish.target, done)
            found = replace(
                found,
                at=time.time(),
                origin=wish.origin,
                changes=changes,
                bounds=living.bounds or wish.target.bounds,
            )
            kept.checkpoint = await asyncio.to_thread(self._store.put, found)
            if not is_move:
                kept.note(wish.origin, changes)
            if kept.kernel is not None:
                kept.stand(found)
        return changes

    async def _with_joined(
        self,
        kernel: LiveKernel,
        living: Checkpoint,
        wish: _Wish,
        done: frozenset[str],
        failed: Mapping[str, WhyLost],
    ) -> tuple[frozenset[str], tuple[LeftName, ...]]:
        """Put back what shares objects with names that could not be read; return what is done."""
        bound = joined_with(failed, living, wish.target)
        again = done & bound
        if not again or wish.origin.place != wish.origin.id:
            return done, ()
        await self.lay(kernel, living, bound)
        return done - bound, tuple(LeftName(name, "joined") for name in sorted(again))

    def _possible(self, kept: Kept, wish: _Wish) -> tuple[frozenset[str], dict[str, WhyLost]]:
        """Return the names that may be read here, and why others may not."""
        inside = bounds_of(kept.kernel) if kept.kernel is not None else wish.target.bounds
        if wish.target.bounds in ("", inside):
            return wish.names, {}
        known = {one.name for one in wish.target.names}
        refused: dict[str, WhyLost] = dict.fromkeys(wish.names & known, "other_policy")
        return wish.names - known, refused

    async def _change_kernel(
        self, kept: Kept, kernel: LiveKernel, target: Checkpoint, names: frozenset[str]
    ) -> tuple[frozenset[str], dict[str, WhyLost]]:
        """Return the names that it has as in the target, and why it has others not."""
        found, lost = await self.lay(kernel, target, names)
        if not found:
            kept.is_saved, kept.has_new = False, True  # nobody knows what it has now
            raise ExecutionError(
                "The variables could not be changed.",
                detail="The kernel has not answered.",
                remedy="Look at the variables, then try again.",
            )
        try:
            answer = convert(found, Restored)
        except ValidationError:  # code can forge it
            answer = Restored()
        rows = {one.name: one for one in target.names}
        done = names - rows.keys() | (names & {one.name for one in answer.back})
        reasons: dict[str, WhyLost] = {name: rows[name].why for name in names - done}
        reasons |= {one.name: one.why for one in answer.failed if one.name in reasons}
        reasons |= {one.name: one.why for one in lost if one.name in reasons}
        if answer.is_other_python:
            reasons |= {name: "other_python" for name in reasons if rows[name].comes_back}
        return frozenset(done), reasons
