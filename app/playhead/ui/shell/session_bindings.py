"""Bindings of parts of the window to the session that is shown.

They show its cost and context and the notes below its answers, and ask before a restart loses
variables and before all code runs again.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Failure, Usage, Waiting
from playhead.domain.execution import PYTHON, CodePlace, LineValue
from playhead.errors import AppError
from playhead.session.rerun import Block, ran_blocks
from playhead.session.session import Session, SessionEvent
from playhead.session.stops import open_question
from playhead.ui.editor.pane.code_hints import CodeHints
from playhead.ui.editor.value_notes import ValueNotes
from playhead.ui.shell.session_view import SessionBinding, SessionView
from playhead.ui.shell.window_layout import WindowLayout
from playhead.ui.widgets.message_box import confirm
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr, tr_error, tr_n

if TYPE_CHECKING:
    from playhead.domain.conversation.payloads import Proposal
    from playhead.ui.dialogs.request_view import RequestView
    from playhead.ui.timeline.model.rows import Note

_PAUSE_MS = 150
"""How long code that is edited must rest before it is looked at again."""


class RiskBinding(SessionBinding):
    """Marks the lines that a chip of the question is about, and looks at code that is edited."""

    def __init__(
        self, view: SessionView, parts: WindowLayout, tasks: TaskOwner, parent: QObject
    ) -> None:
        super().__init__(view, parent)
        self._approval = parts.approval
        self._pane = parts.pane
        self._tasks = tasks
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._look_again)
        parts.approval.lines_requested.connect(self._on_lines_requested)
        parts.pane.edited.connect(self._timer.start)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to what waits for a decision."""
        return [session.subscribe(self._on_session_event)]

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind == "pending":
            self._pane.editor.mark_lines((), "risky")

    def _on_lines_requested(self, message_id: str, lines: Sequence[int]) -> None:
        """Mark lines of code that waits, and scroll to the first of them."""
        self._view.open_code(message_id)
        self._pane.editor.mark_lines(lines, "risky")
        if lines:
            self._pane.editor.reveal_line(lines[0])

    def _look_again(self) -> None:
        """Look at the code as the user has changed it, once they pause."""
        asked = self._approval.proposals
        about = next((one for one in asked if one.message_id == self._pane.message_id), None)
        if self._session is not None and about is not None:
            self._tasks.start(self._look(self._session, about, self._pane.text()))

    async def _look(self, session: Session, about: Proposal, code: str) -> None:
        self._approval.show_look(await session.review.peek(about, code))


class PauseBinding(SessionBinding):
    """Pauses the code that runs, and keeps the lines to pause before with the code."""

    def __init__(
        self, view: SessionView, parts: WindowLayout, tasks: TaskOwner, parent: QObject
    ) -> None:
        super().__init__(view, parent)
        self._pane = pane = parts.pane
        self._notes = ValueNotes(pane, tasks, self._values, self)
        parts.approval.pauses_requested.connect(self._on_pauses_requested)
        pane.header.pause_clicked.connect(self._on_pause_clicked)
        pane.breakpoints_changed.connect(self._keep)
        pane.edited.connect(self._on_edited)
        pane.tab_shown.connect(self._put_up)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to the ends of runs, which change the values along the lines."""
        return [session.subscribe(self._on_session_event)]

    def follow(self) -> None:
        """Show the lines of the session's code."""
        super().follow()
        self._notes.forget()
        self._put_up()

    def _on_pause_clicked(self, verb: str) -> None:
        session = self._session
        if session is None:
            return
        if session.state == "running" and verb != "step":
            session.pauses.do("pause")
            self._pane.header.show_pausing()
        elif session.state == "paused" and verb == "step":
            session.pauses.do("step")
        elif session.state == "paused":
            session.pauses.do("resume")

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind == "state":
            self._notes.forget()

    async def _values(self, code: str) -> list[LineValue]:
        return await self._session.pauses.values(code) if self._session is not None else []

    def _on_pauses_requested(self, message_id: str, lines: Sequence[int]) -> None:
        """Pause before lines of code that waits for a decision."""
        self._view.open_code(message_id)
        self._pane.add_breakpoints(lines)

    def _on_edited(self) -> None:
        if self._pane.editor.breakpoints:
            self._keep()

    def _keep(self) -> None:
        if self._session is not None:
            self._session.pauses.set_lines(self._pane.text(), self._pane.editor.breakpoints)

    def _put_up(self) -> None:
        """Show the lines that were chosen in an editor that has been dropped since."""
        if self._session is None or self._pane.pages.is_empty:
            return
        if not self._pane.editor.breakpoints:
            lines = self._session.pauses.lines(self._pane.text())
            self._pane.editor.mark_lines(lines, "breakpoint")


class ContextBinding(SessionBinding):
    """Owner: the main window; it follows the session that is shown."""

    def __init__(
        self,
        view: SessionView,
        parts: WindowLayout,
        parent: QWidget,
    ) -> None:
        super().__init__(view, parent)
        self._window = parent
        self._parts = parts
        self._header = parts.header
        self._question = parts.question
        self._composer = parts.composer
        self._settled: set[str] = set()
        self.dialog: RequestView | None = None
        view.rearranged.connect(self._show_all)
        parts.timeline_made.connect(self._show_mark)
        self._question.continued.connect(self._on_continued)
        self._question.stopped.connect(self._on_stopped)

    def view_request(self, before_id: str = "") -> None:
        """Show what is sent to the model; with `before_id`, only what comes before that message."""
        session = self._view.session
        if session is None:
            return
        from playhead.ui.dialogs.request_view import RequestView  # not needed for the first paint

        if self.dialog is not None:
            self.dialog.close()
        self.dialog = RequestView(session, self._window, before_id)
        self.dialog.destroyed.connect(self._on_dialog_gone)
        self.dialog.show()

    def show_settings(self) -> None:
        """Show everything again: the budget may have changed."""
        self._show_all()

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its states and outlook, and to the costs of its answers."""
        return [
            session.subscribe(self._on_session_event),
            session.conversation.subscribe(self._on_event),
        ]

    def follow(self) -> None:
        """Show all of the session."""
        super().follow()
        self._show_all()

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind in ("state", "config"):
            self._show_all()
        elif event.kind == "preview":
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
        if session is not None and self._parts.has_timeline:
            path = [message.id for message in session.conversation.messages]
            self._parts.timeline.model.set_unsent(session.preview.first_sent_id, path)
            self._parts.timeline.coalescer.due()

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


TICK_MS = 250


class AnswerNotes(SessionBinding):
    """Counts down until a model is asked again, and notes how answers end. Owner: the window."""

    def __init__(
        self, parts: WindowLayout, view: SessionView, parent: QObject | None = None
    ) -> None:
        super().__init__(view, parent)
        self._parts = parts
        self._waiting: Waiting | None = None
        self._until = 0.0
        self._key = ""
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    @property
    def is_waiting(self) -> bool:
        """True while a countdown is shown."""
        return self._waiting is not None

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its waits and the ends of its answers."""
        return [
            session.conversation.subscribe(self._on_conversation_event),
            session.subscribe(self._on_session_event),
        ]

    def leave(self) -> None:
        """End the countdown too."""
        super().leave()
        self._end_wait()

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
            self._add_end_note(content)

    def _begin_wait(self, waiting: Waiting) -> None:
        self._end_wait()
        self._waiting = waiting
        self._until = time.monotonic() + waiting.seconds
        self._key = self._parts.timeline.model.add_note(_countdown(waiting, waiting.seconds))
        self._parts.timeline.coalescer.due()
        self._timer.start()

    def _on_tick(self) -> None:
        if self._waiting is None:
            return
        left_s = self._until - time.monotonic()
        self._parts.timeline.model.change_note(self._key, _countdown(self._waiting, left_s))
        self._parts.timeline.coalescer.due()
        if left_s <= 0:
            self._timer.stop()

    def _end_wait(self) -> None:
        if self._waiting is None:
            return
        self._waiting = None
        self._timer.stop()
        self._parts.timeline.model.drop_note(self._key)
        self._parts.timeline.coalescer.due()

    def _add_end_note(self, usage: Usage) -> None:
        """Add a note that says how an answer ended, unless it ended as usual."""
        if usage.has_refused_images:
            self._parts.timeline.add_note(
                "info",
                tr("The model's server takes no pictures."),
                tr("The model got their paths instead, so that code can open them."),
            )
        match usage.finish_reason:
            case "length":
                self._parts.timeline.add_note(
                    "info",
                    tr("The answer ended at the limit of its length."),
                    tr("Raise “Max tokens” in the settings, or ask to go on."),
                )
            case "content_filter":
                self._parts.timeline.add_note(
                    "warning",
                    tr("The provider's filter ended the answer."),
                    tr("Ask in other words, or choose another model."),
                )
            case _ if self._is_empty():
                self._parts.timeline.add_note(
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
    """Return a note that says why nothing comes, and for how long."""
    from playhead.ui.timeline.model.rows import Note

    reason = tr_error(AppError(waiting.reason)).title
    if left_s <= 0:
        return Note(kind="info", title=reason, detail=tr("Asking again…"))
    detail = tr(
        "Asking again in {seconds} s, attempt {attempt} of {attempts}. Stop ends the wait.",
        seconds=math.ceil(left_s),
        attempt=waiting.attempt,
        attempts=waiting.attempts,
    )
    return Note(kind="info", title=reason, detail=detail)


class HintsBinding(SessionBinding):
    """Asks about the code that is being written, what runs and what reads it. Owner: the window."""

    def __init__(
        self, hints: CodeHints, view: SessionView, tasks: TaskOwner, parent: QObject | None = None
    ) -> None:
        super().__init__(view, parent)
        self._hints = hints
        self._tasks = tasks
        hints.completions_wanted.connect(self._on_completions_wanted)
        hints.description_wanted.connect(self._on_description_wanted)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to nothing: the session is only asked."""
        return []

    def leave(self) -> None:
        """Drop what was asked in the session."""
        super().leave()
        self._hints.hide()

    def _on_completions_wanted(self, number: int, place: CodePlace, is_asked: bool) -> None:
        async def ask(session: Session) -> None:
            async with aclosing(session.questions.completions(place, is_asked=is_asked)) as found:
                async for completions in found:
                    self._hints.show_completions(number, completions)

        if self._session is not None:
            self._tasks.start(ask(self._session))

    def _on_description_wanted(self, number: int, place: CodePlace, is_call: bool) -> None:
        async def ask(session: Session) -> None:
            found = await session.questions.describe(place, is_call=is_call)
            self._hints.show_description(number, found)

        if self._session is not None:
            self._tasks.start(ask(self._session))


_NAMES_SHOWN = 12


class RestartQuestion(QObject):
    """Asks before a restart of the kernel loses variables. Owner: the main window."""

    def __init__(self, view: SessionView, tasks: TaskOwner, window: QWidget) -> None:
        super().__init__(window)
        self._view = view
        self._tasks = tasks
        self._window = window

    def restart(self) -> None:
        """Restart the kernel, after a question if variables or a run would be lost."""
        if self._view.session is not None:
            self._tasks.start(self._restart(self._view.session))

    async def _restart(self, session: Session) -> None:
        loss = await _loss(session)
        if session is not self._view.session:
            return
        if not loss:
            self._view.restart_kernel()
            return
        confirm(
            self._window,
            tr("Restart kernel"),
            tr("Restart the kernel of this conversation?"),
            loss,
            tr("Restart"),
            lambda: self._view.restart_kernel() if session is self._view.session else None,
        )


async def _loss(session: Session) -> str:
    """Return in a sentence what a restart of the kernel would lose; '' for nothing."""
    if session.kernel.state in ("none", "starting"):
        return ""
    try:
        found = await session.questions.variables()
        names = [one.name for one in found if one.survival in ("", "back")]
    except AppError:  # it is busy, and does not say
        return tr("Code is running: it is cut off, and all variables are lost.")
    if names:
        shown = ", ".join(names[:_NAMES_SHOWN])
        more = len(names) - _NAMES_SHOWN
        if session.kept_variables.saved is not None:
            listed = tr("{names} and {count} more", names=shown, count=more) if more > 0 else shown
            return tr(
                "The next kernel can have what is saved of these variables: {names}. You are asked "
                "before it gets them.",
                names=listed,
            )
        if more > 0:
            return tr_n("These variables are lost: {names} and %n more.", more, names=shown)
        return tr_n(
            "%n variables are lost: {names}.",
            len(names),
            one="The variable {names} is lost.",
            names=shown,
        )
    if any(block.language != PYTHON for block in ran_blocks(session.conversation.messages)):
        return tr("All variables are lost.")
    return ""


class RerunQuestion(QObject):
    """Asks before all code of a conversation runs again. Owner: the main window."""

    def __init__(self, view: SessionView, window: QWidget) -> None:
        super().__init__(window)
        self._view = view
        self._window = window
        view.rerun_wanted.connect(self.ask)

    def ask(self) -> None:
        """Show what would run, and what it may do; run it at the click."""
        blocks: list[Block] = []
        session = self._view.session
        asked = self._view.do(lambda session: blocks.extend(session.reruns.blocks()))
        if not asked or session is None:
            return
        confirm(
            self._window,
            tr("Run all again"),
            tr_n("Run %n blocks again?", len(blocks), one="Run the block again?"),
            rerun_words(blocks, has_kernel=session.kernel.state != "none"),
            tr_n("Run %n blocks", len(blocks), one="Run it"),
            lambda: self._run(session),
            is_danger=any(block.may_change_files for block in blocks),
        )

    def _run(self, session: Session) -> None:
        if session is self._view.session:
            self._view.begin(lambda session: session.reruns.begin())


def rerun_words(blocks: Sequence[Block], *, has_kernel: bool) -> str:
    """Return what the blocks are, and what they may do, a sentence in each line."""
    from playhead.ui.timeline.cards.code_cards import language_title

    counts = Counter(language_title(block.language) for block in blocks)
    told = (f"{language}: {count:,}" for language, count in counts.items())
    lines = [", ".join(told) + "."]
    if changing := [n for n, block in enumerate(blocks, 1) if block.may_change_files]:
        lines.append(
            tr_n(
                "%n of them may delete or overwrite files: {numbers}.",
                len(changing),
                one="Block {numbers} may delete or overwrite files.",
                numbers=_listed(changing),
            )
        )
    if asking := [n for n, block in enumerate(blocks, 1) if block.may_ask]:
        lines.append(
            tr_n(
                "%n of them ask for input: {numbers}.",
                len(asking),
                one="Block {numbers} asks for input.",
                numbers=_listed(asking),
            )
        )
    lines.append(tr("The kernel is not restarted.") if has_kernel else tr("A new kernel starts."))
    lines.append(tr("A failure stops it. Results so far are kept."))
    return "\n".join(lines)


def _listed(numbers: Sequence[int]) -> str:
    """Return the first numbers of blocks; the dots replace the rest."""
    shown = ", ".join(str(number) for number in numbers[:_NAMES_SHOWN])
    return f"{shown} …" if len(numbers) > _NAMES_SHOWN else shown
