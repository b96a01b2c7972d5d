"""Open Interpreter's list of messages: write it, and read it in all its versions (docs/wire-
formats.md, sections 2 and 2a).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.errors import DocumentError
from playhead.formats.documents.imported_conversation import (
    ImportedConversation,
    MessageBuilder,
    close_open_ends,
)
from playhead.formats.documents.picture import (
    SVG,
    ReadFile,
    no_files,
    picture_of,
    picture_of_base64,
)
from playhead.formats.documents.reader_view import file_name
from playhead.formats.wire.codec import Wire, whole_chunk
from playhead.formats.wire.native.decode import decode_chunk
from playhead.formats.wire.native.encode import encode_chunk

_TRANSIENT = frozenset({"status", "command", "usage", "retry", "echo"})
_MAY_BE_EMPTY = frozenset({"code", "tool_call", "tool_result"})
_PLAIN = frozenset({"message", "console", "file"})
_OF_CODE = frozenset({"html", "javascript"})


def write_messages(messages: Iterable[Message], read_file: ReadFile = no_files) -> list[Wire]:
    """Return the messages, whole; pictures that `read_file` returns are embedded in the list.

    Kinds that a plain reader does not know are marked as for the user alone, so that it skips them.
    """
    return [wire_of(message, read_file) for message in messages if _says_something(message)]


def is_plain(role: str, kind: str, format_: str | None) -> bool:
    """Return whether every reader of the format knows this kind."""
    match kind:
        case "code":
            return role != "computer" or (format_ or "").lower() in _OF_CODE
        case "image":
            return (format_ or "").partition(".")[0] in ("base64", "path", "description")
        case _:
            return kind in _PLAIN


def recipient_of(wire: Mapping[str, Any]) -> str | None:
    """Return the recipient of a listed message; our own mark on unknown kinds does not count."""
    recipient = wire.get("recipient")
    format_ = wire.get("format")
    is_known = is_plain(
        str(wire.get("role")), str(wire.get("type")), format_ if isinstance(format_, str) else None
    )
    if recipient == "user" and not is_known:
        return None
    return recipient if recipient in ("user", "assistant") else None


def _says_something(message: Message) -> bool:
    if message.type in _TRANSIENT:
        return False
    return message.content not in (None, "") or message.type in _MAY_BE_EMPTY


def wire_of(message: Message, read_file: ReadFile = no_files) -> Wire:
    """Return one message as the list has it."""
    chunk = whole_chunk(
        Chunk(
            role=message.role,
            type=message.type,
            format="output" if message.type == "console" else message.format,
            content=message.content if message.content is not None else "",
            start=True,  # only starts have an id
            id=message.call_id,
            recipient=message.recipient,
        )
    )
    if message.type == "image":
        chunk = _with_picture(chunk, message, read_file)
    if message.role == "assistant" and message.type == "code" and chunk.format is None:
        chunk = replace(chunk, format="python")
    wire = {name: value for name, value in encode_chunk(chunk).items() if name != "start"}
    if not is_plain(chunk.role, chunk.type, chunk.format):
        wire.setdefault("recipient", "user")
    if message.state != "complete":
        wire["state"] = "interrupted"
    return wire


def _with_picture(chunk: Chunk, message: Message, read_file: ReadFile) -> Chunk:
    """Return the chunk with the picture itself in place of its path."""
    picture = picture_of(message, read_file)
    if picture is None:
        return chunk
    if picture.mime == SVG:
        return replace(chunk, format="svg", content=picture.data.decode("utf-8", "replace"))
    return replace(chunk, format=f"base64.{picture.suffix}", content=picture.base64)


def show_proposals(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with a code message before each proposal that shows its code.

    Proposals without such a message are left out: “Run all again” runs what was proposed, and all
    of that must be visible in an entry.
    """
    joiner = _Joiner()
    for message in messages:
        joiner.take(message)
    return joiner.row.messages


class _Joiner:
    """`_asked` is the code of the proposal that has not run yet: another one is its edit."""

    def __init__(self) -> None:
        self.row = MessageBuilder()
        self._waiting: list[Message] = []
        self._asked: Message | None = None

    def take(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                code = self._asked = self._code_of(proposal)
                if code is not None:
                    told = replace(proposal, id=uuid.uuid4().hex, message_id=code.id)
                    self.row.copy(replace(message, content=told))
                return
            case RunReport(state="started"):
                self._asked = None
            case _ if message.type == "tool_result":
                self._asked = None
            case _:
                pass
        added = self.row.copy(message)
        if message.role in ("user", "assistant") and message.type == "code" and added is not None:
            self._waiting.append(added)
        elif message.role == "user":
            self._waiting, self._asked = [], None

    def _code_of(self, proposal: Proposal) -> Message | None:
        same = [one for one in self._waiting if one.text == proposal.code]
        if self._asked is not None and not same:
            return self._asked
        for code in (same or self._waiting)[:1]:
            self._waiting.remove(code)
            return code
        return None


Fields = Mapping[str, Any]
_TEXT_PARTS = ("text", "input_text", "output_text")


def read_message_list(raw: object, title: str = "") -> ImportedConversation:
    """Return the conversation of a parsed JSON document. Raises DocumentError."""
    items = _items(raw)
    row = MessageBuilder()
    for item in items:
        wires = list(_native(cast(Fields, item))) if isinstance(item, Mapping) else []
        understood = [add_message(row, wire) for wire in wires]
        row.left_out += not any(understood)
    messages = row.messages
    if any(message.type == "run" for message in messages):
        messages = show_proposals(close_open_ends(messages))
    else:
        messages = close_open_ends(_with_runs(messages))
    if not messages:
        raise DocumentError(
            "There is no conversation in this file.",
            detail="None of its messages could be understood.",
            remedy="Choose a file with Open Interpreter's messages, or a notebook.",
        )
    return ImportedConversation(title, tuple(messages), row.left_out)


def _items(raw: object) -> list[object]:
    if isinstance(raw, Mapping):
        raw = cast(Fields, raw).get("messages")
    if not isinstance(raw, list):
        raise DocumentError(
            "This file is not a conversation.",
            detail="A conversation is a list of messages.",
            remedy="Choose a file with Open Interpreter's messages, or a notebook.",
        )
    return cast("list[object]", raw)


def _native(item: Fields) -> Iterator[Fields]:
    """Yield the messages in the current format that an item of any version contains."""
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
    """Return the item with `format` and `content`; code may use `language` and `code` for them."""
    if item["type"] == "code" and not isinstance(item.get("format"), str):
        language = item.get("language")
        item = {**item, "format": language if isinstance(language, str) else "python"}
    if item["type"] == "code" and "content" not in item and isinstance(item.get("code"), str):
        item = {**item, "content": item["code"]}
    return item


def _with_texts(item: Fields) -> Iterator[Fields]:
    """Yield one message for each part of a content that is a list."""
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


def add_message(row: MessageBuilder, wire: Fields) -> bool:
    """Add one message; whether it was understood."""
    chunk = decode_chunk({**wire, "recipient": recipient_of(wire)})
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
    """Return the picture by its type; a path is mentioned but not read: anyone may have written
    it.
    """
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
    """Return the messages with the runs that outputs imply, so that their code can be run again."""
    row = MessageBuilder()
    waiting: list[Message] = []
    is_running = False
    for message in messages:
        if isinstance(message.content, Proposal):
            continue  # they are added again, with their code
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
