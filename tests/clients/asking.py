"""How the tests ask by the openai SDK."""

from __future__ import annotations

import json
from typing import Any

from openai import OpenAI

MODEL = "openai/test"
LOOKUP: Any = {
    "type": "function",
    "function": {
        "name": "lookup",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
EXECUTE: Any = {
    "type": "function",
    "function": {
        "name": "execute",
        "description": "Run code.",
        "parameters": {
            "type": "object",
            "properties": {"language": {"type": "string"}, "code": {"type": "string"}},
            "required": ["language", "code"],
        },
    },
}
HELLO = "Hello! Ask me **What's 34/24?**"


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def ask(client: OpenAI, *messages: Any, **options: Any) -> Any:
    """The only choice of a whole answer."""
    completion = client.chat.completions.create(model=MODEL, messages=messages, **options)
    return completion.choices[0]


def text_of(client: OpenAI, *messages: Any, **options: Any) -> str:
    """A streamed answer's text, by the SDK's own accumulator."""
    with client.chat.completions.stream(model=MODEL, messages=messages, **options) as stream:
        return stream.get_final_completion().choices[0].message.content or ""


def echoed(message: Any) -> Any:
    """An assistant message as programs send it back."""
    return message.model_dump(exclude_none=True)


def decided(call: Any, **decision: str) -> Any:
    return {"role": "tool", "tool_call_id": call.id, "content": json.dumps(decision)}
