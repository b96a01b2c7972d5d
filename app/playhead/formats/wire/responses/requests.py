"""Read the items and tools of a Responses request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import Approve
from playhead.domain.model import ToolOffer
from playhead.errors import RequestError
from playhead.formats.wire.chat_completions.objects import answer_key
from playhead.formats.wire.chat_completions.requests import (
    expect_unique,
    proposed_in,
    read_function,
)
from playhead.formats.wire.entry import (
    Entry,
    RequestCalls,
    check_entries,
    text_message,
    texts_of,
    user_entry,
)
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
from playhead.formats.wire.responses.objects import code_key

Item = Mapping[str, Any]
CODE_INTERPRETER = "code_interpreter"
_BAD_TOOLS = "invalid_tools"
_PARTS = {"input_text": "text", "output_text": "text"}


class ResponseInput(Struct, frozen=True, kw_only=True):
    """The items of a request, read.

    `approved` is the code that its decisions let run, by language and text; `proposed` the code
    that the last answer asks about, if the last item may be the answer to that.
    """

    entries: tuple[Entry, ...]
    instructions: str
    approved: tuple[tuple[str, str], ...] = ()
    proposed: tuple[str, str] | None = None


class ResponseTools(Struct, frozen=True):
    """The tools of a request: functions of the client, and whether code may run here."""

    functions: tuple[ToolOffer, ...] = ()
    has_interpreter: bool = False


def items_of(raw: object) -> list[Item]:
    """Return the input as items: a text is a user's message. Raises RequestError."""
    if isinstance(raw, str):
        return [{"type": "message", "role": "user", "content": raw}]
    items = read_list(raw, "input", code="invalid_request")
    return [read_object(item, f"input[{place}]") for place, item in enumerate(items)]


def read_input(history: Sequence[Item], items: Sequence[Item]) -> ResponseInput:
    """Return what the items of earlier responses and those of the request hold.

    Raises RequestError. Items of unknown types are skipped.
    """
    reader = _Reader()
    for item in history:
        reader.take(item, "previous_response_id")
    for place, item in enumerate(items):
        reader.take(item, f"input[{place}]")
    entries = check_entries(reader.entries, "input")
    return ResponseInput(
        entries=tuple(entries),
        instructions="\n\n".join(reader.instructions),
        approved=tuple(reader.approved),
        proposed=proposed_in(entries),
    )


def read_tools(raw: object) -> ResponseTools:
    """Return the tools that a client offers. Raises RequestError."""
    functions: list[ToolOffer] = []
    has_interpreter = False
    items: list[object] = [] if raw is None else read_list(raw, "tools", code=_BAD_TOOLS)
    for place, item in enumerate(items):
        at = f"tools[{place}]"
        match read_object(item, at, code=_BAD_TOOLS).get("type"):
            case "function":
                functions.append(read_function(item, at))
            case "code_interpreter":
                has_interpreter = True
            case _:
                refuse(
                    f"{at}.type must be function or {CODE_INTERPRETER}",
                    f"{at}.type",
                    code=_BAD_TOOLS,
                )
    expect_unique(functions)
    return ResponseTools(tuple(functions), has_interpreter)


def chat_choice(choice: object) -> object:
    """Return a `tool_choice` as OpenAI chat has it."""
    if isinstance(choice, Mapping):
        fields = cast(Fields, choice)
        if fields.get("type") == "function" and "function" not in fields:
            return {"type": "function", "function": {"name": fields.get("name")}}
    return cast(object, choice)


class _Reader:
    """Goes through the items and knows which calls have been made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.instructions: list[str] = []
        self.approved: list[tuple[str, str]] = []
        self._calls = RequestCalls()
        self._codes: dict[str, tuple[str, str]] = {}

    def take(self, item: Item, param: str) -> None:
        match item.get("type") or "message":
            case "message":
                self._message(item, param)
            case "function_call":
                self._call(item, param)
            case "function_call_output":
                self._result(item, param)
            case "code_interpreter_call":
                self.entries.append(_code_entry(item, param))
            case _:
                pass

    def _message(self, item: Item, param: str) -> None:
        fields = {**item, "content": _chat_parts(item.get("content"))}
        match read_text(item, "role", param):
            case "system" | "developer":
                text = "\n\n".join(texts_of(fields, param, "text"))
                self.instructions += [text] if text.strip() else []
            case "user":
                self._settle()
                self.entries.append(user_entry(fields, param))
            case "assistant":
                self._settle()
                text = "".join(texts_of(fields, param, "text", "refusal"))
                chunks = text_message("assistant", "message", text) if text else ()
                self.entries.append(Entry(chunks=chunks, key=answer_key(text, [])))
            case _:
                pass

    def _call(self, item: Item, param: str) -> None:
        self._settle()
        name = read_filled_text(item, "name", param)
        arguments = read_text(item, "arguments", param)
        call_id = read_filled_text(item, "call_id", param)
        if item.get("status") == "incomplete":  # half of it came, and the model made another
            self.entries.append(Entry(key=answer_key("", [(name, arguments)])))
            return
        chunks = self._calls.call(name, arguments, call_id)
        if chunks[0].type == "code":
            code = "".join(str(chunk.content) for chunk in chunks if chunk.content is not None)
            self._codes[call_id] = (chunks[0].format or "", code)
        self.entries.append(Entry(chunks=chunks, key=answer_key("", [(name, arguments)])))

    def _result(self, item: Item, param: str) -> None:
        call_id = read_filled_text(item, "call_id", param)
        fields = {"content": _chat_parts(item.get("output"))}
        text = "".join(texts_of(fields, f"{param}.output", "text"))
        entry = self._calls.result(call_id, text, param, id_field="call_id", field="output")
        self.entries.append(entry)
        if isinstance(entry.decision, Approve) and call_id in self._codes:
            language, code = self._codes[call_id]
            edited = entry.decision.code
            self.approved.append((language, code if edited is None else edited))

    def _settle(self) -> None:
        """Forget the approvals before this item: what they let run is in the items after them."""
        self.approved.clear()


def _code_entry(item: Item, param: str) -> Entry:
    """Return code that ran here, with what it printed and showed; without it if it did not run."""
    code = read_optional_text(item, "code", param) or ""
    language = read_optional_text(item, "language", param) or "python"
    if item.get("status") in ("incomplete", "in_progress") or not code:
        return Entry(key=code_key(code))
    chunks: list[Chunk] = [*text_message("assistant", "code", code, format_=language)]
    raw = item.get("outputs")
    outputs = [] if raw is None else read_list(raw, f"{param}.outputs")
    fields = [read_object(one, f"{param}.outputs[{n}]") for n, one in enumerate(outputs)]
    logs = "".join(str(one.get("logs", "")) for one in fields if one.get("type") == "logs")
    chunks += text_message("computer", "console", logs)
    for one in fields:
        if one.get("type") == "image":
            chunks += _picture(str(one.get("url")))
    return Entry(chunks=tuple(chunks), key=code_key(code))


def _picture(url: str) -> Sequence[Chunk]:
    """Return a picture of an output; nothing for one of a kind that models cannot be shown."""
    try:
        format_, data = image_of_data_url(url, "outputs")
    except RequestError:
        return ()
    return text_message("computer", "image", data, format_=format_)


def _chat_parts(content: object) -> object:
    """Return a content with the parts that OpenAI chat calls otherwise by its names."""
    if not isinstance(content, list):
        return content
    return [_chat_part(part) for part in cast("list[object]", content)]


def _chat_part(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    fields = cast(Fields, part)
    kind = fields.get("type")
    if kind == "input_image":
        return {"type": "image_url", "image_url": {"url": fields.get("image_url")}}
    return {**fields, "type": _PARTS.get(str(kind), kind)}
