"""Decode messages of @unternet/kernel, of older and later versions too, into chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.payloads import Failure
from playhead.formats.wire.codec import TRUNCATED, MessageGatherer, whole_chunk
from playhead.formats.wire.entry import text_message
from playhead.formats.wire.kernel_messages.encode import PLAN_TITLE
from playhead.formats.wire.kernel_messages.objects import calls_of, kind_of, results_of, text_of


class Decoder:
    """Reads one answer; its end is the stream's own, for this format has none."""

    def __init__(self) -> None:
        self.skipped = 0
        self._messages = MessageGatherer()
        self._chunks: list[Chunk] = []
        self._open_id: str | None = None
        self._streamed: set[str] = set()
        self._names: dict[str, str] = {}
        self._is_waiting = False
        self._is_over = False

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this message."""
        if not self._is_over:
            self._take(event)
        return self._taken()

    def finish(self) -> list[Chunk]:
        """Return what the answer waits for; a reply that was not completed was cut."""
        if self._is_over:
            return []
        if self._open_id is not None:
            self._fail(TRUNCATED)
        else:
            status = "awaiting_approval" if self._is_waiting else "complete"
            self._add(Chunk(role="server", type="status", content=status))
        self._is_over = True
        return self._taken()

    def _take(self, event: Mapping[str, Any]) -> None:
        match kind_of(event):
            case "reply.delta":
                self._take_delta(event, text_of(event, "status") == "completed")
            case "delta" if text_of(event, "messageType") in ("", "reply"):
                self._take_delta(event, event.get("final") is True)
            case "reply" if text_of(event, "id") not in self._streamed:
                self._text("assistant", "message", text_of(event, "text"))
            case "reply" | "system" | "log":
                pass
            case "reasoning":
                is_plan = text_of(event, "title") == PLAN_TITLE
                kind: ChunkType = "plan" if is_plan else "reasoning"
                self._text("assistant", kind, text_of(event, "summary") or text_of(event, "text"))
            case "input":
                self._take_input(event)
            case "tool_calls" | "actionproposal":
                self._take_calls(event)
            case "tool_results":
                self._take_results(event)
            case "error":
                self._fail(_failure(event))
            case _:
                self.skipped += 1

    def _take_delta(self, event: Mapping[str, Any], is_last: bool) -> None:
        message_id = text_of(event, "id") or text_of(event, "messageId")
        if message_id in self._streamed and message_id != self._open_id:
            self.skipped += 1
            return
        if self._open_id != message_id:
            self._messages.open("message")
            self._open_id = message_id
            self._streamed.add(message_id)
        raw = event.get("delta")
        fields = cast("Mapping[str, Any]", raw if isinstance(raw, Mapping) else event)
        self._messages.write(text_of(fields, "text"))
        if is_last:
            self._close()

    def _take_calls(self, event: Mapping[str, Any]) -> None:
        for call in calls_of(event):
            self._names[call.id] = call.name
            self._is_waiting = self._is_waiting or call.chunks[0].type == "code"
            self._add(*call.chunks)

    def _take_results(self, event: Mapping[str, Any]) -> None:
        self._is_waiting = False
        for result in results_of(event):
            name = result.name or self._names.get(result.call_id, "unknown")
            self._text("computer", "tool_result", result.text, name, result.call_id or None)

    def _take_input(self, event: Mapping[str, Any]) -> None:
        if text := text_of(event, "text"):
            self._add(Chunk(role="user", type="message", content=text))

    def _text(
        self,
        role: Role,
        kind: ChunkType,
        text: str,
        format_: str | None = None,
        call_id: str | None = None,
    ) -> None:
        self._add(*text_message(role, kind, text, format_=format_, call_id=call_id))

    def _add(self, *chunks: Chunk) -> None:
        self._close()
        self._chunks += [whole_chunk(chunk) for chunk in chunks]

    def _close(self) -> None:
        """Close the open reply; citations and other reports on it follow."""
        self._messages.close()
        self._chunks += self._messages.take()
        self._open_id = None

    def _taken(self) -> list[Chunk]:
        chunks = [*self._chunks, *self._messages.take()]
        self._chunks = []
        return chunks

    def _fail(self, failure: Failure) -> None:
        self._add(Chunk(role="server", type="error", content=failure))
        self._is_over = True


def _failure(event: Mapping[str, Any]) -> Failure:
    error = event.get("error")
    if isinstance(error, str):
        return Failure(code="upstream_error", title=error or "The kernel reported an error.")
    fields = cast("Mapping[str, Any]", error if isinstance(error, Mapping) else {})
    title = text_of(fields, "message") or "The kernel reported an error."
    return Failure(code=text_of(fields, "code") or "upstream_error", title=title)
