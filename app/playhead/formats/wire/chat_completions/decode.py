"""Decode OpenAI chat events, from any server, into chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.formats.wire.codec import TRUNCATED, MessageGatherer
from playhead.formats.wire.incoming_calls import IncomingCalls
from playhead.formats.wire.native.decode import Decoder as NativeDecoder

_Prose = Literal["message", "reasoning"]


class Decoder:
    """Reads plain streams and those with native chunks in them; `[DONE]` is not for it.

    Calls become messages in the order of their indices, text between their pieces waits.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._native: NativeDecoder | None = None
        self._is_plain = False
        self._messages = MessageGatherer()
        self._calls = IncomingCalls(self._messages)
        self._waiting: list[tuple[_Prose, str]] = []
        self._said: list[str] = []
        self._message_at = 0
        self._citations: list[Citation] = []
        self._finish_reason = ""
        self._usage: Usage | None = None
        self._is_over = False

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this event."""
        native = event.get("lmc")
        if isinstance(native, list) and not self._is_plain:
            return self._of_native(cast("list[object]", native))
        if self._is_over or self._native is not None:
            return []
        self._is_plain = True  # a stream that began without native chunks continues without
        if event.get("error") is not None:
            return self._failed(_failure(event["error"]))
        choices = event.get("choices")
        if not isinstance(choices, list):
            self.skipped += 1
            return []
        self._usage = _usage(event.get("usage")) or self._usage
        for choice in _objects(cast("list[object]", choices)):
            self._take_choice(choice)
        return self._messages.take()

    def finish(self) -> list[Chunk]:
        """Return the chunks that close open messages; a stream that was cut ends in a
        server/error.
        """
        if self._native is not None:
            return self._native.finish()
        if self._is_over:
            return []
        if not self._finish_reason or not self._finish_calls():
            return self._failed(TRUNCATED)
        self._close()
        if self._usage is not None:
            usage = replace(self._usage, finish_reason=self._finish_reason)
            self._messages.add(Chunk(role="server", type="usage", content=usage))
        is_asking = self._finish_reason == "tool_calls" and self._calls.has_code
        status = "awaiting_approval" if is_asking else "complete"
        self._messages.add(Chunk(role="server", type="status", content=status))
        self._is_over = True
        return self._messages.take()

    def _of_native(self, wires: list[object]) -> list[Chunk]:
        self._native = self._native or NativeDecoder()
        native = self._native
        return [chunk for wire in _objects(wires) for chunk in native.decode(wire)]

    def _failed(self, failure: Failure) -> list[Chunk]:
        self._is_over = True
        self._close()
        self._messages.add(Chunk(role="server", type="error", content=failure))
        return self._messages.take()

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        if choice.get("index", 0) != 0:
            self.skipped += 1
            return
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            self._take_delta(cast("Mapping[str, Any]", delta))
        reason = choice.get("finish_reason")
        self._finish_reason = reason if isinstance(reason, str) else self._finish_reason

    def _take_delta(self, delta: Mapping[str, Any]) -> None:
        thought = _text(delta, "reasoning_content") or _text(delta, "reasoning")
        if thought:
            self._waiting.append(("reasoning", thought))
        if text := _text(delta, "content"):
            self._waiting.append(("message", text))
        if not self._calls.is_busy:
            self._write_waiting()
        for piece in _objects(delta.get("tool_calls")):
            self._take_call(piece)
        for annotation in _objects(delta.get("annotations")):
            self._take_annotation(annotation)

    def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for kind, text in waiting:
            if self._messages.open_kind != kind:
                self._close()
                self._messages.open(kind)
                self._message_at = sum(map(len, self._said))
            if kind == "message":
                self._said.append(text)
            self._messages.write(text)

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        fields = cast("Mapping[str, Any]", function if isinstance(function, Mapping) else {})
        self._emit_citations()
        self._calls.take(
            piece.get("index"),
            _text(piece, "id"),
            _text(fields, "name"),
            _text(fields, "arguments"),
        )
        if not self._calls.is_busy:
            self._write_waiting()

    def _finish_calls(self) -> bool:
        """Write what is left of calls; False where one was cut off."""
        if not self._calls.finish(is_cut=self._finish_reason == "length"):
            return False
        self._write_waiting()
        return True

    def _take_annotation(self, annotation: Mapping[str, Any]) -> None:
        found = annotation.get("url_citation")
        fields = cast("Mapping[str, Any]", found if isinstance(found, Mapping) else {})
        start, end = fields.get("start_index"), fields.get("end_index")
        if not isinstance(start, int) or not isinstance(end, int):
            self.skipped += 1
            return
        text = "".join(self._said)[max(start, 0) : max(end, 0)]
        source = Source(title=_text(fields, "title"), url=_text(fields, "url"))
        begin, end = start - self._message_at, end - self._message_at
        last = self._citations[-1] if self._citations else None
        if last is not None and (last.start, last.end) == (begin, end):
            self._citations[-1] = replace(last, sources=(*last.sources, source))
        else:
            self._citations.append(Citation(start=begin, end=end, text=text, sources=(source,)))

    def _close(self) -> None:
        """Close the message; its citations follow it."""
        self._messages.close()
        self._emit_citations()

    def _emit_citations(self) -> None:
        citations, self._citations = self._citations, []
        for citation in citations:
            self._messages.add(Chunk(role="assistant", type="citation", content=citation))


def _failure(error: object) -> Failure:
    if isinstance(error, str):
        return Failure(code="upstream_error", title=error or "The server reported an error.")
    fields = cast("Mapping[str, Any]", error if isinstance(error, Mapping) else {})
    title = _text(fields, "message") or "The server reported an error."
    return Failure(code=_text(fields, "code") or "upstream_error", title=title)


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    fields = cast("Mapping[str, Any]", usage)
    asked, answered = fields.get("prompt_tokens"), fields.get("completion_tokens")
    if isinstance(asked, int) and isinstance(answered, int):
        return Usage(input_tokens=asked, output_tokens=answered)
    return None


def _objects(items: object) -> list[Mapping[str, Any]]:
    found = cast("list[object]", items if isinstance(items, list) else [])
    return [cast("Mapping[str, Any]", item) for item in found if isinstance(item, Mapping)]


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
