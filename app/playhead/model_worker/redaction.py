"""Remove secrets from texts, in whatever form a server repeats them."""

from __future__ import annotations

import base64
import html
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, cast
from urllib.parse import quote, quote_plus, unquote, urlsplit

from playhead.model_worker.protocol import Ask, ListModels

MAX_CHARACTERS = 600

_SHORTEST = 4
"""A dummy of one letter would blank the whole text."""

_PART = 8
"""So many first or last characters of a secret are removed too: texts are cut anywhere."""

_MOST_SECRETS = 64

_SECRET_NAME = re.compile(r"(?i)key|token|secret|password|credential|authorization")
_ESCAPE = re.compile(r"%[0-9A-F]{2}")
_SPELLING = re.compile(
    r"(?:\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\+u[0-9a-fA-F]{4}|(?:\\+x[0-9a-fA-F]{2})+|\\[\"'/\\]"
    r"|(?:%[0-9a-fA-F]{2})+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?"
)
"""Characters as JSON, Python, URLs and HTML write them, however often that was done."""

_ROUNDS = 3
_HEX = re.compile(r"[0-9a-fA-F]{2}")

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
    """Return the text without the secrets in use and without what looks like one.

    The first or last characters of a secret alone are removed too, from eight on.
    """
    known = [secret for secret in secrets if len(secret) >= _SHORTEST]
    for secret in known:
        for form in sorted(set(_forms(secret)), key=len, reverse=True):
            text = text.replace(form, "…")
    plain = _Plain(text)
    spans = [found.span() for found in _KEY_LIKE.finditer(plain.text)]
    for secret in known:
        for form in {secret, _Plain(secret).text}:  # it may look like an escape itself
            spans += _parts(plain.text, form) if form else ()
    return plain.without(spans)


class _Plain:
    """A text with its escapes resolved, which knows the place of each character before that."""

    def __init__(self, text: str) -> None:
        self.text = self._original = text
        self._starts: Sequence[int] = range(len(text))
        self._ends: Sequence[int] = range(1, len(text) + 1)
        for _ in range(_ROUNDS):
            if not self._resolve():
                break

    def without(self, spans: Iterable[tuple[int, int]]) -> str:
        """Return the original text with a mark in place of each of these parts."""
        kept: list[str] = []
        place = 0
        for first, last in sorted((self._starts[a], self._ends[b - 1]) for a, b in spans if a < b):
            if first >= place:
                kept += [self._original[place:first], "…"]
            place = max(place, last)
        return "".join(kept) + self._original[place:]

    def _resolve(self) -> bool:
        """Resolve one layer of escapes; return whether there was any."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        place = 0
        for found in _SPELLING.finditer(self.text):
            meant = _meant(found[0])
            if meant == found[0]:
                continue
            first, last = found.span()
            pieces += [self.text[place:first], meant]
            starts += [*self._starts[place:first], *[self._starts[first]] * len(meant)]
            ends += [*self._ends[place:first], *[self._ends[last - 1]] * len(meant)]
            place = last
        if not place:
            return False
        self.text = "".join(pieces) + self.text[place:]
        self._starts = starts + list(self._starts[place:])
        self._ends = ends + list(self._ends[place:])
        return True


def _meant(spelling: str) -> str:
    """Return the characters that an escape stands for; other text stays as it is."""
    if spelling[0] == "&":
        return html.unescape(spelling)
    if spelling[0] == "%" or "x" in spelling:
        raw = bytes(int(digits, 16) for digits in _HEX.findall(spelling))
        return raw.decode("utf-8", "replace")
    if "u" not in spelling:
        return spelling[-1]
    codes = (int(digits, 16) for digits in spelling.replace("\\", "").split("u") if digits)
    raw = b"".join(code.to_bytes(2, "big") for code in codes)
    return raw.decode("utf-16-be", "surrogatepass")


def _parts(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the secret, and of its beginning or end where the rest is missing."""
    size = min(len(secret), _PART)
    place = text.find(secret[:size])
    while place >= 0:
        last = place + size
        while last - place < len(secret) and text[last : last + 1] == secret[last - place]:
            last += 1
        yield place, last
        place = text.find(secret[:size], last)
    place = text.find(secret[-size:])
    while place >= 0:
        first, last = place, place + size
        while last - first < len(secret) and first and text[first - 1] == secret[first - last - 1]:
            first -= 1
        yield first, last
        place = text.find(secret[-size:], place + 1)


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
