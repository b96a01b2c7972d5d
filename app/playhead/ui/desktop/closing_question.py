"""The question before the close button, Quit or a log-out ends code with the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from playhead.domain.execution import is_elsewhere
from playhead.domain.places import machine_of
from playhead.domain.text.titles import UNTITLED
from playhead.session.ports import Settings
from playhead.session.session import Session, SessionState
from playhead.session.sessions import Sessions
from playhead.ui.desktop.desktop_presence import DesktopPresence
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import mark, tr, tr_n

_MOST_TITLE = 60
_CUT: dict[SessionState, str] = {
    "running": mark("Code is running in “{title}”."),
    "paused": mark("Code is running in “{title}”."),
    "stopping": mark("Code is running in “{title}”."),
    "awaiting_input": mark("Code waits for your answer in “{title}”."),
    "awaiting_approval": mark("Code waits for your decision in “{title}”."),
}
"""The states that the end of the program would cut off; an answer can be asked for again."""


class LogOut(Protocol):
    """Describes the part of Qt's session manager that is used here."""

    def allowsInteraction(self) -> bool:
        """Return whether the user may be asked."""
        ...

    def cancel(self) -> None:
        """Ask the system not to end the session."""
        ...

    def release(self) -> None:
        """End the interaction."""
        ...


class ClosingQuestion(QObject):
    """Asks before the program's end stops code, and whether to stay in the tray.

    Owner: the main window. Signal: `quit_requested()`: end the program now.
    """

    quit_requested = Signal()

    def __init__(
        self,
        sessions: Sessions,
        settings: Settings,
        tasks: TaskOwner,
        desk: DesktopPresence,
        raise_window: Callable[[], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._settings = settings
        self._tasks = tasks
        self._desk = desk
        self._raise_window = raise_window
        self._window = window
        self._box: QMessageBox | None = None

    @property
    def box(self) -> QMessageBox | None:
        """Return the open question."""
        return self._box

    def close_window(self) -> None:
        """Do what the close button is for: hide the window, or end the program."""
        wanted = self._settings.current.close_keeps_running
        if self._desk.has_tray and wanted == "yes":
            self._window.hide()
        elif self._desk.has_tray and not wanted and not self._cut():
            self._ask_for_always()
        else:
            self.quit()

    def quit(self) -> None:
        """End the program, after a question if code runs or waits."""
        cut = self._cut()
        if cut and all(map(self._goes_on, cut)):
            self._ask_for_code_elsewhere(cut)
        elif cut:
            self._ask_for_code(cut)
        else:
            self.quit_requested.emit()

    def holds_log_out(self, log_out: LogOut) -> bool:
        """Ask before a log-out stops code; return whether the log-out was cancelled for that.

        It cannot wait for the answer: the system wants to know before the event loop runs again.
        """
        cut = self._cut()
        if not cut or not log_out.allowsInteraction():
            return False
        log_out.cancel()
        log_out.release()
        self._ask_for_code(cut, is_log_out=True)
        return True

    def close_down(self) -> None:
        """Take an open question back."""
        if self._box is not None:
            self._box.reject()

    def _cut(self) -> list[Session]:
        """Return the conversations whose code the end of the program would stop."""
        return [one for one in self._sessions.open_sessions if one.state in _CUT]

    def _goes_on(self, session: Session) -> bool:
        """Return whether the code of a conversation can go on without this program."""
        is_running = session.state in ("running", "paused", "awaiting_input")
        is_far = is_elsewhere(session.kernel.interpreter)
        return self._sessions.far_side is not None and is_running and is_far

    def _ask_for_code_elsewhere(self, cut: Sequence[Session]) -> None:
        """Ask whether code on other machines runs on; nothing of it needs this computer."""
        if self._window.isHidden() or self._window.isMinimized():
            self._raise_window()
        box = self._make_box(tr("Close Playhead"))
        if box is None:
            return
        machines = list(dict.fromkeys(machine_of(one.kernel.interpreter) for one in cut))
        box.setText(
            tr("Code is running on {machine}.", machine=machines[0])
            if len(machines) == 1
            else tr_n("Code is running on %n other machines.", len(machines))
        )
        box.setInformativeText(
            tr("It can run on without Playhead. The next run there shows what it has printed.")
        )
        leave = box.addButton(tr("Let it run"), QMessageBox.ButtonRole.AcceptRole)
        leave.clicked.connect(lambda: self._tasks.start(self._leave(cut)))
        box.setDefaultButton(leave)
        stop = _add_danger(box, tr("Stop it and close"))
        stop.clicked.connect(self.quit_requested)
        _open(box)

    async def _leave(self, cut: Sequence[Session]) -> None:
        far_side = self._sessions.far_side
        if far_side is not None:
            for session in cut:
                await far_side.leave(session.conversation.id)
        self.quit_requested.emit()

    def _ask_for_code(self, cut: Sequence[Session], *, is_log_out: bool = False) -> None:
        if self._window.isHidden() or self._window.isMinimized() or is_log_out:
            self._raise_window()
        box = self._make_box(tr("Log out") if is_log_out else tr("Close Playhead"))
        if box is None:
            return
        box.setText(_code_words(cut))
        if is_log_out:
            told = tr(
                "The log-out was cancelled. Stop the code and log out again, or let it go on."
            )
        else:
            told = tr(
                "With the window hidden it goes on; start Playhead again to see the window. "
                "Stopped code is cut off, and its variables are lost."
            )
            hide = box.addButton(tr("Hide window and go on"), QMessageBox.ButtonRole.AcceptRole)
            hide.clicked.connect(self._window.hide)
            box.setDefaultButton(hide)
        box.setInformativeText(told)
        stop = _add_danger(box, tr("Stop and close"))
        stop.clicked.connect(self.quit_requested)
        _open(box)

    def _ask_for_always(self) -> None:
        box = self._make_box(tr("Close Playhead"))
        if box is None:
            return
        box.setText(tr("Keep Playhead running when its window is closed?"))
        box.setInformativeText(
            tr(
                "Runs go on, and the icon in the tray brings the window back. "
                "You are asked once; the settings can change it."
            )
        )
        keep = box.addButton(tr("Keep running"), QMessageBox.ButtonRole.AcceptRole)
        end = box.addButton(tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(keep)
        keep.clicked.connect(lambda: self._tasks.start(self._remember("yes")))
        end.clicked.connect(lambda: self._tasks.start(self._remember("no")))
        _open(box)

    async def _remember(self, wanted: Literal["yes", "no"]) -> None:
        current = self._settings.current
        await self._settings.save(replace(current, close_keeps_running=wanted))
        await asyncio.sleep(0)  # the question is gone before the window is
        if wanted == "yes":
            self._window.hide()
        else:
            self.quit()

    def _make_box(self, name: str) -> QMessageBox | None:
        """Return a new question; None if one is open, which is brought to the front."""
        if self._box is not None:
            self._box.raise_()
            return None
        box = self._box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(name)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.finished.connect(self._on_finished)
        return box

    def _on_finished(self) -> None:
        self._box = None


def _open(box: QMessageBox) -> None:
    box.addButton(QMessageBox.StandardButton.Cancel).setIcon(QIcon())
    box.open()


def _add_danger(box: QMessageBox, verb: str) -> QPushButton:
    button = box.addButton(verb, QMessageBox.ButtonRole.DestructiveRole)
    button.setProperty("kind", "danger")
    button.style().polish(button)  # the box has styled it already
    return button


def _code_words(cut: Sequence[Session]) -> str:
    """Return what the end of the program would stop, in one sentence."""
    title = " ".join((cut[0].conversation.title or tr(UNTITLED)).split())
    title = title if len(title) <= _MOST_TITLE else f"{title[:_MOST_TITLE]}…"
    if len(cut) == 1:
        return tr(_CUT[cut[0].state], title=title)
    return tr_n("Code runs or waits in %n conversations.", len(cut))
