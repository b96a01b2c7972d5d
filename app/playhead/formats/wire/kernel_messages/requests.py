"""Read the messages and tools of a request in the format of @unternet/kernel."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from playhead.domain.conversation.chunk import Chunk, ChunkType
from playhead.domain.model import ToolOffer
from playhead.formats.wire.chat_completions.objects import answer_key
from playhead.formats.wire.chat_completions.requests import read_tools as read_openai_tools
from playhead.formats.wire.entry import Entry, RequestCalls, check_entries, text_message
from playhead.formats.wire.kernel_messages.encode import PLAN_TITLE
from playhead.formats.wire.kernel_messages.objects import calls_of, kind_of, results_of
from playhead.formats.wire.request_fields import (
    Fields,
    messages_of,
    read_filled_text,
    read_list,
    read_object,
    read_text,
    refuse,
)


def read_messages(raw: object) -> tuple[list[Entry], str]:
    """Read the messages of a request, and the instructions in it. Raises RequestError.

    Unknown types are skipped.
    """
    reader = _Reader()
    for param, fields in messages_of(raw):
        read_text(fields, "type", param)
        reader.take(fields, param)
    return check_entries(reader.entries), "\n\n".join(reader.instructions)


def answer_keys(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of our messages as they come back with the next request."""
    keys: list[str] = []
    for message in messages:
        match message["type"]:
            case "reply":
                keys.append(answer_key(str(message["text"]), []))
            case "tool_calls":
                told = [(call.name, call.arguments) for call in calls_of(message)]
                keys.append(answer_key("", told))
            case "tool_results":
                keys += [json.dumps(["tool", result.text]) for result in results_of(message)]
            case _:
                pass
    return keys


def read_tools(raw: object) -> tuple[ToolOffer, ...]:
    """Return the tools of a request: `{type, name, description, parameters}`. Raises
    RequestError.
    """
    if raw is None:
        return ()
    items = [
        read_object(item, f"tools[{place}]", code="invalid_tools")
        for place, item in enumerate(read_list(raw, "tools", code="invalid_tools"))
    ]
    return read_openai_tools([{"type": tool.get("type"), "function": tool} for tool in items])


class _Reader:
    """Goes through the messages and knows which calls have been made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.instructions: list[str] = []
        self._calls = RequestCalls()

    def take(self, fields: Fields, param: str) -> None:
        match kind_of(fields):
            case "system":
                self.instructions.append(read_text(fields, "text", param))
            case "input":
                self.entries.append(_input(fields, param))
            case "reply":
                self.entries.append(_reply(read_text(fields, "text", param)))
            case "reasoning":
                self.entries.append(_reasoning(fields))
            case "tool_calls" | "actionproposal":
                self.entries.append(self._made(fields, param))
            case "tool_results":
                self._results(fields, param)
            case _:
                pass

    def _made(self, fields: Fields, param: str) -> Entry:
        chunks: list[Chunk] = []
        calls = calls_of(fields)
        for call in calls:
            if not call.id:
                refuse(f"{param}: every call must have an id", f"{param}.toolCalls")
            chunks += self._calls.call(call.name, call.arguments, call.id)
        told = [(call.name, call.arguments) for call in calls]
        return Entry(chunks=tuple(chunks), key=answer_key("", told))

    def _results(self, fields: Fields, param: str) -> None:
        for place, result in enumerate(results_of(fields)):
            at = f"{param}.results[{place}]"
            entry = self._calls.result(
                result.call_id, result.text, at, id_field="toolCallId", field="value"
            )
            self.entries.append(entry)


def _input(fields: Fields, param: str) -> Entry:
    text = read_filled_text(fields, "text", param)
    chunks = [Chunk(role="user", type="message", content=text)]
    raw = fields.get("files")
    for item in cast("list[object]", raw if isinstance(raw, list) else []):
        if isinstance(item, str) and item:
            chunks.append(Chunk(role="user", type="file", content=item))
    return Entry(chunks=tuple(chunks), key=f"input {text}")


def _reply(text: str) -> Entry:
    chunks = text_message("assistant", "message", text) if text else ()
    return Entry(chunks=chunks, key=answer_key(text, []))


def _reasoning(fields: Fields) -> Entry:
    """Return an entry without a key, as clients may leave reasoning out."""
    kind: ChunkType = "plan" if fields.get("title") == PLAN_TITLE else "reasoning"
    summary = fields.get("summary")
    text = summary if isinstance(summary, str) else ""
    return Entry(chunks=text_message("assistant", kind, text) if text else ())
