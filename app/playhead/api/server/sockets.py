"""Make the server's listening sockets: loopback, or with TLS and a name any other address."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import ssl
import sys
from collections.abc import Sequence
from typing import Any

from playhead.errors import AppError, phrase

Sockets = list[socket.socket]

_BACKLOG = 128
_PORTS_TRIED = 20
_LOOPBACK = ("127.0.0.1", "::1")
_TAKEN = {errno.EADDRINUSE, getattr(errno, "WSAEADDRINUSE", errno.EADDRINUSE)}
_ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}


class ListenError(AppError):
    """The server cannot listen where it should.

    Codes: `port_taken`, `port_forbidden`, `address_unknown`, `tls_required`, `bad_certificate`.
    """

    default_code = "address_unknown"


def check_reach(host: str, *, has_tls: bool, allowed_hosts: Sequence[str]) -> None:
    """Check that other machines can reach the server only under a name and with TLS."""
    if is_loopback(host) or (has_tls and any(allowed_hosts)):
        return
    raise ListenError(
        phrase("“{host}” can be reached from other machines", host=host),
        detail="The server then needs TLS and the names that it may be reached by",
        remedy="Give a certificate, its key and an allowed host, or listen on 127.0.0.1.",
        code="tls_required",
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def tls_context(certificate: str, key: str) -> ssl.SSLContext | None:
    """Return a context for TLS 1.2 or newer with this certificate; None if none is named."""
    if not certificate and not key:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # A password is not asked for: there may be no one at the terminal.
        context.load_cert_chain(certificate, key or None, password="")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise ListenError(
            "The certificate or its key cannot be used",
            detail=f"{certificate}, {key}: {reason or error}",
            remedy="Give both as PEM files, the key that belongs to the certificate, no password.",
            code="bad_certificate",
        ) from error
    return context


def bind(host: str, port: int) -> Sockets:
    """Return listening sockets: for a loopback name both of its addresses, on one port.

    Port 0 uses a free one. A port that is free on only one of the two counts as taken: clients that
    connect to `localhost` would send their token to the owner of the other.
    """
    names = _LOOPBACK if host.strip("[]") in ("localhost", *_LOOPBACK) else (host.strip("[]"),)
    for tries_left in range(_PORTS_TRIED if port == 0 else 1, 0, -1):
        try:
            return _bind_all(names, port)
        except OSError as error:
            if error.errno not in _TAKEN or tries_left == 1:
                raise _listen_error(error, host, port) from error
    raise AssertionError("a try either binds or raises")


def _bind_all(names: Sequence[str], port: int) -> Sockets:
    bound: Sockets = []
    try:
        for name in names:
            sock = _bound(name, bound[0].getsockname()[1] if bound else port)
            if sock is not None:
                bound.append(sock)
    except OSError:
        for sock in bound:
            sock.close()
        raise
    if not bound:
        raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    return bound


def _bound(name: str, port: int) -> socket.socket | None:
    """Return a listening socket, or None if the system lacks such addresses (often IPv6)."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        name, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    try:
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
    try:
        _listen(sock, address)
    except OSError as error:
        sock.close()
        if error.errno in _ABSENT:
            return None
        raise
    return sock


def _listen(sock: socket.socket, address: tuple[Any, ...]) -> None:
    if sys.platform == "win32":  # SO_REUSEADDR would share the port with another program there
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sock.family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind(address)
    sock.listen(_BACKLOG)
    sock.setblocking(False)


def _listen_error(error: OSError, host: str, port: int) -> ListenError:
    if error.errno in _TAKEN:
        return ListenError(
            phrase("Port {port} is taken by another program", port=port),
            remedy="End that program, or choose another port.",
            code="port_taken",
        )
    if error.errno == errno.EACCES:
        return ListenError(
            phrase("Port {port} may not be used by this user", port=port),
            remedy="Choose a port above 1023.",
            code="port_forbidden",
        )
    return ListenError(
        phrase("“{host}” is not an address of this computer", host=host),
        detail=error.strerror or str(error),
        remedy="Listen on 127.0.0.1, or on an address of this computer.",
    )
