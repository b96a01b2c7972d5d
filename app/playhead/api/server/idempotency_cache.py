"""Requests that come again with the same Idempotency-Key get the answer that the first one got."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from aiohttp import web
from msgspec import Struct

from playhead.api.server.gateway import read_request
from playhead.errors import RequestError

HEADER = "Idempotency-Key"
KEPT_S = 3600.0
MAX_KEYS = 1000
_LONGEST = 255
_STREAMED = "its answer was a stream"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _CachedAnswer(Struct):
    """A request that was made: the hash of its body, and its answer when it is complete.

    The answer is None if it cannot be repeated: the request is then executed again.
    """

    body_hash: bytes
    at: float
    answer: asyncio.Future[tuple[bytes, int] | str | None]


class IdempotencyCache:
    """Remembers answers to what makes things, for an hour. Lives on the server's loop."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._known: OrderedDict[tuple[str, str], _CachedAnswer] = OrderedDict()

    def once(self, handler: Handler) -> Handler:
        """Wrap a handler so that it runs once for each key of a client; failures do not count."""

        async def answer(request: web.Request) -> web.StreamResponse:
            key = request.headers.get(HEADER, "")
            if not key or len(key) > _LONGEST:
                return await handler(request)
            return await self._answer(handler, request, (request.path, key))

        return answer

    async def _answer(
        self, handler: Handler, request: web.Request, place: tuple[str, str]
    ) -> web.StreamResponse:
        body_hash = await read_request(request, lambda raw: hashlib.sha256(raw).digest())
        self._forget()
        while (known := self._known.get(place)) is not None:
            if known.body_hash != body_hash:
                raise _key_reused("it came with another body")
            answer = await asyncio.shield(known.answer)
            if isinstance(answer, str):
                raise _key_reused(answer)
            if answer is not None:
                return web.Response(
                    body=answer[0], status=answer[1], content_type="application/json"
                )
        return await self._first(handler, request, place, body_hash)

    async def _first(
        self, handler: Handler, request: web.Request, place: tuple[str, str], body_hash: bytes
    ) -> web.StreamResponse:
        answer = asyncio.get_running_loop().create_future()
        self._known[place] = _CachedAnswer(body_hash, self._now(), answer)
        result: tuple[bytes, int] | str | None = None
        try:
            response = await handler(request)
            result = _STREAMED
            if isinstance(response, web.Response) and isinstance(response.body, bytes):
                result = (response.body, response.status)
            return response
        finally:
            if result is None:
                self._known.pop(place, None)
            answer.set_result(result)

    def _forget(self) -> None:
        oldest = self._now() - KEPT_S
        while self._known:
            first = next(iter(self._known.values()))
            if len(self._known) <= MAX_KEYS and first.at >= oldest:
                return
            self._known.popitem(last=False)


def _key_reused(why: str) -> RequestError:
    return RequestError(
        f"This {HEADER} was used before: {why}.",
        remedy="Choose another key for another request.",
        code="invalid_request",
        param=HEADER,
    )
