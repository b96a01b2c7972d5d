"""The variables of one conversation as its keeper knows them, and the store that they are in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec
from msgspec import Struct

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.saved_variables import (
    BroughtBack,
    Checkpoint,
    Origin,
    RestoreOffer,
    SavedName,
)

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel

Wish = Literal["ask", "always", "never"]
Choice = Literal["yes", "no", "stop"]


class VariableStore(Protocol):
    """Keeps saved variables; its methods block."""

    def limit(self) -> int:
        """Return how many bytes one conversation may take now."""
        ...

    def read(self, conversation_id: str) -> Checkpoint | None:
        """Return what was saved last, if it is as it was written."""
        ...

    def find(self, conversation_id: str, effect_id: str) -> Checkpoint | None:
        """Return the state after a run or an undo; that before all of them for ''."""
        ...

    def origins(self, conversation_id: str) -> list[tuple[Origin, VariableChanges | None]]:
        """Return what was saved after, the oldest first, with the changes of each."""
        ...

    def known(self, conversation_id: str, bounds: str) -> list[str]:
        """Return the keys of the contents that a kernel in a sandbox need not write again."""
        ...

    def take(
        self,
        conversation_id: str,
        found: Mapping[str, Any],
        fetch: Callable[[str, Path, int], bool],
        bounds: str = "",
        origin: Origin | None = None,
        base: Checkpoint | None = None,
        living: Checkpoint | None = None,
    ) -> Checkpoint:
        """Keep what a kernel has saved in its sandbox. Raises ValueError, OSError."""
        ...

    def put(self, checkpoint: Checkpoint) -> Checkpoint:
        """Store a checkpoint, whose files are here already, as the newest. Raises OSError."""
        ...

    def lay_out(
        self,
        checkpoint: Checkpoint,
        folder: Path,
        names: frozenset[str] | None = None,
        *,
        is_copied: bool = True,
    ) -> tuple[dict[str, Any], list[SavedName]]:
        """Put files into a kernel's folder; return the plan of it and what cannot be read."""
        ...

    def write_plan(self, plan: Mapping[str, Any], folder: Path) -> str:
        """Write a plan beside its files; return its name."""
        ...

    def clear_away(self, plan: Mapping[str, Any], folder: Path) -> None:
        """Delete a plan and its files once they were read."""
        ...

    def delete(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation."""
        ...


EMPTY = Checkpoint(conversation_id="", at=0.0, python="")
"""The state of a new kernel."""
UNKNOWN = VariableChanges(is_unknown=True)


class SaveWish(Struct, frozen=True):
    """The contents that a kernel in a sandbox need not write again, and the most it may write.

    `step` is the kernel's number for the state that it has saved last; 0 if that is not known.
    """

    bounds: str
    known: list[str]
    limit: int
    step: int


class Kept(Struct):
    """The state of one conversation's variables.

    `checkpoint` is what counts for the next kernel; `living` is what this one has saved last, and
    `origin` says after which run it is now. With `is_saved` these are the same. `base` is the state
    before that run, if it is known. `aside` are hashes of values that cannot be saved, which the
    kernel holds until it runs code, since they were taken back. With `is_in_step` the kernel knows
    as saved what is saved. `ready` is what the next save asks with, where that is known.
    """

    checkpoint: Checkpoint | None = None
    is_read: bool = False
    back: BroughtBack | None = None
    offer: RestoreOffer | None = None
    answer: asyncio.Future[Choice] | None = None
    asks_again: bool = False
    is_behind: bool = False
    kernel: LiveKernel | None = None
    has_new: bool = False
    tries: int = 0
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None
    on_change: Callable[[], None] = lambda: None
    living: Checkpoint = EMPTY
    origin: Origin = Origin()
    is_saved: bool = True
    is_in_step: bool = True
    base: Checkpoint | None = EMPTY
    changes: dict[str, VariableChanges] = msgspec.field(default_factory=dict[str, VariableChanges])
    aside: frozenset[str] = frozenset()
    ready: SaveWish | None = None
    moving: asyncio.Task[str | None] | None = None
    changing: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)

    def renew(self) -> None:
        """Forget what the kernel had: another one has no variables at first."""
        self.back, self.has_new, self.is_behind, self.is_in_step = None, False, False, True
        self.living, self.origin, self.is_saved, self.base = EMPTY, Origin(), True, EMPTY
        self.ready = None

    def begin(self, run_id: str) -> None:
        """Record that a run begins; what the one before it left can only be saved with its own."""
        before = self.origin
        skipped = () if self.is_saved else (*before.skipped, before.id)
        self.base = self.living if self.is_saved else None
        self.origin = Origin(id=run_id, before=before.id, place=run_id, skipped=skipped)
        self.is_saved = False
        self.aside = frozenset()

    def take(self, checkpoint: Checkpoint) -> None:
        """Record what the kernel has saved; a run may have begun since that was asked."""
        self.checkpoint = self.living = checkpoint
        if checkpoint.origin.id == self.origin.id:
            self.is_saved = True
        elif checkpoint.origin.id == self.origin.before:
            self.base = checkpoint
            self.origin = msgspec.structs.replace(self.origin, skipped=())
        self.note(checkpoint.origin, checkpoint.changes)

    def stand(self, checkpoint: Checkpoint) -> None:
        """Record that the kernel is in the state of a checkpoint."""
        gone = {one.hash for one in self.living.names if one.verdict not in ("kept", "import")}
        self.aside |= gone
        self.living, self.origin, self.is_saved = checkpoint, checkpoint.origin, True
        self.ready = None

    def note(self, origin: Origin, changes: VariableChanges | None) -> None:
        """Remember what can be taken back."""
        found = dict.fromkeys(filter(None, origin.skipped), UNKNOWN)
        if origin.id and changes is None:
            found[origin.id] = UNKNOWN
        elif origin.id and changes is not None and (changes.names or changes.left):
            found[origin.id] = changes
        if found:
            self.changes = {**self.changes, **found}

    async def read(self, store: VariableStore, conversation_id: str) -> Checkpoint | None:
        """Return what is saved of the conversation, which is read once."""
        if not self.is_read:
            self.checkpoint, origins = await asyncio.to_thread(_read, store, conversation_id)
            self.is_read = True
            for origin, changes in origins:
                self.note(origin, changes)
        return self.checkpoint


def _read(
    store: VariableStore, conversation_id: str
) -> tuple[Checkpoint | None, list[tuple[Origin, VariableChanges | None]]]:
    return store.read(conversation_id), store.origins(conversation_id)


def bounds_of(kernel: LiveKernel) -> str:
    """Return a text for the sandbox that a kernel is in; "" for none."""
    if kernel.confinement is None:
        return ""
    policy, folder = kernel.confinement.policy, kernel.confinement.around.folder
    return f"{policy.files} {policy.network} {','.join(sorted(policy.hosts))} {folder}"
