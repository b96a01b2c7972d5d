"""Joins the timeline's versions and deletions to the session, deletion with an undo."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from playhead.session.branches import Deletion
from playhead.session.session import Session
from playhead.ui.notifications import BannerAction, Notifications
from playhead.ui.timeline.view import TimelineView
from playhead.ui.window.session_view import SessionView
from playhead.ui.wording import tr, tr_n

UNDO_MS = 10_000
"""How long a deletion can be taken back, if nothing else is changed meanwhile."""
_KEY = "deleted turn"
_QUESTION_LENGTH = 60


class TurnVerbs(QObject):
    """Owner: the main window."""

    def __init__(
        self,
        view: SessionView,
        timeline: TimelineView,
        notifications: Notifications,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._view = view
        self._notifications = notifications
        self._session: Session | None = None
        self.countdown = QTimer(self)
        self.countdown.setSingleShot(True)
        self.countdown.setInterval(UNDO_MS)
        self.countdown.timeout.connect(self.settle)
        timeline.version_chosen.connect(self.choose)
        timeline.delete_requested.connect(self.delete)
        view.session_changed.connect(self._on_session_changed)
        view.rearranged.connect(self._on_rearranged)

    def choose(self, message_id: str) -> None:
        """Show another version."""
        self._view.do(lambda session: session.choose_version(message_id))

    def delete(self, message_id: str) -> None:
        """Take a turn away, and say for a while how to get it back."""
        done: list[Deletion] = []
        self._end()
        if self._view.do(lambda session: done.append(session.delete_turn(message_id))):
            self._session = self._view.session
            action = BannerAction(tr("Undo"), self.undo)
            title, detail = deletion_words(done[0])
            banner = self._notifications.show_notice(title, detail, action, key=_KEY)
            # Its button closes it too, before it does what it says.
            banner.closed.connect(lambda: QTimer.singleShot(0, self, self.settle))
            self.countdown.start()

    def undo(self) -> None:
        """Get back what was deleted last."""
        session, self._session = self._session, None
        self._end()
        if session is not None and session is self._view.session:
            self._view.do(lambda shown: shown.undo_deletion())

    def settle(self) -> None:
        """The time is over."""
        session, self._session = self._session, None
        self._end()
        if session is not None:
            session.settle_deletion()

    def _end(self) -> None:
        self.countdown.stop()
        self._notifications.withdraw(_KEY)

    def _on_session_changed(self) -> None:
        if self._session is not None and self._session is not self._view.session:
            self.settle()

    def _on_rearranged(self) -> None:
        """Something else was changed: there is nothing to undo any more."""
        session = self._session
        if session is not None and session.conversation.aside_id is None:
            self._session = None
            self._end()


def deletion_words(deletion: Deletion) -> tuple[str, str]:
    """What went, in words."""
    question = " ".join(deletion.question.split())
    if len(question) > _QUESTION_LENGTH:
        question = f"{question[:_QUESTION_LENGTH]}…"
    title = (
        tr("“{question}” and its answer were deleted.", question=question)
        if question
        else tr("The turn was deleted.")
    )
    if not deletion.more:
        return title, ""
    turns = tr_n("%n other turns", deletion.more, one="1 other turn")
    return title, tr(
        "With it went {turns} that came after it or belonged to its other versions.", turns=turns
    )
