"""Whatever goes wrong with a model becomes words for the user, with no key in them."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import litellm.exceptions

from playhead.model_worker.failure_kinds import (
    StreamFailure,
    Words,
    kind_of,
    nonsense,
    said_in,
    words_for,
)
from playhead.model_worker.network_failures import (
    chain,
    is_network,
    is_worth_another_try,
    network_detail,
    network_words,
)
from playhead.model_worker.protocol import Ask, Failed, ListModels
from playhead.model_worker.redaction import brief, redacted, secrets_of

AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""The statuses after which the same request may well be answered."""

MOST_WAIT_S = 32 * 86_400.0
"""Some accounts begin anew with a month; whoever says more means never."""

_NO_PROVIDER = "LLM Provider NOT provided"
_PREFIXES = re.compile(r"^(?:litellm\.)?(?:\w*(?:Error|Exception|Timeout)\b)(?:\s*[-:])\s*")
_JSON_ERROR = re.compile(r": line \d+ column \d+ \(char \d+\)")
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a server answered in place of an answer."""

    status: int
    headers: Mapping[str, str]
    body: str


class RefusedError(Exception):
    """A server's refusal, as it came: whoever wraps it in words of its own loses some of it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.status}: {refusal.body}")
        self.refusal = refusal


def describe(error: BaseException, ask: Ask | ListModels) -> Failed:
    """The failure of a turn."""
    words, detail = _told(error, ask)
    wait_s = retry_after(error)
    secrets = secrets_of(ask)
    return Failed(
        turn=ask.turn,
        code=words.code,
        title=redacted(words.title, *secrets),
        detail=brief(detail, *secrets),
        remedy=words.remedy if not wait_s or wait_s >= MOST_WAIT_S else _wait(wait_s),
        retry_after_s=wait_s,
    )


def may_try_again(error: BaseException, ask: Ask) -> bool:
    """Whether the same request may well be answered in a moment."""
    if isinstance(error, StreamFailure) or is_nonsense(error):
        return False
    status, text = _status_and_text(error)
    if status:
        return status in AGAIN and kind_of(status, text) != "quota"
    return is_network(error) and is_worth_another_try(error, ask.api_base)


def retry_after(error: BaseException) -> float | None:
    """How long the server asks to wait, in seconds."""
    for link in chain(error):
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


def is_nonsense(error: BaseException) -> bool:
    """litellm keeps only the text of a JSON error that it meets inside a stream."""
    links = list(chain(error))
    if any(isinstance(link, RefusedError) for link in links):
        return False
    if any(isinstance(link, json.JSONDecodeError) for link in links):
        return True
    return bool(_JSON_ERROR.search(str(error)))


def why_unreadable(error: BaseException) -> str:
    """What is wrong with an answer that nobody could read; "" if that was not the matter."""
    for link in chain(error):
        if isinstance(link, json.JSONDecodeError):
            return str(link)
        if isinstance(link, ValueError | TypeError | LookupError | AttributeError | RecursionError):
            return "It has not the form of a model's answer."
    return ""


def _told(error: BaseException, ask: Ask | ListModels) -> tuple[Words, str]:
    if isinstance(error, StreamFailure):
        return error.words, error.detail
    if is_nonsense(error):
        return nonsense(), _bare(str(error))
    if _NO_PROVIDER in str(error):  # with a page of litellm's advice on its Python functions
        return _no_provider(ask.model), ""
    if (slow := _too_slow(error)) is not None:
        return slow, ""
    status, text = _status_and_text(error)
    if not _is_refusal(error) and is_network(error):
        return network_words(error, ask.api_base, ask.proxy), network_detail(error)
    words = words_for(_kind(error, status, text), ask.model, has_key=bool(ask.api_key))
    return words, said_in(text)


def _kind(error: BaseException, status: int, text: str) -> Any:
    if isinstance(error, litellm.exceptions.ContextWindowExceededError):
        return "context"
    if isinstance(error, litellm.exceptions.ContentPolicyViolationError):
        return "policy"
    return kind_of(status, text)


def _no_provider(model: str) -> Words:
    return Words(
        "invalid_model",
        f"“{model}” does not say which provider it belongs to.",
        "Write the model as provider/name, for example openai/gpt-4o.",
    )


def _too_slow(error: BaseException) -> Words | None:
    slow = (httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout, litellm.exceptions.Timeout)
    links = list(chain(error))
    is_connect = any(isinstance(link, httpx.ConnectTimeout) for link in links)
    if is_connect or not any(isinstance(link, slow) for link in links):
        return None
    return Words(
        "upstream_silent",
        "The model's server did not answer in time.",
        "Try again, or check the API base and the network.",
    )


def _is_refusal(error: BaseException) -> bool:
    kinds = (RefusedError, httpx.HTTPStatusError)
    return any(isinstance(link, kinds) for link in chain(error))


def _status_and_text(error: BaseException) -> tuple[int, str]:
    """Of the innermost that says: failures after the first piece come wrapped in others."""
    links = list(chain(error))
    for link in links:
        if isinstance(link, RefusedError):
            return link.refusal.status, link.refusal.body
        if isinstance(link, httpx.HTTPStatusError):
            return link.response.status_code, link.response.text
    if is_network(error):  # litellm makes up a status for these
        return 0, ""
    cause = getattr(error, "original_exception", None) or error
    status = getattr(cause, "status_code", 0)
    return (status if isinstance(status, int) else 0), _bare(_message(cause))


def _message(error: BaseException) -> str:
    return str(getattr(error, "message", "") or error)


def _bare(text: str) -> str:
    while (shorter := _PREFIXES.sub("", text, count=1)) != text:
        text = shorter
    return text


def _seconds(value: str | None) -> float | None:
    """A number of seconds, or a date (RFC 9110, section 10.2.3)."""
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
    """What a server can mean; it may say any number, or what is none."""
    return None if math.isnan(seconds) else min(max(0.0, seconds), MOST_WAIT_S)


def _wait(seconds: float) -> str:
    return f"Wait {_told_time(seconds)} and try again."


def _told_time(seconds: float) -> str:
    """Rather too long than too short."""
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {unit}"
    count = f"{seconds:.1f}".removesuffix(".0")
    return f"{count} second{'' if count == '1' else 's'}"
