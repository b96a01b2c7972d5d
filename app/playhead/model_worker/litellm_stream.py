"""The only caller of litellm's completions: one request becomes a stream of deltas."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from contextlib import aclosing
from typing import Any, cast

import litellm.exceptions
import openai

from playhead.model_worker.connections import Connections, Exchange
from playhead.model_worker.costs import tokens_of
from playhead.model_worker.diagnosis import RETRY_STATUSES
from playhead.model_worker.errors import (
    StreamFailure,
    kind_of,
    needs_tools,
    no_stream,
    silent,
    truncated,
)
from playhead.model_worker.protocol import Ask, CallPiece, CitedPage, Delta, Done
from playhead.model_worker.request_arguments import NO_KEY, litellm_arguments, tries_images

_KNOWN_FIELDS = frozenset(
    {
        *("role", "content", "tool_calls", "reasoning_content", "annotations", "refusal"),
        *("thinking_blocks", "provider_specific_fields", "reasoning", "reasoning_details"),
        *("function_call", "audio", "images", "signature"),
    }
)


class DeltaReader:
    """Reads one answer. `unknown` counts the fields that it passed over, by name."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self._thought: list[str] = []

    def read(self, chunk: Any) -> Delta | None:
        """Return the delta of a chunk; None if it is empty."""
        if not chunk.choices:  # the usage chunk
            return None
        raw = chunk.choices[0].delta
        self._count_unknown(raw)
        delta = Delta(
            text=raw.content or "",
            reasoning=_text(raw, "reasoning_content"),
            calls=tuple(_call_piece(piece) for piece in raw.tool_calls or ()),
            citations=tuple(_cited_pages(getattr(raw, "annotations", None) or ())),
            echo=self._echo(getattr(raw, "thinking_blocks", None) or ()),
        )
        return None if delta == Delta() else delta

    def _echo(self, blocks: Iterable[Any]) -> str:
        """Return the complete blocks of thinking that are signed, or closed to us, as JSON."""
        whole: list[dict[str, Any]] = []
        for raw in blocks:
            block = _fields(raw)
            if block.get("type") == "redacted_thinking":
                whole.append(dict(block))
                continue
            self._thought.append(str(block.get("thinking") or ""))
            if signature := block.get("signature"):
                thinking = "".join(self._thought)
                whole.append({"type": "thinking", "thinking": thinking, "signature": signature})
                self._thought.clear()
        return json.dumps(whole) if whole else ""

    def _count_unknown(self, raw: Any) -> None:
        for name, value in raw:
            if value and name not in _KNOWN_FIELDS:
                self.unknown[name] += 1


def _text(raw: Any, name: str) -> str:
    value = getattr(raw, name, None)
    return value if isinstance(value, str) else ""


def _cited_pages(annotations: Iterable[Any]) -> Iterator[CitedPage]:
    """Yield the cited pages; a server's own files and the like have no meaning outside of it."""
    for annotation in annotations:
        page = _fields(_fields(annotation).get("url_citation"))
        start, end = page.get("start_index"), page.get("end_index")
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            yield CitedPage(
                start=start,
                end=end,
                title=str(page.get("title") or ""),
                url=str(page.get("url") or ""),
            )


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


_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_choice|function.?call", re.IGNORECASE)
_ABOUT_USAGE = re.compile(r"stream.?options|include.?usage", re.IGNORECASE)
_ABOUT_IMAGES = re.compile(
    r"\bimages?\b|image_url|vision\b|multi-?modal|mmproj|unknown variant"
    r"|content\W.{0,40}must be a string",
    re.IGNORECASE,
)
_ABOUT_ONE_IMAGE = re.compile(
    r"too (?:large|big|many|small)|exceed|pixels|dimensions|decode|corrupt|invalid image",
    re.IGNORECASE,
)
IMAGES = "images"
_BUSY = 429

_REFUSALS = (
    litellm.exceptions.InternalServerError,  # llama.cpp refuses pictures with status 500
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
    """Asks models; remembers what some of them cannot take: tools, pictures, the wish for usage."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._refused: dict[tuple[str, str | None], frozenset[str]] = {}

    async def warm(self) -> None:
        """Run one mock stream: it loads the modules that litellm imports at its first request."""
        answer: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
            model="openai/warm",
            messages=[{"role": "user", "content": "hello"}],
            mock_response="ready",
            stream=True,
            api_key=NO_KEY,
        )
        async for _ in answer:
            pass

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        """Stream the deltas of the answer, and last its end and cost.

        Closing the generator closes the connection. Raises what litellm raises, or StreamFailure.
        """
        has_begun = False
        with self._connections.through(ask) as exchange:
            try:
                # Some requests begin with the first piece, not before.
                async with aclosing(self._stream(ask, exchange)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
            except StreamFailure:
                raise
            except Exception as error:
                if (truth := exchange.truth(error, has_begun=has_begun)) is not None:
                    raise truth from error
                if exchange.failure is not None:  # litellm's text is shorter
                    _innermost(error).__cause__ = exchange.failure
                raise

    async def _stream(self, ask: Ask, exchange: Exchange) -> AsyncGenerator[Delta | Done, None]:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + ask.first_s
        answer, has_refused_images = await self._open(ask, exchange, deadline)
        reader = DeltaReader()
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
                if (delta := reader.read(chunk)) is not None:
                    has_begun = True
                    yield delta
                if usage is not None and getattr(answer, "sent_stream_usage", False):
                    break  # it is complete, but litellm would assemble the answer once again
                deadline = loop.time() + (ask.between_s if has_begun else ask.first_s)
            _check_end(answer, exchange, has_begun=has_begun)
            tokens = _tokens(answer, usage, ask)
            yield Done(ask.turn, reason or "stop", tokens, has_refused_images)
        finally:
            _log_unknown(reader, ask)
            await answer.aclose()

    async def _open(self, ask: Ask, exchange: Exchange, deadline: float) -> tuple[Any, bool]:
        """Return the litellm stream, and whether the server has just refused pictures.

        A model that refuses an option, or pictures of which it was not known whether it takes any,
        is asked again without.
        """
        where = (ask.model, ask.api_base)
        refused = before = self._refused.get(where, frozenset[str]())
        options = _options(ask)
        is_lasting = True
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    kept = {name: value for name, value in options.items() if name not in refused}
                    arguments = await litellm_arguments(ask, is_blind=IMAGES in refused)
                    shown = {IMAGES} if tries_images(ask) and IMAGES not in refused else set[str]()
                    try:
                        answer = await _complete(arguments | kept)
                        break
                    except _REFUSALS as error:
                        name = _refused_option(error, {*kept, *shown}, exchange.status)
                        if name is None:
                            raise
                        if name == IMAGES and _ABOUT_ONE_IMAGE.search(str(error)):
                            is_lasting = False  # another picture may be taken
                    if name == "tools" and ask.needs_tools:
                        raise needs_tools(ask.model)
                    refused |= {name} if name != "tools" else {"tools", "tool_choice"}
        except TimeoutError as error:
            raise silent(ask.first_s, has_begun=False) from error
        self._refused[where] = refused if is_lasting else refused - {IMAGES}
        return answer, IMAGES in refused - before


async def _complete(arguments: dict[str, Any]) -> Any:
    # _skip_mcp_handler: with tools litellm otherwise imports the package `mcp`, which a plain
    # install does not have (1.106.2 raises APIConnectionError: No module named 'mcp').
    answer: Any = await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
        **arguments, _skip_mcp_handler=True
    )
    if isinstance(answer.completion_stream, openai.AsyncStream):
        answer.completion_stream = _with_refusals(cast("Any", answer.completion_stream))
    return answer


async def _with_refusals(chunks: openai.AsyncStream[Any]) -> AsyncGenerator[Any, None]:
    """Yield the chunks with the text of a model's refusal, which litellm drops."""
    try:
        async for chunk in chunks:
            for choice in chunk.choices:
                if refusal := getattr(choice.delta, "refusal", None):
                    choice.delta.content = (choice.delta.content or "") + refusal
            yield chunk
    finally:
        await chunks.close()


def _innermost(error: BaseException) -> BaseException:
    seen: set[int] = set()
    while error.__cause__ is not None and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__
    return error


def _options(ask: Ask) -> dict[str, Any]:
    """Return options that a server may not support; litellm drops those of its providers."""
    options: dict[str, Any] = {"stream_options": {"include_usage": True}}
    if ask.tools:
        options["tools"] = ask.tools
        if ask.tool_choice is not None:
            options["tool_choice"] = ask.tool_choice
    return options


def _refused_option(error: Exception, options: Collection[str], status: int) -> str | None:
    """Return the option that a server's refusal is about; None if it is about something else.

    Strict servers answer an unknown field with 400 or 422, and not all of them name it.
    """
    text = str(error)
    if IMAGES in options and status != _BUSY and _ABOUT_IMAGES.search(text):
        return IMAGES
    if status in RETRY_STATUSES:  # for any of litellm's errors
        return None
    if "stream_options" in options and _ABOUT_USAGE.search(text):
        return "stream_options"
    if "tools" in options and _ABOUT_TOOLS.search(text):
        return "tools"
    if isinstance(error, _NOT_ABOUT_OPTIONS):
        return None
    if "stream_options" in options:
        return "stream_options"
    return IMAGES if IMAGES in options and kind_of(400, text) == "refused" else None


def _check_end(answer: Any, exchange: Exchange, *, has_begun: bool) -> None:
    """Raise a failure for a stream that just ended, for which litellm invents a `stop`."""
    if exchange.answer is not None and (failure := exchange.answer.gemini_failure()) is not None:
        raise failure
    received = getattr(answer, "received_finish_reason", "")
    if received is not None or getattr(answer, "intermittent_finish_reason", None):
        return
    raise truncated() if has_begun or answer.chunks else no_stream()


def _finish_reason(chunk: Any) -> str:
    return (chunk.choices[0].finish_reason or "") if chunk.choices else ""


def _tokens(answer: Any, usage: Any, ask: Ask) -> Any:
    received = (getattr(chunk, "usage", None) for chunk in getattr(answer, "chunks", ()))
    is_given = any(found and (found.prompt_tokens or found.completion_tokens) for found in received)
    characters = len(getattr(answer, "response_uptil_now", ""))
    return tokens_of(usage, ask, is_given=is_given, characters=characters)


def _log_unknown(reader: DeltaReader, ask: Ask) -> None:
    if reader.unknown:
        counts = ", ".join(f"{name} ×{count}" for name, count in reader.unknown.items())
        print(f"{ask.model}: passed over {counts}", file=sys.stderr)  # noqa: T201 - the app logs it
