"""The one shape of every dialect: chunks in, events out, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure

Wire = dict[str, Any]

TRUNCATED = Failure(
    "upstream_truncated", "The stream broke off before its end.", remedy="Ask again."
)
"""What a decoder makes of a stream without its last event."""


class Encoder(Protocol):
    """Turns one answer's chunks into the events of a format, without I/O.

    Feeding it all chunks and then `finish()` gives a whole, valid stream of the format. What
    frames the events (names, `data:`, an end mark that is no JSON) is for who writes them.
    """

    def encode(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk; [] where the format has no word for it."""
        ...

    def finish(self) -> list[Wire]:
        """What is left to say at the end."""
        ...


class Decoder(Protocol):
    """Turns the events of a format into chunks, without I/O; unknown events are skipped.

    `skipped` counts them, for diagnosis.
    """

    skipped: int

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """The chunks that are certain after this event."""
        ...

    def finish(self) -> list[Chunk]:
        """The chunks that close what is open; a stream that was cut ends in a server/error."""
        ...
