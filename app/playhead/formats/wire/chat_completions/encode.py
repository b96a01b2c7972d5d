"""Encode an answer's chunks as OpenAI chat events, or as a whole answer."""

from __future__ import annotations

import json
from urllib.parse import quote

import msgspec
from msgspec import Struct

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Proposal, RunReport, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.run_ends import run_end_as_output
from playhead.formats.wire.chat_completions.objects import (
    UsageCounter,
    annotations_of,
    answer_key,
    calls_of,
    error_event,
)
from playhead.formats.wire.chat_completions.projection import OUTPUT, Projection
from playhead.formats.wire.codec import TRUNCATED, Pieces, Wire, split
from playhead.formats.wire.native.encode import Encoder as NativeEncoder
from playhead.formats.wire.native.encode import is_extended


class _Call(Struct, kw_only=True):
    index: int
    name: str
    id: str
    arguments: list[str] = msgspec.field(default_factory=list[str])
    is_settled: bool = False

    @property
    def wire(self) -> Wire:
        """Return the whole call."""
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


class CallWriter:
    """Writes one call after the other; id and name come once, indices grow from 0.

    What would make the arguments whole is held until something follows: a call that was cut off by
    a failure, or that is only half of one, must never look like one that can be carried out.
    """

    def __init__(self, answer_id: str) -> None:
        self._answer_id = answer_id
        self._calls: list[_Call] = []
        self._held = ""

    @property
    def wires(self) -> list[Wire]:
        """Return all calls, whole."""
        return [call.wire for call in self._calls]

    @property
    def count(self) -> int:
        """Return the number of calls so far."""
        return len(self._calls)

    @property
    def unsettled(self) -> list[Wire]:
        """Return the calls that wait for their client, whole."""
        return [call.wire for call in self._calls if not call.is_settled]

    @property
    def has_unsettled(self) -> bool:
        """Return whether a call waits for its client."""
        return any(not call.is_settled for call in self._calls)

    def begin_code(self, language: str, call_id: str | None) -> Wire:
        """Begin a call of `execute` and return its first piece."""
        return self._begin(EXECUTE, call_id, f'{{"language": {_json(language)}, "code": "')

    def begin(self, name: str, call_id: str | None) -> Wire:
        """Begin a call of a client's tool and return its first piece."""
        return self._begin(name, call_id, "")

    def code(self, text: str) -> Wire:
        """Return more code; pieces hold whole characters, so that no escape is ever cut."""
        return self._piece(_json(text)[1:-1])

    def arguments(self, text: str) -> Wire:
        """Return more of the arguments, which are JSON already."""
        return self._piece(text)

    def end_code(self) -> None:
        """Mark the code as complete."""
        self._held = '"}'

    def end(self) -> None:
        """End the call; one without arguments gets an empty object."""
        self._held = "" if self._calls[-1].arguments else "{}"

    def release(self, chunk: Chunk | None = None) -> list[Wire]:
        """Return the piece that was held back before this chunk, unless the chunk is the call's
        result: of half a call, which nobody was asked about.
        """
        held, self._held = self._held, ""
        is_result = chunk is not None and chunk.type == "tool_result" and chunk.start
        if not held or (is_result and chunk is not None and chunk.id == self._calls[-1].id):
            return []
        return [self._piece(held)]

    def drop(self) -> None:
        """Leave the call open, because it was cut off."""
        self._held = ""

    def settle(self, call_id: str | None) -> None:
        """Mark the call with this id, or with None the first open one, as answered."""
        for call in self._calls:
            if not call.is_settled and call_id in (None, call.id):
                call.is_settled = True
                return

    def settle_code(self) -> None:
        """Mark the first code without a result as run here."""
        for call in self._calls:
            if call.name == EXECUTE and not call.is_settled:
                call.is_settled = True
                return

    def _begin(self, name: str, call_id: str | None, arguments: str) -> Wire:
        index = len(self._calls)
        call = _Call(index=index, name=name, id=call_id or f"call_{self._answer_id}_{index}")
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


class DeltaWriter:
    """Keeps what it has written, for the whole answer; see `Encoder` for the two switches."""

    def __init__(self, answer_id: str, *, is_call_clients: bool, has_tools: bool) -> None:
        self._is_call_clients = is_call_clients
        self._has_tools = has_tools
        self._projection = Projection()
        self._calls = CallWriter(answer_id)
        self._proposal: Proposal | None = None
        self._message_at: int | None = 0
        self._last_said = ""
        self._image: list[str] = []
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.annotations: list[Wire] = []

    @property
    def calls(self) -> list[Wire]:
        """Return all calls, whole."""
        return self._calls.wires

    @property
    def has_open_calls(self) -> bool:
        """Return whether a call waits for its client."""
        return self._calls.has_unsettled

    def feed(self, chunk: Chunk) -> list[Wire]:
        """Return the deltas that are certain after this chunk."""
        released = self._calls.release(chunk)
        match chunk.role:
            case "assistant":
                return [*released, *self._of_assistant(chunk)]
            case "computer":
                return [*released, *self._of_computer(chunk)]
            case _:
                return released

    def finish(self, *, is_awaiting: bool) -> list[Wire]:
        """Return the remaining deltas; also the question, if code waits that is not a call."""
        released = self._calls.release()
        if is_awaiting and not self._is_call_clients:
            self._projection.ask(self._proposal)
        return [*released, *self._said()]

    def fail(self) -> None:
        """Leave incomplete texts as they are, because the answer was cut off."""
        self._calls.drop()

    def _of_assistant(self, chunk: Chunk) -> list[Wire]:
        match chunk.type:
            case "message":
                return self._on_message(chunk)
            case "code" if self._is_call_clients:
                return self._on_code_call(chunk)
            case "code":
                return self._on_fence(chunk, chunk.format or "")
            case "tool_call" if self._has_tools and chunk.format != EXECUTE:
                return self._on_call(chunk)
            case "tool_call":  # not sent: the server answers it, as it does a broken `execute`
                self._projection.separate()
                return []
            case "reasoning" | "plan":
                return self._on_thought(chunk)
            case "citation":
                return self._on_citation(chunk)
            case _:
                return []

    def _of_computer(self, chunk: Chunk) -> list[Wire]:
        content = chunk.content
        if isinstance(content, Proposal):
            self._proposal = content
        elif isinstance(content, RunReport) or chunk.type == "console":
            self._on_run()
        elif chunk.type == "tool_result" and chunk.start:
            self._proposal = None
            self._calls.settle(chunk.id)
            self._projection.separate()
        if chunk.type == "console":
            return self._on_fence(chunk, OUTPUT)
        is_shown = chunk.type == "image" and not is_extended(chunk)
        return self._on_image(chunk) if is_shown else []

    def _on_run(self) -> None:
        """Record that proposed code runs here: its call no longer needs a decision."""
        if self._proposal is not None:
            self._proposal = None
            self._calls.settle_code()

    def _on_message(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            self._message_at = None
        if not isinstance(chunk.content, str):
            return []
        is_first = self._message_at is None
        if is_first and self._last_said == "message":
            self._projection.separate()  # nothing else separates the two
        self._projection.message(chunk.content)
        if is_first:
            self._message_at = self._projection.length - len(chunk.content)
        self._last_said = "message"
        return self._said()

    def _on_fence(self, chunk: Chunk, word: str) -> list[Wire]:
        if isinstance(chunk.content, str):
            self._projection.fenced(chunk.content)
        elif chunk.start:
            self._projection.begin_fence(word)
        elif chunk.end:
            self._projection.end_fence()
        return self._said()

    def _on_thought(self, chunk: Chunk) -> list[Wire]:
        if not isinstance(chunk.content, str):
            return []
        self._last_said = chunk.type
        self.thoughts.append(chunk.content)
        return [{"reasoning_content": chunk.content}]

    def _on_code_call(self, chunk: Chunk) -> list[Wire]:
        self._last_said = "code"
        if isinstance(chunk.content, str):
            return [self._calls.code(chunk.content)]
        if chunk.start:
            return [self._calls.begin_code(chunk.format or "", chunk.id)]
        self._calls.end_code()
        return []

    def _on_call(self, chunk: Chunk) -> list[Wire]:
        self._last_said = "tool_call"
        if isinstance(chunk.content, str):
            return [self._calls.arguments(chunk.content)]
        if chunk.start:
            return [self._calls.begin(chunk.format or "unknown", chunk.id)]
        self._calls.end()
        return []

    def _on_citation(self, chunk: Chunk) -> list[Wire]:
        if not isinstance(chunk.content, Citation):
            return []
        found = annotations_of(chunk.content, self._message_at or 0)
        first = len(self.annotations)
        self.annotations += found
        # Without an index the accumulator of the openai library fails at a second delta of them.
        numbered = [{"index": first + place, **wire} for place, wire in enumerate(found)]
        return [{"annotations": numbered}] if found else []

    def _on_image(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, str):
            self._image.append(chunk.content)
        if chunk.start or not self._image:
            return []
        if chunk.end or chunk.format == "path":
            self._projection.block(_picture(chunk.format or "", "".join(self._image)))
            self._image.clear()
        return self._said()

    def _said(self) -> list[Wire]:
        text = self._projection.take()
        if text:
            self.texts.append(text)
        return [{"content": piece} for piece in split(text)]


def _picture(format_: str, content: str) -> str:
    """Return a link to a local file, or text in its place: data would fill the answer."""
    if format_ != "path":
        return f"*(an image: {format_.rpartition('.')[2]})*"
    path = quote(content.replace("\\", "/"), safe="/:")
    is_absolute = path.startswith("/") or path[1:2] == ":"
    return f"![image]({'file:///' if is_absolute else ''}{path.removeprefix('/')})"


class Encoder:
    """Makes events for one `data:` line each; the writer adds the final `[DONE]`.

    With `is_call_clients` code is sent as calls of `execute`, else as text with a question at its
    end. Other calls are sent only with `has_tools`: without tools of its own the client could not
    execute them. `is_lossless` adds the native chunks to the events, as `lmc`.
    `prompt_tokens` is an estimate of the request's, where no provider counts them.
    """

    def __init__(
        self,
        answer_id: str,
        created: int,
        model: str,
        *,
        is_call_clients: bool = False,
        has_tools: bool = False,
        includes_usage: bool = False,
        is_lossless: bool = False,
        prompt_tokens: int = 0,
    ) -> None:
        self._head: Wire = {
            "id": answer_id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
        }
        self._includes_usage = includes_usage
        self._native = NativeEncoder() if is_lossless else None
        self._pieces = Pieces()
        self._writer = DeltaWriter(answer_id, is_call_clients=is_call_clients, has_tools=has_tools)
        self._cost = UsageCounter(prompt_tokens)
        self._has_begun = False
        self.finish_reason: str | None = None
        """The reason of the answer's end; None while it is in progress, and after a failure."""
        self.failure: Failure | None = None
        """The failure that ended the answer, if any."""

    @property
    def is_over(self) -> bool:
        """Return whether the last chunk of the answer has been encoded."""
        return self.finish_reason is not None or self.failure is not None

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if self.is_over:
            return []
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            return []
        events: list[Wire] = []
        for one in (chunk, *run_end_as_output(chunk)):
            for piece in self._pieces.feed(one):
                events += self._events(piece)
        return events if self._native is None else self._with_native(self._native, chunk, events)

    def finish(self) -> list[Wire]:
        """Return the usage, if requested; a stream that ended without its last chunk failed."""
        events = (
            []
            if self.is_over
            else self.encode(Chunk(role="server", type="error", content=TRUNCATED))
        )
        if self._includes_usage and self.failure is None:
            lossless: Wire = {} if self._native is None else {"lmc": []}
            events.append({**self._head, "choices": [], "usage": self._cost.wire, **lossless})
        return events

    def answer(self) -> Wire:
        """Return the whole answer, once all of it has been encoded."""
        text, calls = "".join(self._writer.texts), self._writer.calls
        message: Wire = {"role": "assistant", "content": text or (None if calls else "")}
        if calls:
            message["tool_calls"] = calls
        if self._writer.thoughts:
            message["reasoning_content"] = "".join(self._writer.thoughts)
        if self._writer.annotations:
            message["annotations"] = self._writer.annotations
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": self.finish_reason or "stop",
        }
        head = {**self._head, "object": "chat.completion"}
        return {**head, "choices": [choice], "usage": self._cost.wire}

    def keys(self) -> list[str]:
        """Return the key of this answer when a client sends it back; none if it says nothing."""
        key = answer_key("".join(self._writer.texts), calls_of(self._writer.calls))
        return [key] if key else []

    def _events(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Failure):
            self._writer.fail()
            self.failure = chunk.content
            return [error_event(chunk.content)]
        if (chunk.role, chunk.type) == ("server", "status"):
            return self._finished(str(chunk.content))
        if chunk.role == "assistant" and isinstance(chunk.content, str):
            self._cost.count(chunk.content)
        return [event for delta in self._writer.feed(chunk) for event in self._delta_events(delta)]

    def _finished(self, status: str) -> list[Wire]:
        is_cancelled = status == "cancelled"
        if is_cancelled:
            self._writer.fail()
        deltas = self._writer.finish(is_awaiting=status == "awaiting_approval")
        events = [event for delta in deltas for event in self._delta_events(delta)]
        if self._writer.has_open_calls and not is_cancelled:
            self.finish_reason = "tool_calls"
        else:
            self.finish_reason = "length" if self._cost.finish_reason == "length" else "stop"
        return [*events, *self._delta_events({}, self.finish_reason)]

    def _delta_events(self, delta: Wire, finish_reason: str | None = None) -> list[Wire]:
        """Return an event for the delta; the first one names the role."""
        event = self._event(delta, finish_reason)
        if self._has_begun:
            return [event]
        self._has_begun = True
        return [self._event({"role": "assistant", "content": ""}, None), event]

    def _event(self, delta: Wire, finish_reason: str | None) -> Wire:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        event: Wire = {**self._head, "choices": [choice]}
        if self._includes_usage:
            event["usage"] = None
        return event

    def _with_native(self, native: NativeEncoder, chunk: Chunk, events: list[Wire]) -> list[Wire]:
        """Return the events with one native chunk each, so that no event gets too long."""
        wires = native.encode(chunk)
        if wires and not events:
            events = self._delta_events({})
        bare = [self._event({}, None) for _ in range(len(wires) - len(events))]
        events = [*events[:-1], *bare, *events[-1:]]
        for place, event in enumerate(events):
            event["lmc"] = wires[place : place + 1]
        return events
