"""A question in the shapes of Cohere's v2 chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from playhead.model_worker.protocol import Ask
from playhead.model_worker.requests import allowed_extra

HOME = "https://api.cohere.com"
_ENDINGS = ("/chat", "/v1", "/v2")


def address_of(api_base: str | None) -> str:
    """Where to post; an address may be given with or without its version."""
    base = (api_base or HOME).rstrip("/")
    for ending in _ENDINGS:
        base = base.removesuffix(ending).rstrip("/")
    return f"{base}/v2/chat"


def body_of(ask: Ask, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The request's body."""
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
        return _result(message)
    calls = message.get("tool_calls")
    if role == "assistant" and calls:
        plan = {"tool_plan": content} if content else {}
        return {"role": "assistant", **plan, "tool_calls": calls}
    return {"role": role, "content": content or ""}


def _result(message: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's result as a document: what the answer cites of it then has an id."""
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
