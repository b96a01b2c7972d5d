"""The deltas of one answer become chunks: prose, reasoning, code and tool calls."""

from __future__ import annotations

from collections.abc import Iterable

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Echo
from playhead.domain.text.unicode import SurrogateJoiner
from playhead.model_worker.protocol import Delta
from playhead.providers.call_parser import CallParser, CutOffError
from playhead.providers.citations import CitationReader
from playhead.providers.message_writer import MessageWriter
from playhead.providers.prose_parser import Canonical, ProseParser

__all__ = ["Canonical", "CutOffError", "DeltaParser"]

_WANT_BACK = frozenset({"anthropic", "bedrock", "vertex_ai"})
"""Providers whose models sign what they think and want it back with the results of their calls."""


class DeltaParser:
    """Feed it deltas, then finish it; messages never nest, boundaries are kept where possible.

    Fences count as code only while the model has made no tool call in the conversation. Where
    `offers_execute` is False nothing is code. `known_ids` are those of earlier calls,
    `provider` who gets back what it wants to get back.
    """

    def __init__(
        self,
        canonical: Canonical,
        *,
        has_called_tools: bool = False,
        offers_execute: bool = True,
        known_ids: Iterable[str] = (),
        provider: str = "",
    ) -> None:
        self._provider = provider
        self._writer = MessageWriter()
        are_fences_code = offers_execute and not has_called_tools
        self._prose = ProseParser(self._writer, canonical, are_fences_code=are_fences_code)
        self._calls = CallParser(
            self._writer, canonical, offers_execute=offers_execute, known_ids=known_ids
        )
        self._citations = CitationReader()
        self._text_joiner = SurrogateJoiner()
        self._thought_joiner = SurrogateJoiner()
        self._waiting: list[Delta] = []
        self._late_thoughts: list[str] = []
        self._late_echoes: list[str] = []

    @property
    def has_called(self) -> bool:
        """Whether there was a tool call in the answer."""
        return self._calls.has_called

    def feed(self, delta: Delta) -> list[Chunk]:
        """The chunks that are certain after this delta."""
        thought = self._thought_joiner.feed(delta.reasoning)
        text = self._text_joiner.feed(delta.text)
        self._citations.read(text)
        for page in delta.citations:
            self._citations.add(page)
        echo = delta.echo if self._provider in _WANT_BACK else ""
        if text or thought or echo:
            self._take_text(Delta(text, thought, echo=echo))
        for piece in delta.calls:
            self._begin_calls()
            self._calls.feed(piece)
        if not self._calls.is_busy:
            self._take_waiting()
        return self._writer.take()

    def finish(self, finish_reason: str = "stop") -> list[Chunk]:
        """The rest. Raises CutOffError when code or a call is not whole."""
        is_cut = finish_reason == "length"
        rest = Delta(self._text_joiner.finish(), self._thought_joiner.finish())
        if rest.text or rest.reasoning:
            self._take_text(rest)
        self._calls.finish(is_cut=is_cut)
        self._take_waiting()
        if is_cut and self._prose.has_open_code:
            raise CutOffError
        self._prose.finish()
        self._cite()
        self._take_late_thoughts()
        self._writer.close()
        return self._writer.take()

    def _begin_calls(self) -> None:
        """Text before calls ends; text after them is prose, fences and all."""
        if not self._calls.is_busy:
            self._prose.finish()
            self._cite()
        self._prose.are_fences_code = False

    def _cite(self) -> None:
        """What the message that has just ended cites."""
        for chunk in self._citations.take(self._writer.said):
            self._writer.add(chunk)

    def _take_text(self, delta: Delta) -> None:
        if self._calls.is_busy:  # an open call must not be closed by what comes in between
            self._waiting.append(delta)
            return
        if delta.reasoning and self._prose.has_open_code:
            self._late_thoughts.append(delta.reasoning)
        elif delta.reasoning:
            self._writer.write(delta.reasoning, "reasoning")
            self._writer.cut()
        if delta.echo:
            self._late_echoes.append(delta.echo)
            if not self._prose.has_open_code:
                self._take_late_echoes()
        if delta.text:
            self._prose.feed(delta.text)

    def _take_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for delta in waiting:
            self._take_text(delta)

    def _take_late_thoughts(self) -> None:
        for thought in self._late_thoughts:
            self._writer.write(thought, "reasoning")
        self._take_late_echoes()

    def _take_late_echoes(self) -> None:
        echoes, self._late_echoes = self._late_echoes, []
        for echo in echoes:
            content = Echo(self._provider, echo)
            self._writer.add(Chunk("server", "echo", content=content))
