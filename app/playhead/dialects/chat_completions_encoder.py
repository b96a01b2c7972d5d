"""An answer's chunks as OpenAI chat events, and as a whole answer."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.dialects.chat_completions_answer import Cost, answer_key, calls_of, error_event
from playhead.dialects.chat_completions_deltas import DeltaWriter
from playhead.dialects.codec import TRUNCATED, Wire
from playhead.dialects.lmc_stream import Encoder as NativeEncoder
from playhead.dialects.pieces import Pieces, joined
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Usage
from playhead.domain.text.summaries import run_end_as_output


class Encoder:
    """Every event that it gives is one `data:` line; the `[DONE]` after them is the writer's.

    With `is_call_clients` code goes out as calls of `execute`, else as text with a question at its
    end. Other calls go out only with `has_tools`: without tools of the client's own there is nobody
    to carry them out. `is_lossless` adds the native chunks to the events, as `lmc`.
    `prompt_characters` is the length of the request's texts, for the estimate of its cost.
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
        prompt_characters: int = 0,
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
        self._cost = Cost(prompt_characters)
        self._has_begun = False
        self.finish_reason: str | None = None
        """How the answer ended; None while it goes on, and after a failure."""
        self.failure: Failure | None = None
        """Why the answer broke off."""

    @property
    def is_over(self) -> bool:
        """Whether the last chunk of the answer has been encoded."""
        return self.finish_reason is not None or self.failure is not None

    def encode(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk."""
        if self.is_over:
            return []
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            return []
        shown = (chunk, *run_end_as_output(chunk))
        pieces = (piece for one in shown for piece in self._pieces.feed(one))
        events = [event for piece in pieces for event in self._events(piece)]
        return events if self._native is None else self._with_native(self._native, chunk, events)

    def finish(self) -> list[Wire]:
        """The cost, where it was asked for; a stream that ended without its last chunk failed."""
        events = [] if self.is_over else self.encode(Chunk("server", "error", content=TRUNCATED))
        if self._includes_usage and self.failure is None:
            lossless: Wire = {} if self._native is None else {"lmc": []}
            events.append({**self._head, "choices": [], "usage": self._cost.wire, **lossless})
        return events

    def answer(self) -> Wire:
        """The whole answer, once all of it has been encoded."""
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

    def key(self) -> str:
        """The key of this answer when a client sends it back; '' if it says nothing."""
        return answer_key("".join(self._writer.texts), calls_of(self._writer.calls))

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
        """An event for the delta, the first one after another that says whose words these are."""
        first = [] if self._has_begun else [self._event({"role": "assistant", "content": ""}, None)]
        self._has_begun = True
        return [*first, self._event(delta, finish_reason)]

    def _event(self, delta: Wire, finish_reason: str | None) -> Wire:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        event: Wire = {**self._head, "choices": [choice]}
        if self._includes_usage:
            event["usage"] = None
        return event

    def _with_native(self, native: NativeEncoder, chunk: Chunk, events: list[Wire]) -> list[Wire]:
        """The events with one native chunk each, so that none gets too long."""
        wires = native.encode(chunk)
        if wires and not events:
            events = self._delta_events({})
        bare = [self._event({}, None) for _ in range(len(wires) - len(events))]
        events = [*events[:-1], *bare, *events[-1:]]
        for place, event in enumerate(events):
            event["lmc"] = wires[place : place + 1]
        return events


def whole(chunks: Iterable[Chunk], encoder: Encoder) -> Wire:
    """The whole answer; where `encoder.failure` is set afterwards, it is none."""
    for chunk in joined(chunks):
        encoder.encode(chunk)
    encoder.finish()
    return encoder.answer()
