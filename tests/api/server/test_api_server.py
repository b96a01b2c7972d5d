"""The server's life: its thread, its start and its end, TLS, both loopback addresses."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from playhead.api.server.api_server import ApiServer
from playhead.api.server.server_options import ServerOptions
from playhead.api.server.sockets import ListenError
from playhead.domain.secret import Secret
from tests.support.http_server import KEY, TOKEN, Table, exchange, serving
from tests.support.waiting import until

HEALTH = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def api_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "playhead-api"]


def test_importing_the_server_leaves_aiohttp_to_its_thread() -> None:
    script = "import sys, playhead.api.server.api_server; sys.exit('aiohttp' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
    )
    assert result.returncode == 0, result.stderr


async def test_the_routes_are_added_in_the_servers_own_thread() -> None:
    threads: list[threading.Thread] = []
    server = ApiServer(
        ServerOptions(port=0),
        lambda: None,
        lambda app: threads.append(threading.current_thread()),
    )
    await server.start()
    assert threads == api_threads()
    await server.stop()
    assert api_threads() == []


async def test_the_address_is_where_it_listens_until_it_stops() -> None:
    async with serving() as served:
        port = served.port
        assert served.server.address == f"http://127.0.0.1:{port}"
        assert (await exchange(port, HEALTH)).status == 200
    assert served.server.address == ""
    with pytest.raises(ConnectionRefusedError):
        await exchange(port, HEALTH)


async def test_the_other_loopback_address_answers_too() -> None:
    async with serving() as served:
        try:
            answer = await exchange(served.port, HEALTH.replace(b"localhost", b"[::1]"), host="::1")
        except OSError:
            pytest.skip("this machine has no IPv6")
    assert answer.status == 200


async def test_a_loopback_address_that_was_asked_for_is_let_in_by_its_name() -> None:
    own = HEALTH.replace(b"localhost", b"127.0.0.2")
    try:
        async with serving(host="127.0.0.2") as served:
            assert (await exchange(served.port, own, host="127.0.0.2")).status == 200
    except ListenError:
        pytest.skip("this machine has one address of loopback only")
    async with serving() as served:
        assert (await exchange(served.port, own)).status == 403


async def test_a_taken_port_ends_the_start_and_leaves_no_thread() -> None:
    async with serving() as served:
        second = ApiServer(ServerOptions(port=served.port), lambda: None, Table().add)
        with pytest.raises(ListenError) as refusal:
            await second.start()
        assert refusal.value.code == "port_taken"
        assert str(served.port) in str(refusal.value)
        assert len(api_threads()) == 1
        assert (await exchange(served.port, HEALTH)).status == 200


async def test_routes_that_fail_end_the_start_with_their_error() -> None:
    def broken(app: object) -> None:
        raise ZeroDivisionError

    server = ApiServer(ServerOptions(port=0), lambda: None, broken)
    with pytest.raises(ZeroDivisionError):
        await server.start()
    assert api_threads() == []


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    server = ApiServer(ServerOptions(port=0), lambda: None, Table().add)
    starting = asyncio.create_task(server.start())
    await asyncio.sleep(0)  # until it waits for its thread
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert api_threads() == []


async def test_stopping_what_never_started_or_has_stopped_is_nothing() -> None:
    server = ApiServer(ServerOptions(port=0), lambda: None, Table().add)
    await server.stop()
    await server.start()
    await server.stop()
    await server.stop()


async def test_another_machine_may_not_ask_without_tls() -> None:
    server = ApiServer(ServerOptions(host="0.0.0.0", port=0), lambda: None, Table().add)
    with pytest.raises(ListenError) as refusal:
        await server.start()
    assert refusal.value.code == "tls_required"
    assert api_threads() == []


async def test_a_renewed_token_counts_from_the_next_request_on() -> None:
    async with serving() as served:
        assert (await served.post("/v1/echo")).status == 200
        served.token = Secret("another")
        assert (await served.post("/v1/echo")).status == 401
        renewed = await served.post("/v1/echo", b"{}", "Authorization: Bearer another")
        assert renewed.status == 200


async def test_stopping_ends_streams_in_their_own_words_and_cancels_their_turns() -> None:
    async with serving() as served:
        asking = asyncio.create_task(served.post("/v1/stream"))
        await until(lambda: served.table.streams)
        stream = served.table.streams[0]
        stream.say("hello")
        await served.server.stop()
        answer = await asking
    assert stream.is_cancelled
    assert [event["content"] for event in answer.events if event["type"] == "status"] == [
        "cancelled"
    ]
    assert answer.events[-1] == {"type": "finished"}


@pytest.mark.parametrize("path", ["/v1/stream", "/v1/whole"])
async def test_stopping_does_not_wait_for_turns_that_do_not_end(path: str) -> None:
    async with serving(Table(ends_when_cancelled=False), stop_s=0.1) as served:
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(served.request(path).replace("\n", "\r\n").encode() + b"\r\n\r\n{}")
        await until(lambda: served.table.streams)
        await served.server.stop()
        await until(lambda: served.table.streams[0].is_cancelled)
        writer.close()


async def test_stopping_cuts_off_who_does_not_read() -> None:
    async with serving(Table(ends_when_cancelled=False), stop_s=0.1) as served:
        sock = socket.create_connection(("127.0.0.1", served.port))
        request = served.request("/v1/stream").replace("\n", "\r\n")
        sock.sendall(request.encode() + b"\r\n\r\n{}")
        await until(lambda: served.table.streams)
        for _ in range(60):
            served.table.streams[0].say("x" * 100_000)
        await served.server.stop()
        sock.close()


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """A certificate for localhost and its key, made by nobody but us."""
    paths = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*command, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True
    )
    return paths


@pytest.fixture
def other_key(tmp_path: Path) -> str:
    path = str(tmp_path / "other.pem")
    subprocess.run(["openssl", "genrsa", "-out", path, "2048"], check=True, capture_output=True)
    return path


@pytest.mark.requires_system("openssl")
async def test_with_a_certificate_it_speaks_tls_and_nothing_else(
    certificate: tuple[str, str],
) -> None:
    cert, key = certificate
    async with serving(tls_cert=cert, tls_key=key, allowed_hosts=("box.example",)) as served:
        assert served.server.address.startswith("https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=cert)
        request = f"GET /v1/none HTTP/1.1\nHost: box.example\n{KEY}"
        assert (await served.ask(request, tls=trusting)).status == 404
        old = ssl.create_default_context(cafile=cert)
        old.maximum_version = ssl.TLSVersion.TLSv1_2
        assert (await served.ask(request, tls=old)).status == 404
        with pytest.raises((ConnectionError, ValueError, IndexError)):
            await served.ask(request)


@pytest.mark.requires_system("openssl")
async def test_a_foreign_key_is_no_key_for_the_certificate(
    certificate: tuple[str, str], other_key: str
) -> None:
    server = ApiServer(
        ServerOptions(port=0, tls_cert=certificate[0], tls_key=other_key),
        lambda: Secret(TOKEN),
        Table().add,
    )
    with pytest.raises(ListenError) as refusal:
        await server.start()
    assert refusal.value.code == "bad_certificate"
    assert api_threads() == []


@pytest.mark.requires_system("openssl")
async def test_the_world_is_let_in_by_tls_and_a_name(certificate: tuple[str, str]) -> None:
    cert, key = certificate
    reach = {"host": "0.0.0.0", "allowed_hosts": ("box.example",)}
    async with serving(tls_cert=cert, tls_key=key, **reach) as served:
        assert served.server.address == f"https://box.example:{served.port}"
        trusting = ssl.create_default_context(cafile=cert)
        request = f"GET /v1/none HTTP/1.1\nHost: box.example:{served.port}\n{KEY}"
        assert (await served.ask(request, tls=trusting)).status == 404
