"""Errors of models: our exceptions, the kinds of refusals, and their texts for the user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal, cast

import httpx
from msgspec import Struct

from playhead.model_worker.protocol import read_json

Kind = Literal[
    "key",
    "forbidden",
    "quota",
    "rate",
    "no_model",
    "context",
    "policy",
    "server",
    "refused",
]


RETRY_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""The statuses after which the same request may well be answered."""


class ErrorText(Struct, frozen=True):
    """A failure's stable code, what happened, and what to do."""

    code: str
    title: str
    remedy: str


class StreamFailure(Exception):
    """A failure that no library raises: nonsense, silence, a stream cut short, a bad setting."""

    def __init__(self, code: str, title: str, remedy: str, detail: str = "") -> None:
        super().__init__(title)
        self.words = ErrorText(code, title, remedy)
        self.detail = detail


_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|credit|balance|fund)|exceeded your current quota|credit balance"
    r"|payment (?:method|required)|billing[_ ](?:hard|not|limit)|out of credit|no credits?\b"
)
_RETRY_DELAY = re.compile(r"retrydelay")
_KEY = re.compile(
    r"api[_ ]?key[_ ](?:invalid|not[_ ]valid|expired)|invalid[_ ](?:api[_ ]key|x-api-key|token)"
    r"|incorrect api key|invalid api token|no api key|unauthorized"
)
_CONTEXT = re.compile(
    r"context[_ ]length[_ ]exceeded|maximum context length|context (?:window|length|size)"
    r"|prompt is too long|too many (?:total )?tokens|token count .{0,40}exceeds"
    r"|input (?:is )?too long|request_too_large|maximum number of tokens"
)
_POLICY = re.compile(
    r"content[_ ](?:policy|filter|management)|responsibleaipolicy|safety system|usage polic"
    r"|moderation|blocked by|prohibited_content|flagged"
)
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ]found|invalid[_ ]model|model .{0,120}(?:not found|does not exist|not exist)"
    r"|models/\S+ is not found|not_found_error|try pulling|no such model|unknown model"
    r"|not a valid model"
)


def kind_of(status: int, text: str) -> Kind:
    """Return the kind of a server's refusal: the text counts more than the status.

    Gemini calls a wrong key a bad request, Anthropic an empty account too, and OpenAI has one
    status for both a busy minute and an unpaid bill.
    """
    text = text.lower()
    if 400 <= status < 500:
        if _QUOTA.search(text) and not _RETRY_DELAY.search(text):
            return "quota"
        for kind, found in (("context", _CONTEXT), ("policy", _POLICY)):
            if found.search(text) and status not in (401, 404, 429):
                return cast("Kind", kind)
    if status in (400, 401) and (status == 401 or _KEY.search(text)):
        return "key"
    if status in (400, 404, 422) and (status == 404 or _NO_MODEL.search(text)):
        return "no_model"
    known: dict[int, Kind] = {402: "quota", 403: "forbidden", 413: "context", 429: "rate"}
    return known.get(status, "server" if status >= 500 else "refused")


def _key_text(model: str, *, has_key: bool) -> ErrorText:
    if has_key:
        return ErrorText(
            "upstream_auth_error",
            "The provider refused the key.",
            "Enter the right API key in the settings.",
        )
    title = f"“{model}” needs a key, and there is none."
    return ErrorText("missing_api_key", title, "Enter it in the settings.")


def error_text(kind: Kind, model: str, *, has_key: bool) -> ErrorText:
    """Return the text for a refusal of this kind."""
    match kind:
        case "key":
            return _key_text(model, has_key=has_key)
        case "forbidden":
            return ErrorText(
                "upstream_auth_error",
                "The key may not use this model.",
                "Choose another model, or a key that is allowed to use it.",
            )
        case "quota":
            return ErrorText(
                "upstream_quota",
                "The account with the provider is used up.",
                "Check its balance and limits with the provider, or choose another model.",
            )
        case "rate":
            return ErrorText(
                "rate_limit_exceeded",
                "The provider asks to wait: too many requests.",
                "Wait a moment and try again; check the limits of your account if this continues.",
            )
        case "no_model":
            return ErrorText(
                "upstream_no_model",
                f"There is no model “{model}” at this address.",
                "Check the model's name in the settings, and its address if it has one.",
            )
        case "context":
            return ErrorText(
                "context_too_long",
                "The conversation is too long for this model.",
                "Start a new conversation, or choose a model with a larger context.",
            )
        case "policy":
            return ErrorText(
                "upstream_policy",
                "The provider refused the request by its content rules.",
                "Ask in other words, or choose another model.",
            )
        case "server":
            return ErrorText(
                "upstream_error",
                "The model's server failed.",
                "Try again in a moment, or choose another model.",
            )
        case "refused":
            return ErrorText(
                "upstream_error",
                "The model's server refused the request.",
                "Check the model and its settings; the detail says what was wrong.",
            )


def error_sentence(body: str) -> str:
    """Return the sentence in a server's error body, which may have several shapes."""
    try:
        found: Any = read_json(body)
    except ValueError:
        return "" if "<html" in body[:2000].lower() else body
    if isinstance(found, list) and found:  # Gemini's, in the middle of a stream
        found = cast("list[Any]", found)[0]
    return _sentence(found) or (body if found else "")


def _sentence(found: Any) -> str:
    if isinstance(found, str):
        return found
    if not isinstance(found, dict):
        return ""
    fields = cast("dict[str, Any]", found)
    for name in ("error", "message", "detail", "msg"):
        if sentence := _sentence(fields.get(name)):
            return sentence
    return ""


def truncated() -> StreamFailure:
    """Return the failure for a connection that ended before the end of the answer."""
    return StreamFailure(
        "upstream_truncated",
        "The answer broke off.",
        "Try again. If it happens again, the model's server or the network is at fault.",
        "The connection ended before the model said that it was done.",
    )


def no_stream() -> StreamFailure:
    """Return the failure for a success status without a single event."""
    return StreamFailure(
        "upstream_nonsense",
        "The server did not answer as a model does.",
        "Check “Address” in the settings; for most servers it ends in /v1.",
        "It reported success but sent no stream of events.",
    )


def unreadable_text() -> ErrorText:
    """Return the text for an answer that is not JSON where it has to be."""
    return ErrorText(
        "upstream_nonsense",
        "The model's server sent something that cannot be read.",
        "Try again. If it happens again, the server is at fault.",
    )


def oversized(limit_bytes: int) -> StreamFailure:
    """Return the failure for an event, or a line without an end, that no model sends."""
    return StreamFailure(
        "upstream_nonsense",
        "The model's server sent something that cannot be read.",
        "Check “Address” in the settings; try again if it is right.",
        f"It sent more than {limit_bytes // 1_000_000} MB without a line end.",
    )


def unreadable(detail: str) -> StreamFailure:
    """Return the failure for a stream that is not a model's."""
    words = unreadable_text()
    return StreamFailure(words.code, words.title, words.remedy, detail)


def bad_call() -> StreamFailure:
    """Return the failure for a call that the provider itself could not read."""
    return StreamFailure(
        "upstream_nonsense",
        "The model made a call that its provider could not read.",
        "Try again; a model that is better with tools may help.",
    )


def no_provider(model: str) -> StreamFailure:
    """Return the failure for a model string without a provider."""
    return StreamFailure(
        "invalid_model",
        f"“{model}” does not say which provider it belongs to.",
        "Write the model as provider/name, for example openai/gpt-4o.",
    )


def needs_tools(model: str) -> StreamFailure:
    """Return the failure for a request with tools to a model that does not support them."""
    return StreamFailure(
        "tools_refused",
        f"“{model}” does not support tools.",
        "Choose another model, or ask without tools.",
    )


def silent(seconds: float, *, has_begun: bool) -> StreamFailure:
    """Return the failure for a silence that was too long."""
    title = "The model fell silent." if has_begun else "The model does not answer."
    return StreamFailure(
        "upstream_silent",
        title,
        "Try again, or choose another model or server.",
        f"Nothing was received for {seconds:g} seconds, so the connection was closed.",
    )


class RedirectedError(httpx.RequestError):
    """A server sent us elsewhere: the key belongs to the address that it was entered for."""


class Refusal(Struct, frozen=True):
    """A server's error response."""

    status: int
    headers: Mapping[str, str]
    body: str


class RefusedError(Exception):
    """A server's refusal, unchanged: a library that wraps it loses some of it."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.status}: {refusal.body}")
        self.refusal = refusal


_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "context_length_exceeded": 400,
    "overloaded_error": 529,
}
"""The statuses that errors in a stream would have had before it."""


def refusal_of(error: object) -> Refusal:
    """Return an error that a server put into its stream as the refusal that it would have been."""
    body = json.dumps({"error": error})
    return Refusal(_status_of(error, body), {}, body)


def _status_of(error: object, body: str) -> int:
    """Return the status in the error itself, else one by its kind and its text."""
    fields = cast("Mapping[str, object]", error if isinstance(error, dict) else {})
    for name in ("code", "status", "type"):
        value = fields.get(name)
        if isinstance(value, str):
            value = int(value) if re.fullmatch(r"[45]\d\d", value) else _STATUSES.get(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 500 if kind_of(400, body) == "refused" else 400
