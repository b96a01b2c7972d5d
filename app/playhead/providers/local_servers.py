"""Looks for model servers on loopback: short, no redirects, no key, shapes checked."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, cast

from playhead.domain.model import LocalServer

if TYPE_CHECKING:
    import http.client

TIMEOUT_S = 0.3
MAX_BODY_BYTES = 1_000_000
MAX_MODELS = 200


KNOWN_PORTS = (("Ollama", 11434), ("LM Studio", 1234), ("llama.cpp", 8080), ("Jan", 1337))
"""Where each kind of server usually listens."""


def probe(name: str, port: int) -> LocalServer | None:
    """The server at this port, if it is one; one that wants a key has no models to show."""
    import http.client  # not needed for the first paint, and slow to import

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        response = connection.getresponse()
        body = _read(response)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    base = f"http://127.0.0.1:{port}/v1"
    if response.status in (401, 403) and _is_json(response):
        return LocalServer(f"{name} (asks for a key)", base, ())
    models = _models(body) if response.status == 200 else None
    return None if models is None else LocalServer(name, base, models)


def _read(response: http.client.HTTPResponse) -> bytes:
    """The body, within limits of size and time."""
    deadline = time.monotonic() + 2 * TIMEOUT_S
    body = b""
    while len(body) <= MAX_BODY_BYTES and time.monotonic() < deadline:
        piece = response.read1(65536)
        if not piece:
            return body
        body += piece
    return b""


def _is_json(response: http.client.HTTPResponse) -> bool:
    return "json" in (response.getheader("Content-Type") or "")


def _models(body: bytes) -> tuple[str, ...] | None:
    """litellm model strings; None if the answer has not the shape of a model list.

    All four servers speak OpenAI's protocol under /v1, Ollama included: one well-trodden path.
    """
    try:
        found: Any = json.loads(body)
    except ValueError:
        return None
    data: Any = cast("dict[str, Any]", found).get("data") if isinstance(found, dict) else None
    if not isinstance(data, list):
        return None
    names = [_name(item) for item in cast("list[Any]", data)]
    return tuple(f"openai/{name}" for name in names if name)[:MAX_MODELS]


def _name(item: Any) -> str:
    name: Any = cast("dict[str, Any]", item).get("id") if isinstance(item, dict) else None
    return name if isinstance(name, str) and name.isprintable() and len(name) <= 200 else ""
