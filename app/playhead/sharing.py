"""Waits for a future that others wait for, too."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

T = TypeVar("T")


async def shared(future: asyncio.Future[T]) -> T:
    """Return the future's result; a caller that is cancelled leaves the future alone.

    `asyncio.shield` does the same, but from Python 3.14 on it reports what fails after its caller
    has gone as an error that nobody handles. Raises what the future raises.
    """
    future.add_done_callback(_mark_seen)
    await asyncio.wait((future,))
    return future.result()


def _mark_seen(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()
