"""Cohere's values to and from ours: finish reasons, usage, failures, citations and sources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.domain.text.json_text import read_json
from playhead.formats.wire.codec import Wire

REASONS = {"stop": "COMPLETE", "length": "MAX_TOKENS", "tool_calls": "TOOL_CALL"}
"""Ends of an answer, in Cohere's words; any other end is a complete one."""
_OUR_REASONS = {cohere: ours for ours, cohere in REASONS.items()}
_TEXT = "content"
"""The field of a tool's output that was a mere text."""
_DOCUMENT_TEXTS = ("data", "text", "snippet", "content")
_OF_A_RESULT = re.compile(r".+:\d+", re.DOTALL)


def first_object(value: object) -> Mapping[str, Any]:
    """Return an object, or the first of a list: some servers send a list instead of an object."""
    if isinstance(value, list) and value:
        value = cast("list[object]", value)[0]
    return cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {})


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return the text of a field, "" if there is none."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def usage_of(reason: str, wire: object) -> Usage | None:
    """Return the usage with the reason of the answer's end, or None if none is reported."""
    usage = first_object(wire)
    tokens = first_object(usage.get("tokens")) or first_object(usage.get("billed_units"))
    asked, answered = _count(tokens.get("input_tokens")), _count(tokens.get("output_tokens"))
    if asked is None or answered is None:
        return None
    return Usage(
        input_tokens=asked,
        output_tokens=answered,
        finish_reason=_OUR_REASONS.get(reason, "stop"),
        cached_tokens=_count(usage.get("cached_tokens")) or 0,
    )


def usage_wire(usage: Usage) -> Wire:
    """Return the `usage` of an answer."""
    tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    units = {**tokens, "search_units": None, "classifications": None}
    return {"billed_units": units, "tokens": tokens}


def failure_of(reason: str, error: object) -> Failure:
    """Return why the answer failed; the server's error may be a text or an object."""
    title = error if isinstance(error, str) else text_of(first_object(error), "message")
    if reason == "TIMEOUT":
        return Failure(
            code="timeout", title=title or "The model took too long.", remedy="Ask again."
        )
    return Failure(code="upstream_error", title=title or "The model's server reported an error.")


def citation_of(wire: Mapping[str, Any]) -> Citation | None:
    """Return a citation, or None if it has no place."""
    start, end = wire.get("start"), wire.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    sources = wire.get("sources")
    items = cast("list[object]", sources if isinstance(sources, list) else [])
    found = tuple(_source(first_object(item)) for item in items)
    return Citation(start=start, end=end, text=text_of(wire, "text"), sources=found)


def citation_wire(citation: Citation, kind: str) -> Wire:
    """Return a citation of a text of this kind (TEXT_CONTENT, PLAN, THINKING_CONTENT)."""
    return {
        "start": citation.start,
        "end": citation.end,
        "text": citation.text,
        "type": kind,
        "sources": [_source_wire(source) for source in citation.sources],
    }


def _source(wire: Mapping[str, Any]) -> Source:
    """Return the source of a citation; a tool's output is stored as JSON."""
    source_id = text_of(wire, "id")
    output = wire.get("tool_output")
    if isinstance(output, Mapping):
        fields = cast("Mapping[str, Any]", output)
        text = fields.get(_TEXT) if len(fields) == 1 else None
        return Source(id=source_id, text=text if isinstance(text, str) else _json(fields))
    document = first_object(wire.get("document"))
    text = next((text_of(document, name) for name in _DOCUMENT_TEXTS if document.get(name)), "")
    return Source(
        id=source_id, title=text_of(document, "title"), url=text_of(document, "url"), text=text
    )


def _source_wire(source: Source) -> Wire:
    if _OF_A_RESULT.fullmatch(source.id) and not source.title and not source.url:
        return {"type": "tool", "id": source.id, "tool_output": _output(source.text)}
    told = {"title": source.title, "url": source.url, "data": source.text}
    document = {name: value for name, value in told.items() if value}
    return {"type": "document", "id": source.id, "document": document}


def _output(text: str) -> Wire:
    """Return a tool's output as an object, if that loses nothing of its text."""
    try:
        told: object = read_json(text)
    except ValueError:
        return {_TEXT: text}
    output = cast(Wire, told if isinstance(told, dict) else {})
    return output if set(output) - {_TEXT} and _json(output) == text else {_TEXT: text}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _count(value: object) -> int | None:
    """Return a number of tokens, which Cohere sends as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**63 else None
