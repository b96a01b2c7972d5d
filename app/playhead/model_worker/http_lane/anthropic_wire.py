"""Anthropic's messages: requests in its own shapes, and its events as deltas."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

from playhead.model_worker.errors import RefusedError, refusal_of
from playhead.model_worker.http_lane.wire import (
    EventDecoder,
    HttpRequest,
    Reader,
    ThinkingEcho,
    count_of,
    fields_of,
    misshapen,
)
from playhead.model_worker.lanes import HttpProvider, model_name
from playhead.model_worker.model_table import entry_of
from playhead.model_worker.protocol import Ask, CallPiece, Delta, Tokens, read_json
from playhead.model_worker.refusals import TOOLS
from playhead.model_worker.request_arguments import extra_of

_VERSION = "2023-06-01"
_PATH = "/v1/messages"
_DEFAULT_TOKENS = 4096
_EMPTY_TEXT = "[System: Empty message content sanitised to satisfy protocol]"
_NO_SAMPLING = ("fable", "opus-4-7", "opus-4.7", "opus-4-8", "opus-4.8")
_UNUSED_TOOL: dict[str, Any] = {
    "name": "dummy_tool",
    "type": "custom",
    "description": "This is a dummy tool call",
    "input_schema": {"type": "object", "properties": {}},
}
"""Offered in place of none: a request with earlier calls must offer a tool."""

Part = dict[str, Any]


def anthropic_request(
    ask: Ask, provider: HttpProvider, messages: list[Part], refused: Collection[str]
) -> HttpRequest:
    """Return the request without the refused options."""
    extra = extra_of(ask)
    leading = _leading_systems(messages)
    system = [part for message in messages[:leading] for part in _system_parts(message)]
    body: dict[str, Any] = {
        "model": model_name(ask.model),
        "messages": _conversation(messages[leading:]),
        "max_tokens": _max_tokens(ask),
        "stream": True,
        **_sampling(ask),
    }
    if system:
        body["system"] = system
    if ask.tools and TOOLS not in refused:
        body |= _tools(ask)
    elif any(message.get("tool_calls") or message["role"] == "tool" for message in messages):
        body["tools"] = [_UNUSED_TOOL]
    headers = {"anthropic-version": _VERSION, "Accept": "application/json"}
    key = {"x-api-key": ask.api_key} if ask.api_key else {}
    url = _url(ask.api_base or provider.base)
    return HttpRequest(url, headers | extra.headers | key, extra.body | body)


def _url(base: str) -> str:
    base = base.rstrip("/")
    return base if base.endswith(_PATH) else base.removesuffix("/v1") + _PATH


def _max_tokens(ask: Ask) -> int:
    """Return the limit of the answer, which Anthropic must have."""
    if ask.max_tokens is not None:
        return ask.max_tokens
    thinking = fields_of(ask.extra.get("thinking"))
    if thinking.get("type") == "enabled" and (budget := count_of(thinking.get("budget_tokens"))):
        return budget + _DEFAULT_TOKENS
    entry = entry_of(ask.model) or {}
    limit = entry.get("max_output_tokens") or entry.get("max_tokens")
    return count_of(limit) or _DEFAULT_TOKENS


def _sampling(ask: Ask) -> dict[str, Any]:
    found: dict[str, Any] = {}
    allowed = (entry_of(ask.model) or {}).get("supports_sampling_params")
    if allowed is None:
        allowed = not any(word in ask.model.lower() for word in _NO_SAMPLING)
    if ask.temperature is not None and (allowed or ask.temperature == 1):
        found["temperature"] = ask.temperature
    if ask.top_p is not None and allowed:
        found["top_p"] = ask.top_p
    if ask.stop:
        found["stop_sequences"] = ask.stop
    return found


def _tools(ask: Ask) -> dict[str, Any]:
    found: dict[str, Any] = {"tools": [_tool(tool) for tool in ask.tools]}
    choice = _choice(ask.tool_choice)
    if choice is not None:
        is_forced = choice["type"] in ("any", "tool")
        refuses = (entry_of(ask.model) or {}).get("supports_forced_tool_use") is False
        found["tool_choice"] = {"type": "auto"} if is_forced and refuses else choice
    return found


def _tool(tool: Mapping[str, Any]) -> Part:
    function = fields_of(tool.get("function"))
    made: Part = {
        "name": function.get("name"),
        "type": "custom",
        "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
    }
    if description := function.get("description"):
        made["description"] = description
    cached = tool.get("cache_control") or function.get("cache_control")
    return made | ({"cache_control": cached} if cached else {})


def _choice(choice: str | dict[str, Any] | None) -> Part | None:
    if isinstance(choice, dict):
        name = fields_of(choice.get("function")).get("name")
        return {"type": "tool", "name": name} if name else None
    kinds = {"auto": "auto", "required": "any", "none": "none"}
    return {"type": kinds[choice]} if choice in kinds else None


def _leading_systems(messages: list[Part]) -> int:
    return next((n for n, one in enumerate(messages) if one["role"] != "system"), len(messages))


def _system_parts(message: Part) -> Iterator[Part]:
    yield from (part for part in _texts(message) if part["text"])


def _texts(message: Part) -> Iterator[Part]:
    """Yield the parts of a message with their marks for the cache."""
    content = message.get("content")
    if not isinstance(content, list):
        content = [{"type": "text", "text": content or ""}]
    mark = message.get("cache_control")
    for part in cast("list[Part]", content):
        if part.get("type") == "text":
            cached = part.get("cache_control") or mark
            kept = {"type": "text", "text": str(part.get("text") or "")}
            yield kept | ({"cache_control": cached} if cached else {})
        else:
            yield part


def _conversation(messages: list[Part]) -> list[Part]:
    """Return the messages of alternating roles, as blocks."""
    turns: list[Part] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = list(_BLOCKS.get(message["role"], _user_blocks)(message))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    if turns and turns[-1]["role"] == "assistant":  # no space at the end of what it is to continue
        for block in turns[-1]["content"]:
            if block["type"] == "text":
                block["text"] = block["text"].rstrip()
    return turns


def _user_blocks(message: Part) -> Iterator[Part]:
    for part in _texts(message):
        match part.get("type"):
            case "text":
                yield part if part["text"].strip() else {**part, "text": _EMPTY_TEXT}
            case "image_url":
                yield {"type": "image", "source": _source(part["image_url"])}
            case "file":
                yield {"type": "document", "source": _source(part["file"].get("file_data"))}
            case _:
                yield part


def _source(found: Any) -> Part:
    """Return where a picture or document is: in the data URL itself, or at an address."""
    url = str(fields_of(found).get("url", found) or "")
    if not url.startswith("data:"):
        return {"type": "url", "url": url}
    head, _, data = url.removeprefix("data:").partition(",")
    return {"type": "base64", "media_type": head.partition(";")[0], "data": data}


def _tool_blocks(message: Part) -> Iterator[Part]:
    content = message.get("content")
    if isinstance(content, list):
        content = list(_user_blocks(message))
    yield {
        "type": "tool_result",
        "tool_use_id": message.get("tool_call_id"),
        "content": content or "",
    }


def _assistant_blocks(message: Part) -> Iterator[Part]:
    yield from message.get("thinking_blocks") or ()
    yield from (part for part in _texts(message) if part.get("text", "").strip())
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield {
            "type": "tool_use",
            "id": call["id"],
            "name": function["name"],
            "input": _arguments(function.get("arguments")),
        }


def _arguments(text: object) -> dict[str, Any]:
    try:
        return fields_of(read_json(str(text or "{}")))
    except ValueError:
        return {}


_BLOCKS: dict[str, Callable[[Part], Iterator[Part]]] = {
    "assistant": _assistant_blocks,
    "tool": _tool_blocks,
}


class _Event(Struct):
    type: str = ""
    index: int = 0
    delta: dict[str, Any] | None = None
    content_block: dict[str, Any] | None = None
    message: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_DECODER = EventDecoder(_Event)
_REASONS = {
    "max_tokens": "length",
    "compaction": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


class AnthropicReader(Reader):
    """Reads one answer; calls are counted from 0, and thinking is kept with its signature."""

    def __init__(self) -> None:
        super().__init__()
        self._usage: dict[str, Any] = {}
        self._echo = ThinkingEcho()
        self._calls = -1
        self._call_block = -1
        self._has_arguments = False

    def _read(self, data: bytes) -> Delta | None:
        event = _DECODER.decode(data)
        if event.error:
            raise RefusedError(refusal_of(event.error))
        match event.type:
            case "content_block_delta":
                return self._delta(event)
            case "content_block_start":
                return self._start(event)
            case "content_block_stop":
                return self._stop(event)
            case "message_start":
                self._count(fields_of((event.message or {}).get("usage")))
            case "message_delta":
                self._count(event.usage or {})
                if reason := (event.delta or {}).get("stop_reason"):
                    self.reason = _REASONS.get(str(reason), "stop")
            case "message_stop":
                self.is_over = True
            case _:
                pass  # ping, and what is newer
        return None

    def _delta(self, event: _Event) -> Delta | None:
        if event.delta is None:
            raise misshapen()
        match event.delta:
            case {"type": "text_delta", "text": str(text)}:
                self._characters += len(text)
                return Delta(text=text) if text else None
            case {"type": "input_json_delta", "partial_json": str(text)}:
                return self._arguments(event.index, text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                self._echo.add([{"thinking": text}])
                return Delta(reasoning=text) if text else None
            case {"type": "signature_delta", "signature": str(signature)}:
                echo = self._echo.add([{"signature": signature}]) if signature else ""
                return Delta(echo=echo) if echo else None
            case _:
                return None

    def _start(self, event: _Event) -> Delta | None:
        match block := event.content_block:
            case {"type": "text", "text": str(text)} if text:
                self._characters += len(text)
                return Delta(text=text)
            case {"type": "tool_use", "id": str(call_id), "name": str(name)}:
                self._calls += 1
                self._call_block, self._has_arguments = event.index, False
                piece = CallPiece(index=self._calls, id=call_id, name=name)
                return Delta(calls=(piece,))
            case {"type": "redacted_thinking"}:
                return Delta(echo=self._echo.add([block]))
            case _:
                return None

    def _arguments(self, index: int, text: str) -> Delta | None:
        if index != self._call_block or not text:  # the server's own tools have arguments, too
            return None
        self._has_arguments = True
        self._characters += len(text)
        return Delta(calls=(CallPiece(index=self._calls, arguments=text),))

    def _stop(self, event: _Event) -> Delta | None:
        if event.index != self._call_block:
            return None
        self._call_block = -1
        if self._has_arguments:
            return None
        return Delta(calls=(CallPiece(index=self._calls, arguments="{}"),))

    def _count(self, usage: dict[str, Any]) -> None:
        """Keep the counts, which later events repeat, but not all of them."""
        self._usage |= {name: value for name, value in usage.items() if value is not None}

    def _counted(self) -> tuple[Tokens, int]:
        usage = self._usage
        cached = count_of(usage.get("cache_read_input_tokens"))
        written = count_of(usage.get("cache_creation_input_tokens"))
        thought = fields_of(usage.get("output_tokens_details")).get("thinking_tokens")
        count = Tokens(
            input_tokens=count_of(usage.get("input_tokens")) + cached + written,
            output_tokens=count_of(usage.get("output_tokens")),
            is_estimated=False,
            cached_tokens=cached,
            reasoning_tokens=count_of(thought),
        )
        return count, written
