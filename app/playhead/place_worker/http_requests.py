"""Requests to a Jupyter server by HTTP, and what goes wrong with them in words for a person."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import ssl
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast
from urllib.parse import quote, urlsplit

import aiohttp

from playhead.place_worker.jupyter_messages import object_of

_LIMIT_BYTES = 16_000_000
_LIMIT_S = 30.0
_CONNECT_LIMIT_S = 10.0
_STREAM_LIMIT_S = 600.0
_LEAST_SECRET = 6
_CERTIFICATE_ERRORS = (
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ClientConnectorSSLError,
    ssl.SSLError,
)


class ServerError(Exception):
    """A failure that a person can mend."""

    def __init__(self, code: str, title: str, detail: str = "", remedy: str = "") -> None:
        super().__init__(title)
        self.code, self.title, self.detail, self.remedy = code, title, detail, remedy

    @property
    def fields(self) -> dict[str, str]:
        """Return it as it is sent to the app."""
        return {
            "code": self.code,
            "title": self.title,
            "detail": self.detail[:600],
            "remedy": self.remedy,
        }


class GoneError(ServerError):
    """Raised for something that is not there."""


class ServerRequests:
    """Owner of the connections to one server; used in the thread of one loop.

    `address` ends in "/". The token goes to this origin only: a redirect is never followed.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address if address.endswith("/") else address + "/"
        self._token = token
        self._headers = {"Authorization": f"token {token}"} if token else {}
        self._session: aiohttp.ClientSession | None = None

    @property
    def host(self) -> str:
        """Return the name of the server's machine, for people."""
        return urlsplit(self.address).hostname or self.address

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str) -> Any:
        """Return the JSON of a resource. Raises ServerError."""
        return await self._ask("GET", path)

    async def post(self, path: str, body: Any = None) -> Any:
        """Post something; return the JSON of the answer. Raises ServerError."""
        return await self._ask("POST", path, body)

    async def put(self, path: str, body: Any) -> Any:
        """Put something. Raises ServerError."""
        return await self._ask("PUT", path, body)

    async def delete(self, path: str) -> None:
        """Delete something. Raises ServerError."""
        await self._ask("DELETE", path)

    async def events(self, path: str) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of a stream, each an object of JSON. Raises ServerError."""
        try:
            async with self._open().get(
                self.address + path,
                allow_redirects=False,
                headers={"Accept": "text/event-stream"},
                timeout=aiohttp.ClientTimeout(total=_STREAM_LIMIT_S),
            ) as answer:
                if answer.status != 200:
                    raise self._refused(answer.status, "")
                async for line in answer.content:
                    if line.startswith(b"data:"):
                        yield object_of(line[5:])
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise self._failed(error) from error

    async def socket(
        self, path: str, query: Mapping[str, str], protocol: str, limit_bytes: int
    ) -> Any:
        """Return an open WebSocket. Raises ServerError."""
        url = self.address.replace("http", "ws", 1) + path
        try:
            async with asyncio.timeout(_LIMIT_S):
                return await self._open().ws_connect(
                    url,
                    params=query,
                    protocols=(protocol,),
                    autoping=False,
                    max_msg_size=limit_bytes,
                    compress=0,
                )
        except aiohttp.WSServerHandshakeError as error:
            raise self._refused(error.status, self._plain(error.message)) from error
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise self._failed(error) from error

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        try:
            async with self._open().request(
                method, self.address + path, json=body, allow_redirects=False
            ) as answer:
                data = await answer.content.read(_LIMIT_BYTES)
                while (more := await answer.content.read(_LIMIT_BYTES)) and len(
                    data
                ) <= _LIMIT_BYTES:
                    data += more
                return self._read(answer, data)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            raise self._failed(error) from error

    def _read(self, answer: aiohttp.ClientResponse, data: bytes) -> Any:
        if 300 <= answer.status < 400:
            raise self._led_away(answer.headers.get("Location", ""))
        if answer.status >= 400:
            raise self._refused(answer.status, self._plain(_message_in(data)))
        if answer.status == 204 or not data:
            return None
        if len(data) > _LIMIT_BYTES:
            raise ServerError("place_no_server", f"{self.host} answers with too much.")
        if "html" in answer.headers.get("Content-Type", ""):
            raise self._is_page()
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise self.is_no_server() from None

    def _plain(self, words: str) -> str:
        """Return the server's words for a person: it may send back what it was given."""
        return str(without_token(words, self._token))[:300]

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            trace = aiohttp.TraceConfig()
            trace.on_request_redirect.append(_refuse_redirect)
            self._session = aiohttp.ClientSession(
                headers={**self._headers, "Accept": "application/json"},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=_LIMIT_S, sock_connect=_CONNECT_LIMIT_S),
                trust_env=not _is_here(self.host),  # what stays here is for no proxy
                trace_configs=[trace],
            )
        return self._session

    def _led_away(self, target: str) -> ServerError:
        host = urlsplit(target).hostname
        if host and host != urlsplit(self.address).hostname:
            return ServerError(
                "place_redirect",
                f"{self.host} leads to another server.",
                f"It leads to {host}, which would get your token and your code.",
                "If that is the one that you mean, give its address.",
            )
        return self._is_page()

    def _is_page(self) -> ServerError:
        hub, _, _ = self.address.partition("/user/")
        return ServerError(
            "place_sign_in",
            "This is a sign-in page, not a server for code.",
            self.address,
            f"Make a token at {hub.rstrip('/')}/hub/token, or copy the one that the server prints "
            "when it starts.",
        )

    def is_no_server(self) -> ServerError:
        """Return the error of an address at which another program answers."""
        return ServerError(
            "place_no_server",
            f"A program that is not a Jupyter server answers at {self.host}.",
            self.address,
            "See whether the address is complete, with its path.",
        )

    def _refused(self, status: int, words: str) -> ServerError:
        if status in (401, 403):
            return ServerError(
                "place_unauthorized",
                f"{self.host} refuses the token.",
                words or f"It answers with {status}.",
                "Give a token that is valid now.",
            )
        if status == 404:
            return GoneError("place_gone", f"{self.host} knows nothing of that.", words)
        if status in (301, 302, 303, 307, 308):
            return self._is_page()
        return ServerError(
            "place_failed", f"{self.host} answers with an error.", f"{status}: {words}"[:300]
        )

    def _failed(self, error: Exception) -> ServerError:
        if isinstance(error, ServerError):
            return error
        if isinstance(
            error,
            (
                aiohttp.ClientConnectorCertificateError,
                ssl.SSLError,
                aiohttp.ClientConnectorSSLError,
            ),
        ):
            return ServerError(
                "place_certificate",
                f"The certificate of {self.host} is not trusted.",
                str(error),
                "Ask who runs the server for its certificate authority, and add that to the "
                "system's; or name its file in the variable SSL_CERT_FILE.",
            )
        if isinstance(error, (TimeoutError, aiohttp.ServerTimeoutError)):
            return ServerError(
                "place_unreachable", f"{self.host} does not answer.", "", "Try again later."
            )
        return ServerError(
            "place_unreachable",
            f"{self.host} cannot be reached.",
            str(error),
            "See whether it runs, and whether you are in its network.",
        )


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def _refuse_redirect(session: Any, context: Any, given: Any) -> None:
    raise aiohttp.ClientPayloadError("It leads to another address.")


def _message_in(data: bytes) -> str:
    try:
        found = json.loads(data)
        return str(found["message"] or "")
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def without_token(value: Any, token: str) -> Any:
    """Return what a server says with "…" for the token, which it knows."""
    if len(token) < _LEAST_SECRET:  # words have that in them; it is no secret
        return value
    if isinstance(value, str):
        return value.replace(token, "…")
    if isinstance(value, list):
        return [without_token(one, token) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        return {name: without_token(one, token) for name, one in found.items()}
    return value


def part(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")
