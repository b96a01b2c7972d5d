"""Read a recorded stream of any wire format, recognised by its shape, as a conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.text.json_text import read_json
from playhead.errors import DocumentError
from playhead.formats.documents.imported_conversation import ImportedConversation
from playhead.formats.documents.message_list import read_message_list
from playhead.formats.wire import assistants, chat_completions, kernel_messages, native
from playhead.formats.wire.codec import Decoder, Wire
from playhead.formats.wire.cohere.decode import CohereDecoder

Fields = Mapping[str, Any]
_END_MARK = "[DONE]"
_DECODERS: Mapping[str, Callable[[], Decoder]] = {
    "native": native.Decoder,
    "chat": chat_completions.Decoder,
    "assistants": assistants.Decoder,
    "cohere": CohereDecoder,
    "kernel": kernel_messages.Decoder,
}
_COHERE = frozenset(
    {
        *("message-start", "content-start", "content-delta", "tool-plan-delta", "tool-call-start"),
        *("message-end", "citation-start"),
    }
)
_KERNEL = frozenset(
    {
        *("reply.delta", "reply", "reasoning", "tool_calls", "tool_results", "tool-calls"),
        *("tool-results", "actionproposal", "input"),
    }
)
_ENDS = frozenset({("server", "status"), ("server", "error")})


def events_in(text: str) -> Iterator[Fields | None]:
    """Yield the events of server-sent events or of lines of JSON; None for an end mark.

    Other lines are passed on as empty events, to be counted.
    """
    name = ""
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        field, colon, value = line.partition(":")
        if not line.strip():
            name = ""
        elif colon and field == "event":
            name = value.strip()
        elif colon and field == "data":
            yield _event(value.strip(), name)
        elif field not in ("", "id", "retry"):
            yield _event(line.strip(), "")


def format_of(events: Iterable[Fields | None]) -> str | None:
    """Return the format of the first event that is unique to one; None if there is no such
    event.
    """
    return next((found for event in events if event and (found := _format(event))), None)


def is_recording(raw: object) -> bool:
    """Return whether a parsed JSON document is a list of events and not of messages."""
    if not isinstance(raw, list):
        return isinstance(raw, Mapping) and _format(cast(Fields, raw)) not in (None, "native")
    items = [cast(Fields, item) for item in cast("list[object]", raw) if isinstance(item, Mapping)]
    if format_of(items) == "native":
        return any(item.get("start") is True or item.get("end") is True for item in items)
    return format_of(items) is not None


def read_recording(events: Iterable[Fields | None], title: str = "") -> ImportedConversation:
    """Return the conversation of the events. Raises DocumentError."""
    events = list(events)
    wire_format = format_of(events)
    if wire_format is None:
        raise DocumentError(
            "This file cannot be read as a conversation.",
            detail="It is not a recorded stream in a known format.",
            remedy="Choose a notebook, a list of messages or a recorded stream of events.",
        )
    reader = _Reader(_DECODERS[wire_format])
    for event in events:
        reader.take(event)
    found = read_message_list(_folded(reader.finish()), title)
    return ImportedConversation(found.title, found.messages, found.left_out + reader.skipped)


def read_recording_text(text: str, title: str = "") -> ImportedConversation:
    """Return the conversation of server-sent events or lines of JSON. Raises DocumentError."""
    return read_recording(events_in(text), title)


class _Reader:
    """Decodes answers that follow each other in one recording."""

    def __init__(self, make: Callable[[], Decoder]) -> None:
        self.skipped = 0
        self._make = make
        self._decoder: Decoder | None = None
        self._chunks: list[Chunk] = []

    def take(self, event: Fields | None) -> None:
        if event is None:
            self._end()
            return
        self._decoder = self._decoder or self._make()
        chunks = self._decoder.decode(event)
        self._chunks += chunks
        if chunks and (chunks[-1].role, chunks[-1].type) in _ENDS:
            self._end()

    def finish(self) -> list[Chunk]:
        self._end()
        return self._chunks

    def _end(self) -> None:
        decoder, self._decoder = self._decoder, None
        if decoder is not None:
            self._chunks += decoder.finish()
            self.skipped += decoder.skipped


def _event(text: str, name: str) -> Fields | None:
    if text == _END_MARK:
        return None
    try:
        told: object = read_json(text, parse_constant=lambda _word: None)
    except ValueError:
        return {}
    if not isinstance(told, dict):
        return {}
    fields = cast(Wire, told)
    is_named = name.startswith("thread.") or (name == "error" and "type" not in fields)
    return {"event": name, "data": fields} if is_named else fields


def _format(event: Fields) -> str | None:
    kind, name = event.get("type"), event.get("event")
    if isinstance(name, str) and name.startswith("thread."):
        return "assistants"
    if isinstance(event.get("choices"), list):
        return "chat"
    if not isinstance(kind, str):
        return None
    if isinstance(event.get("role"), str):
        return "native"
    if kind in _COHERE:
        return "cohere"
    is_kernel = kind in _KERNEL or (kind == "delta" and "messageType" in event)
    return "kernel" if is_kernel else None


def _folded(chunks: Iterable[Chunk]) -> list[Wire]:
    """Return the chunks as whole native messages."""
    wires: list[Wire] = []
    texts: list[str] | None = None
    for chunk in chunks:
        if chunk.start:
            wires.append({**native.encode_chunk(chunk)})
            wires[-1].pop("start", None)
            texts = []
        elif texts is not None and not chunk.end:
            texts += [chunk.content] if isinstance(chunk.content, str) else []
        elif texts is not None:
            wires[-1]["content"] = "".join(texts)
            texts = None
        else:
            wires.append(native.encode_chunk(chunk))
    return wires
