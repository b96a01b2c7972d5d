"""Questions to an idle kernel: each waits for its own answer, for a time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from playhead.errors import ExecutionError
from playhead.execution.spool import Spool
from playhead.execution.tables import parse_json
from playhead.kernel import protocol

ANSWER_LIMIT_S = 3.0
_ANSWER_BYTES = 16_000_000


class Questions:
    """Owner of what is asked and not yet answered; `write` sends a command to the kernel."""

    def __init__(self, spool: Spool, write: Callable[[bytes], None]) -> None:
        self._spool = spool
        self._write = write
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[str]] = {}

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The fields of the answer. Raises ExecutionError if there is none in time."""
        number = str(next(self._numbers))
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._write(protocol.encode_command(kind, ask=number, **fields))
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                name = await future
        except TimeoutError:
            raise _no_answer(f"It said nothing for {ANSWER_LIMIT_S:g} s.") from None
        finally:
            del self._waiting[number]
        return await asyncio.to_thread(self._read, name)

    def settle(self, mark: protocol.Mark) -> None:
        """An answer has come; one that nobody waits for is dropped."""
        future = self._waiting.get(mark.text("ask"))
        if future is not None and not future.done():
            future.set_result(mark.text("file"))

    def give_up(self, reason: str) -> None:
        """The kernel has ended: no answer comes any more."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(_no_answer(f"It has ended: {reason}."))

    def _read(self, name: str) -> dict[str, Any]:
        data = self._spool.read(name, _ANSWER_BYTES)
        fields = parse_json(data) if data is not None else None
        if fields is None:
            raise _no_answer("What it said cannot be read.")
        problem = fields.get("error")
        if problem is not None:
            raise ExecutionError(str(problem)[:500])
        return fields


def _no_answer(detail: str) -> ExecutionError:
    return ExecutionError(
        "The kernel did not answer.", detail=detail, remedy="Try again, or restart the kernel."
    )
