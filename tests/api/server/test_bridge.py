"""Work for the core, asked for in another thread; what crosses a cancellation is not lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from playhead.api.server.bridge import Bridge
from playhead.errors import AppError, RequestError
from tests.support.waiting import until

T = TypeVar("T")


async def on_the_servers_loop(work: Callable[[], Awaitable[T]]) -> T:
    """Run in a thread with a loop of its own, as handlers do, and wait without blocking."""
    return await asyncio.to_thread(lambda: asyncio.run(_awaited(work)))


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()


async def happened(event: threading.Event) -> None:
    """Wait for what is set in the other thread; a waiting thread would outlive its test."""
    await until(event.is_set)


async def current_thread() -> int:
    return threading.get_ident()


async def test_the_work_is_done_in_the_cores_thread() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    assert await on_the_servers_loop(lambda: bridge.ask(current_thread())) == threading.get_ident()


async def test_an_error_of_the_work_is_raised_to_the_asker() -> None:
    bridge = Bridge(asyncio.get_running_loop())

    async def refused() -> None:
        raise RequestError("No", code="invalid_tools")

    with pytest.raises(RequestError) as refusal:
        await on_the_servers_loop(lambda: bridge.ask(refused()))
    assert refusal.value.code == "invalid_tools"


async def test_calls_and_questions_keep_their_order() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    calls: list[int] = []

    async def looked() -> list[int]:
        return list(calls)

    async def asked() -> list[int]:
        bridge.post(calls.append, 1)
        bridge.post(calls.append, 2)
        return await bridge.ask(looked())

    assert await on_the_servers_loop(asked) == [1, 2]


async def test_cancelling_the_asker_cancels_the_work() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    has_begun = threading.Event()
    is_cancelled = asyncio.Event()

    async def long() -> None:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            is_cancelled.set()

    async def given_up() -> None:
        asking = asyncio.create_task(bridge.ask(long()))
        await happened(has_begun)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    await on_the_servers_loop(given_up)
    await is_cancelled.wait()


async def test_work_that_was_done_for_nobody_is_undone() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    has_begun, is_cancelled = threading.Event(), threading.Event()
    undone = asyncio.get_running_loop().create_future()

    async def stubborn() -> str:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            is_cancelled.set()
        return "a turn"

    async def given_up() -> None:
        asking = asyncio.create_task(bridge.ask(stubborn(), undone.set_result))
        await happened(has_begun)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await happened(is_cancelled)

    await on_the_servers_loop(given_up)
    assert await undone == "a turn"


async def test_work_that_is_cancelled_before_it_begins_leaves_nothing() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    begun: list[int] = []

    async def work() -> None:
        begun.append(1)

    async def given_up() -> None:
        for _ in range(50):
            asking = asyncio.create_task(bridge.ask(work()))
            await asyncio.sleep(0)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    await on_the_servers_loop(given_up)


async def test_an_answer_that_comes_after_the_servers_end_is_undone() -> None:
    bridge = Bridge(asyncio.get_running_loop())
    has_begun = threading.Event()
    undone = asyncio.get_running_loop().create_future()

    async def stubborn() -> str:
        has_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)  # until after the thread's loop is closed
        return "a turn"

    async def given_up() -> None:
        asking = asyncio.create_task(bridge.ask(stubborn(), undone.set_result))
        await happened(has_begun)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    await on_the_servers_loop(given_up)
    assert await undone == "a turn"


def test_a_core_that_has_ended_is_said_in_words() -> None:
    core = asyncio.new_event_loop()
    core.close()
    bridge = Bridge(core)

    async def asked() -> None:
        bridge.post(print)
        with pytest.raises(AppError) as ending:
            await bridge.ask(current_thread())
        assert "closed" in ending.value.title

    asyncio.run(asked())


async def test_work_that_the_core_cancels_itself_is_no_cancellation_of_the_asker() -> None:
    bridge = Bridge(asyncio.get_running_loop())

    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(AppError):
        await on_the_servers_loop(lambda: bridge.ask(cancelled()))
