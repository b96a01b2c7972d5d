"""Message boxes that ask before something that cannot be undone, without blocking the program."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from playhead.ui.widgets.wording import tr, tr_n


def confirm(
    parent: QWidget,
    name: str,
    question: str,
    details: str,
    verb: str,
    then: Callable[[], object],
    *,
    is_danger: bool = True,
    other: tuple[str, Callable[[], object]] | None = None,
) -> None:
    """Ask in a message box; call `then` when the button with the verb is chosen.

    Return cancels, unless there is no danger. `other` is a second button and what it does.
    """
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(name)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(details)
    role = QMessageBox.ButtonRole
    button = box.addButton(verb, role.DestructiveRole if is_danger else role.AcceptRole)
    button.setProperty("kind", "danger" if is_danger else "primary")
    button.style().polish(button)  # the box has styled it already
    if other is not None:
        second = box.addButton(other[0], role.AcceptRole)
        second.clicked.connect(lambda: other[1]())
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    cancel.setIcon(QIcon())  # some desktops put a red cross on it
    box.setDefaultButton(cancel if is_danger else button)
    button.clicked.connect(lambda: then())
    box.open()


def confirm_unsaved(window: QWidget, count: int, then: Callable[[], object]) -> None:
    """Ask whether unsaved changes may be lost; call `then` if so."""
    confirm(
        window,
        tr("Not saved yet"),
        tr_n(
            "%n changes of your conversations are not saved: the disk does not take them.",
            count,
            one="A change of your conversations is not saved: the disk does not take it.",
        ),
        tr(
            "Make room on the disk, or see that its folder can be written to. Playhead saves by "
            "itself as soon as it can; then close it again."
        ),
        tr("Close and lose them"),
        then,
    )
