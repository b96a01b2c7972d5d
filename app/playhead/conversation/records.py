"""What programs keep beside the messages of conversations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """A text (JSON) by its `id` among those of its owner: a conversation's id, or another word."""

    owner: str
    id: str
    content: str
