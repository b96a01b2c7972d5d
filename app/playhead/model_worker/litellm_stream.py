"""The only caller of litellm: one request becomes a stream of deltas."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any, cast

import httpx
import litellm
import litellm.exceptions

from playhead.model_worker.connections import Connections
from playhead.model_worker.documents import Reader, has_files, with_files
from playhead.model_worker.failures import needs_tools, no_stream, silent, truncated
from playhead.model_worker.file_limits import limits_for
from playhead.model_worker.known_models import about
from playhead.model_worker.model_lists import listed
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    CallPiece,
    CitedPage,
    Delta,
    Done,
    ListModels,
    ModelList,
    Tokens,
)

NO_KEY = "none"
"""Local servers need no key, but the client library insists on one."""

_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_choice|function.?call", re.IGNORECASE)
_ABOUT_USAGE = re.compile(r"stream.?options|include.?usage", re.IGNORECASE)
_CHARACTERS_PER_TOKEN = 4

_Refusal = (
    litellm.exceptions.BadRequestError,
    litellm.exceptions.NotFoundError,
    litellm.exceptions.UnprocessableEntityError,
)
_NOT_ABOUT_OPTIONS = (
    litellm.exceptions.NotFoundError,
    litellm.exceptions.ContextWindowExceededError,
    litellm.exceptions.ContentPolicyViolationError,
)


class LitellmStream:
    """Asks models; remembers what some of them cannot take: tools, or the wish for usage."""

    def __init__(self) -> None:
        self._connections = Connections()
        self._connections.serve_litellm()
        self._refused: dict[tuple[str, str | None], frozenset[str]] = {}

    async def warm(self) -> None:
        """One mock stream: pays for the modules that litellm imports at its first request."""
        answer: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
            model="openai/warm",
            messages=[{"role": "user", "content": "hello"}],
            mock_response="ready",
            stream=True,
            api_key=NO_KEY,
        )
        async for _ in answer:
            pass

    async def listed(self, ask: ListModels) -> ModelList:
        """The models of a provider. Raises StreamFailure or what the HTTP client raises."""
        return ModelList(ask.turn, tuple(await listed(ask, self._connections)))

    def known(self, ask: AboutModel) -> ModelList:
        """What the table of models says about one."""
        return ModelList(ask.turn, (about(ask.model),))

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        """The deltas of the answer, at last how it ended and what it cost.

        Closing the generator closes the connection. Raises what litellm raises, or StreamFailure.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + ask.first_s
        with self._connections.through(ask):
            answer = await self._open(ask, deadline)
        has_begun = False
        reason, usage = "", None
        try:
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        chunk = await anext(answer, None)
                except TimeoutError as error:
                    limit_s = ask.between_s if has_begun else ask.first_s
                    raise silent(limit_s, has_begun=has_begun) from error
                if chunk is None:
                    break
                reason = _finish_reason(chunk) or reason
                usage = getattr(chunk, "usage", None) or usage
                if (delta := _delta(chunk)) is not None:
                    has_begun = True
                    yield delta
                if usage is not None and getattr(answer, "sent_stream_usage", False):
                    break  # there is no more, but litellm would put the answer together once again
                deadline = loop.time() + (ask.between_s if has_begun else ask.first_s)
            _check_end(answer, has_begun=has_begun)
            yield Done(ask.turn, reason or "stop", _tokens(answer, usage, ask))
        finally:
            await answer.aclose()

    async def _open(self, ask: Ask, deadline: float) -> Any:
        """The litellm stream; a model that cannot take an option is asked again without it."""
        where = (ask.model, ask.api_base)
        refused = self._refused.get(where, frozenset[str]())
        arguments = await _arguments(ask)
        options = _options(ask)
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    kept = {name: value for name, value in options.items() if name not in refused}
                    try:
                        answer = await _complete(arguments | kept)
                        break
                    except _Refusal as error:
                        if (name := _refused_option(error, kept)) is None:
                            raise
                    if name == "tools" and ask.needs_tools:
                        raise needs_tools(ask.model)
                    refused |= {name} if name != "tools" else {"tools", "tool_choice"}
        except TimeoutError as error:
            raise silent(ask.first_s, has_begun=False) from error
        self._refused[where] = refused
        return answer


def _options(ask: Ask) -> dict[str, Any]:
    """What a server may not know. litellm itself leaves out what its provider does not take."""
    options: dict[str, Any] = {"stream_options": {"include_usage": True}}
    if ask.tools:
        options["tools"] = ask.tools
        if ask.tool_choice is not None:
            options["tool_choice"] = ask.tool_choice
    return options


def _refused_option(error: Exception, options: dict[str, Any]) -> str | None:
    """The option that a server's refusal is about.

    Strict servers answer an unknown field with 400 or 422, and not all of them name it.
    """
    text = str(error)
    if "stream_options" in options and _ABOUT_USAGE.search(text):
        return "stream_options"
    if "tools" in options and _ABOUT_TOOLS.search(text):
        return "tools"
    may_be_usage = "stream_options" in options and not isinstance(error, _NOT_ABOUT_OPTIONS)
    return "stream_options" if may_be_usage else None


async def _complete(arguments: dict[str, Any]) -> Any:
    # _skip_mcp_handler: with tools litellm otherwise imports the package `mcp`, which a plain
    # install does not have (1.106.2 raises APIConnectionError: No module named 'mcp').
    return await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
        **arguments, _skip_mcp_handler=True
    )


async def _arguments(ask: Ask) -> dict[str, Any]:
    optional = {
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
        "top_p": ask.top_p,
        "stop": ask.stop or None,
        "api_base": ask.api_base,
        "api_key": ask.api_key or (NO_KEY if ask.api_base else None),
    }
    return {
        "model": ask.model,
        "messages": await _messages(ask),
        "stream": True,
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,  # a model without temperature is asked without it
        "timeout": httpx.Timeout(ask.first_s + 5, connect=ask.connect_s),
        **{name: value for name, value in optional.items() if value is not None},
    }


async def _messages(ask: Ask) -> list[dict[str, Any]]:
    if not has_files(ask.messages):
        return ask.messages
    return await asyncio.to_thread(with_files, ask.messages, _reader(ask))


def _reader(ask: Ask) -> Reader:
    known = about(ask.model)
    sees = known.takes_images if ask.supports_images is None else ask.supports_images
    limits = limits_for(ask.model, ask.api_base)
    return Reader(bool(sees), bool(known.takes_documents), limits)


def _check_end(answer: Any, *, has_begun: bool) -> None:
    """litellm makes up `stop` for a stream that just ended; what it received tells the truth."""
    received = getattr(answer, "received_finish_reason", "")
    if received is not None or getattr(answer, "intermittent_finish_reason", None):
        return
    raise truncated() if has_begun or answer.chunks else no_stream()


def _finish_reason(chunk: Any) -> str:
    return (chunk.choices[0].finish_reason or "") if chunk.choices else ""


def _delta(chunk: Any) -> Delta | None:
    if not chunk.choices:  # the usage chunk
        return None
    raw = chunk.choices[0].delta
    text = raw.content or ""
    reasoning = getattr(raw, "reasoning_content", None) or ""
    calls = tuple(_call_piece(piece) for piece in raw.tool_calls or ())
    citations = tuple(_cited_pages(getattr(raw, "annotations", None) or ()))
    delta = Delta(text, reasoning, calls, citations)
    return None if delta == Delta() else delta


def _cited_pages(annotations: Iterable[Any]) -> Iterator[CitedPage]:
    """Only pages: a server's own files and the like say nothing outside of it."""
    for annotation in annotations:
        page = _fields(_fields(annotation).get("url_citation"))
        start, end = page.get("start_index"), page.get("end_index")
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            yield CitedPage(start, end, str(page.get("title") or ""), str(page.get("url") or ""))


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _call_piece(piece: Any) -> CallPiece:
    function = piece.function
    return CallPiece(
        index=piece.index or 0,
        id=piece.id or "",
        name=(function.name or "") if function else "",
        arguments=(function.arguments or "") if function else "",
    )


def _tokens(answer: Any, usage: Any, ask: Ask) -> Tokens:
    """The provider's numbers, else litellm's count, else a guess from the lengths.

    litellm fills in a count of its own without saying so; what it received tells which it is.
    """
    received = (getattr(chunk, "usage", None) for chunk in getattr(answer, "chunks", ()))
    is_given = any(found and (found.prompt_tokens or found.completion_tokens) for found in received)
    if usage is not None and (usage.prompt_tokens or usage.completion_tokens):
        return Tokens(usage.prompt_tokens or 0, usage.completion_tokens or 0, not is_given)
    asked = sum(len(str(message.get("content") or "")) for message in ask.messages)
    said = len(getattr(answer, "response_uptil_now", ""))
    return Tokens(_guess(asked), _guess(said))


def _guess(characters: int) -> int:
    return math.ceil(characters / _CHARACTERS_PER_TOKEN)
