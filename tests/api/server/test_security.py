"""Who may not in, does not get in: over real sockets, and nothing behind the gate is reached."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tests.support.http_server import KEY, TOKEN, serving
from tests.support.waiting import until

HEALTH = "GET /v1/health HTTP/1.1"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:5001",
        "localhost.evil.example",
        "127.0.0.1.evil.example:5001",
        "localhost@evil.example",
        "evil.example#localhost",
        "localhost:5001/evil",
        "localhost:port",
        "localhost:99999",
        "localhost.",
        "127.0.0.2",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "[::]",
        "[::1",
        "::1",
        "[::ffff:127.0.0.1]",
        "localhost, localhost",
        "",
    ],
)
async def test_a_rebound_host_is_refused_before_the_key_is_judged(host: str) -> None:
    async with serving() as served:
        for request in (HEALTH, "GET /v1/none HTTP/1.1", "POST /v1/echo HTTP/1.1"):
            for key in (KEY, "X-None: 1"):
                answer = await served.ask(f"{request}\nHost: {host}\n{key}")
                assert (answer.status, answer.error["code"]) == (403, "forbidden_host")
                assert answer.error["type"] == "permission_error"
    assert served.table.reached == []


async def test_a_request_names_its_host_exactly_once() -> None:
    async with serving() as served:
        for hosts in (
            "X-None: 1",
            "Host: localhost\nHost: evil.example",
            "Host: a\nHost: localhost",
        ):
            answer = await served.ask(f"{HEALTH}\n{hosts}\n{KEY}")
            assert answer.status in (400, 403)
        assert (await served.ask(f"GET /v1/health HTTP/1.0\n{KEY}")).status == 403
    assert served.table.reached == []


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://evil.example/v1/health", 403),
        ("http://localhost@evil.example/v1/health", 403),
        ("https://evil.example:5001/v1/health", 403),
        ("http://localhost:5001/v1/health", 200),
        ("http://127.0.0.1/v1/health", 200),
    ],
)
async def test_the_host_of_an_absolute_target_counts_too(target: str, status: int) -> None:
    async with serving() as served:
        answer = await served.ask(f"GET {target} HTTP/1.1\nHost: localhost")
    assert answer.status == status


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example#http://localhost",
        "http://localhost:5001/",
        "http://localhost:5001 http://evil.example",
        "file://",
        "app://localhost",
        "localhost",
        "http://127.0.0.1.evil.example",
        "http://[::1].evil.example",
        "http://localhost:0x50",
    ],
)
async def test_a_foreign_origin_is_refused_even_with_the_key(origin: str) -> None:
    async with serving() as served:
        for request in (HEALTH, "POST /v1/echo HTTP/1.1"):
            answer = await served.ask(f"{request}\nHost: localhost\nOrigin: {origin}\n{KEY}")
            assert (answer.status, answer.error["code"]) == (403, "forbidden_origin")
        twice = await served.ask(
            f"{HEALTH}\nHost: localhost\nOrigin: http://localhost\nOrigin: {origin}\n{KEY}"
        )
        assert twice.status in (400, 403)
    assert served.table.reached == []


@pytest.mark.parametrize(
    "origin",
    ["http://localhost", "http://LOCALHOST:3000", "https://127.0.0.1:8443", "http://[::1]:1"],
)
async def test_a_page_of_this_machine_may_ask_but_gets_no_wildcard(origin: str) -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b"{}", f"Origin: {origin}")
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "line",
    [
        "X-None: 1",
        "Authorization: Bearer",
        "Authorization: Bearer ",
        f"Authorization: Bearer {TOKEN[:-1]}",
        f"Authorization: Bearer {TOKEN}0",
        f"Authorization: Bearer {TOKEN.upper()}",
        f"Authorization: Bearer {TOKEN} {TOKEN}",
        f"Authorization: Basic {TOKEN}",
        f"Authorization: {TOKEN}",
        f"Authorization: Bearer wrong\nAuthorization: Bearer {TOKEN}",
        f"Authorization: Bearer {TOKEN}\nAuthorization: Bearer wrong",
        "Authorization: Bearer klüssel",
        "Authorization: Bearer \udcff\udcfe",
        f"X-Api-Key: {TOKEN}",
    ],
)
async def test_without_the_whole_key_nothing_is_told_of_paths(line: str) -> None:
    async with serving() as served:
        for request in (
            "POST /v1/echo HTTP/1.1",
            "GET /v1/none HTTP/1.1",
            "DELETE /v1/health HTTP/1.1",
            "GET /v1/health?detail=full HTTP/1.1",
            "GET /v1/health?%64etail=full HTTP/1.1",
            "OPTIONS /v1/echo HTTP/1.1",
        ):
            answer = await served.ask(f"{request}\nHost: localhost\n{line}")
            if answer.status == 400:  # two keys are no HTTP
                continue
            assert (answer.status, answer.error["code"]) == (401, "invalid_api_key")
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.error["type"] == "authentication_error"
            assert TOKEN.encode() not in answer.body
    assert served.table.reached == []


@pytest.mark.parametrize(
    "path",
    [
        "//v1/health",
        "/v1//health",
        "/v1/health/",
        "/v1/%68ealth",
        "/v1/./health",
        "/v1/../v1/health",
        "/%2e%2e/v1/health",
        "/v1/health%00",
        "/v1/health;a",
        "/V1/HEALTH",
        "/v1/echo/../health",
        "/",
    ],
)
async def test_only_the_health_by_its_own_name_is_open(path: str) -> None:
    async with serving() as served:
        answer = await served.ask(f"GET {path} HTTP/1.1\nHost: localhost")
    assert answer.status in (400, 401)
    assert served.table.reached == []


@pytest.mark.parametrize(
    "path", ["/v1/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd"]
)
async def test_path_tricks_with_the_key_find_nothing(path: str) -> None:
    async with serving() as served:
        answer = await served.ask(f"GET {path} HTTP/1.1\nHost: localhost\n{KEY}")
    assert (answer.status, answer.error["code"]) == (404, "not_found")
    assert served.table.reached == []


async def test_the_health_needs_no_key() -> None:
    async with serving() as served:
        answer = await served.ask(f"{HEALTH}\nHost: localhost\nAuthorization: Bearer wrong")
    assert answer.status == 200


async def test_nobody_gets_in_while_there_is_no_token() -> None:
    async with serving() as served:
        served.token = None
        for line in ("Authorization: Bearer ", KEY, "Authorization: Bearer None"):
            answer = await served.ask(f"GET /v1/none HTTP/1.1\nHost: localhost\n{line}")
            assert answer.status == 401


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
        "",
    ],
)
async def test_a_form_of_a_page_is_no_request(kind: str) -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b'{"a": 1}', f"Content-Type: {kind}")
        assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")
        two = await served.post(
            "/v1/echo", b"{}", f"Content-Type: {kind}\nContent-Type: text/plain"
        )
        assert two.status in (400, 415)
    assert served.table.reached == []


@pytest.mark.parametrize(
    "kind", ["application/json", "application/JSON; charset=utf-8", "application/vnd.api+json"]
)
async def test_what_is_declared_as_json_is_read(kind: str) -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b"{}", f"Content-Type: {kind}")
    assert answer.status == 200


async def test_a_declared_huge_body_is_refused_before_it_is_sent() -> None:
    async with serving(body_limit_bytes=1000, linger_s=0) as served:
        request = served.request(
            "/v1/echo", b"", "Content-Length: 99999999999", "Expect: 100-continue"
        )
        answer = await served.ask(request)
    assert (answer.status, answer.error["code"]) == (413, "body_too_large")
    assert served.table.reached == []


async def test_a_huge_body_in_chunks_is_cut_off() -> None:
    async with serving(body_limit_bytes=100_000) as served:
        chunk = b"2710\r\n%b\r\n" % (b"x" * 10_000)
        request = served.request("/v1/echo", b"", "Transfer-Encoding: chunked")
        request = "\n".join(line for line in request.split("\n") if "Content-Length" not in line)
        answer = await served.ask(request, chunk * 11 + b"0\r\n\r\n")
    assert (answer.status, answer.error["code"]) == (413, "body_too_large")
    assert served.table.reached == []


async def test_a_compressed_bomb_is_not_unpacked() -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b"\x1f\x8b", "Content-Encoding: gzip")
    assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")


async def test_a_body_that_is_smuggled_is_refused() -> None:
    async with serving() as served:
        answer = await served.post("/v1/echo", b"0\r\n\r\n", "Transfer-Encoding: chunked")
    assert answer.status == 400
    assert served.table.reached == []


async def test_a_sender_that_dawdles_is_refused_and_others_go_on() -> None:
    async with serving(body_s=0.2, linger_s=0) as served:
        slow = asyncio.create_task(
            served.ask(served.request("/v1/echo", b"", "Content-Length: 10"), b"{")
        )
        assert (await served.post("/v1/echo")).status == 200
        answer = await slow
    assert (answer.status, answer.error["code"]) == (408, "request_timeout")
    assert served.table.reached == ["/v1/echo"]


@pytest.mark.parametrize(
    "beginning", [b"", b"GET /v1/health HT", b"GET /v1/health HTTP/1.1\r\nHost: l"]
)
async def test_a_connection_that_says_nothing_whole_is_dropped(beginning: bytes) -> None:
    async with serving(idle_s=0.1) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(beginning)
        assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize(
    "request_",
    [
        "GET /v1/health HTTP/1.1\nHost: localhost\nX-Long: " + "x" * 20_000,
        "GET /v1/" + "x" * 20_000 + " HTTP/1.1\nHost: localhost",
        "GET /v1/health HTTP/1.1\n" + "\n".join(f"X-{number}: 1" for number in range(500)),
        "GET /v1/health HTTP/9.9\nHost: localhost",
        "\x16\x03\x01\x02\x00\x01",
        "GET /v1/health HTTP/1.1\nHost : localhost",
    ],
    ids=["header", "target", "headers", "version", "tls", "colon"],
)
async def test_what_is_no_http_gets_a_plain_answer(request_: str) -> None:
    async with serving() as served:
        answer = await served.ask(request_)
        assert answer.status == 400
        assert answer.error["code"] == "invalid_request"
        assert b"Traceback" not in answer.body
        assert (await served.post("/v1/echo")).status == 200


async def test_many_silent_connections_neither_stop_nor_swell_the_server() -> None:
    async with serving(max_connections=50) as served:
        silent = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(49)]
        assert (await served.post("/v1/echo")).status == 200
        silent += [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(20)]
        await until(
            lambda: (
                sum(reader.at_eof() or reader.exception() is not None for reader, _ in silent) >= 19
            )
        )
        for _, writer in silent:
            writer.close()
        await until(
            lambda: not any(writer.transport.get_write_buffer_size() for _, writer in silent)
        )
        await until(lambda: answers_again(served.port))


def answers_again(port: int) -> bool:
    """Whether the server lets one more in."""
    request = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as sock:
        try:
            sock.sendall(request)
            return sock.recv(100).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            return False
