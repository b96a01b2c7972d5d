"""Map errors to a status, headers and the one JSON shape of every error."""

from __future__ import annotations

import math
import re
from typing import Any, Literal

from msgspec import Struct

from playhead.domain.conversation.payloads import Failure
from playhead.errors import AppError

ErrorType = Literal[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "rate_limit_error",
    "server_error",
]

STATUSES = {
    "invalid_json": 400,
    "invalid_messages": 400,
    "invalid_model": 400,
    "invalid_tools": 400,
    "invalid_request": 400,
    "missing_api_key": 400,
    "nothing_to_approve": 400,
    "invalid_state": 400,
    "previous_response_not_found": 400,
    "input_unanswered": 400,
    "policy_impossible": 400,
    "step_limit": 400,
    "repeated_failure": 400,
    "budget_reached": 400,
    "invalid_api_key": 401,
    "forbidden_host": 403,
    "forbidden_origin": 403,
    "auto_run_forbidden": 403,
    "approval_forbidden": 403,
    "policy_forbidden": 403,
    "not_found": 404,
    "request_timeout": 408,
    "body_too_large": 413,
    "too_many_messages": 413,
    "unsupported_media_type": 415,
    "session_busy": 423,
    "rate_limit_exceeded": 429,
    "internal_error": 500,
    "client_too_slow": 500,
    "upstream_error": 500,
    "upstream_truncated": 500,
    "upstream_auth_error": 500,
    "insufficient_storage": 507,
    "read_only": 507,
}
"""Every code that leaves the server; what is not here leaves as `internal_error`."""

PUBLIC_CODES = {
    "key_route_changed": "upstream_auth_error",
    "upstream_quota": "rate_limit_exceeded",
    "upstream_no_model": "upstream_error",
    "context_too_long": "upstream_error",
    "upstream_policy": "upstream_error",
    "upstream_network": "upstream_error",
    "upstream_nonsense": "upstream_error",
    "upstream_silent": "upstream_error",
    "tools_refused": "upstream_error",
    "bad_calls": "upstream_error",
    "in_use": "read_only",
}
"""The server's error types for the window's finer kinds of provider failures."""

DEFAULT_WAIT_S = 10
"""Default for a provider's rate limit that names no time."""

_TYPES: dict[int, ErrorType] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "not_found_error",
    429: "rate_limit_error",
}
# An absolute path; not what follows the scheme, host or folder of an address.
_PATH = re.compile(r"(?<![\w:/\\.])(?:~|[A-Za-z]:)?[/\\][^\s'\"“”,;()]+")


class TurnFailed(Exception):
    """A turn ended in a failure while its answer could still be an HTTP error.

    `has_run` says that code ran before: who asks again would have it run twice.
    """

    def __init__(self, failure: Failure, *, has_run: bool = False) -> None:
        super().__init__(failure.code)
        self.failure = failure
        self.has_run = has_run


class HttpError(Struct, frozen=True, kw_only=True):
    """An error answer; `headers` are those that its status asks for."""

    status: int
    code: str
    message: str
    param: str | None = None
    retry_after_s: float | None = None
    is_repeatable: bool = True

    @property
    def type(self) -> ErrorType:
        """Return the kind of error, which clients distinguish."""
        return _TYPES.get(self.status, "server_error" if self.status >= 500 else _INVALID)

    def body(self, path: str = "") -> dict[str, Any]:
        """Return the JSON object; under /v2/ with the fields that the Cohere client reads."""
        error = {
            "code": self.code,
            "message": self.message,
            "type": self.type,
            "param": self.param,
        }
        if path.startswith("/v2/"):
            return {"id": "", "message": self.message, "error": error}
        return {"error": error}

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that a client needs in addition to the body."""
        headers: dict[str, str] = {}
        if self.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        is_lasting = self.code == "upstream_auth_error" or self.status == 507
        if is_lasting or not self.is_repeatable:
            headers["x-should-retry"] = "false"
        if self.status == 429:
            wait_s = DEFAULT_WAIT_S if self.retry_after_s is None else self.retry_after_s
            headers["Retry-After"] = str(max(1, math.ceil(wait_s)))
        return headers


_INVALID: ErrorType = "invalid_request_error"

DEFECT = HttpError(
    status=500, code="internal_error", message="Something in Playhead itself went wrong."
)
"""All that a client learns of a defect; the log has the rest."""


def http_error_of(error: AppError) -> HttpError:
    """Return the answer for an error that says what happened."""
    param = getattr(error, "param", None)
    wait_s = getattr(error, "retry_after_s", None)
    return _http_error(error.code, str(error), error.title, param=param, wait_s=wait_s)


def http_error_of_failure(failure: Failure) -> HttpError:
    """Return the answer for a turn's failure."""
    message = str(AppError(failure.title, detail=failure.detail, remedy=failure.remedy))
    return _http_error(
        failure.code, message, failure.title, param=None, wait_s=failure.retry_after_s
    )


def without_paths(text: str) -> str:
    """Return the text without absolute paths."""
    return _PATH.sub("…", text)


def _http_error(
    code: str, message: str, title: str, *, param: str | None, wait_s: float | None
) -> HttpError:
    code = PUBLIC_CODES.get(code, code)
    if code not in STATUSES or code == "internal_error":  # of this machine: its details stay here
        return HttpError(
            status=500, code="internal_error", message=without_paths(title) or DEFECT.message
        )
    status = STATUSES[code]
    if status == 507:
        message = without_paths(message)
    return HttpError(
        status=status, code=code, message=message or code, param=param, retry_after_s=wait_s
    )
