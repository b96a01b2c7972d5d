"""One message of a request as every wire format reads it: its chunks, its decision, and the calls
that its results answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import cast

from msgspec import Struct

from playhead.domain.conversation.chunk import Chunk, ChunkType, Recipient, Role
from playhead.domain.execution import Answered, Approve, Decision, Deny
from playhead.domain.model import EXECUTE
from playhead.domain.text.json_text import read_json
from playhead.errors import RequestError
from playhead.formats.wire.request_fields import (
    Fields,
    image_of_data_url,
    read_filled_text,
    read_list,
    read_object,
    read_optional_text,
    read_text,
    refuse,
)


class Entry(Struct, frozen=True, kw_only=True):
    """One message that a client sent.

    `chunks` are its content in a conversation (whole messages; empty for a decision alone). `key`
    is its content in one canonical text, the same for what this server sent and a client sends
    back; '' for what clients may leave out (confirmations, reasoning, status). `decision` is the
    decision in it: about the call `call_id`, or, if that is '', about the last code before it.
    `is_yes` marks a user message of one word that may be an approval and is an ordinary message
    otherwise.
    """

    chunks: tuple[Chunk, ...] = ()
    key: str = ""
    decision: Decision | None = None
    call_id: str = ""
    is_yes: bool = False


def text_message(
    role: Role,
    kind: ChunkType,
    text: str,
    *,
    format_: str | None = None,
    call_id: str | None = None,
    recipient: Recipient | None = None,
) -> tuple[Chunk, ...]:
    """Return a whole message of text: one chunk for a user's, else start, content and end."""
    content = Chunk(role=role, type=kind, format=format_, content=text, recipient=recipient)
    if role == "user":
        return (content,)
    start = Chunk(role=role, type=kind, format=format_, start=True, id=call_id, recipient=recipient)
    if kind == "console":
        start = Chunk(role=role, type=kind, start=True, recipient=recipient)
        content = Chunk(role=role, type=kind, format="output", content=text, recipient=recipient)
    end = Chunk(role=role, type=kind, format=start.format, end=True, recipient=recipient)
    return (start, content, end) if text else (start, end)


def check_entries(entries: Sequence[Entry], param: str = "messages") -> list[Entry]:
    """Return the entries if they are not empty. Raises RequestError."""
    if not any(entry.chunks or entry.decision for entry in entries):
        raise RequestError(f"{param} holds nothing to answer", param=param)
    return list(entries)


_YES = re.compile(r"[\s.!?]*(?:yes|y)[\s.!?]*", re.IGNORECASE | re.ASCII)


def user_entry(fields: Fields, param: str) -> Entry:
    """Return a user's message. Raises RequestError."""
    chunks = tuple(chunk for chunk in _user_chunks(fields, param) if chunk.content)
    if not chunks:
        refuse(f"{param}.content must not be empty", f"{param}.content")
    told = [[chunk.type, chunk.content] for chunk in chunks]
    is_text = all(chunk.type == "message" for chunk in chunks)
    text = "".join(str(chunk.content) for chunk in chunks)
    is_yes = is_text and _YES.fullmatch(text) is not None
    return Entry(chunks=chunks, key=json.dumps(["user", told]), is_yes=is_yes)


def texts_of(
    fields: Fields, param: str, *kinds: str, silent: str = "", may_be_missing: bool = False
) -> list[str]:
    """Return the texts of a message whose parts have only these kinds, each with its own field.

    Parts of the `silent` kind are left out. Raises RequestError.
    """
    content = fields.get("content")
    if content is None and may_be_missing:
        return []
    if not isinstance(content, list):
        return [read_text(fields, "content", param)]
    texts: list[str] = []
    for at, kind, part in parts_of(cast("list[object]", content), param):
        if kind not in (*kinds, silent):
            refuse(f"{at}: parts of type {kind[:40]} cannot be read here", f"{at}.type")
        texts += [read_text(part, kind, at)] if kind != silent else []
    return texts


def parts_of(content: list[object], param: str) -> Iterator[tuple[str, str, Fields]]:
    """Yield each part of a content: its place, its type, its fields. Raises RequestError."""
    for place, item in enumerate(content):
        at = f"{param}.content[{place}]"
        part = read_object(item, at)
        yield at, read_text(part, "type", at), part


def _user_chunks(fields: Fields, param: str) -> list[Chunk]:
    content = fields.get("content")
    if not isinstance(content, list):
        return [Chunk(role="user", type="message", content=read_text(fields, "content", param))]
    chunks: list[Chunk] = []
    for at, kind, part in parts_of(cast("list[object]", content), param):
        match kind:
            case "text":
                chunks.append(
                    Chunk(role="user", type="message", content=read_text(part, "text", at))
                )
            case "image_url":
                image = read_object(part.get("image_url"), f"{at}.image_url")
                url = read_text(image, "url", f"{at}.image_url")
                format_, data = image_of_data_url(url, f"{at}.image_url.url")
                chunks.append(Chunk(role="user", type="image", format=format_, content=data))
            case other:
                refuse(f"{at}: parts of type {other[:40]} cannot be read", f"{at}.type")
    return chunks


def decision_of(text: str, param: str) -> Decision:
    """Return the decision in the result of a call of `execute`; other texts are its result.

    Raises RequestError for a malformed decision.
    """
    try:
        told: object = read_json(text)
    except ValueError:
        return Answered(text)
    if not isinstance(told, dict):
        return Answered(text)
    fields = cast(Fields, told)
    match fields.get("decision"):
        case "approve":
            return Approve(read_optional_text(fields, "code", param))
        case "deny":
            return Deny(read_optional_text(fields, "reason", param) or "")
        case _:
            return Answered(text)


class RequestCalls:
    """Knows which calls have been made, so that each result finds its own."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def made(self, fields: Fields, param: str) -> tuple[list[Chunk], list[tuple[str, str]]]:
        """Return the messages of an assistant's `tool_calls`, and their names with their arguments.

        Raises RequestError.
        """
        chunks: list[Chunk] = []
        calls: list[tuple[str, str]] = []
        raw = fields.get("tool_calls")
        items = [] if raw is None else read_list(raw, f"{param}.tool_calls")
        for place, item in enumerate(items):
            at = f"{param}.tool_calls[{place}]"
            call = read_object(item, at)
            function = read_object(call.get("function"), f"{at}.function")
            call_id = read_filled_text(call, "id", at)
            name = read_filled_text(function, "name", f"{at}.function")
            arguments = read_text(function, "arguments", f"{at}.function")
            chunks += self.call(name, arguments, call_id)
            calls.append((name, arguments))
        return chunks, calls

    def call(self, name: str, arguments: str, call_id: str) -> tuple[Chunk, ...]:
        """Return one call as a message."""
        made = call_chunks(name, arguments, call_id)
        self._tools[call_id] = EXECUTE if made[0].type == "code" else f"tool {name}"
        return made

    def result(self, call_id: str, text: str, param: str, *, id_field: str, field: str) -> Entry:
        """Return the entry of a call's result, a decision if it is about code. Raises
        RequestError.
        """
        tool = self._tools.get(call_id)
        if tool is None:
            refuse(f"{param} answers no call made before it", f"{param}.{id_field}")
        key = json.dumps(["tool", text])
        if tool == EXECUTE:
            return Entry(key=key, decision=decision_of(text, f"{param}.{field}"), call_id=call_id)
        name = tool.removeprefix("tool ")
        chunks = text_message("computer", "tool_result", text, format_=name, call_id=call_id)
        return Entry(chunks=chunks, key=key)


def call_chunks(name: str, arguments: str, call_id: str) -> tuple[Chunk, ...]:
    """Return a call as a message: code if it is a valid `execute`."""
    if name == EXECUTE:
        try:
            told: object = read_json(arguments)
        except ValueError:
            told = None
        fields = cast(Fields, told if isinstance(told, dict) else {})
        language, code = fields.get("language"), fields.get("code")
        if isinstance(language, str) and language and isinstance(code, str):
            return text_message("assistant", "code", code, format_=language, call_id=call_id)
    return text_message("assistant", "tool_call", arguments, format_=name, call_id=call_id)
