"""OpenAI's chat format: requests to all the providers that have it, and their answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast
from urllib.parse import quote

from msgspec import UNSET, Struct, UnsetType

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
from playhead.model_worker.lanes import HttpProvider, model_name, provider_name
from playhead.model_worker.model_table import entry_of
from playhead.model_worker.protocol import Ask, CallPiece, CitedPage, Delta, Tokens
from playhead.model_worker.refusals import TOOLS, USAGE
from playhead.model_worker.request_arguments import extra_of

_AZURE_VERSION = "2025-02-01-preview"
_FIREWORKS = "accounts/fireworks/models/"
_NO_STOP = ("grok-3-mini", "grok-4", "grok-code-fast")
_REASONING_SERIES = ("gpt-5", "gpt-6")
_RENAMED = frozenset({"openai", "azure"})


def chat_request(
    ask: Ask, provider: HttpProvider, messages: list[dict[str, Any]], refused: Collection[str]
) -> HttpRequest:
    """Return the request without the refused options."""
    name, model = provider_name(ask.model), model_name(ask.model)
    extra = extra_of(ask)
    version = extra.body.pop("api_version", None)
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": True}
    if USAGE not in refused and USAGE not in provider.lacks:
        body["stream_options"] = {"include_usage": True}
    body |= _parameters(ask, name, model)
    if ask.tools and TOOLS not in refused:
        body |= _tools(ask, provider)
    if name == "fireworks_ai" and not model.startswith("accounts/"):
        body["model"] = _FIREWORKS + model
    if name in _RENAMED:
        body = _for_reasoning(body, ask.model, extra.body.get("reasoning_effort"))
    if name == "azure":
        url = _azure_url(ask, model, str(version or _AZURE_VERSION))
        headers = {"api-key": ask.api_key or ""}
    else:
        url = _url(ask.api_base or provider.base)
        headers = {"Authorization": f"Bearer {ask.api_key}"} if ask.api_key else {}
    if name == "openrouter":
        headers["X-Title"] = "Playhead"
    return HttpRequest(url, extra.headers | headers, extra.body | body | dict(provider.own))


def _url(base: str) -> str:
    base = base.rstrip("/")
    return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


def _azure_url(ask: Ask, model: str, version: str) -> str:
    """Return the address of a deployment, or of Azure's v1, which has OpenAI's own path."""
    base = (ask.api_base or "").rstrip("/")
    if base.endswith("/openai/v1"):
        return _url(base)
    if version in ("v1", "latest", "preview"):
        query = "" if version == "v1" else f"?api-version={version}"
        return _url(f"{base}/openai/v1") + query
    path = f"{base}/openai/deployments/{quote(model, safe='')}"
    return f"{_url(path)}?api-version={quote(version, safe='')}"


def _parameters(ask: Ask, provider: str, model: str) -> dict[str, Any]:
    found = ask.parameters
    if provider == "xai" and any(word in model for word in _NO_STOP):
        found.pop("stop", None)
    return found


def _tools(ask: Ask, provider: HttpProvider) -> dict[str, Any]:
    tools = [_unstrict(tool) for tool in ask.tools] if provider.strips_strict else ask.tools
    found: dict[str, Any] = {"tools": tools}
    if ask.tool_choice is not None:
        is_forced = ask.tool_choice == "required"
        found["tool_choice"] = provider.forced if is_forced else ask.tool_choice
    return found


def _unstrict(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = fields_of(tool.get("function"))
    kept = {name: value for name, value in function.items() if name != "strict"}
    return {**tool, "function": kept}


def _for_reasoning(body: dict[str, Any], full_name: str, effort: object) -> dict[str, Any]:
    """Return the body as OpenAI's reasoning models take it, which refuse some parameters."""
    name = model_name(full_name).rpartition("/")[2]
    entry = entry_of(full_name) or {}
    is_o_series = name[:1] == "o" and name[1:2].isdigit() and bool(entry)
    is_gpt = any(word in name for word in _REASONING_SERIES) and "gpt-5-chat" not in name
    if not is_o_series and not is_gpt:
        return body
    if "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")
    is_off = is_gpt and (effort or entry.get("default_reasoning_effort")) == "none"
    if not is_off:
        body.pop("top_p", None)
        if body.get("temperature") != 1:
            body.pop("temperature", None)
    if is_gpt:
        body.pop("stop", None)
        return body
    if not entry.get("supports_system_messages"):
        body["messages"] = [_user(message) for message in body["messages"]]
    if not entry.get("supports_function_calling"):
        body = {key: value for key, value in body.items() if not key.startswith("tool")}
    return body


def _user(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "role": "user"} if message.get("role") == "system" else message


class _Choice(Struct):
    delta: dict[str, Any] | None = None
    finish_reason: str | None = None


class _Chunk(Struct):
    choices: list[_Choice] | UnsetType | None = UNSET
    usage: dict[str, Any] | None = None
    error: Any = None


_DECODER = EventDecoder(_Chunk)
KNOWN_FIELDS = frozenset(
    {
        *("role", "content", "tool_calls", "reasoning_content", "annotations", "refusal"),
        *("thinking_blocks", "provider_specific_fields", "reasoning", "reasoning_details"),
        *("function_call", "audio", "images", "signature"),
    }
)
_REASONS = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "sensitive": "content_filter",
    "tool_calls": "tool_calls",
    "function_call": "function_call",
}


class ChatReader(Reader):
    """Reads one answer."""

    def __init__(self) -> None:
        super().__init__()
        self._usage: dict[str, Any] = {}
        self._echo = ThinkingEcho()
        self._call_ids: list[str] = []

    def _read(self, data: bytes) -> Delta | None:
        chunk = _DECODER.decode(data)
        if chunk.error:
            raise RefusedError(refusal_of(chunk.error))
        if chunk.usage:
            self._usage = chunk.usage
        if not chunk.choices:
            if chunk.choices is None and not chunk.usage:
                raise misshapen()
            return None
        choice = chunk.choices[0]
        if choice.finish_reason:
            self.reason = _REASONS.get(choice.finish_reason, "stop")
        return self._delta(choice.delta) if choice.delta else None

    def _delta(self, raw: dict[str, Any]) -> Delta | None:
        content = raw.get("content")
        if type(content) is str and len(raw) == 1:  # nearly all of them
            self._characters += len(content)
            return Delta(text=content) if content else None
        text, thought = _parts(content)
        text += _text(raw.get("refusal"))
        reasoning = _text(raw.get("reasoning_content")) or _text(raw.get("reasoning")) or thought
        calls = self._calls(raw.get("tool_calls"))
        if not KNOWN_FIELDS.issuperset(raw):
            self.unknown.update(name for name in raw.keys() - KNOWN_FIELDS if raw[name])
        self._characters += len(text) + sum(len(call.arguments) for call in calls)
        blocks, pages = raw.get("thinking_blocks"), raw.get("annotations")
        delta = Delta(
            text=text,
            reasoning=reasoning,
            calls=calls,
            citations=tuple(cited_pages(pages)) if pages else (),
            echo=self._echo.add(blocks) if blocks else "",
        )
        return None if delta == _EMPTY else delta

    def _calls(self, pieces: Any) -> tuple[CallPiece, ...]:
        if not pieces:
            return ()
        if not isinstance(pieces, list):
            raise misshapen()
        return tuple(self._call(fields_of(piece)) for piece in cast("list[Any]", pieces))

    def _call(self, piece: dict[str, Any]) -> CallPiece:
        function = fields_of(piece.get("function"))
        if piece.get("function") and not function:
            raise misshapen()
        arguments = function.get("arguments") or ""
        index = piece.get("index")
        return CallPiece(
            index=index if isinstance(index, int) else self._index(_text(piece.get("id"))),
            id=_text(piece.get("id")),
            name=_text(function.get("name")),
            arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
        )

    def _index(self, call_id: str) -> int:
        """Return the index of a call whose server gives none: each new id is another call."""
        if call_id and call_id not in self._call_ids:
            self._call_ids.append(call_id)
        return max(len(self._call_ids) - 1, 0)

    def _counted(self) -> tuple[Tokens, int]:
        usage = self._usage
        asked = fields_of(usage.get("prompt_tokens_details"))
        said = fields_of(usage.get("completion_tokens_details"))
        cached = asked.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
        cost = usage.get("cost")
        prompt, answer = map(count_of, (usage.get("prompt_tokens"), usage.get("completion_tokens")))
        thought = count_of(said.get("reasoning_tokens"))
        if thought and count_of(usage.get("total_tokens")) == prompt + answer + thought:
            answer += thought  # xAI does not count it as part of the answer
        count = Tokens(
            input_tokens=prompt,
            output_tokens=answer,
            is_estimated=False,
            cached_tokens=count_of(cached),
            reasoning_tokens=thought,
            cost=float(cost) if isinstance(cost, int | float) else None,
        )
        return count, count_of(asked.get("cache_creation_tokens"))


_EMPTY = Delta()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _parts(content: object) -> tuple[str, str]:
    """Return the text and the thinking of a content, which Mistral sends in parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise misshapen()
    text, thought = "", ""
    for part in map(fields_of, cast("list[Any]", content)):
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            thought += _text(inner) or _parts(inner or "")[0]
        else:
            text += _text(part.get("text"))
    return text, thought


def cited_pages(annotations: Any) -> Iterator[CitedPage]:
    """Yield the cited pages; a server's own files and the like have no meaning outside of it."""
    for annotation in cast("list[Any]", annotations) if isinstance(annotations, list) else ():
        page = fields_of(fields_of(annotation).get("url_citation"))
        start, end = page.get("start_index"), page.get("end_index")
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            yield CitedPage(
                start=start,
                end=end,
                title=_text(page.get("title")),
                url=_text(page.get("url")),
            )
