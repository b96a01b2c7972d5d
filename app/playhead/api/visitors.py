"""Programs' conversations: how long they, and their kernels, stay after their last turn."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable

from playhead.session.session import Session
from playhead.session.sessions import Sessions

KEPT_S = 3600.0
"""How long a conversation can be gone on with (docs/wire-formats.md)."""
MAX_IDLE = 200
"""Conversations that rest in memory at most; the longest unused go first."""
MAX_IDLE_KERNELS = 8
"""Kernels at most that rest for long; a conversation whose kernel went gets a fresh one and its
model is told so."""
KERNEL_REST_S = 300.0
"""So long a kernel waits for its client's next step, however many others do."""
MAX_WAITING_KERNELS = 64
"""Or until so many wait."""


class Visitors:
    """Forgets conversations that are not kept. `on_gone` hears the id of each that goes."""

    def __init__(
        self, sessions: Sessions, on_gone: Callable[[str], None], kept_s: float = KEPT_S
    ) -> None:
        self._sessions = sessions
        self._on_gone = on_gone
        self._kept_s = kept_s
        self._used: OrderedDict[str, float] = OrderedDict()
        self._has_surplus = False
        self._timer: asyncio.TimerHandle | None = None
        self._chores: set[asyncio.Task[None]] = set()

    def came(self, session: Session) -> None:
        """A conversation was used just now."""
        conversation_id = session.conversation.id
        if self._sessions.is_kept(conversation_id):
            return
        self._used.pop(conversation_id, None)
        self._used[conversation_id] = time.monotonic()
        self._sweep()

    def leaves(self, session: Session) -> None:
        """Nothing came of it: it need not wait for its time."""
        if not self._sessions.is_kept(session.conversation.id):
            self._let_go(session)

    def close(self) -> None:
        """Forget nothing more; the sessions' owner ends them."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._chores:
            task.cancel()

    def _sweep(self) -> None:
        oldest = time.monotonic() - self._kept_s
        for conversation_id, used in tuple(self._used.items()):
            session = self._sessions.get(conversation_id)
            if session is None or self._sessions.is_kept(conversation_id):
                del self._used[conversation_id]
            elif used < oldest or len(self._used) > MAX_IDLE:
                self._let_go(session)
        self._spare_kernels()
        self._look_again()

    def _let_go(self, session: Session) -> None:
        """A proposal that nobody decided about in all that time is withdrawn with it."""
        if not session.is_idle and session.pending is None:
            return
        conversation_id = session.conversation.id
        self._used.pop(conversation_id, None)
        self._on_gone(conversation_id)
        task = asyncio.get_running_loop().create_task(self._forget(session))
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def _forget(self, session: Session) -> None:
        if not session.is_idle:
            await session.stopped()
        await self._sessions.forget(session.conversation.id)

    def _spare_kernels(self) -> None:
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

    def _look_again(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._used:
            due_s = self._kept_s - (time.monotonic() - next(iter(self._used.values())))
            if self._has_surplus:
                due_s = min(due_s, KERNEL_REST_S / 5)
            self._timer = asyncio.get_running_loop().call_later(max(due_s, 1.0), self._sweep)
