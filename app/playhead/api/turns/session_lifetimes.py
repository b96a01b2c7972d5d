"""Limit how long programs' conversations and their kernels are kept after the last turn."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import time
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct

from playhead.session.session import Session
from playhead.session.sessions import Sessions

KEPT_S = 3600.0
"""Time in which a conversation can be continued (docs/wire-formats.md)."""
MAX_IDLE = 200
"""Conversations that rest in memory at most; the longest unused go first."""
MAX_IDLE_BYTES = 32 * 1024**2
"""And so much text at most, beside the conversation that was used last."""
_MESSAGE_BYTES = 1_000
"""What a message takes beside its text."""
_LARGE_BYTES = 1024**2
MAX_IDLE_KERNELS = 8
"""Most kernels that stay idle for long; a conversation whose kernel was ended gets a new one and
its model is informed.
"""
KERNEL_REST_S = 300.0
"""So long a kernel waits for its client's next step, however many others do."""
MAX_WAITING_KERNELS = 64
"""Or until so many wait."""


class TemporarySessions:
    """Forgets conversations that are not kept, and calls `on_gone` with the id of each."""

    def __init__(
        self, sessions: Sessions, on_gone: Callable[[str], None], kept_s: float = KEPT_S
    ) -> None:
        self._sessions = sessions
        self._on_gone = on_gone
        self._kept_s = kept_s
        self._used: OrderedDict[str, float] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._has_surplus = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def use(self, session: Session) -> None:
        """Record that a conversation was used just now."""
        conversation_id = session.conversation.id
        if self._sessions.is_kept(conversation_id):
            return
        self._used.pop(conversation_id, None)
        self._used[conversation_id] = time.monotonic()
        self._sizes[conversation_id] = _size_bytes(session)
        self._sweep()

    def drop(self, session: Session) -> None:
        """Forget an unkept session at once, without waiting for its time to pass."""
        if not self._sessions.is_kept(session.conversation.id):
            self._release(session)

    def close(self) -> None:
        """Forget nothing more; the sessions' owner ends them."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()

    def _sweep(self) -> None:
        oldest = time.monotonic() - self._kept_s
        last = next(reversed(self._used), "")
        others_bytes = sum(self._sizes.values()) - self._sizes.get(last, 0)
        for conversation_id, used in tuple(self._used.items()):
            size_bytes = self._sizes[conversation_id]
            session = self._sessions.get(conversation_id)
            are_too_many = len(self._used) > MAX_IDLE or others_bytes > MAX_IDLE_BYTES
            if session is None or self._sessions.is_kept(conversation_id):
                self._disregard(conversation_id)
            elif used < oldest or are_too_many:
                self._release(session)
            if conversation_id not in self._used:
                others_bytes -= size_bytes
        self._end_surplus_kernels()
        self._schedule()

    def _disregard(self, conversation_id: str) -> None:
        self._used.pop(conversation_id, None)
        self._sizes.pop(conversation_id, None)

    def _release(self, session: Session) -> None:
        """Release a conversation; a proposal that is still undecided is withdrawn."""
        if not session.is_idle and session.pending is None:
            return
        conversation_id = session.conversation.id
        self._disregard(conversation_id)
        self._on_gone(conversation_id)
        task = asyncio.get_running_loop().create_task(self._forget(session))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forget(self, session: Session) -> None:
        if not session.is_idle:
            await session.stopped()
        is_large = _size_bytes(session) > _LARGE_BYTES
        await self._sessions.forget(session.conversation.id)
        if is_large:
            await asyncio.to_thread(_give_memory_back)

    def _end_surplus_kernels(self) -> None:
        sessions = [self._sessions.get(name) for name in self._used]
        idle = [
            s for s in sessions if s and s.is_idle and s.kernel.state not in ("none", "stopping")
        ]
        long_ago = time.monotonic() - KERNEL_REST_S
        surplus = idle[: max(len(idle) - MAX_IDLE_KERNELS, 0)]
        at_once = len(idle) - MAX_WAITING_KERNELS
        self._has_surplus = False
        for place, session in enumerate(surplus):
            if place < at_once or self._used[session.conversation.id] <= long_ago:
                session.restart_kernel()
            else:
                self._has_surplus = True

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._used:
            due_s = self._kept_s - (time.monotonic() - next(iter(self._used.values())))
            if self._has_surplus:
                due_s = min(due_s, KERNEL_REST_S / 5)
            self._timer = asyncio.get_running_loop().call_later(max(due_s, 1.0), self._sweep)


def _give_memory_back() -> None:
    """Return freed memory to the system: the C library keeps blocks as large as these."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
        if trim is not None:
            trim(0)


def _size_bytes(session: Session) -> int:
    messages = session.conversation.messages
    return sum(len(message.text) + _MESSAGE_BYTES for message in messages)


class _Use(Struct, frozen=True):
    """A thread's last run; `at` is monotonic, `leaf_id` the last message of then."""

    session: Session
    at: float
    leaf_id: str | None


class ThreadKernels:
    """Limits the kernels of threads: a program may begin a thread for each question.

    A conversation that the window continues belongs to the window from then on, with its kernel.
    """

    def __init__(self, rest_s: float = KERNEL_REST_S, most: int = MAX_IDLE_KERNELS) -> None:
        self._rest_s = rest_s
        self._most = most
        self._used: OrderedDict[str, _Use] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None

    def use(self, session: Session) -> None:
        """Record that a run of a thread has ended."""
        conversation = session.conversation
        self._used.pop(conversation.id, None)
        self._used[conversation.id] = _Use(session, time.monotonic(), conversation.leaf_id)
        self._sweep()

    def close(self) -> None:
        """Stop limiting kernels; the sessions' owner ends them."""
        if self._timer is not None:
            self._timer.cancel()
        self._used.clear()

    def _sweep(self) -> None:
        self._used = OrderedDict((id_, use) for id_, use in self._used.items() if _is_ours(use))
        idle = [use for use in self._used.values() if use.session.is_idle]
        surplus = idle[: max(len(idle) - self._most, 0)]
        at_once, long_ago = len(idle) - MAX_WAITING_KERNELS, time.monotonic() - self._rest_s
        for place, use in enumerate(surplus):
            if place < at_once or use.at <= long_ago:
                use.session.restart_kernel()
                del self._used[use.session.conversation.id]
        self._schedule(is_needed=bool(surplus))

    def _schedule(self, *, is_needed: bool) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if is_needed:
            self._timer = asyncio.get_running_loop().call_later(self._rest_s / 5, self._sweep)


def _is_ours(use: _Use) -> bool:
    """Return whether there is a kernel that only programs have used since."""
    session = use.session
    is_same = session.conversation.leaf_id == use.leaf_id or not session.is_idle
    return is_same and session.kernel.state not in ("none", "stopping")
