"""Keeps the panel of names on the session that is shown: asks when its kernel rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playhead.errors import AppError
from playhead.session.session import Session, SessionEvent
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.tasks import TaskOwner
from playhead.ui.window.session_view import SessionView
from playhead.ui.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.editor.variables_panel import VariablesPanel

_NONE = mark("No kernel is running. Names are listed here once code has run.")


class VariablesFollower(QObject):
    """Asks only while the panel can be seen, and once for each run. Owner: the window.

    Signal: `table_requested(name)`.
    """

    table_requested = Signal(str)

    def __init__(
        self, pane: EditorPane, view: SessionView, tasks: TaskOwner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._view = view
        self._tasks = tasks
        self._panel: VariablesPanel | None = None
        self._session: Session | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._is_stale = True
        self._asked = 0
        view.session_changed.connect(self._on_session_changed)
        pane.variables_toggled.connect(self._on_toggled)

    def close_down(self) -> None:
        """Listen to nothing any more."""
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self._session = None

    def refresh(self) -> None:
        """Read the names again."""
        self._is_stale = True
        self._look()

    def _on_session_changed(self) -> None:
        self._unsubscribe()
        self._session = self._view.session
        if self._session is not None:
            self._unsubscribe = self._session.subscribe(self._on_event)
        if self._panel is not None:
            self._panel.show_variables([])
        self.refresh()

    def _on_toggled(self, is_shown: bool) -> None:
        if is_shown and self._panel is None and (panel := self._pane.variables) is not None:
            self._panel = panel
            panel.opened.connect(self.table_requested)
            panel.refresh_requested.connect(self.refresh)
        self._look()

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind in ("kernel", "state"):
            self._look()

    def _look(self) -> None:
        """Follow the kernel: read the names when it rests after a run."""
        session, panel = self._session, self._panel
        if session is None:
            return
        state = session.kernel.state
        if state in ("busy", "stopping"):
            self._is_stale = True
        if panel is None or panel.isHidden():
            return
        match state:
            case "none":
                panel.say(tr(_NONE))
                self._is_stale = True
            case "idle" if self._is_stale:
                self._is_stale = False
                self._asked += 1
                self._tasks.start(self._ask(session, panel, self._asked))
            case "idle":
                pass
            case _:
                panel.set_busy()

    async def _ask(self, session: Session, panel: VariablesPanel, number: int) -> None:
        try:
            variables = await session.variables()
        except AppError as error:
            if self._is_current(session, number):
                self._say(panel, session, str(error))
            return
        if not self._is_current(session, number):
            return
        language = session.kernel.language
        if not variables and language not in ("", "python"):
            panel.say(tr("Names are listed for Python only."))
        else:
            panel.show_variables(variables)

    def _is_current(self, session: Session, number: int) -> bool:
        """Whether nothing newer was asked, and the same conversation is shown."""
        return session is self._session and number == self._asked

    def _say(self, panel: VariablesPanel, session: Session, words: str) -> None:
        """A kernel that works again meanwhile is no failure: it is asked when it rests."""
        if session.kernel.state == "idle":
            panel.say(tr("The names could not be read. {words}", words=words))
        else:
            self._is_stale = True
            panel.set_busy()
