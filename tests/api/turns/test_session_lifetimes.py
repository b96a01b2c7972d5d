"""Kernels of threads do not pile up, and what the window uses stays."""

from __future__ import annotations

from pathlib import Path

from playhead.api.turns.session_lifetimes import (
    MAX_IDLE_BYTES,
    TemporarySessions,
    ThreadKernels,
)
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import KernelStatus
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.storage.history.no_history import NoHistory
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with
from tests.support.waiting import until


class Kernels(RecordingExecutor):
    """Each conversation has a kernel until it is ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[str] = []

    def status(self, conversation_id: str) -> KernelStatus:
        return KernelStatus(state="none" if conversation_id in self.ended else "idle")

    async def restart(self, conversation_id: str) -> None:
        self.ended.append(conversation_id)


def sessions_of(tmp_path: Path, executor: Kernels, count: int) -> list[Session]:
    sessions = Sessions(ports_with(ScriptedProvider(), executor), NoHistory(tmp_path))
    return [sessions.begin() for _ in range(count)]


def names(*sessions: Session) -> list[str]:
    return [session.conversation.id for session in sessions]


async def test_the_kernels_of_the_longest_unused_threads_go(tmp_path: Path):
    executor = Kernels()
    first, second, third = sessions_of(tmp_path, executor, 3)
    kernels = ThreadKernels(rest_s=0, most=2)
    for session in (first, second, third):
        kernels.use(session)
    await until(lambda: executor.ended)
    kernels.close()
    assert executor.ended == names(first)


async def test_a_kernel_stays_as_long_as_its_client_may_come_back(tmp_path: Path):
    executor = Kernels()
    first, second = sessions_of(tmp_path, executor, 2)
    kernels = ThreadKernels(rest_s=0.3, most=1)
    kernels.use(first)
    kernels.use(second)
    assert executor.ended == []
    await until(lambda: executor.ended)  # by its own clock
    kernels.close()
    assert executor.ended == names(first)


async def test_the_kernel_of_a_conversation_that_the_window_went_on_with_stays(tmp_path: Path):
    executor = Kernels()
    first, second, third = sessions_of(tmp_path, executor, 3)
    kernels = ThreadKernels(rest_s=0, most=1)
    kernels.use(first)
    first.send("from the window")
    await first.stopped()
    kernels.use(second)
    kernels.use(third)
    await until(lambda: executor.ended)
    kernels.close()
    assert executor.ended == names(second)


async def test_large_conversations_that_nobody_goes_on_with_give_their_memory_back(tmp_path: Path):
    sessions = Sessions(ports_with(ScriptedProvider(), Kernels()), NoHistory(tmp_path))
    gone: list[str] = []
    temporary = TemporarySessions(sessions, gone.append)
    small, first, second, third = (sessions.new(is_kept=False, client="it") for _ in range(4))
    text = "x" * (MAX_IDLE_BYTES // 2 + 1)
    for session in (small, first, second, third):
        told = "hi" if session is small else text
        session.add([Chunk(role="user", type="message", content=told)])
        temporary.use(session)
    await until(lambda: not first.conversation.messages)
    assert gone == names(small, first)  # the last may be of any size, beside what is allowed
    assert sessions.open_sessions == (second, third)
    temporary.close()
