"""The settings' page for which Python runs code, above the limits of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from playhead.domain.execution import EnvironmentStatus, Interpreter
from playhead.domain.settings import AppSettings
from playhead.ui.settings.form_rows import Note, add_row, form_grid
from playhead.ui.wording import mark, tr

MANAGED_LABEL = mark("Playhead's own environment (default)")


class InterpreterSection(QWidget):
    """Owner: the dialog. Signal: `browse_requested()`."""

    browse_requested = Signal()

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.interpreter = QComboBox()
        self.interpreter.setAccessibleName(tr("Interpreter"))
        self.interpreter.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.interpreter.setMinimumContentsLength(12)
        self.browse = QPushButton(tr("Choose…"))
        self.browse.setAutoDefault(False)
        self.browse.setAccessibleName(tr("Choose an interpreter"))
        self.environment_note = Note()
        grid = form_grid(self)
        rows = ([self.interpreter, self.browse], [self.environment_note])
        add_row(grid, tr("Interpreter"), rows)
        self.browse.clicked.connect(self.browse_requested)
        self.show_interpreters([], settings.interpreter)

    @property
    def chosen(self) -> str:
        """The path of the interpreter; '' for Playhead's own."""
        return self.interpreter.currentData() or ""

    def values(self, before: AppSettings) -> AppSettings:
        """The settings as the fields have them."""
        return replace(before, interpreter=self.chosen)

    def show_interpreters(self, found: Sequence[Interpreter], chosen: str) -> None:
        """Offer interpreters; the chosen one is kept even if it was not found."""
        self.interpreter.clear()
        self.interpreter.addItem(tr(MANAGED_LABEL), "")
        for one in found:
            if one.kind != "managed":
                self.interpreter.addItem(f"{one.label} · {one.path}", one.path)
        if chosen and self.interpreter.findData(chosen) < 0:
            self.interpreter.addItem(chosen, chosen)
        self.interpreter.setCurrentIndex(max(0, self.interpreter.findData(chosen)))

    def show_environment(self, status: EnvironmentStatus) -> None:
        """Say how the managed environment stands, if there is something to say."""
        self.environment_note.say(status.message)
