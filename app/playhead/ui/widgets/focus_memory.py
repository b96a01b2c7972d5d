"""The keyboard focus: the widget that had it before, and the keys that type text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent


class FocusMemory:
    """Remembers which widget had the keyboard. Owner: what takes it for a time."""

    def __init__(self) -> None:
        self._before: QWidget | None = None

    def keep(self, owner: QWidget) -> None:
        """Remember what has the keyboard in the window of `owner`, unless it is in `owner`."""
        focused = owner.window().focusWidget()
        if focused is not None and focused is not owner and not owner.isAncestorOf(focused):
            self._before = focused

    def give_back(self, otherwise: QWidget | None = None) -> None:
        """Give the keyboard back, or to `otherwise` where that widget cannot be seen any more."""
        before, self._before = self._before, None
        if before is None or not isValid(before) or not before.isVisible():
            before = otherwise
        if before is not None:
            # It may be the editor's inner widget: its binding has a setFocus of its own, which
            # takes a bool, and evaluates names that are not there when it gets a reason.
            QWidget.setFocus(before, Qt.FocusReason.OtherFocusReason)


def is_text(event: QKeyEvent) -> bool:
    """Return whether a key types a character that can be seen."""
    held = event.modifiers() & ~(
        Qt.KeyboardModifier.ShiftModifier
        | Qt.KeyboardModifier.KeypadModifier
        | Qt.KeyboardModifier.GroupSwitchModifier
    )
    return not held and bool(event.text().strip()) and event.text().isprintable()
