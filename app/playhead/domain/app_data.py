"""Describe the program's own data: its folders, its crash reports, and what a reset removes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AppFolderKind = Literal["data", "settings", "logs", "cache"]


@dataclass(frozen=True, slots=True)
class AppFolder:
    """A folder of the program's."""

    kind: AppFolderKind
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
class ResetOptions:
    """What a reset takes besides the settings."""

    takes_keys: bool = False
    takes_conversations: bool = False
