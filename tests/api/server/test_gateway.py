"""What the server makes of good and bad requests, beside the gate."""

from __future__ import annotations

import asyncio
import logging

import pytest

from playhead.api.server.errors import TurnFailed
from playhead.domain.conversation.payloads import Failure
from playhead.errors import ProviderError, RequestError, StorageError
from tests.support.http_server import KEY, TOKEN, Serving, Table, serving
from tests.support.waiting import until


async def test_a_good_request_reaches_its_handler_with_its_body() -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b'{"a": 12}')
    assert (answer.status, answer.body) == (200, b'{"size": 9}')
    assert answer.headers["server"] == "Playhead"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_body_of_the_limit_is_read_and_one_byte_more_is_not() -> None:
    async with serving(body_limit_bytes=1_000_000) as served:
        assert (await served.post("/v1/echo", b"x" * 1_000_000)).status == 200
        answer = await served.post("/v1/echo", b"x" * 1_000_001)
    assert (answer.status, answer.error["code"]) == (413, "body_too_large")


async def test_the_body_may_come_in_chunks() -> None:
    async with serving() as served:
        request = served.request("/v1/echo").replace(
            "Content-Length: 2", "Transfer-Encoding: chunked"
        )
        answer = await served.ask(request, b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
    assert answer.body == b'{"size": 2}'


async def test_a_body_may_be_waited_for_with_100_continue() -> None:
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        request = served.request("/v1/echo", b"{}", "Expect: 100-continue", "Connection: close")
        writer.write(request.replace("\n", "\r\n").encode() + b"\r\n\r\n")
        assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
        writer.write(b"{}")
        assert (await reader.read()).endswith(b'{"size": 2}')
        writer.close()


async def test_a_broken_chunk_is_told_as_bad_json() -> None:
    async with serving() as served:
        request = served.request("/v1/echo").replace(
            "Content-Length: 2", "Transfer-Encoding: chunked"
        )
        answer = await served.ask(request, b"zz\r\n{}\r\n")
    assert answer.status == 400
    assert served.table.reached == []


async def test_an_unknown_path_is_told_in_the_shape_of_all_errors() -> None:
    async with serving() as served:
        answer = await served.post("/v1/none")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/json"
    assert answer.error["code"] == "not_found"
    assert answer.error["type"] == "not_found_error"
    assert answer.error["param"] is None
    assert answer.error["message"]


async def test_another_method_is_told_with_those_that_are_allowed() -> None:
    async with serving() as served:
        answer = await served.ask(f"DELETE /v1/echo HTTP/1.1\nHost: localhost\n{KEY}")
    assert (answer.status, answer.error["code"]) == (405, "not_found")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RequestError("No", code="invalid_tools", param="tools"), 400, "invalid_tools"),
        (RequestError("No", code="auto_run_forbidden"), 403, "auto_run_forbidden"),
        (RequestError("No", code="session_busy"), 423, "session_busy"),
        (ProviderError("No", code="rate_limit_exceeded"), 429, "rate_limit_exceeded"),
        (ProviderError("No", code="upstream_auth_error"), 500, "upstream_auth_error"),
        (StorageError("No room in /home/ada"), 500, "internal_error"),
        (TurnFailed(Failure(code="upstream_truncated", title="No")), 500, "upstream_truncated"),
    ],
)
async def test_an_error_of_a_handler_is_its_answer(
    error: Exception, status: int, code: str
) -> None:
    async with serving(Table(error=error)) as served:
        answer = await served.post("/v1/echo")
        cohere = await served.post("/v2/echo")
    assert (answer.status, answer.error["code"]) == (status, code)
    assert b"ada" not in answer.body
    assert cohere.error == answer.error
    assert b'"message":"No' in cohere.body
    assert ("retry-after" in answer.headers) == (status == 429)
    assert answer.headers.get("x-should-retry") == ("false" if "auth" in code else None)


async def test_a_defect_is_logged_and_not_told(expect_log) -> None:
    expect_log("POST /v1/echo failed")
    secret = f"{TOKEN} in /home/ada/secret.py"
    async with serving(Table(error=ZeroDivisionError(secret))) as served:
        answer = await served.post("/v1/echo")
        assert (await served.ask("GET /v1/none HTTP/1.1\nHost: localhost")).status == 401
    assert (answer.status, answer.error["code"]) == (500, "internal_error")
    for word in (b"Traceback", b"ada", b"ZeroDivision", TOKEN.encode()):
        assert word not in answer.body


async def test_a_handler_that_times_out_is_a_defect_too(expect_log) -> None:
    expect_log("POST /v1/echo failed")
    async with serving(Table(error=TimeoutError())) as served:
        answer = await served.post("/v1/echo")
    assert answer.error["code"] == "internal_error"


async def test_the_limit_counts_only_who_has_the_key() -> None:
    async with serving(rate_limit=3) as served:
        for _ in range(10):
            assert (await served.ask("GET /v1/health HTTP/1.1\nHost: localhost")).status == 200
            assert (await served.post("/v1/echo", b"{}", "Authorization: no")).status == 401
            assert (await served.post("/v1/echo", b"{}", "Host: evil")).status == 403
        statuses = [(await served.post("/v1/echo")).status for _ in range(4)]
        refusal = await served.post("/v1/none")
        assert statuses == [200, 200, 200, 429]
        assert refusal.error["code"] == "rate_limit_exceeded"
        assert refusal.error["type"] == "rate_limit_error"
        assert 1 <= int(refusal.headers["retry-after"]) <= 60
        assert (await served.ask("GET /v1/health HTTP/1.1\nHost: localhost")).status == 200
        served.server.rate_limit = 0
        assert (await served.post("/v1/echo")).status == 200


async def test_by_default_120_requests_a_minute_are_let_through() -> None:
    async with serving() as served:
        assert served.server.rate_limit == 120


async def test_each_request_is_one_line_in_the_log_without_token_or_body(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving() as served:
        await served.post("/v1/echo?key=in-the-query", b'{"a": "in-the-body"}')
        await served.post("/v1/none%0aforged")
        await served.post("/v1/echo", b"{}", "Authorization: Bearer a-wrong-key")
    lines = [record.getMessage() for record in caplog.records if "access" in record.name]
    assert [line.split()[:3] for line in lines] == [
        ["POST", "/v1/echo", "200"],
        ["POST", "/v1/none%0aforged", "404"],
        ["POST", "/v1/echo", "401"],
    ]
    for word in (TOKEN, "in-the-query", "in-the-body", "a-wrong-key"):
        assert word not in caplog.text


async def test_a_request_whose_client_left_is_in_the_log_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving() as served:
        await left_at_once(served)
        await until(lambda: "POST /v1/whole gone" in caplog.text)


async def left_at_once(served: Serving) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", served.port)
    request = served.request("/v1/whole").replace("\n", "\r\n")
    writer.write(request.encode() + b"\r\n\r\n{}")
    await until(lambda: served.table.streams)
    writer.close()
    await until(lambda: served.table.streams[0].is_cancelled)


async def test_many_requests_may_follow_each_other_on_one_connection() -> None:
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        request = (served.request("/v1/echo").replace("\n", "\r\n") + "\r\n\r\n{}").encode()
        writer.write(request * 100)
        for _ in range(100):
            assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 200 OK")
        writer.close()
