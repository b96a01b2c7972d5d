"""The server as the window switches it: follows the settings, keeps the token in the keyring."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from playhead.domain.secret import KeySource, Secret
from playhead.errors import AppError
from playhead.session.ports import ApiStatus, Keys, Settings

if TYPE_CHECKING:
    from playhead.api.server.api_server import ApiServer
    from playhead.api.server.server_options import ServerOptions
    from playhead.api.turns.client_request import ApiPolicy

TOKEN_NAME = "playhead-api"  # noqa: S105 - the name under which it is kept
APPROVE_SWITCH = "“Programs may approve code themselves” in Playhead's settings"
AUTO_RUN_SWITCH = "“Programs may have code run without asking” in Playhead's settings"

MakeServer = Callable[["ServerOptions", Callable[[], Secret | None]], "ApiServer"]
_NOT_KEPT = "No keyring is usable: the token is kept for this run only."
_log = logging.getLogger(__name__)


def window_policy(settings: Settings) -> ApiPolicy:
    """Return the policy for an open window: it decides, unless the settings let programs do so."""
    from playhead.api.turns.client_request import ApiPolicy  # most windows never listen

    return ApiPolicy(
        may_approve=lambda: settings.current.api_client_approves,
        may_auto_run=lambda: settings.current.api_auto_run,
        approve_switch=APPROVE_SWITCH,
        auto_run_switch=AUTO_RUN_SWITCH,
        has_window=True,
    )


class ApiSwitch:
    """Owns the server that listens, if one does. `given` is a token from the environment."""

    def __init__(
        self, settings: Settings, keys: Keys, make_server: MakeServer, given: Secret | None = None
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._make_server = make_server
        self._status = ApiStatus()
        self._listeners: list[Callable[[ApiStatus], None]] = []
        self._server: ApiServer | None = None
        self._port = 0
        self._token = given
        self._note = ""
        self._applying = asyncio.Lock()

    @property
    def status(self) -> ApiStatus:
        """Return the status of the server."""
        return self._status

    def subscribe(self, listener: Callable[[ApiStatus], None]) -> Callable[[], None]:
        """Call `listener` on every change; call the result to unsubscribe."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    async def apply(self) -> None:
        """Start, stop or move as the settings say; a failure shows in `status`."""
        async with self._applying:
            wanted = self._settings.current
            if self._server is not None and (
                not wanted.api_enabled or wanted.api_port != self._port
            ):
                await self._stop()
            if wanted.api_enabled and self._server is None:
                await self._start(wanted.api_port)
            if self._server is not None:
                self._server.rate_limit = wanted.api_rate_limit
                self._server.max_messages = wanted.api_max_messages
            elif not wanted.api_enabled:
                self._emit(ApiStatus())

    async def token(self) -> Secret:
        """Return the token, which is made and stored at the first call."""
        if self._token is None:
            stored = (await self._keys.get(TOKEN_NAME)).secret
            self._token = stored or await self._first()
        return self._token

    async def renew_token(self) -> Secret:
        """Replace the token and return the new one."""
        self._token = await self._made()
        if self._status.state == "listening":
            self._emit(ApiStatus("listening", self._status.address, self._note))
        return self._token

    async def close(self) -> None:
        """Stop listening permanently."""
        async with self._applying:
            await self._stop()

    async def _start(self, port: int) -> None:
        from playhead.api.server.server_options import ServerOptions

        self._emit(ApiStatus("starting"))
        await self.token()
        settings = self._settings.current
        options = ServerOptions(
            port=port,
            rate_limit=settings.api_rate_limit,
            max_messages=settings.api_max_messages,
        )
        server = self._make_server(options, lambda: self._token)
        try:
            await server.start()
        except AppError as error:
            _log.info("The server for other programs did not start: %s", error)
            self._emit(ApiStatus("failed", error=error))
            return
        self._server, self._port = server, port
        self._emit(ApiStatus("listening", server.address, self._note))

    async def _stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()
            self._emit(ApiStatus())

    async def _first(self) -> Secret:
        """Return a new token; do not overwrite one that a locked keyring may hold."""
        if (await self._keys.status()).is_locked:
            self._note = _NOT_KEPT
            return _fresh_token()
        return await self._made()

    async def _made(self) -> Secret:
        secret = _fresh_token()
        source: KeySource = await self._keys.set(TOKEN_NAME, secret)
        self._note = "" if source == "keyring" else _NOT_KEPT
        return secret

    def _emit(self, status: ApiStatus) -> None:
        if status == self._status:
            return
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)


def _fresh_token() -> Secret:
    import secrets  # a window without the server makes none

    return Secret(secrets.token_urlsafe(32))
