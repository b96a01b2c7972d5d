"""Chunks of an answer as the blocks of Cohere v2: text, thinking, plans, calls and citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from playhead.dialects.chat_completions_deltas import DeltaWriter
from playhead.dialects.codec import Wire
from playhead.dialects.cohere_values import citation_wire
from playhead.dialects.pieces import split
from playhead.dialects.verbatim import VerbatimCiter
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Source

_CITED = {"text": "TEXT_CONTENT", "thinking": "THINKING_CONTENT", "plan": "PLAN"}


@dataclass(slots=True)
class _Block:
    kind: Literal["text", "thinking"]
    index: int
    texts: list[str] = field(default_factory=list[str])
    cited_from: int = 0
    """Where in it the message begins that it shows."""

    @property
    def wire(self) -> Wire:
        return {"type": self.kind, self.kind: "".join(self.texts)}


class EventWriter(DeltaWriter):
    """Writes one block after the other; each ends before the next begins, after its citations.

    Where a model cites nothing itself, what stands word for word in the `sources` is cited.
    """

    def __init__(
        self, answer_id: str, sources: Sequence[Source], *, is_call_clients: bool, has_tools: bool
    ) -> None:
        super().__init__(answer_id, is_call_clients=is_call_clients, has_tools=has_tools)
        self.plans: list[str] = []
        self.citations: list[Wire] = []
        self._citer = VerbatimCiter(sources)
        self._has_cited = False
        self._blocks: list[_Block] = []
        self._block: _Block | None = None
        self._is_block_whole = False
        self._is_prose = False
        self._is_call_open = False
        self._is_call_whole = False

    @property
    def blocks(self) -> list[Wire]:
        """The content so far, block by block."""
        return [block.wire for block in self._blocks]

    def feed(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk."""
        is_cited = chunk.type == "citation"
        before = self._end_call() if self._is_call_whole else []
        if self._is_block_whole and not is_cited:
            before += self._end_block()
        return [*before, *super().feed(chunk)]

    def finish(self, *, is_awaiting: bool) -> list[Wire]:
        """What is left, and the ends of all blocks."""
        before = [*self._end_call(), *self._end_block()]
        return [*before, *super().finish(is_awaiting=is_awaiting), *self._end_block()]

    def fail(self) -> list[Wire]:  # type: ignore[override] - here blocks are left to close
        """The answer was cut off: what is half stays half, its blocks end."""
        super().fail()
        return [*self._end_call(), *self._end_block()]

    def _on_message(self, chunk: Chunk) -> list[Wire]:
        self._last_said = ""  # blocks tell two messages apart
        before = self._projection.length
        events = super()._on_message(chunk)
        if isinstance(chunk.content, str) and self._block is not None:
            if not self._is_prose:
                self._block.cited_from = self._projection.length - before - len(chunk.content)
            self._is_prose = True
        self._is_block_whole = self._is_block_whole or chunk.end
        return events

    def _on_fence(self, chunk: Chunk, word: str) -> list[Wire]:
        events = super()._on_fence(chunk, word)
        self._is_block_whole = chunk.end
        return events

    def _on_image(self, chunk: Chunk) -> list[Wire]:
        events = super()._on_image(chunk)
        self._is_block_whole = bool(events)
        return events

    def _on_thought(self, chunk: Chunk) -> list[Wire]:
        if chunk.end:
            self._is_block_whole = True
        if not isinstance(chunk.content, str):
            return []
        if chunk.type == "reasoning":
            return self._content("thinking", chunk.content)
        self.plans.append(chunk.content)
        return [*self._end_block(), _event("tool-plan-delta", {"tool_plan": chunk.content})]

    def _on_code_call(self, chunk: Chunk) -> list[Wire]:
        return self._on_call_pieces(chunk, super()._on_code_call(chunk))

    def _on_call(self, chunk: Chunk) -> list[Wire]:
        return self._on_call_pieces(chunk, super()._on_call(chunk))

    def _on_call_pieces(self, chunk: Chunk, deltas: list[Wire]) -> list[Wire]:
        self._is_call_whole = chunk.end
        if not chunk.start:
            return [_of_call(delta) for delta in deltas]
        self._is_call_open = True
        return [*self._end_block(), *(_of_call(delta) for delta in deltas)]

    def _on_citation(self, chunk: Chunk) -> list[Wire]:
        if not isinstance(chunk.content, Citation):
            return []
        self._has_cited = True
        return self._cited(chunk.content)

    def _said(self) -> list[Wire]:
        text = self._projection.take()
        if text:
            self.texts.append(text)
        return self._content("text", text)

    def _content(self, kind: Literal["text", "thinking"], text: str) -> list[Wire]:
        """A piece of a block of this kind; it opens with its first one."""
        if not text:
            return []
        events: list[Wire] = []
        if self._block is None or self._block.kind != kind:
            events = self._end_block()
            self._block = _Block(kind, len(self._blocks))
            self._blocks.append(self._block)
            content = {"type": kind, kind: ""}
            events.append(_event("content-start", {"content": content}, self._block.index))
        self._block.texts.append(text)
        index = self._block.index
        pieces = [{"content": {kind: piece}} for piece in split(text)]
        return [*events, *(_event("content-delta", piece, index) for piece in pieces)]

    def _end_call(self) -> list[Wire]:
        """What was held of a call that is whole, and its end."""
        if not self._is_call_open:
            return []
        self._is_call_open = self._is_call_whole = False
        released = [_of_call(delta) for delta in self._calls.release()]
        return [*released, {"type": "tool-call-end", "index": len(self._calls.wires) - 1}]

    def _end_block(self) -> list[Wire]:
        block, self._is_block_whole = self._block, False
        if block is None:
            return []
        events: list[Wire] = []
        if self._is_prose and not self._has_cited:
            text = "".join(block.texts)[block.cited_from :]
            events = [event for found in self._citer.cite(text) for event in self._cited(found)]
        self._block, self._is_prose = None, False
        return [*events, {"type": "content-end", "index": block.index}]

    def _cited(self, citation: Citation) -> list[Wire]:
        block = self._block
        wire = citation_wire(citation, _CITED[block.kind if block else "plan"])
        if block is not None:
            wire["start"] += block.cited_from
            wire["end"] += block.cited_from
            wire["content_index"] = block.index
        index = len(self.citations)
        self.citations.append(wire)
        start = _event("citation-start", {"citations": wire}, index)
        return [start, {"type": "citation-end", "index": index}]


def _of_call(delta: Wire) -> Wire:
    """A piece of a call of OpenAI's as an event."""
    piece = cast("dict[str, Any]", delta["tool_calls"][0])
    kind = "tool-call-start" if "id" in piece else "tool-call-delta"
    call = {name: value for name, value in piece.items() if name != "index"}
    return _event(kind, {"tool_calls": call}, piece["index"])


def _event(kind: str, message: Wire, index: int | None = None) -> Wire:
    place: Wire = {} if index is None else {"index": index}
    return {"type": kind, **place, "delta": {"message": message}}
