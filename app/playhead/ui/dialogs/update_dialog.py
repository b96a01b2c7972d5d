"""A dialog that says where to find a newer version; it uses no network."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from playhead import __version__
from playhead.ui.widgets.theme import GAP_L, GAP_XXL
from playhead.ui.widgets.wording import mark, tr

_WIDTH_PX = 420
_PACKAGE = mark(
    "It came from a package of the system. Get the newer package where you got this one and "
    "install it over this one: sudo apt install ./playhead_….deb"
)
_ARCHIVE = mark(
    "It is the packaged program. Get the newer one where you got this one and install it over "
    "this one."
)
_PIPX = mark("It was installed by pipx. In a terminal: pipx upgrade playhead")
_PIP = mark("It was installed by pip. In a terminal: {python} -m pip install --upgrade playhead")
_SOURCE = mark("It runs from its sources in {folder}. Get the newer ones there: git pull")


class UpdateDialog(QDialog):
    """Shows how to update; call `open()`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Check for updates"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(tr("This is Playhead {version}", version=__version__), self)
        title.setProperty("kind", "title")
        self.words = QLabel(update_text(), self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setMinimumWidth(_WIDTH_PX)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.close_button = QPushButton(tr("Close"), self)
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_XXL)
        layout.setSpacing(GAP_L)
        for widget in (title, self.words):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.close_button.setFocus()


def update_text() -> str:
    """Return how to update this installation, and what remains unchanged."""
    kept = tr(
        "Your conversations, settings and keys stay where they are: before a newer version changes "
        "their form it makes a copy. The Changelog of the newer version says what is new."
    )
    asked = tr("Playhead asks nobody by itself, and did not do so now.")
    return "\n\n".join([_way(), kept, asked])


def _way() -> str:
    if getattr(sys, "frozen", False):
        is_package = sys.platform == "linux" and sys.executable.startswith(("/usr/", "/opt/"))
        return tr(_PACKAGE) if is_package else tr(_ARCHIVE)
    package = Path(__file__).resolve().parents[2]
    if "site-packages" in package.parts:
        if "pipx" in Path(sys.prefix).parts:
            return tr(_PIPX)
        return tr(_PIP, python=sys.executable)
    return tr(_SOURCE, folder=package.parents[1])
