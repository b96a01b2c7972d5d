"""All shortcuts on one page (F1), by the place where they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.actions import COMMANDS
from playhead.ui.editor.keys import EDITOR_COMMANDS
from playhead.ui.theme import GAP_L, GAP_XL, GAP_XXL
from playhead.ui.wording import mark, tr

_WIDTH_PX, _HEIGHT_PX = 560, 640


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What a key does, and where: `place` is the heading that it stands under."""

    place: str
    text: str
    keys: str


# What is not in a table of commands of its own.
_FIXED = (
    Shortcut(mark("When code waits for you"), mark("Run it"), "Ctrl+Return"),
    Shortcut(
        mark("When code waits for you"), mark("Run it and all that follows"), "Ctrl+Shift+Return"
    ),
    Shortcut(mark("When code waits for you"), mark("Edit it first"), "Ctrl+E"),
    Shortcut(mark("When code waits for you"), mark("Skip it"), "Ctrl+."),
    Shortcut(mark("When code waits for you"), mark("Skip it and say why"), "Ctrl+Shift+."),
    Shortcut(mark("Message field"), mark("Send"), "Return"),
    Shortcut(mark("Message field"), mark("New line"), "Shift+Return"),
    Shortcut(mark("Message field"), mark("Earlier messages"), "Up"),
    Shortcut(mark("Message field"), mark("Edit the last message and send it anew"), "Ctrl+Up"),
    Shortcut(mark("Message field"), mark("Stop, or leave what is edited"), "Esc"),
    Shortcut(mark("Message field"), mark("From the empty field to the attachments"), "Backspace"),
    Shortcut(mark("Conversation"), mark("Next button"), "Tab"),
    Shortcut(mark("Conversation"), mark("Find"), "Ctrl+F"),
    Shortcut(mark("Conversation"), mark("Find next"), "F3"),
    Shortcut(mark("Conversation"), mark("Find previous"), "Shift+F3"),
    Shortcut(mark("Conversation"), mark("Next entry"), "Down"),
    Shortcut(mark("Conversation"), mark("Previous entry"), "Up"),
    Shortcut(mark("Conversation"), mark("Open or fold the entry"), "Return"),
    Shortcut(mark("Conversation"), mark("Copy the entry"), "C"),
    Shortcut(mark("Conversation"), mark("Run the entry's code"), "R"),
    Shortcut(mark("Conversation"), mark("Edit the question and send it again"), "E"),
    Shortcut(mark("Conversation"), mark("Delete the entry's turn"), "Del"),
    Shortcut(mark("Conversation"), mark("Previous version"), "Alt+Left"),
    Shortcut(mark("Conversation"), mark("Next version"), "Alt+Right"),
    Shortcut(mark("Conversation"), mark("Draw the selection on"), "Shift+Down"),
    Shortcut(mark("Conversation"), mark("Menu of the entry"), "Shift+F10"),
    Shortcut(mark("Conversation"), mark("Copy what is selected"), "Ctrl+C"),
    Shortcut(mark("Conversation"), mark("Copy it as Markdown"), "Ctrl+Shift+C"),
    Shortcut(mark("Conversation"), mark("Jump to the latest"), "End"),
    Shortcut(mark("Sidebar"), mark("Rename"), "F2"),
    Shortcut(mark("Sidebar"), mark("Delete"), "Del"),
    Shortcut(mark("Sidebar"), mark("Undo a deletion"), "Ctrl+Z"),
    Shortcut(mark("Sidebar"), mark("Menu"), "Shift+F10"),
)


def all_shortcuts() -> list[Shortcut]:
    """Those of the window, then those of its parts."""
    window = [
        Shortcut(tr("Everywhere"), tr(command.text), command.keys)
        for command in COMMANDS
        if command.keys
    ]
    editor = [
        Shortcut(tr("Editor"), tr(command.text), command.keys)
        for command in EDITOR_COMMANDS
        if command.keys
    ]
    fixed = [Shortcut(tr(one.place), tr(one.text), one.keys) for one in _FIXED]
    return [*window, *fixed, *editor]


class ShortcutsPage(QDialog):
    """A list that can be searched; `open()` it, it never blocks the window's loop."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search by name or key"))
        self.field.setAccessibleName(tr("Search shortcuts"))
        self.field.setClearButtonEnabled(True)
        self._rows: list[tuple[Shortcut, Sequence[QLabel]]] = []
        self._headings: dict[str, QLabel] = {}
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName(tr("Shortcuts"))
        area.setWidget(self._make_rows())
        self._nothing = QLabel(tr("No shortcut is called like that."), self)
        self._nothing.setProperty("kind", "mute")
        self._nothing.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_XL)
        layout.setSpacing(GAP_L)
        for widget in (self.field, self._nothing, area):
            layout.addWidget(widget)
        self.field.textChanged.connect(self._filter)
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    @property
    def shown(self) -> list[Shortcut]:
        """Those that match what is typed."""
        return [shortcut for shortcut, labels in self._rows if not labels[0].isHidden()]

    def _make_rows(self) -> QWidget:
        page = QWidget()
        page.setProperty("kind", "page")
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, GAP_L, 0)
        grid.setHorizontalSpacing(GAP_XXL)
        grid.setVerticalSpacing(GAP_L // 2)
        grid.setColumnStretch(0, 1)
        row = 0
        for shortcut in all_shortcuts():
            if shortcut.place not in self._headings:
                heading = QLabel(shortcut.place, page)
                heading.setProperty("kind", "strong")
                heading.setContentsMargins(0, GAP_L if row else 0, 0, 0)
                self._headings[shortcut.place] = heading
                grid.addWidget(heading, row, 0, 1, 2)
                row += 1
            text = QLabel(shortcut.text, page)
            keys = QLabel(_native(shortcut.keys), page)
            keys.setProperty("kind", "chip")
            keys.setAccessibleName(f"{shortcut.text}: {shortcut.keys}")
            grid.addWidget(text, row, 0)
            grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight)
            self._rows.append((shortcut, (text, keys)))
            row += 1
        grid.setRowStretch(row, 1)
        return page

    def _filter(self, typed: str) -> None:
        words = typed.casefold().split()
        places: set[str] = set()
        for shortcut, labels in self._rows:
            text = f"{shortcut.text} {shortcut.keys} {shortcut.place}".casefold()
            is_wanted = all(word in text for word in words)
            if is_wanted:
                places.add(shortcut.place)
            for label in labels:
                label.setVisible(is_wanted)
        for place, heading in self._headings.items():
            heading.setVisible(place in places)
        self._nothing.setVisible(not places)


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
