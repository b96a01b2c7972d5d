"""Who may speak to the server: judged before path and body are looked at."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playhead.domain.secret import Secret
from playhead.errors import RequestError

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEALTH_PATH = "/v1/health"

# The whole value, strictly: a parser that forgives would let `localhost@evil` pass.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)
_ORIGIN = re.compile(r"https?://([^/?#@\\\s]+)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Knock:
    """What the gate sees of a request; the headers with every occurrence, as they were sent.

    `target` is the request line's own, `path` its path with no decoding, `asks` the names in its
    query as handlers will read them.
    """

    method: str
    target: str
    path: str
    asks: Collection[str] = ()
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    authorizations: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """Host, then Origin, then key.

    `token` is asked each time, in the server's thread, for it can be renewed at any moment;
    with none nobody gets in. `allowed_hosts` are names (any port) or `name:port`.
    """

    token: Callable[[], Secret | None]
    allowed_hosts: tuple[str, ...] = ()
    _names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        own = (host.strip().lower() for host in self.allowed_hosts)
        object.__setattr__(self, "_names", LOOPBACK_HOSTS | {host for host in own if host})

    def check(self, knock: Knock) -> None:
        """Return for who may go on; raises RequestError."""
        self._check_host(knock)
        self._check_origin(knock.origins)
        if not is_open(knock):
            self._check_key(knock.authorizations)

    def _check_host(self, knock: Knock) -> None:
        # A page that rebinds its name to 127.0.0.1 still sends that name.
        target = _host_of_target(knock.target)
        names = [*knock.hosts] if target is None else [*knock.hosts, target]
        if len(knock.hosts) != 1 or not all(map(self._is_ours, names)):
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
                remedy="Only pages of this machine, and no sandboxed ones, may ask.",
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


def is_open(knock: Knock) -> bool:
    """Whether the request needs no key: the bare health, and nothing that only looks like it."""
    is_health = knock.path == HEALTH_PATH and knock.method in ("GET", "HEAD")
    return is_health and "detail" not in knock.asks


def _host_of_target(target: str) -> str | None:
    """The host of a target like `http://host/path`, which counts as much as the Host header."""
    if target.startswith("/") or target == "*":
        return None
    try:
        return urlsplit(target).netloc or "?"
    except ValueError:
        return "?"


def _bytes(text: str) -> bytes:
    # Header bytes that are no UTF-8 come as lone surrogates.
    return text.encode("utf-8", "surrogatepass")
