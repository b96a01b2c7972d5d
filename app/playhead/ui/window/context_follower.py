"""Shows what a conversation costs, what of it is no longer sent, and asks whether it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Failure
from playhead.session.session import Session, SessionEvent
from playhead.session.stops import open_question
from playhead.ui.tasks import TaskOwner
from playhead.ui.window.layout import WindowLayout
from playhead.ui.window.session_view import SessionView

if TYPE_CHECKING:
    from playhead.ui.dialogs.request_view import RequestView


class ContextFollower(QObject):
    """Owner: the main window; it follows the session that is shown."""

    def __init__(
        self,
        view: SessionView,
        parts: WindowLayout,
        tasks: TaskOwner,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._view = view
        self._timeline = parts.timeline
        self._header = parts.header
        self._question = parts.question
        self._composer = parts.composer
        self._tasks = tasks
        self._settled: set[str] = set()
        self._unsubscribers: list[Callable[[], None]] = []
        self.dialog: RequestView | None = None
        view.session_left.connect(self._leave)
        view.session_changed.connect(self._follow)
        view.rearranged.connect(self._show_all)
        self._timeline.request_wanted.connect(self.view_request)
        self._question.continued.connect(self._on_continued)
        self._question.stopped.connect(self._on_stopped)

    def view_request(self, before_id: str = "") -> None:
        """Show what goes to the model; with `before_id` what stands before that message."""
        session = self._view.session
        if session is None:
            return
        from playhead.ui.dialogs.request_view import RequestView  # not needed for the first paint

        if self.dialog is not None:
            self.dialog.close()
        self.dialog = RequestView(session, self._tasks, self._window, before_id)
        self.dialog.destroyed.connect(self._on_dialog_gone)
        self.dialog.show()

    def show_settings(self) -> None:
        """The budget may be another one."""
        self._show_all()

    def _leave(self) -> None:
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self._unsubscribers = []

    def _follow(self) -> None:
        self._leave()
        session = self._view.session
        if session is not None:
            self._unsubscribers = [
                session.subscribe(self._on_session_event),
                session.conversation.subscribe(self._on_event),
            ]
        self._show_all()

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind in ("state", "config"):
            self._show_all()
        elif event.kind == "outlook":
            self._show_mark()

    def _on_event(self, event: ConversationEvent) -> None:
        if event.kind == "noted":
            self._show_cost()

    def _show_all(self) -> None:
        self._show_cost()
        self._show_mark()
        self._show_question()

    def _show_cost(self) -> None:
        session = self._view.session
        if session is not None:
            budget = session.settings.budget
            self._header.set_cost(session.conversation.usages.total, budget)

    def _show_mark(self) -> None:
        session = self._view.session
        if session is not None:
            path = [message.id for message in session.conversation.messages]
            self._timeline.model.set_unsent(session.outlook.first_sent_id, path)
            self._timeline.coalescer.due()

    def _show_question(self) -> None:
        session = self._view.session
        question = self._open_question(session) if session is not None else None
        if session is None or question is None:
            self._question.ask(None)
            return
        spent = session.conversation.usages.total.cost or 0.0
        self._question.ask(question, session.settings.budget, spent)

    def _open_question(self, session: Session) -> Failure | None:
        messages = session.conversation.messages
        if not session.is_idle or not messages or messages[-1].id in self._settled:
            return None
        return open_question(messages)

    def _on_continued(self, budget: float | None) -> None:
        self._composer.setFocus()
        self._view.begin(lambda session: session.go_on(budget))

    def _on_stopped(self) -> None:
        session = self._view.session
        if session is not None and (leaf := session.conversation.leaf_id):
            self._settled.add(leaf)
        self._show_question()
        self._composer.setFocus()

    def _on_dialog_gone(self) -> None:
        self.dialog = None
