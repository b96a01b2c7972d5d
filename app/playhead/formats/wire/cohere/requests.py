"""Read Cohere v2 requests of clients."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from msgspec import Struct

from playhead.domain.conversation.payloads import Source
from playhead.formats.wire.chat_completions.objects import answer_key
from playhead.formats.wire.entry import (
    Entry,
    RequestCalls,
    check_entries,
    parts_of,
    text_message,
    texts_of,
    user_entry,
)
from playhead.formats.wire.request_fields import (
    Fields,
    messages_of,
    read_filled_text,
    read_list,
    read_object,
    read_optional_text,
    read_text,
    refuse,
)


class CohereMessages(Struct, frozen=True, kw_only=True):
    """The messages of a request.

    `sources` are the results of tools in it, each with the id by which it is cited.
    `has_fresh_results`: one of them came after the user's last message.
    """

    entries: tuple[Entry, ...]
    instructions: str = ""
    sources: tuple[Source, ...] = ()
    has_fresh_results: bool = False


def read_messages(raw: object) -> CohereMessages:
    """Read the messages of a request; unknown roles are skipped. Raises RequestError."""
    reader = _Reader()
    for param, fields in messages_of(raw):
        reader.take(fields, param)
    return CohereMessages(
        entries=tuple(check_entries(reader.entries)),
        instructions="\n\n".join(reader.instructions),
        sources=tuple(reader.sources),
        has_fresh_results=reader.has_fresh_results,
    )


def read_documents(raw: object) -> tuple[Source, ...]:
    """Read the `documents` of a request: texts, or objects with data. Raises RequestError."""
    items = [] if raw is None else read_list(raw, "documents")
    return tuple(
        _document(item, f"documents[{place}]", f"doc_{place}") for place, item in enumerate(items)
    )


def documents_as_instructions(documents: Iterable[Source]) -> str:
    """Return the documents as instructions, for a model that has no other place for them."""
    told = [f"[{document.id}] {document.title}\n{document.text}" for document in documents]
    return "\n\n".join(["Documents to answer from:", *told]) if told else ""


class _Reader:
    """Goes through the messages and knows which calls have been made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.instructions: list[str] = []
        self.sources: list[Source] = []
        self.has_fresh_results = False
        self._calls = RequestCalls()

    def take(self, fields: Fields, param: str) -> None:
        match read_text(fields, "role", param):
            case "system" | "developer":
                text = "\n\n".join(texts_of(fields, param, "text"))
                self.instructions += [text] if text.strip() else []
            case "user":
                self.entries.append(user_entry(fields, param))
                self.has_fresh_results = False
            case "assistant":
                self.entries.append(self._assistant(fields, param))
            case "tool":
                self.entries.append(self._tool_result(fields, param))
                self.has_fresh_results = True
            case _:
                pass

    def _assistant(self, fields: Fields, param: str) -> Entry:
        plan = read_optional_text(fields, "tool_plan", param) or ""
        text = "".join(texts_of(fields, param, "text", silent="thinking", may_be_missing=True))
        planned = text_message("assistant", "plan", plan) if plan else ()
        said = text_message("assistant", "message", text) if text else ()
        chunks, calls = self._calls.made(fields, param)
        return Entry(chunks=(*planned, *said, *chunks), key=message_key(text, calls))

    def _tool_result(self, fields: Fields, param: str) -> Entry:
        call_id = read_filled_text(fields, "tool_call_id", param)
        sources = _results(fields, param, call_id)
        self.sources += sources
        text = "\n".join(source.text for source in sources)
        return self._calls.result(call_id, text, param, id_field="tool_call_id", field="content")


def message_key(text: str, calls: list[tuple[str, str]]) -> str:
    """Return the key of an assistant's message, without what clients leave out beside calls."""
    return answer_key("" if calls else text, calls)


def _results(fields: Fields, param: str, call_id: str) -> list[Source]:
    content = fields.get("content")
    if not isinstance(content, list):
        return [Source(id=f"{call_id}:0", text=read_text(fields, "content", param))]
    sources: list[Source] = []
    for at, kind, part in parts_of(cast("list[object]", content), param):
        name = f"{call_id}:{len(sources)}"
        match kind:
            case "text":
                sources.append(Source(id=name, text=read_text(part, "text", at)))
            case "document":
                sources.append(_document(part.get("document"), f"{at}.document", name))
            case other:
                refuse(f"{at}: parts of type {other[:40]} cannot be read here", f"{at}.type")
    return sources


def _document(item: object, param: str, name: str) -> Source:
    """Return a document with its id, else with the `name`."""
    if isinstance(item, str):
        return Source(id=name, text=item)
    fields = read_object(item, param)
    data = fields.get("data")
    if not isinstance(data, str | Mapping):
        refuse(f"{param}.data must be a string or an object", f"{param}.data")
    told = cast("Mapping[str, Any]", data if isinstance(data, Mapping) else {})
    text = data if isinstance(data, str) else json.dumps(told, ensure_ascii=False)
    title = told.get("title")
    return Source(
        id=read_optional_text(fields, "id", param) or name,
        title=title if isinstance(title, str) else "",
        text=text,
    )
