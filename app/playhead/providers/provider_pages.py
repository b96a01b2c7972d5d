"""The providers that have a page in the settings, each with just the fields that it needs."""

from __future__ import annotations

from playhead.domain.model import ProviderField, ProviderPage

OTHER, RAW = "other", "raw"

PAGES: tuple[ProviderPage, ...] = (
    ProviderPage(
        "openai",
        "OpenAI",
        "openai/",
        model_hint="gpt-5-mini",
        key_url="https://platform.openai.com/api-keys",
        needs_address="optional",
        address_hint="A company gateway, if you have one",
    ),
    ProviderPage(
        "anthropic",
        "Anthropic",
        "anthropic/",
        model_hint="claude-sonnet-4-5",
        key_url="https://console.anthropic.com/settings/keys",
        needs_address="optional",
        address_hint="A company gateway, if you have one",
    ),
    ProviderPage(
        "gemini",
        "Google Gemini",
        "gemini/",
        model_hint="gemini-2.5-flash",
        key_url="https://aistudio.google.com/apikey",
    ),
    ProviderPage(
        "mistral",
        "Mistral",
        "mistral/",
        model_hint="mistral-large-latest",
        key_url="https://console.mistral.ai/api-keys",
    ),
    ProviderPage(
        "cohere",
        "Cohere",
        "cohere/",
        model_hint="command-a-03-2025",
        key_url="https://dashboard.cohere.com/api-keys",
    ),
    ProviderPage(
        "openrouter",
        "OpenRouter",
        "openrouter/",
        model_hint="openai/gpt-5-mini",
        key_url="https://openrouter.ai/keys",
    ),
    ProviderPage(
        "azure",
        "Azure OpenAI",
        "azure/",
        model_label="Deployment",
        model_hint="The name that you gave to the deployment",
        key_url="https://portal.azure.com/#view/Microsoft_Azure_ProjectOxford",
        needs_address="needed",
        address_hint="https://my-resource.openai.azure.com",
        fields=(ProviderField("api_version", "API version", "2024-10-21", is_needed=True),),
    ),
    ProviderPage(
        "bedrock",
        "Amazon Bedrock",
        "bedrock/",
        model_hint="anthropic.claude-sonnet-4-5-20250929-v1:0",
        key="optional",
        key_url="https://console.aws.amazon.com/iam/home#/security_credentials",
        fields=(
            ProviderField("aws_region_name", "Region", "us-east-1", is_needed=True),
            ProviderField("aws_profile_name", "AWS profile", "One of ~/.aws, in place of keys"),
            ProviderField("aws_access_key_id", "Access key ID", "AKIA…", is_secret=True),
            ProviderField("aws_secret_access_key", "Secret access key", is_secret=True),
            ProviderField("aws_session_token", "Session token", "Temporary keys", is_secret=True),
        ),
        note="Either a profile of this computer, or an access key with its secret.",
    ),
    ProviderPage(
        "ollama",
        "Ollama",
        "openai/",
        model_hint="qwen3:8b",
        key="none",
        needs_address="optional",
        address="http://127.0.0.1:11434/v1",
        note="Ollama runs models on this computer; nothing leaves it. Get it from ollama.com.",
    ),
    ProviderPage(
        "lmstudio",
        "LM Studio",
        "openai/",
        model_hint="The name that LM Studio shows",
        key="none",
        needs_address="optional",
        address="http://127.0.0.1:1234/v1",
        note="Load a model in LM Studio and start its server under Developer.",
    ),
    ProviderPage(
        OTHER,
        "Other, OpenAI-compatible",
        "openai/",
        model_hint="The name that the server gives to the model",
        key="optional",
        needs_address="needed",
        address_hint="https://models.example.com/v1",
        takes_extra=True,
        note="A gateway, vLLM, llama.cpp and many more. Most addresses end in /v1.",
    ),
    ProviderPage(
        RAW,
        "Any litellm model string",
        "",
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
    """The page on which a model stands; `own_address` is the host of the provider's vendor.

    Addresses are hosts with their ports. Where several pages share a provider the address tells.
    """
    named = {page.name: page for page in PAGES}
    if "/" in model and provider in named and not model.startswith(named[provider].prefix):
        return named[RAW]  # under another name of the provider, which is to stay
    if provider in named and (provider != "openai" or address in ("", own_address)):
        return named[provider]
    if provider == "openai" and "/" in model:
        local = (page for page in PAGES if page.address and _host(page.address) == address)
        return next(local, named[OTHER])
    return named[RAW]


def _host(address: str) -> str:
    return address.partition("//")[2].partition("/")[0]
