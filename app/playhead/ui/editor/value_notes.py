"""Show at the end of the line under the mouse what it assigned when its code ran last."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playhead.domain.execution import LineValue
from playhead.errors import AppError
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from playhead.ui.editor.code.code_editor import CodeEditor
    from playhead.ui.editor.pane.editor_pane import EditorPane
    from playhead.ui.widgets.task_owner import TaskOwner

_NAMES_SHOWN = 4


class ValueNotes(QObject):
    """Watches the mouse over the shown code; `ask(code)` returns the values of its last run.

    They are asked for once for a code, until `forget` is called: it has run again.
    """

    def __init__(
        self,
        pane: EditorPane,
        tasks: TaskOwner,
        ask: Callable[[str], Awaitable[list[LineValue]]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._pane = pane
        self._tasks = tasks
        self._ask = ask
        self._line = 0
        self._noted: tuple[CodeEditor, int] | None = None
        self._code = ""
        self._values: list[LineValue] | None = None
        self._asked = 0
        pane.line_pointed.connect(self._on_line_pointed)
        pane.tab_shown.connect(lambda: self._on_line_pointed(0))

    def forget(self) -> None:
        """Ask again at the next line: code has run, or another conversation is shown."""
        self._values = None
        self._asked += 1
        if self._line:
            self._on_line_pointed(self._line)

    def _on_line_pointed(self, line: int) -> None:
        self._line = line
        self._clear()
        if not line or self._pane.current.state == "past":  # which shows them all
            return
        code = self._pane.text()
        if self._values is not None and code == self._code:
            self._show()
        elif code.strip():
            self._code, self._values = code, None
            self._asked += 1
            self._tasks.start(self._fetch(code, self._asked))

    async def _fetch(self, code: str, number: int) -> None:
        try:
            values = await self._ask(code)
        except AppError:  # a kernel that is stuck: there is nothing to show
            return
        if number == self._asked:
            self._values = values
            self._show()

    def _show(self) -> None:
        found = [one for one in self._values or () if one.line <= self._line <= one.last_line]
        if not found:
            return
        editor = self._pane.editor
        editor.set_line_note(self._line, value_words(found), is_passing=True)
        self._noted = editor, self._line

    def _clear(self) -> None:
        if self._noted is not None:
            editor, line = self._noted
            self._noted = None
            editor.set_line_note(line, "", is_passing=True)


def value_words(values: Sequence[LineValue]) -> str:
    """Return what a line assigned in a few words."""
    words = ", ".join(f"{one.name} = {one.text}" for one in values[:_NAMES_SHOWN])
    if len(values) > _NAMES_SHOWN:
        words += " …"
    if all(one.is_exact for one in values):
        return words
    seen = next((one for one in values if len(one.seen) > 1), None)
    if seen is None:
        return tr("{values} at the end", values=words)
    return tr(
        "{values} at the end; {name} was seen as {seen}",
        values=words,
        name=seen.name,
        seen=", ".join(seen.seen),
    )
