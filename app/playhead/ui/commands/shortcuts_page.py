"""The page of all shortcuts (F1), by the place where they work; it also records new keys."""

from __future__ import annotations

from msgspec import Struct
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.commands.key_bindings import EDITOR, PLACES, Binding, KeyBindings, all_bindings
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XL, GAP_XXL, fit_on_screen
from playhead.ui.widgets.wording import mark, tr

_MODIFIERS = {"Ctrl", "Alt", "Meta"}


def native(keys: str) -> str:
    """Return keys as the system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def is_typed(keys: str) -> bool:
    """Return whether keys type text or move the cursor, so that text fields need them."""
    sequence = QKeySequence(keys)
    if sequence.isEmpty():
        return False
    parts = sequence.toString(QKeySequence.SequenceFormat.PortableText).split("+")
    is_function = parts[-1][:1] == "F" and parts[-1][1:].isdigit()
    return not is_function and not _MODIFIERS & set(parts[:-1])


class ShortcutRecorder(QStackedWidget):
    """Shows a hint, or asks for the keys of one command. Signal: `left(str id)`."""

    left = Signal(str)

    def __init__(self, keys: KeyBindings, parent: QWidget) -> None:
        super().__init__(parent)
        self._keys = keys
        self._binding: Binding | None = None
        self.reset_all_button = QPushButton(tr("Reset all"), self)
        self.edit = QKeySequenceEdit(self)
        self.edit.setMaximumSequenceLength(1)
        self.edit.setAccessibleName(tr("New keys"))
        self.set_button = QPushButton(tr("Set"), self)
        self.set_button.setProperty("kind", "primary")
        self.none_button = QPushButton(tr("No keys"), self)
        self.reset_button = QPushButton(tr("Reset"), self)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self._question = QLabel(self)
        self._question.setProperty("kind", "strong")
        self.addWidget(self._make_rest())
        self.addWidget(self._make_asking())
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self.edit.keySequenceChanged.connect(self._check)
        self.set_button.clicked.connect(lambda: self._take(self._typed()))
        self.none_button.clicked.connect(lambda: self._take(""))
        self.reset_button.clicked.connect(self._on_reset)
        self.cancel_button.clicked.connect(self._leave)
        self.reset_all_button.clicked.connect(keys.reset_all)
        keys.changed.connect(self._show_rest)
        self._show_rest()

    def begin(self, binding: Binding) -> None:
        """Ask for the keys of a command."""
        self._binding = binding
        self._question.setText(tr("Press the new keys for “{text}”", text=tr(binding.text)))
        self.reset_button.setEnabled(self._keys.is_own(binding.id))
        self.none_button.setEnabled(bool(self._keys.keys(binding.id)))
        self.edit.clear()
        self._check()
        self.setCurrentIndex(1)
        self.edit.setFocus()

    def _make_rest(self) -> QWidget:
        page = QWidget(self)
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        hint = QLabel(tr("Click keys to change them."), page)
        hint.setProperty("kind", "mute")
        row.addWidget(hint)
        row.addStretch(1)
        row.addWidget(self.reset_all_button)
        return page

    def _make_asking(self) -> QWidget:
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP_M)
        row = QHBoxLayout()
        row.addWidget(self.edit, 1)
        for button in (self.set_button, self.none_button, self.reset_button, self.cancel_button):
            row.addWidget(button)
        column.addWidget(self._question)
        column.addLayout(row)
        column.addWidget(self.note)
        return page

    def _typed(self) -> str:
        return self.edit.keySequence().toString()

    def _check(self) -> None:
        """Show which command has the keys now, or why they cannot be used."""
        keys, binding = self._typed(), self._binding
        if binding is None:
            return
        if keys == "Esc":
            self._leave()
            return
        holder = self._keys.holder(keys, binding.id) if keys else None
        if is_typed(keys):
            self._show_note(
                "danger", tr("{keys} is needed for typing. Add Ctrl or Alt.", keys=keys)
            )
        elif holder is not None:
            other = tr(holder.text)
            self._show_note(
                "warn", tr("{keys} is “{text}”, which would go without.", keys=keys, text=other)
            )
        else:
            self._show_note("mute", "" if keys else tr("Esc leaves it as it is."))
        self.set_button.setEnabled(bool(keys) and not is_typed(keys))
        self.set_button.setText(tr("Take them") if holder else tr("Set"))

    def _show_note(self, kind: str, words: str) -> None:
        self.note.setProperty("kind", kind)
        self.note.style().unpolish(self.note)
        self.note.style().polish(self.note)
        self.note.setText(words)

    def _take(self, keys: str) -> None:
        if self._binding is not None:
            self._keys.set(self._binding.id, keys)
        self._leave()

    def _on_reset(self) -> None:
        if self._binding is not None:
            self._keys.reset(self._binding.id)
        self._leave()

    def _leave(self) -> None:
        binding, self._binding = self._binding, None
        self.setCurrentIndex(0)
        if binding is not None:
            self.left.emit(binding.id)

    def _show_rest(self) -> None:
        self.reset_all_button.setEnabled(bool(self._keys.own))


_WIDTH_PX, _HEIGHT_PX = 560, 640


class Shortcut(Struct, frozen=True, kw_only=True):
    """The keys of an action; `place` is the heading that it is listed under."""

    place: str
    text: str
    keys: str
    binding: Binding | None = None


# Keys for typing and moving are the same everywhere and cannot be changed.
_FIXED = (
    Shortcut(place=mark("Message field"), text=mark("Send"), keys="Return"),
    Shortcut(place=mark("Message field"), text=mark("New line"), keys="Shift+Return"),
    Shortcut(place=mark("Message field"), text=mark("Earlier messages"), keys="Up"),
    Shortcut(
        place=mark("Message field"),
        text=mark("Edit the last message and send it again"),
        keys="Ctrl+Up",
    ),
    Shortcut(place=mark("Message field"), text=mark("Stop, or leave what is edited"), keys="Esc"),
    Shortcut(
        place=mark("Message field"),
        text=mark("From the empty field to the attachments"),
        keys="Backspace",
    ),
    Shortcut(place=mark("Conversation"), text=mark("Next button"), keys="Tab"),
    Shortcut(place=mark("Conversation"), text=mark("Next entry"), keys="Down"),
    Shortcut(place=mark("Conversation"), text=mark("Previous entry"), keys="Up"),
    Shortcut(place=mark("Conversation"), text=mark("Open or fold the entry"), keys="Return"),
    Shortcut(place=mark("Conversation"), text=mark("Copy the entry"), keys="C"),
    Shortcut(place=mark("Conversation"), text=mark("Run the entry's code"), keys="R"),
    Shortcut(
        place=mark("Conversation"), text=mark("Edit the question and send it again"), keys="E"
    ),
    Shortcut(place=mark("Conversation"), text=mark("Delete the entry's turn"), keys="Del"),
    Shortcut(place=mark("Conversation"), text=mark("Previous version"), keys="Alt+Left"),
    Shortcut(place=mark("Conversation"), text=mark("Next version"), keys="Alt+Right"),
    Shortcut(place=mark("Conversation"), text=mark("Draw the selection on"), keys="Shift+Down"),
    Shortcut(place=mark("Conversation"), text=mark("Menu of the entry"), keys="Shift+F10"),
    Shortcut(place=mark("Conversation"), text=mark("Copy what is selected"), keys="Ctrl+C"),
    Shortcut(place=mark("Conversation"), text=mark("Copy it as Markdown"), keys="Ctrl+Shift+C"),
    Shortcut(place=mark("Conversation"), text=mark("Jump to the latest"), keys="End"),
    Shortcut(place=mark("Playhead"), text=mark("Look at the run before"), keys="Up"),
    Shortcut(place=mark("Playhead"), text=mark("Look at the next run"), keys="Down"),
    Shortcut(place=mark("Playhead"), text=mark("A line back in its code"), keys="Shift+Up"),
    Shortcut(place=mark("Playhead"), text=mark("A line on in its code"), keys="Shift+Down"),
    Shortcut(place=mark("Playhead"), text=mark("Look at the first run"), keys="Home"),
    Shortcut(place=mark("Playhead"), text=mark("Back to now"), keys="Esc"),
    Shortcut(place=mark("Sidebar"), text=mark("Rename"), keys="F2"),
    Shortcut(place=mark("Sidebar"), text=mark("Delete"), keys="Del"),
    Shortcut(place=mark("Sidebar"), text=mark("Undo a deletion"), keys="Ctrl+Z"),
    Shortcut(place=mark("Sidebar"), text=mark("Menu"), keys="Shift+F10"),
)


def all_shortcuts(keys: KeyBindings | None = None) -> list[Shortcut]:
    """Return the shortcuts of the window, then those of its parts.

    With `keys` they include the user's own, and commands without any keys.
    """
    bound = [
        Shortcut(
            place=tr(PLACES[one.place]),
            text=tr(one.text),
            keys=keys.keys(one.id) if keys else one.keys,
            binding=one,
        )
        for one in all_bindings()
        if keys is not None or one.keys
    ]
    fixed = [Shortcut(place=tr(one.place), text=tr(one.text), keys=one.keys) for one in _FIXED]
    of_editor = [one for one in bound if one.binding and one.binding.place == EDITOR]
    before = [one for one in bound if one not in of_editor]
    places = dict.fromkeys(one.place for one in (*before, *fixed))
    parted = [one for place in places for one in (*before, *fixed) if one.place == place]
    return [*parted, *of_editor]


class ShortcutsPage(QDialog):
    """A list that can be searched and changed by a click; call `open()`, which does not block."""

    def __init__(self, keys: KeyBindings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Search by name or key"))
        self.field.setAccessibleName(tr("Search shortcuts"))
        self.field.setClearButtonEnabled(True)
        self._rows: list[tuple[Shortcut, tuple[QLabel, QWidget]]] = []
        self._headings: dict[str, QLabel] = {}
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setAccessibleName(tr("Shortcuts"))
        self._nothing = QLabel(tr("No shortcut is called like that."), self)
        self._nothing.setProperty("kind", "mute")
        self.recorder = ShortcutRecorder(keys, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_L)
        layout.setSpacing(GAP_L)
        layout.addWidget(self.field)
        layout.addWidget(self._nothing)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.recorder)
        self.field.textChanged.connect(self._filter)
        self.recorder.left.connect(self._focus_row)
        keys.changed.connect(self._show)
        self._show()
        fit_on_screen(self, _WIDTH_PX, _HEIGHT_PX)

    @property
    def shown(self) -> list[Shortcut]:
        """Return the shortcuts that match what is typed."""
        return [shortcut for shortcut, widgets in self._rows if not widgets[0].isHidden()]

    def button(self, id_: str) -> QPushButton:
        """Return the button that changes the keys of a command."""
        for shortcut, (_, widget) in self._rows:
            if shortcut.binding and shortcut.binding.id == id_:
                assert isinstance(widget, QPushButton)  # noqa: S101 - bound ones have a button
                return widget
        raise KeyError(id_)

    def _show(self) -> None:
        at = self._area.verticalScrollBar().value()
        self._rows.clear()
        self._headings.clear()
        rows = self._make_rows()
        self._area.setWidget(rows)
        self._filter(self.field.text())
        rows.adjustSize()
        self._area.verticalScrollBar().setValue(at)

    def _focus_row(self, id_: str) -> None:
        self.button(id_).setFocus()

    def _make_rows(self) -> QWidget:
        page = QWidget()
        page.setProperty("kind", "page")
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, GAP_L, 0)
        grid.setHorizontalSpacing(GAP_XXL)
        grid.setVerticalSpacing(GAP_L // 2)
        grid.setColumnStretch(0, 1)
        row = 0
        for shortcut in all_shortcuts(self._keys):
            if shortcut.place not in self._headings:
                heading = QLabel(shortcut.place, page)
                heading.setProperty("kind", "strong")
                heading.setContentsMargins(0, GAP_L if row else 0, 0, 0)
                self._headings[shortcut.place] = heading
                grid.addWidget(heading, row, 0, 1, 2)
                row += 1
            text = QLabel(shortcut.text, page)
            keys = self._make_keys(shortcut, page)
            grid.addWidget(text, row, 0)
            grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight)
            self._rows.append((shortcut, (text, keys)))
            row += 1
        grid.setRowStretch(row, 1)
        return page

    def _make_keys(self, shortcut: Shortcut, page: QWidget) -> QWidget:
        binding = shortcut.binding
        if binding is None:
            label = QLabel(native(shortcut.keys), page)
            label.setProperty("kind", "chip")
            label.setAccessibleName(f"{shortcut.text}: {shortcut.keys}")
            return label
        words = native(shortcut.keys) or tr("None")
        button = QPushButton(f"{words} •" if self._keys.is_own(binding.id) else words, page)
        button.setProperty("kind", "chip")
        button.setAutoDefault(False)
        button.setToolTip(
            tr("Changed by you. Click to change it again")
            if self._keys.is_own(binding.id)
            else tr("Click to change it")
        )
        button.setAccessibleName(tr("{text}: {keys}. Change it", text=shortcut.text, keys=words))
        button.clicked.connect(lambda: self.recorder.begin(binding))
        return button

    def _filter(self, typed: str) -> None:
        words = typed.casefold().split()
        places: set[str] = set()
        for shortcut, widgets in self._rows:
            text = f"{shortcut.text} {shortcut.keys} {shortcut.place}".casefold()
            is_wanted = all(word in text for word in words)
            if is_wanted:
                places.add(shortcut.place)
            for widget in widgets:
                widget.setVisible(is_wanted)
        for place, heading in self._headings.items():
            heading.setVisible(place in places)
        self._nothing.setVisible(not places)
