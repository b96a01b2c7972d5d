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
    deleted: tuple[str, ...] = ()
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
        try:
            file = await asyncio.to_thread(self._store.write_plan, plan, folder)
            return await kernel.restore(file, _RESTORE_S, _ANSWER_S), lost
        except (ExecutionError, OSError) as error:
            _log.warning("The variables of a kernel did not come back: %s", error)
            return {}, lost
        finally:
            await asyncio.to_thread(self._store.clear_away, plan, folder)

    async def _change(self, kept: Kept, living: Checkpoint, wish: _Wish) -> VariableChanges:
        kernel = kept.kernel
        rows = {one.name: one for one in wish.target.names}
        names, reasons = _possible(kernel, living, wish)
        left: tuple[LeftName, ...] = ()
        if kernel is not None and names:
            done, failed = await self._change_kernel(kept, kernel, wish.target, names)
            reasons |= failed
            done, left = await self._with_joined(kernel, living, wish, done, failed)
        elif kernel is None:
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
            found = replace(found, at=time.time(), origin=wish.origin, changes=changes)
            if kernel is not None:
                found = replace(found, bounds=bounds_of(kernel))
            await self._put(kept, found, is_done=kernel is not None)
            if not is_move:
                kept.note(wish.origin, changes)
            if kernel is not None and kept.kernel is kernel:
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

    async def _put(self, kept: Kept, found: Checkpoint, *, is_done: bool) -> None:
        """Store the checkpoint that the next kernel starts with; this one may have it already.

        Raises ExecutionError where that cannot be stored and nothing is done.
        """
        try:
            kept.checkpoint = await asyncio.to_thread(self._store.put, found)
        except OSError as error:
            if not is_done:
                raise _not_changed(str(error), "Make room on the disk, then try again.") from error
            _log.info("The variables of a kernel were not saved: %s", error)
            kept.is_behind = True

    async def _change_kernel(
        self, kept: Kept, kernel: LiveKernel, target: Checkpoint, names: frozenset[str]
    ) -> tuple[frozenset[str], dict[str, WhyLost]]:
        """Return the names that it has as in the target, and why it has others not."""
        found, lost = await self.lay(kernel, target, names)
        if not found:
            if kept.kernel is kernel:  # nobody knows what it has now
                kept.is_saved, kept.has_new = False, True
                kept.is_in_step, kept.base = False, None
            raise _not_changed(
                "The kernel has not answered.", "Look at the variables, then try again."
            )
        try:
            answer = convert(found, Restored)
        except ValidationError:  # code can forge it
            answer = Restored()
        rows = {one.name: one for one in target.names}
        done = {one for one in answer.deleted if one not in rows}
        done = names & (done | {one.name for one in answer.back})
        reasons: dict[str, WhyLost] = {
            name: rows[name].why if name in rows else "unreadable" for name in names - done
        }
        reasons |= {one.name: one.why for one in answer.failed if one.name in reasons}
        reasons |= {one.name: one.why for one in lost if one.name in reasons}
        if answer.is_other_python:
            unread = {name for name in reasons if name in rows and rows[name].comes_back}
            reasons |= dict.fromkeys(unread, "other_python")
        return done, reasons


def _possible(
    kernel: LiveKernel | None, living: Checkpoint, wish: _Wish
) -> tuple[frozenset[str], dict[str, WhyLost]]:
    """Return the names that may be read here, and why others may not.

    Without a kernel the next one has to be able to read both, what stays and what comes.
    """
    target = wish.target
    staying = [one for one in living.names if one.name not in wish.names and one.comes_back]
    inside = bounds_of(kernel) if kernel is not None else living.bounds if staying else ""
    is_free = kernel is None and not inside
    is_mixed = kernel is None and any(one.verdict == "kept" for one in staying)
    refused: dict[str, WhyLost] = {}
    if not is_free and target.bounds not in ("", inside):
        refused = dict.fromkeys((one.name for one in target.names), "other_policy")
    elif is_mixed and target.python != living.python:
        in_files = (one.name for one in target.names if one.verdict == "kept")
        refused = dict.fromkeys(in_files, "other_python")
    return wish.names - refused.keys(), {
        name: refused[name] for name in wish.names & refused.keys()
    }


def _not_changed(detail: str, remedy: str) -> ExecutionError:
    return ExecutionError("The variables could not be changed.", detail=detail, remedy=remedy)
