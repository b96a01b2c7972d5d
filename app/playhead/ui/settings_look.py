"""The settings' page for how the window looks."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QWidget

from playhead.conversation.requests import SCALES_PERCENT, AppSettings
from playhead.ui.form_rows import Note, add_row, form_grid
from playhead.ui.wording import mark, tr

_THEMES = (
    ("system", mark("Like the system")),
    ("light", mark("Light")),
    ("dark", mark("Dark")),
)


class LookPage(QWidget):
    """Theme and size. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = QComboBox()
        self.theme.setAccessibleName(tr("Theme"))
        for mode, label in _THEMES:
            self.theme.addItem(tr(label), mode)
        self.scale = QComboBox()
        self.scale.setAccessibleName(tr("Size of everything"))
        for percent in SCALES_PERCENT:
            self.scale.addItem(f"{percent} %", percent)
        self.scale_note = Note()
        grid = form_grid(self)
        add_row(grid, tr("Theme"), ([self.theme],))
        add_row(grid, tr("Size of everything"), ([self.scale], [self.scale_note]))
        self.theme.setCurrentIndex(max(0, self.theme.findData(settings.theme)))
        self.scale.setCurrentIndex(max(0, self.scale.findData(settings.scale_percent)))
        self.scale_note.say(tr("Another size is there from the next start of Playhead on."))

    def values(self, before: AppSettings) -> AppSettings:
        """The settings as the fields have them."""
        return replace(
            before, theme=self.theme.currentData(), scale_percent=self.scale.currentData()
        )
