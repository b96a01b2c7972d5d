"""The HTTP server over the core's sessions, for the window and for `playhead serve`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from playhead import __version__
from playhead.api.bridge import Bridge
from playhead.api.incoming import Policy
from playhead.api.model_state import ModelState
from playhead.api.options import ServerOptions
from playhead.api.server import ApiServer
from playhead.api.turns import Turns
from playhead.bootstrap.core import Core
from playhead.conversation.secret import Secret
from playhead.storage import paths

if TYPE_CHECKING:
    from aiohttp import web


def make_turns(core: Core, policy: Policy) -> Turns:
    """What programs may ask of the core's sessions; close it before the core."""
    ports = core.ports
    models = ModelState(ports.settings, ports.keys, ports.catalog)
    return Turns(core.sessions, models, policy, core.records)


def make_server(
    core: Core, turns: Turns, options: ServerOptions, token: Callable[[], Secret | None]
) -> ApiServer:
    """A server that does not listen yet; call it on the core's loop."""

    def trusted() -> tuple[int, ...]:
        """The model worker hides its files from us, but runs nobody's code."""
        pid = core.worker.worker_pid
        return () if pid is None else (pid,)

    bridge = Bridge(asyncio.get_running_loop())
    collection = paths.resources_dir() / "api.json"

    def routes(app: web.Application) -> None:
        from playhead.api.routes import add_routes  # imports aiohttp, in the server's thread
        from playhead.api.services import Services

        read, outputs_dir = collection.read_bytes, paths.outputs_dir()
        services = Services(bridge, turns, read, __version__, trusted, outputs_dir)
        add_routes(app, services)

    return ApiServer(options, token, routes)
