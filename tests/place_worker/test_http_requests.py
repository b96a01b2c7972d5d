"""Answers that are none of a Jupyter server's, each in words that say what to do."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from playhead.place_worker.http_requests import ServerError, ServerRequests

TOKEN = "a-token"
_ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/page": (200, {"Content-Type": "text/html"}, b"<html>Sign in</html>"),
    "/login": (302, {"Location": "/hub/login?next=x"}, b""),
    "/away": (302, {"Location": "http://elsewhere.example/api"}, b""),
    "/refused": (403, {}, b'{"message": "Forbidden"}'),
    "/gone": (404, {}, b"[]"),
    "/broken": (500, {}, b"\xff"),
    "/words": (200, {}, b"hello"),
    "/deep": (200, {}, b"[" * 100_000),
    "/much": (200, {}, b"1" * 17_000_000),
}


class _Handler(BaseHTTPRequestHandler):
    seen: list[str] = []  # noqa: RUF012 - one server a module

    def do_GET(self) -> None:
        status, headers, body = _ANSWERS[self.path]
        self.seen.append(self.headers["Authorization"])
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *given: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("page", "place_sign_in"),
        ("login", "place_sign_in"),
        ("away", "place_redirect"),
        ("refused", "place_unauthorized"),
        ("gone", "place_gone"),
        ("broken", "place_failed"),
        ("words", "place_no_server"),
        ("deep", "place_no_server"),
        ("much", "place_no_server"),
    ],
)
async def test_an_answer_of_another_program_says_what_it_is(
    address: str, path: str, code: str
) -> None:
    requests = ServerRequests(address, TOKEN)
    with pytest.raises(ServerError) as raised:
        await requests.get(path)
    await requests.close()
    assert raised.value.code == code
    assert TOKEN not in str(raised.value.fields)
    assert _Handler.seen[-1] == f"token {TOKEN}"  # in a header, never in the address


async def test_nobody_there_is_said() -> None:
    requests = ServerRequests("http://127.0.0.1:1", TOKEN)
    with pytest.raises(ServerError, match="cannot be reached"):
        await requests.get("api")
    await requests.close()
