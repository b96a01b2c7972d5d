"""The events of a Cohere answer become chunks; the dialect's decoder does the reading."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.errors import ProviderError
from playhead.formats.wire.cohere.decode import CohereDecoder
from playhead.model_worker.protocol import Delta
from playhead.providers.prose_parser import Canonical

_log = logging.getLogger(__name__)


class CohereReader:
    """Reads one answer, as DeltaParser does those of all other providers."""

    def __init__(
        self, canonical: Canonical, *, offers_execute: bool = True, known_ids: Iterable[str] = ()
    ) -> None:
        self._decoder = CohereDecoder(canonical, offers_execute=offers_execute, known_ids=known_ids)
        self.has_called = False

    def feed(self, delta: Delta) -> list[Chunk]:
        """The chunks that are certain after this event. Raises ProviderError of a failed answer."""
        return self._without_end(self._decoder.feed(delta.event))

    def finish(self, finish_reason: str = "stop") -> list[Chunk]:
        """The rest. Raises ProviderError when the answer broke off."""
        if self._decoder.skipped:
            _log.info("Passed over %d events of Cohere's", self._decoder.skipped)
        return self._without_end(self._decoder.finish())

    def _without_end(self, chunks: list[Chunk]) -> list[Chunk]:
        """Usage and status are the provider's to tell; half an answer's ends are never told."""
        for chunk in chunks:
            if isinstance(chunk.content, Failure):
                raise _error(chunk.content)
            self.has_called |= chunk.type in ("code", "tool_call")
        return [chunk for chunk in chunks if chunk.role != "server"]


def _error(failure: Failure) -> ProviderError:
    return ProviderError(
        failure.title,
        detail=failure.detail,
        remedy=failure.remedy or "Try again. If it happens again, the server is at fault.",
        code=failure.code,
    )
