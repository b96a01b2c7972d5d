"""Asks before what was typed is lost: on closing, and where a file changed on the disk."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from playhead.ui.wording import tr


def ask_unsaved(
    parent: QWidget, name: str, save: Callable[[], object], close: Callable[[], object]
) -> None:
    """Save, close without, or stay."""
    box = _box(
        parent,
        tr("Close the tab"),
        tr("“{name}” is not saved.", name=name),
        tr("Closing it loses what you typed."),
    )
    saving = box.addButton(tr("Save"), QMessageBox.ButtonRole.AcceptRole)
    saving.setProperty("kind", "primary")
    closing = box.addButton(tr("Close without saving"), QMessageBox.ButtonRole.DestructiveRole)
    closing.setProperty("kind", "danger")
    _add_cancel(box)
    box.setDefaultButton(saving)
    saving.clicked.connect(lambda: save())
    closing.clicked.connect(lambda: close())
    box.open()


def ask_overwrite(parent: QWidget, name: str, overwrite: Callable[[], object]) -> None:
    """Write over what another program wrote, or not."""
    box = _box(
        parent,
        tr("Save"),
        tr("Another program has changed “{name}” since it was opened.", name=name),
        tr("Saving replaces what that program wrote."),
    )
    button = box.addButton(tr("Replace it"), QMessageBox.ButtonRole.DestructiveRole)
    button.setProperty("kind", "danger")
    box.setDefaultButton(_add_cancel(box))
    button.clicked.connect(lambda: overwrite())
    box.open()


def _box(parent: QWidget, title: str, question: str, details: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(details)
    return box


def _add_cancel(box: QMessageBox) -> QMessageBox.StandardButton:
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    cancel.setIcon(QIcon())  # some desktops put a red cross on it
    return QMessageBox.StandardButton.Cancel
