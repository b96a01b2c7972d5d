"""The binding of the panel of variables to the session that is shown, or to its past."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playhead.domain.execution import PYTHON
from playhead.errors import AppError
from playhead.session.session import Session, SessionEvent
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.shell.session_view import SessionBinding, SessionView
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import mark, tr, tr_error

if TYPE_CHECKING:
    from playhead.domain.conversation.events import ConversationEvent
    from playhead.ui.editor.variables_panel import VariablesPanel

_NO_KERNEL = mark("No kernel is running. Variables are listed here once code has run.")


class VariablesBinding(SessionBinding):
    """Asks only while the panel can be seen, and once for each run. Owner: the window.

    Signal: `table_requested(name)`.
    """

    table_requested = Signal(str)

    def __init__(
        self, pane: EditorPane, view: SessionView, tasks: TaskOwner, parent: QObject | None = None
    ) -> None:
        super().__init__(view, parent)
        self._pane = pane
        self._tasks = tasks
        self._panel: VariablesPanel | None = None
        self._is_stale = True
        self._listed = ""
        self._place = ""
        self._asked = 0
        self._past: Callable[[VariablesPanel], None] | None = None
        pane.variables_toggled.connect(self._on_toggled)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its kernel."""
        return [session.subscribe(self._on_event), session.conversation.subscribe(self._on_message)]

    def _on_message(self, event: ConversationEvent) -> None:
        if event.kind == "moved":
            self._look()

    def follow(self) -> None:
        """Read the names of the session, if they can be seen."""
        super().follow()
        if self._panel is not None:
            self._panel.show_variables([])
        self._show_secrets()
        self.refresh()

    def refresh(self) -> None:
        """Read the variables again."""
        self._is_stale = True
        self._listed = ""
        self._look()

    def show_past(self, show: Callable[[VariablesPanel], None] | None) -> None:
        """Have `show` fill the panel in place of the kernel's variables; None ends that."""
        self._past = show
        self._asked += 1
        self.refresh()

    def _on_toggled(self, is_shown: bool) -> None:
        if is_shown and self._panel is None and (panel := self._pane.variables) is not None:
            self._panel = panel
            panel.opened.connect(self.table_requested)
            panel.refresh_requested.connect(self.refresh)
            panel.secrets_switched.connect(self._on_secrets_switched)
            self._show_secrets()
        self._look()

    def _show_secrets(self) -> None:
        if self._session is not None and self._panel is not None:
            access = self._session.access
            names = access.known("secrets")
            self._panel.show_secrets(names, is_passed=not access.left_out("secrets"))

    def _on_secrets_switched(self, is_on: bool) -> None:
        if self._session is not None:
            self._session.access.allow("secrets", is_on)
            self._show_secrets()

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind in ("kernel", "state") and self._past is None:
            self._look()

    def _look(self) -> None:
        """Show what is to be shown, if it can be seen."""
        if self._past is None:
            self._follow_kernel()
        elif self._panel is not None and not self._panel.isHidden():
            self._past(self._panel)

    def _follow_kernel(self) -> None:
        """Read the names of the kernel when it rests after a run."""
        session, panel = self._session, self._panel
        if session is None:
            return
        state = "paused" if session.kernel.paused_line else session.kernel.state
        self._is_stale |= self._is_other_now(session, state)
        if panel is None or panel.isHidden():
            return
        panel.show_behind(session.kernel.is_behind)
        panel.show_elsewhere(session.kept_variables.is_elsewhere)
        match state:
            case "none" if session.kept_variables.saved is None:
                panel.show_text(tr(_NO_KERNEL))
                self._is_stale = True
            case "none" if self._listed != "none":
                self._is_stale = True
                self._start_asking(session, panel, "none")
            case "idle" | "paused" if self._is_stale:
                self._is_stale = False
                is_offer = session.kernel.offer is not None
                self._start_asking(session, panel, "offer" if is_offer else state)
            case "starting" | "busy" | "stopping":
                self._listed = state
                panel.set_busy()
            case _:
                pass

    def _is_other_now(self, session: Session, state: str) -> bool:
        """Return whether the variables are other ones, or will be."""
        before, self._place = self._place, session.kernel.place
        is_moved = bool(before and self._place) and before != self._place  # without a run
        is_offer = session.kernel.offer is not None  # a new kernel waits, or has got them
        is_answered = state == "idle" and is_offer != (self._listed == "offer")
        return state in ("busy", "stopping") or is_moved or is_answered

    def _start_asking(self, session: Session, panel: VariablesPanel, state: str) -> None:
        self._listed = state
        self._asked += 1
        self._tasks.start(self._ask(session, panel, self._asked))

    async def _ask(self, session: Session, panel: VariablesPanel, number: int) -> None:
        try:
            variables = await session.questions.variables()
        except AppError as error:
            if self._is_current(session, number):
                self._show_problem(panel, session, str(tr_error(error)))
            return
        if not self._is_current(session, number):
            return
        if not variables and session.kernel.state == "none":
            panel.show_text(tr(_NO_KERNEL))
        elif not variables and session.kernel.language not in ("", PYTHON):
            panel.show_text(tr("Variables are listed for Python only."))
        else:
            panel.show_variables(variables)

    def _is_current(self, session: Session, number: int) -> bool:
        """Return whether this is the latest request, and the same conversation is shown."""
        return session is self._session and number == self._asked

    def _show_problem(self, panel: VariablesPanel, session: Session, words: str) -> None:
        """Show why the variables could not be read; if the kernel works, ask when it rests."""
        if session.kernel.state == "idle":
            panel.show_text(tr("The variables could not be read. {words}", words=words))
        else:
            self._is_stale = True
            panel.set_busy()
