"""Check who may send requests: the token, Host and Origin, requests per minute, and whether the
client is a descendant of this process.

Descendants are found on Linux only: on other systems, and for processes of other users, the system
does not report who holds a socket, and the client counts as a stranger. What a kernel starts stays
below its supervisor. This is a hurdle, not a sandbox: a process that a service starts on request
(systemd-run, docker, at) is not a descendant, nor one that is left when code kills the supervisor.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import re
import socket
import struct
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from playhead.domain.secret import Secret
from playhead.errors import AppError, RequestError

if TYPE_CHECKING:
    from aiohttp import web


LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEALTH_PATH = "/v1/health"

# The whole value, strictly: a lenient parser would let `localhost@evil` pass.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)
_ORIGIN = re.compile(r"https?://([^/?#@\\\s]+)", re.ASCII | re.IGNORECASE)


class RequestHead(Struct, frozen=True, kw_only=True):
    """The head of a request as the gate checks it; headers include repeated ones, as sent.

    `target` is the target of the request line, `path` its path without decoding, `asks` the names
    in its query as handlers will read them.
    """

    method: str
    target: str
    path: str
    asks: Collection[str] = ()
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    authorizations: Sequence[str] = ()


class Gate:
    """Checks the Host header, then Origin, then the key.

    `token` is called for each request, in the server's thread, because the token can be renewed at
    any time; without a token every request is refused. `allowed_hosts` are names (any port) or
    `name:port`.
    """

    def __init__(
        self, token: Callable[[], Secret | None], allowed_hosts: tuple[str, ...] = ()
    ) -> None:
        self.token = token
        own = (host.strip().lower() for host in allowed_hosts)
        self._names = LOOPBACK_HOSTS | {host for host in own if host}

    def check(self, head: RequestHead) -> None:
        """Return for who may go on; raises RequestError."""
        self._check_host(head)
        self._check_origin(head.origins)
        if not is_open(head):
            self._check_key(head.authorizations)

    def _check_host(self, head: RequestHead) -> None:
        # A page that rebinds its name to 127.0.0.1 still sends that name.
        target = _host_of_target(head.target)
        names = [*head.hosts] if target is None else [*head.hosts, target]
        if len(head.hosts) != 1 or not all(map(self._is_ours, names)):
            raise RequestError(
                "The Host header names another machine",
                remedy="Ask http://127.0.0.1, or start the server with --allowed-host.",
                code="forbidden_host",
            )

    def _check_origin(self, origins: Sequence[str]) -> None:
        if not origins:
            return
        match = _ORIGIN.fullmatch(origins[0])
        if len(origins) > 1 or match is None or not self._is_ours(match[1]):
            raise RequestError(
                "The Origin header names a foreign page",
                remedy="Only pages on this computer that are not sandboxed may send requests.",
                code="forbidden_origin",
            )

    def _check_key(self, authorizations: Sequence[str]) -> None:
        token = self.token()
        given = authorizations[0] if len(authorizations) == 1 else ""
        scheme, _, key = given.partition(" ")
        is_right = hmac.compare_digest(
            _bytes(key.strip(" ")), _bytes(token.reveal() if token else "")
        )
        if not (is_right and token and scheme.lower() == "bearer"):
            raise RequestError(
                "The key is missing or wrong",
                remedy="Send the server's token as “Authorization: Bearer TOKEN”.",
                code="invalid_api_key",
            )

    def _is_ours(self, host: str) -> bool:
        match = _HOST.fullmatch(host)
        if match is None or (match[2] and int(match[2]) > 65535):
            return False
        return match[1].lower() in self._names or host.lower() in self._names


def is_open(head: RequestHead) -> bool:
    """Return whether the request needs no key: only the plain health check, matched exactly."""
    is_health = head.path == HEALTH_PATH and head.method in ("GET", "HEAD")
    return is_health and "detail" not in head.asks


def _host_of_target(target: str) -> str | None:
    """Return the host of a target like `http://host/path`, which is checked like the Host
    header.
    """
    if target.startswith("/") or target == "*":
        return None
    try:
        return urlsplit(target).netloc or "?"
    except ValueError:
        return "?"


def _bytes(text: str) -> bytes:
    # Header bytes that are not UTF-8 come as lone surrogates.
    return text.encode("utf-8", "surrogatepass")


Address = tuple[str, int]
_PROC = Path("/proc")
_MAPPED = b"\0" * 10 + b"\xff\xff"


async def descends_from_us(request: web.BaseRequest, trusted: Collection[int] = ()) -> bool:
    """Return whether the client was started, directly or indirectly, by this process.

    `trusted` are the pids of children that run no code of users: the model worker, supervisors.
    """
    transport = request.transport
    if transport is None or sys.platform != "linux":
        return False
    theirs, ours = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
    if theirs is None or ours is None:
        return False
    return await asyncio.to_thread(is_descendant, theirs[:2], ours[:2], os.getpid(), trusted)


def is_descendant(theirs: Address, ours: Address, root: int, trusted: Collection[int] = ()) -> bool:
    """Return whether a descendant of `root` holds the socket at `theirs` of a connection to
    `ours`.

    One that hides its files, or passes the socket on faster than it can be found, may be any of
    those that are not trusted: then the client is another only if that one is seen to hold it.
    """
    inode = _inode(theirs, ours)
    if inode is None:
        return False
    family = descendants(root)
    if any(_holds(pid, inode) for pid in family):
        return True
    is_possible = not family <= set(trusted)
    return is_possible and not any(_holds(pid, inode) for pid in _pids() if pid not in family)


def descendants(root: int) -> set[int]:
    """Return the pids of all descendants of a process."""
    parents = {pid: parent for pid in _pids() if (parent := _parent(pid)) is not None}
    children: dict[int, list[int]] = defaultdict(list)
    for pid, parent in parents.items():
        if parent not in parents:  # it ended while we read: they have another now
            parent = _parent(pid) or 0
        children[parent].append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        young = [pid for pid in children[waiting.pop()] if pid not in found]
        found.update(young)
        waiting += young
    return found


def _parent(pid: int) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        # pid (any name) state ppid …
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
        return int(text.rpartition(")")[2].split()[1])
    return None


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir(_PROC) if name.isdigit())


def _holds(pid: int, inode: str) -> bool | None:
    """Return whether the process holds the socket; None if it hides its files."""
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
    """Return the socket of the other end, by the kernel's table of connections; None if not
    found.
    """
    for table, local, remote in _spellings(theirs, ours):
        with suppress(OSError):
            for line in (_PROC / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == [local, remote] and int(fields[7]) == os.getuid():
                    return fields[9]
    return None


def _spellings(theirs: Address, ours: Address) -> Iterator[tuple[str, str, str]]:
    """Yield the forms of a connection in the table: clients may use an IPv6 socket for IPv4."""
    if ":" in theirs[0]:
        yield "tcp6", _hex(theirs), _hex(ours)
    else:
        yield "tcp", _hex(theirs), _hex(ours)
        yield "tcp6", _hex(theirs, _MAPPED), _hex(ours, _MAPPED)


def _hex(address: Address, prefix: bytes = b"") -> str:
    """Return an address as /proc/net/tcp has it: 32-bit words in native order, then the port."""
    host, port = address
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    packed = prefix + socket.inet_pton(family, host)
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"


WINDOW_S = 60.0


class TooManyRequests(AppError):
    """The server's own limit is exceeded; `retry_after_s` is the time until the next request may
    come.
    """

    default_code = "rate_limit_exceeded"

    def __init__(self, per_minute: int, retry_after_s: float) -> None:
        super().__init__(
            f"More than {per_minute} requests in a minute",
            remedy="Wait as long as Retry-After says, or raise the limit in the settings.",
        )
        self.retry_after_s = retry_after_s


class RateLimit:
    """A sliding window: at most `per_minute` requests in any minute.

    `per_minute` may be changed at any time; 0 turns the limit off.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._times: deque[float] = deque()

    def count(self) -> None:
        """Count a request, or raise TooManyRequests; a refused request is not counted."""
        limit = self.per_minute
        if limit <= 0:
            self._times.clear()
            return
        now = self._clock()
        while self._times and self._times[0] <= now - WINDOW_S:
            self._times.popleft()
        if len(self._times) >= limit:
            # The limit may have been lowered meanwhile: then more than one must leave first.
            raise TooManyRequests(limit, self._times[-limit] + WINDOW_S - now)
        self._times.append(now)
