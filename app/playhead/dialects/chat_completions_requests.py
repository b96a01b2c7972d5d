"""The messages and tools of an OpenAI chat request."""

from __future__ import annotations

import re

from playhead.dialects.chat_completions_answer import answer_key
from playhead.dialects.entry import Entry, checked, text_message
from playhead.dialects.request_calls import RequestCalls
from playhead.dialects.request_parts import texts_of, user_entry
from playhead.dialects.request_values import (
    Fields,
    a_filled_text,
    a_list,
    a_text,
    a_text_or_none,
    an_object,
    messages_of,
    wrong,
)
from playhead.domain.model import ToolOffer

_TEXTS = ("text", "refusal")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_BAD_TOOLS = "invalid_tools"


def read_messages(raw: object) -> tuple[list[Entry], str]:
    """The messages of a request, and the instructions in it. Raises RequestError.

    Unknown roles are skipped.
    """
    reader = _Reader()
    for param, fields in messages_of(raw):
        reader.take(fields, param)
    return checked(reader.entries), "\n\n".join(reader.instructions)


def read_tools(raw: object) -> tuple[ToolOffer, ...]:
    """The tools that a client offers. Raises RequestError."""
    if raw is None:
        return ()
    items = a_list(raw, "tools", code=_BAD_TOOLS)
    tools = tuple(_tool(item, f"tools[{place}]") for place, item in enumerate(items))
    names = [tool.name for tool in tools]
    for place, name in enumerate(names):
        if name in names[:place]:
            wrong(f"two tools are called {name}", f"tools[{place}].function.name", code=_BAD_TOOLS)
    return tools


class _Reader:
    """Goes through the messages and knows which calls have been made."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.instructions: list[str] = []
        self._calls = RequestCalls()

    def take(self, fields: Fields, param: str) -> None:
        match a_text(fields, "role", param):
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
        return Entry((*said, *chunks), answer_key(text, calls))

    def _tool_result(self, fields: Fields, param: str) -> Entry:
        call_id = a_filled_text(fields, "tool_call_id", param)
        text = "".join(texts_of(fields, param, *_TEXTS))
        return self._calls.result(call_id, text, param, id_field="tool_call_id", field="content")


def _tool(item: object, param: str) -> ToolOffer:
    tool = an_object(item, param, code=_BAD_TOOLS)
    if tool.get("type") != "function":
        wrong(f"{param}.type must be function", f"{param}.type", code=_BAD_TOOLS)
    at = f"{param}.function"
    function = an_object(tool.get("function"), at, code=_BAD_TOOLS)
    name = a_text(function, "name", at, code=_BAD_TOOLS)
    if not _TOOL_NAME.fullmatch(name):
        wrong(f"{at}.name must match {_TOOL_NAME.pattern}", f"{at}.name", code=_BAD_TOOLS)
    description = a_text_or_none(function, "description", at, code=_BAD_TOOLS) or ""
    if function.get("parameters") is None:
        return ToolOffer(name, description)
    parameters = an_object(function["parameters"], f"{at}.parameters", code=_BAD_TOOLS)
    return ToolOffer(name, description, parameters)
