"""Asks a model by HTTP: one request becomes a stream of deltas, whatever its format is."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import aclosing, suppress
from typing import Any, cast

import httpx
from msgspec import Struct

from playhead.model_worker.connections import Connections, read_refusal, send_request
from playhead.model_worker.errors import RefusedError, no_provider, silent, unreadable
from playhead.model_worker.http_lane.anthropic_wire import AnthropicReader, anthropic_request
from playhead.model_worker.http_lane.chat_wire import ChatReader, chat_request
from playhead.model_worker.http_lane.cohere_wire import CohereReader, cohere_request
from playhead.model_worker.http_lane.wire import HttpRequest, Reader
from playhead.model_worker.lanes import (
    HTTP_PROVIDERS,
    HttpProvider,
    Wire,
    http_provider,
    is_no_provider,
)
from playhead.model_worker.model_lists import has_list
from playhead.model_worker.protocol import Ask, Delta, Done, ListModels
from playhead.model_worker.refusals import IMAGES, TOOLS, USAGE, RefusedOptions
from playhead.model_worker.request_arguments import messages_of, tries_images

_DRAIN_S = 0.05

_Write = Callable[[Ask, HttpProvider, list[dict[str, Any]], Collection[str]], HttpRequest]


class _Format(Struct, frozen=True):
    """The writer and the reader of a format, and the options that a server may refuse."""

    write: _Write
    reader: Callable[[], Reader]
    options: tuple[str, ...]
    tries_images: bool = True


_FORMATS: dict[Wire, _Format] = {
    "chat": _Format(chat_request, ChatReader, (USAGE, TOOLS)),
    "anthropic": _Format(anthropic_request, AnthropicReader, (TOOLS,)),
    "cohere": _Format(cohere_request, CohereReader, (), tries_images=False),
}


class HttpStream:
    """Asks the models of the HTTP lane; remembers what some of them refuse."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._refused = RefusedOptions()

    def serves(self, question: Ask | ListModels) -> bool:
        """Return whether the question is one of this lane."""
        if isinstance(question, ListModels):
            return has_list(question)
        return http_provider(question) is not None or is_no_provider(question.model)

    def base_of(self, provider: str) -> str | None:
        """Return the address of a provider with OpenAI's format."""
        found = HTTP_PROVIDERS.get(provider)
        return found.base if found is not None and found.wire == "chat" else None

    async def stream(self, ask: Ask) -> AsyncGenerator[Sequence[Delta] | Done, None]:
        """Stream the deltas of the answer, and last its end and cost.

        Closing the generator closes the connection. Raises StreamFailure, RefusedError or what
        the HTTP client raises.
        """
        provider = http_provider(ask)
        if provider is None:  # the dispatcher sends all others elsewhere
            raise no_provider(ask.model)
        wire = _FORMATS[provider.wire]
        client = self._connections.client(ask)
        deadline = asyncio.get_running_loop().time() + ask.first_s

        async def send(refused: frozenset[str]) -> httpx.Response:
            is_blind = IMAGES in refused or (not wire.tries_images and tries_images(ask))
            messages = await messages_of(ask, is_blind=is_blind)
            return await _opened(client, ask, wire.write(ask, provider, messages, refused))

        try:
            async with asyncio.timeout_at(deadline):
                response, has_refused_images = await self._refused.opened(ask, wire.options, send)
        except TimeoutError as error:
            raise silent(ask.first_s, has_begun=False) from error
        reader = wire.reader()
        try:
            # An async generator, though httpx says less.
            body = cast("AsyncGenerator[bytes, None]", response.aiter_bytes())
            async with aclosing(body) as pieces:
                async with aclosing(_read(pieces, reader, ask, deadline)) as answer:
                    async for deltas in answer:
                        yield deltas
                yield Done(ask.turn, reader.reason, reader.tokens(ask), has_refused_images)
                await _drain(pieces)
        finally:
            await response.aclose()
            _log_unknown(reader, ask)


async def _opened(client: httpx.AsyncClient, ask: Ask, asked: HttpRequest) -> httpx.Response:
    """Return the head of the answer. Raises RefusedError, or what the HTTP client raises."""
    headers = {"Content-Type": "application/json", "User-Agent": "Playhead", **asked.headers}
    request = client.build_request("POST", asked.url, headers=headers, content=asked.content())
    response = await send_request(client, request, ask)
    if response.status_code < 400:
        return response
    raise RefusedError(await read_refusal(response))


async def _read(
    pieces: AsyncIterator[bytes], reader: Reader, ask: Ask, deadline: float
) -> AsyncGenerator[Sequence[Delta], None]:
    """Yield the deltas of each piece. Raises the failure of an answer that is not whole."""
    loop = asyncio.get_running_loop()
    limit_s, has_begun = ask.first_s, False
    while not reader.is_over:
        try:
            async with asyncio.timeout_at(deadline):
                piece = await _next(pieces, reader)
        except TimeoutError as error:
            raise silent(limit_s, has_begun=has_begun) from error
        events = reader.events
        deltas = reader.finish() if piece is None else reader.feed(piece)
        if deltas:
            limit_s, has_begun = ask.between_s, True
            yield deltas
        if reader.failure is not None:
            raise reader.failure
        if piece is None:
            return
        if reader.events > events:
            deadline = loop.time() + limit_s
    reader.finish()
    if reader.failure is not None:
        raise reader.failure


async def _next(pieces: AsyncIterator[bytes], reader: Reader) -> bytes | None:
    """Return the next piece; None at the end, and where an answer that had begun breaks off."""
    try:
        return await anext(pieces, None)
    except httpx.DecodingError as error:
        raise unreadable("It cannot be decompressed.") from error
    except httpx.TransportError:
        if reader.events:
            return None
        raise


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read the end of the body, so that the connection serves the next request, too."""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in pieces:
                pass


def _log_unknown(reader: Reader, ask: Ask) -> None:
    if reader.unknown:
        counts = ", ".join(f"{name} ×{count}" for name, count in reader.unknown.items())
        print(f"{ask.model}: passed over {counts}", file=sys.stderr)  # noqa: T201 - the app logs it
