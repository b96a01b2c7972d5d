"""The changes against the model's version, one below the other, each with a button to revert."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.text.unicode import whole_characters
from playhead.ui.editor.code.code_editor import DISPLAY_LINE_LIMIT, editor_colours, mix_colours
from playhead.ui.editor.code.text_diff import Hunk
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr, tr_n

_AROUND = 3
_LINES_SHOWN = 2_000


class DiffView(QFrame):
    """Shows hunks; the one with the cursor is the current one. Owner: the pane.

    Signals: `revert_requested(Hunk)`, `revert_all_requested()`, `closed()`.
    """

    revert_requested = Signal(object)
    revert_all_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hunks: Sequence[Hunk] = ()
        self._first_lines: list[int] = []
        self._kinds: list[str] = []
        self._make()
        theme.changed.connect(self._apply_theme)
        theme.zoomed.connect(self._apply_theme)
        self.hide()

    def show_hunks(self, hunks: Sequence[Hunk], text: str, than: str) -> None:
        """Show the differences of the text from `than` ("the model's version")."""
        current = self.current_number
        self._hunks = hunks
        count = len(hunks)
        changes = tr_n("%n changes", count, one="1 change")
        self.title.setText(
            tr("{changes} from {than}", changes=changes, than=than)
            if count
            else tr("The same as {than}", than=than)
        )
        self.title.setToolTip(self.title.text())
        self._write(text.split("\n"))
        self._apply_theme()
        for one in (self.revert_button, self.all_button, self.previous_button, self.next_button):
            one.setEnabled(bool(count))
        self._go(min(current, max(0, count - 1)))

    @property
    def current_number(self) -> int:
        """Return the number of the hunk at the cursor, or of the one before it."""
        line = self.text.textCursor().blockNumber()
        before = [n for n, first in enumerate(self._first_lines) if first <= line]
        return before[-1] if before else 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close on Escape."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        is_closing = event.key() == Qt.Key.Key_Escape
        if is_closing:
            self.closed.emit()
        return is_closing

    def _write(self, lines: Sequence[str]) -> None:
        """Write each hunk under a heading, with a few lines around it."""
        shown: list[str] = []
        self._kinds, self._first_lines = [], []
        after = 0
        for number, hunk in enumerate(self._hunks):
            end = hunk.new_first + len(hunk.new)
            following = self._hunks[number + 1] if number + 1 < len(self._hunks) else None
            limit = following.new_first if following else len(lines)
            before = lines[max(after, hunk.new_first - _AROUND) : hunk.new_first]
            self._first_lines.append(len(shown))
            parts = [
                ("@", [tr("line {number}", number=hunk.new_first + 1)]),
                (" ", before),
                ("-", hunk.old),
                ("+", hunk.new),
                (" ", lines[end : min(end + _AROUND, limit)]),
            ]
            after = min(end + _AROUND, limit)
            for sign, some in parts:
                for line in some[:_LINES_SHOWN]:
                    shown.append(f"{sign} {line[:DISPLAY_LINE_LIMIT]}")
                    self._kinds.append(sign)
                if len(some) > _LINES_SHOWN:
                    shown.append(
                        "@ "
                        + tr_n("… %n more lines", len(some) - _LINES_SHOWN, one="… 1 more line")
                    )
                    self._kinds.append("@")
        self.text.setPlainText(whole_characters("\n".join(shown)))

    def _apply_theme(self) -> None:
        colours = editor_colours(self._theme)
        self.close_button.setIcon(self._theme.icon("x", "mute"))
        self.previous_button.setIcon(self._theme.icon("chevron-up", "mute"))
        self.next_button.setIcon(self._theme.icon("chevron-down", "mute"))
        font = QFont(colours.family)
        font.setPixelSize(colours.size_px)
        self.text.setFont(font)
        self.text.setStyleSheet(
            f"QPlainTextEdit {{ font-size: {colours.size_px}px; border: 1px solid transparent;"
            " border-radius: 0; padding: 4px 8px; }"
            f"QPlainTextEdit:focus {{ border-color: {colours.accent}; }}"
        )
        grounds = {
            "+": mix_colours(colours.background, colours.added, 0.14),
            "-": colours.error_background,
        }
        bands: list[QTextEdit.ExtraSelection] = []
        for number, kind in enumerate(self._kinds):
            band = QTextEdit.ExtraSelection()
            band.cursor = QTextCursor(self.text.document().findBlockByNumber(number))
            if kind == "@":
                band.cursor.select(QTextCursor.SelectionType.LineUnderCursor)
                band.format.setForeground(QColor(colours.mute))
            elif kind in grounds:
                band.format.setBackground(QColor(grounds[kind]))
                band.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            else:
                continue
            bands.append(band)
        self.text.setExtraSelections(bands)

    def _go(self, number: int) -> None:
        if not 0 <= number < len(self._first_lines):
            return
        block = self.text.document().findBlockByNumber(self._first_lines[number])
        self.text.setTextCursor(QTextCursor(block))
        self.text.centerCursor()

    def _step(self, direction: int) -> None:
        if self._hunks:
            self._go((self.current_number + direction) % len(self._hunks))

    def _on_revert(self) -> None:
        if self._hunks:
            self.revert_requested.emit(self._hunks[self.current_number])

    def _make(self) -> None:
        bar = QFrame(self)
        bar.setProperty("kind", "find")
        self.title = QLabel(bar)
        self.title.setProperty("kind", "mute")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.previous_button = self._icon_button(bar, tr("Previous change"))
        self.next_button = self._icon_button(bar, tr("Next change"))
        self.revert_button = QPushButton(tr("Revert this"), bar)
        self.all_button = QPushButton(tr("Revert all"), bar)
        self.close_button = self._icon_button(bar, tr("Back to the code (Esc)"))
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(4)
        row.addWidget(self.title, 1)
        for button in (self.previous_button, self.next_button):
            row.addWidget(button)
        for button in (self.revert_button, self.all_button):
            button.setProperty("kind", "chip")
            row.addWidget(button)
        row.addWidget(self.close_button)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(tr("Changes"))
        # A cursor that can be seen and moved by the keyboard chooses the change.
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        for one in (self.text, self.revert_button, self.all_button, self.close_button):
            one.installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.text, 1)
        self.previous_button.clicked.connect(lambda: self._step(-1))
        self.next_button.clicked.connect(lambda: self._step(1))
        self.revert_button.clicked.connect(self._on_revert)
        self.all_button.clicked.connect(lambda: self.revert_all_requested.emit())
        self.close_button.clicked.connect(lambda: self.closed.emit())

    def _icon_button(self, parent: QWidget, name: str) -> QToolButton:
        button = QToolButton(parent)
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.installEventFilter(self)
        return button
