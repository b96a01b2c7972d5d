"""Read what clients of the Assistants format send: messages, tools and outputs of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.model import EXECUTE, ToolOffer
from playhead.formats.wire.chat_completions.requests import read_tools as read_functions
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.entry import Entry, decision_of, text_message, user_entry
from playhead.formats.wire.request_fields import (
    Fields,
    read_filled_text,
    read_list,
    read_object,
    read_text,
    refuse,
)

_OUTPUTS = "tool_outputs"
_OWN_TOOLS = ("code_interpreter", "file_search", "retrieval")
"""Types of tools that are not functions: code runs here anyway, the others are not supported."""


def read_message(fields: Fields, param: str) -> Entry:
    """Return one message for a thread. Raises RequestError."""
    fields = {**fields, "content": _parts(fields.get("content"))}
    match read_text(fields, "role", param):
        case "user":
            return replace(user_entry(fields, param), is_yes=False)
        case "assistant":
            text = "".join(str(chunk.content) for chunk in user_entry(fields, param).chunks)
            return Entry(chunks=text_message("assistant", "message", text))
        case _:
            refuse(f"{param}.role must be user or assistant", f"{param}.role")


def read_tools(raw: object) -> tuple[ToolOffer, ...]:
    """Return the functions among the tools. Raises RequestError."""
    if raw is None:
        return ()
    items = read_list(raw, "tools", code="invalid_tools")
    return read_functions([item for item in items if not _is_own(item)])


def read_tool_choice(raw: object) -> object:
    """Return the choice in the form of chat; our own tools cannot be forced."""
    return None if _is_own(raw) else raw


def read_outputs(raw: object, required: Sequence[Wire]) -> dict[str, str]:
    """Return the outputs by their calls' ids, which must be those of the waiting calls.

    Raises RequestError.
    """
    outputs: dict[str, str] = {}
    names = {call["id"]: call["function"]["name"] for call in required}
    for place, item in enumerate(read_list(raw, _OUTPUTS, code="invalid_request")):
        at = f"{_OUTPUTS}[{place}]"
        fields = read_object(item, at, code="invalid_request")
        call_id = read_filled_text(fields, "tool_call_id", at)
        if call_id not in names or call_id in outputs:
            refuse(
                f"Expected tool outputs for call_ids {sorted(names)}, got {call_id!r}.",
                f"{at}.tool_call_id",
                code="invalid_state",
            )
        outputs[call_id] = "" if fields.get("output") is None else read_text(fields, "output", at)
    if missing := sorted(set(names) - set(outputs)):
        refuse(f"Tool outputs are missing for call_ids {missing}.", _OUTPUTS, code="invalid_state")
    return outputs


def output_entries(outputs: Mapping[str, str], required: Sequence[Wire]) -> tuple[Entry, ...]:
    """Return the outputs as decisions and results, in the order of the calls.

    Raises RequestError for a malformed decision.
    """
    return tuple(
        _output_entry(call["id"], call["function"]["name"], outputs[call["id"]])
        for call in required
    )


def _output_entry(call_id: str, name: str, text: str) -> Entry:
    if name == EXECUTE:
        return Entry(decision=decision_of(text, _OUTPUTS), call_id=call_id)
    return Entry(
        chunks=text_message("computer", "tool_result", text, format_=name, call_id=call_id)
    )


def _parts(content: object) -> object:
    """Return the parts in the form that clients receive, in which the text is an object."""
    if not isinstance(content, list):
        return content
    return [_plain(part) for part in cast("list[object]", content)]


def _plain(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    fields = cast("Mapping[str, Any]", part)
    text = fields.get("text")
    if isinstance(text, Mapping):
        return {**fields, "text": cast("Mapping[str, Any]", text).get("value")}
    return fields


def _is_own(tool: object) -> bool:
    return isinstance(tool, Mapping) and cast("Fields", tool).get("type") in _OWN_TOOLS
