"""The messages and tools of an OpenAI chat request."""

from __future__ import annotations

import json
import re
from typing import cast

from playhead.conversation.chunk import Chunk
from playhead.conversation.requests import EXECUTE, ToolOffer
from playhead.dialects.chat_completions_answer import answer_key
from playhead.dialects.decision_reader import decision_of
from playhead.dialects.entry import Entry, checked, text_message
from playhead.dialects.images import image_of_data_url
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

_YES = re.compile(r"[\s.!?]*(?:yes|y)[\s.!?]*", re.IGNORECASE | re.ASCII)
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
        self._calls: dict[str, str] = {}

    def take(self, fields: Fields, param: str) -> None:
        match a_text(fields, "role", param):
            case "system" | "developer":
                text = "\n\n".join(_texts(fields, param))
                self.instructions += [text] if text.strip() else []
            case "user":
                self.entries.append(_user(fields, param))
            case "assistant":
                self.entries.append(self._assistant(fields, param))
            case "tool":
                self.entries.append(self._tool_result(fields, param))
            case _:
                pass

    def _assistant(self, fields: Fields, param: str) -> Entry:
        text = "".join(_texts(fields, param, may_be_missing=True))
        chunks = list(text_message("assistant", "message", text)) if text else []
        calls: list[tuple[str, str]] = []
        raw = fields.get("tool_calls")
        items = [] if raw is None else a_list(raw, f"{param}.tool_calls")
        for place, item in enumerate(items):
            at = f"{param}.tool_calls[{place}]"
            call = an_object(item, at)
            function = an_object(call.get("function"), f"{at}.function")
            call_id = a_filled_text(call, "id", at)
            name = a_filled_text(function, "name", f"{at}.function")
            arguments = a_text(function, "arguments", f"{at}.function")
            made = _call_chunks(name, arguments, call_id)
            self._calls[call_id] = EXECUTE if made[0].type == "code" else f"tool {name}"
            chunks += made
            calls.append((name, arguments))
        return Entry(tuple(chunks), answer_key(text, calls))

    def _tool_result(self, fields: Fields, param: str) -> Entry:
        call_id = a_filled_text(fields, "tool_call_id", param)
        text = "".join(_texts(fields, param))
        tool = self._calls.get(call_id)
        if tool is None:
            wrong(f"{param} answers no call made before it", f"{param}.tool_call_id")
        key = json.dumps(["tool", text])
        if tool == EXECUTE:
            return Entry(key=key, decision=decision_of(text, f"{param}.content"), call_id=call_id)
        name = tool.removeprefix("tool ")
        chunks = text_message("computer", "tool_result", text, format_=name, call_id=call_id)
        return Entry(chunks, key)


def _user(fields: Fields, param: str) -> Entry:
    parts = _parts(fields, param)
    chunks = tuple(part for part in parts if part.content)
    if not chunks:
        wrong(f"{param}.content must not be empty", f"{param}.content")
    told = [[chunk.type, chunk.content] for chunk in chunks]
    is_text = all(chunk.type == "message" for chunk in chunks)
    text = "".join(str(chunk.content) for chunk in chunks)
    is_yes = is_text and _YES.fullmatch(text) is not None
    return Entry(chunks, json.dumps(["user", told]), is_yes=is_yes)


def _parts(fields: Fields, param: str) -> list[Chunk]:
    content = fields.get("content")
    if not isinstance(content, list):
        return [Chunk("user", "message", content=a_text(fields, "content", param))]
    chunks: list[Chunk] = []
    for place, item in enumerate(cast("list[object]", content)):
        at = f"{param}.content[{place}]"
        part = an_object(item, at)
        match a_text(part, "type", at):
            case "text":
                chunks.append(Chunk("user", "message", content=a_text(part, "text", at)))
            case "image_url":
                image = an_object(part.get("image_url"), f"{at}.image_url")
                url = a_text(image, "url", f"{at}.image_url")
                format_, data = image_of_data_url(url, f"{at}.image_url.url")
                chunks.append(Chunk("user", "image", format_, content=data))
            case other:
                wrong(f"{at}: parts of type {other[:40]} cannot be read", f"{at}.type")
    return chunks


def _texts(fields: Fields, param: str, *, may_be_missing: bool = False) -> list[str]:
    """The texts of a message that can hold nothing else."""
    content = fields.get("content")
    if content is None and may_be_missing:
        return []
    if not isinstance(content, list):
        return [a_text(fields, "content", param)]
    texts: list[str] = []
    for place, item in enumerate(cast("list[object]", content)):
        at = f"{param}.content[{place}]"
        part = an_object(item, at)
        kind = a_text(part, "type", at)
        if kind not in ("text", "refusal"):
            wrong(f"{at}: parts of type {kind[:40]} cannot be read here", f"{at}.type")
        texts.append(a_text(part, kind, at))
    return texts


def _call_chunks(name: str, arguments: str, call_id: str) -> tuple[Chunk, ...]:
    """A call as a message: code where it is a proper `execute`."""
    if name == EXECUTE:
        try:
            told: object = json.loads(arguments)
        except (ValueError, RecursionError):
            told = None
        fields = cast(Fields, told if isinstance(told, dict) else {})
        language, code = fields.get("language"), fields.get("code")
        if isinstance(language, str) and language and isinstance(code, str):
            return text_message("assistant", "code", code, format_=language, call_id=call_id)
    return text_message("assistant", "tool_call", arguments, format_=name, call_id=call_id)


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
