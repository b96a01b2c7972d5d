"""Work on thousands of files, shared with copies of this process: each system call is short.

Threads do not help: they would wait for one another between any two calls.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

_LEAST = 1_000
"""So many items are worth a process of their own."""
_MOST_PROCESSES = 4
_READ_BYTES = 1 << 20

Item = TypeVar("Item")


def shared(items: Sequence[Item], work: Callable[[Iterable[Item], int], list[Any]]) -> list[Any]:
    """Return what `work` returns for all items; it gets some of them, and the number of the part.

    It is made of what marshal knows. There is nothing from a process that failed or was ended.
    """
    size = max(1, -(-len(items) // _processes(len(items))))
    parts = [items[at : at + size] for at in range(0, len(items), size)]
    copies = [_begin(part, number, work) for number, part in enumerate(parts[1:], 1)]
    try:
        found = work(parts[0], 0) if parts else []
    finally:
        told = [_end(*copy) for copy in copies]
    for one in told:
        found += one
    return found


def _processes(items: int) -> int:
    if sys.platform != "linux":
        return 1
    most = min(_MOST_PROCESSES, len(os.sched_getaffinity(0)))
    return max(1, min(most, items // _LEAST))


def _begin(
    part: Sequence[Item], number: int, work: Callable[[Iterable[Item], int], list[Any]]
) -> tuple[int, int]:
    """Have a copy of this process do a part; return its id and where it writes to."""
    parent = os.getpid()
    source, target = os.pipe()
    if (pid := os.fork()) != 0:
        os.close(target)
        return pid, source
    try:
        with open(target, "wb") as pipe:
            pipe.write(marshal.dumps(work(_while_lives(parent, part), number)))
    finally:
        os._exit(0)  # nothing of this process is to be closed here, whatever happened


def _while_lives(parent: int, items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items; end with the parent, whose successor finishes what it had begun."""
    for item in items:
        if os.getppid() != parent:
            os._exit(1)
        yield item


def _end(pid: int, source: int) -> list[Any]:
    data = b""
    while more := os.read(source, _READ_BYTES):
        data += more
    os.close(source)
    os.waitpid(pid, 0)
    with suppress(ValueError, EOFError, TypeError):
        found: list[Any] = marshal.loads(data)  # noqa: S302 - of our own process
        return found
    return []
