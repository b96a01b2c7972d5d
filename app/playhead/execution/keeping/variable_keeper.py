"""Has kernels save their variables while they rest, and new ones bring back what was saved.

Nothing waits for it: a run is reported before anything is saved, and one that comes meanwhile
begins at once. What is not saved by then is saved after it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import MsgspecError, Struct, ValidationError, convert
from msgspec.structs import replace

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.execution import PastState, Variable
from playhead.domain.saved_variables import (
    BroughtBack,
    Checkpoint,
    RestoreOffer,
    SavedName,
    changes_between,
    composed,
)
from playhead.domain.text.run_ends import note_for_model
from playhead.errors import ExecutionError
from playhead.execution.keeping.checkouts import Checkouts, Restored
from playhead.execution.keeping.kept_state import (
    EMPTY,
    Choice,
    Kept,
    SaveWish,
    VariableStore,
    Wish,
    bounds_of,
)

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel

_log = logging.getLogger(__name__)
_IDLE_S = 0.6
_AGAIN_S = 2.0
_SAVE_S = 15.0
_ANSWER_S = 5.0
"""Beyond what the kernel takes."""
_MOST_FORKED = 256_000_000
"""A process with more memory of its own is not forked: each page that code changes is copied then.

A run that rewrites its arrays while the child lives takes, against one beside a save in slices, for
0.1, 0.25, 0.5 and 1 GB 0.19, 0.39, 1.1 and 2.3 s against 0.01, 0.03, 0.05 and 0.20 s (processor
time 0.06, 0.14, 0.29 and 0.57 s against 0.003, 0.009, 0.018 and 0.034 s): measured on two busy
cores, 2.3 µs for each copied page.
"""
_MOST_TRIES = 5
_LIMIT_S = 30.0


class Saving(Struct, frozen=True):
    """The user's wish: whether variables are saved, and whether new kernels get them."""

    is_on: bool = True
    restores: Wish = "ask"


class VariableKeeper:
    """Owner of the saves under way, of one Python kernel for each conversation.

    `wish` is the user's, read each time. With `asks` somebody can answer an offer; without, "ask"
    is "never". A kernel is saved when it has rested for `idle_s`.
    """

    def __init__(
        self,
        store: VariableStore,
        wish: Callable[[], Saving],
        *,
        asks: bool = False,
        idle_s: float = _IDLE_S,
    ) -> None:
        self._idle_s = idle_s
        self._store = store
        self._wish = wish
        self._asks = asks
        self._kept: dict[str, Kept] = {}
        self._most, self._asked_at = 0, -_LIMIT_S
        self._checkouts = Checkouts(store)

    def offer(self, conversation_id: str) -> RestoreOffer | None:
        """Return the question that waits for `answer`, if there is one."""
        return self._of(conversation_id).offer

    def saved(self, conversation_id: str) -> RestoreOffer | None:
        """Return how much the next kernel can get, as `load` has read; None if it gets nothing."""
        kept = self._of(conversation_id)
        if kept.checkpoint is None or self._restores(kept) == "never":
            return None
        return kept.checkpoint.offer

    def brought_back(self, conversation_id: str) -> BroughtBack | None:
        """Return what the kernel got from the one before it; None if nothing."""
        return self._of(conversation_id).back

    def is_behind(self, conversation_id: str) -> bool:
        """Return whether what the last runs changed could not be saved yet."""
        return self._of(conversation_id).is_behind

    def is_waiting(self, conversation_id: str) -> bool:
        """Return whether a save is about to begin, or under way."""
        kept = self._of(conversation_id)
        return kept.timer is not None or kept.task is not None

    def answer(self, conversation_id: str, choice: Choice) -> None:
        """Answer the question, if there is one; "stop" gives up the run that waits for it."""
        waiting = self._of(conversation_id).answer
        if waiting is not None and not waiting.done():
            waiting.set_result(choice)

    def follow(
        self, conversation_id: str, kernel: LiveKernel, on_change: Callable[[], None]
    ) -> None:
        """Follow a kernel's states: it is saved once it has rested a while after a run.

        `on_change` is called when there is an offer, or another result, also without a new state.
        """
        kept = self._of(conversation_id)
        kept.on_change = on_change
        if kept.timer is not None:
            kept.timer.cancel()
            kept.timer = None
        kept.kernel = kernel if kernel.state != "none" else None
        if kernel.state == "busy":
            kept.has_new = True
            kept.tries = 0
        elif kernel.state == "idle" and kept.has_new:
            self._save_later(conversation_id, kernel, self._idle_s)
        elif kernel.state == "none":
            kept.renew()
            if kept.offer is not None and kept.offer.is_branch:
                self.answer(conversation_id, "no")

    def move(self, conversation_id: str, place: str) -> None:
        """Have the variables as they were after a run, which a branch that is shown ends with."""
        kept = self._of(conversation_id)
        before = kept.moving
        if before is not None and kept.offer is not None:  # another question takes its place
            before.cancel()
        kept.moving = asyncio.create_task(
            self._move(conversation_id, place, before), name="variables of a branch"
        )

    async def _move(
        self, conversation_id: str, place: str, before: asyncio.Task[str | None] | None
    ) -> str | None:
        """Follow a branch; return its place if a person has not answered but stopped a run."""
        if before is not None:
            await asyncio.wait([before])
        kept = self._of(conversation_id)
        checkpoint = await self._checkpoint(conversation_id)
        living = kept.living if kept.kernel is not None else checkpoint
        here = kept.origin if kept.kernel is not None or living is None else living.origin
        restores = self._restores(kept)
        if living is None or place == here.place or restores == "never":
            return None
        target = await asyncio.to_thread(self._store.find, conversation_id, place)
        if target is None:
            return None
        try:
            if kept.kernel is not None:
                await self.settle(conversation_id)
                offer = _branch_offer(kept.living, target)
                if restores == "ask" and offer.count:
                    choice = await self._wait_for(kept, offer)
                    if choice != "yes":
                        return place if choice == "stop" else None
            await self.go_to(conversation_id, place)
        except ExecutionError as error:
            _log.warning("The variables of a branch did not come back: %s", error)
        return None

    async def moved(self, conversation_id: str) -> bool:
        """Wait for what a branch asks; return False if the run that waits was stopped."""
        kept = self._of(conversation_id)
        while (moving := kept.moving) is not None:
            was_done = moving.done()
            await asyncio.wait([moving])
            place = None if moving.cancelled() else moving.result()
            if place is None:
                break
            self.move(conversation_id, place)  # the question stays
            if not was_done:
                return False
        return True

    async def begin(self, conversation_id: str, run_id: str) -> None:
        """Record that a run begins; not while its variables are being changed."""
        kept = self._of(conversation_id)
        async with kept.changing:
            kept.begin(run_id)

    def ask_again(self, conversation_id: str) -> None:
        """Ask before a kernel gets the variables that a person has just thrown away."""
        self._of(conversation_id).asks_again = True

    async def survivors(self, conversation_id: str) -> Callable[[], str]:
        """Return what says what a model gets to know of the variables of runs before the kernel.

        It says "" where all of them are lost.
        """
        await self._checkpoint(conversation_id)
        return lambda: self._note(conversation_id)

    def _note(self, conversation_id: str) -> str:
        kept = self._of(conversation_id)
        if kept.back is not None:
            back = (*kept.back.modules, *kept.back.names)
            return note_for_model(back, kept.back.lost, is_done=True)
        checkpoint = kept.checkpoint
        if checkpoint is None or kept.kernel is not None or self._restores(kept) == "never":
            return ""
        back = [one.name for one in checkpoint.names if one.comes_back]
        lost = [one for one in checkpoint.names if not one.comes_back]
        return note_for_model(back, lost, is_done=False)

    async def rows(
        self, conversation_id: str, found: Sequence[Variable], *, has_kernel: bool
    ) -> list[Variable]:
        """Return the variables of a kernel with those that it has not got back.

        Without a kernel, those that the next one can get.
        """
        kept = self._of(conversation_id)
        if has_kernel and kept.offer is None:
            if kept.back is None:
                return list(found)
            here = {one.name for one in found}
            back = set(kept.back.names)
            marked = [replace(one, survival="back" if one.name in back else "") for one in found]
            lost = [_row(one) for one in kept.back.lost if one.name not in here]
            return marked + lost
        checkpoint = await self._checkpoint(conversation_id)
        is_shown = checkpoint is not None and self._restores(kept) != "never"
        names = checkpoint.names if checkpoint is not None and is_shown else ()
        shown = [one for one in names if one.verdict != "import"]
        return [_row(one) for one in sorted(shown, key=lambda one: not one.comes_back)]

    async def bring_back(self, conversation_id: str, kernel: LiveKernel) -> bool:
        """Bring back into a new kernel what was saved, if the user wants that.

        Return False if the run was stopped while the user was asked.
        """
        kept = self._of(conversation_id)
        checkpoint = await self._checkpoint(conversation_id)
        restores = self._restores(kept)
        if checkpoint is None or checkpoint.offer is None or restores == "never":
            return True
        if checkpoint.bounds not in ("", bounds_of(kernel)):
            lost = tuple(
                replace(one, verdict="lost", why="other_policy") for one in checkpoint.names
            )
            kept.back = BroughtBack((), (), lost)
            kept.on_change()
            return True
        choice = await self._wait_for(kept, checkpoint.offer) if restores == "ask" else "yes"
        if choice != "yes":
            return choice == "no"
        kept.asks_again = False
        found, lost = await self._checkouts.lay(kernel, checkpoint)
        kept.back = _brought_back(checkpoint, lost, found)
        names = frozenset((*kept.back.names, *kept.back.modules))
        here = replace(EMPTY, conversation_id=conversation_id)
        kept.stand(replace(composed(here, checkpoint, names), origin=checkpoint.origin))
        kept.on_change()
        return True

    async def load(self, conversation_id: str) -> None:
        """Read what can be taken back of a conversation's runs."""
        await self._checkpoint(conversation_id)

    async def state_at(self, conversation_id: str, run_id: str) -> PastState:
        """Return the variables as they were after a run; nothing of them is read but their rows."""
        if not self._wish().is_on:
            return PastState(why="off")
        found = await asyncio.to_thread(self._store.find, conversation_id, run_id)
        if found is None:
            origins = await asyncio.to_thread(self._store.origins, conversation_id)
            is_behind = any(run_id in origin.skipped for origin, _ in origins)
            is_behind |= self._of(conversation_id).origin.id == run_id
            return PastState(why="behind" if is_behind else "collected")
        shown = [_past_row(one) for one in found.names if one.verdict != "import"]
        return PastState(variables=tuple(shown), changes=found.changes, at=found.at)

    def place(self, conversation_id: str) -> str:
        """Return the run or undo after which the variables are as they are; '' for none."""
        kept = self._of(conversation_id)
        if kept.kernel is None:
            return kept.checkpoint.origin.place if kept.checkpoint is not None else ""
        return kept.origin.place if kept.is_saved else ""

    def changes(self, conversation_id: str) -> Mapping[str, VariableChanges]:
        """Return what each run, or undo, that can be taken back has changed, by their ids."""
        return self._of(conversation_id).changes

    async def settle(self, conversation_id: str) -> None:
        """Save the variables as they are now, before they are changed. Raises ExecutionError."""
        async with self._of(conversation_id).changing:
            await self._settled(conversation_id)

    async def take_back(
        self, conversation_id: str, effect_id: str, undo_id: str
    ) -> VariableChanges | None:
        """Take back what a run, or an undo, did to variables; None where nothing is kept.

        Raises ExecutionError.
        """
        kept = self._of(conversation_id)
        async with kept.changing:
            living = await self._settled(conversation_id)
            done = await self._checkouts.take_back(kept, living, effect_id, undo_id)
        kept.on_change()
        return done

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        """Have the variables as they were after a run, or an undo. Raises ExecutionError."""
        kept = self._of(conversation_id)
        async with kept.changing:
            living = await self._settled(conversation_id)
            done = await self._checkouts.go_to(kept, living, effect_id)
        kept.on_change()
        return done

    async def _settled(self, conversation_id: str) -> Checkpoint:
        """Return the variables as they are now, all of them saved. Raises ExecutionError."""
        kept = self._of(conversation_id)
        kernel = kept.kernel
        checkpoint = await self._checkpoint(conversation_id)
        if kernel is None and checkpoint is not None:
            return checkpoint
        if kernel is None:
            raise ExecutionError("Nothing is kept of the variables.")
        if kept.task is not None:
            await asyncio.wait([kept.task])
        if not kept.is_saved and kernel.state == "idle":
            if kept.timer is not None:
                kept.timer.cancel()
                kept.timer = None
            await self._save(conversation_id, kernel)
        if not kept.is_saved:
            raise ExecutionError(
                "The variables are not changed: they could not be saved as they are now.",
                remedy="Try again when the code has ended.",
            )
        return kept.living

    async def forget(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation; it is forgotten, too."""
        kept = self._kept.pop(conversation_id, Kept())
        await _end_tasks([kept])
        async with kept.changing:  # else the change would be stored after this
            await asyncio.to_thread(self._store.delete, conversation_id)

    async def close(self) -> None:
        """Save no more."""
        await _end_tasks(self._kept.values())

    def _of(self, conversation_id: str) -> Kept:
        return self._kept.setdefault(conversation_id, Kept())

    def _restores(self, kept: Kept) -> Wish:
        wish = self._wish()
        restores = wish.restores if wish.is_on else "never"
        if restores == "always" and kept.asks_again:
            restores = "ask"
        return restores if restores != "ask" or self._asks else "never"

    async def _checkpoint(self, conversation_id: str) -> Checkpoint | None:
        return await self._of(conversation_id).read(self._store, conversation_id)

    async def _wait_for(self, kept: Kept, offer: RestoreOffer) -> Choice:
        kept.answer = asyncio.get_running_loop().create_future()
        kept.offer = offer
        kept.on_change()
        try:
            return await kept.answer
        finally:
            kept.answer = kept.offer = None
            kept.on_change()

    def _save_later(self, conversation_id: str, kernel: LiveKernel, seconds: float) -> None:
        def begin() -> None:
            kept.timer = None
            if kept.task is None and kernel.state == "idle":
                kept.task = asyncio.create_task(
                    self._save(conversation_id, kernel), name="saving of variables"
                )

        kept = self._of(conversation_id)
        kept.timer = asyncio.get_running_loop().call_later(seconds, begin)

    async def _save(self, conversation_id: str, kernel: LiveKernel) -> None:
        kept = self._of(conversation_id)
        kept.has_new = False
        try:
            is_saved = await self._save_now(conversation_id, kernel)
        except (ExecutionError, OSError, ValueError, KeyError, TypeError, MsgspecError) as error:
            _log.info("The variables of a kernel were not saved: %s", error)
            is_saved = False
        finally:
            kept.task = None
        kept.is_in_step = is_saved
        kept.is_behind = not is_saved and kernel.state != "none"
        if kept.is_behind:
            kept.has_new = True
            kept.tries += 1
        if kept.has_new and kernel.state == "idle" and kept.tries < _MOST_TRIES:
            self._save_later(conversation_id, kernel, _AGAIN_S)
        kept.on_change()

    async def _save_now(self, conversation_id: str, kernel: LiveKernel) -> bool:
        """Have a kernel save what has changed; return whether that was done."""
        kept = self._of(conversation_id)
        if not self._wish().is_on:
            await asyncio.to_thread(self._store.delete, conversation_id)
            kept.checkpoint, kept.changes = None, {}
            return True
        await self._checkpoint(conversation_id)
        bounds = bounds_of(kernel)
        wish, kept.ready = kept.ready, None
        if wish is None or wish.bounds != bounds:
            wish = await asyncio.to_thread(self._prepare, conversation_id, bounds)
        origin, base = kept.origin, kept.base
        unchanged = replace(
            kept.living,
            conversation_id=conversation_id,
            origin=origin,
            changes=VariableChanges() if base is not None else None,
            bounds=bounds,
        )

        def take(found: dict[str, Any]) -> tuple[Checkpoint, SaveWish]:
            """Store an answer and prepare the next save: each way to a thread and back costs."""
            if found.get("is_same") is True:
                taken, step = self._store.put(replace(unchanged, at=time.time())), wish.step
            else:
                taken = self._store.take(
                    conversation_id, found, kernel.take_file, bounds, origin, base, unchanged
                )
                step = int(found["step"])
            return taken, self._prepare(conversation_id, bounds, step)

        taken, ready = await kernel.save(
            take,
            _SAVE_S + _ANSWER_S,
            known=wish.known,
            limit=wish.limit,
            since=wish.step,
            most_forked=_MOST_FORKED,
            seconds=_SAVE_S,
            is_whole=not kept.is_in_step,
        )
        if kept.kernel is kernel:
            kept.take(taken)
            kept.ready = ready
        else:
            kept.checkpoint = taken
        return True

    def _prepare(self, conversation_id: str, bounds: str, step: int = 0) -> SaveWish:
        """Return what is saved already; the disk is asked now and then how much may be saved."""
        if time.monotonic() > self._asked_at + _LIMIT_S:
            self._most = self._store.limit()
            self._asked_at = time.monotonic()
        return SaveWish(bounds, self._store.known(conversation_id, bounds), self._most, step)


async def _end_tasks(them: Iterable[Kept]) -> None:
    tasks: list[asyncio.Task[Any]] = []
    for kept in them:
        if kept.timer is not None:
            kept.timer.cancel()
        tasks += [task for task in (kept.task, kept.moving) if task is not None]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _branch_offer(living: Checkpoint, target: Checkpoint) -> RestoreOffer:
    gone = {one.name for one in target.names if not one.comes_back}
    names = [one for one in changes_between(living, target).names if one not in gone]
    return RestoreOffer(len(names), len(names), is_branch=True, names=tuple(names))


def _past_row(one: SavedName) -> Variable:
    row = replace(_row(one), shape=one.shape, value=one.value)
    return replace(row, survival="", size_bytes=one.size_bytes) if one.comes_back else row


def _row(one: SavedName) -> Variable:
    return Variable(
        name=one.name,
        type=one.type,
        size_bytes=one.size,
        survival="saved" if one.comes_back else "again" if one.verdict == "again" else "lost",
        why=one.why,
        line=one.line,
    )


def _brought_back(
    checkpoint: Checkpoint, lost: list[SavedName], found: Mapping[str, Any]
) -> BroughtBack:
    """Return what came back: only names that were saved, whatever the kernel says."""
    rows = {one.name: one for one in checkpoint.names}
    try:
        answer = convert(found, Restored)
    except ValidationError:  # code can forge it
        answer = Restored()
    back = [row.name for row in answer.back if row.name in rows]
    modules = tuple(name for name in back if rows[name].verdict == "import")
    names = tuple(name for name in back if name not in modules)
    reasons = {one.name: one for one in lost}
    for row in answer.failed:
        if row.name in rows:
            reasons[row.name] = replace(rows[row.name], verdict="lost", why=row.why)
    missing: list[SavedName] = []
    for name, row in rows.items():
        if name in back:
            continue
        if name not in reasons and row.comes_back:
            why = "other_python" if answer.is_other_python else "unreadable"
            row = replace(row, verdict="lost", why=why)
        missing.append(reasons.get(name, row))
    return BroughtBack(names, modules, tuple(missing))
