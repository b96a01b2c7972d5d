"""Options of the server at its start."""

from __future__ import annotations

from msgspec import Struct

from playhead.domain.settings import AppSettings

_DEFAULTS = AppSettings()


class ServerOptions(Struct, frozen=True, kw_only=True):
    """Address and limits of the server; port 0 uses a free one.

    `allowed_hosts` are further names that a Host header may have. `rate_limit` is in requests a
    minute, 0 for none. `max_messages` is how many messages a request may bring. `body_s` is how
    long a body may take to arrive, `idle_s` how long a connection may be silent before or between
    requests, `linger_s` how long a refused body is read and discarded, so that its sender sees the
    answer. `ping_s` and `status_s` are how long a stream stays silent, after and before its status
    line; `overrun_s` is how long a client that reads too slowly may take for the rest, `stop_s` how
    long streams may take to end when the server stops.
    """

    host: str = "127.0.0.1"
    port: int = 5001
    tls_cert: str = ""
    tls_key: str = ""
    allowed_hosts: tuple[str, ...] = ()
    rate_limit: int = _DEFAULTS.api_rate_limit
    body_limit_bytes: int = 32 * 1024 * 1024
    max_messages: int = _DEFAULTS.api_max_messages
    max_connections: int = 400
    body_s: float = 30.0
    idle_s: float = 30.0
    linger_s: float = 2.0
    ping_s: float = 15.0
    status_s: float = 20.0
    overrun_s: float = 30.0
    stop_s: float = 0.7
