"""The exchanges with servers below litellm: its requests go through them, and keep the truth."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import httpx
import litellm
from litellm.llms.custom_httpx.http_handler import (  # pyright: ignore[reportMissingTypeStubs]
    AsyncHTTPHandler,
)

from playhead.model_worker.connections import (
    Connections,
    NetworkSettings,
    read_refusal,
    send_request,
    with_body,
)
from playhead.model_worker.diagnosis import is_network, why_unreadable
from playhead.model_worker.errors import (
    Refusal,
    RefusedError,
    StreamFailure,
    bad_call,
    oversized,
    refusal_of,
    truncated,
    unreadable,
)
from playhead.model_worker.protocol import read_json

MAX_LINE_BYTES = 8_000_000
"""No event of a model's is as long; a line without an end would fill the memory."""

_TAIL_BYTES = 8_192
_REASON = re.compile(rb'"finishReason"\s*:\s*"(\w+)"')
_BAD_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})


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
                return None if error is None else refusal_of(error)
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


class Exchange:
    """One request in progress: its client, and its failure as the server sent it.

    litellm's own texts lose some of the failure.
    """

    def __init__(self, client: httpx.AsyncClient, ask: NetworkSettings) -> None:
        self.client = client
        self.ask = ask
        self.failure: Exception | None = None
        self.answer: RawAnswer | None = None

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
            refusal = await read_refusal(response)
            self.failure = RefusedError(refusal)
            return with_body(response, text=refusal.body)
        self.answer = RawAnswer(response)
        return with_body(response, stream=self.answer)


class _Transport(httpx.AsyncBaseTransport):
    """Passes requests to the exchange of the running task."""

    def __init__(self, current: ContextVar[Exchange]) -> None:
        self._current = current

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer's head; its body streams."""
        return await self._current.get().send(request)


class Exchanges:
    """Sends litellm's own requests; those inside `through` take the client of its question.

    litellm makes clients of its own in two ways. Both are given a transport that looks up, by the
    context of the running task, where it is to send: turns with different settings never mix.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._current: ContextVar[Exchange] = ContextVar("exchange")
        litellm.aclient_session = httpx.AsyncClient(transport=_Transport(self._current))
        handler: Any = AsyncHTTPHandler
        handler.create_async_transport = staticmethod(self._transport)

    @contextmanager
    def through(self, ask: NetworkSettings) -> Generator[Exchange]:
        """Yield the exchange for this question, used by all requests of the task meanwhile.

        Raises StreamFailure when the certificates or the proxy cannot be used.
        """
        exchange = Exchange(self._connections.client(ask), ask)
        token = self._current.set(exchange)
        try:
            yield exchange
        finally:
            self._current.reset(token)

    def _transport(self, *_: object, **__: object) -> httpx.AsyncBaseTransport:
        return _Transport(self._current)
