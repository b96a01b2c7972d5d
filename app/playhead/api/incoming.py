"""A request for a turn, whatever dialect it came in, and who may decide what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playhead.formats.wire.entry import Entry
from playhead.session.turn_settings import TurnOptions


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a client wants: `entries` is its whole history, oldest first, or, with `session_id`,
    only what is new.

    `dialect` keeps the histories of different formats apart, `client` names the program for the
    sidebar. `is_call_clients` says that calls of `execute` go to the client by themselves
    (it offered that tool), in place of a question in words. `proposed` is the language and code
    that the last assistant text asks about, where the dialect asks in words and the last entry
    may be the answer (`is_yes`). `is_from_own_code` says that the request comes from a process
    that one of our kernels started: it decides nothing. With `answers_input` the client sees what
    running code asks for, and can answer. With `names_messages` the start of what the
    assistant says, and pictures, carry the ids of their messages. `folder` is where a fresh
    conversation works; '' leaves that to the settings.
    """

    dialect: str
    entries: tuple[Entry, ...]
    options: TurnOptions
    session_id: str = ""
    client: str = ""
    is_call_clients: bool = False
    proposed: tuple[str, str] | None = None
    is_from_own_code: bool = False
    answers_input: bool = False
    names_messages: bool = False
    folder: str = ""

    @property
    def characters(self) -> int:
        """About how much the model is asked, for an estimate of the cost."""
        contents = (chunk.content for entry in self.entries for chunk in entry.chunks)
        texts = (content for content in contents if isinstance(content, str))
        return len(self.options.instructions) + sum(map(len, texts))


@dataclass(frozen=True, slots=True)
class Policy:
    """Asked anew at each request: whether who holds the token may approve, and have code run
    unasked. The two switches are named in the refusals. With no `has_window` nobody can type what
    running code asks for.
    """

    may_approve: Callable[[], bool]
    may_auto_run: Callable[[], bool]
    approve_switch: str
    auto_run_switch: str
    has_window: bool = False
