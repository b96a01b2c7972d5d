"""Asks a server who it is and what can run there, in a process of its own: one line in, lines out.

In: {"address", "token"}. Out: {"progress": words}, and at last {"answer": …} or {"error": …}.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, cast

from playhead.place_worker.http_requests import ServerError, ServerRequests
from playhead.place_worker.hub import find_on_hub, is_stopped

_MOST = 200
_TRIED = ("place_gone", "place_sign_in", "place_no_server", "place_redirect")


def main() -> int:
    """Answer the question on standard input."""
    asked = json.loads(sys.stdin.readline())
    try:
        _print({"answer": asyncio.run(_answer(asked["address"], asked.get("token") or ""))})
    except ServerError as error:
        _print({"error": error.fields})
    except TimeoutError:
        _print({"error": ServerError("place_unreachable", "The Hub takes too long.").fields})
    return 0


async def _answer(address: str, token: str) -> dict[str, Any]:
    server = ServerRequests(address, token)
    try:
        try:
            about = _object(await server.get("api"))
            if "version" not in about:
                raise ServerError(
                    "place_no_server",
                    f"A program that is not a Jupyter server answers at {server.host}.",
                    server.address,
                    "See whether the address is complete, with its path.",
                )
            found = await _facts(server, about, "")
        except ServerError as error:
            if error.code not in _TRIED and not is_stopped(error, server.address):
                raise
            own = await find_on_hub(address, token, lambda words: _print({"progress": words}))
            if own is None:
                raise
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
    is_gateway = "gateway_version" in about
    version = _short(str(about.get("gateway_version" if is_gateway else "version", "")))
    return {
        "kind": "gateway" if is_gateway else "server",
        "title": f"{'Kernel Gateway' if is_gateway else 'Jupyter Server'} {version}",
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
