"""The queued messages, above the field for the next one."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.wording import tr, tr_n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playhead.session.message_queue import QueuedMessage
    from playhead.ui.widgets.theme import Theme

_SHOWN_ROWS = 4
_SHARE_OF_WINDOW = 0.12
_ROW_PX = 28


class QueueRow(QWidget):
    """One message. Signals: `edit_clicked()`, `remove_clicked()`."""

    edit_clicked = Signal()
    remove_clicked = Signal()

    def __init__(self, message: QueuedMessage, is_edited: bool, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self.message = message
        words = words_of(message)
        label = ElidedLabel(tr("being edited below") if is_edited else words, self)
        label.setToolTip(message.text[:2_000])
        if is_edited:
            label.setProperty("kind", "faint")
        icon = QLabel(self)
        icon.setPixmap(theme.pixmap("clock", "mute", 14, self.devicePixelRatioF()))
        self.edit = self._button("pencil", tr("Edit “{name}”", name=words[:60]), theme)
        self.edit.setEnabled(not is_edited)
        self.edit.clicked.connect(self.edit_clicked)
        self.remove = self._button("x", tr("Remove “{name}”", name=words[:60]), theme)
        self.remove.clicked.connect(self.remove_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(icon)
        layout.addWidget(label, 1)
        layout.addWidget(self.edit)
        layout.addWidget(self.remove)
        self.setFixedHeight(_ROW_PX)

    def _button(self, icon: str, name: str, theme: Theme) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(theme.icon(icon, "mute"))
        button.setIconSize(QSize(14, 14))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.setAccessibleName(name)
        button.setToolTip(name.partition(" ")[0])
        return button


class QueueRows(QWidget):
    """Shows the queued messages; hidden if there are none. Owner: the composer.

    Signals: `edit_requested(str id)`, `remove_requested(str id)`, `resume_requested()`, `left()`
    when the last row that had the keyboard focus was removed.
    """

    edit_requested = Signal(str)
    remove_requested = Signal(str)
    resume_requested = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[QueueRow] = []
        self._shown: tuple[tuple[QueuedMessage, ...], str] = ((), "")
        self.words = QLabel(self)
        self.words.setProperty("kind", "mute")
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.resume = QPushButton(tr("Send now"), self)
        self.resume.setProperty("kind", "chip")
        self.resume.setToolTip(tr("Send what waits, one after the other"))
        self.resume.clicked.connect(self.resume_requested)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addWidget(self.words, 1)
        head.addWidget(self.resume)
        self._column = layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(2)
        layout.addLayout(head)
        self.setAccessibleName(tr("Queued messages"))
        self.hide()

    @cached_property
    def _area(self) -> QScrollArea:
        """Return the place of the rows; it is made with the first one."""
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        self._column.addWidget(area)
        return area

    def show_queue(
        self, messages: Sequence[QueuedMessage], edited_id: str, *, is_held: bool
    ) -> None:
        """Show the queued messages, and why they wait."""
        count = len(messages)
        self.words.setText(_waiting_words(count, is_held=is_held))
        self.words.setToolTip(
            tr("The turn was stopped or failed: nothing is sent until you resume.")
            if is_held
            else ""
        )
        self.resume.setVisible(is_held)
        if (tuple(messages), edited_id) != self._shown:
            self._shown = (tuple(messages), edited_id)
            self._make_rows(messages, edited_id)
        self.setVisible(count > 0)

    def fit(self) -> None:
        """Set the height to a few rows, fewer in a low window; more are scrolled."""
        if not self.rows:
            return
        most = int(self.window().height() * _SHARE_OF_WINDOW / _ROW_PX)
        shown = min(len(self.rows), max(1, min(most, _SHOWN_ROWS)))
        if self._area.height() != shown * _ROW_PX:
            self._area.setFixedHeight(shown * _ROW_PX)

    def apply_theme(self) -> None:
        """Draw the icons in the colours of the current theme."""
        if self.rows:
            self._make_rows(*self._shown)

    def _make_rows(self, messages: Sequence[QueuedMessage], edited_id: str) -> None:
        place = self._focused_place()
        inner = QWidget()
        inner.setObjectName("queue")
        inner.setStyleSheet("#queue { background: transparent; }")
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.rows = []
        for message in messages:
            row = QueueRow(message, message.id == edited_id, self._theme, inner)
            row.edit_clicked.connect(lambda id_=message.id: self.edit_requested.emit(id_))
            row.remove_clicked.connect(lambda id_=message.id: self.remove_requested.emit(id_))
            column.addWidget(row)
            self.rows.append(row)
        column.addStretch(1)
        self._area.setWidget(inner)
        self._order_tabs()
        self.fit()
        if place >= 0 and self.rows:
            self.rows[min(place, len(self.rows) - 1)].remove.setFocus()
        elif place >= 0:
            self.left.emit()

    def _order_tabs(self) -> None:
        """Set the order of Tab: from row to row, then to the field."""
        before: QWidget = self.resume
        for row in self.rows:
            for button in (row.edit, row.remove):
                QWidget.setTabOrder(before, button)
                before = button

    def _focused_place(self) -> int:
        focused = self.window().focusWidget()
        if focused is None:
            return -1
        places = (n for n, row in enumerate(self.rows) if row.isAncestorOf(focused))
        return next(places, -1)


def words_of(message: QueuedMessage) -> str:
    """Return a message in one line."""
    text = " ".join(message.text[:1_000].split())
    if not message.attachments:
        return text
    names = ", ".join(one.name for one in message.attachments)
    return f"{text} · {names}" if text else names


def _waiting_words(count: int, *, is_held: bool) -> str:
    if is_held:
        one = "1 message waits until you resume"
        return tr_n("%n messages wait until you resume", count, one=one)
    one = "1 message waits for the end of this turn"
    return tr_n("%n messages wait for the end of this turn", count, one=one)
