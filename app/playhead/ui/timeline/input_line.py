"""The field in which a running program's question is answered."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

INPUT_HEIGHT = 34


class InputLine(QWidget):
    """A line and a button; a secret is masked. `answered(text)` comes once. Owner: the view."""

    answered = Signal(str)

    def __init__(self, prompt: str, is_secret: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setAccessibleName(prompt or "Input for the running code")
        if is_secret:
            self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self._button = QPushButton("Enter", self)
        self._button.setProperty("kind", "primary")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.field, 1)
        layout.addWidget(self._button)
        self.field.returnPressed.connect(self._on_entered)
        self._button.clicked.connect(self._on_entered)

    def _on_entered(self) -> None:
        if not self.isEnabled():
            return
        self.setEnabled(False)
        self.answered.emit(self.field.text())
