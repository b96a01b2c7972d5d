"""What is known about models without asking anyone: keys, names, servers on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from playhead.domain.model import LocalServer, ProviderPage
from playhead.providers.local_servers import KNOWN_PORTS, probe
from playhead.providers.provider_pages import PAGES, page_of
from playhead.providers.system_prompt import BUILT_IN_PROMPT, PLACEHOLDERS


@dataclass(frozen=True, slots=True)
class _Vendor:
    """A provider's usual environment variable and the host that its keys belong to."""

    variable: str = ""
    host: str = ""


_VENDORS = {
    "openai": _Vendor("OPENAI_API_KEY", "api.openai.com"),
    "anthropic": _Vendor("ANTHROPIC_API_KEY", "api.anthropic.com"),
    "gemini": _Vendor("GEMINI_API_KEY", "generativelanguage.googleapis.com"),
    "mistral": _Vendor("MISTRAL_API_KEY", "api.mistral.ai"),
    "cohere": _Vendor("COHERE_API_KEY", "api.cohere.com"),
    "groq": _Vendor("GROQ_API_KEY", "api.groq.com"),
    "deepseek": _Vendor("DEEPSEEK_API_KEY", "api.deepseek.com"),
    "openrouter": _Vendor("OPENROUTER_API_KEY", "openrouter.ai"),
    "xai": _Vendor("XAI_API_KEY", "api.x.ai"),
    "together_ai": _Vendor("TOGETHERAI_API_KEY", "api.together.xyz"),
    "fireworks_ai": _Vendor("FIREWORKS_API_KEY", "api.fireworks.ai"),
    "perplexity": _Vendor("PERPLEXITYAI_API_KEY", "api.perplexity.ai"),
    "cerebras": _Vendor("CEREBRAS_API_KEY", "api.cerebras.ai"),
    "azure": _Vendor("AZURE_API_KEY"),
    "huggingface": _Vendor("HUGGINGFACE_API_KEY", "router.huggingface.co"),
}
_OTHER_NAMES = {
    "cohere_chat": "cohere",
    "text-completion-openai": "openai",
    "azure_ai": "azure",
    "ollama_chat": "ollama",
}
_BY_BEGINNING = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude-": "anthropic",
    "gemini-": "gemini",
    "command-": "cohere",
    "mistral-": "mistral",
    "deepseek-": "deepseek",
}
_SUGGESTIONS = (
    "openai/gpt-5",
    "openai/gpt-5-mini",
    "openai/gpt-4o",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-opus-4-5",
    "gemini/gemini-2.5-pro",
    "gemini/gemini-2.5-flash",
    "mistral/mistral-large-latest",
    "deepseek/deepseek-chat",
    "groq/llama-3.3-70b-versatile",
    "xai/grok-4",
    "openrouter/openai/gpt-4o",
)


def key_variables() -> dict[str, str]:
    """The usual environment variable of each provider's key, by key name."""
    return {name: vendor.variable for name, vendor in _VENDORS.items()}


class ModelCatalog:
    """Answers from tables; the (name, port) pairs that are probed can be given."""

    def __init__(self, ports: Sequence[tuple[str, int]] = KNOWN_PORTS) -> None:
        self._ports = tuple(ports)

    def key_name(self, model: str, api_base: str) -> str:
        """The name under which the key is kept.

        A key for a vendor's own address and one for another address have different names, so
        that a stored key never goes to an address it was not entered for.
        """
        provider = provider_of(model)
        address = _address(api_base)
        vendor = _VENDORS.get(provider, _Vendor())
        is_own = not address or (bool(vendor.host) and address == vendor.host)
        return provider if is_own else f"{provider}@{address}"

    def key_variable(self, model: str) -> str:
        """The provider's usual environment variable, '' if it has none."""
        return _VENDORS.get(provider_of(model), _Vendor()).variable

    def suggestions(self) -> Sequence[str]:
        """Well-known litellm model strings."""
        return _SUGGESTIONS

    def providers(self) -> Sequence[ProviderPage]:
        """The pages of the settings, the best known providers first."""
        return PAGES

    def page_of(self, model: str, api_base: str) -> ProviderPage:
        """The page on which a model with its address stands."""
        provider = provider_of(model)
        address = _address(api_base.replace("//localhost", "//127.0.0.1"))
        return page_of(model, provider, address, _VENDORS.get(provider, _Vendor()).host)

    def built_in_prompt(self) -> tuple[str, Mapping[str, str]]:
        """The system prompt that is sent where there is no other, and what its braces become."""
        return BUILT_IN_PROMPT, PLACEHOLDERS

    async def local_servers(self) -> list[LocalServer]:
        """Model servers found on loopback, asked in threads, all at once."""
        found = await asyncio.gather(*(asyncio.to_thread(probe, *port) for port in self._ports))
        return [server for server in found if server is not None]


def provider_of(model: str) -> str:
    """The provider that a litellm model string names; "openai" where it says nothing."""
    model = model.strip().lower()
    provider, slash, _ = model.partition("/")
    if slash:
        return _OTHER_NAMES.get(provider, provider)
    matching = (name for start, name in _BY_BEGINNING.items() if model.startswith(start))
    return next(matching, "openai")


def _address(api_base: str) -> str:
    """Host and port of an address; plain HTTP always shows its port, so it differs from HTTPS."""
    api_base = api_base.strip()
    if not api_base:
        return ""
    parts = urlsplit(api_base if "//" in api_base else f"//{api_base}")
    host = (parts.hostname or "").lower()
    try:
        port = parts.port
    except ValueError:  # no number: such an address reaches nobody
        return parts.netloc.rpartition("@")[2].lower()
    port = port or (80 if parts.scheme == "http" else 443)
    host = f"[{host}]" if ":" in host else host
    return host if port == 443 and parts.scheme != "http" else f"{host}:{port}"
