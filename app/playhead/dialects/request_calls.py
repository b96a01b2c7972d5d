"""Calls of tools in a request and what came of them, as OpenAI and Cohere both write them."""

from __future__ import annotations

import json
from typing import cast

from playhead.dialects.decision_reader import decision_of
from playhead.dialects.entry import Entry, text_message
from playhead.dialects.request_values import (
    Fields,
    a_filled_text,
    a_list,
    a_text,
    an_object,
    wrong,
)
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.model import EXECUTE


class RequestCalls:
    """Knows which calls have been made, so that each result finds its own."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def made(self, fields: Fields, param: str) -> tuple[list[Chunk], list[tuple[str, str]]]:
        """The messages of an assistant's `tool_calls`, and their names with their arguments.

        Raises RequestError.
        """
        chunks: list[Chunk] = []
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
            chunks += self.call(name, arguments, call_id)
            calls.append((name, arguments))
        return chunks, calls

    def call(self, name: str, arguments: str, call_id: str) -> tuple[Chunk, ...]:
        """One call as a message."""
        made = call_chunks(name, arguments, call_id)
        self._tools[call_id] = EXECUTE if made[0].type == "code" else f"tool {name}"
        return made

    def result(self, call_id: str, text: str, param: str, *, id_field: str, field: str) -> Entry:
        """What came of a call: a decision about code, else a result. Raises RequestError."""
        tool = self._tools.get(call_id)
        if tool is None:
            wrong(f"{param} answers no call made before it", f"{param}.{id_field}")
        key = json.dumps(["tool", text])
        if tool == EXECUTE:
            return Entry(key=key, decision=decision_of(text, f"{param}.{field}"), call_id=call_id)
        name = tool.removeprefix("tool ")
        chunks = text_message("computer", "tool_result", text, format_=name, call_id=call_id)
        return Entry(chunks, key)


def call_chunks(name: str, arguments: str, call_id: str) -> tuple[Chunk, ...]:
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
