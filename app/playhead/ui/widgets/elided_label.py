"""A line of text, and a button with one, that are elided if there is too little room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

_LEAST_PX = 24


class ElidedLabel(QLabel):
    """An elided label; `text()` remains whole, so that assistive technology reads all of it."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        """Return the room for an ellipsis."""
        return QSize(_LEAST_PX, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text that fits."""
        painter = QPainter(self)
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)


class ElidedButton(QPushButton):
    """A button whose text is elided in the middle; `text()` remains whole."""

    def minimumSizeHint(self) -> QSize:
        """Return the room for an ellipsis."""
        return QSize(2 * _LEAST_PX, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """Return the text that fits."""
        text, metrics = self.text(), self.fontMetrics()
        missing = self.sizeHint().width() - self.width()
        if missing <= 0:  # an advance in whole pixels may be less than the text is wide
            return text
        room = metrics.horizontalAdvance(text) - missing
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text that fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.shown_text()
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)
