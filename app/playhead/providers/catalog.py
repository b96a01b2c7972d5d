"""The facts about models that are known without asking a provider.

Their keys and names, the settings' pages of providers, and servers on this machine.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from msgspec import Struct

from playhead.domain.model import LocalServer, ProviderField, ProviderPage
from playhead.domain.text.json_text import read_json
from playhead.providers.prompt import BUILT_IN_PROMPT, PLACEHOLDERS

if TYPE_CHECKING:
    import http.client

PROBE_TIMEOUT_S = 0.3
MAX_BODY_BYTES = 1_000_000
MAX_MODELS = 200

KNOWN_PORTS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("Jan", 1337))
"""The usual port of each kind of server."""


def probe_server(name: str, port: int) -> LocalServer | None:
    """Return the server at this port, or None; one that requires a key has no models to show."""
    if not _is_open(port):
        return None
    import http.client  # takes 3 MB with ssl and email, which most machines do without

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PROBE_TIMEOUT_S)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = _read_body(response)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    base = f"http://127.0.0.1:{port}/v1"
    if response.status in (401, 403) and _is_json(response):
        return LocalServer(f"{name} (asks for a key)", base, ())
    models = _model_names(body) if response.status == 200 else None
    return None if models is None else LocalServer(name, base, models)


def _is_open(port: int) -> bool:
    with socket.socket() as tried:
        tried.settimeout(PROBE_TIMEOUT_S)
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _read_body(response: http.client.HTTPResponse) -> bytes:
    """Return the body, within limits of size and time."""
    deadline = time.monotonic() + 2 * PROBE_TIMEOUT_S
    body = b""
    while len(body) <= MAX_BODY_BYTES and time.monotonic() < deadline:
        piece = response.read1(65536)
        if not piece:
            return body
        body += piece
    return b""


def _is_json(response: http.client.HTTPResponse) -> bool:
    return "json" in (response.getheader("Content-Type") or "")


def _model_names(body: bytes) -> tuple[str, ...] | None:
    """Return litellm model strings; None if the answer is not a model list."""
    try:
        found: Any = read_json(body)
    except ValueError:
        return None
    data: Any = cast("dict[str, Any]", found).get("data") if isinstance(found, dict) else None
    if not isinstance(data, list):
        return None
    names = [_model_name(item) for item in cast("list[Any]", data)]
    return tuple(f"openai/{name}" for name in names if name)[:MAX_MODELS]


def _model_name(item: Any) -> str:
    name: Any = cast("dict[str, Any]", item).get("id") if isinstance(item, dict) else None
    return name if isinstance(name, str) and name.isprintable() and len(name) <= 200 else ""


OTHER_PAGE, RAW_PAGE = "other", "raw"

PROVIDER_PAGES: tuple[ProviderPage, ...] = (
    ProviderPage(
        name="openai",
        label="OpenAI",
        prefix="openai/",
        model_hint="gpt-5-mini",
        key_url="https://platform.openai.com/api-keys",
        needs_address="optional",
        address_hint="A company gateway, if you have one",
    ),
    ProviderPage(
        name="anthropic",
        label="Anthropic",
        prefix="anthropic/",
        model_hint="claude-sonnet-4-5",
        key_url="https://console.anthropic.com/settings/keys",
        needs_address="optional",
        address_hint="A company gateway, if you have one",
    ),
    ProviderPage(
        name="gemini",
        label="Google Gemini",
        prefix="gemini/",
        model_hint="gemini-2.5-flash",
        key_url="https://aistudio.google.com/apikey",
    ),
    ProviderPage(
        name="mistral",
        label="Mistral",
        prefix="mistral/",
        model_hint="mistral-large-latest",
        key_url="https://console.mistral.ai/api-keys",
    ),
    ProviderPage(
        name="cohere",
        label="Cohere",
        prefix="cohere/",
        model_hint="command-a-03-2025",
        key_url="https://dashboard.cohere.com/api-keys",
    ),
    ProviderPage(
        name="openrouter",
        label="OpenRouter",
        prefix="openrouter/",
        model_hint="openai/gpt-5-mini",
        key_url="https://openrouter.ai/keys",
    ),
    ProviderPage(
        name="azure",
        label="Azure OpenAI",
        prefix="azure/",
        model_label="Deployment",
        model_hint="The name that you gave to the deployment",
        key_url="https://portal.azure.com/#view/Microsoft_Azure_ProjectOxford",
        needs_address="needed",
        address_hint="https://my-resource.openai.azure.com",
        fields=(
            ProviderField(
                name="api_version", label="API version", placeholder="2024-10-21", is_needed=True
            ),
        ),
    ),
    ProviderPage(
        name="bedrock",
        label="Amazon Bedrock",
        prefix="bedrock/",
        model_hint="anthropic.claude-sonnet-4-5-20250929-v1:0",
        key="optional",
        key_url="https://console.aws.amazon.com/iam/home#/security_credentials",
        fields=(
            ProviderField(
                name="aws_region_name", label="Region", placeholder="us-east-1", is_needed=True
            ),
            ProviderField(
                name="aws_profile_name",
                label="AWS profile",
                placeholder="One of ~/.aws, in place of keys",
            ),
            ProviderField(
                name="aws_access_key_id", label="Access key ID", placeholder="AKIA…", is_secret=True
            ),
            ProviderField(name="aws_secret_access_key", label="Secret access key", is_secret=True),
            ProviderField(
                name="aws_session_token",
                label="Session token",
                placeholder="Temporary keys",
                is_secret=True,
            ),
        ),
        note="Either a profile of this computer, or an access key with its secret.",
    ),
    ProviderPage(
        name="ollama",
        label="Ollama",
        prefix="openai/",
        model_hint="qwen3:8b",
        key="none",
        needs_address="optional",
        address="http://127.0.0.1:11434/v1",
        note="Ollama runs models on this computer; nothing leaves it. Get it from ollama.com.",
    ),
    ProviderPage(
        name="lmstudio",
        label="LM Studio",
        prefix="openai/",
        model_hint="The name that LM Studio shows",
        key="none",
        needs_address="optional",
        address="http://127.0.0.1:1234/v1",
        note="Load a model in LM Studio and start its server under Developer.",
    ),
    ProviderPage(
        name=OTHER_PAGE,
        label="Other, OpenAI-compatible",
        prefix="openai/",
        model_hint="The name that the server gives to the model",
        key="optional",
        needs_address="needed",
        address_hint="https://models.example.com/v1",
        takes_extra=True,
        note="A gateway, vLLM, llama.cpp and many more. Most addresses end in /v1.",
    ),
    ProviderPage(
        name=RAW_PAGE,
        label="Any litellm model string",
        prefix="",
        model_hint="groq/llama-3.3-70b-versatile",
        key="optional",
        key_url="https://docs.litellm.ai/docs/providers",
        needs_address="optional",
        address_hint="The provider's own address",
        takes_extra=True,
        note="For every other provider: its name, a slash, and the model.",
    ),
)


def page_of(model: str, provider: str, address: str, own_address: str) -> ProviderPage:
    """Return the page of a model; `own_address` is the host of the provider's vendor.

    Addresses are hosts with their ports. If several pages share a provider, the address decides.
    """
    named = {page.name: page for page in PROVIDER_PAGES}
    if "/" in model and provider in named and not model.startswith(named[provider].prefix):
        return named[RAW_PAGE]  # under another name of the provider, which is to stay
    if provider in named and (provider != "openai" or address in ("", own_address)):
        return named[provider]
    if provider == "openai" and "/" in model:
        local = (page for page in PROVIDER_PAGES if page.address and _host(page.address) == address)
        return next(local, named[OTHER_PAGE])
    return named[RAW_PAGE]


def _host(address: str) -> str:
    return address.partition("//")[2].partition("/")[0]


class _Vendor(Struct, frozen=True):
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
    """Return the usual environment variable of each provider's key, by key name."""
    return {name: vendor.variable for name, vendor in _VENDORS.items()}


class ModelCatalog:
    """Answers from tables; the (name, port) pairs that are probed can be given."""

    def __init__(self, ports: Sequence[tuple[str, int]] = KNOWN_PORTS) -> None:
        self._ports = tuple(ports)

    def key_name(self, model: str, api_base: str) -> str:
        """Return the name under which the key is kept.

        A key for a vendor's own address and one for another address have different names, so
        that a stored key never goes to an address it was not entered for.
        """
        provider = provider_of(model)
        address = _address(api_base)
        vendor = _VENDORS.get(provider, _Vendor())
        is_own = not address or (bool(vendor.host) and address == vendor.host)
        return provider if is_own else f"{provider}@{address}"

    def key_variable(self, model: str) -> str:
        """Return the provider's usual environment variable, '' if it has none."""
        return _VENDORS.get(provider_of(model), _Vendor()).variable

    def needs_key(self, model: str, api_base: str) -> bool:
        """Return whether the model is at its vendor's own address, which answers nobody without."""
        vendor = _VENDORS.get(provider_of(model), _Vendor())
        return bool(vendor.host) and "@" not in self.key_name(model, api_base)

    def suggestions(self) -> Sequence[str]:
        """Return well-known litellm model strings."""
        return _SUGGESTIONS

    def providers(self) -> Sequence[ProviderPage]:
        """Return the pages of the settings, the best known providers first."""
        return PROVIDER_PAGES

    def page_of(self, model: str, api_base: str) -> ProviderPage:
        """Return the settings page that a model with its address belongs to."""
        provider = provider_of(model)
        address = _address(api_base.replace("//localhost", "//127.0.0.1"))
        return page_of(model, provider, address, _VENDORS.get(provider, _Vendor()).host)

    def built_in_prompt(self) -> tuple[str, Mapping[str, str]]:
        """Return the default system prompt and the values of its placeholders."""
        return BUILT_IN_PROMPT, PLACEHOLDERS

    async def local_servers(self) -> list[LocalServer]:
        """Return the model servers found on loopback, requested in threads at the same time."""
        found = await asyncio.gather(
            *(asyncio.to_thread(probe_server, *port) for port in self._ports)
        )
        return [server for server in found if server is not None]


def provider_of(model: str) -> str:
    """Return the provider that a litellm model string names; "openai" if it names none."""
    model = model.strip().lower()
    provider, slash, _ = model.partition("/")
    if slash:
        return _OTHER_NAMES.get(provider, provider)
    matching = (name for start, name in _BY_BEGINNING.items() if model.startswith(start))
    return next(matching, "openai")


def _address(api_base: str) -> str:
    """Return host and port of an address; HTTP always has a port, so it differs from HTTPS."""
    api_base = api_base.strip()
    if not api_base:
        return ""
    parts = urlsplit(api_base if "//" in api_base else f"//{api_base}")
    host = (parts.hostname or "").lower()
    try:
        port = parts.port
    except ValueError:  # not a number: such an address does not work
        return parts.netloc.rpartition("@")[2].lower()
    port = port or (80 if parts.scheme == "http" else 443)
    host = f"[{host}]" if ":" in host else host
    return host if port == 443 and parts.scheme != "http" else f"{host}:{port}"
