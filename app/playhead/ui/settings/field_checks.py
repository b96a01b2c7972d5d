"""Checks of fields about models and networks: each returns the problem in words, or ''."""

from __future__ import annotations

import re
from typing import Any, cast
from urllib.parse import urlsplit

from playhead.domain.text.json_text import read_json
from playhead.ui.widgets.wording import tr

_SECRET_NAMES = re.compile(r"(?i)key|token|secret|password|credential|authorization")
_HARMLESS_NAMES = re.compile(r"(?i)^(max_|min_)|_tokens$|^prompt_cache_key$")
_ENDPOINTS = ("/chat/completions", "/completions", "/messages", "/responses", "/models")
_PATTERNS = {
    "api_version": re.compile(r"\d{4}-\d{2}-\d{2}(-preview)?|latest|preview|v1"),
    "aws_region_name": re.compile(r"[a-z]{2}(-[a-z]+)+-\d"),
}


def address_problem(text: str) -> str:
    """Return what is wrong with the address of a model server, or ''."""
    if not text:
        return ""
    if re.search(r"\s", text):
        return tr("The address has a space in it.")
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return tr("The port of the address is not a number below 65,536.")
    if parts.scheme not in ("http", "https"):
        return tr("The address must begin with http:// or https://.")
    if not has_host:
        return tr("The address has no server name.")
    if parts.username or parts.password:
        return tr("Leave user and password out of the address: type the key below.")
    if parts.query or parts.fragment:
        return tr("The address goes only to the path: leave out what follows “?” or “#”.")
    ending = next((one for one in _ENDPOINTS if text.rstrip("/").endswith(one)), "")
    return tr("Leave {ending} off the address: it is added.", ending=ending) if ending else ""


def proxy_problem(text: str) -> str:
    """Return what is wrong with the address of a proxy, or ''."""
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        has_host, parts = False, urlsplit("")
    if parts.scheme not in ("http", "https", "socks5", "socks5h") or not has_host:
        return tr("The proxy must look like http://proxy.example.com:3128.")
    if parts.password:
        return tr("A password is not written to a file: give the proxy one without.")
    return ""


def key_problem(text: str) -> str:
    """Return what is visibly wrong with a key, or ''."""
    if text.lower().startswith("bearer "):
        return tr("Paste the key alone, without “Bearer”.")
    if re.search(r"\s", text):
        return tr("The key has a space or a line break in it: copy it again.")
    if not text.isascii():
        return tr("The key has letters that no key has: copy it again.")
    if text.startswith(("http://", "https://")):
        return tr("That is an address, not a key.")
    return ""


def field_problem(name: str, label: str, text: str, *, is_needed: bool) -> str:
    """Return what is wrong with another field of a provider, or ''."""
    if not text:
        return tr("{label} is missing.", label=label) if is_needed else ""
    pattern = _PATTERNS.get(name)
    if pattern is not None and not pattern.fullmatch(text):
        return tr("{label} does not look right: {text}", label=label, text=text)
    return ""


def extra_problem(text: str) -> str:
    """Return what is wrong with the user's own parameters, or ''."""
    if not text.strip():
        return ""
    try:
        found: object = read_json(text)
    except ValueError as error:
        return tr("The extra parameters are not valid JSON: {error}", error=error)
    if not isinstance(found, dict):
        return tr("The extra parameters must be a JSON object, such as {example}.", example=EXAMPLE)
    named = _secret_name(cast("dict[str, Any]", found))
    if named:
        return tr(
            "“{name}” looks like a secret, and these parameters are written to a file: "
            "type it as the key.",
            name=named,
        )
    return ""


EXAMPLE = '{"reasoning_effort": "low"}'


def _secret_name(found: object) -> str:
    """Return the first name in the parameters whose value is a secret, or ''."""
    if isinstance(found, list):
        items = cast("list[object]", found)
        return next((name for item in items if (name := _secret_name(item))), "")
    if not isinstance(found, dict):
        return ""
    for name, value in cast("dict[str, object]", found).items():
        is_secret = _SECRET_NAMES.search(name) and not _HARMLESS_NAMES.search(name)
        if is_secret and isinstance(value, str) and value:
            return name
        if inner := _secret_name(value):
            return inner
    return ""
