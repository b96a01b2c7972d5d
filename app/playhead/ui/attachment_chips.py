"""The row of attachments above the composer's text."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from playhead.conversation.requests import Attachment
from playhead.ui.attachments import format_size, thumbnail
from playhead.ui.flow_layout import FlowLayout
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import Theme

_THUMBNAIL_PX = 20
_ICONS = {"file": "file", "image": "image", "folder": "folder"}


class AttachmentChip(QFrame):
    """One attachment with its remove button. Signal: `removed()`."""

    removed = Signal()

    def __init__(self, attachment: Attachment, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self.setProperty("kind", "chip")
        self.setToolTip(attachment.path)
        self.picture = QLabel(self)
        self.picture.setFixedSize(_THUMBNAIL_PX, _THUMBNAIL_PX)
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        icon = theme.icon(_ICONS[attachment.kind], "mute")
        self.picture.setPixmap(icon.pixmap(QSize(14, 14), self.devicePixelRatioF()))
        name = QLabel(self)
        name.setText(name.fontMetrics().elidedText(attachment.name, _middle(), 180))
        remove = QToolButton(self)
        remove.setIcon(theme.icon("x", "mute"))
        remove.setIconSize(QSize(12, 12))
        remove.setAccessibleName(f"Remove {attachment.name}")
        remove.setToolTip("Remove")
        remove.clicked.connect(self.removed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 2, 2)
        layout.setSpacing(6)
        for widget in (self.picture, name):
            layout.addWidget(widget)
        if attachment.size_bytes:
            size = QLabel(format_size(attachment.size_bytes), self)
            size.setProperty("kind", "faint")
            layout.addWidget(size)
        layout.addWidget(remove)

    async def load_picture(self) -> None:
        """Put the image's own picture in place of the icon."""
        ratio = self.devicePixelRatioF()
        side = round(_THUMBNAIL_PX * ratio)
        image = await asyncio.to_thread(thumbnail, self.attachment.path, side)
        if isValid(self.picture) and not image.isNull():  # it may have been removed meanwhile
            left, top = (image.width() - side) // 2, (image.height() - side) // 2
            pixmap = QPixmap.fromImage(image.copy(left, top, side, side))
            pixmap.setDevicePixelRatio(ratio)
            self.picture.setPixmap(pixmap)


class AttachmentChips(QWidget):
    """All attachments of the message that is being written. Signal: `changed()`."""

    changed = Signal()

    def __init__(self, theme: Theme, tasks: TaskOwner, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._chips: list[AttachmentChip] = []
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._row = FlowLayout(spacing_px=6)
        outer.addLayout(self._row)
        self.hide()

    @property
    def attachments(self) -> list[Attachment]:
        """What is attached, in order."""
        return [chip.attachment for chip in self._chips]

    def add(self, attachment: Attachment) -> None:
        """Attach; what is attached already stays once."""
        if any(chip.attachment.path == attachment.path for chip in self._chips):
            return
        chip = AttachmentChip(attachment, self._theme, self)
        chip.removed.connect(lambda: self._remove(chip))
        self._chips.append(chip)
        self._row.addWidget(chip)
        if attachment.kind == "image":
            self._tasks.start(chip.load_picture())
        self._show()

    def clear(self) -> None:
        """Take all away."""
        for chip in list(self._chips):
            self._remove(chip)

    def _remove(self, chip: AttachmentChip) -> None:
        if chip in self._chips:
            self._chips.remove(chip)
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
            self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._chips))
        self.changed.emit()


def _middle() -> Qt.TextElideMode:
    return Qt.TextElideMode.ElideMiddle
