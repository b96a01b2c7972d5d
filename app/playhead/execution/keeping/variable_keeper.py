"""Has kernels save their variables while they rest, and new ones bring back what was saved.

Nothing waits for it: a run is reported before anything is saved, and one that comes meanwhile
begins at once. What is not saved by then is saved after it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import MsgspecError, Struct, ValidationError, convert
from msgspec.structs import replace

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.execution import PastState, Variable
from playhead.domain.saved_variables import (
    BroughtBack,
    Checkpoint,
    RestoreOffer,
    SavedName,
    WhyLost,
)
from playhead.domain.text.run_ends import note_for_model
from playhead.errors import ExecutionError

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel

_log = logging.getLogger(__name__)
_IDLE_S = 0.6
_AGAIN_S = 2.0
_SAVE_S = 15.0
_RESTORE_S = 60.0
_ANSWER_S = 5.0
"""Beyond what the kernel takes."""
_MOST_FORKED = 512_000_000
"""A larger process is not forked: each of its pages that code changes then would be copied."""
_MOST_TRIES = 5
_LIMIT_S = 30.0

Wish = Literal["ask", "always", "never"]
Choice = Literal["yes", "no", "stop"]


class Saving(Struct, frozen=True):
    """The user's wish: whether variables are saved, and whether new kernels get them."""

    is_on: bool = True
    restores: Wish = "ask"


class VariableStore(Protocol):
    """Keeps saved variables; its methods block."""

    def limit(self) -> int:
        """Return how many bytes one conversation may take now."""
        ...

    def read(self, conversation_id: str) -> Checkpoint | None:
        """Return what was saved last, if it is as it was written."""
        ...

    def take(
        self,
        conversation_id: str,
        found: Mapping[str, Any],
        fetch: Callable[[str, Path, int], bool],
        bounds: str = "",
    ) -> Checkpoint:
        """Keep what a kernel has saved in its sandbox. Raises ValueError, OSError."""
        ...

    def lay_out(self, checkpoint: Checkpoint, folder: Path) -> tuple[str, list[SavedName]]:
        """Copy it into a kernel's folder; return the plan's name and what cannot be read."""
        ...

    def delete(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation."""
        ...


class _Kept(Struct):
    """The state of one conversation's variables."""

    checkpoint: Checkpoint | None = None
    is_read: bool = False
    back: BroughtBack | None = None
    offer: RestoreOffer | None = None
    answer: asyncio.Future[Choice] | None = None
    asks_again: bool = False
    is_behind: bool = False
    has_kernel: bool = False
    has_new: bool = False
    tries: int = 0
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None
    on_change: Callable[[], None] = lambda: None


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
        self._kept: dict[str, _Kept] = {}
        self._most, self._asked_at = 0, -_LIMIT_S

    def offer(self, conversation_id: str) -> RestoreOffer | None:
        """Return the question that waits for `answer`, if there is one."""
        return self._of(conversation_id).offer

    def saved(self, conversation_id: str) -> RestoreOffer | None:
        """Return how much the next kernel can get; None if nothing, or it never gets any."""
        kept = self._of(conversation_id)
        if not kept.is_read:
            kept.checkpoint, kept.is_read = self._store.read(conversation_id), True
        found = kept.checkpoint
        is_wanted = found is not None and self._restores(kept) != "never"
        return found.offer if found is not None and is_wanted else None

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
        kept.has_kernel = kernel.state != "none"
        if kernel.state == "busy":
            kept.has_new = True
            kept.tries = 0
        elif kernel.state == "idle" and kept.has_new:
            self._save_later(conversation_id, kernel, self._idle_s)
        elif kernel.state == "none":
            kept.back, kept.has_new, kept.is_behind = None, False, False

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
        if checkpoint is None or kept.has_kernel or self._restores(kept) == "never":
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
        if checkpoint.bounds not in ("", _bounds(kernel)):
            lost = tuple(
                replace(one, verdict="lost", why="other_policy") for one in checkpoint.names
            )
            kept.back = BroughtBack((), (), lost)
            kept.on_change()
            return True
        choice = await self._ask(kept, checkpoint) if restores == "ask" else "yes"
        if choice != "yes":
            return choice == "no"
        kept.asks_again = False
        plan, lost = await asyncio.to_thread(self._store.lay_out, checkpoint, kernel.spool_folder)
        found: dict[str, Any] = {}
        try:
            found = await kernel.restore(plan, _RESTORE_S, _ANSWER_S)
        except ExecutionError as error:
            _log.warning("The variables of a kernel did not come back: %s", error)
        kept.back = _brought_back(checkpoint, lost, found)
        kept.has_new = True
        kept.on_change()
        return True

    async def state_at(self, conversation_id: str, run_id: str) -> PastState:
        """Return the variables as they were after a run."""
        return PastState(why="collected")

    def place(self, conversation_id: str) -> str:
        """Return the run or undo after which the variables are as they are; '' for none."""
        return ""

    def changes(self, conversation_id: str) -> Mapping[str, VariableChanges]:
        """Return what each run, or undo, that can be taken back has changed, by their ids."""
        return {}

    async def take_back(
        self, conversation_id: str, effect_id: str, undo_id: str
    ) -> VariableChanges | None:
        """Take back what a run, or an undo, did to variables; None where nothing is kept."""
        return None

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        """Have the variables as they were after a run, or an undo. Raises ExecutionError."""
        raise ExecutionError("The variables of this run are not kept.")

    async def forget(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation; it is forgotten, too."""
        kept = self._kept.pop(conversation_id, None)
        if kept is not None and kept.timer is not None:
            kept.timer.cancel()
        await asyncio.to_thread(self._store.delete, conversation_id)

    async def close(self) -> None:
        """Save no more."""
        tasks = [kept.task for kept in self._kept.values() if kept.task is not None]
        for kept in self._kept.values():
            if kept.timer is not None:
                kept.timer.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of(self, conversation_id: str) -> _Kept:
        return self._kept.setdefault(conversation_id, _Kept())

    def _restores(self, kept: _Kept) -> Wish:
        wish = self._wish()
        restores = wish.restores if wish.is_on else "never"
        if restores == "always" and kept.asks_again:
            restores = "ask"
        return restores if restores != "ask" or self._asks else "never"

    async def _checkpoint(self, conversation_id: str) -> Checkpoint | None:
        """Return what is saved of a conversation, which is read once."""
        kept = self._of(conversation_id)
        if not kept.is_read:
            kept.checkpoint = await asyncio.to_thread(self._store.read, conversation_id)
            kept.is_read = True
        return kept.checkpoint

    async def _ask(self, kept: _Kept, checkpoint: Checkpoint) -> Choice:
        kept.answer = asyncio.get_running_loop().create_future()
        kept.offer = checkpoint.offer
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
        kept.is_behind = not is_saved and kernel.state != "none"
        if kept.is_behind:
            kept.has_new = True
            kept.tries += 1
        if kept.has_new and kernel.state == "idle" and kept.tries < _MOST_TRIES:
            self._save_later(conversation_id, kernel, _AGAIN_S)
        kept.on_change()

    async def _limit(self) -> int:
        """Return how much may be saved; the disk is asked now and then."""
        if time.monotonic() > self._asked_at + _LIMIT_S:
            self._most = await asyncio.to_thread(self._store.limit)
            self._asked_at = time.monotonic()
        return self._most

    async def _save_now(self, conversation_id: str, kernel: LiveKernel) -> bool:
        """Have a kernel save what has changed; return whether that was done."""
        if not self._wish().is_on:
            await asyncio.to_thread(self._store.delete, conversation_id)
            self._of(conversation_id).checkpoint = None
            return True
        checkpoint = await self._checkpoint(conversation_id)
        known = [group.key for group in checkpoint.groups] if checkpoint else []
        limit = await self._limit()
        found = await kernel.save(
            _SAVE_S + _ANSWER_S, known=known, limit=limit, most_forked=_MOST_FORKED, seconds=_SAVE_S
        )
        if found.get("is_same") is True:
            return True
        taken = await asyncio.to_thread(
            self._store.take, conversation_id, found, kernel.take_file, _bounds(kernel)
        )
        if conversation_id in self._kept:
            self._kept[conversation_id].checkpoint = taken
        else:  # it was deleted meanwhile
            await asyncio.to_thread(self._store.delete, conversation_id)
        return True


def _bounds(kernel: LiveKernel) -> str:
    """Return a text for the sandbox that a kernel is in; "" for none."""
    if kernel.confinement is None:
        return ""
    policy, folder = kernel.confinement.policy, kernel.confinement.around.folder
    return f"{policy.files} {policy.network} {','.join(sorted(policy.hosts))} {folder}"


def _row(one: SavedName) -> Variable:
    return Variable(
        name=one.name,
        type=one.type,
        size_bytes=one.size,
        survival="saved" if one.comes_back else "again" if one.verdict == "again" else "lost",
        why=one.why,
        line=one.line,
    )


class _RestoredName(Struct):
    name: str
    why: WhyLost = "unreadable"


class _Restored(Struct):
    """The answer of a kernel to `restore`."""

    back: tuple[_RestoredName, ...] = ()
    failed: tuple[_RestoredName, ...] = ()
    is_other_python: bool = False


def _brought_back(
    checkpoint: Checkpoint, lost: list[SavedName], found: Mapping[str, Any]
) -> BroughtBack:
    """Return what came back: only names that were saved, whatever the kernel says."""
    rows = {one.name: one for one in checkpoint.names}
    try:
        answer = convert(found, _Restored)
    except ValidationError:  # code can forge it
        answer = _Restored()
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
