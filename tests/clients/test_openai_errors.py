"""Every refusal as the openai SDK tells it: its own exception, with a code and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.clients.asking import HELLO, MODEL, ask, user
from tests.support.model_server import ModelServer
from tests.support.served import Served


def client_of(server: Served, **options: Any) -> OpenAI:
    given = {"base_url": f"{server.address}/v1", "api_key": server.token, "max_retries": 0}
    return OpenAI(**given | options)


@pytest.fixture
def client(server: Served) -> Iterator[OpenAI]:
    with client_of(server) as made:
        yield made


def refusal(client: OpenAI, kind: type[openai.APIStatusError], **request: Any) -> Any:
    """The exception of a request that is refused; its body is in the shape of the format."""
    with pytest.raises(kind) as caught:
        client.chat.completions.create(**{"model": MODEL, "messages": [user("hello")]} | request)
    error = caught.value
    assert isinstance(error.body, dict)
    assert error.body["message"]
    assert error.body["code"] == error.code
    assert error.body["type"] == error.type
    return error


@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("request_body", "code"),
    [
        ({"messages": []}, "invalid_messages"),
        ({"messages": [{"role": "user"}]}, "invalid_messages"),
        ({"messages": "hello"}, "invalid_messages"),
        ({"model": ""}, "invalid_model"),
        ({"tools": [{"type": "function"}]}, "invalid_tools"),
        ({"extra_body": {"api_base": "http://127.0.0.1:1/v1"}}, "missing_api_key"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_malformed_is_a_bad_request(
    client: OpenAI, request_body: dict[str, Any], code: str, is_streamed: bool
):
    error = refusal(client, openai.BadRequestError, stream=is_streamed, **request_body)
    assert error.code == code
    assert error.type == "invalid_request_error"


@pytest.mark.parametrize("token", ["wrong", "token-of-the", "token-of-the-tests-and-more"])
def test_a_wrong_token_is_an_authentication_error(server: Served, token: str):
    with client_of(server, api_key=token) as stranger:
        error = refusal(stranger, openai.AuthenticationError)
    assert (error.code, error.type) == ("invalid_api_key", "authentication_error")
    assert error.response.headers["www-authenticate"] == "Bearer"


def test_another_origin_is_denied(client: OpenAI):
    foreign = {"Origin": "https://evil.example"}
    error = refusal(client, openai.PermissionDeniedError, extra_headers=foreign)
    assert (error.code, error.type) == ("forbidden_origin", "permission_error")


def test_running_unasked_is_denied_where_it_is_not_allowed(strict_server: Served):
    with client_of(strict_server) as client:
        error = refusal(client, openai.PermissionDeniedError, extra_body={"auto_run": True})
    assert error.code == "auto_run_forbidden"
    assert "--allow-auto-run" in error.body["message"]


def test_what_is_not_offered_is_not_found(client: OpenAI):
    with pytest.raises(openai.NotFoundError) as caught:
        client.responses.retrieve("resp_none")
    assert caught.value.code == "not_found"


def test_too_many_requests_are_told_when_to_come_again(strict_server: Served, model: ModelServer):
    with client_of(strict_server) as client, pytest.raises(openai.RateLimitError) as caught:
        _ = [client.models.list() for _ in range(4)]
    assert caught.value.code == "rate_limit_exceeded"
    assert int(caught.value.response.headers["retry-after"]) > 0


def test_a_body_that_is_too_large_is_refused(client: OpenAI):
    huge = [user("x" * (33 << 20))]
    with pytest.raises(openai.APIStatusError) as caught:
        client.chat.completions.create(model=MODEL, messages=huge)
    assert (caught.value.status_code, caught.value.code) == (413, "body_too_large")


def test_a_body_that_is_not_declared_as_json_is_refused(client: OpenAI):
    plain = {"Content-Type": "text/plain"}
    error = refusal(client, openai.APIStatusError, extra_headers=plain)
    assert (error.status_code, error.code) == (415, "unsupported_media_type")


def test_the_providers_limit_is_the_clients(client: OpenAI, model: ModelServer):
    error = refusal(client, openai.RateLimitError, messages=[user("too many")])
    assert error.code == "rate_limit_exceeded"
    assert int(error.response.headers["retry-after"]) == 7


@pytest.mark.parametrize(
    ("question", "code"),
    [("wrong key", "upstream_auth_error"), ("out of order", "upstream_error")],
)
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_the_providers_failure_is_a_server_error(
    client: OpenAI, model: ModelServer, question: str, code: str, is_streamed: bool
):
    request = {"messages": [user(question)], "stream": is_streamed}
    error = refusal(client, openai.InternalServerError, **request)
    assert (error.status_code, error.code, error.type) == (500, code, "server_error")


def test_a_refused_provider_key_is_not_tried_again(server: Served, model: ModelServer):
    with client_of(server, max_retries=2) as client:
        error = refusal(client, openai.InternalServerError, messages=[user("wrong key")])
    assert error.response.headers["x-should-retry"] == "false"
    assert len(model.requests) == 1


def test_an_answer_that_breaks_off_is_an_error_after_its_pieces(client: OpenAI, model: ModelServer):
    stream = client.chat.completions.create(model=MODEL, messages=[user("break off")], stream=True)
    pieces: list[str] = []
    with pytest.raises(openai.APIError) as caught:
        pieces.extend(chunk.choices[0].delta.content or "" for chunk in stream)
    assert "".join(pieces) == "This answer breaks of"
    assert caught.value.code == "upstream_truncated"
    assert caught.value.message


def test_after_all_of_that_it_still_answers(client: OpenAI, model: ModelServer):
    assert ask(client, user("hello")).message.content == HELLO
