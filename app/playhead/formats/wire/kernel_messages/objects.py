"""The fields of kernel messages under all the names that versions of @unternet/kernel give them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from playhead.domain.conversation.chunk import Chunk
from playhead.formats.wire.entry import call_chunks

_NAMES = {"tool-calls": "tool_calls", "tool-results": "tool_results"}


class KernelCall(Struct, frozen=True):
    """One call: `arguments` is JSON, or any text that was sent instead."""

    id: str
    name: str
    arguments: str

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Return the call as a message; one without an id has none."""
        made = call_chunks(self.name, self.arguments, self.id)
        if self.id:
            return made
        start, *rest = made
        return (Chunk(role=start.role, type=start.type, format=start.format, start=True), *rest)


class KernelResult(Struct, frozen=True):
    """The result of a call."""

    call_id: str
    name: str
    text: str


def kind_of(message: Mapping[str, Any]) -> str:
    """Return the message's type by its current name."""
    kind = text_of(message, "type")
    return _NAMES.get(kind, kind)


def calls_of(message: Mapping[str, Any]) -> list[KernelCall]:
    """Return the calls of a `tool_calls`, or the one of an older `actionproposal`."""
    if kind_of(message) == "actionproposal":
        names = (text_of(message, "uri"), text_of(message, "actionId"))
        name = "#".join(filter(None, names)) or "unknown"
        return [KernelCall(text_of(message, "id"), name, as_text(message.get("args"), {}))]
    return [
        KernelCall(
            text_of(call, "id") or text_of(call, "callId"),
            text_of(call, "name") or "unknown",
            as_text(call.get("args"), {}),
        )
        for call in objects_of(message, "toolCalls", "calls")
    ]


def results_of(message: Mapping[str, Any]) -> list[KernelResult]:
    """Return the results of a `tool_results`."""
    return [
        KernelResult(
            text_of(result, "toolCallId") or text_of(result, "callId"),
            text_of(result, "name"),
            as_text(result.get("value", result.get("output", result.get("error"))), ""),
        )
        for result in objects_of(message, "results")
    ]


def objects_of(fields: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list in the first of these fields that exists."""
    value = next((fields[name] for name in names if name in fields), None)
    items = cast("list[object]", value if isinstance(value, list) else [])
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return the text of a field, "" if there is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def as_text(value: object, default: object) -> str:
    """Return a text unchanged, any other value as JSON."""
    value = default if value is None else value
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
