"""Completion while one types, the signature of a call, and documentation under the mouse.

Nothing here holds up a key: questions go out a moment after the last key, and an answer that comes
after the next key is dropped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QFrame,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
)

from playhead.domain.execution import CodePlace
from playhead.ui.editor.code.code_editor import WatchedViewport
from playhead.ui.editor.code.editor_language import find_language
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import (
        QWidget,
    )

    from playhead.domain.execution import Candidate, Completions, Description
    from playhead.ui.editor.code.code_editor import CodeEditor
    from playhead.ui.widgets.theme import Theme

PAUSE_MS = 60
"""The time after the last key before a question is asked."""
_BEFORE_LIMIT, _AFTER_LIMIT = 200_000, 50_000
_LIST_LIMIT = 300
_WORD = re.compile(r"(?:[^\W\d]\w|\.\w?)\w*\Z")
_NAME_PART = re.compile(r"\w*")
_LITERAL = re.compile(r"``([^`\n]+)``")
"""How documentation marks code; it is read without the ticks."""
_KINDS = {
    "class": mark("class"),
    "file": mark("file"),
    "folder": mark("folder"),
    "function": mark("function"),
    "key": mark("key"),
    "keyword": mark("keyword"),
    "module": mark("module"),
    "parameter": mark("parameter"),
    "property": mark("property"),
    "variable": mark("variable"),
    "word": mark("in this text"),
}
_ROW_PX, _ROWS, _WIDTH_PX, _TIP_WIDTH_PX = 22, 9, 320, 460
_TIP_LINES, _EDGE_PX = 14, 4
_FAR_PX = 24
"""The distance at which the mouse has left what a tip is about."""


class CandidateList(QFrame):
    """The candidates at the cursor; the keyboard stays in the code. Owner: CodeHints.

    Signals: `chosen()` by a click, `pointed()` when another row becomes the current one.
    """

    chosen = Signal()
    pointed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "palette")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows = rows = QTreeWidget(self)
        rows.setProperty("kind", "hints")
        rows.setColumnCount(2)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.header().setStretchLastSection(False)
        rows.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        rows.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        rows.setAccessibleName(tr("Completions"))
        rows.itemClicked.connect(lambda *_: self.chosen.emit())
        rows.currentItemChanged.connect(lambda *_: self.pointed.emit())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.addWidget(rows)
        self.hide()

    @property
    def current(self) -> str:
        """Return the text of the current candidate; '' for none."""
        item = self.rows.currentItem()
        return item.text(0) if item is not None else ""

    @property
    def texts(self) -> list[str]:
        """Return the texts that are listed."""
        count = self.rows.topLevelItemCount()
        items = (self.rows.topLevelItem(place) for place in range(count))
        return [item.text(0) for item in items if item is not None]

    def fill(self, candidates: Sequence[Candidate]) -> None:
        """List candidates; the first one becomes the current one."""
        self.rows.clear()
        self.rows.addTopLevelItems(self._items(candidates[:_LIST_LIMIT]))
        self._point_at(0)
        self.resize(_WIDTH_PX, self.wanted_height)

    def extend(self, candidates: Sequence[Candidate]) -> None:
        """List more candidates below the others; no row moves and the current one stays."""
        room = _LIST_LIMIT - self.rows.topLevelItemCount()
        self.rows.addTopLevelItems(self._items(candidates[: max(0, room)]))

    @property
    def wanted_height(self) -> int:
        """Return the height for the rows, of which some are shown at a time."""
        return min(self.rows.topLevelItemCount(), _ROWS) * _ROW_PX + 10

    def _items(self, candidates: Sequence[Candidate]) -> list[QTreeWidgetItem]:
        mute, font = QColor(self._theme.tokens.mute), self._theme.code_font()
        items: list[QTreeWidgetItem] = []
        for one in candidates:
            word = _KINDS.get(one.kind)
            item = QTreeWidgetItem([one.text, tr(word) if word else ""])
            item.setFont(0, font)
            item.setForeground(1, mute)
            items.append(item)
        return items

    def step(self, rows: int) -> None:
        """Go to another candidate; single steps go round."""
        count = self.rows.topLevelItemCount()
        at = self.rows.currentIndex().row() + rows
        self._point_at(at % count if abs(rows) == 1 else max(0, min(count - 1, at)))

    def _point_at(self, row: int) -> None:
        if (item := self.rows.topLevelItem(row)) is not None:
            self.rows.setCurrentItem(item)


class HintTip(QFrame):
    """The signature and the documentation of something. Owner: CodeHints."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "palette")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._words = QLabel(self)
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 7, 10, 7)
        layout.addWidget(self._words)
        self.hide()

    @property
    def words(self) -> str:
        """Return the text that is shown, as rich text."""
        return self._words.text()

    def fill(self, description: Description) -> None:
        """Set the text."""
        self._words.setText(_rich_text(description, self._theme))
        self._words.setFixedWidth(min(_TIP_WIDTH_PX, max(self.window().width() - 60, 120)))
        self._words.setFixedHeight(self._words.heightForWidth(self._words.width()))
        self.adjustSize()


def _rich_text(description: Description, theme: Theme) -> str:
    import html

    mute, accent = theme.tokens.mute, theme.tokens.accent
    head = html.escape(description.name)
    if description.is_callable:
        written = [html.escape(one) for one in description.parameters]
        if 0 <= description.argument < len(written):
            at = description.argument
            written[at] = f'<b style="color:{accent}">{written[at]}</b>'
        head += f"({', '.join(written)})"
    elif description.type:
        head += f": {html.escape(description.type)}"
    family = html.escape(theme.code_font().family())
    text = f"<div style=\"font-family:'{family}'\">{head}</div>"
    if description.value:
        text += f'<div style="color:{mute}">{html.escape(description.value)}</div>'
    lines = description.documentation.split("\n")
    if description.documentation:
        shown = [*lines[:_TIP_LINES], "…"] if len(lines) > _TIP_LINES else lines
        body = _LITERAL.sub(r"\1", html.escape("\n".join(shown)))
        text += f'<div style="white-space:pre-wrap; color:{mute}; margin-top:4px">{body}</div>'
    return text


def _fitting(candidates: Sequence[Candidate], written: str) -> list[Candidate]:
    """Return the candidates that begin as what is written, in whichever case."""
    small = written.lower()
    return [one for one in candidates if one.text.lower().startswith(small)]


class CodeHints(QObject):
    """Watches the keyboard of the code and shows the answers to its questions. Owner: the pane.

    `editor` returns the editor that is shown, `language` the language of its text.

    Signals: `completions_wanted(number, place, is_asked)` and
    `description_wanted(number, place, is_call)`, each with a CodePlace; the answers go to
    `show_completions`, as many as there are, and `show_description` with the same number.
    """

    completions_wanted = Signal(int, object, bool)
    description_wanted = Signal(int, object, bool)

    def __init__(
        self,
        theme: Theme,
        editor: Callable[[], CodeEditor],
        language: Callable[[], str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pane = parent
        self._editor = editor
        self._language = language
        self._number = 0
        self._answered = 0  # the number of the question whose answer is listed
        self._typed = ""
        self._is_asked = False  # by the key for it, not by typing
        self._start = ""  # the code before what the candidates complete
        self._candidates: tuple[Candidate, ...] = ()
        self._tip_place: QPoint | None = None  # of the mouse; None beside the cursor
        self.list: CandidateList | None = None
        self.tip: HintTip | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._react)
        self._pointed = QTimer(self)
        self._pointed.setSingleShot(True)
        self._pointed.setInterval(2 * PAUSE_MS)
        self._pointed.timeout.connect(self._ask_about_candidate)

    def watch(self, widget: QWidget) -> None:
        """Watch the widget of an editor that has the keyboard; before its other filters."""
        widget.installEventFilter(self)
        if isinstance(widget, WatchedViewport):
            widget.watch_viewport(self)

    def ask(self) -> None:
        """Show all that fits at the cursor; if there is nothing, describe what is there."""
        if not self._is_on():
            return
        self._number += 1
        self._pause.stop()
        self._is_asked = True
        self.completions_wanted.emit(self._number, self._place(self._code()), True)

    def hide(self) -> None:
        """Hide what is shown, and drop what was asked."""
        self._number += 1
        self._typed = ""
        self._pause.stop()
        self._hide_list()
        self._hide_tip()

    @property
    def is_listing(self) -> bool:
        """Return whether candidates are shown."""
        return self.list is not None and self.list.isVisible()

    def show_completions(self, number: int, found: Completions) -> None:
        """Show an answer to a question, below an earlier one, unless the text has moved on."""
        if not self._is_on():
            return
        if self.is_listing and number == self._answered:
            self._list_more(found.candidates)
        elif number == self._number:
            code = self._code()
            self._answered = number
            self._start = code[: len(code) - found.length]
            self._candidates = found.candidates
            if not self._list_fitting(code) and self._is_asked:
                self._tip_place = None
                self.description_wanted.emit(number, self._place(self._word_end(code)), False)

    def show_description(self, number: int, found: Description) -> None:
        """Show the answer to a question, unless the text has moved on."""
        if number != self._number:
            return
        if not found.name:
            self._hide_tip()
            return
        if self.tip is None:
            self.tip = HintTip(self._theme, self._pane.window())
        self.tip.fill(found)
        self._place_tip(self.tip)
        self.tip.show()
        self.tip.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Use keys for the list, note what is typed, and see where the mouse rests."""
        kind = event.type()
        if isinstance(event, QKeyEvent) and kind == QEvent.Type.ShortcutOverride:
            if self._takes(event):
                event.accept()
                return True
        elif isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
            return self._on_key(event)
        elif kind in (QEvent.Type.FocusOut, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel):
            self.hide()
        elif isinstance(event, QHelpEvent) and kind == QEvent.Type.ToolTip:
            return self._on_rest(event.pos())
        elif self._tip_place is not None and isinstance(event, QMouseEvent):
            if (event.position().toPoint() - self._tip_place).manhattanLength() > _FAR_PX:
                self._hide_tip()
        elif self._tip_place is not None and kind == QEvent.Type.Leave:
            self._hide_tip()
        return False

    def _is_on(self) -> bool:
        known = find_language(self._language())
        target = self._target()
        return known is not None and known.word == "python" and target.isVisible()

    def _target(self) -> QWidget:
        widget = self._editor().widget
        return widget.focusProxy() or widget

    def _code(self) -> str:
        """Return the text up to the cursor; of a long one the end."""
        editor = self._editor()
        _start, end = editor.selection()
        return editor.display_text()[max(0, end - _BEFORE_LIMIT) : end]

    def _place(self, code: str, end: int | None = None) -> CodePlace:
        """Return a code with what follows it in the text, from a position or the cursor on."""
        editor = self._editor()
        end = editor.selection()[1] if end is None else end
        return CodePlace(code, editor.display_text()[end : end + _AFTER_LIMIT])

    def _word_end(self, code: str) -> str:
        """Return a code with the rest of the name that the cursor is in."""
        editor = self._editor()
        rest = _NAME_PART.match(editor.display_text(), editor.selection()[1])
        return code + (rest.group() if rest else "")

    def _takes(self, event: QKeyEvent) -> bool:
        """Return whether a key is for what is shown."""
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        key = event.key()
        if key == Qt.Key.Key_Escape:
            return self.is_listing or (self.tip is not None and self.tip.isVisible())
        if not self.is_listing or self.list is None:
            return False
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return self._start + self.list.current != self._code()
        return key in (
            Qt.Key.Key_Tab, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown
        )  # fmt: skip

    def _on_key(self, event: QKeyEvent) -> bool:
        if self._takes(event):
            self._use(Qt.Key(event.key()))
            return True
        modifier = Qt.KeyboardModifier
        has_command = event.modifiers() & (modifier.ControlModifier | modifier.MetaModifier)
        if event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt) or has_command:
            return False
        self._number += 1
        self._pointed.stop()
        is_typed = event.text().isprintable() and bool(event.text())
        self._typed = self._typed + event.text() if is_typed else ""
        if (is_typed or event.key() == Qt.Key.Key_Backspace) and self._is_on():
            self._pause.start(0 if self.is_listing else PAUSE_MS)
        else:
            self.hide()
        return False

    def _use(self, key: Qt.Key) -> None:
        if self.list is None or key == Qt.Key.Key_Escape:
            self.hide()
        elif key == Qt.Key.Key_Up:
            self.list.step(-1)
        elif key == Qt.Key.Key_Down:
            self.list.step(1)
        elif key == Qt.Key.Key_PageUp:
            self.list.step(1 - _ROWS)
        elif key == Qt.Key.Key_PageDown:
            self.list.step(_ROWS - 1)
        else:
            self._accept()

    def _accept(self) -> None:
        """Write the current candidate in the place of what is written of it."""
        text = self.list.current if self.list is not None else ""
        editor = self._editor()
        length = len(self._code()) - len(self._start)
        self.hide()
        if text and length >= 0:
            _start, end = editor.selection()
            editor.replace_spans([(end - length, end, text)])
            editor.select(end - length + len(text), end - length + len(text))

    def _react(self) -> None:
        """Ask for what fits the text after a key."""
        start, end = self._editor().selection()
        if start != end or not self._is_on():
            return
        code = self._code()
        typed, self._typed = self._typed, ""
        self._is_asked = False
        if self.is_listing and self._list_fitting(code):
            return
        if typed and (typed[-1] in "./'\"" or _WORD.search(code)):
            self.completions_wanted.emit(self._number, self._place(code), False)
        elif set(typed) & set("(,)") or (self.tip is not None and self.tip.isVisible()):
            self._tip_place = None
            self.description_wanted.emit(self._number, self._place(code), True)

    def _list_fitting(self, code: str) -> bool:
        """List the candidates that go on as the code does; False if there are none."""
        written = code[len(self._start) :]
        found = _fitting(self._candidates, written)
        is_done = len(found) == 1 and found[0].text == written
        if not code.startswith(self._start) or not found or is_done:
            self._hide_list()
            return False
        if self.list is None:
            self.list = CandidateList(self._theme, self._pane.window())
            self.list.chosen.connect(self._accept)
            self.list.pointed.connect(self._pointed.start)
        self._hide_tip()
        self.list.fill(found)
        caret = self._caret()
        metrics = QFontMetrics(self._target().font())
        caret.translate(-metrics.horizontalAdvance(written) - 8, 0)
        self.list.move(self._room_for(self.list, caret))
        self.list.show()
        self.list.raise_()
        return True

    def _list_more(self, candidates: tuple[Candidate, ...]) -> None:
        """List candidates below the others; the list grows only where no row moves by that."""
        code = self._code()
        self._candidates += candidates
        if self.list is None or not code.startswith(self._start):
            return
        self.list.extend(_fitting(candidates, code[len(self._start) :]))
        place, height = self.list.geometry(), self.list.wanted_height
        is_below = place.top() > self._caret().top()
        if is_below and place.top() + height <= self._pane.window().height():
            self.list.resize(place.width(), height)

    def _ask_about_candidate(self) -> None:
        if self.is_listing and self.list is not None:
            place = self._place(self._start + self.list.current.rstrip("=/"))
            self._tip_place = None
            self.description_wanted.emit(self._number, place, False)

    def _on_rest(self, point: QPoint) -> bool:
        """Ask what is under the mouse; False to show the tool tip that the widget itself has."""
        editor, target = self._editor(), self._target()
        if target.toolTip() or self.is_listing or not self._is_on():
            return False
        text, at = editor.display_text(), editor.place_at(point)
        if not 0 <= at < len(text) or not (text[at].isalnum() or text[at] == "_"):
            return False
        found = _NAME_PART.match(text, at)
        end = found.end() if found else at
        self._number += 1
        self._tip_place = point
        place = self._place(text[max(0, end - _BEFORE_LIMIT) : end], end)
        self.description_wanted.emit(self._number, place, False)
        return True

    def _place_tip(self, tip: HintTip) -> None:
        if self._tip_place is not None:
            place = self._to_window(QRect(self._tip_place, self._tip_place))
            tip.move(self._room_for(tip, place.adjusted(0, -10, 0, 12)))
        elif self.is_listing and self.list is not None:
            beside = self.list.geometry()
            window = self._pane.window().rect()
            left = beside.right() + 4
            if left + tip.width() > window.right() - _EDGE_PX:
                left = beside.left() - tip.width() - 4
            if left < 0:  # no room beside it
                tip.move(self._room_for(tip, beside))
            else:
                tip.move(left, min(beside.top(), max(0, window.bottom() - tip.height())))
        else:
            tip.move(self._room_for(tip, self._caret(), is_above=True))

    def _caret(self) -> QRect:
        """Return the place of the cursor in the window."""
        found = self._target().inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
        return self._to_window(found.toRect() if isinstance(found, QRectF) else QRect(found))

    def _to_window(self, place: QRect) -> QRect:
        target = self._target()
        base = target.viewport() if isinstance(target, QAbstractScrollArea) else target
        return QRect(base.mapTo(self._pane.window(), place.topLeft()), place.size())

    def _room_for(self, popup: QWidget, place: QRect, *, is_above: bool = False) -> QPoint:
        """Return where a frame has room below or above a place in the window."""
        window = self._pane.window().rect()
        above, below = place.top() - popup.height() - 4, place.bottom() + 4
        has_room = above >= 0 if is_above else below + popup.height() <= window.height()
        top = (above if is_above else below) if has_room else (below if is_above else above)
        left = max(0, min(place.left(), window.width() - popup.width() - _EDGE_PX))
        return QPoint(left, max(0, min(top, window.height() - popup.height())))

    def _hide_list(self) -> None:
        self._pointed.stop()
        if self.list is not None:
            self.list.hide()

    def _hide_tip(self) -> None:
        self._tip_place = None
        if self.tip is not None:
            self.tip.hide()
