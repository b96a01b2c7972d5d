"""Turn an exception of a library into a text for the user, and decide whether to retry.

No text has a key in it.
"""

from __future__ import annotations

import json
import math
import re
import socket
import ssl
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from playhead.model_worker.errors import (
    RETRY_STATUSES,
    ErrorText,
    Kind,
    RedirectedError,
    RefusedError,
    StreamFailure,
    error_sentence,
    error_text,
    kind_of,
    no_provider,
    unreadable_text,
)
from playhead.model_worker.protocol import Ask, Failed, ListModels
from playhead.model_worker.redaction import brief, redacted, secrets_of

_NETWORK_CODE = "upstream_network"


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and all its causes."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        waiting += [link.__context__, link.__cause__, getattr(link, "original_exception", None)]
        waiting += getattr(link, "exceptions", ())  # of a group: one for each address tried


def is_network(error: BaseException) -> bool:
    """Return whether no answer was received at all."""
    kinds = (httpx.TransportError, httpx.InvalidURL, ConnectionError, RedirectedError)
    return any(isinstance(link, kinds) for link in causes(error))


def is_network_retryable(error: BaseException, api_base: str | None) -> bool:
    """Return whether to retry: not for a wrong certificate, or a local server that is not there."""
    if _is_caused_by(
        error, ssl.SSLError, RedirectedError, httpx.ProxyError, httpx.UnsupportedProtocol
    ):
        return False
    if _is_caused_by(error, httpx.InvalidURL):
        return False
    return not (_is_caused_by(error, ConnectionRefusedError) and _is_loopback(api_base))


def network_text(error: BaseException, api_base: str | None, proxy: str) -> ErrorText:
    """Return the text for a network error."""
    where = _without_password(api_base) or "the provider"
    if _is_caused_by(error, RedirectedError):
        return ErrorText(
            _NETWORK_CODE,
            f"The server at {where} redirects to another address."
            if api_base
            else "The provider redirects to another address.",
            "Enter the address that it belongs to as “Address” in the settings.",
        )
    if _is_caused_by(error, httpx.ProxyError):
        return ErrorText(
            _NETWORK_CODE, "The proxy refused the connection.", "Check “Proxy” in the settings."
        )
    if _is_caused_by(error, ssl.SSLError):
        return ErrorText(
            _NETWORK_CODE,
            f"The certificate of {where} is not trusted.",
            "If your company inspects connections, choose its file in the settings (Certificates).",
        )
    if _is_caused_by(error, socket.gaierror):
        return ErrorText(
            _NETWORK_CODE,
            f"The address of {'the proxy' if proxy else where} is not known.",
            "Check the network, and the spelling of the address in the settings.",
        )
    if (
        proxy
        and not _is_loopback(api_base)
        and _is_caused_by(error, httpx.ConnectError, httpx.ConnectTimeout)
    ):
        return ErrorText(
            _NETWORK_CODE,
            "No connection to the proxy.",
            "Check the network and “Proxy” in the settings.",
        )
    if not api_base:
        return ErrorText(_NETWORK_CODE, "No connection to the provider.", "Check the network.")
    return ErrorText(
        _NETWORK_CODE,
        f"No connection to {where}.",
        "Is the server running? Check the network and “Address” in the settings.",
    )


def network_detail(error: BaseException) -> str:
    """Return the system's own message, if there is one."""
    links = list(causes(error))
    for kind in (RedirectedError, ssl.SSLCertVerificationError, socket.gaierror, httpx.ProxyError):
        for link in links:
            if isinstance(link, kind):
                return _system_text(link)
    if any(isinstance(link, ConnectionRefusedError) for link in links):
        return "Nothing listens there."
    if any(isinstance(link, httpx.ConnectTimeout) for link in links):
        return "It did not take the connection in time."
    if any(isinstance(link, httpx.RemoteProtocolError | httpx.ReadError) for link in links):
        return "The connection broke before the answer began."
    return ""


def _system_text(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)


def _is_caused_by(error: BaseException, *kinds: type[BaseException]) -> bool:
    return any(isinstance(link, kinds) for link in causes(error))


def _without_password(address: str | None) -> str:
    """Return the address without a name and password in it."""
    return address.replace(f"{urlsplit(address).netloc.rpartition('@')[0]}@", "") if address else ""


def _is_loopback(address: str | None) -> bool:
    host = (urlsplit(address or "").hostname or "").lower()
    return host == "localhost" or host == "::1" or host.startswith("127.")


MAX_RETRY_AFTER_S = 32 * 86_400.0
"""Some accounts are renewed each month; a longer wait means never."""

_NO_PROVIDER = "LLM Provider NOT provided"
_PREFIXES = re.compile(r"^(?:litellm\.)?(?:\w*(?:Error|Exception|Timeout)\b)(?:\s*[-:])\s*")
_JSON_ERROR = re.compile(r": line \d+ column \d+ \(char \d+\)")
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')


def describe(error: BaseException, ask: Ask | ListModels) -> Failed:
    """Return the failure of a turn."""
    words, detail = _text_and_detail(error, ask)
    wait_s = retry_after(error)
    secrets = secrets_of(ask)
    return Failed(
        turn=ask.turn,
        code=words.code,
        title=redacted(words.title, *secrets),
        detail=brief(detail, *secrets),
        remedy=words.remedy if not wait_s or wait_s >= MAX_RETRY_AFTER_S else _wait_remedy(wait_s),
        retry_after_s=wait_s,
    )


def broken(turn: str) -> Failed:
    """Return the failure of a turn that nothing is known of."""
    words = unreadable_text()
    return Failed(turn=turn, code=words.code, title=words.title, remedy=words.remedy)


def is_retryable(error: BaseException, ask: Ask) -> bool:
    """Return whether the same request may succeed in a moment."""
    if isinstance(error, StreamFailure) or is_unreadable(error):
        return False
    status, text = _status_and_text(error)
    if status:
        return status in RETRY_STATUSES and kind_of(status, text) != "quota"
    return is_network(error) and is_network_retryable(error, ask.api_base)


def retry_after(error: BaseException) -> float | None:
    """Return the seconds that the server asks to wait, or None."""
    for link in causes(error):
        if isinstance(link, RefusedError):
            if (found := _DELAY.search(link.refusal.body)) is not None:
                return _sensible(float(found[1]))
            return _seconds(link.refusal.headers.get("retry-after"))
        response = getattr(link, "response", None)
        for headers in (
            getattr(link, "litellm_response_headers", None),
            getattr(response, "headers", None),
        ):
            if headers is not None and (value := headers.get("retry-after")):
                return _seconds(str(value))
    return None


def is_unreadable(error: BaseException) -> bool:
    """Return whether an answer was not readable; litellm keeps only the text of a JSON error."""
    links = list(causes(error))
    if any(isinstance(link, RefusedError) for link in links):
        return False
    if any(isinstance(link, json.JSONDecodeError) for link in links):
        return True
    return bool(_JSON_ERROR.search(str(error)))


def why_unreadable(error: BaseException) -> str:
    """Return the reason why an answer could not be read; "" for another error."""
    for link in causes(error):
        if isinstance(link, json.JSONDecodeError):
            return str(link)
        if isinstance(link, ValueError | TypeError | LookupError | AttributeError | RecursionError):
            return "It has not the form of a model's answer."
    return ""


def _text_and_detail(error: BaseException, ask: Ask | ListModels) -> tuple[ErrorText, str]:
    if isinstance(error, StreamFailure):
        return error.words, error.detail
    if is_unreadable(error):
        return unreadable_text(), _without_prefixes(str(error))
    if _NO_PROVIDER in str(error):  # with a page of litellm's advice on its Python functions
        return no_provider(ask.model).words, ""
    if (slow := _too_slow(error)) is not None:
        return slow, ""
    status, text = _status_and_text(error)
    if not _is_refusal(error) and is_network(error):
        return network_text(error, ask.api_base, ask.proxy), network_detail(error)
    has_key = bool(ask.api_key)
    is_unsent = not has_key and not _is_refusal(error) and _NO_CREDENTIALS.search(text)
    kind = "key" if is_unsent else _kind(error, status, text)
    words = error_text(kind, ask.model, has_key=has_key)
    is_told = words.code == "missing_api_key"  # else with litellm's list of variables
    return words, "" if is_told else error_sentence(text)


_KINDS: dict[str, Kind] = {
    "ContextWindowExceededError": "context",
    "ContentPolicyViolationError": "policy",
}
"""Of litellm's exceptions, which are known by name: it is not imported here."""


_NO_CREDENTIALS = re.compile(
    r"missing credentials|unable to locate credentials|credentials were not found"
    r"|no module named 'google'|api_key client option must be set",
    re.IGNORECASE,
)
"""What the programs of vendors say, in litellm's exceptions of any kind, before they ask anyone."""


def _kind(error: BaseException, status: int, text: str) -> Kind:
    return _KINDS.get(type(error).__name__) or kind_of(status, text)


def _too_slow(error: BaseException) -> ErrorText | None:
    links = list(causes(error))
    is_connect = any(isinstance(link, httpx.ConnectTimeout) for link in links)
    if is_connect or not any(map(_is_timeout, links)):
        return None
    return ErrorText(
        "upstream_silent",
        "The model's server did not answer in time.",
        "Try again, or check “Address” in the settings and the network.",
    )


def _is_timeout(error: BaseException) -> bool:
    slow = (httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout)
    # litellm's, and OpenAI's, which it is one of
    return isinstance(error, slow) or type(error).__name__ in ("Timeout", "APITimeoutError")


def _is_refusal(error: BaseException) -> bool:
    kinds = (RefusedError, httpx.HTTPStatusError)
    return any(isinstance(link, kinds) for link in causes(error))


def _status_and_text(error: BaseException) -> tuple[int, str]:
    """Return those of the innermost error: failures after the first piece are wrapped in others."""
    links = list(causes(error))
    for link in links:
        if isinstance(link, RefusedError):
            return link.refusal.status, link.refusal.body
        if isinstance(link, httpx.HTTPStatusError):
            return link.response.status_code, link.response.text
    if is_network(error):  # litellm makes up a status for these
        return 0, ""
    cause = getattr(error, "original_exception", None) or error
    status = getattr(cause, "status_code", 0)
    return (status if isinstance(status, int) else 0), _without_prefixes(_message(cause))


def _message(error: BaseException) -> str:
    return str(getattr(error, "message", "") or error)


def _without_prefixes(text: str) -> str:
    while (shorter := _PREFIXES.sub("", text, count=1)) != text:
        text = shorter
    return text


def _seconds(value: str | None) -> float | None:
    """Return a number of seconds, from a number or a date (RFC 9110, section 10.2.3)."""
    if not value:
        return None
    try:
        return _sensible(float(value))
    except ValueError:
        pass
    try:
        return _sensible(round(parsedate_to_datetime(value).timestamp() - time.time(), 1))
    except (ValueError, TypeError, OverflowError):
        return None


def _sensible(seconds: float) -> float | None:
    """Return a plausible number of seconds; a server may send any number, or NaN."""
    return None if math.isnan(seconds) else min(max(0.0, seconds), MAX_RETRY_AFTER_S)


def _wait_remedy(seconds: float) -> str:
    return f"Wait {_duration_text(seconds)} and try again."


def _duration_text(seconds: float) -> str:
    """Return the duration as text, rounded up."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    count = f"{seconds:.1f}".removesuffix(".0")
    return f"{count} second{'' if count == '1' else 's'}"
