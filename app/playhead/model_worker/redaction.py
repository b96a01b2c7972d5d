"""Remove secrets from texts, in whatever form a server repeats them."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import TextIO, cast
from urllib.parse import quote, quote_plus, unquote, urlsplit

from playhead.model_worker.protocol import Ask, ListModels

MAX_CHARACTERS = 600

_SHORTEST = 4
"""A dummy of one letter would blank the whole text."""

_MOST_SECRETS = 64

_SECRET_NAME = re.compile(r"(?i)key|token|secret|password|credential|authorization")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|hf|AIza)[-_]?[A-Za-z0-9_\-]{12,}"
    r"|(?i:bearer\s+)\S+"
    r"|(?i:(?:api[-_ ]?key|token|secret)\"?\s*[=:]\s*\"?)[^\s\"',}]+"
    r"|(?<=//)[^\s/@]+(?=@)"
)


class RedactedLog(io.TextIOBase):
    """Passes on what is written, without the secrets that it knows of: libraries repeat them."""

    def __init__(self, target: TextIO) -> None:
        super().__init__()
        self._target = target
        self._secrets: dict[str, None] = {}

    def know(self, secrets: Iterable[str]) -> None:
        """Add secrets to leave out; of very many only the latest are kept."""
        for secret in secrets:
            self._secrets.pop(secret, None)
            self._secrets[secret] = None
        for old in list(self._secrets)[:-_MOST_SECRETS]:
            del self._secrets[old]

    def write(self, text: str, /) -> int:
        """Write a text that holds each secret whole, as loggers write it."""
        self._target.write(redacted(text, *self._secrets))
        return len(text)

    def flush(self) -> None:
        """Write it now."""
        self._target.flush()


def brief(text: str, *secrets: str) -> str:
    """Return the beginning of the text without secrets; these are removed before it is cut."""
    text = " ".join(redacted(text, *secrets).split())
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + " …"


def secrets_of(ask: Ask | ListModels) -> list[str]:
    """Return the key in use, and all other secrets in the settings."""
    found = [ask.api_key or "", *map(_password, (ask.proxy, ask.api_base or ""))]
    extra = ask.extra if isinstance(ask, Ask) else {}
    waiting: list[tuple[str, object]] = list(extra.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += cast("dict[str, object]", value).items()
        elif isinstance(value, str) and _SECRET_NAME.search(name):
            found.append(value)
    return found


def _password(address: str) -> str:
    try:
        return unquote(urlsplit(address).password or "")
    except ValueError:  # no address at all
        return ""


def redacted(text: str, *secrets: str) -> str:
    """Return the text without the secrets in use and without what looks like one."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            for form in sorted(set(_forms(secret)), key=len, reverse=True):
                text = text.replace(form, "…")
    return _KEY_LIKE.sub("…", text)


def _forms(secret: str) -> Iterator[str]:
    """Yield the secret as it is, and as URLs, JSON, hexadecimal digits and base64 have it."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield secret
    for quoted in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield quoted
        yield _ESCAPE.sub(lambda found: found[0].lower(), quoted)
    escaped = json.dumps(secret)[1:-1]
    yield escaped
    yield escaped.replace("/", "\\/")
    yield raw.hex()
    yield raw.hex().upper()
    yield from _in_base64(raw)


def _in_base64(raw: bytes) -> Iterator[str]:
    """Yield the base64 of these bytes in longer texts; three forms, by the offset."""
    for lead in range(3):
        first, last = -(-lead * 8 // 6), (lead + len(raw)) * 8 // 6
        for encoded in (base64.b64encode, base64.urlsafe_b64encode):
            form = encoded(b"\0" * lead + raw).decode("ascii")[first:last]
            if len(form) >= _SHORTEST:
                yield form
