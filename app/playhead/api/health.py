"""GET /v1/health: whether the server and its model are ready."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from playhead.api.json_answer import json_answer
from playhead.api.model_state import Health
from playhead.api.services import Services


class HealthHandler:
    """Answers while turns run, too; the gate has asked for the key where details are wanted."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def get(self, request: web.Request) -> web.Response:
        """The state in short, with `?detail=full` what goes on as well."""
        is_full = request.query.get("detail") == "full"
        health, detail = await self._services.bridge.ask(self._look(is_full))
        answer: dict[str, Any] = {
            "status": "healthy",
            "version": self._services.version,
            "llm": {"model": health.model, "status": health.status},
            **detail,
        }
        return json_answer(answer)

    async def _look(self, is_full: bool) -> tuple[Health, dict[str, Any]]:
        """In the core's thread."""
        turns = self._services.turns
        health = await turns.health()
        return health, turns.detail() if is_full else {}
