"""The composer's text field: grows with what is typed, Enter sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QImage, QInputMethodEvent, QKeyEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from playhead.ui.composer_history import HistoryWalk

LONGEST_PASTE = 100_000
"""Characters; what is longer, or has more lines than the next, becomes an attachment."""
MOST_PASTED_LINES = 2_000
_SHARE_OF_WINDOW = 0.35
_FEWEST_LINES = 3
_MARGIN_PX = 4


class ComposerText(QPlainTextEdit):
    """Signals: `sent()` on Enter, `edit_last_asked()` on Ctrl+Up, `escaped()`,
    `paths_pasted(list[str])`, `image_pasted(QImage)`, `text_pasted(str)` when it is a long one,
    `attachments_wanted()` on Backspace where there is nothing to delete.

    Up at the top and Down at the bottom lead through `sent_before()`.
    """

    sent = Signal()
    edit_last_asked = Signal()
    escaped = Signal()
    paths_pasted = Signal(list)
    image_pasted = Signal(object)
    text_pasted = Signal(str)
    attachments_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sent_before: Callable[[], Sequence[str]] = tuple[str, ...]
        self.walk = HistoryWalk()
        self._is_composing = False
        self._window: QWidget | None = None
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

    def put(self, text: str) -> None:
        """Show another text, cursor at its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, Shift+Enter breaks the line, Up and Down at the ends walk the history."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_enter and not held:
            if not self._is_composing and not event.isAutoRepeat():
                self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and held == Qt.KeyboardModifier.ControlModifier:
            self.edit_last_asked.emit()
        elif held or not self._goes_elsewhere(event.key()):
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method has an unfinished text: its Enter is not ours."""
        self._is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Images and files can be pasted too; drops belong to the window."""
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste: files, images and long texts become attachments, text is text."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.paths_pasted.emit(paths)
        elif source.hasImage() and isinstance(image := source.imageData(), QImage):
            self.image_pasted.emit(image)
        elif is_long(text := source.text()):
            self.text_pasted.emit(text)
        else:
            super().insertFromMimeData(source)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow the window's height from now on."""
        super().showEvent(event)
        if self._window is not self.window():
            if self._window is not None:
                self._window.removeEventFilter(self)
            self._window = self.window()
            self._window.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A higher window has room for more lines."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _goes_elsewhere(self, key: int) -> bool:
        """Whether a key was about more than the text."""
        if key == Qt.Key.Key_Up and self._is_at_edge(QTextCursor.MoveOperation.Up):
            return self._recall(-1)
        if key == Qt.Key.Key_Down and self._is_at_edge(QTextCursor.MoveOperation.Down):
            return self._recall(1)
        if key == Qt.Key.Key_Backspace and self.document().isEmpty():
            self.attachments_wanted.emit()
            return True
        return False

    def _is_at_edge(self, move: QTextCursor.MoveOperation) -> bool:
        """Whether there is no line above or below; a recalled message is left from its end."""
        cursor = self.textCursor()
        if self.walk.is_under_way and cursor.atEnd():
            return True
        return not cursor.hasSelection() and not cursor.movePosition(move)

    def _recall(self, steps: int) -> bool:
        if not self.walk.is_under_way:
            self.walk.begin(self.sent_before(), self.toPlainText())
        text = self.walk.step(self.toPlainText(), steps)
        if text is None:
            return False
        self.put(text)
        return True

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        lines = round(self.document().size().height())  # a plain text document counts in lines
        most = max(_FEWEST_LINES, int(self.window().height() * _SHARE_OF_WINDOW / line))
        height = min(max(lines, 1), most) * line + 2 * _MARGIN_PX + 2
        if height != self.height():
            self.setFixedHeight(height)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if lines > most else policy.ScrollBarAlwaysOff
        )


def is_long(text: str) -> bool:
    """Whether a pasted text is better a file."""
    return len(text) > LONGEST_PASTE or text.count("\n") >= MOST_PASTED_LINES
