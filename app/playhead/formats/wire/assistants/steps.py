"""The steps of an Assistants run while they are being written: a message, or calls with their
results.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from msgspec import Struct

from playhead.domain.conversation.payloads import Citation
from playhead.formats.wire.assistants.objects import (
    RunFacts,
    annotations_wire,
    message_wire,
    step_wire,
)
from playhead.formats.wire.codec import Wire


def event(name: str, data: object) -> Wire:
    """Return an event with a name, by which clients know the type of its data."""
    return {"event": name, "data": data}


LONGEST = 300_000
"""The longest text in an event with a whole object: a line must not exceed a million bytes.
Deltas contain the full text.
"""


class Ids(Struct):
    """Makes ids and returns the time; both can be replaced."""

    new: Callable[[str], str]
    now_s: Callable[[], int]


def shortened(text: str, longest: int) -> str:
    """Return the text, or its begin and end with a note on what is left out between them."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"


class MessageStep:
    """A message that is being written, and the step that makes it."""

    def __init__(self, run: RunFacts, ids: Ids, message_id: str | None = None) -> None:
        self._run = run
        self._ids = ids
        self._step_id = ids.new("step")
        self._message_id = f"msg_{message_id}" if message_id else ids.new("msg")
        self._created_at = ids.now_s()
        self._texts: list[str] = []
        self._annotations: list[Wire] = []

    @property
    def content(self) -> list[Wire]:
        """Return everything that has been written."""
        if not self._texts:
            return []
        text = {"value": shortened("".join(self._texts), LONGEST), "annotations": self._annotations}
        return [{"type": "text", "text": text}]

    def begin(self) -> list[Wire]:
        """Begin the step and the message."""
        made = self._step("in_progress")
        message = self._message("in_progress", [])
        return [
            event("thread.run.step.created", made),
            event("thread.run.step.in_progress", made),
            event("thread.message.created", message),
            event("thread.message.in_progress", message),
        ]

    def write(self, text: str) -> list[Wire]:
        """Add a piece of the text."""
        self._texts.append(text)
        return self._delta({"value": text, "annotations": []})

    def cite(self, citation: Citation) -> list[Wire]:
        """Add a citation to the text; a message without text has nothing to cite."""
        found = annotations_wire(citation)
        if not found or not self._texts:
            return []
        first = len(self._annotations)
        self._annotations += found
        numbered = [{"index": first + place, **wire} for place, wire in enumerate(found)]
        return self._delta({"annotations": numbered})

    def end(
        self, status: str = "completed", why: str = "", error: Wire | None = None
    ) -> list[Wire]:
        """End both; `why` names the reason if the message is incomplete, `status` is the step's."""
        told = "incomplete" if why else "completed"
        return [
            event(f"thread.message.{told}", self._message(told, self.content, why)),
            event(f"thread.run.step.{status}", self._step(status, error)),
        ]

    def _delta(self, text: Wire) -> list[Wire]:
        content = [{"index": 0, "type": "text", "text": text}]
        data = {"id": self._message_id, "object": "thread.message.delta"}
        return [event("thread.message.delta", {**data, "delta": {"content": content}})]

    def _step(self, status: str, error: Wire | None = None) -> Wire:
        creation = {"message_id": self._message_id}
        details = {"type": "message_creation", "message_creation": creation}
        now_s = self._ids.now_s()
        return step_wire(
            self._run, self._step_id, self._created_at, details, status, now_s, error=error
        )

    def _message(self, status: str, content: list[Wire], why: str = "") -> Wire:
        created_at = self._created_at
        return message_wire(self._run, self._message_id, created_at, content, status, why)


class CallStep:
    """Calls that one turn of the model made, all of one kind; indices grow from 0.

    `first` is the number of its first call in the whole stream.
    """

    def __init__(self, run: RunFacts, ids: Ids, first: int = 0) -> None:
        self.first = first
        self._run = run
        self._ids = ids
        self._id = ids.new("step")
        self._created_at = ids.now_s()
        self._calls: list[Wire] = []

    @property
    def count(self) -> int:
        """Return the number of calls."""
        return len(self._calls)

    @property
    def wires(self) -> list[Wire]:
        """Return the calls in their current state."""
        return [*self._calls]

    def begin(self) -> list[Wire]:
        """Begin the step, without any call."""
        details: Wire = {"type": "tool_calls", "tool_calls": []}
        made = self._step("in_progress", details=details)
        return [event("thread.run.step.created", made), event("thread.run.step.in_progress", made)]

    def add_function(self, call_id: str, name: str, arguments: str) -> list[Wire]:
        """Begin a call of a function."""
        function = {"name": name, "arguments": arguments, "output": None}
        return self._add({"id": call_id, "type": "function", "function": function})

    def add_arguments(self, place: int, text: str) -> list[Wire]:
        """Add a piece of a call's arguments."""
        self._calls[place]["function"]["arguments"] += text
        return self._delta(place, {"type": "function", "function": {"arguments": text}})

    def add_output(self, place: int, text: str) -> list[Wire]:
        """Add the output of a function's call."""
        function: Wire = self._calls[place]["function"]
        function["output"] = (function["output"] or "") + text
        return self._delta(place, {"type": "function", "function": {"output": text}})

    def add_code(self, call_id: str, language: str) -> list[Wire]:
        """Begin code that runs here; its language is added to the fields that clients know."""
        code: Wire = {"input": "", "outputs": [], "language": language}
        return self._add({"id": call_id, "type": "code_interpreter", "code_interpreter": code})

    def add_input(self, place: int, text: str) -> list[Wire]:
        """Add a piece of the code."""
        self._calls[place]["code_interpreter"]["input"] += text
        return self._code_delta(place, {"input": text})

    def add_logs(self, place: int, text: str) -> list[Wire]:
        """Add text that the code printed; after a picture a new output begins."""
        outputs: list[Wire] = self._calls[place]["code_interpreter"]["outputs"]
        if outputs and outputs[-1]["type"] == "logs":
            outputs[-1]["logs"] += text
        else:
            outputs.append({"type": "logs", "logs": text})
        piece = {"index": len(outputs) - 1, "type": "logs", "logs": text}
        return self._code_delta(place, {"outputs": [piece]})

    def add_image(self, place: int, file_id: str) -> list[Wire]:
        """Add a picture that the code made."""
        outputs: list[Wire] = self._calls[place]["code_interpreter"]["outputs"]
        outputs.append({"type": "image", "image": {"file_id": file_id}})
        piece = {"index": len(outputs) - 1, **outputs[-1]}
        return self._code_delta(place, {"outputs": [piece]})

    def stands(self) -> Wire:
        """Return the step in its current state, while it is in progress."""
        return self._step("in_progress")

    def end(self, status: str = "completed", error: Wire | None = None) -> list[Wire]:
        """End the step."""
        return [event(f"thread.run.step.{status}", self._step(status, error=error))]

    def _add(self, call: Wire) -> list[Wire]:
        self._calls.append(call)
        return self._delta(len(self._calls) - 1, deepcopy(call))

    def _code_delta(self, place: int, code: Wire) -> list[Wire]:
        return self._delta(place, {"type": "code_interpreter", "code_interpreter": code})

    def _delta(self, place: int, call: Wire) -> list[Wire]:
        details = {"type": "tool_calls", "tool_calls": [{"index": place, **call}]}
        data = {"id": self._id, "object": "thread.run.step.delta"}
        return [event("thread.run.step.delta", {**data, "delta": {"step_details": details}})]

    def _step(self, status: str, error: Wire | None = None, details: Wire | None = None) -> Wire:
        details = details or {"type": "tool_calls", "tool_calls": _shorten_calls(self.wires)}
        now_s = self._ids.now_s()
        return step_wire(self._run, self._id, self._created_at, details, status, now_s, error=error)


def _shorten_calls(calls: list[Wire]) -> list[Wire]:
    """Return completed calls as they are reported: long outputs with their begin and end only."""
    calls = deepcopy(calls)
    codes = [call["code_interpreter"] for call in calls if call["type"] == "code_interpreter"]
    logs = [out for code in codes for out in code["outputs"] if out["type"] == "logs"]
    longest = LONGEST // max(len(logs), 3)  # what programs print may be longer in JSON
    for output in logs:
        output["logs"] = shortened(output["logs"], longest)
    return calls
