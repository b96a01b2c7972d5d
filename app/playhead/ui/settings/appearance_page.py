"""The settings page for theme, scale, desktop notifications and the tray."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from playhead.domain.settings import SCALES_PERCENT, AppSettings
from playhead.ui.widgets.form import FormNote, add_row, form_grid
from playhead.ui.widgets.wording import mark, tr

_THEMES = (
    ("system", mark("Like the system")),
    ("light", mark("Light")),
    ("dark", mark("Dark")),
)


class AppearancePage(QWidget):
    """Fields for theme and size. Owner: the dialog."""

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
        self.scale_note = FormNote()
        self.notifies = QCheckBox(tr("Tell me when a long run ends or something waits for me"))
        self.notifies_note = FormNote()
        self.notifies_aloud = QCheckBox(tr("With the system's sound"))
        self.keeps_running = QCheckBox(tr("Keep running in the tray when the window is closed"))
        grid = form_grid(self)
        add_row(grid, tr("Theme"), ([self.theme],))
        add_row(grid, tr("Size of everything"), ([self.scale], [self.scale_note]))
        add_row(grid, tr("Desktop"), ([self.notifies], [self.notifies_note], [self.notifies_aloud]))
        add_row(grid, "", ([self.keeps_running],))
        self.notifies.setChecked(settings.notifies)
        self.notifies_aloud.setChecked(settings.notifies_aloud)
        self.notifies_aloud.setEnabled(settings.notifies)
        self.notifies.toggled.connect(self.notifies_aloud.setEnabled)
        self.notifies_note.show_text(
            tr("While the window is not in front; title and state, no more.")
        )
        self.keeps_running.setChecked(settings.close_keeps_running == "yes")
        self.theme.setCurrentIndex(max(0, self.theme.findData(settings.theme)))
        self.scale.setCurrentIndex(max(0, self.scale.findData(settings.scale_percent)))
        self.scale_note.show_text(tr("Another size takes effect at the next start of Playhead."))

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields."""
        return replace(
            before,
            theme=self.theme.currentData(),
            scale_percent=self.scale.currentData(),
            notifies=self.notifies.isChecked(),
            notifies_aloud=self.notifies_aloud.isChecked(),
            close_keeps_running=self._closing(before.close_keeps_running),
        )

    def _closing(self, before: Literal["", "yes", "no"]) -> Literal["", "yes", "no"]:
        """Return the answer; a box that was left as it is leaves the question open."""
        is_on = self.keeps_running.isChecked()
        return before if is_on == (before == "yes") else "yes" if is_on else "no"
