"""Whether a client is one of our own descendants: code that would approve itself.

Linux only: elsewhere, and for processes of other users, the system does not say who holds a
socket, and the client is taken for a stranger. This is a hurdle and no sandbox: a process that lets
itself be adopted (by init, by a service manager) is no descendant any more.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

Address = tuple[str, int]
_PROC = Path("/proc")
_MAPPED = b"\0" * 10 + b"\xff\xff"


async def descends_from_us(request: web.BaseRequest, trusted: Collection[int] = ()) -> bool:
    """Whether the program at the other end was started, at any remove, by this process.

    `trusted` are the pids of children that hide their files from us but run no code of users
    (the model worker): where nobody visible holds the socket, another hidden child counts as the
    client.
    """
    transport = request.transport
    if transport is None or sys.platform != "linux":
        return False
    theirs, ours = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
    if theirs is None or ours is None:
        return False
    return await asyncio.to_thread(is_descendant, theirs[:2], ours[:2], os.getpid(), trusted)


def is_descendant(theirs: Address, ours: Address, root: int, trusted: Collection[int] = ()) -> bool:
    """Whether a descendant of `root` holds the socket at `theirs` of a connection to `ours`."""
    inode = _inode(theirs, ours)
    if inode is None:
        return False
    family = descendants(root)
    hidden: set[int] = set()
    for pid in family:
        holds = _holds(pid, inode)
        if holds:
            return True
        if holds is None and pid not in trusted:
            hidden.add(pid)
    return bool(hidden) and not any(_holds(pid, inode) for pid in _pids() if pid not in family)


def descendants(root: int) -> set[int]:
    """The pids of all children of a process, and of theirs."""
    children: dict[int, list[int]] = defaultdict(list)
    for pid in _pids():
        with suppress(OSError, ValueError, IndexError):
            # pid (any name) state ppid …
            text = (_PROC / str(pid) / "stat").read_text(errors="replace")
            children[int(text.rpartition(")")[2].split()[1])].append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        young = [pid for pid in children[waiting.pop()] if pid not in found]
        found.update(young)
        waiting += young
    return found


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir(_PROC) if name.isdigit())


def _holds(pid: int, inode: str) -> bool | None:
    """Whether the process holds the socket; None where it hides its files."""
    wanted = f"socket:[{inode}]"
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except PermissionError:
        return None
    except OSError:  # it has ended
        return False
    for name in names:
        with suppress(OSError):
            if os.readlink(f"{folder}/{name}") == wanted:
                return True
    return False


def _inode(theirs: Address, ours: Address) -> str | None:
    """The socket of the other end, if it is this user's, by the kernel's table of connections."""
    for table, local, remote in _spellings(theirs, ours):
        with suppress(OSError):
            for line in (_PROC / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == [local, remote] and int(fields[7]) == os.getuid():
                    return fields[9]
    return None


def _spellings(theirs: Address, ours: Address) -> Iterator[tuple[str, str, str]]:
    """A client may hold an IPv4 connection by an IPv6 socket."""
    if ":" in theirs[0]:
        yield "tcp6", _hex(theirs), _hex(ours)
    else:
        yield "tcp", _hex(theirs), _hex(ours)
        yield "tcp6", _hex(theirs, _MAPPED), _hex(ours, _MAPPED)


def _hex(address: Address, prefix: bytes = b"") -> str:
    """As /proc/net/tcp has it: words of 32 bits in the machine's order, then the port."""
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    packed = prefix + socket.inet_pton(family, host)
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
