"""Secrets are taken out of texts, in whatever form a server repeats them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

MAX_CHARACTERS = 600

_SHORTEST = 4
"""A dummy of one letter would blank the whole text."""

_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|hf|AIza)[-_]?[A-Za-z0-9_\-]{12,}"
    r"|(?i:bearer\s+)\S+"
    r"|(?i:(?:api[-_ ]?key|token|secret)\"?\s*[=:]\s*\"?)[^\s\"',}]+"
    r"|(?<=//)[^\s/@]+(?=@)"
)


def brief(text: str, *secrets: str) -> str:
    """The beginning of the text without secrets; first these, so that none is cut in two."""
    text = " ".join(redacted(text, *secrets).split())
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + " …"


def redacted(text: str, *secrets: str) -> str:
    """The text without the secrets in use and without what looks like one."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            for form in sorted(set(_forms(secret)), key=len, reverse=True):
                text = text.replace(form, "…")
    return _KEY_LIKE.sub("…", text)


def _forms(secret: str) -> Iterator[str]:
    """The secret as it is, and as URLs, JSON, hexadecimal digits and base64 have it."""
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
    """What all longer texts with these bytes in them share; three ways, by what stands before."""
    for lead in range(3):
        first, last = -(-lead * 8 // 6), (lead + len(raw)) * 8 // 6
        for encoded in (base64.b64encode, base64.urlsafe_b64encode):
            form = encoded(b"\0" * lead + raw).decode("ascii")[first:last]
            if len(form) >= _SHORTEST:
                yield form
