"""The timeline for assistive technology: a list of its entries, and announcements of new ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QWindow,
)
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from playhead.ui.timeline.model.rows import CodeState, Row, RowKind
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.timeline.scroll.canvas import Canvas

_MOST_CHARS = 2_000
"""Of one entry; a screen reader is no place for a log of megabytes."""
_KINDS: dict[RowKind, str] = {
    "answer": mark("Answer"),
    "question": mark("You"),
    "attachment": mark("Attachment"),
    "reasoning": mark("Thoughts"),
    "plan": mark("Plan"),
    "code": mark("Code"),
    "markup": mark("Web page"),
    "page": mark("Web page"),
    "rendered": mark("Result"),
    "console": mark("Output"),
    "image": mark("Picture"),
    "table": mark("Table"),
    "files": mark("Files"),
    "undone": mark("Files"),
    "problem": mark("Error"),
    "failure": mark("Error"),
    "tool_call": mark("Tool"),
    "tool_result": mark("Result"),
    "input": mark("Input"),
    "citation": mark("Sources"),
    "versions": mark("Versions"),
}
_STATES: dict[CodeState, str] = {
    "writing": mark("being written"),
    "queued": mark("queued"),
    "waiting": mark("waiting for you"),
    "running": mark("running"),
    "ran": mark("ran"),
    "stopped": mark("stopped"),
    "failed": mark("failed"),
    "skipped": mark("skipped"),
}


def spoken_text(row: Row) -> str:
    """Return an entry in words: its kind, its state, its text."""
    kind = tr(_KINDS.get(row.kind, "")) or tr("Note")
    if row.kind == "code":
        kind = " ".join(filter(None, (row.language, kind)))
    state = ", ".join(filter(None, (kind, _state_of(row), row.detail)))
    note = f"{row.note.title} {row.note.detail}".strip() if row.note else ""
    text = (note or row.text or ", ".join(row.items)).strip()
    return f"{state}: {text[:_MOST_CHARS]}" if text else state


def _state_of(row: Row) -> str:
    for state, words in _STATES.items():
        if row.state == state:
            return tr(words)
    return ""


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader say something now, though the focus is elsewhere."""
    if QAccessible.isActive() and words:
        event = QAccessibleAnnouncementEvent(widget, words)
        QAccessible.updateAccessibility(event)


class AccessibleEntry(QAccessibleInterface):
    """One entry, whatever its row is now. Owner: the face of the list, until Qt deletes it."""

    def __init__(self, owner: AccessibleTimeline, row: Row) -> None:
        super().__init__()
        self._owner = owner
        self.row = row

    def isValid(self) -> bool:
        """Return whether the entry is still shown."""
        return self._owner.index_of(self.row) >= 0

    def object(self) -> QObject | None:  # type: ignore[override]  # it has no widget
        """Return None: the entry is drawn."""
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        """Return the list's window."""
        return self._owner.window()

    def parent(self) -> QAccessibleInterface:
        """Return the list."""
        return self._owner

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Return None: an entry has no children."""
        return None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Return None: an entry has no children."""
        return None

    def childCount(self) -> int:
        """Return 0: an entry has no children."""
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Return -1: an entry has no children."""
        return -1

    def role(self) -> QAccessible.Role:
        """Return the role of a list item."""
        return QAccessible.Role.ListItem

    def text(self, kind: QAccessible.Text) -> str:
        """Return its words as its name."""
        return spoken_text(self.row) if kind == QAccessible.Text.Name else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Ignore the text: an entry cannot be written to."""

    def rect(self) -> QRect:
        """Return where it is on the screen."""
        return self._owner.rect_of(self.row)

    def state(self) -> QAccessible.State:
        """Return its state: focused if the keyboard's ring is around it."""
        state = QAccessible.State()
        state.readOnly = state.focusable = True  # type: ignore[attr-defined]
        state.focused = self._owner.is_ringed(self.row)  # type: ignore[attr-defined]
        return state


class AccessibleTimeline(QAccessibleWidget):
    """The timeline as a list of its entries, after which its own widgets come. Owner: the view."""

    def __init__(self, view: QWidget, canvas: Canvas) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view
        self._canvas = canvas
        self._faces: dict[str, AccessibleEntry] = {}
        view.destroyed.connect(self._forget_all)

    def childCount(self) -> int:
        """Return the number of its entries and its widgets."""
        return len(self._canvas.model.rows) + super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Return an entry, or one of its widgets."""
        rows = self._canvas.model.rows
        if 0 <= index < len(rows):
            return self.face(rows[index])
        return super().child(index - len(rows))

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Return the index of an entry or a widget."""
        if isinstance(child, AccessibleEntry):
            return self.index_of(child.row)
        index = super().indexOfChild(child)
        return index + len(self._canvas.model.rows) if index >= 0 else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Return what is at a point of the screen."""
        point = self._canvas.port.from_global(QPoint(x, y))
        for index in self._canvas.visible_rows():
            if self._canvas.card_rect(index).contains(point):
                return self.face(self._canvas.model.rows[index])
        return super().childAt(x, y)

    def face(self, row: Row) -> AccessibleEntry:
        """Return the one interface of an entry: Qt knows it by its identity."""
        face = self._faces.get(row.key)
        if face is None:
            face = self._faces[row.key] = AccessibleEntry(self, row)
        face.row = row
        return face

    def index_of(self, row: Row) -> int:
        """Return the index of an entry; -1 when it is gone."""
        index = self._canvas.model.index_of(row.key)
        return -1 if index is None else index

    def rect_of(self, row: Row) -> QRect:
        """Return where an entry is on the screen."""
        index = self.index_of(row)
        if index < 0 or index >= self._canvas.sheet.count:
            return QRect()
        port = self._canvas.port
        rect = port.to_screen(self._canvas.card_rect(index))
        return QRect(port.widget.mapToGlobal(rect.topLeft()), rect.size())

    def is_ringed(self, row: Row) -> bool:
        """Return whether the keyboard is at an entry."""
        return self._canvas.ringed == row.key and self._view.hasFocus()

    def report_focus(self, key: str) -> None:
        """Report that the keyboard moved to an entry."""
        index = self._canvas.model.index_of(key)
        if index is not None:
            face = self.face(self._canvas.model.rows[index])
            QAccessible.updateAccessibility(QAccessibleEvent(face, QAccessible.Event.Focus))

    def report_change(self) -> None:
        """Report that there are other entries now."""
        for key in list(self._faces):
            index = self._canvas.model.index_of(key)
            if index is None:
                self._forget(key)
            else:
                self._faces[key].row = self._canvas.model.rows[index]
        QAccessible.updateAccessibility(
            QAccessibleEvent(self._view, QAccessible.Event.ObjectReorder)
        )

    def _forget(self, key: str) -> None:
        """Have Qt delete an interface: it keeps the address of each that it has seen."""
        face = self._faces.pop(key)  # alive until Qt has deleted it
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(face))

    def _forget_all(self) -> None:
        for key in list(self._faces):
            self._forget(key)


@cache
def install_accessibility() -> None:
    """Have Qt ask here for the interface of a timeline; once for the application."""
    QAccessible.installFactory(_accessible_of)


def _accessible_of(name: str, widget: QObject) -> QAccessibleInterface | None:
    make: Callable[[], QAccessibleInterface] | None = getattr(widget, "accessible_face", None)
    return make() if name == "TimelineView" and make is not None else None
