"""The server for other programs: a thread with its own loop, started and stopped by the core.

Nothing here imports aiohttp: that takes half a second, which the server's thread spends.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from playhead.api.server.auth import Gate, RateLimit
from playhead.api.server.request_body import BodyReader
from playhead.api.server.server_options import ServerOptions
from playhead.api.server.sockets import Sockets, bind, check_reach, is_loopback
from playhead.domain.secret import Secret

if TYPE_CHECKING:
    from aiohttp import web

    Routes = Callable[[web.Application], object]


class ApiServer:
    """Listens from `start()` to `stop()`; once stopped it is done for.

    `token` and `routes` are called in the server's thread: `token` for every request, `routes`
    once, with the application to add its routes to (a module that imports aiohttp is best imported
    there). Owner: who composes the program.
    """

    def __init__(
        self, options: ServerOptions, token: Callable[[], Secret | None], routes: Routes
    ) -> None:
        self._options = options
        # A host that the server was set to listen on, such as 127.0.0.2, is this machine's as well.
        own = (options.host,) if is_loopback(options.host) else ()
        self._gate = Gate(token, options.allowed_hosts + own)
        self._rate_limit = RateLimit(options.rate_limit)
        self._bodies = BodyReader(options.max_messages)
        self._routes = routes
        self._address = ""
        self._thread = threading.Thread(target=self._run, name="playhead-api", daemon=True)
        self._listening = concurrent.futures.Future[str]()
        self._ended = concurrent.futures.Future[None]()
        self._stop: Callable[[], object] | None = None
        self._is_stop_wanted = False

    @property
    def address(self) -> str:
        """Return the address, like `http://127.0.0.1:5001`, or '' before the server listens."""
        return self._address

    @property
    def rate_limit(self) -> int:
        """Return the limit in requests a minute, 0 for none; it may be set while the server
        runs.
        """
        return self._rate_limit.per_minute

    @rate_limit.setter
    def rate_limit(self, per_minute: int) -> None:
        self._rate_limit.per_minute = per_minute

    @property
    def max_messages(self) -> int:
        """Return how many messages a request may bring; it may be set while the server runs."""
        return self._bodies.max_messages

    @max_messages.setter
    def max_messages(self, count: int) -> None:
        self._bodies.max_messages = count

    async def start(self) -> None:
        """Return when it listens; raises ListenError, and leaves nothing behind then."""
        check_reach(
            self._options.host,
            has_tls=bool(self._options.tls_cert),
            allowed_hosts=self._options.allowed_hosts,
        )
        is_known = asyncio.Event()
        wake = asyncio.get_running_loop().call_soon_threadsafe
        self._listening.add_done_callback(lambda _: wake(is_known.set))
        self._thread.start()
        try:
            await is_known.wait()
            self._address = self._listening.result()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """End open streams and their turns, close all connections, end the thread: within 2 s."""
        if not self._thread.ident:
            return
        self._is_stop_wanted = True
        if self._stop is not None:
            with contextlib.suppress(RuntimeError):  # its loop has already ended
                self._stop()
        await asyncio.shield(asyncio.wrap_future(self._ended))
        self._thread.join()
        self._address = ""

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # reported by the code that waits for the start
            if self._listening.done():
                raise
            self._listening.set_exception(error)
        finally:
            self._ended.set_result(None)

    async def _serve(self) -> None:
        from playhead.api.server.gateway import Gateway

        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(stopping.set)
        options = self._options
        gateway = Gateway(options, self._gate, self._rate_limit, self._bodies, self._routes)
        sockets = bind(options.host, options.port)
        try:
            await gateway.open(sockets)
            self._listening.set_result(_address(options, sockets))
            if not self._is_stop_wanted:
                await stopping.wait()
        finally:
            await gateway.close()
            for sock in sockets:
                sock.close()


def _address(options: ServerOptions, sockets: Sockets) -> str:
    scheme = "https" if options.tls_cert else "http"
    host, port = sockets[0].getsockname()[:2]
    if not is_loopback(options.host):
        host = options.allowed_hosts[0].partition(":")[0]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
