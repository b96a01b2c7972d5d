"""Every failure as the one JSON shape, with the status and headers that clients go by."""

from __future__ import annotations

import pytest

from playhead.api.server.errors import DEFECT, STATUSES, http_error_of, http_error_of_failure
from playhead.domain.conversation.payloads import Failure
from playhead.errors import (
    AppError,
    ExecutionError,
    ProviderError,
    RequestError,
    SessionError,
    StorageError,
)


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("invalid_json", 400, "invalid_request_error"),
        ("invalid_messages", 400, "invalid_request_error"),
        ("invalid_model", 400, "invalid_request_error"),
        ("invalid_tools", 400, "invalid_request_error"),
        ("missing_api_key", 400, "invalid_request_error"),
        ("nothing_to_approve", 400, "invalid_request_error"),
        ("invalid_state", 400, "invalid_request_error"),
        ("invalid_api_key", 401, "authentication_error"),
        ("forbidden_host", 403, "permission_error"),
        ("forbidden_origin", 403, "permission_error"),
        ("auto_run_forbidden", 403, "permission_error"),
        ("approval_forbidden", 403, "permission_error"),
        ("not_found", 404, "not_found_error"),
        ("body_too_large", 413, "invalid_request_error"),
        ("unsupported_media_type", 415, "invalid_request_error"),
        ("session_busy", 423, "invalid_request_error"),
        ("rate_limit_exceeded", 429, "rate_limit_error"),
        ("internal_error", 500, "server_error"),
        ("upstream_error", 500, "server_error"),
        ("upstream_truncated", 500, "server_error"),
        ("step_limit", 400, "invalid_request_error"),
        ("repeated_failure", 400, "invalid_request_error"),
        ("budget_reached", 400, "invalid_request_error"),
        ("upstream_auth_error", 500, "server_error"),
    ],
)
def test_a_code_has_its_status_and_type(code: str, status: int, kind: str) -> None:
    for failure in (
        http_error_of(RequestError("No", code=code)),
        http_error_of_failure(Failure(code=code, title="No")),
    ):
        assert (failure.status, failure.code) == (status, code)
        assert failure.body() == {
            "error": {"code": code, "message": failure.message, "type": kind, "param": None}
        }
        assert failure.message


def test_an_error_says_all_it_knows_and_which_field_is_at_fault() -> None:
    error = RequestError(
        "messages must be a list", detail="It is 3", remedy="Send a list.", param="messages"
    )
    assert http_error_of(error).body()["error"] == {
        "code": "invalid_messages",
        "message": "messages must be a list. It is 3. Send a list.",
        "type": "invalid_request_error",
        "param": "messages",
    }


def test_the_cohere_paths_get_the_message_on_top_too() -> None:
    body = http_error_of(SessionError("Busy", code="session_busy")).body("/v2/chat")
    assert body["message"] == body["error"]["message"] == "Busy."
    assert isinstance(body["id"], str)


@pytest.mark.parametrize(("wait_s", "header"), [(None, "10"), (0.2, "1"), (0, "1"), (7.1, "8")])
def test_a_limit_always_says_in_whole_seconds_when_to_come_back(
    wait_s: float | None, header: str
) -> None:
    error = ProviderError("Too fast", code="rate_limit_exceeded", retry_after_s=wait_s)
    failure = Failure(code="rate_limit_exceeded", title="Too fast", retry_after_s=wait_s)
    assert http_error_of(error).headers == {"Retry-After": header}
    assert http_error_of_failure(failure).headers == {"Retry-After": header}


def test_our_own_refused_key_is_not_worth_repeating() -> None:
    assert http_error_of_failure(Failure(code="upstream_auth_error", title="No")).headers == {
        "x-should-retry": "false"
    }
    assert http_error_of_failure(Failure(code="upstream_error", title="No")).headers == {}


@pytest.mark.parametrize(
    "error",
    [
        StorageError("No room", detail="/home/ada/.local/share/playhead/history.db"),
        ExecutionError("Cannot start /home/ada/env/bin/python", remedy="Look into ~/env."),
        ExecutionError(r"Cannot start C:\Users\ada\env\python.exe"),
        AppError("“/home/ada/a b”: gone"),
    ],
)
def test_what_concerns_this_machine_leaves_without_its_paths(error: AppError) -> None:
    failure = http_error_of(error)
    assert (failure.status, failure.code) == (500, "internal_error")
    assert failure.message
    assert "ada" not in failure.message
    assert "env" not in failure.message


def test_an_address_is_no_path() -> None:
    failure = http_error_of_failure(
        Failure(code="upstream_error", title="No answer", detail="From http://127.0.0.1:1234/v1")
    )
    assert "http://127.0.0.1:1234/v1" in failure.message


def test_a_defect_tells_nothing() -> None:
    assert DEFECT.body()["error"]["code"] == "internal_error"


def test_every_status_is_one_of_the_table() -> None:
    assert set(STATUSES.values()) == {400, 401, 403, 404, 408, 413, 415, 423, 429, 500, 507}
