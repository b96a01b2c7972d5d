"""The HTTP side of the server, in its own thread; imports aiohttp.

The gate wraps the whole application, router and all, for aiohttp resolves the path and answers
`Expect: 100-continue` before the first middleware.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Final, TypeVar, cast

from aiohttp import hdrs, web
from msgspec.structs import replace

from playhead.api.server.auth import Gate, RateLimit, RequestHead, is_open
from playhead.api.server.errors import (
    DEFECT,
    HttpError,
    TurnFailed,
    http_error_of,
    http_error_of_failure,
)
from playhead.api.server.request_body import BodyReader
from playhead.api.server.server_options import ServerOptions
from playhead.api.server.sockets import Sockets, tls_context
from playhead.api.server.sse import OPEN_ANSWERS, STREAM_TIMING, OpenAnswers, StreamTiming, to_json
from playhead.errors import AppError, RequestError

V = TypeVar("V")
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_log = logging.getLogger(__name__)
_access_log = logging.getLogger("playhead.api.access")
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json", re.ASCII | re.IGNORECASE)
_LOGGED_PATH = 200
_HANDSHAKE_S = 10.0
_HEADERS = {"Server": "Playhead", "X-Content-Type-Options": "nosniff"}
_BODIES: Final = web.AppKey("bodies", BodyReader)


async def read_request(request: web.Request, read: Callable[[bytes], V]) -> V:
    """Return what the function makes of the body; it runs in a thread if the body is large."""
    return await request.app[_BODIES].read(await request.read(), read)


class Gateway:
    """Gate, limits, routes and connections of one server; lives on the server's loop."""

    def __init__(
        self,
        options: ServerOptions,
        gate: Gate,
        rate_limit: RateLimit,
        bodies: BodyReader,
        routes: Callable[[web.Application], object],
    ) -> None:
        self._options = options
        self._gate = gate
        self._rate_limit = rate_limit
        self._answers = OpenAnswers()
        self._app = web.Application(
            client_max_size=options.body_limit_bytes, middlewares=[self._with_body]
        )
        self._app[STREAM_TIMING] = StreamTiming(options.ping_s, options.status_s, options.overrun_s)
        self._app[OPEN_ANSWERS] = self._answers
        self._app[_BODIES] = bodies
        self._app.on_response_prepare.append(_set_headers)
        routes(self._app)
        self._running = AsyncExitStack()
        self._inside: Handler

    async def open(self, sockets: Sockets) -> None:
        """Serve on these sockets."""
        options = self._options
        tls = tls_context(options.tls_cert, options.tls_key)
        runner = web.AppRunner(self._app)
        await runner.setup()
        self._running.push_async_callback(runner.cleanup)
        inner = cast(web.Server, runner.server)
        self._inside = inner.request_handler
        server = _Server(self._handle, options, inner.request_factory)
        self._running.push_async_callback(self._end_connections, server)
        for sock in sockets:
            listener = await asyncio.get_running_loop().create_server(
                server, sock=sock, ssl=tls, ssl_handshake_timeout=_HANDSHAKE_S if tls else None
            )
            self._running.callback(listener.close)

    async def close(self) -> None:
        """Listen no more, cancel the turns, give their streams a moment to end, close."""
        await self._running.aclose()

    async def _end_connections(self, server: _Server) -> None:
        await asyncio.sleep(0)  # requests that have just arrived are then among the answers
        server.pre_shutdown()
        self._answers.cancel_all()
        await server.shutdown(self._options.stop_s)
        server.cut_off()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Handle every request; the gate comes before any other check."""
        began_s = time.monotonic()
        status: int | str = "gone"
        try:
            response = await self._answered(request)
            status = response.status
        finally:
            path = request.rel_url.raw_path[:_LOGGED_PATH]
            spent_s = time.monotonic() - began_s
            _access_log.info("%s %s %s %.3f s", request.method, path, status, spent_s)
        return response

    async def _answered(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            self._admit(request)
            return await self._inside(request)
        except web.HTTPException as error:
            failure = _of_aiohttp(error)
            return _failed(request, failure, allow=error.headers.get(hdrs.ALLOW))
        except AppError as error:
            return _failed(request, http_error_of(error))
        except TurnFailed as error:
            failure = replace(http_error_of_failure(error.failure), is_repeatable=not error.has_run)
            return _failed(request, failure)
        except ConnectionResetError:  # the client went while it was written to
            raise
        except Exception as error:  # the edge: a defect never reaches the client
            if request.transport is None:
                raise ConnectionResetError from error
            _log.error("%s %s failed", request.method, request.rel_url.raw_path, exc_info=error)
            return _failed(request, DEFECT)

    def _admit(self, request: web.BaseRequest) -> None:
        head = _request_head(request)
        self._gate.check(head)
        if not is_open(head):
            self._rate_limit.count()
        self._check_declared(request)

    def _check_declared(self, request: web.BaseRequest) -> None:
        """Check what the headers declare about the body, before any of it is read."""
        kinds = request.headers.getall(hdrs.CONTENT_TYPE, [])
        if not request.body_exists and not kinds:
            return
        is_json = len(kinds) == 1 and _JSON.fullmatch(request.content_type)
        if request.method in ("POST", "PUT", "PATCH") and not is_json:
            raise RequestError(
                "The body is not declared as JSON",
                remedy="Send “Content-Type: application/json”.",
                code="unsupported_media_type",
            )
        if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
            raise RequestError(
                "Compressed bodies are not supported",
                remedy="Send the JSON uncompressed.",
                code="unsupported_media_type",
            )
        if (request.content_length or 0) > self._options.body_limit_bytes:
            raise _too_large(self._options.body_limit_bytes)

    @web.middleware
    async def _with_body(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[Any]]
    ) -> Any:
        """Read the body, within its limits, before the handler sees the request."""
        if request.match_info.http_exception is None and request.body_exists:
            await self._read(request)
        return await handler(request)

    async def _read(self, request: web.Request) -> None:
        try:
            async with asyncio.timeout(self._options.body_s):
                await request.read()  # the request keeps what was read
        except TimeoutError:
            raise RequestError(
                "The body did not arrive in time",
                detail=f"It may take {self._options.body_s:g} seconds",
                code="request_timeout",
            ) from None
        except web.HTTPRequestEntityTooLarge:
            raise _too_large(self._options.body_limit_bytes) from None
        except web.RequestPayloadError:
            raise RequestError("The body does not match its headers", code="invalid_json") from None


class _Server(web.Server):
    """Makes our connections, no more of them than `most`, and remembers them until they end."""

    def __init__(self, handler: Handler, options: ServerOptions, factory: Any) -> None:
        super().__init__(handler, request_factory=factory, handler_cancellation=True)
        self._options = options
        self._transports: set[asyncio.Transport] = set()

    def __call__(self) -> web.RequestHandler:
        return _Connection(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=self._options.idle_s,
            lingering_time=self._options.linger_s,
            auto_decompress=False,
            access_log=cast(logging.Logger, None),  # ours knows of cancelled requests too
            logger=_log,
        )

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self._transports) >= self._options.max_connections:
            _log.info("more than %d connections", self._options.max_connections)
            transport.abort()  # the files that may be open are the kernels' and the history's too
        self._transports.add(transport)

    def connection_lost(
        self, handler: web.RequestHandler, exc: BaseException | None = None
    ) -> None:
        super().connection_lost(handler, exc)
        self._transports = {each for each in self._transports if not each.is_closing()}

    def cut_off(self) -> None:
        """Close what would wait for clients that do not read."""
        for transport in self._transports:
            transport.abort()


class _Connection(web.RequestHandler):
    """A connection that answers in our format also if aiohttp finds that a request is not HTTP."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if isinstance(exc, ConnectionError):  # the client has gone; aiohttp closes then
            raise exc
        if status >= 500:
            _log.error("a connection failed", exc_info=exc)
            failure = DEFECT
        else:
            _access_log.info("no HTTP: %s", type(exc).__name__)
            failure = HttpError(
                status=400,
                code="invalid_request",
                message="The request is not valid HTTP",
            )
        response = _failed(request, failure)
        response.force_close()
        return response


def _request_head(request: web.BaseRequest) -> RequestHead:
    headers = request.headers
    return RequestHead(
        method=request.method,
        target=request.raw_path,
        path=request.rel_url.raw_path,
        asks=request.query.keys(),
        hosts=headers.getall(hdrs.HOST, []),
        origins=headers.getall(hdrs.ORIGIN, []),
        authorizations=headers.getall(hdrs.AUTHORIZATION, []),
    )


def _failed(
    request: web.BaseRequest, failure: HttpError, *, allow: str | None = None
) -> web.Response:
    if request.writer.output_size > 0:  # an answer has begun: it cannot be taken back
        raise ConnectionResetError
    response = web.Response(
        status=failure.status,
        body=to_json(failure.body(request.rel_url.raw_path)),
        content_type="application/json",
        headers=_HEADERS | failure.headers | ({hdrs.ALLOW: allow} if allow else {}),
    )
    if not request.content.is_eof():
        response.force_close()
    return response


def _of_aiohttp(error: web.HTTPException) -> HttpError:
    match error.status:
        case 404:
            return HttpError(status=404, code="not_found", message="There is no such path")
        case 405:
            return HttpError(
                status=405, code="not_found", message="This path does not support this method"
            )
        case 413:
            return HttpError(status=413, code="body_too_large", message="The body is too large")
        case status if 400 <= status < 500:
            return HttpError(status=status, code="invalid_request", message=error.reason)
        case _:
            _log.error("a handler raised %s", error)
            return DEFECT


def _too_large(limit_bytes: int) -> RequestError:
    return RequestError(
        f"The body is larger than {limit_bytes / 1024**2:g} MB",
        remedy="Send large files by their path.",
        code="body_too_large",
    )


async def _set_headers(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _HEADERS.items():
        response.headers[name] = value
