"""What each provider takes of pictures and documents, by its own documentation."""

from __future__ import annotations

from dataclasses import dataclass

_MB = 1_000_000
_EVERYWHERE = ("PNG", "JPEG")
_COMMON = ("PNG", "JPEG", "GIF", "WEBP")


@dataclass(frozen=True, slots=True)
class FileLimits:
    """`side_px` is the longest side that a model looks at, `image_bytes` and `document_bytes` the
    sizes of a file before base64; `formats` are Pillow's names of what is taken as it is."""

    side_px: int = 2048
    image_bytes: int = 5 * _MB
    formats: tuple[str, ...] = _EVERYWHERE
    document_bytes: int = 10 * _MB


_BY_PROVIDER = {
    # platform.openai.com/docs/guides/images-vision and /pdf-files
    "openai": FileLimits(2048, 20 * _MB, _COMMON, 32 * _MB),
    "azure": FileLimits(2048, 20 * _MB, _COMMON, 32 * _MB),
    "openrouter": FileLimits(2048, 5 * _MB, _COMMON, 20 * _MB),
    # docs.anthropic.com/en/docs/build-with-claude/vision: larger ones are scaled to 1568 there;
    # 5 MB is what the base64 may have
    "anthropic": FileLimits(1568, 3_750_000, _COMMON, 22 * _MB),
    "bedrock": FileLimits(1568, 3_750_000, _COMMON, 4_500_000),
    # ai.google.dev/gemini-api/docs/image-understanding: a whole request has 20 MB, no GIF
    "gemini": FileLimits(3072, 7 * _MB, ("PNG", "JPEG", "WEBP"), 14 * _MB),
    "vertex_ai": FileLimits(3072, 7 * _MB, ("PNG", "JPEG", "WEBP"), 14 * _MB),
    "mistral": FileLimits(2048, 10 * _MB, _COMMON, 10 * _MB),
    "cohere": FileLimits(2048, 5 * _MB, _COMMON),
    "cohere_chat": FileLimits(2048, 5 * _MB, _COMMON),
    "groq": FileLimits(2048, 3 * _MB, _EVERYWHERE),
    "xai": FileLimits(2048, 10 * _MB, _EVERYWHERE),
}
_OTHERS = FileLimits()
"""Servers on this machine and gateways: llama.cpp reads no WebP, and only small requests."""


def limits_for(model: str, api_base: str | None) -> FileLimits:
    """By the provider that a litellm model string names; another address is another server."""
    provider, slash, _ = model.partition("/")
    if not slash:
        provider = "anthropic" if model.startswith("claude") else "openai"
    if api_base and provider == "openai":
        return _OTHERS
    return _BY_PROVIDER.get(provider.lower(), _OTHERS)
