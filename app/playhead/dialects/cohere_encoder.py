"""An answer's chunks as Cohere v2 events, and as a whole answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from playhead.dialects.chat_completions_answer import Cost, calls_of, told_of
from playhead.dialects.codec import TRUNCATED, Wire
from playhead.dialects.cohere_events import EventWriter
from playhead.dialects.cohere_requests import message_key
from playhead.dialects.cohere_values import REASONS, usage_wire
from playhead.dialects.pieces import Pieces, joined
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Source, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.summaries import run_end_as_output

_HELD = frozenset({"message", "reasoning", "plan", "citation"})
_CANCELLED = Failure("cancelled", "The answer was cancelled.")


class Encoder:
    """Every event that it gives is one `data:` line, its `type` the event's name.

    With `is_call_clients` code goes out as calls of `execute`, else as text. Other calls go out
    only with `has_tools`. With `holds_text` what comes before the first call is held until it is
    known whether that is a plan. `sources` are what answers of models that cite nothing are
    searched for. `prompt_characters` is the length of the request's texts, for the estimate of its
    cost.
    """

    def __init__(
        self,
        answer_id: str,
        *,
        is_call_clients: bool = False,
        has_tools: bool = False,
        holds_text: bool = False,
        sources: Sequence[Source] = (),
        prompt_characters: int = 0,
    ) -> None:
        self._id = answer_id
        self._pieces = Pieces()
        self._writer = EventWriter(
            answer_id, sources, is_call_clients=is_call_clients, has_tools=has_tools
        )
        self._is_call_clients = is_call_clients
        self._held: list[Chunk] | None = [] if holds_text else None
        self._cost = Cost(prompt_characters)
        self._has_begun = False
        self.finish_reason: str | None = None
        """How the answer ended, in Cohere's words; None while it goes on."""
        self.failure: Failure | None = None
        """Why the answer broke off."""

    def encode(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk."""
        if self.finish_reason is not None:
            return []
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            return []
        shown = (chunk, *run_end_as_output(chunk))
        pieces = (piece for one in shown for piece in self._pieces.feed(one))
        return [event for piece in pieces for event in self._placed(piece)]

    def finish(self) -> list[Wire]:
        """A stream that ended without its last chunk failed."""
        if self.finish_reason is not None:
            return []
        return self.encode(Chunk("server", "error", content=TRUNCATED))

    def answer(self) -> Wire:
        """The whole answer, once all of it has been encoded."""
        writer = self._writer
        message: Wire = {"role": "assistant"}
        if writer.blocks or not writer.calls:
            message["content"] = writer.blocks or [{"type": "text", "text": ""}]
        if writer.plans:
            message["tool_plan"] = "".join(writer.plans)
        if writer.calls:
            message["tool_calls"] = writer.calls
        if writer.citations:
            message["citations"] = writer.citations
        reason = self.finish_reason or "COMPLETE"
        return {"id": self._id, "finish_reason": reason, "message": message, "usage": self._usage}

    def key(self) -> str:
        """The key of this answer when a client sends it back; '' if it says nothing."""
        return message_key("".join(self._writer.texts), calls_of(self._writer.calls))

    @property
    def _usage(self) -> Wire:
        asked, answered = self._cost.tokens
        return usage_wire(Usage(asked, answered))

    def _placed(self, chunk: Chunk) -> list[Wire]:
        """The events of the chunk and of those that had waited for it, or none yet."""
        if self._held is None:
            return self._events(chunk)
        if chunk.role == "assistant" and (chunk.type in _HELD or _is_nobodys(chunk)):
            self._held.append(chunk)
            return []
        held, self._held = self._held, None
        if self._is_call(chunk):
            held = [_planned(one) for one in held]
        return [event for one in (*held, chunk) for event in self._events(one)]

    def _is_call(self, chunk: Chunk) -> bool:
        is_code = chunk.type == "code" and self._is_call_clients
        return chunk.role == "assistant" and (is_code or chunk.type == "tool_call")

    def _events(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Failure):
            return self._begun(self._failed(chunk.content))
        if (chunk.role, chunk.type) == ("server", "status"):
            return self._begun(self._finished(str(chunk.content)))
        if chunk.role == "assistant" and isinstance(chunk.content, str):
            self._cost.count(chunk.content)
        return self._begun(self._writer.feed(chunk))

    def _failed(self, failure: Failure) -> list[Wire]:
        self.failure = failure
        self.finish_reason = "TIMEOUT" if failure.code == "timeout" else "ERROR"
        delta = {"error": told_of(failure), "finish_reason": self.finish_reason}
        return [*self._writer.fail(), {"type": "message-end", "delta": delta}]

    def _finished(self, status: str) -> list[Wire]:
        if status == "cancelled":
            return self._failed(_CANCELLED)
        events = self._writer.finish(is_awaiting=status == "awaiting_approval")
        if self._writer.has_open_calls:
            self.finish_reason = REASONS["tool_calls"]
        else:
            is_cut = self._cost.finish_reason == "length"
            self.finish_reason = REASONS["length" if is_cut else "stop"]
        delta = {"finish_reason": self.finish_reason, "usage": self._usage}
        return [*events, {"type": "message-end", "delta": delta}]

    def _begun(self, events: list[Wire]) -> list[Wire]:
        """The events, the first ones after that which says whose words these are."""
        if not events or self._has_begun:
            return events
        self._has_begun = True
        message: Wire = {"role": "assistant", "content": [], "tool_plan": ""}
        message |= {"tool_calls": [], "citations": []}
        return [{"type": "message-start", "id": self._id, "delta": {"message": message}}, *events]


def whole(chunks: Iterable[Chunk], encoder: Encoder) -> Wire:
    """The whole answer; where `encoder.failure` is set afterwards, it is none."""
    for chunk in joined(chunks):
        encoder.encode(chunk)
    encoder.finish()
    return encoder.answer()


def _is_nobodys(chunk: Chunk) -> bool:
    """A broken `execute`, which the server answers itself."""
    return chunk.type == "tool_call" and chunk.format == EXECUTE


def _planned(chunk: Chunk) -> Chunk:
    return replace(chunk, type="plan") if chunk.type == "message" else chunk
