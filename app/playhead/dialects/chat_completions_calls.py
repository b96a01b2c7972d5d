"""Code and tool calls as pieces of `tool_calls`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from playhead.dialects.codec import Wire
from playhead.domain.model import EXECUTE


@dataclass(slots=True)
class _Call:
    index: int
    name: str
    id: str
    arguments: list[str] = field(default_factory=list[str])
    is_settled: bool = False

    @property
    def wire(self) -> Wire:
        """The whole call."""
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


class CallWriter:
    """Writes one call after the other; id and name come once, indices grow from 0.

    What would make the arguments whole is held until something follows: a call that was cut off by
    a failure must never look like one that can be carried out.
    """

    def __init__(self, answer_id: str) -> None:
        self._answer_id = answer_id
        self._calls: list[_Call] = []
        self._held = ""

    @property
    def wires(self) -> list[Wire]:
        """All calls, whole."""
        return [call.wire for call in self._calls]

    @property
    def count(self) -> int:
        """How many calls there have been."""
        return len(self._calls)

    @property
    def unsettled(self) -> list[Wire]:
        """The calls that wait for their client, whole."""
        return [call.wire for call in self._calls if not call.is_settled]

    @property
    def has_unsettled(self) -> bool:
        """Whether a call waits for its client."""
        return any(not call.is_settled for call in self._calls)

    def begin_code(self, language: str, call_id: str | None) -> Wire:
        """The first piece of a call of `execute`."""
        return self._begin(EXECUTE, call_id, f'{{"language": {_json(language)}, "code": "')

    def begin(self, name: str, call_id: str | None) -> Wire:
        """The first piece of a call of a client's tool."""
        return self._begin(name, call_id, "")

    def code(self, text: str) -> Wire:
        """More code; pieces hold whole characters, so no escape is ever cut."""
        return self._piece(_json(text)[1:-1])

    def arguments(self, text: str) -> Wire:
        """More of the arguments, which are JSON already."""
        return self._piece(text)

    def end_code(self) -> None:
        """The code is whole."""
        self._held = '"}'

    def end(self) -> None:
        """The call is whole; one without arguments gets an empty object."""
        self._held = "" if self._calls[-1].arguments else "{}"

    def release(self) -> list[Wire]:
        """The piece that was held."""
        held, self._held = self._held, ""
        return [self._piece(held)] if held else []

    def drop(self) -> None:
        """The call was cut off: leave it open."""
        self._held = ""

    def settle(self, call_id: str | None) -> None:
        """The call with this id has its result; with None the first that has none."""
        for call in self._calls:
            if not call.is_settled and call_id in (None, call.id):
                call.is_settled = True
                return

    def settle_code(self) -> None:
        """The first code without a result runs here."""
        for call in self._calls:
            if call.name == EXECUTE and not call.is_settled:
                call.is_settled = True
                return

    def _begin(self, name: str, call_id: str | None, arguments: str) -> Wire:
        index = len(self._calls)
        call = _Call(index, name, call_id or f"call_{self._answer_id}_{index}")
        call.arguments += [arguments] if arguments else []
        self._calls.append(call)
        function = {"name": name, "arguments": arguments}
        first = {"index": index, "id": call.id, "type": "function", "function": function}
        return {"tool_calls": [first]}

    def _piece(self, arguments: str) -> Wire:
        call = self._calls[-1]
        call.arguments.append(arguments)
        return {"tool_calls": [{"index": call.index, "function": {"arguments": arguments}}]}


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
