"""GET /v1/health, /v1/models and the documents that describe the API."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from aiohttp import web

from playhead.api.endpoints.operations import OPERATIONS
from playhead.api.openapi import document
from playhead.api.schemas import Model, ModelList
from playhead.api.server.errors import http_error_of
from playhead.api.server.responder import Services, json_answer
from playhead.session.ports import StoreState


class HealthHandler:
    """Answers while turns run, too; the gate has asked for the key where details are wanted."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def get(self, request: web.Request) -> web.Response:
        """Return a short status; `?detail=full` adds the current activity."""
        is_full = request.query.get("detail") == "full"
        return json_answer(await self._services.bridge.ask(self._look(is_full)))

    async def _look(self, is_full: bool) -> dict[str, Any]:
        """Return the answer; called on the core's loop."""
        turns = self._services.turns
        model = await turns.health()
        history = _history(turns.storage)
        return {
            "status": "healthy" if history["status"] == "ok" else "degraded",
            "version": self._services.version,
            "llm": {"model": model.model, "status": model.status},
            "history": history,
            "instances": turns.instances(),
            **(turns.detail() if is_full else {}),
        }


def _history(storage: StoreState) -> dict[str, Any]:
    """Return whether conversations are stored; `message` says why not, without paths."""
    if storage.problem is None:
        return {"status": "ok"}
    why = http_error_of(storage.problem)
    return {"status": why.code, "message": why.message, "unsaved": storage.unsaved}


class ModelsHandler:
    """All models share one time: when the server began."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._created = int(time.time())

    async def get(self, _request: web.Request) -> web.Response:
        """Return the list."""
        names = await self._services.bridge.ask(self._services.turns.models())
        data = [self._model(name) for name in names]
        return json_answer(ModelList(object="list", data=data))

    def _model(self, name: str) -> Model:
        vendor, slash, _ = name.partition("/")
        return Model(
            id=name, object="model", created=self._created, owned_by=vendor if slash else "openai"
        )


class DocumentsHandler:
    """The OpenAPI document is made once, the collection is read at each request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._document = msgspec.json.encode(document(OPERATIONS, services.version))

    async def openapi(self, _request: web.Request) -> web.Response:
        """Return the OpenAPI 3.1 document of this server."""
        return web.Response(body=self._document, content_type="application/json")

    async def collection(self, _request: web.Request) -> web.Response:
        """Return the Postman collection, as the file is."""
        body = await asyncio.to_thread(self._services.collection)
        return web.Response(body=body, content_type="application/json")
