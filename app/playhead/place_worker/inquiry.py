"""Finds out who answers at an address; a user's server on a JupyterHub is started on the way.

In a process of its own it takes one line, {"address", "token"}, and gives lines:
{"progress": words}, and at last {"answer": …} or {"error": …}.
https://jupyterhub.readthedocs.io/en/stable/reference/rest-api.html
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from playhead.place_worker.http_requests import (
    GoneError,
    ServerError,
    ServerRequests,
    part,
    without_token,
)

_USER = "/user/"
_PATH = re.compile(r"/[^\s?#\\]{0,1000}")
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
        name = str(_object(await hub.get("hub/api/user")).get("name", ""))
        path = await _started(hub, name, _server_name(address, name), report)
        return HubServer(name, _origin(hub.address) + path, version)
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
    return str(_object(found).get("version", ""))


async def _started(hub: ServerRequests, user: str, server: str, report: Report) -> str:
    """Return the path of the server once it is ready."""
    path = f"hub/api/users/{part(user)}"
    server_path = f"{path}/servers/{part(server)}" if server else f"{path}/server"
    has_asked = False
    async with asyncio.timeout(_START_LIMIT_S):
        while True:
            facts = _object(_object(_object(await hub.get(path)).get("servers")).get(server))
            if facts.get("ready"):
                return _path(facts.get("url"))
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


def _path(url: object) -> str:
    """Return a path of the Hub: anything else could be a part of another server's name."""
    if isinstance(url, str) and _PATH.fullmatch(url):
        return url
    raise ServerError("place_failed", "The Hub does not say where the server is.")


def _origin(address: str) -> str:
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


_MOST = 200
_TRIED = ("place_gone", "place_sign_in", "place_no_server", "place_redirect")


def main() -> int:
    """Answer the question on standard input."""
    asked = json.loads(sys.stdin.readline())
    token = asked.get("token") or ""
    try:
        found = asyncio.run(_answer(asked["address"], token))
        _print({"answer": {**without_token(found, token), "address": found["address"]}})
    except ServerError as error:
        _print({"error": without_token(error.fields, token)})
    except TimeoutError:
        _print({"error": ServerError("place_unreachable", "The Hub takes too long.").fields})
    return 0


async def _answer(address: str, token: str) -> dict[str, Any]:
    server = ServerRequests(address, token)
    try:
        try:
            about = _object(await server.get("api"))
            if "version" not in about:
                raise server.is_no_server()
            found = await _facts(server, about, "")
        except ServerError as error:
            if error.code not in _TRIED and not is_stopped(error, server.address):
                raise
            own = await find_on_hub(
                address, token, lambda words: _print({"progress": without_token(words, token)})
            )
            if own is None:
                raise server.is_no_server() if error.code == "place_gone" else error from None
            await server.close()
            server = ServerRequests(own.address, token)
            found = await _facts(server, _object(await server.get("api")), own.user)
            found |= {"kind": "hub", "title": f"JupyterHub {_short(own.version)}"}
        return found
    finally:
        await server.close()


async def _facts(server: ServerRequests, about: dict[str, Any], user: str) -> dict[str, Any]:
    given = _object(await server.get("api/kernelspecs"))
    specs = _object(given.get("kernelspecs"))
    first = given.get("default")
    names = sorted(specs, key=lambda name: (name != first, name))[:_MOST]
    known = {name: _spec(name, _object(specs[name])) for name in names}
    notebooks = {
        str(_object(one.get("kernel")).get("id")): str(one.get("path") or one.get("name") or "")
        for one in await _rows(server, "api/sessions")
    }
    is_gateway = "gateway_version" in about or await _has_no_files(server)
    version = _short(str(about.get("gateway_version") or about.get("version", "")))
    return {
        "kind": "gateway" if is_gateway else "server",
        "title": f"{'Kernel gateway' if is_gateway else 'Jupyter Server'} {version}",
        "address": server.address.rstrip("/"),
        "user": user,
        "specs": list(known.values()),
        "running": [
            {
                "id": str(one.get("id")),
                "spec": str(one.get("name")),
                "label": known.get(str(one.get("name")), {}).get("label") or str(one.get("name")),
                "language": known.get(str(one.get("name")), {}).get("language") or "",
                "notebook": notebooks.get(str(one.get("id")), "")[:500],
                "state": str(one.get("execution_state") or ""),
            }
            for one in await _rows(server, "api/kernels")
        ],
    }


async def _has_no_files(server: ServerRequests) -> bool:
    """Return whether it only has kernels, as gateways."""
    try:
        await server.get("api/contents?content=0")
    except GoneError:
        return True
    except ServerError:
        return False
    return False


async def _rows(server: ServerRequests, path: str) -> list[dict[str, Any]]:
    """Return a list of a server; [] where it has none, as gateways."""
    try:
        found = await server.get(path)
    except ServerError:
        return []
    rows = cast("list[object]", found)[:_MOST] if isinstance(found, list) else []
    return [_object(one) for one in rows]


def _spec(name: str, facts: dict[str, Any]) -> dict[str, str]:
    spec = _object(facts.get("spec"))
    label, language = spec.get("display_name"), spec.get("language")
    return {"name": name, "label": str(label or name), "language": str(language or "")}


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _print(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
