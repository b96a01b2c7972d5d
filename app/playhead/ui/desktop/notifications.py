"""Notifications while the window is not active: a run has ended, or something waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from PySide6.QtCore import QObject, Signal

from playhead.domain.text.titles import UNTITLED
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.ui.widgets.wording import mark, tr

LONG_S = 10.0
"""A shorter turn is not notified, because the user is still there."""
Phase = Literal["rests", "works", "approval", "input"]
_WORDS: dict[Phase, str] = {
    "rests": mark("Finished"),
    "approval": mark("Code waits for your decision"),
    "input": mark("The running code waits for your answer"),
}
_MOST_TITLE = 120


class DesktopNotification(Struct, frozen=True):
    """The title of a conversation and its state, without any of its content."""

    conversation_id: str
    title: str
    text: str


def phase_of(session: Session) -> Phase:
    """Return the state of a conversation for a user who is elsewhere."""
    match session.state:
        case "idle":
            return "rests"
        case "awaiting_approval":
            return "approval"
        case "awaiting_input":
            return "input"
        case _:
            return "works"


class DesktopNotifications(QObject):
    """Watches the sessions. Owner: the desktop presence, which calls `look` after each change.

    Signals: `posted(DesktopNotification)`; `withdrawn(str id)` when the notified event is over or
    was seen.
    """

    posted = Signal(object)
    withdrawn = Signal(str)

    def __init__(
        self,
        sessions: Sessions,
        is_wanted: Callable[[], bool],
        parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._is_wanted = is_wanted
        self._clock = clock
        self._phases: dict[str, Phase] = {}
        self._began: dict[str, float] = {}
        self._posted: set[str] = set()

    @property
    def phases(self) -> set[Phase]:
        """Return the states of all conversations."""
        return set(self._phases.values())

    def look(self) -> None:
        """Check what has changed since the last call."""
        now: dict[str, Phase] = {
            one.conversation.id: phase_of(one) for one in self._sessions.open_sessions
        }
        for id_ in self._phases.keys() - now.keys():
            self._began.pop(id_, None)
            self._withdraw(id_)
        before, self._phases = self._phases, now
        for id_, phase in now.items():
            if phase != before.get(id_, "rests"):
                self._on_change(id_, phase)

    def withdraw_all(self) -> None:
        """Remove all notifications, because the window is active now."""
        for id_ in tuple(self._posted):
            self._withdraw(id_)

    def _on_change(self, id_: str, phase: Phase) -> None:
        began = self._began.setdefault(id_, self._clock())
        self._withdraw(id_)
        if phase == "rests":
            del self._began[id_]
        is_long = self._clock() - began >= LONG_S
        if phase != "works" and (is_long or phase != "rests") and self._is_wanted():
            self._posted.add(id_)
            self.posted.emit(DesktopNotification(id_, self._title(id_), tr(_WORDS[phase])))

    def _withdraw(self, id_: str) -> None:
        if id_ in self._posted:
            self._posted.discard(id_)
            self.withdrawn.emit(id_)

    def _title(self, id_: str) -> str:
        session = self._sessions.get(id_)
        title = session.conversation.title if session else ""
        title = " ".join((title or tr(UNTITLED)).split())
        return title if len(title) <= _MOST_TITLE else title[: _MOST_TITLE - 1] + "…"
