"""The models that there are: by the provider's own list, else by litellm's table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, cast

import httpx
from msgspec import Struct
from msgspec.structs import replace

from playhead.model_worker.connections import Connections, send_request
from playhead.model_worker.errors import StreamFailure
from playhead.model_worker.lanes import HTTP_PROVIDERS, provider_name
from playhead.model_worker.model_table import entry_of, known_model, known_models
from playhead.model_worker.protocol import ListModels, Model, read_json

MAX_BODY_BYTES = 32_000_000
MAX_MODELS = 5000

KeyHeader = Literal["bearer", "anthropic", "gemini", "ollama"]


class _Source(Struct, frozen=True):
    """The address of a provider's list, and how it takes the key."""

    base: str
    path: str = "/models"
    way: KeyHeader = "bearer"


_SOURCES = {
    "openai": _Source("https://api.openai.com/v1"),
    "anthropic": _Source("https://api.anthropic.com", "/v1/models?limit=1000", "anthropic"),
    "gemini": _Source(
        "https://generativelanguage.googleapis.com/v1beta", "/models?pageSize=1000", "gemini"
    ),
    "mistral": _Source("https://api.mistral.ai/v1"),
    "cohere": _Source("https://api.cohere.com", "/v1/models?page_size=1000&endpoint=chat"),
    "openrouter": _Source("https://openrouter.ai/api/v1"),
    "ollama": _Source("http://localhost:11434", "/api/tags", "ollama"),
    "lm_studio": _Source("http://localhost:1234/v1"),
}
_SAME_SOURCE = {"cohere_chat": "cohere", "ollama_chat": "ollama", "custom_openai": "openai"}
_NO_LIST = frozenset({"azure", "azure_ai", "bedrock", "sagemaker", "vertex_ai", "watsonx"})
_ENDINGS = ("/v1", "/v2", "/v1beta")
_NO_SUCH_PATH = (404, 405, 501)


async def list_models(
    ask: ListModels, connections: Connections, base_of: Callable[[str], str | None]
) -> list[Model]:
    """Return the provider's own list, else litellm's table. Raises StreamFailure, httpx errors.

    `base_of` returns the address of a provider that has OpenAI's list of models.
    """
    provider = _provider(ask.model)
    source = _source(provider, ask.api_base, base_of)
    if source is None:
        return known_models(provider)
    response = await _answer(connections.client(ask), source, ask)
    if response.status_code in _NO_SUCH_PATH and (known := known_models(provider)):
        return known
    response.raise_for_status()
    return _models(provider, response)


def has_list(ask: ListModels) -> bool:
    """Return whether the models of a provider are found without litellm."""
    provider = _provider(ask.model)
    names = (_SOURCES, _SAME_SOURCE, _NO_LIST, HTTP_PROVIDERS)
    return bool(ask.api_base) or any(provider in known for known in names)


def _provider(model: str) -> str:
    """Return the provider that a model string begins with, as litellm reads it."""
    if found := provider_name(model):
        return found
    return str((entry_of(model) or {}).get("litellm_provider") or model or "openai")


def _source(
    provider: str, api_base: str | None, base_of: Callable[[str], str | None]
) -> _Source | None:
    if provider in _NO_LIST:
        return None
    source = _SOURCES.get(_SAME_SOURCE.get(provider, provider))
    if source is None and (base := base_of(provider)):
        source = _Source(base)
    if source is None:
        return _Source(api_base) if api_base else None
    return replace(source, base=_base(source, api_base)) if api_base else source


def _base(source: _Source, api_base: str) -> str:
    """Return the address without the path that the list's own path begins with."""
    base = api_base.rstrip("/")
    is_whole = source.way in ("anthropic", "ollama") or source.path.startswith("/v1")
    if is_whole:
        for ending in _ENDINGS:
            base = base.removesuffix(ending)
    return base


async def _answer(client: httpx.AsyncClient, source: _Source, ask: ListModels) -> httpx.Response:
    address = source.base.rstrip("/") + source.path
    headers = {"Accept": "application/json", **_credentials(source.way, ask.api_key)}
    response = await send_request(
        client, client.build_request("GET", address, headers=headers), ask
    )
    try:
        body = b""
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > MAX_BODY_BYTES:
                raise _no_list("It is larger than any list of models.")
    finally:
        await response.aclose()
    return httpx.Response(
        response.status_code,
        headers={"retry-after": response.headers.get("retry-after", "")},
        content=body,
        request=response.request,
    )


def _credentials(way: KeyHeader, key: str | None) -> dict[str, str]:
    """Return the headers with the key; in an address it would end up in logs."""
    match way:
        case "anthropic":
            return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
        case "gemini":
            return {"x-goog-api-key": key} if key else {}
        case "bearer" | "ollama":
            return {"Authorization": f"Bearer {key}"} if key else {}


def _models(provider: str, response: httpx.Response) -> list[Model]:
    try:
        body: Any = read_json(response.content)
    except ValueError as error:
        raise _no_list("It is not JSON.") from error
    items = _items(body)
    if items is None:
        raise _no_list("It does not have the shape of a list of models.")
    found = dict.fromkeys(model for item in items for model in _model(provider, item))
    return list(found)[:MAX_MODELS]


def _items(body: Any) -> Iterable[Mapping[str, Any]] | None:
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        body = fields.get("data", fields.get("models"))
    if not isinstance(body, list):
        return None
    return [_fields(item) for item in cast("list[Any]", body)]


def _model(provider: str, item: Mapping[str, Any]) -> Iterator[Model]:
    """Yield the model of an entry, unless it cannot chat."""
    name = next(
        (item[key] for key in ("id", "name", "model") if isinstance(item.get(key), str)), ""
    )
    name = name.removeprefix("models/")
    if not name or not name.isprintable() or len(name) > 200 or not _can_chat(name, item):
        return
    known = known_model(f"{provider}/{name}")
    yield replace(known, **_listed_facts(item))


_OTHER_KINDS = (
    *("embed", "whisper", "tts-", "-tts", "dall-e", "moderation", "rerank", "gpt-image"),
    *("sora-", "babbage-", "davinci-", "-realtime", "-transcribe", "imagen-", "veo-"),
)


def _can_chat(name: str, item: Mapping[str, Any]) -> bool:
    """Return whether it can chat by the provider's facts, else by its name (not an embedding's)."""
    methods = item.get("supportedGenerationMethods")
    if isinstance(methods, list):
        return "generateContent" in methods
    endpoints = item.get("endpoints")
    if isinstance(endpoints, list):
        return "chat" in endpoints
    can = _fields(item.get("capabilities"))
    if isinstance(can.get("completion_chat"), bool):
        return bool(can["completion_chat"])
    return not any(word in name.lower() for word in _OTHER_KINDS)


def _listed_facts(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts in the provider's own list, which override the table's."""
    can, price = _fields(item.get("capabilities")), _fields(item.get("pricing"))
    inputs = _fields(item.get("architecture")).get("input_modalities")
    sizes = ("context_length", "max_context_length", "inputTokenLimit", "max_input_tokens")
    found: dict[str, Any] = {
        "context_tokens": _first_number(item, sizes),
        "output_tokens": _first_number(item, ("outputTokenLimit", "max_tokens")),
        "takes_tools": _flag(can, "function_calling"),
        "supports_images": _flag(can, "vision"),
        "input_price": _listed_price(price.get("prompt")),
        "output_price": _listed_price(price.get("completion")),
    }
    if isinstance(inputs, list):
        found["supports_images"] = "image" in inputs
    parameters = item.get("supported_parameters")
    if isinstance(parameters, list):
        found["takes_tools"] = "tools" in parameters
        found["reasons"] = "reasoning" in parameters
    return {name: value for name, value in found.items() if value is not None}


def _fields(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _flag(fields: Mapping[str, Any], name: str) -> bool | None:
    value = fields.get(name)
    return value if isinstance(value, bool) else None


def _first_number(item: Mapping[str, Any], names: Iterable[str]) -> int | None:
    found = (item.get(name) for name in names)
    return next((int(n) for n in found if isinstance(n, int | float) and n > 0), None)


def _listed_price(value: object) -> float | None:
    """Return the price of a million tokens; OpenRouter writes that of one token as text."""
    try:
        return float(value) * 1_000_000 if isinstance(value, str) else None
    except ValueError:
        return None


def _no_list(detail: str) -> StreamFailure:
    return StreamFailure(
        "upstream_error",
        "The server's answer is not a list of models.",
        "Check “Address” in the settings; for most servers it ends in /v1.",
        detail,
    )
