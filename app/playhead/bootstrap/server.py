"""The HTTP server over the core's sessions, for the window and for `playhead serve`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from playhead import __version__
from playhead.api.assistants.assistants import make_assistants
from playhead.api.server.api_server import ApiServer
from playhead.api.server.bridge import Bridge
from playhead.api.server.server_options import ServerOptions
from playhead.api.turns.client_request import ApiPolicy
from playhead.api.turns.model_state import ModelState
from playhead.api.turns.turns import Turns
from playhead.bootstrap.core import Core
from playhead.domain.secret import Secret
from playhead.storage import paths

if TYPE_CHECKING:
    from aiohttp import web


class ProgramAccess:
    """Holds what programs may use of the core's sessions; close it before the core.

    It outlives the servers over it, which come and go with the settings.
    """

    def __init__(self, core: Core, policy: ApiPolicy) -> None:
        self.turns = make_turns(core, policy)
        self.assistants = make_assistants(
            core.sessions, self.turns, _model_state(core), core.records
        )

    async def close(self) -> None:
        """End all turns and runs that programs began."""
        await self.turns.close()
        self.assistants.runs.close()


def make_turns(core: Core, policy: ApiPolicy) -> Turns:
    """Return the turns that programs may begin in the core's sessions."""
    return Turns(core.sessions, _model_state(core), policy, core.records)


def _model_state(core: Core) -> ModelState:
    return ModelState(core.ports.settings, core.ports.keys, core.ports.catalog)


def make_server(
    core: Core,
    access: ProgramAccess,
    options: ServerOptions,
    token: Callable[[], Secret | None],
) -> ApiServer:
    """Return a server that does not listen yet; call this on the core's loop."""

    def trusted() -> tuple[int, ...]:
        """Return the pids of children that hide their files from us but run no code of users."""
        pid = core.worker.pid
        kernels = core.supervisors()
        return kernels if pid is None else (pid, *kernels)

    bridge = Bridge(asyncio.get_running_loop())
    collection = paths.resources_dir() / "api.json"

    def routes(app: web.Application) -> None:
        from playhead.api.routes import add_routes  # imports aiohttp, in the server's thread
        from playhead.api.server.responder import Services

        read, outputs_dir = collection.read_bytes, paths.outputs_dir()
        services = Services(
            bridge=bridge,
            turns=access.turns,
            collection=read,
            version=__version__,
            trusted=trusted,
            outputs_dir=outputs_dir,
        )
        add_routes(app, services, access.assistants)

    return ApiServer(options, token, routes)
