"""A world of this computer's own for the network of a sandbox, and names that must lead nowhere."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playhead.domain.trust import Policy

LISTED = Policy(files="folder", network="listed", hosts=("api.example", "db.example:5432"))
PUBLIC, OTHER, SIXTH = "93.184.216.34", "151.101.1.69", "2606:2800:220:1::1"
NAMES = {
    "api.example": [PUBLIC],
    "db.example": [PUBLIC],
    "other.example": [OTHER],
    "evil.example": [PUBLIC],
    "rebound.example": ["127.0.0.1"],
}
REFUSED_NAMES = (
    *("evil.example", "api.example.evil.example", "xapi.example", "example", "localhost.example"),
    *(
        "rebound.example",
        "api.example\0.evil.example",
        "api-example",
        "api.example..",
        "a_b.example",
    ),
    *("xn--pi-uia.example", "0x7f.1", "2130706433", "127.1", "127.0.0.1", "127.0.0.2", "::1"),
    *(
        "0.0.0.0",
        PUBLIC,
        OTHER,
        "169.254.169.254",
        "198.18.0.77",
        "192.168.0.1",
        "::ffff:127.0.0.1",
    ),
)
"""Rows of the table of attempts: what a name, an address or a trick must not lead to."""


class Echo:
    """A server of this computer that stands for the world: it answers with what it has got."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.heard: list[bytes] = []
        self.ended = threading.Semaphore(0)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                taken, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(taken,), daemon=True).start()

    def _serve(self, taken: socket.socket) -> None:
        with taken:
            while True:
                try:
                    data = taken.recv(65536)
                except OSError:
                    data = b""
                if not data:
                    self.ended.release()
                    return
                self.heard.append(data)
                if data.startswith(b"GET /"):
                    word = data.split()[1]
                    taken.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
                    taken.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(word), word))
                else:
                    taken.sendall(data)

    def outside(self, names: dict[str, list[str]] | None = None) -> dict[str, Any]:
        """Names, of which the public addresses lead here, whatever the port."""
        ways = {
            f"{address}:{port}": ["127.0.0.1", self.port]
            for address in (PUBLIC, OTHER, SIXTH)
            for port in (80, 443, 5432, 8443)
        }
        return {"names": NAMES if names is None else names, "ways": ways}

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


@contextmanager
def echo() -> Iterator[Echo]:
    made = Echo()
    try:
        yield made
    finally:
        made.close()
