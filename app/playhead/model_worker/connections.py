"""The way to providers: one HTTP client for each proxy and file of certificates."""

from __future__ import annotations

import ssl
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

import httpx
import litellm
from litellm.llms.custom_httpx.http_handler import (  # pyright: ignore[reportMissingTypeStubs]
    AsyncHTTPHandler,
)

from playhead.model_worker.failures import StreamFailure

_MAX_CLIENTS = 8
_LOOPBACK: dict[str, httpx.AsyncBaseTransport | None] = {
    "all://localhost": None,
    "all://127.0.0.1": None,
    "all://[::1]": None,
}
"""What a proxy could not reach anyway."""


class Reached(Protocol):
    """What the questions that need the network have in common."""

    @property
    def proxy(self) -> str:
        """The proxy's address, or "" for the one that the environment names."""
        ...

    @property
    def ca_file(self) -> str:
        """A file of certificates in place of the system's, or ""."""
        ...

    @property
    def connect_s(self) -> float:
        """The limit of time for a connection."""
        ...

    @property
    def first_s(self) -> float:
        """The limit of time for the beginning of an answer."""
        ...


class Connections:
    """Keeps the clients; requests that are made inside `through` take the client of its question.

    litellm makes clients of its own in two ways. Both are given a transport that looks up, by the
    context of the running task, where it is to send: turns with different settings never mix.
    """

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str, int], httpx.AsyncClient] = {}
        self._current: ContextVar[tuple[httpx.AsyncClient, Reached]] = ContextVar("connection")

    def serve_litellm(self) -> None:
        """From now on litellm's own requests go through here."""
        litellm.aclient_session = httpx.AsyncClient(transport=_Transport(self._current))
        handler: Any = AsyncHTTPHandler
        handler.create_async_transport = staticmethod(self._transport)

    @contextmanager
    def through(self, ask: Reached) -> Generator[httpx.AsyncClient]:
        """The client for this question, for all requests of the task meanwhile.

        Raises StreamFailure when the certificates or the proxy cannot be used.
        """
        client = self._client(ask.proxy.strip(), ask.ca_file.strip())
        token = self._current.set((client, ask))
        try:
            yield client
        finally:
            self._current.reset(token)

    def _transport(self, *_: object, **__: object) -> httpx.AsyncBaseTransport:
        return _Transport(self._current)

    def _client(self, proxy: str, ca_file: str) -> httpx.AsyncClient:
        key = (proxy, ca_file, _changed_at(ca_file))
        if key not in self._clients:
            made = _client(proxy, ca_file)
            if len(self._clients) >= _MAX_CLIENTS:  # the oldest; turns under way keep theirs alive
                del self._clients[next(iter(self._clients))]
            self._clients[key] = made
        return self._clients[key]


class RedirectedError(httpx.RequestError):
    """A server sent us elsewhere: the key belongs to the address that it was entered for."""


class _Transport(httpx.AsyncBaseTransport):
    """Hands requests to the client of the running task, with the limits of its question."""

    def __init__(self, current: ContextVar[tuple[httpx.AsyncClient, Reached]]) -> None:
        self._current = current

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer's head; its body streams."""
        client, ask = self._current.get()
        return await sent(client, request, ask)


async def sent(client: httpx.AsyncClient, request: httpx.Request, ask: Reached) -> httpx.Response:
    """The head of the answer to a request within the limits of the question."""
    limits = httpx.Timeout(ask.first_s + 5, connect=ask.connect_s)
    request.extensions["timeout"] = limits.as_dict()
    response = await client.send(request, stream=True, follow_redirects=False)
    if response.has_redirect_location and not _stays(request.url, response):
        await response.aclose()
        raise RedirectedError("The server redirects to another address.", request=request)
    return response


def _stays(url: httpx.URL, response: httpx.Response) -> bool:
    target = url.join(response.headers["location"])
    return (target.scheme, target.host, target.port) == (url.scheme, url.host, url.port)


def _changed_at(ca_file: str) -> int:
    try:
        return Path(ca_file).stat().st_mtime_ns if ca_file else 0
    except OSError:  # whoever opens it will say so
        return 0


def _client(proxy: str, ca_file: str) -> httpx.AsyncClient:
    verify = _certificates(ca_file) if ca_file else True
    try:
        return httpx.AsyncClient(
            proxy=proxy or None, verify=verify, mounts=dict(_LOOPBACK), follow_redirects=False
        )
    except (ValueError, httpx.InvalidURL, ImportError) as error:
        raise StreamFailure(
            "proxy_error",
            "The proxy cannot be used.",
            "Correct the proxy in the settings; it looks like http://proxy.example:3128.",
            str(error) if not isinstance(error, ImportError) else "SOCKS is not supported.",
        ) from error


def _certificates(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(Path(ca_file).expanduser()))
    except (OSError, ValueError) as error:  # SSLError, for what is no certificate, is an OSError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StreamFailure(
            "certificate_error",
            "The file of certificates cannot be read.",
            "Choose another file in the settings, in PEM format, or none.",
            f"{ca_file}: {reason}",
        ) from error
