"""Decode Cohere v2 events, of Cohere's servers or of ours, into chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure
from playhead.formats.wire.codec import TRUNCATED, MessageGatherer
from playhead.formats.wire.cohere.objects import (
    citation_of,
    failure_of,
    first_object,
    text_of,
    usage_of,
)
from playhead.formats.wire.incoming_calls import Canonical, IncomingCalls

_Prose = Literal["message", "reasoning", "plan"]
_PROSE: tuple[tuple[str, _Prose], ...] = (("thinking", "reasoning"), ("text", "message"))
_SILENT = frozenset({"message-start", "citation-end", "debug"})
_FAILED = frozenset({"ERROR", "TIMEOUT"})


class CohereDecoder:
    """Reads the events of one answer; its end gives usage and a status, or a server/error.

    A valid call of `execute` becomes code while it is written, unless `offers_execute` is False;
    with `canonical` only in a language that this knows. With `known_ids`, those of earlier calls,
    every call gets a unique id. With `gives_back` half a call of `execute` that the model took for
    a whole one is a failed call, else a failure. The citations of a message follow it.
    """

    def __init__(
        self,
        canonical: Canonical | None = None,
        *,
        offers_execute: bool = True,
        known_ids: Iterable[str] | None = None,
        gives_back: bool = False,
    ) -> None:
        self.skipped = 0
        self._gives_back = gives_back
        self._messages = MessageGatherer()
        self._calls = IncomingCalls(
            self._messages, canonical=canonical, offers_execute=offers_execute, known_ids=known_ids
        )
        self._waiting: list[tuple[_Prose, str] | None] = []
        self._citations: list[Citation] = []
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Return whether the answer's last event has come."""
        return self._is_over

    def feed(self, event: object) -> list[Chunk]:
        """Return the chunks that are certain after this event; skip one that is not valid."""
        if self._is_over or event == "[DONE]":
            return []
        if isinstance(event, Mapping):
            self._take(cast("Mapping[str, Any]", event))
        else:
            self.skipped += 1
        return self._messages.take()

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this event."""
        return self.feed(event)

    def finish(self) -> list[Chunk]:
        """Return the chunks that close open messages; a stream that was cut ends in a
        server/error.
        """
        if not self._is_over:
            self._fail(TRUNCATED)
        return self._messages.take()

    def _take(self, event: Mapping[str, Any]) -> None:
        message = first_object(first_object(event.get("delta")).get("message"))
        index = event.get("index")
        match event.get("type"):
            case "content-start" | "content-delta":
                self._take_content(first_object(message.get("content")))
            case "content-end":
                self._say(None)
            case "tool-plan-delta":
                self._say(("plan", text_of(message, "tool_plan")))
            case "tool-call-start" | "tool-call-delta":
                self._take_call(index, first_object(message.get("tool_calls")))
            case "tool-call-end":
                self._calls.end(index)
                self._write_waiting()
            case "citation-start":
                self._take_citation(first_object(message.get("citations")))
            case "message-end":
                self._take_end(first_object(event.get("delta")))
            case str(kind) if kind in _SILENT:
                pass
            case _:
                self.skipped += 1

    def _take_content(self, content: Mapping[str, Any]) -> None:
        for field, kind in _PROSE:
            self._say((kind, text_of(content, field)))

    def _say(self, piece: tuple[_Prose, str] | None) -> None:
        """Add text, or None for the end of a block; both wait while a call is being written."""
        if piece is None or piece[1]:
            self._waiting.append(piece)
        self._write_waiting()

    def _write_waiting(self) -> None:
        if self._calls.is_busy:
            return
        waiting, self._waiting = self._waiting, []
        for piece in waiting:
            if piece is None:
                self._close()
                continue
            kind, text = piece
            if self._messages.open_kind != kind:
                self._close()
                self._messages.open(kind)
            self._messages.write(text)

    def _take_call(self, index: object, call: Mapping[str, Any]) -> None:
        function = first_object(call.get("function"))
        self._emit_citations()
        name, arguments = text_of(function, "name"), text_of(function, "arguments")
        self._calls.take(index, text_of(call, "id"), name, arguments)
        self._write_waiting()

    def _take_citation(self, wire: Mapping[str, Any]) -> None:
        citation = citation_of(wire)
        if citation is None:
            self.skipped += 1
            return
        self._citations.append(citation)
        if self._messages.open_kind is None:
            self._emit_citations()

    def _take_end(self, delta: Mapping[str, Any]) -> None:
        reason = text_of(delta, "finish_reason")
        if delta.get("error") is not None or reason in _FAILED:
            self._fail(failure_of(reason, delta.get("error")))
        elif not self._calls.finish(
            is_cut=reason == "MAX_TOKENS",
            gives_back=self._gives_back and reason == "TOOL_CALL",
        ):
            self._fail(TRUNCATED)
        else:
            self._end(reason, delta)

    def _end(self, reason: str, delta: Mapping[str, Any]) -> None:
        self._write_waiting()
        self._close()
        usage = usage_of(reason, delta.get("usage"))
        if usage is not None:
            self._messages.add(Chunk(role="server", type="usage", content=usage))
        is_asking = reason == "TOOL_CALL" and self._calls.has_code
        status = "awaiting_approval" if is_asking else "complete"
        self._messages.add(Chunk(role="server", type="status", content=status))
        self._is_over = True

    def _fail(self, failure: Failure) -> None:
        self._close()
        self._messages.add(Chunk(role="server", type="error", content=failure))
        self._is_over = True

    def _close(self) -> None:
        """Close the message; its citations follow it."""
        self._messages.close()
        self._emit_citations()

    def _emit_citations(self) -> None:
        citations, self._citations = self._citations, []
        for citation in citations:
            self._messages.add(Chunk(role="assistant", type="citation", content=citation))
