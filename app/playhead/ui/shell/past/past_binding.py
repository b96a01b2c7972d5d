"""Shows the window as it was after an earlier run, and lets the conversation go on from there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from playhead.domain.conversation.effects import EffectState, effect_states
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import FileChanges
from playhead.domain.conversation.run_fold import Run, RunFold, with_undone
from playhead.domain.execution import PYTHON, LineValue, PastState, Variable, is_place
from playhead.session.session import Session, SessionEvent
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.editor.past_tab import PastTab
from playhead.ui.shell.session_view import SessionBinding, SessionView
from playhead.ui.timeline.past_bar import PastBar, detail_words, run_words, title_words
from playhead.ui.widgets.banner import BannerAction
from playhead.ui.widgets.message_box import confirm
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.editor.variables_panel import VariablesPanel
    from playhead.ui.shell.past.variables_binding import VariablesBinding
    from playhead.ui.shell.window_layout import WindowLayout
    from playhead.ui.timeline.scroll.run_rail import RunRail
    from playhead.ui.widgets.task_owner import TaskOwner
    from playhead.ui.widgets.theme import Theme

_FRAME_MS = 16
_MOVED = "moved to a run"
_WHY_NOT_KEPT = {
    "behind": mark("they could not be saved before the next run began."),
    "collected": mark("their place on the disk was needed for later ones."),
    "off": mark("variables are not saved here."),
    "language": mark("that is for Python only."),
}


class PastBinding(SessionBinding):
    """Joins the playhead beside the timeline to timeline, editor, variables and composer.

    Which run is looked at is kept for each conversation. Owner: the main window, which makes it
    with the timeline.
    """

    def __init__(
        self,
        view: SessionView,
        parts: WindowLayout,
        variables: VariablesBinding,
        tasks: TaskOwner,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__(view, window)
        self._parts = parts
        self._variables = variables
        self._tasks = tasks
        self._window = window
        self._fold = RunFold()
        self._states: dict[str, EffectState] = {}
        self._looked: dict[str, str] = {}
        self._number = 0
        self._is_tab_due = self._is_asking = self._is_unsaved = False
        self.bar = PastBar(theme, window)
        parts.put_above_timeline(self.bar)
        self.tab = PastTab(parts.pane, tasks, self._values, self)
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(_FRAME_MS)
        self._frame.timeout.connect(self._on_frame)
        self._connect()
        self.follow()

    @property
    def run(self) -> Run | None:
        """Return the run that is looked at; None at the present."""
        return self._fold.runs[self._number - 1] if self._number else None

    def look_at(self, number: int, part: float = 1.0) -> None:
        """Look at a run, counted from 1, or at a part of its block; behind the last: at now."""
        session = self._session
        if session is None or not 1 <= number <= len(self._fold.runs):
            self.back_to_now()
            return
        is_other, self._number = number != self._number, number
        run = self._runs()[number - 1]
        is_python = run.language == PYTHON
        self._looked[session.conversation.id] = run.started_id
        self._rail.move_to(number, part if is_python else 1.0)
        if is_other:
            self._begin(run)
        if is_python and (part < 1 or self.tab.line):
            self._put_up_tab()
            self.tab.move_to(part)

    def back_to_now(self) -> None:
        """Show everything as it is now."""
        if self._session is not None:
            self._looked.pop(self._session.conversation.id, None)
        was_past = bool(self._number)
        self._end()
        if was_past:
            self._parts.timeline.canvas.jump_to_end()

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to the runs of its conversation, and to whether it is idle."""
        return [
            session.conversation.subscribe(self._on_event),
            session.subscribe(self._on_session_event),
        ]

    def follow(self) -> None:
        """Show the runs of the session, and the one that was looked at there."""
        super().leave()  # the timeline, and so this, may be made while a session is put up
        super().follow()
        self._rail.move_to(self._rail.maximum())
        self._read()
        if self._session is not None:
            self.bar.set_idle(self._session.is_idle)

    def leave(self) -> None:
        """Show nothing of the past of another conversation."""
        self._end()
        super().leave()

    @property
    def _rail(self) -> RunRail:
        return self._parts.timeline.rail

    def _connect(self) -> None:
        rail = self._rail
        rail.chosen.connect(self.look_at)
        rail.line_stepped.connect(self._on_line_stepped)
        rail.refused.connect(self._on_refused)
        rail.describe = self._describe
        self.bar.go_on_requested.connect(self._on_go_on_requested)
        self.bar.now_requested.connect(self.back_to_now)
        self._view.now_wanted.connect(self.back_to_now)

    def _read(self) -> None:
        """Read the runs of the path that is shown; look on at the same one if it is among them."""
        conversation = self._session.conversation if self._session is not None else None
        messages = conversation.messages if conversation is not None else []
        self._fold = RunFold(messages)
        self._read_undos()
        looked = self._looked.get(conversation.id, "") if conversation is not None else ""
        ids = [run.started_id for run in self._fold.runs]
        self._number = 0
        self._show_marks()
        if looked in ids:
            self.look_at(ids.index(looked) + 1)
        else:
            self.back_to_now()

    def _read_undos(self) -> None:
        everything = self._session.conversation.everything if self._session is not None else ()
        self._states = effect_states(everything)

    def _runs(self) -> list[Run]:
        return with_undone(self._fold.runs, self._states)

    def _show_marks(self) -> None:
        self._rail.show_runs([run.outcome for run in self._runs()])

    def _on_event(self, event: ConversationEvent) -> None:
        if event.kind in REARRANGED:
            self._read()
        elif event.kind == "added" and event.message is not None:
            content = event.message.content
            is_undo = isinstance(content, FileChanges) and bool(content.of)
            if is_undo:
                self._read_undos()
            if self._fold.take(event.message) or is_undo:
                self._show_marks()

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind == "state" and self._session is not None:
            self.bar.set_idle(self._session.is_idle)
        if event.kind == "kernel" and self._is_unsaved:
            self._variables.refresh()  # they may be saved by now

    def _begin(self, run: Run) -> None:
        """Show that a run is looked at; its rows, code and variables follow in the next frames."""
        total = len(self._fold.runs)
        language = "" if run.language == PYTHON else language_name(run.language)
        words = title_words(run, self._number, total)
        self.bar.show_run(words, detail_words(run, language))
        self._view.ask_where = self._ask_where
        self._parts.composer.set_place(
            tr(
                "You look at run {number:,}: what you send asks where it goes on",
                number=self._number,
            )
        )
        self._is_tab_due = True
        if not self._frame.isActive():
            self._frame.start()

    def _end(self) -> None:
        """Show nothing of the past, if anything of it is shown."""
        self._rail.move_to(self._rail.maximum())
        if self.bar.isHidden():
            return
        self._frame.stop()
        self._number, self._is_tab_due, self._is_unsaved = 0, False, False
        self.bar.hide()
        self.tab.close()
        self._view.ask_where = None
        self._parts.composer.set_place("")
        self._variables.show_past(None)
        self._rail.show_until(())

    def _on_frame(self) -> None:
        """Show the rows of the run; its code and variables in a step of their own."""
        if (run := self.run) is not None and self._session is not None:
            keys = [message.id for message in self._messages_of(self._session, run)]
            self._rail.show_until([run.message_id, *keys])
            QTimer.singleShot(0, self, self._on_rows_shown)

    def _on_rows_shown(self) -> None:
        if self._number:
            self._put_up_tab()
            self._variables.show_past(self._show_variables)

    def _put_up_tab(self) -> None:
        run, session = self.run, self._session
        if run is None or session is None or not self._is_tab_due:
            return
        self._is_tab_due = False
        later = self._fold.runs[self._number :]
        is_last = run.language == PYTHON and all(one.code != run.code for one in later)
        title = tr("run {number:,}", number=self._number)
        self.tab.show(run, title, self._messages_of(session, run), has_values=is_last)

    def _messages_of(self, session: Session, run: Run) -> list[Message]:
        """Return the messages of a run, from its begin to its end."""
        found: list[Message] = []
        message = session.conversation.message(run.end_id)
        while message is not None:
            found.append(message)
            if message.id == run.started_id:
                break
            message = session.conversation.message(message.parent_id or "")
        found.reverse()
        return found

    async def _values(self, code: str) -> list[LineValue]:
        return await self._session.pauses.values(code) if self._session is not None else []

    def _on_line_stepped(self, direction: int) -> None:
        run = self.run
        if run is not None and run.language == PYTHON:
            self._put_up_tab()
            self._rail.move_to(self._number, self.tab.step(direction))

    def _describe(self, number: int) -> str:
        runs = self._runs()
        return run_words(runs[number - 1], number, len(runs)) if 0 < number <= len(runs) else ""

    def _show_variables(self, panel: VariablesPanel) -> None:
        """Read the variables as they were; those of another run that is shown by then are not."""
        run, session = self.run, self._session
        if run is not None and session is not None:
            self._tasks.start(self._read_variables(session, run, panel))

    async def _read_variables(self, session: Session, run: Run, panel: VariablesPanel) -> None:
        state = await _state_after(session, run)
        now = self.run
        if session is not self._session or now is None or now.started_id != run.started_id:
            return
        self._is_unsaved = state.why == "behind" and run is self._fold.runs[-1]
        if self._is_unsaved:
            panel.show_text(tr("The variables after this run are not saved yet."))
        elif state.variables or state.is_kept:
            when = tr("after run {number:,}", number=self._number)
            if run.language != PYTHON:
                when = tr("Python only, after run {number:,}", number=self._number)
            panel.show_variables(_rows(state), when)
        else:
            panel.show_text(_why_not_kept(state))

    def _on_refused(self) -> None:
        """Show why nothing can be changed now."""
        self._parts.notifications.show_notice(
            tr("You look at an earlier run, which is only shown."),
            tr("Go on from it, or go back to now, to change something."),
            BannerAction(tr("Back to now"), self.back_to_now),
        )

    def _on_go_on_requested(self) -> None:
        self._tasks.start(self._go_on())

    async def _go_on(self) -> None:
        """Begin a branch after the run that is looked at; ask first if its variables are lost."""
        run, session, number = self.run, self._session, self._number
        if run is None or session is None:
            return
        state = await _state_after(session, run)
        if state.is_kept:
            await self._branch(session, run, lambda: None, with_variables=True)
            return
        confirm(
            self._window,
            tr("Go on from here"),
            tr("Go on from run {number:,} with the variables as now?", number=number),
            _why_not_kept(state),
            tr("Go on"),
            lambda: self._start_branch(session, run, lambda: None, with_variables=False),
            is_danger=False,
        )

    def _ask_where(self, then: Callable[[], object]) -> None:
        """Ask where what the user does goes on: from the run that is looked at, or from now."""
        if not self._is_asking:
            self._is_asking = True
            self._tasks.start(self._ask(then))

    async def _ask(self, then: Callable[[], object]) -> None:
        run, session, number = self.run, self._session, self._number
        try:
            if run is None or session is None:
                return
            state = await _state_after(session, run)
        finally:
            self._is_asking = False
        if state.is_kept:
            words = tr(
                "A new branch after run {number:,} has the variables as then.", number=number
            )
        else:
            words = tr("A new branch has the variables as now.") + " " + _why_not_kept(state)
        confirm(
            self._window,
            tr("Go on"),
            tr("You look at run {number:,}. Where does it go on?", number=number),
            words
            + " "
            + tr("What came later is kept as another version. Files stay as they are now."),
            tr("Go on from run {number:,}", number=number),
            lambda: self._start_branch(session, run, then, with_variables=state.is_kept),
            is_danger=False,
            other=(tr("Go on from now"), lambda: (self.back_to_now(), then())),
        )

    def _start_branch(
        self, session: Session, run: Run, then: Callable[[], object], *, with_variables: bool
    ) -> None:
        self._tasks.start(self._branch(session, run, then, with_variables=with_variables))

    async def _branch(
        self, session: Session, run: Run, then: Callable[[], object], *, with_variables: bool
    ) -> None:
        left = session.conversation.leaf_id
        number = self._number
        await session.kept_variables.go_on_from(run.started_id, with_variables=with_variables)
        if session is not self._session:
            return
        self.back_to_now()
        self._parts.composer.setFocus()
        if left is not None and left != session.conversation.leaf_id:
            self._parts.notifications.show_notice(
                tr("The conversation goes on from run {number:,}.", number=number),
                tr("What came after it is kept as the other version of what you send next."),
                BannerAction(
                    tr("Undo"), lambda: self._view.do(lambda one: one.choose_version(left))
                ),
                key=_MOVED,
            )
        then()


async def _state_after(session: Session, run: Run) -> PastState:
    """Return the variables as they were after a run; those of a Jupyter kernel are never saved."""
    state = await session.kept_variables.state_at(run.started_id)
    is_elsewhere = is_place(session.kernel.interpreter)
    return PastState(why="off") if state.why and is_elsewhere else state


def _why_not_kept(state: PastState) -> str:
    why = tr(_WHY_NOT_KEPT[state.why])
    return tr("The variables after this run are not kept: {why}", why=why)


def _rows(state: PastState) -> list[Variable]:
    """Return the variables as they were, those marked that the run made or changed."""
    changes = state.changes
    new = frozenset((*changes.made, *changes.changed)) if changes is not None else frozenset()
    return [replace(one, is_changed=one.name in new) for one in state.variables]
