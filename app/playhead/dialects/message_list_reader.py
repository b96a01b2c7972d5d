"""Reads Open Interpreter's list of messages, of all its versions, from anybody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from playhead.dialects.foreign_proposals import with_proposals_shown
from playhead.dialects.imported import Imported, MessageRow, settled
from playhead.dialects.lmc_chunks import decode
from playhead.dialects.message_list import recipient_of
from playhead.dialects.picture_data import SVG, picture_of_base64
from playhead.dialects.pieces import whole_chunk
from playhead.dialects.said_words import file_name
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.errors import DocumentError

Fields = Mapping[str, Any]
_TEXT_PARTS = ("text", "input_text", "output_text")
_TRANSIENT = frozenset({"status", "command", "usage", "retry", "echo"})


def read_message_list(raw: object, title: str = "") -> Imported:
    """The conversation of a parsed JSON document. Raises DocumentError."""
    items = _items(raw)
    row = MessageRow()
    for item in items:
        wires = list(_native(cast(Fields, item))) if isinstance(item, Mapping) else []
        understood = [_add(row, wire) for wire in wires]
        row.left_out += not any(understood)
    messages = row.messages
    if any(message.type == "run" for message in messages):
        messages = with_proposals_shown(settled(messages))
    else:
        messages = settled(_with_runs(messages))
    if not messages:
        raise DocumentError(
            "There is no conversation in this file.",
            detail="None of its messages could be understood.",
            remedy="Choose a file with Open Interpreter's messages, or a notebook.",
        )
    return Imported(title, tuple(messages), row.left_out)


def _items(raw: object) -> list[object]:
    if isinstance(raw, Mapping):
        raw = cast(Fields, raw).get("messages")
    if not isinstance(raw, list):
        raise DocumentError(
            "This file is no conversation.",
            detail="A conversation is a list of messages.",
            remedy="Choose a file with Open Interpreter's messages, or a notebook.",
        )
    return cast("list[object]", raw)


def _native(item: Fields) -> Iterator[Fields]:
    """The messages of today's format that an item of any version stands for."""
    if isinstance(item.get("role"), str) and isinstance(item.get("type"), str):
        yield from _with_texts(_with_format(item))
        return
    role = item.get("role")
    if role in ("user", "assistant"):  # up to version 0.1, and the chat format
        text = item.get("message", item.get("content"))
        yield from _with_texts({"role": role, "type": "message", "content": text})
    if isinstance(item.get("code"), str):
        language = item.get("language")
        format_ = language if isinstance(language, str) and language else "python"
        yield {"role": "assistant", "type": "code", "format": format_, "content": item["code"]}
    if isinstance(item.get("output"), str) and item["output"]:
        yield {"role": "computer", "type": "console", "content": item["output"]}


def _with_format(item: Fields) -> Fields:
    """Code may name its language in other words, and itself too."""
    if item["type"] == "code" and not isinstance(item.get("format"), str):
        language = item.get("language")
        item = {**item, "format": language if isinstance(language, str) else "python"}
    if item["type"] == "code" and "content" not in item and isinstance(item.get("code"), str):
        item = {**item, "content": item["code"]}
    return item


def _with_texts(item: Fields) -> Iterator[Fields]:
    """One message for each part of a content that is a list."""
    content = item.get("content")
    if not isinstance(content, list):
        yield item
        return
    for part in cast("list[object]", content):
        if isinstance(part, str):
            yield {**item, "content": part}
        elif isinstance(part, Mapping):
            yield from _of_part(item, cast(Fields, part))


def _of_part(item: Fields, part: Fields) -> Iterator[Fields]:
    if part.get("type") in _TEXT_PARTS and isinstance(part.get("text"), str):
        yield {**item, "content": part["text"]}
    if part.get("type") == "image_url":
        address = part.get("image_url")
        url = cast(Fields, address).get("url") if isinstance(address, Mapping) else address
        head, _, data = url.partition(",") if isinstance(url, str) else ("", "", "")
        if head.startswith("data:image/") and head.endswith(";base64"):
            yield {"role": item["role"], "type": "image", "format": "base64", "content": data}


def _add(row: MessageRow, wire: Fields) -> bool:
    """Add one message; whether it was understood."""
    chunk = decode({**wire, "recipient": recipient_of(wire)})
    if chunk is None:
        return False
    chunk = whole_chunk(chunk)
    if chunk.type in _TRANSIENT or chunk.format == "active_line":
        return True
    if chunk.type == "image":
        chunk = _image(chunk)
    if chunk.type == "console":
        chunk = replace(chunk, format=None)
    if isinstance(chunk.content, RunReport):  # a click would open the file that it names
        chunk = replace(chunk, content=replace(chunk.content, output_path=None))
    if chunk.content is None:
        if chunk.type not in ("code", "tool_call", "tool_result"):
            return True
        chunk = replace(chunk, content="")
    state = "interrupted" if wire.get("state") == "interrupted" else "complete"
    row.add(
        chunk.role,
        chunk.type,
        chunk.content,
        chunk.format,
        call_id=chunk.id,
        recipient=chunk.recipient,
        state=state,
    )
    return True


def _image(chunk: Chunk) -> Chunk:
    """The picture by what it is; a path is told and not followed: anybody may have written it."""
    text = chunk.content if isinstance(chunk.content, str) else ""
    form = chunk.format or "path"
    if form == "svg":
        return chunk
    if form == "description":
        return replace(chunk, type="message", format=None)
    picture = picture_of_base64(text) if form.startswith("base64") else None
    if picture is not None and picture.mime == SVG:
        return replace(chunk, format="svg", content=picture.data.decode("utf-8", "replace"))
    if picture is not None:
        return replace(chunk, format=f"base64.{picture.suffix}", content="".join(text.split()))
    words = "[A picture that could not be read.]"
    if form == "path":
        words = f"[The picture {file_name(text)} is not in the imported file.]"
    kind = "console" if chunk.role == "computer" else "message"
    return replace(chunk, type=kind, format=None, content=words)


def _with_runs(messages: list[Message]) -> list[Message]:
    """The same with the runs that outputs tell of, so that their code can be run again."""
    row = MessageRow()
    waiting: list[Message] = []
    is_running = False
    for message in messages:
        if isinstance(message.content, Proposal):
            continue  # they come anew, with their code
        is_result = message.role == "computer" and message.type != "tool_result"
        if is_running and not is_result:
            row.end_run()
            is_running = False
        if is_result and not is_running and waiting:
            code = waiting.pop(0)
            row.begin_run(code.format or "python", code.text, code)
            is_running = True
        added = row.copy(message)
        if message.role == "user":
            waiting = []
        elif message.type == "code" and message.role == "assistant" and added is not None:
            waiting.append(added)
    if is_running:
        row.end_run()
    return row.messages
