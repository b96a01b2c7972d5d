"""Read the messages and tools of an OpenAI chat request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from playhead.domain.model import ToolOffer
from playhead.formats.wire.chat_completions.objects import answer_key
from playhead.formats.wire.chat_completions.projection import last_proposed_code
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
    messages_of,
    read_filled_text,
    read_list,
    read_object,
    read_optional_text,
    read_text,
    refuse,
)

_TEXTS = ("text", "refusal")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_BAD_TOOLS = "invalid_tools"


def read_messages(raw: object) -> tuple[list[Entry], str]:
    """Return the messages of a request, and the instructions in it. Raises RequestError.

    Unknown roles are skipped.
    """
    reader = _Reader()
    for param, fields in messages_of(raw):
        reader.take(fields, param)
    return check_entries(reader.entries), "\n\n".join(reader.instructions)


def read_tools(raw: object) -> tuple[ToolOffer, ...]:
    """Return the tools that a client offers. Raises RequestError."""
    if raw is None:
        return ()
    items = read_list(raw, "tools", code=_BAD_TOOLS)
    tools = tuple(_tool(item, f"tools[{place}]") for place, item in enumerate(items))
    expect_unique(tools)
    return tools


def expect_unique(tools: Sequence[ToolOffer]) -> None:
    """Raise RequestError for two tools of one name."""
    names = [tool.name for tool in tools]
    for place, name in enumerate(names):
        if name in names[:place]:
            refuse(f"two tools are called {name}", f"tools[{place}].function.name", code=_BAD_TOOLS)


def proposed_in(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """Return the language and code that the answer before a final yes asks about."""
    if len(entries) < 2 or not entries[-1].is_yes:
        return None
    said = (chunk.content for chunk in entries[-2].chunks if (chunk.role, chunk.type) == _PROSE)
    return last_proposed_code("".join(text for text in said if isinstance(text, str)))


_PROSE = ("assistant", "message")


class _Reader:
    """Goes through the messages and knows which calls have been made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.instructions: list[str] = []
        self._calls = RequestCalls()

    def take(self, fields: Fields, param: str) -> None:
        match read_text(fields, "role", param):
            case "system" | "developer":
                text = "\n\n".join(texts_of(fields, param, *_TEXTS))
                self.instructions += [text] if text.strip() else []
            case "user":
                self.entries.append(user_entry(fields, param))
            case "assistant":
                self.entries.append(self._assistant(fields, param))
            case "tool":
                self.entries.append(self._tool_result(fields, param))
            case _:
                pass

    def _assistant(self, fields: Fields, param: str) -> Entry:
        text = "".join(texts_of(fields, param, *_TEXTS, may_be_missing=True))
        said = text_message("assistant", "message", text) if text else ()
        chunks, calls = self._calls.made(fields, param)
        return Entry(chunks=(*said, *chunks), key=answer_key(text, calls))

    def _tool_result(self, fields: Fields, param: str) -> Entry:
        call_id = read_filled_text(fields, "tool_call_id", param)
        text = "".join(texts_of(fields, param, *_TEXTS))
        return self._calls.result(call_id, text, param, id_field="tool_call_id", field="content")


def _tool(item: object, param: str) -> ToolOffer:
    tool = read_object(item, param, code=_BAD_TOOLS)
    if tool.get("type") != "function":
        refuse(f"{param}.type must be function", f"{param}.type", code=_BAD_TOOLS)
    return read_function(tool.get("function"), f"{param}.function")


def read_function(raw: object, at: str) -> ToolOffer:
    """Return the tool that these fields describe. Raises RequestError."""
    function = read_object(raw, at, code=_BAD_TOOLS)
    name = read_text(function, "name", at, code=_BAD_TOOLS)
    if not _TOOL_NAME.fullmatch(name):
        refuse(f"{at}.name must match {_TOOL_NAME.pattern}", f"{at}.name", code=_BAD_TOOLS)
    description = read_optional_text(function, "description", at, code=_BAD_TOOLS) or ""
    if function.get("parameters") is None:
        return ToolOffer(name, description)
    parameters = read_object(function["parameters"], f"{at}.parameters", code=_BAD_TOOLS)
    return ToolOffer(name, description, parameters)
