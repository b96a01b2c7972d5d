"""A user's server on a JupyterHub: found by a token, and started where it does not run.

https://jupyterhub.readthedocs.io/en/stable/reference/rest-api.html
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from playhead.place_worker.http_requests import GoneError, ServerError, ServerRequests, part

_USER = "/user/"
_LOOK_S = 0.5
_START_LIMIT_S = 600.0
_STOPPED = ("place_gone", "place_failed", "place_sign_in")

Report = Callable[[str], None]


class HubServer(NamedTuple):
    """The server of a user: whose it is, and where."""

    user: str
    address: str
    version: str


def hub_address(address: str) -> str:
    """Return the address of the Hub that a server may belong to."""
    return address.partition(_USER)[0].rstrip("/") + "/"


async def find_on_hub(
    address: str, token: str, report: Report = lambda words: None
) -> HubServer | None:
    """Return the user's server, started if it did not run; None where there is no Hub.

    Raises ServerError.
    """
    hub = ServerRequests(hub_address(address), token)
    try:
        version = await _version(hub)
        if not version:
            return None
        if not token:
            raise ServerError(
                "place_unauthorized",
                f"{hub.host} is a JupyterHub, which wants a token.",
                "",
                f"Make one at {hub.address}hub/token and give it here.",
            )
        user = await hub.get("hub/api/user")
        name = str(user.get("name", "")) if isinstance(user, dict) else ""
        path = await _started(hub, name, _server_name(address, name), report)
        root = hub.address.rstrip("/") if not path.startswith("/") else _origin(hub.address)
        return HubServer(name, root + path, version)
    finally:
        await hub.close()


def is_stopped(error: ServerError, address: str) -> bool:
    """Return whether a request may have failed because the Hub has ended the user's server."""
    return _USER in address and error.code in _STOPPED


async def _version(hub: ServerRequests) -> str:
    try:
        found = await hub.get("hub/api/")
    except ServerError as error:
        if error.code in ("place_unreachable", "place_certificate"):
            raise
        return ""
    return str(found.get("version", "")) if isinstance(found, dict) else ""


async def _started(hub: ServerRequests, user: str, server: str, report: Report) -> str:
    """Return the path of the server once it is ready."""
    path = f"hub/api/users/{part(user)}"
    server_path = f"{path}/servers/{part(server)}" if server else f"{path}/server"
    has_asked = False
    async with asyncio.timeout(_START_LIMIT_S):
        while True:
            facts: Any = (await hub.get(path) or {}).get("servers", {}).get(server, {})
            if facts.get("ready"):
                return str(facts.get("url", ""))
            if not has_asked or not facts:
                if has_asked:
                    raise ServerError(
                        "place_failed", f"{hub.host} could not start the server of {user}."
                    )
                report(f"Starting the server of {user} on {hub.host} …")
                await hub.post(server_path)
                has_asked = True
                continue
            await _report_progress(hub, server_path, report)
            await asyncio.sleep(_LOOK_S)


async def _report_progress(hub: ServerRequests, path: str, report: Report) -> None:
    """Report what the Hub says of the start, until it says no more."""
    try:
        async for event in hub.events(f"{path}/progress"):
            words = str(event.get("message", ""))[:200]
            amount = event.get("progress")
            report(f"{words} ({amount} %)" if isinstance(amount, int) else words)
            if event.get("failed"):
                raise ServerError("place_failed", f"{hub.host} could not start the server.", words)
            if event.get("ready"):
                return
    except GoneError:
        return


def _server_name(address: str, user: str) -> str:
    """Return the name of the server in a user's address, "" for the usual one."""
    _, _, rest = address.partition(f"{_USER}{user}/")
    return rest.strip("/").partition("/")[0]


def _origin(address: str) -> str:
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"
