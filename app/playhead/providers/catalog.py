"""What is known about models without asking one: providers, their keys, servers on this machine."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from playhead.conversation.requests import LocalServer

_PROBE_S = 0.3
_ANSWER_LIMIT = 1_000_000

# Providers by the prefix of litellm's model strings, with the variable that their users know.
_VARIABLES: Mapping[str, str] = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "azure": "AZURE_API_KEY",
    "cerebras": "CEREBRAS_API_KEY",
    "cohere": "COHERE_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "fireworks_ai": "FIREWORKS_AI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "groq": "GROQ_API_KEY",
    "huggingface": "HUGGINGFACE_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "nvidia_nim": "NVIDIA_NIM_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "perplexity": "PERPLEXITYAI_API_KEY",
    "together_ai": "TOGETHERAI_API_KEY",
    "xai": "XAI_API_KEY",
}
_ALIASES = {"cohere_chat": "cohere", "text-completion-openai": "openai", "ollama_chat": "ollama"}

# Model strings that litellm takes without a prefix.
_BARE: Sequence[tuple[str, str]] = (
    ("gpt-", "openai"),
    ("chatgpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("claude", "anthropic"),
    ("command", "cohere"),
    ("gemini", "vertex_ai"),
)

_SUGGESTIONS = (
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-haiku-4-5",
    "gemini/gemini-2.5-pro",
    "gemini/gemini-2.5-flash",
    "mistral/mistral-large-latest",
    "groq/llama-3.3-70b-versatile",
    "deepseek/deepseek-chat",
    "openrouter/auto",
    "ollama_chat/qwen3",
)

# Name, port, and the prefix of the model strings; LM Studio, llama.cpp and Jan speak OpenAI's API.
LOCAL_SERVERS: Sequence[tuple[str, int]] = (
    ("Ollama", 11434),
    ("LM Studio", 1234),
    ("llama.cpp", 8080),
    ("Jan", 1337),
)


def provider_of(model: str) -> str:
    """The provider that a litellm model string names; "openai" where it says nothing."""
    prefix, slash, _ = model.partition("/")
    if slash:
        return _ALIASES.get(prefix, prefix)
    for start, provider in _BARE:
        if model.startswith(start):
            return provider
    return "openai"


def key_variables() -> dict[str, str]:
    """The usual environment variable of each provider's key, by key name."""
    return dict(_VARIABLES)


class ModelCatalog:
    """Answers from tables, and by short questions to ports of this machine.

    `servers` are (name, port) pairs to look at.
    """

    def __init__(self, servers: Sequence[tuple[str, int]] = LOCAL_SERVERS) -> None:
        self._servers = servers

    def key_name(self, model: str, api_base: str) -> str:
        """A key belongs to a provider, and to an address if that is not the provider's own."""
        provider = provider_of(model)
        if not api_base:
            return provider
        address = urlsplit(api_base if "//" in api_base else f"//{api_base}")
        return f"{provider}@{address.netloc.rpartition('@')[2].lower()}"

    def key_variable(self, model: str) -> str:
        """The provider's usual environment variable, '' if it has none."""
        return _VARIABLES.get(provider_of(model), "")

    def suggestions(self) -> Sequence[str]:
        """Well-known model strings; any other one that litellm takes can be typed."""
        return _SUGGESTIONS

    async def local_servers(self) -> list[LocalServer]:
        """The servers that answer on loopback with a list of models."""
        asked = (asyncio.to_thread(_look_at, name, port) for name, port in self._servers)
        found = await asyncio.gather(*asked)
        return [server for server in found if server is not None]


def _look_at(name: str, port: int) -> LocalServer | None:
    models = _models_at(port)
    if models is None:
        return None
    address = f"http://127.0.0.1:{port}"
    if name == "Ollama":
        return LocalServer(name, address, tuple(f"ollama_chat/{model}" for model in models))
    return LocalServer(name, f"{address}/v1", tuple(f"openai/{model}" for model in models))


def _models_at(port: int) -> list[str] | None:
    """The ids of GET /v1/models; None for whatever is no model server. Follows no redirect."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PROBE_S)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        if answer.status != http.HTTPStatus.OK:
            return None
        return _ids(json.loads(answer.read(_ANSWER_LIMIT)))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def _ids(answer: object) -> list[str] | None:
    if not isinstance(answer, dict):
        return None
    rows = cast("dict[str, Any]", answer).get("data")
    if not isinstance(rows, list):
        return None
    ids: list[Any] = [row.get("id") for row in cast("list[Any]", rows) if hasattr(row, "get")]
    return [model for model in ids if isinstance(model, str) and model]
