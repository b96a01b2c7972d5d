"""A request for a turn, whatever dialect it came in."""

from __future__ import annotations

from dataclasses import dataclass

from playhead.dialects.entry import Entry
from playhead.session.options import TurnOptions


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a client wants: `entries` is its whole history, oldest first, or, with `session_id`,
    only what is new.

    `dialect` keeps the histories of different formats apart, `client` names the program for the
    sidebar. `is_call_clients` says that calls of `execute` go to the client by themselves
    (it offered that tool), in place of a question in words.
    """

    dialect: str
    entries: tuple[Entry, ...]
    options: TurnOptions
    session_id: str = ""
    client: str = ""
    is_call_clients: bool = False
