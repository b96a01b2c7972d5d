"""Shows what code of the shown conversation may do, and lets a person change it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import place_of
from playhead.domain.grants import GrantScope, Wanted, wanted_hosts
from playhead.domain.places import nickname, short_name
from playhead.domain.text import policies
from playhead.domain.text.grant_words import hidden_text, scope_name, short_path
from playhead.domain.text.risk_words import Limits
from playhead.domain.text.run_ends import refused_text
from playhead.domain.text.titles import title_from
from playhead.domain.trust import BoundaryReport, Policy
from playhead.session.code_ports import Sandbox
from playhead.session.session import Session, SessionEvent
from playhead.session.trust.policy_choice import bounds_of, policy_at
from playhead.ui.composer.allow_menu import Granting, fill_allow_menu
from playhead.ui.shell.session_view import SessionBinding, SessionView, last_proposal
from playhead.ui.shell.window_layout import WindowLayout
from playhead.ui.widgets.message_box import confirm
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import SHIELDS, Theme
from playhead.ui.widgets.wording import tr, tr_error, tr_n

if TYPE_CHECKING:
    from playhead.ui.dialogs.policy_sheet import PolicySheet

_SHOWN = frozenset({"policy", "grants", "auto_run", "config", "place", "state", "pending"})


class PolicyBinding(SessionBinding):
    """Joins the pill of the header, its sheet and the line of the approval bar to the session.

    Owner: the window, which calls `close_down` at the end.
    """

    def __init__(
        self,
        parts: WindowLayout,
        view: SessionView,
        sandbox: Sandbox | None,
        tasks: TaskOwner,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__(view, window)
        self._parts = parts
        self._sandbox = sandbox
        self._tasks = tasks
        self._theme = theme
        self._window = window
        self.review = ReviewBinding(view, parts, tasks, window)
        self.sheet: PolicySheet | None = None
        self.allow_menu: QMenu | None = None
        """The menu of a grant that was offered last."""
        self._is_testing = False
        self._stop_listening = sandbox.subscribe(self._on_report) if sandbox else _nothing
        parts.header.policy_clicked.connect(self.open_sheet)
        parts.approval.allow_requested.connect(self._on_allow_requested)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its policy, to what else is said beside it, and to the end of its kernel."""
        return [
            session.subscribe(self._on_session_event),
            session.conversation.subscribe(self._on_conversation_event),
        ]

    def follow(self) -> None:
        """Show the policy of the session."""
        super().follow()
        self.show_policy()

    def leave(self) -> None:
        """Close the sheet, which is about the session that is left."""
        super().leave()
        if self.sheet is not None:
            self.sheet.reject()

    def close_down(self) -> None:
        """Follow no more reports."""
        self._stop_listening()
        self.leave()

    def show_policy(self) -> None:
        """Show the policy in the header and in the approval bar."""
        session = self._view.session
        if session is None:
            return
        choice = session.policy
        machine, interpreter = "", where_code_runs(session)
        if (place := place_of(interpreter)) is not None and place.is_elsewhere:
            machine = short_name(place)
        policy, problem = policy_at(session.grants.in_force(), interpreter), choice.problem
        reach = session.grants.reach
        unasked = session.auto_run
        parts = policies.policy_parts(policy, reach=reach, runs_unasked=unasked, tr=tr, tr_n=tr_n)
        words = [policies.files_meaning(policy.files, tr)]
        if machine:
            words = [policies.elsewhere_text(machine, tr)]
            parts[0] = policies.elsewhere_part(nickname(machine), tr)
        if policy.is_bounded:
            is_weaker = choice.report.is_weaker
            words.append(policies.network_meaning(policy.network, tr, is_weaker=is_weaker))
        words.append(
            tr("No block waits for your approval.")
            if unasked
            else policies.ask_meaning(policy.ask, tr)
        )
        if policy.ask != choice.chosen.ask and not machine:
            words.append(tr("The boundary test does not hold any more, so that it asks again."))
        if problem is not None:
            words.insert(0, str(tr_error(problem)))
        icon = _shield(policy, choice.report, is_possible=problem is None)
        limits = Limits(policy=policy, reach=reach, folder=os.path.realpath(session.folder))
        self._parts.approval.facts.set_limits(limits, granting_in(session))
        self._parts.header.policy_pill.show_parts(parts, icon, "\n".join(words))
        if problem is None:
            kind = "mute" if policy.is_bounded else "danger"
            bounds = policies.bounds_text(policy, reach, tr, tr_n)
            bounds = policies.elsewhere_text(machine, tr) if machine else bounds
            self._parts.approval.show_bounds(bounds, kind, is_possible=True)
        else:
            told = tr_error(problem)
            self._parts.approval.show_bounds(
                tr(
                    "This cannot be run: {reason}",
                    reason=" ".join(filter(None, (told.title, told.remedy))),
                ),
                "danger",
                is_possible=False,
            )

    def open_sheet(self) -> None:
        """Open the sheet of the dials beside the running program."""
        session = self._view.session
        if session is None:
            return
        if self.sheet is not None:
            self.sheet.raise_()
            return
        from playhead.ui.dialogs.policy_sheet import PolicySheet  # not needed for the first paint

        has_kernel = session.kernel.state != "none"
        self.sheet = PolicySheet(
            self._theme, session.policy, session.grants, self._window, has_kernel=has_kernel
        )
        place = place_of(where_code_runs(session))
        if place is not None and place.is_elsewhere:
            self.sheet.show_elsewhere(short_name(place))
        self.sheet.set_testing(self._is_testing)
        self.sheet.policy_chosen.connect(self._on_chosen)
        self.sheet.test_requested.connect(self.test)
        self.sheet.cause_requested.connect(self._show_cause)
        self.sheet.finished.connect(self._on_finished)
        self.sheet.open()

    def test(self) -> None:
        """Test the boundary again, unless that is under way."""
        if self._sandbox is not None and not self._is_testing:
            self._tasks.start(self._test(self._sandbox))

    async def _test(self, sandbox: Sandbox) -> None:
        self._set_testing(True)
        try:
            await sandbox.test()
        finally:
            self._set_testing(False)

    def _set_testing(self, is_testing: bool) -> None:
        self._is_testing = is_testing
        if self.sheet is not None:
            self.sheet.set_testing(is_testing)

    def _on_chosen(self, policy: Policy) -> None:
        """Turn the dials; while code waits the kernel's end is not reported, so that it is here."""
        session = self._view.session
        if session is None:
            return
        before, had_kernel = session.policy.current, session.kernel.state != "none"
        if not self._view.do(lambda session: session.policy.choose(policy)):
            return
        is_other = bounds_of(before) != bounds_of(session.policy.current)
        if is_other and had_kernel and session.pending is not None:
            self._parts.timeline.add_note(
                "info",
                tr("The kernel was restarted, because what code may do was changed."),
                tr("Variables and data of the code that ran before were lost."),
            )

    def _on_allow_requested(self, wanted: Wanted, scope: GrantScope, message_id: str) -> None:
        """Grant what a chip offered; a kernel that cannot be given it is ended, as was said."""
        self._view.do(lambda session: allow(session, wanted, scope, message_id))

    def _show_cause(self, message_id: str) -> None:
        """Show the code that a grant was made for, if it is still there."""
        if self._view.do(lambda session: session.go_to(message_id)):
            self._parts.timeline.reveal(message_id)

    def _on_finished(self) -> None:
        self.sheet = None

    def _on_report(self, _report: BoundaryReport) -> None:
        self.show_policy()
        if self.sheet is not None:
            self.sheet.show_report()

    def _on_conversation_event(self, event: ConversationEvent) -> None:
        report = event.message.content if event.kind == "added" and event.message else None
        if not isinstance(report, RunReport):
            return
        if report.hidden:
            self._offer_path(report.hidden)
        if report.refused:
            self._offer_places(report)
        if report.end is None:
            return
        if report.end.kind == "policy_changed" and self._session and self._session.has_run_here:
            self._parts.timeline.add_note(
                "info",
                tr("The kernel of this conversation is a new one."),
                tr("Variables and data of the code that ran before were lost."),
                (tr("Run all again"), self._view.rerun_wanted.emit),
            )

    def _offer_path(self, path: str) -> None:
        """Show below a run what the sandbox hid from it, and offer it where that can be granted."""
        session = self._session
        target = session.grants.offer_for(path) if session is not None else ""
        if not target:
            words = tr("The code did not find it; the model knows.")
            self._parts.timeline.add_note("info", hidden_text(path, tr), words)
            return
        words = tr("Let it read {path}?", path=short_path(target))
        self._offer(hidden_text(path, tr), words, (Wanted("read", target),))

    def _offer_places(self, report: RunReport) -> None:
        """Show below a run what it was refused of the network, and offer what has a name."""
        wanted = wanted_hosts(one.target for one in report.refused)
        self._offer(refused_text(report, tr), tr("The model knows."), wanted)

    def _offer(self, title: str, words: str, wanted: tuple[Wanted, ...]) -> None:
        session = self._session
        if session is None or not wanted:
            self._parts.timeline.add_note("info", title, words)
            return
        message_id = session.conversation.messages[-1].id
        action = (tr("Allow…"), lambda: self._show_allow_menu(wanted, message_id))
        self._parts.timeline.add_note("info", title, words, action)

    def _show_allow_menu(self, wanted: tuple[Wanted, ...], message_id: str) -> None:
        """Let the person choose for how long; code that has failed runs again by its own click."""
        session = self._view.session
        if session is None:
            return
        self.allow_menu = menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill_allow_menu(
            menu,
            wanted,
            granting_in(session),
            lambda what, scope: self._allow_now(what, scope, message_id),
        )
        menu.popup(QCursor.pos())

    def _allow_now(self, wanted: Wanted, scope: GrantScope, message_id: str) -> None:
        if not self._view.do(lambda session: allow(session, wanted, scope, message_id)):
            return
        session = self._view.session
        block = last_proposal(session.conversation.messages) if session is not None else None
        self._parts.timeline.clear_notes()
        again = None
        if block is not None and session is not None and session.is_idle:
            again = (tr("Run it again"), lambda: self._view.run_again(block))
        words = tr("Granted: {what}.", what=short_path(wanted.target))
        self._parts.timeline.add_note("info", words, scope_name(scope, tr), again)

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind in _SHOWN:
            self.show_policy()
        elif event.kind == "testing" and self._session is not None:
            self._show_waiting(is_waiting=self._session.policy.is_waiting)

    def _show_waiting(self, *, is_waiting: bool) -> None:
        """Show that the first run waits for the boundary test, as long as it does."""
        timeline = self._parts.timeline
        if not is_waiting:
            timeline.clear_notes()
            return
        words = tr("The code runs as soon as it is known what keeps it to its folder.")
        timeline.add_note("info", tr("The sandbox of this computer is being tested…"), words)


def where_code_runs(session: Session) -> str:
    """Return the interpreter of the code that waits, else the one that was chosen."""
    if session.pending is not None:
        return session.pending.interpreter
    return session.interpreter or session.settings.interpreter


def granting_in(session: Session) -> Granting:
    """Return what is to be known before something is granted to the code of a session."""
    grants = session.grants
    return Granting(
        lambda wanted: grants.why_not(wanted.kind, wanted.target),
        lambda wanted: grants.restarts(wanted.kind, wanted.target),
    )


def allow(session: Session, wanted: Wanted, scope: GrantScope, message_id: str = "") -> None:
    """Grant something; what is kept of its cause is the last question. Raises the AppError."""
    messages = session.conversation.messages
    asked = [one.text for one in messages if (one.role, one.type) == ("user", "message")]
    cause = f"“{title_from(asked[-1])}”" if asked else ""
    session.grants.give(wanted.kind, wanted.target, scope, cause=cause, message_id=message_id)


class ReviewBinding(SessionBinding):
    """Joins the pane of changes in a copy to the session. Owner: the main window."""

    def __init__(
        self, view: SessionView, parts: WindowLayout, tasks: TaskOwner, parent: QWidget
    ) -> None:
        super().__init__(view, parent)
        self._parts = parts
        self._tasks = tasks
        self._window = parent
        self._is_joined = False

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to what waits, and to whether code runs."""
        return [session.subscribe(self._on_session_event)]

    def follow(self) -> None:
        """Show what waits; of a stored conversation that is looked for first."""
        super().follow()
        self._show()
        if self._session is not None and self._session.copy.may_wait:
            self._tasks.start(self._session.copy.look())

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind in ("copy", "state"):
            self._show()
        elif event.kind == "place" and self._session is not None and self._session.copy.waiting:
            self._tasks.start(self._session.copy.look())

    def _show(self) -> None:
        session = self._session
        waiting = session.copy.waiting if session is not None else None
        if session is None or (waiting is None and not self._is_joined):
            return
        pane = self._parts.review
        if not self._is_joined:
            self._is_joined = True
            pane.applied.connect(self._on_applied)
            pane.discarded.connect(self._on_discarded)
        focused = self._window.focusWidget()
        had_focus = focused is not None and pane.isAncestorOf(focused)
        pane.show_changes(
            waiting,
            is_rest=session.copy.has_applied,
            is_busy=session.copy.is_busy,
            can_decide=session.is_idle,
        )
        if had_focus and pane.isHidden():  # else Qt gives it to whatever comes next
            self._parts.composer.setFocus()

    def _on_applied(self, paths: Sequence[str]) -> None:
        if self._session is not None:
            self._tasks.start(self._session.copy.apply(paths))

    def _on_discarded(self) -> None:
        session = self._session
        waiting = session.copy.waiting if session is not None else None
        if session is None or waiting is None:
            return
        count = sum(waiting.counts) + waiting.moved_count
        confirm(
            self._window,
            tr("Discard"),
            tr_n("Discard the changes of %n files?", count, one="Discard the changes of 1 file?"),
            tr("What code did in the copy is deleted, which cannot be undone. The kernel ends."),
            tr("Discard"),
            lambda: self._tasks.start(session.copy.discard()),
            is_danger=True,
        )


def _shield(policy: Policy, report: BoundaryReport, *, is_possible: bool) -> tuple[str, str]:
    """Return the icon of the pill: that of the report, where the code runs inside."""
    if not policy.is_bounded or not is_possible:
        return "shield-off", "danger"
    return SHIELDS[report.status]


def _nothing() -> None:
    pass
