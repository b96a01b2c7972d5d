"""Encode an answer's chunks as Cohere v2 events, or as a whole answer.

Models that cite nothing get citations of the values that they repeat word for word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.json_text import read_json
from playhead.domain.text.run_ends import run_end_as_output
from playhead.formats.wire.chat_completions.encode import DeltaWriter
from playhead.formats.wire.chat_completions.objects import UsageCounter, calls_of, failure_text
from playhead.formats.wire.codec import TRUNCATED, Pieces, Wire, split
from playhead.formats.wire.cohere.objects import REASONS, citation_wire, usage_wire
from playhead.formats.wire.cohere.requests import message_key

SHORTEST = 2
"""The least number of characters of a value that is cited."""
_MOST_VALUES = 5_000
_MOST_PLACES = 200
_MOST_CHARACTERS = 20_000_000
"""The most characters to search, for all values together: other answers wait meanwhile."""


class VerbatimCiter:
    """Cites every value of the sources once in an answer: longest first, without overlap."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._sources: dict[str, list[Source]] = {}
        for source in sources:
            for value in dict.fromkeys(_values(source.text)):
                self._sources.setdefault(value, []).append(source)
        self._left = sorted(self._sources, key=len, reverse=True)[:_MOST_VALUES]

    def cite(self, text: str) -> list[Citation]:
        """Return the citations of the answer's next message, in the order of their places."""
        spans: list[tuple[int, int, str]] = []
        most = _MOST_CHARACTERS // (len(text) or 1)
        left = self._left[most:]
        for value in self._left[:most]:
            start = _place(value, text, spans)
            if start is None:
                left.append(value)
            else:
                spans.append((start, start + len(value), value))
        self._left = left
        return [
            Citation(start=start, end=end, text=value, sources=tuple(self._sources[value]))
            for start, end, value in sorted(spans)
        ]


def _place(value: str, text: str, spans: list[tuple[int, int, str]]) -> int | None:
    start = -1
    for _ in range(_MOST_PLACES):
        start = text.find(value, start + 1)
        if start < 0:
            break
        end = start + len(value)
        is_free = all(end <= first or last <= start for first, last, _ in spans)
        if is_free and not _is_inside_word(text, start, end):
            return start
    return None


def _is_inside_word(text: str, start: int, end: int) -> bool:
    """Return whether a match is inside a word, as 19 in 2019; scripts without spaces have no
    words.
    """
    before = start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start])
    after = end < len(text) and _is_letter(text[end]) and _is_letter(text[end - 1])
    return before or after


def _is_letter(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()


def _values(text: str) -> Iterator[str]:
    """Yield every text and number in a JSON document, also in JSON inside its texts."""
    waiting: list[Any] = [_parsed(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += cast("dict[str, Any]", value).values()
        elif isinstance(value, list):
            waiting += cast("list[Any]", value)
        elif isinstance(value, str) and (inner := _parsed(value)) is not value:
            waiting.append(inner)
        elif (told := _written(value)) is not None:
            yield told


def _written(value: object) -> str | None:
    """Return a text or a number as an answer would write it; None if it is too unspecific."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    told = value.strip() if isinstance(value, str) else json.dumps(value)
    return told if len(told) >= SHORTEST else None


def _parsed(text: str) -> Any:
    """Return the object or list that a text contains as JSON, else the text."""
    if not text.lstrip()[:1] or text.lstrip()[0] not in "{[":
        return text
    try:
        return read_json(text)
    except ValueError:
        return text


_CITED = {"text": "TEXT_CONTENT", "thinking": "THINKING_CONTENT", "plan": "PLAN"}


class _Block(Struct, kw_only=True):
    kind: Literal["text", "thinking"]
    index: int
    texts: list[str] = msgspec.field(default_factory=list[str])
    cited_from: int = 0
    """The position in the text at which the shown message begins."""

    @property
    def wire(self) -> Wire:
        return {"type": self.kind, self.kind: "".join(self.texts)}


class EventWriter(DeltaWriter):
    """Writes one block after the other; each ends before the next begins, after its citations.

    If a model cites nothing itself, text that is found word for word in the sources is cited.
    """

    def __init__(
        self, answer_id: str, citer: VerbatimCiter, *, is_call_clients: bool, has_tools: bool
    ) -> None:
        super().__init__(answer_id, is_call_clients=is_call_clients, has_tools=has_tools)
        self.plans: list[str] = []
        self.citations: list[Wire] = []
        self._citer = citer
        self._has_cited = False
        self._blocks: list[_Block] = []
        self._block: _Block | None = None
        self._is_block_whole = False
        self._is_prose = False
        self._is_call_open = False
        self._is_call_whole = False

    @property
    def blocks(self) -> list[Wire]:
        """Return the content so far, block by block."""
        return [block.wire for block in self._blocks]

    def feed(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        is_cited = chunk.type == "citation"
        before = self._end_call() if self._is_call_whole else []
        if self._is_block_whole and not is_cited:
            before += self._end_block()
        return [*before, *super().feed(chunk)]

    def finish(self, *, is_awaiting: bool) -> list[Wire]:
        """Return the remaining events, and the ends of all blocks."""
        before = [*self._end_call(), *self._end_block()]
        return [*before, *super().finish(is_awaiting=is_awaiting), *self._end_block()]

    def fail(self) -> list[Wire]:  # type: ignore[override] - here blocks are left to close
        """End the blocks of an answer that was cut off; incomplete texts stay incomplete."""
        super().fail()
        return [*self._end_call(), *self._end_block()]

    def _on_message(self, chunk: Chunk) -> list[Wire]:
        self._last_said = ""  # blocks separate two messages
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
        """Write a piece of a block of this kind; its first piece opens it."""
        if not text:
            return []
        events: list[Wire] = []
        if self._block is None or self._block.kind != kind:
            events = self._end_block()
            self._block = _Block(kind=kind, index=len(self._blocks))
            self._blocks.append(self._block)
            content = {"type": kind, kind: ""}
            events.append(_event("content-start", {"content": content}, self._block.index))
        self._block.texts.append(text)
        index = self._block.index
        pieces = [{"content": {kind: piece}} for piece in split(text)]
        return [*events, *(_event("content-delta", piece, index) for piece in pieces)]

    def _end_call(self) -> list[Wire]:
        """End a complete call, with the piece that was held back."""
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
    """Return a piece of an OpenAI call as an event."""
    piece = cast("dict[str, Any]", delta["tool_calls"][0])
    kind = "tool-call-start" if "id" in piece else "tool-call-delta"
    call = {name: value for name, value in piece.items() if name != "index"}
    return _event(kind, {"tool_calls": call}, piece["index"])


def _event(kind: str, message: Wire, index: int | None = None) -> Wire:
    place: Wire = {} if index is None else {"index": index}
    return {"type": kind, **place, "delta": {"message": message}}


_HELD = frozenset({"message", "reasoning", "plan", "citation"})
_CANCELLED = Failure(code="cancelled", title="The answer was cancelled.")


class Encoder:
    """Every event that it gives is one `data:` line, its `type` the event's name.

    With `is_call_clients` code goes out as calls of `execute`, else as text. Other calls go out
    only with `has_tools`. With `holds_text` what comes before the first call is held until it is
    known whether that is a plan. `citer` cites in answers of models that cite nothing.
    `prompt_tokens` is an estimate of the request's, where no provider counts them.
    """

    def __init__(
        self,
        answer_id: str,
        *,
        is_call_clients: bool = False,
        has_tools: bool = False,
        holds_text: bool = False,
        citer: VerbatimCiter | None = None,
        prompt_tokens: int = 0,
    ) -> None:
        self._id = answer_id
        self._pieces = Pieces()
        self._writer = EventWriter(
            answer_id,
            citer or VerbatimCiter(),
            is_call_clients=is_call_clients,
            has_tools=has_tools,
        )
        self._is_call_clients = is_call_clients
        self._held: list[Chunk] | None = [] if holds_text else None
        self._cost = UsageCounter(prompt_tokens)
        self._has_begun = False
        self.finish_reason: str | None = None
        """The reason of the answer's end, in Cohere's words; None while it is in progress."""
        self.failure: Failure | None = None
        """The failure that ended the answer, if any."""

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if self.finish_reason is not None:
            return []
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            return []
        shown = (chunk, *run_end_as_output(chunk))
        pieces = (piece for one in shown for piece in self._pieces.feed(one))
        return [event for piece in pieces for event in self._placed(piece)]

    def finish(self) -> list[Wire]:
        """Return the last events; a stream that ended without its last chunk failed."""
        if self.finish_reason is not None:
            return []
        return self.encode(Chunk(role="server", type="error", content=TRUNCATED))

    def answer(self) -> Wire:
        """Return the whole answer, once all of it has been encoded."""
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

    def keys(self) -> list[str]:
        """Return the key of this answer when a client sends it back; none if it says nothing."""
        key = message_key("".join(self._writer.texts), calls_of(self._writer.calls))
        return [key] if key else []

    @property
    def _usage(self) -> Wire:
        asked, answered = self._cost.tokens
        return usage_wire(Usage(input_tokens=asked, output_tokens=answered))

    def _placed(self, chunk: Chunk) -> list[Wire]:
        """Return the events of the chunk and of those that waited for it, or [] if it waits too."""
        if self._held is None:
            return self._events(chunk)
        if chunk.role == "assistant" and (chunk.type in _HELD or _is_broken_execute(chunk)):
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
        delta = {"error": failure_text(failure), "finish_reason": self.finish_reason}
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
        """Return the events; the event that names the role precedes the first ones."""
        if not events or self._has_begun:
            return events
        self._has_begun = True
        message: Wire = {"role": "assistant", "content": [], "tool_plan": ""}
        message |= {"tool_calls": [], "citations": []}
        return [{"type": "message-start", "id": self._id, "delta": {"message": message}}, *events]


def _is_broken_execute(chunk: Chunk) -> bool:
    """Return whether this is a malformed `execute`, which the server answers itself."""
    return chunk.type == "tool_call" and chunk.format == EXECUTE


def _planned(chunk: Chunk) -> Chunk:
    return replace(chunk, type="plan") if chunk.type == "message" else chunk
