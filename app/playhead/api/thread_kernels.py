"""Kernels of threads: those of the last few stay, others go once they have rested for long."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from playhead.api.visitors import KERNEL_REST_S, MAX_IDLE_KERNELS, MAX_WAITING_KERNELS
from playhead.session.session import Session


@dataclass(frozen=True, slots=True)
class _Use:
    """A thread's last run; `at` is monotonic, `leaf_id` the last message of then."""

    session: Session
    at: float
    leaf_id: str | None


class ThreadKernels:
    """A program may begin a thread for each question: their kernels must not pile up.

    A conversation that the window goes on with is its own from then on, and so is the kernel.
    """

    def __init__(self, rest_s: float = KERNEL_REST_S, most: int = MAX_IDLE_KERNELS) -> None:
        self._rest_s = rest_s
        self._most = most
        self._used: OrderedDict[str, _Use] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None

    def came(self, session: Session) -> None:
        """A run of a thread has ended."""
        conversation = session.conversation
        self._used.pop(conversation.id, None)
        self._used[conversation.id] = _Use(session, time.monotonic(), conversation.leaf_id)
        self._sweep()

    def close(self) -> None:
        """Let kernels be; the sessions' owner ends them."""
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
        self._look_again(is_needed=bool(surplus))

    def _look_again(self, *, is_needed: bool) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if is_needed:
            self._timer = asyncio.get_running_loop().call_later(self._rest_s / 5, self._sweep)


def _is_ours(use: _Use) -> bool:
    """Whether there is a kernel, and nobody but programs has used it since."""
    session = use.session
    is_same = session.conversation.leaf_id == use.leaf_id or not session.is_idle
    return is_same and session.kernel.state not in ("none", "stopping")
