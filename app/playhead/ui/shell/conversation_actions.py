"""Actions on conversations and turns that the sidebar and the timeline ask for.

Rename, pin, duplicate, search, choose a version; delete, with an undo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from playhead.errors import AppError
from playhead.session.branches import Deletion
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.ui.shell.session_view import SessionView
from playhead.ui.sidebar.model import shown_title
from playhead.ui.sidebar.sidebar import Sidebar
from playhead.ui.widgets.banner import BannerAction, BannerArea
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr, tr_n

UNDO_MS = 10_000
"""The time in which a deletion can be undone."""
_DELETED_CONVERSATIONS = "deleted conversations"
_TITLE_LENGTH = 60


class ConversationActions(QObject):
    """Owner: the main window. `shown` returns the id of the conversation that the window shows.

    Signals: `open_requested(str id)`, `closed(str id)` when the shown one was deleted.
    """

    open_requested = Signal(str)
    closed = Signal(str)

    def __init__(
        self,
        sessions: Sessions,
        sidebar: Sidebar,
        notifications: BannerArea,
        tasks: TaskOwner,
        shown: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._sidebar = sidebar
        self._notifications = notifications
        self._tasks = tasks
        self._shown = shown
        self._deleted: dict[str, str] = {}
        self._left = ""
        self.countdown = QTimer(self)
        self.countdown.setSingleShot(True)
        self.countdown.setInterval(UNDO_MS)
        self.countdown.timeout.connect(self.delete_for_good)
        self._connect()

    def delete(self, ids: Sequence[str]) -> None:
        """Remove conversations from the list, and offer to undo it for a while."""
        if not self._do(self._sessions.expect_writable):
            return
        rows = [self._sessions.summary(id_) for id_ in ids]
        self._deleted |= {row.id: shown_title(row) for row in rows if row and not row.client}
        for row in rows:
            if row is not None and not row.client:
                self._tasks.start(self._sessions.trash(row.id))
        if self._shown() in ids:
            self._left = self._shown()
            self.closed.emit(self._left)
        self._show_deleted()

    def undo(self) -> None:
        """Restore what was deleted last."""
        deleted, self._deleted = self._deleted, {}
        self._end()
        for id_ in deleted:
            self._sessions.restore(id_)
        left, self._left = self._left, ""
        if left in deleted:
            self.open_requested.emit(left)

    def delete_for_good(self) -> None:
        """Delete for good what was removed, because the time to undo is over."""
        deleted, self._deleted = self._deleted, {}
        self._end()
        for id_ in deleted:
            self._tasks.start(self._sessions.delete(id_))

    def _connect(self) -> None:
        sessions, sidebar = self._sessions, self._sidebar
        sidebar.renamed.connect(lambda id_, title: self._do(lambda: sessions.rename(id_, title)))
        sidebar.duplicate_requested.connect(lambda id_: self._tasks.start(self._duplicate(id_)))
        sidebar.pinned.connect(
            lambda ids, is_on: self._do(lambda: [sessions.pin(id_, is_on) for id_ in ids])
        )
        sidebar.archived.connect(
            lambda ids, is_on: self._do(lambda: [sessions.archive(id_, is_on) for id_ in ids])
        )
        sidebar.unread_marked.connect(
            lambda ids, is_on: [sessions.mark_unread(id_, is_on) for id_ in ids]
        )
        sidebar.delete_requested.connect(self.delete)
        sidebar.undo_requested.connect(self.undo)
        sidebar.kept.connect(lambda id_: self._do(lambda: sessions.keep(id_)))
        sidebar.search_requested.connect(
            lambda query, id_: self._tasks.start(self._search(query, id_))
        )

    def _do(self, verb: Callable[[], object]) -> bool:
        """Call a function that may refuse; show its refusal and return False."""
        try:
            verb()
        except AppError as error:
            self._notifications.show_error(error)
            return False
        return True

    async def _duplicate(self, conversation_id: str) -> None:
        if copy_id := await self._sessions.duplicate(conversation_id):
            self.open_requested.emit(copy_id)

    async def _search(self, query: str, conversation_id: str) -> None:
        found = await self._sessions.search(query, conversation_id or None)
        if found is not None:
            self._sidebar.show_found(query, conversation_id, found)

    def _show_deleted(self) -> None:
        if not self._deleted:
            return
        titles = list(self._deleted.values())
        name = titles[-1] if len(titles[-1]) <= _TITLE_LENGTH else f"{titles[-1][:_TITLE_LENGTH]}…"
        words = (
            tr("“{name}” was deleted.", name=name)
            if len(titles) == 1
            else tr_n("%n conversations were deleted.", len(titles))
        )
        action = BannerAction(tr("Undo"), self.undo)
        banner = self._notifications.show_notice(words, action=action, key=_DELETED_CONVERSATIONS)
        # Its button closes it too, before it does what it says.
        banner.closed.connect(lambda: QTimer.singleShot(0, self, self.delete_for_good))
        self.countdown.start()

    def _end(self) -> None:
        self.countdown.stop()
        self._notifications.withdraw(_DELETED_CONVERSATIONS)


_DELETED_TURN = "deleted turn"
_QUESTION_LENGTH = 60


class TurnActions(QObject):
    """Carries out what the timeline asks for with turns. Owner: the main window."""

    def __init__(
        self,
        view: SessionView,
        notifications: BannerArea,
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
        view.session_changed.connect(self._on_session_changed)
        view.rearranged.connect(self._on_rearranged)

    def choose(self, message_id: str) -> None:
        """Show another version of a message."""
        self._view.do(lambda session: session.choose_version(message_id))

    def delete(self, message_id: str) -> None:
        """Delete a turn, and offer to undo it for a while."""
        done: list[Deletion] = []
        self._end()
        if self._view.do(lambda session: done.append(session.delete_turn(message_id))):
            self._session = self._view.session
            action = BannerAction(tr("Undo"), self.undo)
            title, detail = deletion_words(done[0])
            banner = self._notifications.show_notice(title, detail, action, key=_DELETED_TURN)
            # Its button closes it too, before it does what it says.
            banner.closed.connect(lambda: QTimer.singleShot(0, self, self.settle))
            self.countdown.start()

    def undo(self) -> None:
        """Restore what was deleted last."""
        session, self._session = self._session, None
        self._end()
        if session is not None and session is self._view.session:
            self._view.do(lambda shown: shown.undo_deletion())

    def settle(self) -> None:
        """Delete the turn for good, because the time to undo is over."""
        session, self._session = self._session, None
        self._end()
        if session is not None:
            session.settle_deletion()

    def _end(self) -> None:
        self.countdown.stop()
        self._notifications.withdraw(_DELETED_TURN)

    def _on_session_changed(self) -> None:
        if self._session is not None and self._session is not self._view.session:
            self.settle()

    def _on_rearranged(self) -> None:
        """End the offer to undo, because something else has changed."""
        session = self._session
        if session is not None and session.conversation.aside_id is None:
            self._session = None
            self._end()


def deletion_words(deletion: Deletion) -> tuple[str, str]:
    """Return a title and a detail that say what was deleted."""
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
