"""The composer's text field: it grows with the text, Enter sends, arrows recall messages."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeySequence,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy

from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from PySide6.QtCore import QMimeData
    from PySide6.QtGui import (
        QFocusEvent,
        QInputMethodEvent,
        QKeyEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget


class SentHistory:
    """Steps through the sent messages, from the first step until `end`.

    A text that was changed on the way is kept for the next visit.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._place = -1
        self._recalled = ""

    @property
    def is_under_way(self) -> bool:
        """Return whether an earlier message is shown."""
        return 0 <= self._place < len(self._texts) - 1

    def begin(self, sent: Sequence[str], draft: str) -> None:
        """Begin at the draft, after all sent texts; a text sent twice in a row is one step."""
        kept = [text for number, text in enumerate(sent) if not number or text != sent[number - 1]]
        self._texts = [*kept, draft]
        self._place = len(kept)

    def step(self, shown: str, steps: int) -> str | None:
        """Return the text some steps on (negative: back), None at an end; keep `shown`."""
        place = self._place + steps
        if not self._texts or not 0 <= place < len(self._texts):
            return None
        self._texts[self._place] = shown
        self._place = place
        self._recalled = self._texts[place]
        return self._recalled

    def unsent(self, shown: str) -> str:
        """Return the text to keep: the shown one, or the draft if that is an old message."""
        return self._texts[-1] if self.is_under_way and shown == self._recalled else shown

    def end(self) -> None:
        """Forget the texts."""
        self._texts, self._place = [], -1


LONGEST_PASTE = 100_000
"""Characters; a longer text, or one with more lines than the next, becomes an attachment."""
MOST_PASTED_LINES = 2_000
LONGEST_PASTED_LINE = 30_000
"""Laying out a longer one takes more than a frame."""
_SHARE_OF_WINDOW = 0.35
_SHARE_OF_ALL = 0.5
"""The share of the window's height, including the parts above and below the field."""
_FEWEST_LINES = 2
_LOW_WINDOW_PX = 480
_MARGIN_PX = 4
_RESTORES = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
"""Keys that put text back, which may have been pasted."""


class MessageField(QPlainTextEdit):
    """The field for the text of a message.

    Signals: `sent()` on Enter, `edit_last_asked()` on Ctrl+Up, `escaped()`,
    `paths_pasted(list[str])`, `image_pasted(QImage)`, `text_pasted(str)` when it is a long one,
    `attachments_wanted()` on Backspace in the empty field, `focus_changed(bool)`.

    Up at the top and Down at the bottom step through `sent_before()`. `taken_px()` returns the
    height of everything around the field, which takes at most the rest of the window's share.
    """

    sent = Signal()
    edit_last_asked = Signal()
    escaped = Signal()
    paths_pasted = Signal(list)
    image_pasted = Signal(object)
    text_pasted = Signal(object)  # as it is: a Qt string would be two copies
    attachments_wanted = Signal()
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sent_before: Callable[[], Sequence[str]] = tuple[str, ...]
        self.taken_px: Callable[[], int] = int
        self.walk = SentHistory()
        self.is_typed = True
        """Whether every letter of the text came from a key or an input method, since it was empty.

        What was pasted, dropped, restored by undo or set by the program did not.
        """
        self._is_typing = False
        self._is_composing = False
        self._hint = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "bare")
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("Message"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(_MARGIN_PX)
        self.document().contentsChange.connect(self._on_contents_change)
        self.document().documentLayout().documentSizeChanged.connect(self.fit)
        self.fit()

    def set_type_px(self, size_px: int) -> None:
        """Set the size of the text."""
        self.setStyleSheet(f"MessageField {{ font-size: {size_px}px; }}")
        self.ensurePolished()
        self.set_hint(self._hint)
        self.fit()

    def set_hint(self, words: str) -> None:
        """Set the placeholder text, elided to fit on one line."""
        self._hint = words
        # Not the viewport's width: the bindings make all classes of widgets to see what that is.
        room = self.maximumViewportSize().width() - 2 * _MARGIN_PX - 2
        shown = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, max(room, 0))
        if shown != self.placeholderText():
            self.setPlaceholderText("")  # else Qt 6.11 draws the other only later
            self.setPlaceholderText(shown)

    def put(self, text: str) -> None:
        """Set the text, with the cursor at its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def fit(self) -> None:
        """Set the height to that of the text, up to a share of the window; more is scrolled."""
        line = self.fontMetrics().lineSpacing()
        lines = round(self.document().size().height())  # a plain text document counts in lines
        window_px = self.window().height()
        room_px = min(_SHARE_OF_WINDOW * window_px, _SHARE_OF_ALL * window_px - self.taken_px())
        fewest = _FEWEST_LINES if window_px >= _LOW_WINDOW_PX else 1
        most = max(fewest, int(room_px / line))
        height = min(max(lines, 1), most) * line + 2 * _MARGIN_PX + 2
        if height != self.height():
            self.setFixedHeight(height)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if lines > most else policy.ScrollBarAlwaysOff
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the placeholder text to the new width."""
        super().resizeEvent(event)
        self.set_hint(self._hint)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Ctrl the window zooms."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter (send), Shift+Enter (new line), and Up and Down at the ends (recall)."""
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
            with self._typing(not any(map(event.matches, _RESTORES))):
                super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method has unfinished text, because its Enter does not send."""
        self._is_composing = bool(event.preeditString())
        with self._typing(True):
            super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept images and files for pasting; drops belong to the window."""
        return source.hasImage() or source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste: files, images and long texts become attachments, other text is inserted."""
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.paths_pasted.emit(paths)
        elif source.hasImage() and isinstance(image := source.imageData(), QImage):
            self.image_pasted.emit(image)
        elif is_long(text := source.text()):
            self.text_pasted.emit(text)
        else:
            with self._typing(False):  # Shift+Insert is a key, too
                super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Emit that the field has the keyboard focus."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emit that the field lost the keyboard focus."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    @contextmanager
    def _typing(self, is_typing: bool) -> Generator[None]:
        """Take what is inserted meanwhile as typed, or not."""
        before, self._is_typing = self._is_typing, is_typing
        try:
            yield
        finally:
            self._is_typing = before

    def _on_contents_change(self, _place: int, _removed: int, added: int) -> None:
        if self.document().isEmpty():
            self.is_typed = True
        elif added and not self._is_typing:
            self.is_typed = False

    def _goes_elsewhere(self, key: int) -> bool:
        """Handle a key that recalls a message or goes to the attachments; return whether it did."""
        if key == Qt.Key.Key_Up and self._is_at_edge(QTextCursor.MoveOperation.Up):
            return self._recall(-1)
        if key == Qt.Key.Key_Down and self._is_at_edge(QTextCursor.MoveOperation.Down):
            return self._recall(1)
        if key == Qt.Key.Key_Backspace and self.document().isEmpty():
            self.attachments_wanted.emit()
            return True
        return False

    def _is_at_edge(self, move: QTextCursor.MoveOperation) -> bool:
        """Return whether no line is above or below; the end of a recalled message always counts."""
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


def is_long(text: str) -> bool:
    """Return whether a pasted text should become a file."""
    if len(text) > LONGEST_PASTE or text.count("\n") >= MOST_PASTED_LINES:
        return True
    return len(text) > LONGEST_PASTED_LINE < max(map(len, text.split("\n")))
