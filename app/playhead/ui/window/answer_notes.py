"""Says below an answer what no message says: a wait, a limit, a filter, or that nothing came."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Usage, Waiting
from playhead.session.session import Session, SessionEvent
from playhead.ui.timeline.model.rows import Note
from playhead.ui.timeline.view import TimelineView
from playhead.ui.window.session_view import SessionView
from playhead.ui.wording import tr

TICK_MS = 250


class AnswerNotes(QObject):
    """Counts down until a model is asked again, and notes how answers end. Owner: the window."""

    def __init__(
        self, timeline: TimelineView, view: SessionView, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._view = view
        self._session: Session | None = None
        self._unsubscribers: list[Callable[[], None]] = []
        self._waiting: Waiting | None = None
        self._until = 0.0
        self._key = ""
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._on_tick)
        view.session_left.connect(self._on_session_left)
        view.session_changed.connect(self._on_session_changed)

    @property
    def is_waiting(self) -> bool:
        """Whether a countdown is shown."""
        return self._waiting is not None

    def _on_session_left(self) -> None:
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self._unsubscribers, self._session = [], None
        self._end_wait()

    def _on_session_changed(self) -> None:
        session = self._session = self._view.session
        if session is None:
            return
        self._unsubscribers = [
            session.conversation.subscribe(self._on_conversation_event),
            session.subscribe(self._on_session_event),
        ]

    def _on_session_event(self, event: SessionEvent) -> None:
        if self._session is not None and self._session.is_idle:
            self._end_wait()

    def _on_conversation_event(self, event: ConversationEvent) -> None:
        content = event.chunk.content if event.chunk is not None else None
        if isinstance(content, Waiting):
            self._begin_wait(content)
            return
        self._end_wait()
        if isinstance(content, Usage):
            self._note_end(content)

    def _begin_wait(self, waiting: Waiting) -> None:
        self._end_wait()
        self._waiting = waiting
        self._until = time.monotonic() + waiting.seconds
        self._key = self._timeline.model.add_note(_countdown(waiting, waiting.seconds))
        self._timeline.coalescer.due()
        self._timer.start()

    def _on_tick(self) -> None:
        if self._waiting is None:
            return
        left_s = self._until - time.monotonic()
        self._timeline.model.change_note(self._key, _countdown(self._waiting, left_s))
        self._timeline.coalescer.due()
        if left_s <= 0:
            self._timer.stop()

    def _end_wait(self) -> None:
        if self._waiting is None:
            return
        self._waiting = None
        self._timer.stop()
        self._timeline.model.drop_note(self._key)
        self._timeline.coalescer.due()

    def _note_end(self, usage: Usage) -> None:
        """How an answer ended, where that is no surprise to nobody."""
        match usage.finish_reason:
            case "length":
                self._timeline.add_note(
                    "info",
                    tr("The answer ended at the limit of its length."),
                    tr("Raise the maximum of tokens in the settings, or ask to go on."),
                )
            case "content_filter":
                self._timeline.add_note(
                    "warning",
                    tr("The provider's filter ended the answer."),
                    tr("Ask in other words, or choose another model."),
                )
            case _ if self._is_empty():
                self._timeline.add_note(
                    "info",
                    tr("The model answered with nothing."),
                    tr("Ask again, or in other words."),
                )
            case _:
                pass

    def _is_empty(self) -> bool:
        messages = self._session.conversation.messages if self._session is not None else []
        last = next((one for one in reversed(messages) if one.role != "server"), None)
        return last is not None and (last.role != "assistant" or last.type == "reasoning")


def _countdown(waiting: Waiting, left_s: float) -> Note:
    """Why nothing comes, and for how long."""
    if left_s <= 0:
        return Note("info", waiting.reason, tr("Asking again…"))
    told = tr(
        "Asking again in {seconds} s, attempt {attempt} of {attempts}. Stop ends the wait.",
        seconds=math.ceil(left_s),
        attempt=waiting.attempt,
        attempts=waiting.attempts,
    )
    return Note("info", waiting.reason, told)
