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

from playhead.model_worker.failure_kinds import StreamFailure, truncated, unreadable
from playhead.model_worker.failures import Refusal, RefusedError, why_unreadable
from playhead.model_worker.network_failures import RedirectedError, is_network
from playhead.model_worker.raw_answers import RawAnswer

_MAX_CLIENTS = 8
_MAX_REFUSAL_BYTES = 200_000
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


class Exchange:
    """One request under way: its client, and what went wrong with it, as it came.

    litellm has words of its own for that, and loses some of it.
    """

    def __init__(self, client: httpx.AsyncClient, ask: Reached) -> None:
        self.client = client
        self.ask = ask
        self.failure: Exception | None = None
        self.answer: RawAnswer | None = None

    @property
    def status(self) -> int:
        """The status of the refusal, 0 if there was none."""
        return self.failure.refusal.status if isinstance(self.failure, RefusedError) else 0

    def truth(self, error: Exception, *, has_begun: bool) -> Exception | None:
        """What went wrong in the middle of a stream, where others found only words of theirs."""
        if self.answer is None:
            return None
        if self.answer.failure is not None:
            return self.answer.failure
        if (refusal := self.answer.refusal()) is not None:
            return RefusedError(refusal)
        if is_network(error):
            return truncated() if has_begun else None
        return unreadable(detail) if (detail := why_unreadable(error)) else None

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The head of the answer, with the whole body of a refusal."""
        self.failure = self.answer = None
        try:
            response = await sent(self.client, request, self.ask)
        except httpx.HTTPError as error:
            self.failure = error
            raise
        if response.status_code >= 400:
            response = await _read(response)
            refusal = Refusal(response.status_code, response.headers, response.text)
            self.failure = RefusedError(refusal)
            return response
        self.answer = RawAnswer(response)
        return _with_body(response, stream=self.answer)


class Connections:
    """Keeps the clients; requests that are made inside `through` take the client of its question.

    litellm makes clients of its own in two ways. Both are given a transport that looks up, by the
    context of the running task, where it is to send: turns with different settings never mix.
    """

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str, int], httpx.AsyncClient] = {}
        self._current: ContextVar[Exchange] = ContextVar("exchange")

    def serve_litellm(self) -> None:
        """From now on litellm's own requests go through here."""
        litellm.aclient_session = httpx.AsyncClient(transport=_Transport(self._current))
        handler: Any = AsyncHTTPHandler
        handler.create_async_transport = staticmethod(self._transport)

    @contextmanager
    def through(self, ask: Reached) -> Generator[Exchange]:
        """The exchange for this question, for all requests of the task meanwhile.

        Raises StreamFailure when the certificates or the proxy cannot be used.
        """
        client = self._client(ask.proxy.strip(), ask.ca_file.strip())
        exchange = Exchange(client, ask)
        token = self._current.set(exchange)
        try:
            yield exchange
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


class _Transport(httpx.AsyncBaseTransport):
    """Hands requests to the exchange of the running task."""

    def __init__(self, current: ContextVar[Exchange]) -> None:
        self._current = current

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer's head; its body streams."""
        return await self._current.get().send(request)


async def sent(client: httpx.AsyncClient, request: httpx.Request, ask: Reached) -> httpx.Response:
    """The head of the answer to a request within the limits of the question."""
    limits = httpx.Timeout(ask.first_s + 5, connect=ask.connect_s)
    request.extensions["timeout"] = limits.as_dict()
    response = await client.send(request, stream=True, follow_redirects=False)
    if response.has_redirect_location:
        await response.aclose()
        raise RedirectedError(f"It points to {_target(request.url, response)}.", request=request)
    return response


async def _read(response: httpx.Response) -> httpx.Response:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > _MAX_REFUSAL_BYTES:
            break
    await response.aclose()
    return _with_body(response, content=body)


def _with_body(response: httpx.Response, **body: Any) -> httpx.Response:
    """The head of an answer with a body that is already decompressed."""
    headers = {
        name: value
        for name, value in response.headers.items()
        if name not in ("content-encoding", "content-length", "transfer-encoding")
    }
    return httpx.Response(response.status_code, headers=headers, request=response.request, **body)


def _target(url: httpx.URL, response: httpx.Response) -> str:
    """Where a redirect leads, without what may be secret in it."""
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        return "no address"
    return f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}{target.path}"


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
            "upstream_network",
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
            "upstream_network",
            "The file of certificates cannot be read.",
            "Choose another file in the settings, in PEM format, or none.",
            f"{ca_file}: {reason}",
        ) from error
