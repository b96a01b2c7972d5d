"""What the sidebar calls the program behind a request, by its User-Agent."""

from __future__ import annotations

import re

UNKNOWN = "a program"

_KNOWN = (
    (re.compile(r"\bai-sdk/"), "AI SDK"),
    (re.compile(r"^(Async)?OpenAI/Python"), "openai-python"),
    (re.compile(r"^(Async)?OpenAI/JS"), "openai-js"),
    (re.compile(r"^litellm/"), "litellm"),
    (re.compile(r"^cohere"), "cohere"),
    (re.compile(r"^python-httpx/"), "httpx"),
    (re.compile(r"^python-requests/"), "requests"),
    (re.compile(r"^Python/\S+ aiohttp/"), "aiohttp"),
    (re.compile(r"^Python-urllib/"), "urllib"),
    (re.compile(r"^PostmanRuntime/"), "Postman"),
    (re.compile(r"^Mozilla/"), "a browser"),
)
_PRODUCT = re.compile(r"[\w.+-]{1,40}")


def client_name(user_agent: str) -> str:
    """A word that a person knows, else the header's first product."""
    for pattern, name in _KNOWN:
        if pattern.search(user_agent):
            return name
    product = _PRODUCT.match(user_agent)
    return product[0] if product is not None else UNKNOWN
