"""What litellm raises, in words for the user and with no key in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import litellm.exceptions
import openai

from playhead.model_worker.protocol import Ask, Failed, ListModels

MAX_DETAIL = 600
_SAYS_NOTHING = "Connection error."
_NO_PROVIDER = "LLM Provider NOT provided"
_PREFIXES = re.compile(r"^(?:litellm\.)?(?:\w*(?:Error|Exception|Timeout)\b)(?:\s*[-:])\s*")
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|hf|AIza)[-_]?[A-Za-z0-9_\-]{12,}"
    r"|(?i:bearer\s+)\S+"
    r"|(?i:(?:api[-_ ]?key|token|secret)\"?\s*[=:]\s*\"?)[^\s\"',}]+"
)


@dataclass(frozen=True, slots=True)
class _Words:
    code: str
    title: str
    remedy: str


_JSON_ERROR = re.compile(r": line \d+ column \d+ \(char \d+\)")
# litellm turns a refused connection into an InternalServerError; its cause says what it was.
_NO_CONNECTION = (openai.APIConnectionError, httpx.ConnectError, ConnectionError)


class StreamFailure(Exception):
    """A failure that litellm does not raise by itself: nonsense, silence or a stream cut short."""

    def __init__(self, code: str, title: str, remedy: str, detail: str = "") -> None:
        super().__init__(title)
        self.words = _Words(code, title, remedy)
        self.detail = detail


def truncated() -> StreamFailure:
    """The connection ended before the model said that it was done."""
    return StreamFailure(
        "upstream_truncated",
        "The answer broke off.",
        "Press Retry. If it happens again, the model's server or the network is at fault.",
        "The connection ended before the model said that it was done.",
    )


def no_stream() -> StreamFailure:
    """A success status without a single event."""
    return StreamFailure(
        "upstream_error",
        "The server did not answer as a model does.",
        "Check the API base in the settings; for most servers it ends in /v1.",
        "It said that all was well but sent no stream of events.",
    )


def needs_tools(model: str) -> StreamFailure:
    """The request is about tools, and the model cannot take any."""
    return StreamFailure(
        "tools_refused",
        f"“{model}” does not take tools.",
        "Choose another model, or ask without tools.",
    )


def silent(seconds: float, *, has_begun: bool) -> StreamFailure:
    """Nothing came for too long."""
    title = "The model fell silent." if has_begun else "The model does not answer."
    return StreamFailure(
        "upstream_error",
        title,
        "Press Retry, or choose another model or server.",
        f"Nothing came for {seconds:g} seconds, so the connection was closed.",
    )


def describe(error: BaseException, ask: Ask | ListModels) -> Failed:
    """The failure of a turn."""
    if isinstance(error, StreamFailure):
        words, detail = error.words, error.detail
    else:
        cause = _cause(error)
        words, detail = _words(cause, ask), _detail(cause)
    wait_s = _retry_after(error)
    return Failed(
        turn=ask.turn,
        code=words.code,
        title=redacted(words.title, ask.api_key),
        detail=redacted(detail, ask.api_key),
        remedy=words.remedy if wait_s is None else f"Wait {wait_s:g} seconds and press Retry.",
        retry_after_s=wait_s,
    )


def redacted(text: str, api_key: str | None = None) -> str:
    """The text without the key in use and without what looks like one."""
    if api_key and len(api_key) >= 4:  # a dummy of one letter would blank the whole text
        text = text.replace(api_key, "…")
    return _KEY_LIKE.sub("…", text)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        original = getattr(error, "original_exception", None)
        error = original or error.__cause__ or error.__context__


def _cause(error: BaseException) -> BaseException:
    """Failures after the first piece are wrapped; what they wrap says more."""
    original = getattr(error, "original_exception", None)
    return original if isinstance(original, BaseException) else error


def _status(error: BaseException) -> int:
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code
    status = getattr(error, "status_code", 0)
    return status if isinstance(status, int) else 0


def _words(error: BaseException, ask: Ask | ListModels) -> _Words:
    if _is_nonsense(error):
        return _Words(
            "upstream_error",
            "The model's server sent something that cannot be read.",
            "Press Retry. If it happens again, the server is at fault.",
        )
    for matches, words in _special(ask):
        if isinstance(error, matches):
            return words
    if any(isinstance(link, _NO_CONNECTION) for link in _chain(error)):
        return _unreachable(ask)
    return _words_of_status(_status(error), error, ask)


def _is_nonsense(error: BaseException) -> bool:
    """litellm keeps only the text of a JSON error that it meets inside a stream."""
    links = list(_chain(error))
    if any(isinstance(link, json.JSONDecodeError) for link in links):
        return True
    return bool(_JSON_ERROR.search(str(error)))


def _special(ask: Ask | ListModels) -> tuple[tuple[type[BaseException], _Words], ...]:
    found = litellm.exceptions
    return (
        (
            found.ContextWindowExceededError,
            _Words(
                "context_too_long",
                "The conversation is too long for this model.",
                "Start a new conversation, or choose a model with a larger context.",
            ),
        ),
        (
            found.ContentPolicyViolationError,
            _Words(
                "upstream_error",
                "The provider refused the request by its content rules.",
                "Ask in other words.",
            ),
        ),
        (
            found.Timeout,
            _Words(
                "upstream_error",
                "The model's server did not answer in time.",
                "Press Retry, or check the API base and the network.",
            ),
        ),
        (found.APIConnectionError, _unreachable(ask)),
    )


def _unreachable(ask: Ask | ListModels) -> _Words:
    if not ask.api_base:
        return _Words("upstream_error", "No connection to the provider.", "Check the network.")
    return _Words(
        "upstream_error",
        f"No connection to {ask.api_base}.",
        "Is the server running? Check the network and the API base in the settings.",
    )


def _words_of_status(status: int, error: BaseException, ask: Ask | ListModels) -> _Words:
    if _NO_PROVIDER in str(error):
        return _Words(
            "invalid_model",
            f"“{ask.model}” does not say which provider it belongs to.",
            "Write the model as provider/name, for example openai/gpt-4o.",
        )
    known = {
        401: _Words(
            "upstream_auth_error",
            "The provider refused the key." if ask.api_key else "This model needs a key.",
            "Enter the right API key in the settings.",
        ),
        402: _Words(
            "upstream_error",
            "The provider asks for payment.",
            "Check the balance of your account with the provider.",
        ),
        403: _Words(
            "upstream_auth_error",
            "The key may not use this model.",
            "Choose another model, or a key that is allowed to use it.",
        ),
        404: _Words(
            "upstream_error",
            f"There is no model “{ask.model}” at this address.",
            "Check the model's name and the API base in the settings.",
        ),
        429: _Words(
            "rate_limit_exceeded",
            "The provider asks to wait: too many requests.",
            "Wait a moment and press Retry; check the quota of your account if it stays so.",
        ),
    }
    if status in known:
        return known[status]
    if status >= 500:
        return _Words(
            "upstream_error",
            "The model's server failed.",
            "Press Retry in a moment, or choose another model.",
        )
    return _Words(
        "upstream_error",
        "The model's server refused the request.",
        "Check the model and its settings; the detail says what was wrong.",
    )


def _detail(error: BaseException) -> str:
    text = str(getattr(error, "message", "") or error)
    if _NO_PROVIDER in text:  # a page of litellm's own advice on its Python functions
        return ""
    if text.endswith(_SAYS_NOTHING):
        return ""
    while (shorter := _PREFIXES.sub("", text, count=1)) != text:
        text = shorter
    text = " ".join(text.split())
    return text if len(text) <= MAX_DETAIL else text[:MAX_DETAIL] + " …"


def _retry_after(error: BaseException) -> float | None:
    for link in _chain(error):
        response = getattr(link, "response", None)
        for headers in (
            getattr(link, "litellm_response_headers", None),
            getattr(response, "headers", None),
        ):
            if headers is not None and (value := headers.get("retry-after")) is not None:
                return _seconds(str(value))
    return None


def _seconds(value: str) -> float | None:
    try:
        return max(0.0, float(value))
    except ValueError:  # the header may also hold a date (RFC 9110, 10.2.3)
        return None
