"""The deltas of one answer become chunks: prose, reasoning, code, tool calls and citations.

Cohere's come as events of its own; a very large delta is read in parts.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Echo, Failure, Source
from playhead.domain.text.unicode import SurrogateJoiner
from playhead.errors import ProviderError
from playhead.model_worker.protocol import CallPiece, CitedPage, Delta
from playhead.providers.parser.call_parser import CallParser, CutOffError
from playhead.providers.parser.message_writer import MessageWriter
from playhead.providers.parser.prose_parser import Canonical, ProseParser


class CitationReader:
    """Gathers what is cited until the message that it is about has ended."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._waiting: dict[CitedPage, None] = {}

    def read(self, text: str) -> None:
        """Read the next piece of the model's text, unchanged."""
        self._text.append(text)

    def add(self, page: CitedPage) -> None:
        """Add a page once; some servers send all of them again each time."""
        self._waiting[page] = None

    def take(self, message: str) -> list[Chunk]:
        """Return the citations in a message that has just ended; invalid ones are left out."""
        if not self._waiting:
            return []
        waiting, self._waiting = self._waiting, {}
        whole = "".join(self._text)
        offset = whole.rfind(message)
        found = (_citation(page, whole, message, offset) for page in waiting)
        return [
            Chunk(role="assistant", type="citation", content=one)
            for one in found
            if one is not None
        ]


def _citation(page: CitedPage, whole: str, message: str, offset: int) -> Citation | None:
    cited = whole[page.start : page.end]
    start = page.start - offset if offset >= 0 else -1
    if not cited or message[max(start, 0) :][: len(cited)] != cited:
        start = message.find(cited) if cited else -1  # tags or fences before it are not of it
    if start < 0:
        return None
    source = Source(title=page.title, url=page.url)
    return Citation(start=start, end=start + len(cited), text=cited, sources=(source,))


_ECHO_PROVIDERS = frozenset({"anthropic", "bedrock", "vertex_ai"})
"""Providers whose models sign what they think and want it back with the results of their calls."""


class DeltaParser:
    """Turns deltas into chunks; messages never nest, boundaries are kept where possible.

    Fences are code only of a model that `takes_tools` not; of any other they are prose. Without
    `offers_execute` nothing is code. `known_ids` are those of earlier calls,
    `provider` is the one whose echoes are kept. With `gives_back` half a call of `execute` that the
    model took for a whole one is a failed call, else the end of the answer.
    """

    def __init__(
        self,
        canonical: Canonical,
        *,
        takes_tools: bool = False,
        offers_execute: bool = True,
        known_ids: Iterable[str] = (),
        provider: str = "",
        gives_back: bool = True,
    ) -> None:
        self._provider = provider
        self._gives_back = gives_back
        self._writer = MessageWriter()
        are_fences_code = offers_execute and not takes_tools
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
        """Return whether there was a tool call in the answer."""
        return self._calls.has_called

    def feed(self, delta: Delta) -> list[Chunk]:
        """Return the chunks that are certain after this delta."""
        thought = self._thought_joiner.feed(delta.reasoning)
        text = self._text_joiner.feed(delta.text)
        self._citations.read(text)
        for page in delta.citations:
            self._citations.add(page)
        echo = delta.echo if self._provider in _ECHO_PROVIDERS else ""
        if text or thought or echo:
            is_same = text is delta.text and thought is delta.reasoning and echo is delta.echo
            self._take_text(delta if is_same else Delta(text=text, reasoning=thought, echo=echo))
        for piece in delta.calls:
            self._begin_calls()
            self._calls.feed(piece)
        if not self._calls.is_busy:
            self._take_waiting()
        return self._writer.take()

    def finish(self, finish_reason: str = "stop") -> list[Chunk]:
        """Return the remaining chunks. Raises CutOffError when code or a call is incomplete."""
        is_cut = finish_reason == "length"
        rest = Delta(text=self._text_joiner.finish(), reasoning=self._thought_joiner.finish())
        if rest.text or rest.reasoning:
            self._take_text(rest)
        gives_back = self._gives_back and finish_reason == "tool_calls"
        self._calls.finish(is_cut=is_cut, gives_back=gives_back)
        self._take_waiting()
        if is_cut and self._prose.has_open_code:
            raise CutOffError
        self._prose.finish()
        self._cite()
        self._take_late_thoughts()
        self._writer.close()
        return self._writer.take()

    def _begin_calls(self) -> None:
        """End the text before calls; text after them is prose, also its fences."""
        if not self._calls.is_busy:
            self._prose.finish()
            self._cite()
        self._prose.are_fences_code = False

    def _cite(self) -> None:
        """Add the citations of the message that has just ended."""
        for chunk in self._citations.take(self._writer.latest_prose):
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
            self._writer.add(Chunk(role="server", type="echo", content=content))


_log = logging.getLogger(__name__)


class CohereParser:
    """Reads one answer, as DeltaParser does those of all other providers."""

    def __init__(
        self,
        canonical: Canonical,
        *,
        offers_execute: bool = True,
        known_ids: Iterable[str] = (),
        gives_back: bool = True,
    ) -> None:
        from playhead.formats.wire.cohere.decode import CohereDecoder  # others go without

        self._decoder = CohereDecoder(
            canonical, offers_execute=offers_execute, known_ids=known_ids, gives_back=gives_back
        )
        self.has_called = False

    def feed(self, delta: Delta) -> list[Chunk]:
        """Return the chunks that are certain after this event. Raises ProviderError on failure."""
        return self._without_end(self._decoder.feed(delta.event))

    def finish(self, finish_reason: str = "stop") -> list[Chunk]:
        """Return the remaining chunks. Raises ProviderError when the answer broke off."""
        if self._decoder.skipped:
            _log.info("Passed over %d events of Cohere's", self._decoder.skipped)
        return self._without_end(self._decoder.finish())

    def _without_end(self, chunks: list[Chunk]) -> list[Chunk]:
        """Return the chunks without the provider's usage and status. Raises ProviderError."""
        for chunk in chunks:
            if isinstance(chunk.content, Failure):
                raise _provider_error(chunk.content)
            self.has_called |= chunk.type in ("code", "tool_call")
        return [chunk for chunk in chunks if chunk.role != "server"]


def _provider_error(failure: Failure) -> ProviderError:
    return ProviderError(
        failure.title,
        detail=failure.detail,
        remedy=failure.remedy or "Try again. If it happens again, the server is at fault.",
        code=failure.code,
    )


PART_CHARACTERS = 4_096


def is_large_delta(delta: Delta) -> bool:
    """Return whether the delta is to be read in parts."""
    if len(delta.text) > PART_CHARACTERS or len(delta.reasoning) > PART_CHARACTERS:
        return True
    calls = delta.calls
    return bool(calls) and any(len(piece.arguments) > PART_CHARACTERS for piece in calls)


def delta_parts(delta: Delta) -> Iterator[Delta]:
    """Yield the parts that replace the delta, in the order in which they are read."""
    for reasoning in _cut(delta.reasoning):
        yield Delta(reasoning=reasoning)
    if delta.echo:
        yield Delta(echo=delta.echo)
    for text in _cut(delta.text):
        yield Delta(text=text)
    if delta.citations or delta.event is not None:
        yield Delta(citations=delta.citations, event=delta.event)
    for piece in delta.calls:
        for call in _cut_call(piece):
            yield Delta(calls=(call,))


def _cut_call(piece: CallPiece) -> Iterator[CallPiece]:
    """Yield the parts of a call; only the first has its id and name."""
    first, *rest = _cut(piece.arguments) or [""]
    yield replace(piece, arguments=first)
    for arguments in rest:
        yield CallPiece(index=piece.index, arguments=arguments)


def _cut(text: str) -> list[str]:
    return [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]
