"""Run coroutine tests on the program's own event loop."""

from __future__ import annotations

import asyncio
import functools
import gc
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.support.waiting import LIMIT_S, STEP_S

TEST_LIMIT_S = 240
"""More than one wait for a condition, less than the limit of pytest-timeout, which ends all."""


def run_coroutine_test(
    test: Callable[..., Coroutine[Any, Any, None]], arguments: dict[str, Any], app: Any
) -> None:
    """Run `test(**arguments)` on a fresh loop; tasks that it leaves behind are a failure."""
    from playhead.event_loop import EventLoop  # tests without coroutines need no Qt

    with asyncio.Runner(loop_factory=functools.partial(EventLoop, app)) as runner:
        runner.run(_limited(test(**arguments)))
        left = runner.run(_tasks_left())
    # A task that failed unheard is told of when it is collected: now, not in another test.
    gc.collect(1)
    if left:
        pytest.fail("the test left asyncio tasks behind:\n" + "\n".join(left), pytrace=False)


async def _limited(test: Coroutine[Any, Any, None]) -> None:
    try:
        async with asyncio.timeout(TEST_LIMIT_S) as limit:
            await test
    except TimeoutError:
        if limit.expired():
            pytest.fail(f"the test was not done after {TEST_LIMIT_S} s")
        raise


async def _tasks_left() -> list[str]:
    deadline = asyncio.get_running_loop().time() + LIMIT_S
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        if asyncio.get_running_loop().time() > deadline:
            return [repr(task) for task in tasks]
        await asyncio.sleep(STEP_S)
    return []
