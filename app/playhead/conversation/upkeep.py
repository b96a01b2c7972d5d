"""Values about the program's own files: where they lie, what crashed, what a reset takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PlaceKind = Literal["data", "settings", "logs", "cache"]


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of the program's."""

    kind: PlaceKind
    path: str


@dataclass(frozen=True, slots=True)
class CrashReport:
    """A file about something that went wrong in the program; `at` in seconds since the epoch.

    `is_fatal`: the program ended by it. The text has no key and no word of a conversation.
    """

    name: str
    at: float
    is_fatal: bool
    text: str


@dataclass(frozen=True, slots=True)
class ResetWish:
    """What a reset takes besides the settings."""

    takes_keys: bool = False
    takes_conversations: bool = False
