"""The objects of the Responses format: a response, its items, their keys and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from playhead.domain.conversation.payloads import Citation, Failure
from playhead.formats.wire.chat_completions.objects import (
    UsageCounter,
    annotations_of,
    answer_key,
    failure_text,
)
from playhead.formats.wire.codec import Wire

PREFIX = "resp_"
"""Begins the id of a response; the ids of its items hold the rest."""
_INPUT_IDS = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fco",
    "code_interpreter_call": "ci",
    "reasoning": "rs",
}


class ResponseFacts(Struct, frozen=True, kw_only=True):
    """The parts of a response that its turn does not change; `fields` are those of its request."""

    id: str
    created_at: int
    model: str
    container_id: str = ""
    fields: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


def response_wire(
    facts: ResponseFacts,
    status: str,
    output: Sequence[Wire],
    *,
    usage: Wire | None = None,
    error: Wire | None = None,
    incomplete: Wire | None = None,
) -> Wire:
    """Return a response in this state."""
    return {
        "id": facts.id,
        "object": "response",
        "created_at": facts.created_at,
        "status": status,
        "error": error,
        "incomplete_details": incomplete,
        "model": facts.model,
        "output": [*output],
        "parallel_tool_calls": True,
        "text": {"format": {"type": "text"}},
        "truncation": "disabled",
        "usage": usage,
        **facts.fields,
    }


def usage_wire(counter: UsageCounter) -> Wire:
    """Return the usage of a response."""
    asked, answered = counter.tokens
    cached, reasoned = counter.details
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": answered,
        "output_tokens_details": {"reasoning_tokens": reasoned},
        "total_tokens": asked + answered,
    }


def error_wire(failure: Failure) -> Wire:
    """Return the error of a response that failed."""
    is_limit = failure.code == "rate_limit_exceeded"
    code = "rate_limit_exceeded" if is_limit else "server_error"
    return {"code": code, "message": failure_text(failure)}


def citations_wire(citation: Citation) -> list[Wire]:
    """Return the annotations of a citation, one for each source."""
    found = annotations_of(citation, 0)
    return [{"type": one["type"], **cast("Wire", one["url_citation"])} for one in found]


def text_part(text: str, annotations: Sequence[Wire] = ()) -> Wire:
    """Return the text of a message."""
    return {
        "type": "output_text",
        "text": text,
        "annotations": [*annotations],
        "logprobs": [],
    }


def item_key(item: Wire) -> str:
    """Return the key of an item of an output, by which it is recognised when it comes back."""
    match item["type"]:
        case "message":
            return answer_key("".join(part["text"] for part in item["content"]), [])
        case "function_call":
            return answer_key("", [(item["name"], item["arguments"])])
        case "code_interpreter_call":
            return code_key(item["code"] or "")
        case _:
            return ""


def code_key(code: str) -> str:
    """Return the key of code that ran here, or waits; clients may leave its language out."""
    return json.dumps(["code", code.strip()])


def response_of_item(item_id: str) -> str:
    """Return the id of the response that an item's id names."""
    _, _, rest = item_id.partition("_")
    return PREFIX + rest.partition("_")[0]


def with_ids(items: Sequence[Mapping[str, Any]], response_id: str) -> list[Wire]:
    """Return the items of a request as they are kept and listed: each with an id and its type."""
    own = response_id.removeprefix(PREFIX)
    return [_with_id(item, f"{own}_in{place}") for place, item in enumerate(items)]


def _with_id(item: Mapping[str, Any], own: str) -> Wire:
    kind = str(item.get("type") or "message")
    made: Wire = {"id": f"{_INPUT_IDS.get(kind, 'item')}_{own}", "status": "completed"}
    made |= {name: value for name, value in item.items() if value is not None}
    made["type"] = kind
    if kind == "message" and isinstance(made.get("content"), str):
        word = "output_text" if made.get("role") == "assistant" else "input_text"
        made["content"] = [{"type": word, "text": made["content"]}]
    return made
