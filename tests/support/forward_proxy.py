"""A small HTTP proxy on loopback that leads every name to one server of the tests."""

from __future__ import annotations

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ForwardProxy:
    """Takes requests with whole addresses and hands them to the server at `port`."""

    def __init__(self, port: int, *, refuses: int = 0) -> None:
        self.asked: list[str] = []
        self.refuses = refuses
        self.target = port
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="forward-proxy", daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ForwardProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: ForwardProxy


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what was asked is kept."""

    def do_POST(self) -> None:
        owner = self.server.owner
        owner.asked.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        path = "/" + self.path.split("/", 3)[3]
        connection = http.client.HTTPConnection("127.0.0.1", owner.target)
        connection.request("POST", path, body, dict(self.headers))
        answer = connection.getresponse()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type", ""))
        self.end_headers()
        self.wfile.write(answer.read())
        connection.close()

    def do_CONNECT(self) -> None:
        self.server.owner.asked.append(self.path)
        self.send_error(self.server.owner.refuses or 502)
