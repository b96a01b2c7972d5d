"""Asks whether a key may take another way to its provider than the one that was confirmed."""

from __future__ import annotations

import asyncio
import contextlib
import re
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.key_route import RouteAnswer, RoutePart, RouteQuestion
from playhead.domain.text.terminal import visible
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XXL
from playhead.ui.widgets.wording import mark, tr

ARMING_MS = 300
"""The dialog takes no answer for this time: a click or key on its way was not meant for it."""
_WIDTH_PX, _LEAST_PX, _FRAME_PX = 560, 300, 60
_BELOW_PX = 2 * GAP_XXL + GAP_L + 60
"""The room around the words, with that of the buttons."""
_LONGEST = 600
_BREAKS = re.compile(r"([/.:@?&=,_-]|[^/.:@?&=,_\s-]{16})")
_PARTS: dict[RoutePart, str] = {
    "address": mark("Address"),
    "proxy": mark("Proxy"),
    "certificates": mark("File of certificates"),
    "parameters": mark("Extra parameters"),
}
_NONE: dict[RoutePart, str] = {
    "address": mark("The provider's own"),
    "proxy": mark("As the system says"),
    "certificates": mark("The system's certificates"),
    "parameters": mark("None"),
}


class KeyRouteDialog(QDialog):
    """Shows the old way and the new one; `answer` is what was chosen. Call `open()`."""

    def __init__(
        self, question: RouteQuestion, parent: QWidget | None = None, arming_ms: int = ARMING_MS
    ) -> None:
        super().__init__(parent)
        self.answer: RouteAnswer = "later"
        self.setWindowTitle(tr("The way of a key"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.new_button = self._button(tr("Use the new way"), "new")
        self.old_button = self._button(tr("Keep the old"), "old")
        self.remove_button = self._button(tr("Remove key"), "remove")
        self.remove_button.setProperty("kind", "danger")
        self._buttons = QWidget(self)
        row = FlowLayout(self._buttons, spacing_px=8)
        buttons = [self.remove_button, self.old_button, self.new_button]
        if question.source not in ("keyring", "session"):  # it is not ours to remove
            buttons.pop(0).hide()
        for button in buttons:
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_XXL)
        layout.setSpacing(GAP_L)
        layout.addWidget(self._make_words(question), 1)
        layout.addWidget(self._buttons)
        self.setMinimumSize(_LEAST_PX, _LEAST_PX)
        self._take_room()
        for first, then in pairwise(buttons):
            self.setTabOrder(first, then)
        self._buttons.setEnabled(False)
        arming = QTimer(self)
        arming.setSingleShot(True)
        arming.setTimerType(Qt.TimerType.PreciseTimer)
        arming.timeout.connect(self._arm)
        arming.start(arming_ms)

    @property
    def is_armed(self) -> bool:
        """Return whether an answer is accepted yet."""
        return self._buttons.isEnabled()

    def _arm(self) -> None:
        self._buttons.setEnabled(True)
        self.old_button.setFocus()

    def _take_room(self) -> None:
        """Set a size that shows all of the question, if the screen has room for it."""
        room = self.screen().availableSize()
        width = min(_WIDTH_PX, room.width() - _FRAME_PX)
        height = self._page.heightForWidth(width - 2 * GAP_XXL) + _BELOW_PX
        self.resize(width, min(height, room.height() - _FRAME_PX))

    def _button(self, text: str, answer: RouteAnswer) -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(answer == "old")
        button.clicked.connect(lambda: self._choose(answer))
        return button

    def _choose(self, answer: RouteAnswer) -> None:
        self.answer = answer
        self.accept()

    def _make_words(self, question: RouteQuestion) -> QWidget:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = page = QWidget(area)
        area.setWidget(page)
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, GAP_M, 0)
        grid.setHorizontalSpacing(GAP_L)
        grid.setVerticalSpacing(GAP_M)
        grid.setColumnStretch(1, 1)
        grid.addWidget(_label(_title(question), "title"), 0, 0, 1, 2)
        grid.addWidget(_label(_words(question), ""), 1, 0, 1, 2)
        for part, old, new in question.changes:
            line = grid.rowCount()
            grid.addWidget(_label(tr(_PARTS[part]), "strong"), line, 0, 1, 2)
            for place, (name, text) in enumerate(((tr("So far"), old), (tr("Now"), new)), 1):
                when = _label(name, "mute")
                when.setWordWrap(False)
                grid.addWidget(when, line + place, 0, Qt.AlignmentFlag.AlignTop)
                value = _label(_shown(text) or tr(_NONE[part]), "")
                value.setAccessibleName(f"{tr(_PARTS[part])} {name} {text or tr(_NONE[part])}")
                grid.addWidget(value, line + place, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        return area


def _title(question: RouteQuestion) -> str:
    return tr("The key “{name}” would go another way", name=question.key)


def _words(question: RouteQuestion) -> str:
    where = {
        "environment": tr("It is read from {variable}.", variable=question.variable),
        "keyring": tr("It is kept in the system's keyring."),
        "session": tr("It is kept in memory."),
        "none": tr("It came with the request."),
    }[question.source]
    changed = tr(
        "The settings name another way than before, and it was not set in this window: you or a "
        "program may have written their file. Nothing was sent yet."
    )
    return f"{changed} {where}"


def _shown(text: str) -> str:
    """Return a text that can be broken into lines, with nothing in it that hides."""
    return _BREAKS.sub("\\1\u200b", visible(text[:_LONGEST]))


def _label(text: str, kind: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("kind", kind)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(1)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return label


async def ask_route(
    question: RouteQuestion, parent: QWidget, arming_ms: int = ARMING_MS
) -> RouteAnswer:
    """Show the question and return the answer; a cancellation closes it."""
    above = QApplication.activeModalWidget()  # such as the settings, where a check asks
    dialog = KeyRouteDialog(question, above or parent, arming_ms)
    answered: asyncio.Future[RouteAnswer] = asyncio.get_running_loop().create_future()

    def settle() -> None:
        if not answered.done():
            answered.set_result(dialog.answer)

    dialog.finished.connect(settle)
    dialog.destroyed.connect(settle)  # with what it was above
    dialog.open()
    try:
        return await answered
    except asyncio.CancelledError:
        with contextlib.suppress(RuntimeError):  # it went with its window
            dialog.reject()
        raise
