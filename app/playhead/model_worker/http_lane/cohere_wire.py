"""Cohere's own protocol: requests in the shapes of its v2 chat, answers as a stream of its events.

litellm loses most of these events.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from playhead.model_worker.errors import unreadable
from playhead.model_worker.http_lane.wire import HttpRequest, Reader, count_of, fields_of
from playhead.model_worker.lanes import HttpProvider
from playhead.model_worker.protocol import Ask, Delta, Tokens, read_json
from playhead.model_worker.refusals import TOOLS
from playhead.model_worker.request_arguments import extra_of

_ENDINGS = ("/chat", "/v1", "/v2")


def cohere_request(
    ask: Ask, provider: HttpProvider, messages: list[dict[str, Any]], refused: Collection[str]
) -> HttpRequest:
    """Return the request without the refused options."""
    extra = extra_of(ask)
    has_tools = bool(ask.tools) and TOOLS not in refused
    optional = {
        "temperature": ask.temperature,
        "max_tokens": ask.max_tokens,
        "p": ask.top_p,
        "stop_sequences": ask.stop or None,
        "tools": ask.tools if has_tools else None,
        # Cohere can force a call, but not of one tool among several.
        "tool_choice": "REQUIRED" if has_tools and _must_call(ask.tool_choice) else None,
    }
    body = {
        **extra.body,
        "model": ask.model.rpartition("/")[2],
        "messages": [_message(message) for message in messages],
        "stream": True,
        **{name: value for name, value in optional.items() if value is not None},
    }
    headers = {**extra.headers, "Accept": "text/event-stream", "X-Client-Name": "playhead"}
    if ask.api_key:
        headers["Authorization"] = f"Bearer {ask.api_key}"
    return HttpRequest(_url(ask.api_base or provider.base), headers, body)


def _url(base: str) -> str:
    """Return the URL to post to; an address may be given with or without its version."""
    base = base.rstrip("/")
    for ending in _ENDINGS:
        base = base.removesuffix(ending).rstrip("/")
    return f"{base}/v2/chat"


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


class CohereReader(Reader):
    """Reads one answer: its events go on as they are."""

    def __init__(self) -> None:
        super().__init__(takes_bare_lines=True)
        self._last: dict[str, Any] = {}

    def _read(self, data: bytes) -> Delta | None:
        try:
            found: Any = read_json(data)
        except ValueError as error:
            raise unreadable(str(error)) from error
        event = fields_of(found) or {"type": "unknown"}
        if event.get("type") == "message-end":
            self._last = fields_of(event.get("delta"))
            self.reason = _REASONS.get(str(self._last.get("finish_reason")), "stop")
            self.is_over = True
        self._characters += _length(event)
        return Delta(event=event)

    def _counted(self) -> tuple[Tokens, int]:
        usage = fields_of(self._last.get("usage"))
        tokens = fields_of(usage.get("tokens")) or fields_of(usage.get("billed_units"))
        count = Tokens(
            input_tokens=count_of(tokens.get("input_tokens")),
            output_tokens=count_of(tokens.get("output_tokens")),
            is_estimated=False,
            cached_tokens=count_of(usage.get("cached_tokens")),
        )
        return count, 0


def _length(event: dict[str, Any]) -> int:
    """Return the length of an event's text; the JSON around it hardly changes."""
    if "delta" not in str(event.get("type")):
        return 0
    return max(len(json.dumps(event.get("delta", ""))) - 40, 0)
