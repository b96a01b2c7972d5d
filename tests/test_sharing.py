"""What several wait for outlives each of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from playhead.sharing import shared


async def test_who_gives_up_leaves_it_to_the_others():
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    impatient = asyncio.create_task(shared(future))
    patient = asyncio.create_task(shared(future))
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    future.set_result("done")
    assert await patient == "done"


async def test_a_failure_after_the_caller_has_gone_is_no_error_of_the_loop():
    loop = asyncio.get_running_loop()
    problems: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: problems.append(context))
    future: asyncio.Future[str] = loop.create_future()
    caller = asyncio.create_task(shared(future))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    future.set_exception(LookupError("too late"))
    del future
    await asyncio.sleep(0)  # its callbacks run; then it is collected
    loop.set_exception_handler(None)
    assert problems == []


async def test_a_failure_reaches_who_waits():
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    caller = asyncio.create_task(shared(future))
    await asyncio.sleep(0)
    future.set_exception(LookupError("gone"))
    with pytest.raises(LookupError, match="gone"):
        await caller
