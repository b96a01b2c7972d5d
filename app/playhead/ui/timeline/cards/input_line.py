"""The fields for answers and other input to a running program."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from playhead.ui.widgets.wording import tr

INPUT_HEIGHT = 34


def input_style(zoom: float) -> str:
    """Return the style rules of the fields below at a zoom."""
    if zoom == 1:
        return ""
    px, pad, side = (max(1, round(size * zoom)) for size in (13, 5, 8))
    return (
        f"QLineEdit {{ font-size: {px}px; padding: {pad}px {side}px; }}"
        f"QPushButton {{ font-size: {px}px; padding: {pad}px {round(12 * zoom)}px; }}"
    )


class InputLine(QWidget):
    """A line and a button; a secret is masked. Owner: the view.

    `answered(text)` is emitted once.
    """

    answered = Signal(str)

    def __init__(self, prompt: str, is_secret: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_answered = False
        self.field = QLineEdit(self)
        self.field.setAccessibleName(prompt or tr("Input for the running code"))
        if is_secret:
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self._button = QPushButton(tr("Enter"), self)
        self._button.setProperty("kind", "primary")
        _lay_out(self, self.field, self._button)
        self.field.returnPressed.connect(self._on_entered)
        self._button.clicked.connect(self._on_entered)

    def _on_entered(self) -> None:
        if not self._is_answered:
            self._is_answered = True  # it stays enabled: the keyboard leaves it when it goes
            self.answered.emit(self.field.text())


class SendLine(QWidget):
    """Lines for the programs that the code has started, and the end of their input.

    Signal: `sent(text, is_end)`; lines include their line break. Owner: the view.
    """

    sent = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(tr("Text for the program that the code has started"))
        self.field.setPlaceholderText(tr("A line for the program that runs…"))
        self.send_button = QPushButton(tr("Send"), self)
        self.end_button = QPushButton(tr("End of input"), self)
        self.end_button.setToolTip(tr("Tell the program that no more input comes (Ctrl+D)"))
        self.end_button.setProperty("kind", "quiet")
        _lay_out(self, self.field, self.send_button, self.end_button)
        self.field.returnPressed.connect(self._on_sent)
        self.send_button.clicked.connect(self._on_sent)
        self.end_button.clicked.connect(self._on_ended)

    def _on_sent(self) -> None:
        text = self.field.text()
        self.field.clear()
        self.field.setPlaceholderText(
            tr("Sent “{name}”. Another line…", name=text[:40]) if text else tr("Sent.")
        )
        self.sent.emit(f"{text}\n", False)

    def _on_ended(self) -> None:
        """Send the typed text without a line break and the end of input, as a terminal does."""
        text = self.field.text()
        self.field.clear()
        self.setEnabled(False)
        self.field.setPlaceholderText(tr("The input has ended."))
        self.sent.emit(text, True)


def _lay_out(owner: QWidget, field: QLineEdit, *buttons: QPushButton) -> None:
    layout = QHBoxLayout(owner)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    layout.addWidget(field, 1)
    for button in buttons:
        layout.addWidget(button)
