"""The only caller of litellm's completions: one request becomes a stream of deltas."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

import httpx
import litellm
import litellm.exceptions
import openai

from playhead.model_worker.connections import Connections
from playhead.model_worker.errors import (
    RefusedError,
    StreamFailure,
    no_stream,
    silent,
    truncated,
)
from playhead.model_worker.http_lane.chat_wire import KNOWN_FIELDS, cited_pages
from playhead.model_worker.http_lane.wire import ThinkingEcho
from playhead.model_worker.litellm_lane.exchanges import Exchange, Exchanges
from playhead.model_worker.model_table import estimated_tokens
from playhead.model_worker.protocol import Ask, CallPiece, Delta, Done, ListModels, Tokens
from playhead.model_worker.refusals import IMAGES, TOOLS, USAGE, RefusedOptions
from playhead.model_worker.request_arguments import allowed_extra, messages_of

NO_KEY = "none"
"""Local servers need no key, but the client library insists on one."""


class DeltaReader:
    """Reads one answer. `unknown` counts the fields that it passed over, by name."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self._echo = ThinkingEcho()

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
            citations=tuple(cited_pages(getattr(raw, "annotations", None))),
            echo=self._echo.add(getattr(raw, "thinking_blocks", None)),
        )
        return None if delta == Delta() else delta

    def _count_unknown(self, raw: Any) -> None:
        for name, value in raw:
            if value and name not in KNOWN_FIELDS:
                self.unknown[name] += 1


def _text(raw: Any, name: str) -> str:
    value = getattr(raw, name, None)
    return value if isinstance(value, str) else ""


def _call_piece(piece: Any) -> CallPiece:
    function = piece.function
    return CallPiece(
        index=piece.index or 0,
        id=piece.id or "",
        name=(function.name or "") if function else "",
        arguments=(function.arguments or "") if function else "",
    )


class LitellmStream:
    """Asks models; remembers what some of them cannot take: tools, pictures, the wish for usage."""

    def __init__(self, connections: Connections) -> None:
        self._exchanges = Exchanges(connections)
        self._refused = RefusedOptions()

    def serves(self, question: Ask | ListModels) -> bool:
        """Return True: a question is sent here because no other lane serves it."""
        return True

    def base_of(self, provider: str) -> str | None:
        """Return the address of a provider with OpenAI's format."""
        try:
            return litellm.get_llm_provider(f"{provider}/any")[3]
        except litellm.exceptions.BadRequestError:
            return None

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

    async def stream(self, ask: Ask) -> AsyncGenerator[Sequence[Delta] | Done, None]:
        """Stream the deltas of the answer, and last its end and cost.

        Closing the generator closes the connection. Raises what litellm raises, or StreamFailure.
        """
        has_begun = False
        with self._exchanges.through(ask) as exchange:
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

    async def _stream(
        self, ask: Ask, exchange: Exchange
    ) -> AsyncGenerator[Sequence[Delta] | Done, None]:
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
                    yield (delta,)
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
        """Return the litellm stream, and whether the server has just refused pictures."""
        options = _options(ask)

        async def send(refused: frozenset[str]) -> Any:
            kept = {name: value for name, value in options.items() if name not in refused}
            if TOOLS in refused:
                kept.pop("tool_choice", None)
            arguments = await _arguments(ask, is_blind=IMAGES in refused)
            try:
                return await _complete(arguments | kept)
            except Exception as error:
                if isinstance(exchange.failure, RefusedError):  # litellm's texts are shorter
                    raise exchange.failure from error
                raise

        try:
            async with asyncio.timeout_at(deadline):
                return await self._refused.opened(ask, options, send)
        except TimeoutError as error:
            raise silent(ask.first_s, has_begun=False) from error


async def _arguments(ask: Ask, *, is_blind: bool = False) -> dict[str, Any]:
    """Return all arguments but those that a server may not support; `is_blind`: nor pictures."""
    optional = {
        "api_base": ask.api_base,
        "api_key": ask.api_key or (NO_KEY if ask.api_base and not _signs(ask) else None),
    }
    return {
        **allowed_extra(ask.extra),
        "model": ask.model,
        "messages": await messages_of(ask, is_blind=is_blind),
        "stream": True,
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,  # a model without temperature is asked without it
        "timeout": httpx.Timeout(ask.first_s + 5, connect=ask.connect_s),
        **ask.parameters,
        **{name: value for name, value in optional.items() if value is not None},
    }


def _signs(ask: Ask) -> bool:
    """Return whether requests are signed: a key would be sent in place of the signature."""
    return ask.model.startswith("bedrock/")


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
    options: dict[str, Any] = {USAGE: {"include_usage": True}}
    if ask.tools:
        options[TOOLS] = ask.tools
        if ask.tool_choice is not None:
            options["tool_choice"] = ask.tool_choice
    return options


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


def _tokens(answer: Any, usage: Any, ask: Ask) -> Tokens:
    """Return the provider's numbers, else litellm's count, else an estimate by the characters.

    litellm adds a count of its own without marking it: what it received says whose it is.
    """
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        return estimated_tokens(ask, len(getattr(answer, "response_uptil_now", "")))
    received = (getattr(chunk, "usage", None) for chunk in getattr(answer, "chunks", ()))
    is_given = any(found and (found.prompt_tokens or found.completion_tokens) for found in received)
    return Tokens(
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        is_estimated=not is_given,
        cached_tokens=_detail(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning_tokens=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        cost=_cost(ask.model, usage),
    )


def _detail(usage: Any, group: str, name: str) -> int:
    value = getattr(getattr(usage, group, None), name, None)
    return value if isinstance(value, int) else 0


def _cost(model: str, usage: Any) -> float | None:
    try:
        prices = litellm.cost_per_token(
            model=model,
            prompt_tokens=usage.prompt_tokens or 0,
            completion_tokens=usage.completion_tokens or 0,
            usage_object=usage,
        )
    # For models without a price litellm raises a bare Exception.
    except Exception:  # noqa: BLE001
        return None
    return round(sum(prices), 8)


def _log_unknown(reader: DeltaReader, ask: Ask) -> None:
    if reader.unknown:
        counts = ", ".join(f"{name} ×{count}" for name, count in reader.unknown.items())
        print(f"{ask.model}: passed over {counts}", file=sys.stderr)  # noqa: T201 - the app logs it
