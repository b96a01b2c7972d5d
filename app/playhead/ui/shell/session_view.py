"""Shows one session at a time in the widgets of the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from playhead.domain.access import Access
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.message import Attachment, Message
from playhead.domain.conversation.payloads import CodeError, Failure, Proposal, RunReport
from playhead.domain.execution import PYTHON, KernelStatus, place_of
from playhead.domain.model import DIRECT_MODEL
from playhead.domain.text.fences import fenced
from playhead.domain.text.file_effects import coverage_text
from playhead.errors import AppError
from playhead.session.branches import is_asked
from playhead.session.session import Session, SessionEvent
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.editor.editor_follower import EditorFollower
from playhead.ui.sidebar.model import client_name
from playhead.ui.widgets.wording import going_on_words, mark, tr, tr_n

if TYPE_CHECKING:
    from playhead.ui.shell.window_layout import WindowLayout
    from playhead.ui.timeline.view import TimelineView

SETTINGS_LINK = "playhead:settings"
"""What a text says where it leads to the settings."""
_MAX_ERROR_CHARS = 2_000
_ACCESS_TITLES: dict[Access, str] = {
    "display": mark("The code found no display: it reaches none unless you allow it."),
    "desktop": mark("The code did not reach the desktop: it does not unless you allow it."),
    "agent": mark("The code found no keys of yours: it reaches no agent unless you allow it."),
}
_ACCESS_WORDS: dict[Access, str] = {
    "display": mark(
        "With it, code can see your screen and press keys in every window, in this one too."
    ),
    "desktop": mark("With it, code can ask your programs and your keyring for things."),
    "agent": mark("With it, code can sign in as you (SSH, GnuPG, Kerberos)."),
}
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")


class SessionView(QObject):
    """Shows a session and turns what the user does in the widgets into its verbs.

    Signals: `asked()` before each verb of the user, `failed(AppError)`, `editor_wanted()` when the
    editor must be seen, `emptied(bool)` whether the conversation has no messages,
    `place_changed()`, `session_left()` before and `session_changed()` after another session was
    put up, `rearranged()` when another branch of the conversation is shown, or a part of it went,
    `rerun_wanted()` when the user wants all code to run again, `now_wanted()` before a turn that is
    to be seen.
    """

    asked = Signal()
    failed = Signal(object)
    editor_wanted = Signal()
    emptied = Signal(bool)
    place_changed = Signal()
    session_left = Signal()
    session_changed = Signal()
    rearranged = Signal()
    rerun_wanted = Signal()
    now_wanted = Signal()

    def __init__(
        self,
        parts: WindowLayout,
        keep: Callable[[str], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._parts = parts
        self._code_place = ("", "")
        self._composer = parts.composer
        self._approval = parts.approval
        self._pane = parts.pane
        self._header = parts.header
        self._keep = keep
        self._follower = EditorFollower(parts.pane, self)
        self._session: Session | None = None
        self._unsubscribers: list[Callable[[], None]] = []
        self._missing = ""
        self._failed: Proposal | None = None
        self._was_paused = False
        self._offered_access: tuple[str, Access] | None = None
        self.carry: Callable[[str, list[Attachment]], bool] | None = None
        """Carries attachments to where the code runs; True: it submits once they are there."""
        self.ask_where: Callable[[Callable[[], object]], None] | None = None
        """While the past is looked at: ask where to go on, then call what was to be done."""
        self._connect()
        parts.timeline_made.connect(self._connect_timeline)

    @property
    def _timeline(self) -> TimelineView:
        return self._parts.timeline

    @property
    def session(self) -> Session | None:
        """The session that is shown."""
        return self._session

    def show_session(self, session: Session | None) -> None:
        """Put up another session; the one before goes on by itself."""
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self._unsubscribers = []
        if self._session is not None:
            self.session_left.emit()
        self._session = session
        self._missing, self._failed = "", None
        self._approval.ask(None)
        if self._parts.has_timeline or (session and session.conversation.messages):
            self._timeline.clear_notes()
            self._fill_timeline(session)
        self._follower.follow(session.conversation if session else None)
        if session is None:
            return
        self._unsubscribers = [
            session.subscribe(self._on_session_event),
            session.conversation.subscribe(self._on_conversation_event),
        ]
        self._show_all(session)
        if session.has_lost_variables:
            self._report_lost_variables(session)
        self._report_missing_answer(session)
        self._offer_go_on(session)
        self._report_held_auto_run(session)
        self.session_changed.emit()

    def do(self, verb: Callable[[Session], object]) -> bool:
        """Call a verb of the session; a refusal is shown, False then."""
        if self._session is None:
            return False
        self.asked.emit()
        try:
            verb(self._session)
        except AppError as error:
            self.failed.emit(error)
            return False
        return True

    def begin(self, verb: Callable[[Session], object], *, is_placed: bool = False) -> bool:
        """Call a verb that begins a turn; a program's conversation becomes the user's own by it.

        Return False also where the user is asked first where it goes on; not if it `is_placed`.
        """
        if self.ask_where is not None and not is_placed:
            self.ask_where(lambda: self.begin(verb))
            return False
        self.now_wanted.emit()
        session = self._session
        is_others = session is not None and session.client and session.state == "idle"
        if is_others and not self.do(lambda session: self._keep(session.conversation.id)):
            return False
        return self.do(verb)

    def stop(self) -> None:
        """End the turn that is under way."""
        self.do(lambda session: session.stop())

    def restart_kernel(self) -> None:
        """Begin with a new kernel; while code waits for an answer that is said below it."""
        had_kernel = self._session is not None and self._session.kernel.state != "none"
        is_done = self.do(lambda session: session.restart_kernel())
        if is_done and self._session is not None and self._session.pending is not None:
            self._timeline.add_note(
                "info",
                tr("The kernel was restarted.") if had_kernel else tr("No kernel was running."),
                tr("Variables and data of the code that ran before were lost.")
                if had_kernel
                else tr("The next run starts a new one."),
            )

    def edit_last_message(self) -> None:
        """Put the user's last message back into the composer."""
        if self._session is None or self._session.state != "idle":
            return
        for message in reversed(self._session.conversation.messages):
            if (message.role, message.type) == ("user", "message"):
                self._composer.begin_edit(message.id, message.text)
                return

    def _connect(self) -> None:
        composer, approval, pane = self._composer, self._approval, self._pane
        composer.submitted.connect(self._on_submitted)
        composer.edit_submitted.connect(self._on_edit_submitted)
        composer.stop_requested.connect(self.stop)
        composer.edit_last_requested.connect(self.edit_last_message)
        composer.auto_run_toggled.connect(
            lambda is_on: self.do(lambda session: session.set_auto_run(is_on))
        )
        approval.approved.connect(self._on_approved)
        approval.rejected.connect(self._on_rejected)
        approval.decided.connect(lambda told: self.do(lambda session: session.decide(told)))
        approval.edit_requested.connect(self._on_edit_requested)
        pane.run_requested.connect(self._on_pane_run)
        pane.stop_requested.connect(self.stop)
        pane.edited.connect(self._on_pane_edited)

    def _connect_timeline(self) -> None:
        """Connect the timeline once it is made, and show the conversation in it."""
        from playhead.ui.timeline.printed_lines import PrintedLines

        timeline = self._timeline
        PrintedLines(timeline, self._pane, self)
        self._fill_timeline(self._session)
        timeline.retry_requested.connect(lambda id_: self._retry(id_))
        timeline.edit_requested.connect(self._on_message_edit)
        timeline.run_requested.connect(
            lambda language, code: self.begin(lambda session: session.run_code(language, code))
        )
        timeline.open_code_requested.connect(self.open_code)
        timeline.open_block_requested.connect(self._follower.show_message)
        timeline.line_requested.connect(self._on_line_requested)
        timeline.mend_requested.connect(self._on_mend_requested)
        timeline.set_model_name(lambda: self._composer.model)
        timeline.input_answered.connect(
            lambda id_, text: self.do(lambda session: session.answer_input(id_, text))
        )
        timeline.text_sent.connect(
            lambda text, is_end: self.do(lambda session: session.send_text(text, is_end=is_end))
        )

    def _fill_timeline(self, session: Session | None) -> None:
        self._timeline.set_conversation(session.conversation if session else None)
        if session is not None:
            self._timeline.set_runnable(session.can_run, session.why_not)

    def _show_all(self, session: Session) -> None:
        self._header.set_title(session.conversation.title)
        self._show_state(session)
        self._show_kernel(session.kernel)
        self._pane.set_can_run(session.can_run)
        self._show_pending(session)
        self.place_changed.emit()
        self.emptied.emit(not session.conversation.messages)

    def _show_kernel(self, kernel: KernelStatus) -> None:
        disputed = tr("still running, although it says that it is over")
        text = disputed if kernel.is_disputed else going_on_words(kernel.going_on)
        if text or self._parts.has_timeline:
            self._timeline.show_going_on(text)
        self._pane.set_kernel(kernel)
        if self._session is not None:
            self._show_pause(self._session)

    def _show_state(self, session: Session) -> None:
        self._header.set_client(client_name(session.client))
        self._header.set_state(session.state)
        self._composer.set_busy(session.state != "idle")
        self._show_pause(session)
        self._follower.show_waiting(session.state == "awaiting_input")
        # A report follows a state that is left out here.
        if session.state not in ("awaiting_input", "stopping") and self._parts.has_timeline:
            self._timeline.settle_inputs()

    def _show_pause(self, session: Session) -> None:
        """Show whether the code runs, and the line that it is paused before."""
        kernel = session.kernel
        is_running = session.state in ("running", "paused", "awaiting_input", "stopping")
        is_paused = session.state == "paused"
        is_python = kernel.language in ("", PYTHON)
        name = language_name(kernel.language)
        why = "" if is_python else tr("{language} code cannot be paused", language=name)
        place = place_of(kernel.interpreter)
        if place is not None and place.kind in ("jupyter", "server"):
            why = tr("Code that runs in a Jupyter kernel cannot be paused")
        self._pane.set_running(is_running, is_paused=is_paused, why_no_pause=why)
        self._follower.show_pause(kernel.paused_line if is_paused else 0)
        if is_paused and not self._was_paused:
            self.editor_wanted.emit()  # the ways to go on are there
        self._was_paused = is_paused
        if self._parts.has_timeline:
            self._timeline.show_pause(kernel.paused_line if is_paused else 0)

    def _show_pending(self, session: Session) -> None:
        pending = session.pending
        self._approval.ask(pending, session.pending_later)
        self._show_coverage(session)
        self._pane.set_asked(self._is_asked_about)
        self._on_pane_edited()

    def _show_coverage(self, session: Session) -> None:
        """Show what undo will not cover of the code that waits; of another folder nothing."""
        coverage = session.files.coverage
        is_here = coverage is not None and coverage.folder == session.folder
        self._approval.show_coverage(coverage_text(coverage, tr, tr_n) if is_here else "")

    @property
    def _is_asked_about(self) -> bool:
        """Return whether the code that the pane shows is asked about."""
        asked = {proposal.message_id for proposal in self._approval.proposals}
        return self._pane.message_id in asked

    def _on_session_event(self, event: SessionEvent) -> None:
        session = self._session
        if session is None:
            return
        match event.kind:
            case "state":
                self._show_state(session)
                if session.state == "idle":
                    self._timeline.end_turn()
                    self._timeline.show_versions()
                    self._offer_install()
                    self._offer_again(session)
                    self._offer_access(session)
                    self._offer_model(session)
                    self._offer_go_on(session)
            case "pending":
                self._show_pending(session)
            case "files":
                self._show_coverage(session)
            case "kernel":
                self._show_kernel(session.kernel)
                place = session.conversation.id, session.kernel.folder
                if place != self._code_place:
                    self._code_place = place
                    self.place_changed.emit()
            case "place" | "config" | "auto_run":
                self.place_changed.emit()
            case "error" if event.error is not None:
                self.failed.emit(event.error)
            case _:
                pass

    def _on_conversation_event(self, event: ConversationEvent) -> None:
        if event.kind == "grew":
            return
        if event.kind == "renamed":
            self._header.set_title(event.title)
        is_rearranged = event.kind in REARRANGED
        if (is_rearranged or event.kind in ("started", "added")) and self._session is not None:
            self.emptied.emit(not self._session.conversation.messages)
        if is_rearranged:
            self._on_rearranged()
        match event.message.content if event.message else None:
            case CodeError(name="ModuleNotFoundError", message=text):
                found = _MISSING_MODULE.search(text)
                self._missing = found.group(1) if found else ""
                self._failed = self._session and last_proposal(self._session.conversation.messages)
            case RunReport(state="started"):
                self._missing = ""
            case Failure(code="upstream_auth_error" | "missing_api_key"):
                self._offer_settings()
            case _:
                pass

    def _on_rearranged(self) -> None:
        """Replace the notes: those of the branch that was shown do not apply to this one."""
        self._timeline.clear_notes()
        if self._session is not None and self._session.has_lost_variables:
            self._report_lost_variables(self._session)
        if self._session is not None:
            self._offer_go_on(self._session)
        self.rearranged.emit()

    def _on_submitted(self, text: str, attachments: list[Attachment]) -> None:
        if self.ask_where is not None:
            self.ask_where(lambda: self._on_submitted(text, attachments))
            return
        if self.carry is None or not self.carry(text, attachments):
            self.submit(text, attachments)

    def submit(self, text: str, attachments: list[Attachment]) -> None:
        """Send what the composer has; attachments are where the code runs."""
        self._parts.make_timeline()
        self._timeline.clear_notes()
        is_typed = self._composer.is_typed
        if self.begin(lambda session: session.send(text, attachments, is_typed=is_typed)):
            self._composer.clear()
            self._timeline.canvas.jump_to_end()  # the user wants to see the answer

    def _on_edit_submitted(self, message_id: str, text: str) -> None:
        if self.begin(lambda session: session.edit_and_send(message_id, text), is_placed=True):
            self._composer.clear()
            self._timeline.canvas.jump_to_end()

    def _on_approved(self, proposal_id: str, code: str | None, is_for_rest: bool) -> None:
        self.do(lambda session: session.approve(proposal_id, code, rest_of_turn=is_for_rest))

    def _on_rejected(self, proposal_id: str, reason: str) -> None:
        self.do(lambda session: session.reject(proposal_id, reason))

    def _on_edit_requested(self) -> None:
        pending = self._approval.proposal
        if pending is None:
            return
        shown = self._pane.message_id if self._is_asked_about else pending.message_id
        self._follower.show_message(shown)
        self._pane.set_asked(True)
        self.editor_wanted.emit()
        self._pane.focus_code()

    def _on_pane_edited(self) -> None:
        if self._is_asked_about:
            self._approval.set_edit(self._pane.message_id, self._pane.text())

    def _on_pane_run(self, language: str, code: str) -> None:
        if self._is_asked_about:
            self._approval.run_action.trigger()  # the same question, the same answer
            return
        if self.ask_where is not None:
            self.ask_where(lambda: self._on_pane_run(language, code))
            return
        self._parts.make_timeline()
        self._follower.expect_own_run(True)
        if not self.begin(lambda session: session.run_code(language, code)):
            self._follower.expect_own_run(False)

    def _on_message_edit(self, message_id: str) -> None:
        message = self._session.conversation.message(message_id) if self._session else None
        if message is not None:
            self._composer.begin_edit(message.id, message.text)

    def open_code(self, message_id: str) -> None:
        """Show a block of code in the editor, wherever the user is."""
        self._follower.show_message(message_id)
        self.editor_wanted.emit()

    def _on_line_requested(self, message_id: str, line: int) -> None:
        self.open_code(message_id)
        self._pane.editor.reveal_line(line)
        self._pane.editor.mark_lines([line])

    def _on_mend_requested(self, message_id: str) -> None:
        message = self._session.conversation.message(message_id) if self._session else None
        if message is not None and isinstance(message.content, CodeError):
            words = fix_request(message.content)
            self.begin(lambda session: session.send(words))

    def _offer_install(self) -> None:
        module, self._missing = self._missing, ""
        if not module:
            return
        self._timeline.add_note(
            "info",
            tr("The module “{module}” is not installed.", module=module),
            tr("You see the code that installs it before it runs."),
            (tr("Install {name}", name=module.partition(".")[0]), lambda: self._install(module)),
        )

    def _report_held_auto_run(self, session: Session) -> None:
        if session.is_auto_run_held:
            self._timeline.add_note(
                "info",
                tr("Code of this conversation waits for your approval."),
                tr("That it runs without asking was chosen before Playhead was started."),
                (tr("Run without asking"), self._let_run),
            )

    def _let_run(self) -> None:
        if self.do(lambda session: session.set_auto_run(True)):
            self._timeline.clear_notes()

    def _offer_model(self, session: Session) -> None:
        """Show the way to the settings where Direct mode could only answer in words."""
        last = session.conversation.messages[-1:]
        if not session.settings.model and [(m.role, m.type) for m in last] == [
            ("assistant", "message")
        ]:
            self._offer_settings()

    def _offer_settings(self) -> None:
        self._timeline.add_note(
            "info",
            tr("The key and the model are in the settings."),
            tr("The Check button tests them."),
            (tr("Open settings"), lambda: self._timeline.link_activated.emit(SETTINGS_LINK)),
        )

    def _install(self, module: str) -> None:
        if self.begin(lambda session: session.propose_install(module)):
            self._timeline.clear_notes()

    def _offer_again(self, session: Session) -> None:
        """Offer to run the block that failed, once what it needs is installed."""
        messages, block = session.conversation.messages, self._failed
        if block is None or not has_run_through(messages):
            return
        self._failed = None
        installed = last_proposal(messages)
        if installed is None or "pip install" not in installed.code:
            return
        self._timeline.add_note(
            "info",
            tr("The block that failed can now find its module."),
            tr("Its code is unchanged."),
            (tr("Run it again"), lambda: self.run_again(block)),
        )

    def _offer_access(self, session: Session) -> None:
        """Offer what the code that ran last was refused, where it has failed for want of it."""
        block = last_proposal(session.conversation.messages)
        access = session.access.missing() if block is not None else None
        if block is None or access is None or (block.id, access) == self._offered_access:
            return
        self._offered_access = block.id, access
        self._timeline.add_note(
            "info",
            tr(_ACCESS_TITLES[access]),
            tr(_ACCESS_WORDS[access]),
            (tr("Allow for this conversation"), lambda: self._allow(access, block)),
        )

    def _allow(self, access: Access, block: Proposal) -> None:
        if self._session is None:
            return
        self._session.access.allow(access)
        self._timeline.clear_notes()
        if block.language != PYTHON:  # its program has the environment that it was started with
            self.restart_kernel()
        self._timeline.add_note(
            "info",
            tr("It is allowed in this conversation until Playhead is closed."),
            tr("The block that failed can now reach it."),
            (tr("Run it again"), lambda: self.run_again(block)),
        )

    def run_again(self, block: Proposal) -> None:
        """Run a block once more, by the click of a person."""
        if self.begin(lambda session: session.run_code(block.language, block.code)):
            self._timeline.clear_notes()

    def _report_lost_variables(self, session: Session) -> None:
        if session.has_run_here:
            title = tr("The kernel of this conversation is a new one.")
            detail = tr("Variables and data of the code that ran before were lost.")
            if (saved := session.kept_variables.saved) is not None:
                detail = tr_n(
                    "{count} of %n variables of the code that ran before are saved; the next code "
                    "that runs can have them.",
                    saved.total,
                    one="The variable of the code that ran before is saved; the next code that runs"
                    " can have it.",
                    count=saved.count,
                )
            elif session.settings.model != DIRECT_MODEL:
                detail = tr(
                    "Variables and data of the code that ran before were lost; the model knows."
                )
        else:
            title = tr("Nothing has run here yet.")
            detail = tr(
                "The results are those of the file. Its variables exist once its code runs."
            )
        self._timeline.add_note(
            "info", title, detail, (tr("Run all again"), self.rerun_wanted.emit)
        )

    def _report_missing_answer(self, session: Session) -> None:
        """Offer to ask again where a crash or a stop left a question without any answer."""
        last = session.conversation.messages[-1:]
        if session.is_idle and last and is_asked(last[0]):
            self._timeline.add_note(
                "info",
                tr("No answer came to this question."),  # also in a file that ends with one
                "",
                (tr("Retry"), lambda: self._retry(last[0].id)),
            )

    def _retry(self, message_id: str) -> None:
        if self.begin(lambda session: session.retry(message_id), is_placed=True):
            self._timeline.clear_notes()

    def _offer_go_on(self, session: Session) -> None:
        """Show where a run of all blocks stopped, and offer to run the rest."""
        if not session.is_idle or (rerun := session.reruns.stopped) is None:
            return
        reasons = {
            "failed": tr("Stopped at block {number} of {total}: it failed."),
            "stopped": tr("Stopped at block {number} of {total}: it did not run to its end."),
            "unanswered": tr("Stopped at block {number} of {total}: it waited for an answer."),
        }
        self._timeline.add_note(
            "warning",
            reasons[rerun.reason].format(number=rerun.number, total=rerun.total),
            tr_n(
                "%n blocks after it were not run. The arrows above lead to the earlier results.",
                rerun.left,
                one="%n block after it was not run. The arrows above lead to the earlier results.",
            ),
            (tr("Go on from here"), self._go_on_running),
        )

    def _go_on_running(self) -> None:
        if self.begin(lambda session: session.reruns.go_on()):
            self._timeline.clear_notes()


def last_proposal(messages: Sequence[Message]) -> Proposal | None:
    """Return the code that was put up last, as it was edited."""
    found = (m.content for m in reversed(messages) if isinstance(m.content, Proposal))
    return next(found, None)


def has_run_through(messages: Sequence[Message]) -> bool:
    """Return whether the code that was put up last ran to its end and did not fail."""
    has_ended = False
    for message in reversed(messages):
        match message.content:
            case CodeError():
                return False
            case RunReport(state="finished"):
                has_ended = True
            case Proposal():
                return has_ended
            case _:
                pass
    return False


def fix_request(error: CodeError) -> str:
    """Return what the model is asked in order to fix an error."""
    own = [frame.line for frame in error.frames if not frame.file]
    where = tr(" at line {name}", name=own[-1]) if own else ""
    text = f"{error.name}: {error.message.strip()}"[:_MAX_ERROR_CHARS].rstrip(": ")
    return f"The code failed{where}. Please fix it.\n\n{fenced(text, 'text')}"


class SessionBinding(QObject):
    """Binds a part of the window to the shown session; a subclass subscribes to its events.

    A subclass that shows something of the session at once, or ends something with it, extends
    `follow` and `leave`.
    """

    def __init__(self, view: SessionView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._session: Session | None = None
        self._unsubscribers: list[Callable[[], None]] = []
        view.session_left.connect(self.leave)
        view.session_changed.connect(self.follow)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to the events of a session, and return what unsubscribes from them."""
        raise NotImplementedError

    def follow(self) -> None:
        """Subscribe to the session that is shown now; the one before was left."""
        session = self._session = self._view.session
        self._unsubscribers = self.subscribe(session) if session is not None else []

    def leave(self) -> None:
        """Unsubscribe from the session."""
        for unsubscribe in self._unsubscribers:
            unsubscribe()
        self._unsubscribers, self._session = [], None
