"""Streams as the big providers write them: true in form, with words of our own."""

from __future__ import annotations

import json
from typing import Any

from tests.support.model_replies import Reply, spoken

Event = dict[str, Any]

SIGNATURE = "EqQBCgIYAhIkc2lnbmVkLWJ5LW5vYm9keQ=="


def named(*events: Event) -> Reply:
    """Events with their type as their name, as Anthropic and Cohere write them."""
    return spoken(*(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events))


def lines(*events: Event, ends: str = "") -> Reply:
    """Events without names."""
    return spoken(*(f"data: {json.dumps(one)}\n\n" for one in events), ends)


def anthropic(*blocks: list[Event], stop: str = "end_turn") -> Reply:
    """A message of Anthropic's: its start, the blocks' events, its end."""
    usage = {
        "input_tokens": 20,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 80,
        "output_tokens": 1,
    }
    message = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    events: list[Event] = [{"type": "message_start", "message": message}, {"type": "ping"}]
    for index, block in enumerate(blocks):
        events += [{**event, "index": index} for event in block]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 30}})
    return named(*events, {"type": "message_stop"})


def text_block(*pieces: str) -> list[Event]:
    return _block({"type": "text", "text": ""}, "text_delta", "text", pieces)


def thinking_block(*pieces: str) -> list[Event]:
    start = {"type": "thinking", "thinking": "", "signature": ""}
    signed = {"type": "signature_delta", "signature": SIGNATURE}
    block = _block(start, "thinking_delta", "thinking", pieces)
    return [*block, {"type": "content_block_delta", "delta": signed}]


def redacted_block(data: str) -> list[Event]:
    block = {"type": "redacted_thinking", "data": data}
    return [{"type": "content_block_start", "content_block": block}]


def tool_block(name: str, *pieces: str, call_id: str = "toolu_01") -> list[Event]:
    start = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
    return _block(start, "input_json_delta", "partial_json", pieces)


def _block(start: Event, kind: str, field: str, pieces: tuple[str, ...]) -> list[Event]:
    deltas = ({"type": kind, field: piece} for piece in pieces)
    return [
        {"type": "content_block_start", "content_block": start},
        *({"type": "content_block_delta", "delta": delta} for delta in deltas),
    ]


def gemini(*parts: list[Event], finish: str = "STOP") -> Reply:
    """`streamGenerateContent?alt=sse`: each event a list of parts, the last says how it ended."""
    usage = {
        "promptTokenCount": 40,
        "candidatesTokenCount": 6,
        "thoughtsTokenCount": 4,
        "totalTokenCount": 50,
    }
    events: list[Event] = []
    for place, group in enumerate(parts):
        candidate: Event = {"content": {"parts": group, "role": "model"}, "index": 0}
        if place == len(parts) - 1:
            candidate["finishReason"] = finish
        events.append(
            {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"}
        )
    return lines(*events)


def cohere(*events: Event, finish: str = "COMPLETE") -> Reply:
    """An answer of Cohere's v2 chat around these events."""
    message = {
        "role": "assistant",
        "content": [],
        "tool_plan": "",
        "tool_calls": [],
        "citations": [],
    }
    tokens = {"input_tokens": 71.0, "output_tokens": 13.0}
    usage = {"billed_units": {"input_tokens": 9.0, "output_tokens": 13.0}, "tokens": tokens}
    return named(
        {"type": "message-start", "id": "4f1c", "delta": {"message": message}},
        *events,
        {"type": "message-end", "delta": {"finish_reason": finish, "usage": usage}},
    )


def cohere_plan(text: str) -> Event:
    return {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": text}}}


def cohere_call(index: int, call_id: str, name: str, *pieces: str) -> list[Event]:
    function: Event = {"name": name, "arguments": ""}
    start = {"id": call_id, "type": "function", "function": function}
    return [
        _cohere("tool-call-start", index, {"tool_calls": start}),
        *(
            _cohere("tool-call-delta", index, {"tool_calls": {"function": {"arguments": piece}}})
            for piece in pieces
        ),
        {"type": "tool-call-end", "index": index},
    ]


def cohere_text(*pieces: str, cites: tuple[int, int, str, str] | None = None) -> list[Event]:
    """A block of text; `cites` is start, end, the words, and the id of a tool's result."""
    deltas = [_cohere("content-delta", 0, {"content": {"text": piece}}) for piece in pieces]
    cited: list[Event] = []
    if cites is not None:
        start, end, words, source_id = cites
        source = {"type": "tool", "id": source_id, "tool_output": {"content": "34"}}
        citation = {"start": start, "end": end, "text": words, "sources": [source]}
        cited = [
            _cohere("citation-start", 0, {"citations": {**citation, "type": "TEXT_CONTENT"}}),
            {"type": "citation-end", "index": 0},
        ]
    return [
        _cohere("content-start", 0, {"content": {"type": "text", "text": ""}}),
        *deltas,
        *cited,
        {"type": "content-end", "index": 0},
    ]


def _cohere(kind: str, index: int, message: Event) -> Event:
    return {"type": kind, "index": index, "delta": {"message": message}}


def chat(*deltas: Event, finish: str = "stop", usage: Event | None = None) -> Reply:
    """An answer in OpenAI's form with just these deltas, as Mistral and others write it too."""
    head: Event = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in ({"role": "assistant", "content": ""}, *deltas)
    ]
    end = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    told = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17, **(usage or {})}
    return lines(*events, end, {**head, "choices": [], "usage": told}, ends="data: [DONE]\n\n")


def ollama(*messages: Event, reason: str = "stop") -> Reply:
    """Ollama's own chat: one JSON object a line."""
    head: Event = {"model": "qwen3:8b", "created_at": "2026-01-02T03:04:05Z"}
    said = [{**head, "message": {"role": "assistant", **one}, "done": False} for one in messages]
    end = {
        **head,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": reason,
        "prompt_eval_count": 26,
        "eval_count": 8,
    }
    pieces = (json.dumps(one) + "\n" for one in (*said, end))
    return spoken(*pieces, content_type="application/x-ndjson")
