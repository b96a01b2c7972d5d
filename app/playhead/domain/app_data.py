"""Describe the program's own data: its folders, its crash reports, and what a reset removes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

AppFolderKind = Literal["data", "settings", "logs", "cache"]


class AppFolder(Struct, frozen=True):
    """A folder of the program's."""

    kind: AppFolderKind
    path: str


class CrashReport(Struct, frozen=True, kw_only=True):
    """A file about something that went wrong in the program; `at` in seconds since the epoch.

    `is_fatal`: the error ended the program. The text contains no key and no part of a conversation.
    """

    name: str
    at: float
    is_fatal: bool
    text: str


class ResetOptions(Struct, frozen=True):
    """The data that a reset deletes besides the settings."""

    takes_keys: bool = False
    takes_conversations: bool = False
