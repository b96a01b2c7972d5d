"""A probe in the real window: types, sends and clicks as a user does, and says what happened."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from playhead.ui.composer.composer import Composer
from playhead.ui.shell.main_window import MainWindow
from tests.benchmarks.probe import Commands
from tests.benchmarks.report import report

if TYPE_CHECKING:
    from playhead.ui.shell.window_layout import WindowLayout
    from playhead.ui.timeline.view import TimelineView

SCINTILLA = "playhead.ui.editor.code.scintilla_editor"


class WindowProbe(QObject):
    """Types into the composer as a keyboard does, and says when the turn is over."""

    def __init__(self) -> None:
        super().__init__()
        self._composer: Composer | None = None
        self._timeline: TimelineView | None = None
        self._is_typed = self._is_running = self._awaits_word = False
        self._earlier, self._sent_at = 0, 0.0
        commands = {
            "send": self._send,
            "run": self._run,
            "memory": self._memory,
            "quit": self._quit,
            "clear": self._clear,
            "halt": self._halt,
            "minimize": self._minimize,
        }
        self._commands = Commands(commands, self)
        self._watch = QTimer(self)
        self._watch.timeout.connect(self._look_for_use)
        self._watch.start(1)  # 0 would turn the loop round while the program waits

    @property
    def composer(self) -> Composer:
        """The window's composer, which is there before the first paint."""
        if self._composer is None:
            self._composer = self.parts.composer
        return self._composer

    @property
    def parts(self) -> WindowLayout:
        """The parts of the window.

        Going through all widgets instead would have the bindings make the classes of all kinds of
        them, and measure that as the program's: 2 MB.
        """
        tops = QApplication.topLevelWidgets()
        return next(one.parts for one in tops if isinstance(one, MainWindow))

    def _look_for_use(self) -> None:
        if not self._is_typed:
            self._is_typed = True
            self._type("x", Qt.Key.Key_X)
        if SCINTILLA not in sys.modules or self.composer.text != "x":
            return
        if type(self.parts.pane.editor.widget).__module__ == SCINTILLA:  # and no stand-in for it
            report("usable")
            self._watch.stop()  # a tick would be measured as if it were the window's
            self.composer.send_button.installEventFilter(self)

    def _look_for_end(self) -> None:
        is_running = self.composer.send_button.text() == "Stop"
        if self._is_running and not is_running:
            report("turn_over")
        self._is_running = is_running

    def _type(self, text: str, key: Qt.Key) -> None:
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, text)
        QApplication.postEvent(self.composer.text_edit, event)

    def _clear(self, _: str) -> None:
        self.composer.clear()
        report("clear")

    def _minimize(self, _: str) -> None:
        """Have nothing drawn any more."""
        self.composer.window().showMinimized()
        report("minimize")

    def _halt(self, _: str) -> None:
        """Click on Stop."""
        report("halt")
        self.composer.send_button.click()

    def _send(self, text: str) -> None:
        self._earlier = self._answers()
        self.composer.set_text(text)
        self._type("\r", Qt.Key.Key_Return)
        self._sent_at = time.monotonic()
        self._watch_for_word()

    def _watch_for_word(self) -> None:
        """Report the first frame that shows something of the answer to come."""
        if self._timeline is None:
            if not self.parts.has_timeline:  # what was sent needs one
                QTimer.singleShot(0, self, self._watch_for_word)
                return
            self._timeline = self.parts.timeline
            self._timeline.viewport().installEventFilter(self)
        self._awaits_word = True

    def _answers(self) -> int:
        """How many messages of the model's have text."""
        conversation = self._timeline.conversation if self._timeline is not None else None
        messages = conversation.messages if conversation is not None else ()
        return sum(one.role == "assistant" and bool(one.text) for one in messages)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at each frame of the timeline, and at each change of the button."""
        if event.type() == QEvent.Type.ToolTipChange:
            self._look_for_end()
        is_frame = self._awaits_word and event.type() == QEvent.Type.Paint
        if is_frame and self._answers() > self._earlier:
            self._awaits_word = False
            report("first_word", seconds=time.monotonic() - self._sent_at)
        return False

    def _run(self, code: str) -> None:
        """Send code, as in Direct mode, and approve it as soon as the window lets anybody."""
        bar = self.parts.approval
        approving = QTimer(self)

        def approve() -> None:
            if bar.is_armed:
                approving.deleteLater()
                report("approved")
                bar.run_action.trigger()

        approving.timeout.connect(approve)
        approving.start(2)
        self._send(code)

    def _memory(self, _: str) -> None:
        """The resident memory in MB: now, and at most since this was asked the last time."""
        lines = dict(
            line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines()
        )
        now, most = (int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        Path("/proc/self/clear_refs").write_text("5")
        report("memory", now_mb=now, most_mb=most)

    def _quit(self, _: str) -> None:
        self._watch.stop()
        self.composer.window().close()
