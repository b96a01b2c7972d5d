"""The yardstick: an empty main window with a text field, measured as the program is."""

from __future__ import annotations

import sys

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

from tests.benchmarks.report import report


class FirstPaint(QObject):
    """Reports the first paint, then types a character and reports when it stands there."""

    def __init__(self, field: QPlainTextEdit) -> None:
        super().__init__(field)
        self._field = field
        self._commands: QObject | None = None
        self._is_painted = False
        field.textChanged.connect(self._typed)
        field.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the paint events of the field."""
        if event.type() == QEvent.Type.Paint and not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self._painted)  # as the program does: when it is on the screen
        return super().eventFilter(watched, event)

    def _painted(self) -> None:
        report("first_paint")
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, Qt.KeyboardModifier.NoModifier, "x")
        QApplication.postEvent(self._field, key)

    def _typed(self) -> None:
        report("usable")
        from tests.benchmarks.probe import Commands  # with asyncio, which no bare window needs

        self._commands = Commands({}, self)


def main() -> int:
    """Show it until told to quit."""
    application = QApplication(sys.argv)
    window = QMainWindow()
    window.resize(1180, 760)
    field = QPlainTextEdit(window)
    window.setCentralWidget(field)
    FirstPaint(field)
    window.show()
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
