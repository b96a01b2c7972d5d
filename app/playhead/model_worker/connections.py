"""The connections to providers: one HTTP client for each proxy and CA file."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol, cast

import httpx
import litellm
from litellm.llms.custom_httpx.http_handler import (  # pyright: ignore[reportMissingTypeStubs]
    AsyncHTTPHandler,
)

from playhead.model_worker.diagnosis import is_network, why_unreadable
from playhead.model_worker.errors import (
    RedirectedError,
    Refusal,
    RefusedError,
    StreamFailure,
    bad_call,
    kind_of,
    oversized,
    truncated,
    unreadable,
)
from playhead.model_worker.protocol import read_json

MAX_LINE_BYTES = 8_000_000
"""No event of a model's is as long; a line without an end would fill the memory."""

_TAIL_BYTES = 8_192
_REASON = re.compile(rb'"finishReason"\s*:\s*"(\w+)"')
_BAD_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "context_length_exceeded": 400,
    "overloaded_error": 529,
}
"""The statuses that errors in a stream would have had before it."""


class RawAnswer(httpx.AsyncByteStream):
    """Passes a stream on and remembers its end."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._tail = b""
        self._line_bytes = 0
        self._is_gemini = False
        self._reason = ""
        self.failure: StreamFailure | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces, decompressed. Raises StreamFailure for a line that is too long."""
        async for piece in self._response.aiter_bytes():
            self._inspect(piece)
            yield piece

    async def aclose(self) -> None:
        """Close the connection."""
        await self._response.aclose()

    def refusal(self) -> Refusal | None:
        """Return the error that the server put at the end of its stream, if it did."""
        for line in reversed(self._tail.splitlines()):
            if line.strip():
                error = _error_in(line.removeprefix(b"data:"))
                return None if error is None else _refusal(error)
        return None

    def gemini_failure(self) -> StreamFailure | None:
        """Return the failure for Gemini's own reason for the end, or None for a normal end."""
        if self._is_gemini and not self._reason:
            return truncated()
        return bad_call() if self._reason in _BAD_CALLS else None

    def _inspect(self, piece: bytes) -> None:
        line_end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self._line_bytes = len(piece) - line_end - 1 + (self._line_bytes if line_end < 0 else 0)
        if self._line_bytes > MAX_LINE_BYTES:
            self.failure = oversized(MAX_LINE_BYTES)
            raise self.failure
        seen = self._tail + piece
        self._is_gemini = self._is_gemini or b'"candidates"' in seen
        if b"finishReason" in seen and (found := _REASON.findall(seen)):
            self._reason = found[-1].decode("ascii", "replace")
        self._tail = seen[-_TAIL_BYTES:]


def _error_in(data: bytes) -> Any:
    """Return the error of an event; None without one."""
    try:
        found: Any = read_json(data)
    except ValueError:
        return None
    if isinstance(found, list) and found:  # Gemini's
        found = cast("list[Any]", found)[0]
    return cast("Mapping[str, Any]", found).get("error") if isinstance(found, dict) else None


def _refusal(error: Any) -> Refusal:
    body = json.dumps({"error": error})
    return Refusal(_status_of(error, body), {}, body)


def _status_of(error: Any, body: str) -> int:
    """Return the status in the error itself, else one by its kind and its text."""
    fields = cast("Mapping[str, object]", error if isinstance(error, dict) else {})
    for name in ("code", "status", "type"):
        value = fields.get(name)
        if isinstance(value, str):
            value = int(value) if re.fullmatch(r"[45]\d\d", value) else _STATUSES.get(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 500 if kind_of(400, body) == "refused" else 400


_MAX_CLIENTS = 8
_MAX_REFUSAL_BYTES = 65_536
_LOOPBACK: dict[str, httpx.AsyncBaseTransport | None] = {
    "all://localhost": None,
    "all://127.0.0.1": None,
    "all://[::1]": None,
}
"""Addresses that a proxy could not reach anyway."""


class NetworkSettings(Protocol):
    """The network settings of the questions that need the network."""

    @property
    def proxy(self) -> str:
        """Return the proxy's address, or "" for the one that the environment names."""
        ...

    @property
    def ca_file(self) -> str:
        """Return a file of certificates in place of the system's, or ""."""
        ...

    @property
    def connect_s(self) -> float:
        """Return the limit of time for a connection."""
        ...

    @property
    def first_s(self) -> float:
        """Return the limit of time for the beginning of an answer."""
        ...


class Exchange:
    """One request in progress: its client, and its failure as the server sent it.

    litellm's own texts lose some of the failure.
    """

    def __init__(self, client: httpx.AsyncClient, ask: NetworkSettings) -> None:
        self.client = client
        self.ask = ask
        self.failure: Exception | None = None
        self.answer: RawAnswer | None = None

    @property
    def status(self) -> int:
        """Return the status of the refusal, 0 without one."""
        return self.failure.refusal.status if isinstance(self.failure, RefusedError) else 0

    def truth(self, error: Exception, *, has_begun: bool) -> Exception | None:
        """Return the original failure of a stream, which libraries replace by their own."""
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
        """Return the head of the answer, with the whole body of a refusal."""
        self.failure = self.answer = None
        try:
            response = await send_request(self.client, request, self.ask)
        except httpx.HTTPError as error:
            self.failure = error
            raise
        if response.status_code >= 400:
            response = await _read_refusal(response)
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
        """Send litellm's own requests through this class from now on."""
        litellm.aclient_session = httpx.AsyncClient(transport=_Transport(self._current))
        handler: Any = AsyncHTTPHandler
        handler.create_async_transport = staticmethod(self._transport)

    @contextmanager
    def through(self, ask: NetworkSettings) -> Generator[Exchange]:
        """Yield the exchange for this question, used by all requests of the task meanwhile.

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
    """Passes requests to the exchange of the running task."""

    def __init__(self, current: ContextVar[Exchange]) -> None:
        self._current = current

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer's head; its body streams."""
        return await self._current.get().send(request)


async def send_request(
    client: httpx.AsyncClient, request: httpx.Request, ask: NetworkSettings
) -> httpx.Response:
    """Return the head of the answer to a request, within the time limits of the question."""
    limits = httpx.Timeout(ask.first_s + 5, connect=ask.connect_s)
    request.extensions["timeout"] = limits.as_dict()
    response = await client.send(request, stream=True, follow_redirects=False)
    if response.has_redirect_location:
        await response.aclose()
        raise RedirectedError(
            f"It points to {_redirect_target(request.url, response)}.", request=request
        )
    return response


async def _read_refusal(response: httpx.Response) -> httpx.Response:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= _MAX_REFUSAL_BYTES:
            break
    await response.aclose()
    return _with_body(response, content=body[:_MAX_REFUSAL_BYTES])


def _with_body(response: httpx.Response, **body: Any) -> httpx.Response:
    """Return the head of an answer with a body that is already decompressed."""
    headers = {
        name: value
        for name, value in response.headers.items()
        if name not in ("content-encoding", "content-length", "transfer-encoding")
    }
    return httpx.Response(response.status_code, headers=headers, request=response.request, **body)


def _redirect_target(url: httpx.URL, response: httpx.Response) -> str:
    """Return the target of a redirect, without what may be secret in it."""
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        return "no address"
    return f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}{target.path}"


def _changed_at(ca_file: str) -> int:
    try:
        return Path(ca_file).stat().st_mtime_ns if ca_file else 0
    except OSError:  # opening it reports the error
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
            "Correct “Proxy” in the settings; it looks like http://proxy.example:3128.",
            str(error) if not isinstance(error, ImportError) else "SOCKS is not supported.",
        ) from error


def _certificates(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(Path(ca_file).expanduser()))
    except (OSError, ValueError) as error:  # SSLError, for an invalid certificate, is an OSError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StreamFailure(
            "upstream_network",
            "The file of certificates cannot be read.",
            "Choose another file as “Certificates” in the settings, in PEM format, or none.",
            f"{ca_file}: {reason}",
        ) from error
