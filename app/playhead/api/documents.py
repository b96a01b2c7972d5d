"""GET /openapi.json and GET /api.json: what clients are made and tried with."""

from __future__ import annotations

import asyncio

import msgspec
from aiohttp import web

from playhead.api.openapi import document
from playhead.api.operations import OPERATIONS
from playhead.api.services import Services


class DocumentsHandler:
    """The OpenAPI document is made once, the collection is read at each request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._document = msgspec.json.encode(document(OPERATIONS, services.version))

    async def openapi(self, _request: web.Request) -> web.Response:
        """The OpenAPI 3.1 document of this server."""
        return web.Response(body=self._document, content_type="application/json")

    async def collection(self, _request: web.Request) -> web.Response:
        """The Postman collection, as the file is."""
        body = await asyncio.to_thread(self._services.collection)
        return web.Response(body=body, content_type="application/json")
