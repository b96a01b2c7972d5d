"""Tells at once that a spawned process cannot find what a block defines, instead of hanging.

A process that is started by "spawn" or "forkserver" looks functions of `__main__` up in a file that
a block does not have. A worker of a Pool dies of that, and the pool starts new ones for ever while
the task is lost. Here the sender refuses; processes started by "fork" know the names, and so "fork"
remains the default where it was before Python 3.14.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Iterator


def patch_context(context: Any) -> None:
    """Fork where the code chose nothing and Python 3.14 or newer would use a "forkserver"."""
    default = context._default_context
    if default._default_context.get_start_method() == "forkserver":
        default._default_context = context._concrete_contexts["fork"]


def patch_reduction(reduction: Any) -> None:
    """Look through what `multiprocessing.reduction` sends to other processes."""
    own_pid = os.getpid()
    plain_dump = reduction.dump

    def dump(obj: Any, file: Any, protocol: Any = None) -> None:
        """Only a starting process that is not a fork gets its orders in this way."""
        buffer = io.BytesIO()
        plain_dump(obj, buffer, protocol)
        data = buffer.getvalue()
        if os.getpid() == own_pid:
            _refuse_local_names(data)
        file.write(data)

    def dumps(cls: Any, obj: Any, protocol: Any = None) -> bytes:
        """What queues and pools send; bytes, for Python 3.12.1 may crash over a view at its end."""
        buffer = io.BytesIO()
        cls(buffer, protocol).dump(obj)
        data = buffer.getvalue()
        if os.getpid() == own_pid and _has_spawned_children():
            _refuse_local_names(data)
        return data

    reduction.dump = dump
    reduction.ForkingPickler.dumps = classmethod(dumps)


def _has_spawned_children() -> bool:
    process: Any = sys.modules.get("multiprocessing.process")
    children = list(getattr(process, "_children", ()))
    starters = [getattr(child, "_popen", None) for child in children]
    return any(
        getattr(starter, "method", "fork") != "fork" and starter.returncode is None
        for starter in starters
        if starter is not None
    )


def _refuse_local_names(data: bytes) -> None:
    name = next(_names_of_main(data), None) if b"__main__" in data else None
    if name is None:
        return
    import pickle

    raise pickle.PicklingError(
        f"{name!r} is defined in a block of this conversation, where a process started by"
        " 'spawn' or 'forkserver' cannot find it. Write it into a module file and import it"
        " from there, or use multiprocessing.get_context('fork')."
    )


def _names_of_main(data: bytes) -> Iterator[str]:
    """What a pickle looks up in `__main__`; a name is made of the last two strings before it."""
    import pickletools  # slow, and needed only where something may be wrong

    memo: dict[Any, Any] = {}
    strings: list[Any] = ["", ""]
    value: Any
    for opcode, value, _ in pickletools.genops(data):
        if opcode.name == "MEMOIZE":
            memo[len(memo)] = strings[-1]
        elif opcode.name in ("BINPUT", "LONG_BINPUT"):
            memo[value] = strings[-1]
        elif opcode.name in ("BINGET", "LONG_BINGET"):
            strings = [strings[-1], memo.get(value)]
        elif opcode.name == "FRAME":
            continue  # says how much follows, between any two others
        elif opcode.name == "GLOBAL" and value.startswith("__main__ "):
            yield value.partition(" ")[2]
        elif opcode.name == "STACK_GLOBAL":
            if strings[0] == "__main__":
                yield str(strings[1])
            strings = [strings[-1], None]
        else:
            strings = [strings[-1], value if isinstance(value, str) else None]
