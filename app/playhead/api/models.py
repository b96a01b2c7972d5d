"""GET /v1/models: what can be named as `model`."""

from __future__ import annotations

import time

from aiohttp import web

from playhead.api.json_answer import json_answer
from playhead.api.schemas import Model, ModelList
from playhead.api.services import Services


class ModelsHandler:
    """All models share one time: when the server began."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._created = int(time.time())

    async def get(self, _request: web.Request) -> web.Response:
        """The list."""
        names = await self._services.bridge.ask(self._services.turns.models())
        data = [self._model(name) for name in names]
        return json_answer(ModelList(object="list", data=data))

    def _model(self, name: str) -> Model:
        vendor, slash, _ = name.partition("/")
        return Model(
            id=name, object="model", created=self._created, owned_by=vendor if slash else "openai"
        )
