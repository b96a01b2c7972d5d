"""Decode streamed tool calls, cut anywhere and interleaved, into code and `tool_call` messages."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from typing import Any

from playhead.domain.conversation.chunk import Chunk, ChunkType
from playhead.domain.model import EXECUTE
from playhead.formats.wire.argument_reader import ArgumentReader
from playhead.formats.wire.codec import MessageGatherer

Canonical = Callable[[str], str | None]
"""Returns the language that a model's word names, or None if there is no such language."""

_HALF_A_CALL = (
    "This code was not run: the arguments of the call broke off before their end. "
    "Send the whole call again."
)


def half_call_result(call_id: str) -> list[Chunk]:
    """Return the result that gives half a call of `execute` back to its model."""

    def part(**more: Any) -> Chunk:
        return Chunk(role="computer", type="tool_result", format=EXECUTE, **more)

    return [part(start=True, id=call_id), part(content=_HALF_A_CALL), part(end=True)]


class IncomingCalls:
    """Writes one call after the other in index order; pieces of later calls wait.

    A proper `execute` becomes code as it is written, unless `offers_execute` is False; with
    `canonical` only in a language that this knows. With `known_ids` every call gets an id of its
    own: some servers count from 0 in each answer, or give none at all.
    """

    def __init__(
        self,
        messages: MessageGatherer,
        *,
        canonical: Canonical | None = None,
        offers_execute: bool = True,
        known_ids: Iterable[str] | None = None,
    ) -> None:
        self.has_code = False
        """Whether any complete call was code."""
        self._messages = messages
        self._canonical = canonical
        self._offers_execute = offers_execute
        self._known_ids = None if known_ids is None else set(known_ids)
        self._latest: dict[int, IncomingCall] = {}
        self._waiting: list[IncomingCall] = []

    @property
    def has_called(self) -> bool:
        """Return whether there was any call."""
        return bool(self._latest)

    @property
    def is_busy(self) -> bool:
        """Return whether a call is still incomplete."""
        return bool(self._waiting)

    def take(self, index: object, call_id: str, name: str, arguments: str) -> None:
        """Take a piece of a call; its id and name may come once or repeatedly."""
        call = self._call_of(index, call_id)
        call.name = call.name or name
        call.id = call.id or call_id
        if not call.is_whole:
            call.waiting.append(arguments)
        self._advance()

    def end(self, index: object) -> None:
        """End this call; half code stays open until the answer's end."""
        call = self._latest.get(index) if isinstance(index, int) else None
        if call is not None:
            call.has_ended = True
            self._advance()

    def finish(self, *, is_cut: bool, gives_back: bool = False) -> bool:
        """Write the remaining pieces; return False if a call, or the answer inside one, was cut
        off. With `gives_back` half a call gets a result instead, as its model did not notice.
        """
        while self._waiting:
            call = self._waiting[0]
            call.name = call.name or "unknown"
            if call.advance(self._messages):
                self._leave()
            elif is_cut or (call.is_half_code and not gives_back):
                return False
            elif call.is_half_code:
                self._waiting.pop(0)
                for chunk in half_call_result(call.given_id):
                    self._messages.add(chunk)
            else:
                call.become_plain(self._messages)
                self._leave()
        return True

    def _advance(self) -> None:
        while self._waiting and self._waiting[0].advance(self._messages):
            self._leave()

    def _leave(self) -> None:
        self._messages.close()
        call = self._waiting.pop(0)
        self.has_code = self.has_code or call.kind == "code"

    def _call_of(self, index: object, call_id: str) -> IncomingCall:
        place = index if isinstance(index, int) else len(self._latest)
        call = self._latest.get(place)
        # Some servers number every call 0 and separate them by id only.
        if call is None or (call_id and call.id and call_id != call.id):
            call = self._latest[place] = IncomingCall(
                place, self._canonical, self._known_ids, is_code_offered=self._offers_execute
            )
            self._waiting.append(call)
            begun = [other for other in self._waiting if other.kind is not None]
            rest = [other for other in self._waiting if other.kind is None]
            self._waiting = [*begun, *sorted(rest, key=lambda other: other.index)]
        return call


class IncomingCall:
    """One call: code if it is a proper `execute`, else a tool_call with its arguments' text."""

    def __init__(
        self,
        index: int,
        canonical: Canonical | None = None,
        known_ids: set[str] | None = None,
        *,
        is_code_offered: bool = True,
    ) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.waiting: list[str] = []
        self.has_ended = False
        self.kind: ChunkType | None = None
        """The kind of the call, once that is known."""
        self.given_id = ""
        """The id under which it was written."""
        self._canonical = canonical
        self._known_ids = known_ids
        self._is_code_offered = is_code_offered
        self._reader = ArgumentReader()
        self._raw: list[str] = []
        self._language: list[str] = []
        self._code: list[str] = []

    @property
    def is_whole(self) -> bool:
        """Return whether its arguments have ended."""
        return self._reader.is_complete

    @property
    def is_half_code(self) -> bool:
        """Return whether code has begun and not ended."""
        return self.kind == "code" and "code" not in self._reader.closed

    def advance(self, messages: MessageGatherer) -> bool:
        """Write what can be written; True when nothing more is to come."""
        if not self.name:
            return False
        if self.name != EXECUTE or not self._is_code_offered:
            self.become_plain(messages)
        waiting, self.waiting = self.waiting, []
        for piece in waiting:
            self._take(piece, messages)
        if not self.is_whole and (self.is_half_code or not self.has_ended):
            return False
        self.become_plain(messages)
        return True

    def become_plain(self, messages: MessageGatherer) -> None:
        """Turn the call into that of another tool if its arguments are not code; else do
        nothing.
        """
        if self.kind is None:
            self._begin("tool_call", self.name or "unknown", messages)
            for piece in self._raw:
                messages.write(piece)

    def _take(self, piece: str, messages: MessageGatherer) -> None:
        found = self._reader.feed(piece)
        piece = piece[: len(piece) - self._reader.overhang]  # nothing may follow the arguments
        if self.kind == "tool_call":
            messages.write(piece)
            return
        self._raw.append(piece)
        self._language += [text for key, text in found if key == "language"]
        self._code += [text for key, text in found if key == "code"]
        if self.kind is None and self._reader.is_broken:
            self.become_plain(messages)
        elif "language" in self._reader.closed and "code" in self._reader.begun:
            self._write_code(messages)

    def _write_code(self, messages: MessageGatherer) -> None:
        if self.kind is None:
            word = "".join(self._language)
            language = self._canonical(word) if self._canonical else word
            if language is None:
                self.become_plain(messages)
                return
            self._begin("code", language or None, messages)
        for text in self._code:
            messages.write(text)
        self._code.clear()

    def _begin(self, kind: ChunkType, format_: str | None, messages: MessageGatherer) -> None:
        self.kind = kind
        call_id = self.id
        if self._known_ids is not None:
            if not call_id or call_id in self._known_ids:
                call_id = f"{call_id or 'call'}_{uuid.uuid4().hex[:12]}"
            self._known_ids.add(call_id)
        self.given_id = call_id
        messages.open(kind, format_, call_id or None)
