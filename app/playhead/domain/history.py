"""The stored data of a conversation beside its messages: its row, its marks, its records."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

ConversationMark = Literal["pinned", "archived", "unread", "deleted"]
"""Marks that the user, or the program, sets on a conversation; a deleted one can be restored."""


class ConversationSummary(Struct, frozen=True, kw_only=True):
    """A row of the sidebar; times are in seconds since the epoch (UTC).

    `client` names the program that began it over the API; such a row stays while it runs.
    `is_unread`: an answer arrived while another conversation was shown. `machine` is the short name
    of where its code runs, "" for this computer.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    message_count: int = 0
    client: str = ""
    is_pinned: bool = False
    is_archived: bool = False
    is_unread: bool = False
    machine: str = ""


class Record(Struct, frozen=True):
    """A text (JSON) by its `id` among those of its owner: a conversation's id, or another word."""

    owner: str
    id: str
    content: str
