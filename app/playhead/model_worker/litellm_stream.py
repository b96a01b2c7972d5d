"""The only caller of litellm: one request becomes a stream of deltas."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from typing import Any, cast

import httpx
import litellm
import litellm.exceptions

from playhead.model_worker.failures import no_stream, silent, truncated
from playhead.model_worker.images import with_images
from playhead.model_worker.protocol import IMAGE_PART, Ask, CallPiece, Delta

NO_KEY = "none"
"""Local servers need no key, but the client library insists on one."""

_ABOUT_TOOLS = re.compile(r"\btools?\b|tool_choice|function.?call", re.IGNORECASE)


class LitellmStream:
    """Asks models; remembers which of them refused tools."""

    def __init__(self) -> None:
        self._without_tools: set[tuple[str, str | None]] = set()

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

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta | str, None]:
        """The deltas of the answer, at last the finish reason as a str.

        Closing the generator closes the connection. Raises what litellm raises, or StreamFailure.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + ask.first_s
        answer = await self._open(ask, deadline)
        has_begun = False
        reason = ""
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
                if (delta := _delta(chunk)) is not None:
                    has_begun = True
                    yield delta
                deadline = loop.time() + (ask.between_s if has_begun else ask.first_s)
            _check_end(answer, has_begun=has_begun)
            yield reason or "stop"
        finally:
            await answer.aclose()

    async def _open(self, ask: Ask, deadline: float) -> Any:
        """The litellm stream; a model that cannot take tools is asked again without them."""
        tools = [] if (ask.model, ask.api_base) in self._without_tools else ask.tools
        arguments = await _arguments(ask)
        try:
            async with asyncio.timeout_at(deadline):
                try:
                    return await _complete(arguments, tools)
                except (litellm.exceptions.BadRequestError, litellm.exceptions.NotFoundError) as e:
                    if not tools or not _ABOUT_TOOLS.search(str(e)):
                        raise
                answer = await _complete(arguments, [])
        except TimeoutError as error:
            raise silent(ask.first_s, has_begun=False) from error
        self._without_tools.add((ask.model, ask.api_base))
        return answer


async def _complete(arguments: dict[str, Any], tools: list[dict[str, Any]]) -> Any:
    with_tools = {"tools": tools} if tools else {}
    # _skip_mcp_handler: with tools litellm otherwise imports the package `mcp`, which a plain
    # install does not have (1.106.2 raises APIConnectionError: No module named 'mcp').
    return await litellm.acompletion(  # pyright: ignore[reportUnknownMemberType]
        **arguments, **with_tools, _skip_mcp_handler=True
    )


async def _arguments(ask: Ask) -> dict[str, Any]:
    optional = {
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
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
    if not any(_has_image(message) for message in ask.messages):
        return ask.messages
    return await asyncio.to_thread(with_images, ask.messages, can_see=_can_see(ask))


def _has_image(message: dict[str, Any]) -> bool:
    content = message.get("content")
    if not isinstance(content, list):
        return False
    parts = cast("list[dict[str, Any]]", content)
    return any(part.get("type") == IMAGE_PART for part in parts)


def _can_see(ask: Ask) -> bool:
    if ask.supports_images is not None:
        return ask.supports_images
    return bool(litellm.supports_vision(ask.model))  # pyright: ignore[reportUnknownMemberType]


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
    return Delta(text, reasoning, calls) if text or reasoning or calls else None


def _call_piece(piece: Any) -> CallPiece:
    function = piece.function
    return CallPiece(
        index=piece.index or 0,
        id=piece.id or "",
        name=(function.name or "") if function else "",
        arguments=(function.arguments or "") if function else "",
    )
