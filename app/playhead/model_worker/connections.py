"""The connections to providers: one HTTP client for each proxy and CA file."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any, Protocol

import httpx

from playhead.model_worker.errors import (
    RedirectedError,
    Refusal,
    StreamFailure,
)

_MAX_CLIENTS = 8
_MAX_REFUSAL_BYTES = 65_536
_LOOPBACK: dict[str, httpx.AsyncBaseTransport | None] = {
    "all://localhost": None,
    "all://127.0.0.1": None,
    "all://[::1]": None,
}
"""Addresses that a proxy could not reach anyway."""


class NetworkSettings(Protocol):
    """The network settings of the questions that need the network."""

    @property
    def proxy(self) -> str:
        """Return the proxy's address, or "" for the one that the environment names."""
        ...

    @property
    def ca_file(self) -> str:
        """Return a file of certificates in place of the system's, or ""."""
        ...

    @property
    def connect_s(self) -> float:
        """Return the limit of time for a connection."""
        ...

    @property
    def first_s(self) -> float:
        """Return the limit of time for the beginning of an answer."""
        ...


class Connections:
    """Keeps the clients; the oldest goes when there are too many."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str, int], httpx.AsyncClient] = {}

    def client(self, ask: NetworkSettings) -> httpx.AsyncClient:
        """Return the client for this question.

        Raises StreamFailure when the certificates or the proxy cannot be used.
        """
        proxy, ca_file = ask.proxy.strip(), ask.ca_file.strip()
        key = (proxy, ca_file, _changed_at(ca_file))
        if key not in self._clients:
            made = _client(proxy, ca_file)
            if len(self._clients) >= _MAX_CLIENTS:  # turns under way keep theirs alive
                del self._clients[next(iter(self._clients))]
            self._clients[key] = made
        return self._clients[key]


async def send_request(
    client: httpx.AsyncClient, request: httpx.Request, ask: NetworkSettings
) -> httpx.Response:
    """Return the head of the answer to a request, within the time limits of the question."""
    limits = httpx.Timeout(ask.first_s + 5, connect=ask.connect_s)
    request.extensions["timeout"] = limits.as_dict()
    response = await client.send(request, stream=True, follow_redirects=False)
    if response.has_redirect_location:
        await response.aclose()
        raise RedirectedError(
            f"It points to {_redirect_target(request.url, response)}.", request=request
        )
    return response


async def read_refusal(response: httpx.Response) -> Refusal:
    """Return the beginning of a refusal; of a longer one nobody waits for the rest."""
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= _MAX_REFUSAL_BYTES:
            break
    await response.aclose()
    text = with_body(response, content=body[:_MAX_REFUSAL_BYTES]).text
    return Refusal(response.status_code, response.headers, text)


def with_body(response: httpx.Response, **body: Any) -> httpx.Response:
    """Return the head of an answer with a body that is already decompressed."""
    headers = {
        name: value
        for name, value in response.headers.items()
        if name not in ("content-encoding", "content-length", "transfer-encoding")
    }
    return httpx.Response(response.status_code, headers=headers, request=response.request, **body)


def _redirect_target(url: httpx.URL, response: httpx.Response) -> str:
    """Return the target of a redirect, without what may be secret in it."""
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        return "no address"
    return f"{target.scheme}://{target.netloc.decode('ascii', 'replace')}{target.path}"


def _changed_at(ca_file: str) -> int:
    try:
        return Path(ca_file).stat().st_mtime_ns if ca_file else 0
    except OSError:  # opening it reports the error
        return 0


def _client(proxy: str, ca_file: str) -> httpx.AsyncClient:
    verify = _certificates(ca_file) if ca_file else True
    try:
        return httpx.AsyncClient(
            proxy=proxy or None, verify=verify, mounts=dict(_LOOPBACK), follow_redirects=False
        )
    except (ValueError, httpx.InvalidURL, ImportError) as error:
        raise StreamFailure(
            "upstream_network",
            "The proxy cannot be used.",
            "Correct “Proxy” in the settings; it looks like http://proxy.example:3128.",
            str(error) if not isinstance(error, ImportError) else "SOCKS is not supported.",
        ) from error


def _certificates(ca_file: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=str(Path(ca_file).expanduser()))
    except (OSError, ValueError) as error:  # SSLError, for an invalid certificate, is an OSError
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StreamFailure(
            "upstream_network",
            "The file of certificates cannot be read.",
            "Choose another file as “Certificates” in the settings, in PEM format, or none.",
            f"{ca_file}: {reason}",
        ) from error
