"""Find and replace in the editor: count while the user types, step through, replace as one step.

The text is searched a slice at a time, so that the window stays responsive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from msgspec import Struct
from PySide6.QtCore import (
    QObject,
    QRegularExpression,
    QRegularExpressionMatch,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from playhead.ui.editor.code.code_editor import CodeEditor
from playhead.ui.widgets.find_bar import FindBar
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr, tr_n

SLICE = 16_000
"""Characters searched in one step; a slice ends at the end of a line."""
MOST = 20_000
"""Matches that are counted; nobody steps through more."""

_Option = QRegularExpression.PatternOption
_GROUP = re.compile(r"\\(\d|\\|n|t)|\$(\d)")


class PatternError(ValueError):
    """A pattern that is invalid or takes too long."""


class Query(Struct, frozen=True, kw_only=True):
    """Holds what to search for."""

    text: str
    is_case: bool = False
    is_word: bool = False
    is_pattern: bool = False


class Found(Struct, frozen=True):
    """A match in the text, in characters, with what a pattern's groups matched."""

    start: int
    end: int
    groups: tuple[str, ...] = ()


def compiled(query: Query) -> QRegularExpression:
    """Return the query as an expression. Raises PatternError.

    PCRE stops at patterns that would run for ever (`(a+)+$`); Python's `re` does not.
    """
    source = query.text if query.is_pattern else QRegularExpression.escape(query.text)
    if query.is_word:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    options = _Option.MultilineOption | _Option.UseUnicodePropertiesOption
    if not query.is_case:
        options |= _Option.CaseInsensitiveOption
    expression = QRegularExpression(source, options)
    if not expression.isValid():
        raise PatternError(expression.errorString() or tr("This is not a valid pattern."))
    return expression


def search(text: str, query: Query) -> Iterator[list[Found]]:
    """Yield matches by slices of the text, in order, empty ones too. Raises PatternError.

    A pattern matches within a slice; words and patterns over several lines are found unless they
    extend across two slices.
    """
    if not query.text:
        return
    expression = compiled(query)
    start = 0
    while start < len(text):
        end = _end_of_slice(text, start)
        yield _found_in(expression, text[start:end], start)
        start = end


def expanded(template: str, found: Found, query: Query) -> str:
    """Return the replacement of a match; `\\1` and `$1` are a pattern's groups."""
    if not query.is_pattern:
        return template

    def put(match: re.Match[str]) -> str:
        word = match.group(1) or match.group(2)
        if word.isdigit():
            number = int(word)
            return found.groups[number] if number < len(found.groups) else ""
        return {"n": "\n", "t": "\t"}.get(word, "\\")

    return _GROUP.sub(put, template)


def _end_of_slice(text: str, start: int) -> int:
    if len(text) - start <= SLICE:
        return len(text)
    line_end = text.find("\n", start + SLICE)
    return len(text) if line_end < 0 else line_end + 1


def _found_in(expression: QRegularExpression, piece: str, offset: int) -> list[Found]:
    """Return all matches of one slice; Qt counts in UTF-16, where an emoji is two."""
    to_characters = _counter(piece)
    places: list[Found] = []
    after = 0
    matches = expression.globalMatch(piece)
    while matches.hasNext():
        match = matches.next()
        after = match.capturedEnd()
        if match.capturedLength() > 0:
            first = to_characters(match.capturedStart())
            last = to_characters(after)
            places.append(Found(offset + first, offset + last, _groups(match)))
    if not expression.match(piece, after).isValid():  # the sign that it stopped
        raise PatternError(tr("This pattern takes too long."))
    return places


def _groups(match: QRegularExpressionMatch) -> tuple[str, ...]:
    return tuple(match.captured(number) for number in range(match.lastCapturedIndex() + 1))


class _Counter:
    """Converts rising positions in UTF-16 to characters."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-16-le", "surrogatepass")
        self._units = self._characters = 0

    def __call__(self, units: int) -> int:
        piece = self._data[self._units * 2 : units * 2]
        self._characters += len(piece.decode("utf-16-le", "surrogatepass"))
        self._units = units
        return self._characters


def _counter(text: str) -> Callable[[int], int]:
    has_wide = not text.isascii() and any(character > "\uffff" for character in text)
    return _Counter(text) if has_wide else int


_SLICES = 2  # of a search in one tick of the loop


class EditorFindBar(FindBar):
    """Looks through one editor at a time. Owner: the pane. Signal: `closed()`."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent, tr("Find"))
        self._editor: CodeEditor | None = None
        self._found: list[Found] = []
        self._text = ""
        self._query = Query(text="")
        self._slices: Iterator[list[Found]] = iter(())
        self._is_stale = True
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_tick)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(150)
        self._again.timeout.connect(self.search)
        self.setProperty("kind", "find")
        self._make()

    def use(self, editor: CodeEditor) -> None:
        """Search another editor."""
        self._editor = editor
        if not self.isHidden():
            self.search()

    def open(self, *, replaces: bool) -> None:
        """Show the bar with the selected text, if that is part of one line."""
        if (editor := self._editor) is None:
            return
        start, end = editor.selection()
        chosen = editor.display_text()[start:end] if 0 < end - start < 200 else ""
        if chosen and "\n" not in chosen:
            self.words.setText(chosen)
        for one in (self.other, self.replace_button, self.replace_all_button):
            one.setVisible(replaces)
        self.show()
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its marks."""
        self._stop()
        self.hide()
        if self._editor is not None:
            self._editor.mark_found(())
        self.closed.emit()

    def text_changed(self) -> None:
        """Count again soon, because the text of the editor has changed."""
        if not self.isHidden():
            self._is_stale = True
            self._again.start()

    def search(self) -> None:
        """Count the matches again."""
        self._stop()
        if (editor := self._editor) is None or self.isHidden():
            return
        self._query = self._asked()
        self._text = editor.display_text()
        self._is_stale = False
        self._slices = search(self._text, self._query)
        self._timer.start()
        self._on_tick()

    def step(self, direction: int) -> None:
        """Go to the next match (1) or the previous one (-1), and wrap around at the end."""
        if self.isHidden() and self.words.text():
            self.show()
            self.search()
        self._finish()
        if (editor := self._editor) is None or not self._found:
            return
        start, end = editor.selection()
        if direction > 0:
            after = (n for n, one in enumerate(self._found) if one.start >= max(end, start + 1))
            number = next(after, 0)
            if (start, end) == (0, 0) and self._found[0].start == 0:
                number = 0
        else:
            before = [n for n, one in enumerate(self._found) if one.end <= start]
            number = before[-1] if before else len(self._found) - 1
        self._go(number)

    def replace_one(self) -> None:
        """Replace the selected match and go to the next one."""
        self._finish()
        editor = self._editor
        if editor is None or editor.is_cut:
            return
        chosen = [one for one in self._found if (one.start, one.end) == editor.selection()]
        if chosen:
            one = chosen[0]
            text = expanded(self.other.text(), one, self._query)
            editor.replace_spans([(one.start, one.end, text)])
            editor.select(one.start + len(text), one.start + len(text))
            self.search()
            self._finish()
        self.step(1)

    def replace_all(self) -> None:
        """Replace all matches as one step that can be undone."""
        self._finish()
        editor, query = self._editor, self._query
        if editor is None or editor.is_cut or not self._found:
            return
        template = self.other.text()
        count = len(self._found)
        editor.replace_spans(
            [(one.start, one.end, expanded(template, one, query)) for one in self._found]
        )
        self.search()
        self._finish()
        self._show_result(tr_n("%n replaced", count))

    def press(self, watched: QObject, event: QKeyEvent) -> bool:
        """Replace by Enter in the second field too."""
        if watched is self.other and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.replace_one()
            return True
        return super().press(watched, event)

    def _asked(self) -> Query:
        return Query(
            text=self.words.text(),
            is_case=self.case_button.isChecked(),
            is_word=self.word_button.isChecked(),
            is_pattern=self.pattern_button.isChecked(),
        )

    def _finish(self) -> None:
        """Finish the search before something is done with the matches."""
        if self._is_stale:
            self.search()
        while self._timer.isActive():
            self._on_tick()

    def _on_tick(self) -> None:
        try:
            for _ in range(_SLICES):
                self._found += next(self._slices)
                if len(self._found) >= MOST:
                    break
            else:
                self._show_count(is_done=False)
                return
        except StopIteration:
            pass
        except PatternError as error:
            self._stop()
            self._show_result(str(error).capitalize(), is_wrong=True)
            return
        del self._found[MOST:]
        self._timer.stop()
        self._show_count(is_done=True)

    def _stop(self) -> None:
        self._timer.stop()
        self._again.stop()
        self._found = []
        self._slices = iter(())

    def _show_count(self, *, is_done: bool) -> None:
        if (editor := self._editor) is None:
            return
        if is_done:
            editor.mark_found([(one.start, one.end) for one in self._found])
        count = len(self._found)
        if not self._query.text:
            self._show_result("")
            return
        chosen = editor.selection()
        number = next(
            (n for n, one in enumerate(self._found, 1) if (one.start, one.end) == chosen), 0
        )
        total = f"{count:,}{'+' if count >= MOST or not is_done else ''}"
        words = (
            tr("{number:,} of {total}", number=number, total=total)
            if number
            else tr("{total} found", total=total)
        )
        if editor.is_cut:
            words += tr(" in what is shown")
        self._show_result(
            words if count or not is_done else tr("Nothing found"), is_wrong=not count
        )

    def _go(self, number: int) -> None:
        one = self._found[number]
        if self._editor is not None:
            self._editor.select(one.start, one.end)
        self._show_count(is_done=True)

    def _show_result(self, words: str, *, is_wrong: bool = False) -> None:
        self.count.setText(words)
        self.count.setToolTip(words)
        kind = "danger" if is_wrong and self.words.text() else "mute"
        if self.count.property("kind") != kind:
            self.count.setProperty("kind", kind)
            self.count.style().unpolish(self.count)
            self.count.style().polish(self.count)

    def _make(self) -> None:
        self.other = self.make_field(tr("Replace with"))
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.word_button = self.make_toggle("ab|", tr("Whole words only"))
        self.pattern_button = self.make_toggle(".*", tr("Regular expression"))
        self.replace_button = self._push(tr("Replace"), self.replace_one)
        self.replace_all_button = self._push(tr("Replace all"), self.replace_all)
        layout = QGridLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.words, 0, 0)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(2)
        buttons = (
            self.case_button,
            self.word_button,
            self.pattern_button,
            self.previous_button,
            self.next_button,
            self.close_button,
        )
        for one in buttons:
            first.addWidget(one)
        layout.addLayout(first, 0, 1)
        layout.addWidget(self.other, 1, 0)
        second.addWidget(self.replace_button)
        second.addWidget(self.replace_all_button)
        layout.addLayout(second, 1, 1)
        layout.addWidget(self.count, 2, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        for before, after in pairwise((self.words, self.other, *buttons, self.replace_button)):
            self.setTabOrder(before, after)

    def _push(self, text: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("kind", "chip")
        button.installEventFilter(self)
        button.clicked.connect(lambda: slot())
        return button
