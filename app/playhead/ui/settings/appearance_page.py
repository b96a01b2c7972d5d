"""The settings page for theme, type, scale, desktop notifications and the tray."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from playhead.domain.settings import SCALES_PERCENT, ZOOMS_PERCENT, AppSettings
from playhead.ui.widgets.form import FormNote, add_row, form_grid
from playhead.ui.widgets.theme import MONO
from playhead.ui.widgets.wording import mark, tr

_THEMES = (
    ("system", mark("Like the system")),
    ("light", mark("Light")),
    ("dark", mark("Dark")),
)
_CONTRASTS = (
    ("system", mark("Like the system")),
    ("normal", mark("Normal")),
    ("high", mark("High")),
)
_SIZES_PX = range(8, 33)


class AppearancePage(QWidget):
    """Fields for theme and size. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = _choice(tr("Theme"), [(tr(label), mode) for mode, label in _THEMES])
        self.contrast = _choice(tr("Contrast"), [(tr(label), one) for one, label in _CONTRASTS])
        self.zoom = _choice(tr("Text and pictures"), [(f"{one} %", one) for one in ZOOMS_PERCENT])
        self.zoom_note = FormNote()
        self.text_px = _pixels(tr("Size of text"), settings.text_px)
        self.code_font = _choice(tr("Font of code"), _code_fonts())
        self.code_px = _pixels(tr("Size of code in the editor"), settings.code_px)
        self.scale = _choice(tr("The whole window"), [(f"{one} %", one) for one in SCALES_PERCENT])
        self.scale_note = FormNote()
        self.notifies = QCheckBox(tr("Tell me when a long run ends or something waits for me"))
        self.notifies_note = FormNote()
        self.notifies_aloud = QCheckBox(tr("With the system's sound"))
        self.keeps_running = QCheckBox(tr("Keep running in the tray when the window is closed"))
        grid = form_grid(self)
        add_row(grid, tr("Theme"), ([self.theme],))
        add_row(grid, tr("Contrast"), ([self.contrast],))
        add_row(grid, tr("Text and pictures"), ([self.zoom], [self.zoom_note]))
        add_row(grid, tr("Size of text"), ([self.text_px],))
        add_row(grid, tr("Code"), ([self.code_font, self.code_px],))
        add_row(grid, tr("The whole window"), ([self.scale], [self.scale_note]))
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
        self.contrast.setCurrentIndex(max(0, self.contrast.findData(settings.contrast)))
        self.zoom.setCurrentIndex(max(0, self.zoom.findData(settings.zoom_percent)))
        self.zoom_note.show_text(tr("In conversation and editor; also by Ctrl++ and Ctrl+-."))
        if settings.code_font and self.code_font.findData(settings.code_font) < 0:
            self.code_font.addItem(settings.code_font, settings.code_font)
        self.code_font.setCurrentIndex(max(0, self.code_font.findData(settings.code_font)))
        self.scale.setCurrentIndex(max(0, self.scale.findData(settings.scale_percent)))
        self.scale_note.show_text(
            tr("Menus and buttons too; takes effect at the next start of Playhead.")
        )

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields."""
        return replace(
            before,
            theme=self.theme.currentData(),
            contrast=self.contrast.currentData(),
            zoom_percent=self.zoom.currentData(),
            text_px=self.text_px.currentData(),
            code_font=self.code_font.currentData(),
            code_px=self.code_px.currentData(),
            scale_percent=self.scale.currentData(),
            notifies=self.notifies.isChecked(),
            notifies_aloud=self.notifies_aloud.isChecked(),
            close_keeps_running=self._closing(before.close_keeps_running),
        )

    def _closing(self, before: Literal["", "yes", "no"]) -> Literal["", "yes", "no"]:
        """Return the answer; a box that was left as it is leaves the question open."""
        is_on = self.keeps_running.isChecked()
        return before if is_on == (before == "yes") else "yes" if is_on else "no"


def _choice(name: str, options: Iterable[tuple[str, object]]) -> QComboBox:
    box = QComboBox()
    box.setAccessibleName(name)
    for label, value in options:
        box.addItem(label, value)
    return box


def _pixels(name: str, value: int) -> QComboBox:
    box = _choice(name, [(f"{px} px", px) for px in _SIZES_PX])
    box.setCurrentIndex(box.findData(value))
    return box


def _code_fonts() -> list[tuple[str, str]]:
    """Return the shipped font and all fonts of the system whose letters have one width."""
    families = QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
    fixed = [one for one in families if one != MONO and QFontDatabase.isFixedPitch(one)]
    return [(MONO, ""), *((one, one) for one in fixed)]
