"""The composer's text field: grows with what is typed, Enter sends."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QImage, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

_MAX_LINES = 8
_MARGIN_PX = 4


class ComposerText(QPlainTextEdit):
    """Signals: `sent()` on Enter, `edit_last_asked()` on Up in an empty field, `escaped()`,
    `paths_pasted(list[str])`, `image_pasted(QImage)`.
    """

    sent = Signal()
    edit_last_asked = Signal()
    escaped = Signal()
    paths_pasted = Signal(list)
    image_pasted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "bare")
        self.setTabChangesFocus(True)
        self.setAccessibleName("Message")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(_MARGIN_PX)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, Shift+Enter breaks the line, Up in an empty field edits the last message."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_bare = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_enter and is_bare:
            if not self._is_composing and not event.isAutoRepeat():
                self.sent.emit()
        elif event.key() == Qt.Key.Key_Up and is_bare and self.document().isEmpty():
            self.edit_last_asked.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method has an unfinished text: its Enter is not ours."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Images and files can be pasted too; drops belong to the window."""
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste: files and images become attachments, text is text."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.paths_pasted.emit(paths)
        elif source.hasImage() and isinstance(image := source.imageData(), QImage):
            self.image_pasted.emit(image)
        else:
            super().insertFromMimeData(source)

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = round(self.document().size().height())  # a plain text document counts in lines
        shown = min(max(lines, 1), _MAX_LINES)
        self.setFixedHeight(shown * line + 2 * _MARGIN_PX + 2)
        is_long = lines > _MAX_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
