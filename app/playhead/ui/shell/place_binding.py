"""Shows where the conversation runs, and the link to there, and lets the user choose both."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from playhead.domain.conversation.message import Attachment
from playhead.domain.execution import KernelStatus, Place, place_of
from playhead.domain.model import DIRECT_MODEL
from playhead.domain.places import (
    PlaceQuestion,
    folder_there,
    kernel_name,
    machine_of,
    short_name,
)
from playhead.domain.secret import Secret
from playhead.errors import AttachmentError, phrase
from playhead.session.code_ports import FarSide
from playhead.session.ports import Places
from playhead.session.session import Session, SessionEvent
from playhead.ui.editor.own_tabs import OwnTabs
from playhead.ui.places.cluster_code import cluster_handlers, note_after_stop
from playhead.ui.places.place_menus import PlaceMenus
from playhead.ui.shell.session_view import SessionBinding, SessionView
from playhead.ui.shell.window_layout import WindowLayout
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import format_seconds, tr

if TYPE_CHECKING:
    from playhead.ui.places.place_sheets import QuestionSheet

_BACK_MS = 8_000


class PlaceBinding(SessionBinding):
    """Joins the chips of folder and interpreter to the session. Owner: the main window.

    `interpreter` returns that of the conversation, which may be the settings'. `port` carries the
    questions of connections, which are asked one after the other.
    """

    def __init__(
        self,
        view: SessionView,
        parts: WindowLayout,
        menus: PlaceMenus,
        interpreter: Callable[[], str],
        port: Places | None,
        parent: QWidget,
    ) -> None:
        super().__init__(view, parent)
        self._window = parent
        self._port = port
        self._questions: list[PlaceQuestion] = []
        self.sheet: QuestionSheet | None = None
        """The question that is shown."""
        self._unsubscribe_port = port.subscribe(self._on_question) if port else _nothing
        self._parts = parts
        self._menus = menus
        self._interpreter = interpreter
        self._links: dict[str, float] = {}
        self._clock = QTimer(self)
        self._clock.setInterval(1_000)
        self._clock.timeout.connect(self._show_link)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_BACK_MS)
        self._back.timeout.connect(self._show_link)
        for source in (parts.header, parts.pane):
            source.folder_clicked.connect(self._open_folder_menu)
            source.interpreter_clicked.connect(self.open_menu)
        menus.interpreter_chosen.connect(
            lambda path: view.do(lambda session: session.set_interpreter(path))
        )

    def close_down(self) -> None:
        """Give up what is asked, and follow no more."""
        self._unsubscribe_port()
        self._questions.clear()
        if self.sheet is not None:
            self.sheet.reject()
        self.leave()

    @property
    def place(self) -> Place | None:
        """Return where the conversation runs, if not on this computer."""
        place = place_of(self._interpreter())
        return place if place is not None and place.is_elsewhere else None

    def handlers(self, tabs: Callable[[], OwnTabs]) -> Mapping[str, Callable[[], object]]:
        """Return the commands of the window about places."""
        own = {"folder": self.choose_folder, "interpreter": self.open_menu}
        return {**own, **cluster_handlers(tabs, lambda: self._parts.show_editor(True))}

    def open_menu(self) -> None:
        """Open the menu of where code runs."""
        self._menus.open_interpreter_menu(self._interpreter())

    def choose_folder(self) -> None:
        """Let the user choose a folder here, or type one of the other machine."""
        if self.place is not None and not self.place.kernel_id:
            self._menus.type_folder(self.place)
        else:
            self._menus.choose_folder(self._folder)

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to the kernel's link."""
        return [session.subscribe(self._on_event)]

    def follow(self) -> None:
        """Show the link of the session."""
        super().follow()
        self._back.stop()
        self._show_link()

    def leave(self) -> None:
        """Count no more."""
        super().leave()
        self._clock.stop()
        self._back.stop()

    def show(self) -> None:
        """Show in the head, below the code and in the question where the conversation runs."""
        session = self._view.session
        if session is None:
            return
        interpreter, kernel = self._interpreter(), session.kernel
        named, runs = self._menus.interpreter_label(interpreter), self._menus.language(interpreter)
        folder, machine, gone_to = session.folder, "", kernel.folder
        if (place := self.place) is not None:
            named, machine = kernel_name(place), short_name(place)
            folder = folder_there(place)
        self._parts.header.set_place(folder, named, gone_to, runs, machine)
        self._parts.pane.set_place(folder, named, gone_to, runs, machine)
        self._parts.approval.set_code_place(kernel.language, gone_to, machine)

    @property
    def _folder(self) -> str:
        return self._view.session.folder if self._view.session is not None else ""

    def _open_folder_menu(self) -> None:
        self._menus.open_folder_menu(self._folder, self._interpreter())

    def _on_question(self, question: PlaceQuestion) -> None:
        """Ask it, or take it back; what waits behind another one is asked then."""
        self._questions = [one for one in self._questions if one.id != question.id]
        if question.text:
            self._questions.append(question)
        elif self.sheet is not None and self.sheet.question.id == question.id:
            self.sheet.take_back()
        self._ask_next()

    def _ask_next(self) -> None:
        if self.sheet is not None or not self._questions:
            return
        question = self._questions.pop(0)
        from playhead.ui.places.place_sheets import QuestionSheet

        self.sheet = sheet = QuestionSheet(question, self._window)
        sheet.answered.connect(lambda answer: self._answer(question.id, answer))
        sheet.finished.connect(self._on_answered)
        QApplication.alert(self._window)
        sheet.open()

    def _answer(self, question_id: str, answer: Secret | None) -> None:
        if self._port is not None:
            self._port.answer(question_id, answer)

    def _on_answered(self) -> None:
        self.sheet = None
        QTimer.singleShot(0, self, self._ask_next)

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind == "kernel":
            self._show_link()
        elif event.kind == "state" and self._session is not None and self._session.is_idle:
            told = note_after_stop(self._session.conversation.messages)
            if told is not None:
                self._parts.timeline.add_note("info", *told)

    def _show_link(self) -> None:
        """Show the link while there is something to be known of it; count only while it is lost."""
        if self._session is None:
            return
        conversation_id, kernel = self._session.conversation.id, self._session.kernel
        if kernel.link == "lost":
            since = self._links.setdefault(conversation_id, time.monotonic())
            if not self._clock.isActive():
                self._clock.start()
            lost_s = time.monotonic() - since
            short = tr("lost for {time}", time=_since(lost_s))
            self._parts.header.set_link(lost_words(kernel, lost_s), short)
            return
        self._clock.stop()
        was_lost = self._links.pop(conversation_id, None) is not None
        if kernel.link == "connecting":
            self._parts.header.set_link(tr("connecting…"))
        elif was_lost and kernel.state != "none":
            self._back.start()
            whole = tr("back: nothing is missing")
            if kernel.missing:
                whole = tr("back: output is missing")
                self._parts.timeline.add_note("warning", whole, kernel.missing)
            self._parts.header.set_link(whole, tr("back"))
        elif not self._back.isActive():
            self._parts.header.set_link("")


class FarAttachments(SessionBinding):
    """Copies attachments to where the code runs, before their message is sent. Owner: the window.

    The message says where they are: the model knows of no other way.
    """

    def __init__(
        self,
        view: SessionView,
        parts: WindowLayout,
        far_side: FarSide | None,
        tasks: TaskOwner,
        parent: QObject,
    ) -> None:
        super().__init__(view, parent)
        self._chips = parts.composer.chips
        self._notifications = parts.notifications
        self._far_side = far_side
        self._tasks = tasks
        self._task: asyncio.Future[None] | None = None
        if far_side is not None:
            view.carry = self._carry

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to where it runs: a copy on its way to another place is given up."""
        return [session.subscribe(self._on_event)]

    def leave(self) -> None:
        """Give up what is on its way."""
        self._give_up()
        super().leave()

    def _on_event(self, event: SessionEvent) -> None:
        if event.kind == "place":
            self._give_up()

    def _give_up(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _carry(self, text: str, attachments: list[Attachment]) -> bool:
        """Begin to copy; return whether there is anything to copy, which submits at its end."""
        session, far_side = self._session, self._far_side
        if session is None or far_side is None or not attachments or not session.is_idle:
            return False
        interpreter = session.interpreter or session.settings.interpreter
        machine = machine_of(interpreter)
        if not machine or (self._task is not None and not self._task.done()):
            return bool(machine)
        sending = self._send(far_side, session, interpreter, text, attachments)
        self._task = self._tasks.start(sending)
        return True

    async def _send(
        self,
        far_side: FarSide,
        session: Session,
        interpreter: str,
        text: str,
        attachments: list[Attachment],
    ) -> None:
        place = place_of(interpreter)
        assert place is not None  # noqa: S101 - it has a machine
        where = f"{short_name(place)}:{folder_there(place)}"
        told: list[str] = []
        try:
            for one in attachments:
                if one.kind == "folder":
                    raise AttachmentError(
                        phrase("{name} is a folder: only files are copied.", name=one.name),
                        remedy="Attach its files, or an archive of it.",
                    )
                path = one.path

                def show(part: float, path: str = path) -> None:
                    percent = round(100 * min(max(part, 0.0), 1.0))
                    words = tr("→ {where}, {percent} %", where=where, percent=percent)
                    self._chips.show_progress(path, words)

                show(0.0)
                there = await far_side.put_file(session.conversation.id, interpreter, path, show)
                told.append(f"({one.name} was copied to {there} on {short_name(place)}.)")
        finally:
            self._task = None
            for one in attachments:
                self._chips.show_progress(one.path, "")
        if self._view.session is session:
            note = "\n".join(told)
            is_direct = session.settings.model == DIRECT_MODEL
            if is_direct:
                self._notifications.show_notice(tr("The files are there."), note)
            self._view.submit(text if is_direct else f"{text}\n\n{note}".strip(), attachments)


def _nothing() -> None:
    pass


def _since(seconds: float) -> str:
    return format_seconds(max(1.0, seconds), is_running=True)


def lost_words(kernel: KernelStatus, seconds: float) -> str:
    """Return for how long a link has been lost, and what becomes of the code meanwhile."""
    since = _since(seconds)
    match kernel.state:
        case "busy":
            return tr("lost for {time}: your code runs on", time=since)
        case "stopping":
            return tr("lost for {time}: Stop follows when it is back", time=since)
        case _:
            return tr("lost for {time}", time=since)
