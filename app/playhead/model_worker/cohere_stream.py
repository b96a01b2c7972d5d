"""Cohere's own protocol: requests in the shapes of its v2 chat, answers as a stream of its events.

litellm loses most of these events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

import httpx

from playhead.model_worker.connections import Connections, Exchange
from playhead.model_worker.costs import priced_tokens, tokens_of
from playhead.model_worker.errors import (
    StreamFailure,
    no_stream,
    silent,
    truncated,
    unreadable_text,
)
from playhead.model_worker.protocol import Ask, Delta, Done, Tokens, read_json
from playhead.model_worker.request_arguments import allowed_extra, messages_of, tries_images

COHERE_ADDRESS = "https://api.cohere.com"
_ENDINGS = ("/chat", "/v1", "/v2")


def address_of(api_base: str | None) -> str:
    """Return the URL to post to; an address may be given with or without its version."""
    base = (api_base or COHERE_ADDRESS).rstrip("/")
    for ending in _ENDINGS:
        base = base.removesuffix(ending).rstrip("/")
    return f"{base}/v2/chat"


def body_of(ask: Ask, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the request's body."""
    optional = {
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
        "p": ask.top_p,
        "stop_sequences": ask.stop or None,
        "tools": ask.tools or None,
        # Cohere can force a call, but not of one tool among several.
        "tool_choice": "REQUIRED" if ask.tools and _must_call(ask.tool_choice) else None,
    }
    return {
        **allowed_extra(ask.extra),
        "model": ask.model.rpartition("/")[2],
        "messages": [_message(message) for message in messages],
        "stream": True,
        **{name: value for name, value in optional.items() if value is not None},
    }


def _must_call(choice: str | dict[str, Any] | None) -> bool:
    return choice == "required" or isinstance(choice, dict)


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        return _tool_result(message)
    calls = message.get("tool_calls")
    if role == "assistant" and calls:
        plan = {"tool_plan": content} if content else {}
        return {"role": "assistant", **plan, "tool_calls": calls}
    return {"role": role, "content": content or ""}


def _tool_result(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's result as a document, so that citations of it have an id."""
    call_id, content = message.get("tool_call_id"), message.get("content")
    text = content if isinstance(content, str) else _joined(content)
    document = {"id": f"{call_id}:0", "data": {"content": text}}
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": [{"type": "document", "document": document}],
    }


def _joined(content: object) -> str:
    parts = cast("list[dict[str, Any]]", content if isinstance(content, list) else [])
    return "\n\n".join(str(part.get("text", "")) for part in parts)


_REASONS = {"MAX_TOKENS": "length", "TOOL_CALL": "tool_calls", "ERROR": "error"}


def is_cohere(model: str) -> bool:
    """Return whether a model string names one of Cohere's."""
    provider, slash, _ = model.partition("/")
    return provider in ("cohere", "cohere_chat") if slash else model.startswith("command-")


class CohereStream:
    """Asks Cohere, or a server that speaks like it."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def stream(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        """Stream the events of the answer, and last its end and cost.

        Closing the generator closes the connection. Raises StreamFailure, RefusedError or what
        the HTTP client raises.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + ask.first_s
        body = body_of(ask, await messages_of(ask, is_blind=tries_images(ask)))
        with self._connections.through(ask) as exchange:
            response = await _opened(exchange, ask, body, deadline)
        last: dict[str, Any] | None = None
        has_begun, characters = False, 0
        lines = response.aiter_lines()
        try:
            while last is None:
                try:
                    async with asyncio.timeout_at(deadline):
                        line = await anext(lines, None)
                except httpx.TransportError as error:
                    if has_begun:
                        raise truncated() from error
                    raise
                except TimeoutError as error:
                    limit_s = ask.between_s if has_begun else ask.first_s
                    raise silent(limit_s, has_begun=has_begun) from error
                if line is None:
                    raise truncated() if has_begun else no_stream()
                if (event := _event(line)) is None:
                    continue
                has_begun = True
                characters += _length(event)
                last = event if event.get("type") == "message-end" else None
                yield Delta(event=event)
                deadline = loop.time() + ask.between_s
            yield _done(ask, last, characters)
        finally:
            await response.aclose()


async def _opened(
    exchange: Exchange, ask: Ask, body: dict[str, Any], deadline: float
) -> httpx.Response:
    headers = {"Accept": "text/event-stream", "X-Client-Name": "playhead"}
    if ask.api_key:
        headers["Authorization"] = f"Bearer {ask.api_key}"
    request = exchange.client.build_request(
        "POST", address_of(ask.api_base), headers=headers, json=body
    )
    try:
        async with asyncio.timeout_at(deadline):
            response = await exchange.send(request)
    except TimeoutError as error:
        raise silent(ask.first_s, has_begun=False) from error
    if exchange.failure is not None:
        raise exchange.failure
    return response


def _event(line: str) -> dict[str, Any] | None:
    """Return the event of a line; None for event names, comments and end marks."""
    field, _, data = line.partition(":")
    data = data.strip()
    if field == "data" and data != "[DONE]" and data:
        line = data
    elif not line.startswith("{"):  # some gateways send bare JSON lines
        return None
    try:
        event: Any = read_json(line)
    except ValueError as error:
        words = unreadable_text()
        raise StreamFailure(words.code, words.title, words.remedy, str(error)) from error
    return cast("dict[str, Any]", event) if isinstance(event, dict) else {"type": "unknown"}


def _length(event: dict[str, Any]) -> int:
    """Return the length of an event's text; the JSON around it hardly changes."""
    return len(json.dumps(event.get("delta", ""))) - 40 if "delta" in str(event.get("type")) else 0


def _done(ask: Ask, last: dict[str, Any], characters: int) -> Done:
    delta = _fields(last.get("delta"))
    reason = str(delta.get("finish_reason") or "")
    return Done(ask.turn, _REASONS.get(reason, "stop"), _tokens(ask, delta, characters))


def _tokens(ask: Ask, delta: dict[str, Any], characters: int) -> Tokens:
    usage = _fields(delta.get("usage"))
    billed = _fields(usage.get("billed_units"))
    tokens = _fields(usage.get("tokens")) or billed
    asked, answered = _count(tokens.get("input_tokens")), _count(tokens.get("output_tokens"))
    if not asked and not answered:
        return tokens_of(None, ask, is_given=False, characters=max(characters, 0))
    return priced_tokens(ask.model, asked, answered, cached=_count(usage.get("cached_tokens")))


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _count(value: object) -> int:
    """Return Cohere's number of tokens, a float, as an integer."""
    return int(value) if isinstance(value, int | float) and value > 0 else 0
