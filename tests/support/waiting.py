"""Wait for what a test expects, instead of for a time."""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from collections.abc import Callable

LIMIT_S = float(os.environ.get("PYTEST_LIMIT_S", "120"))
"""How long to wait for what has to happen; only what never happens takes that long."""
STEP_S = 0.005


async def until(condition: Callable[[], object], timeout: float = LIMIT_S) -> None:
    """Return as soon as `condition()` is true; fail with its source when it stays false."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"still not true after {timeout} s: {_source(condition)}")
        await asyncio.sleep(STEP_S)


def until_now(condition: Callable[[], object], timeout: float = LIMIT_S) -> None:
    """The same for plain tests that need no event loop (threads, processes, files)."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"still not true after {timeout} s: {_source(condition)}")
        time.sleep(STEP_S)


def _source(condition: Callable[[], object]) -> str:
    try:
        return inspect.getsource(condition).strip()
    except (OSError, TypeError):
        return repr(condition)
