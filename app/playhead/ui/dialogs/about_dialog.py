"""The dialog about the program: the versions for a report, and the folders."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from importlib import metadata

from PySide6.QtCore import QSysInfo, Qt, qVersion
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from playhead import __version__
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XXL, Theme
from playhead.ui.widgets.wording import tr

_ICON_PX = 56
_PARTS = (
    ("PySide6", "PySide6-Essentials"),
    ("Scintilla", "pyside6-scintilla"),
    ("qasync", "qasync"),
    ("litellm", "litellm"),
    ("aiohttp", "aiohttp"),
    ("keyring", "keyring"),
)


def versions(places: Mapping[str, str]) -> str:
    """Return the lines of a report: the program, the system, the libraries and the folders."""
    lines = [
        f"Playhead {__version__}{tr(' (packaged)') if getattr(sys, 'frozen', False) else ''}",
        f"{QSysInfo.prettyProductName()} · {QSysInfo.currentCpuArchitecture()}",
        f"Python {platform.python_version()} · Qt {qVersion()} ({QGuiApplication.platformName()})",
        " · ".join(f"{name} {_version(package)}" for name, package in _PARTS),
    ]
    return "\n".join([*lines, *(f"{name}: {place}" for name, place in places.items())])


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # the packaged program keeps few of these
        return "(bundled)"


class AboutDialog(QDialog):
    """Shows the versions; call `open()`. `places` are the folders that a report should name."""

    def __init__(
        self, theme: Theme, picture: QPixmap, places: Mapping[str, str], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Playhead"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._report = versions(places)
        icon = QLabel(self)
        if not picture.isNull():
            smooth = Qt.TransformationMode.SmoothTransformation
            icon.setPixmap(picture.scaledToWidth(_ICON_PX, smooth))
        name = QLabel("Playhead", self)
        name.setProperty("kind", "hero")
        words = QLabel(tr("Code that you can watch, on your own files.\nMIT licence."), self)
        words.setProperty("kind", "start")
        report = QLabel(self._report, self)
        report.setProperty("kind", "mute")
        report.setTextFormat(Qt.TextFormat.PlainText)
        report.setWordWrap(True)
        report.setMinimumWidth(440)
        report.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        report.setAccessibleName(tr("Versions"))
        self.copy_button = QPushButton(tr("Copy for a report"), self)
        theme.label_icon(self.copy_button, "copy")
        self.copy_button.clicked.connect(self._on_copy)
        close = QPushButton(tr("Close"), self)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_XXL)
        layout.setSpacing(GAP_M)
        for widget in (icon, name, words, report):
            layout.addWidget(widget)
        layout.addSpacing(GAP_L)
        layout.addLayout(buttons)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)
        self.copy_button.setText(tr("Copied"))
