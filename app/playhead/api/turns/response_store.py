"""Responses that programs may ask for again, or go on from; core's thread only."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from playhead.domain.history import Record
from playhead.domain.text.json_text import read_json
from playhead.errors import RequestError
from playhead.formats.wire.codec import Wire
from playhead.session.ports import Records

KEPT_S = 30 * 24 * 3600
"""Time in which a response can be asked for (docs/wire-formats.md)."""
KEPT_CHARACTERS = 200_000_000
"""Of all responses together; the oldest go first: clients may send a whole history each time."""
_INDEX = "responses"
"""The owner of the records that say which responses there are, since when, and how large."""
_RECORD = "response"


class StoredResponse(Struct, frozen=True):
    """A response and the items of its request, without those of the responses before it."""

    wire: Wire
    items: tuple[Wire, ...]

    @property
    def previous_id(self) -> str:
        """Return the id of the response that it goes on from, or ''."""
        return self.wire.get("previous_response_id") or ""


class ResponseStore:
    """Keeps each response as a record of its own, for thirty days.

    `now` returns seconds since the epoch; `most` is how many characters are kept.
    """

    def __init__(
        self,
        records: Records,
        now: Callable[[], float] = time.time,
        most: int = KEPT_CHARACTERS,
    ) -> None:
        self._records = records
        self._now = now
        self._most = most
        self._sizes: dict[str, int] | None = None

    def keep(self, wire: Wire, items: Sequence[Wire]) -> None:
        """Keep a response in this state, and no more of the others than there is room for."""
        content = json.dumps({"wire": wire, "items": [*items]}, ensure_ascii=False)
        self._records.put(Record(wire["id"], _RECORD, content))
        index = json.dumps([wire["created_at"], len(content)])
        self._records.put(Record(_INDEX, wire["id"], index))
        if self._sizes is not None:
            self._sizes[wire["id"]] = len(content)
            self._make_room(self._sizes)

    async def get(self, response_id: str, param: str = "response_id") -> StoredResponse:
        """Return a response. Raises RequestError (`not_found`)."""
        await self._know()
        for record in await self._records.of(response_id):
            if record.id == _RECORD and (found := _read(record.content)) is not None:
                return found
        raise RequestError(
            f"Response with id {response_id[:80]!r} not found.", code="not_found", param=param
        )

    async def context(self, stored: StoredResponse) -> list[Wire]:
        """Return the items that the response answers, with those of all responses before it."""
        found = [*stored.items]
        while stored.previous_id:
            stored = await self._previous(stored.previous_id)
            found = [*stored.items, *stored.wire["output"], *found]
        return found

    async def history(self, previous_id: str) -> list[Wire]:
        """Return the items up to the end of a response. Raises RequestError."""
        stored = await self._previous(previous_id)
        return [*await self.context(stored), *stored.wire["output"]]

    async def delete(self, response_id: str) -> Wire:
        """Delete a response permanently. Raises RequestError (`not_found`)."""
        await self.get(response_id)
        self._drop(response_id)
        return {"id": response_id, "object": "response", "deleted": True}

    async def _previous(self, response_id: str) -> StoredResponse:
        try:
            return await self.get(response_id)
        except RequestError:
            raise RequestError(
                f"Previous response with id {response_id[:80]!r} not found.",
                remedy="It was deleted, or not stored: send the items before it as input.",
                code="previous_response_not_found",
                param="previous_response_id",
            ) from None

    async def _know(self) -> None:
        """Read the sizes of all responses, the oldest first; those whose time has passed go."""
        if self._sizes is None:
            kept = await self._records.of(_INDEX)
            if self._sizes is None:  # read by another request meanwhile
                self._sizes = {}
                oldest = self._now() - KEPT_S
                for record in kept:
                    created_at, size = json.loads(record.content)
                    self._sizes[record.id] = size
                    if created_at < oldest:
                        self._drop(record.id)
                self._make_room(self._sizes)

    def _make_room(self, sizes: dict[str, int]) -> None:
        while sum(sizes.values()) > self._most:
            self._drop(next(iter(sizes)))

    def _drop(self, response_id: str) -> None:
        self._records.drop(response_id)
        self._records.drop(_INDEX, response_id)
        if self._sizes is not None:
            self._sizes.pop(response_id, None)


def _read(content: str) -> StoredResponse | None:
    """Return what a record holds; None if it is damaged."""
    try:
        value: Any = read_json(content)
    except ValueError:
        return None
    match value:
        case {"wire": {"id": str(), "output": list()} as wire, "items": [*items]}:
            return StoredResponse(wire, tuple(items))
        case _:
            return None
