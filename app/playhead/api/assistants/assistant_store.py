"""The assistants that programs make, and the one that is always there; core's thread only."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from playhead.api.assistants.list_cursor import ListCursor, list_wire, page_of
from playhead.api.assistants.threads import now_s, readable
from playhead.api.turns.model_state import ModelState
from playhead.domain.history import Record
from playhead.errors import RequestError
from playhead.formats.wire.assistants.objects import assistant_wire
from playhead.formats.wire.codec import Wire
from playhead.session.ports import Records

BUILT_IN = "asst_interpreter"
_OWNER = "assistants"
_ABOUT = "Answers with the model of the settings, and has its code run on this machine."


class AssistantStore:
    """Kept from one process to the next."""

    def __init__(self, records: Records, models: ModelState) -> None:
        self._records = records
        self._models = models
        self._began_s = now_s()
        self._made: dict[str, Wire] | None = None

    async def add(self, model: str, fields: Mapping[str, Any]) -> Wire:
        """Add an assistant and return it."""
        made = await self._all()
        wire = assistant_wire(f"asst_{uuid.uuid4().hex}", now_s(), model, fields)
        made[wire["id"]] = wire
        self._keep(wire)
        return wire

    async def page(self, cursor: ListCursor) -> Wire:
        """Return a page of the assistants."""
        known = [self._built_in(), *(await self._all()).values()]
        data, has_more = page_of(known, cursor, lambda wire: wire["id"])
        return list_wire(data, has_more=has_more)

    async def get(self, assistant_id: str) -> Wire:
        """Return an assistant. Raises RequestError (`not_found`)."""
        if assistant_id == BUILT_IN:
            return self._built_in()
        made = await self._all()
        if assistant_id not in made:
            raise RequestError(
                f"No assistant found with id {assistant_id[:80]!r}.",
                code="not_found",
                param="assistant_id",
            )
        return made[assistant_id]

    async def change(self, assistant_id: str, fields: Mapping[str, Any]) -> Wire:
        """Change fields of an assistant and return it."""
        wire = {**await self._own(assistant_id), **fields}
        (await self._all())[assistant_id] = wire
        self._keep(wire)
        return wire

    async def delete(self, assistant_id: str) -> Wire:
        """Delete an assistant; runs that it made are kept."""
        await self._own(assistant_id)
        del (await self._all())[assistant_id]
        self._records.drop(_OWNER, assistant_id)
        return {"id": assistant_id, "object": "assistant.deleted", "deleted": True}

    async def _own(self, assistant_id: str) -> Wire:
        if assistant_id == BUILT_IN:
            raise RequestError(
                f"{BUILT_IN} is Playhead's own and stays as it is.",
                remedy="Make an assistant of your own.",
                code="invalid_request",
                param="assistant_id",
            )
        return await self.get(assistant_id)

    def _built_in(self) -> Wire:
        fields = {
            "name": "Playhead",
            "description": _ABOUT,
            "tools": [{"type": "code_interpreter"}],
        }
        return assistant_wire(BUILT_IN, self._began_s, self._models.current_name, fields)

    async def _all(self) -> dict[str, Wire]:
        if self._made is None:
            records = await self._records.of(_OWNER)
            if self._made is None:  # read by another request meanwhile
                self._made = dict(readable(records))
        return self._made

    def _keep(self, wire: Wire) -> None:
        self._records.put(Record(_OWNER, wire["id"], json.dumps(wire, ensure_ascii=False)))
