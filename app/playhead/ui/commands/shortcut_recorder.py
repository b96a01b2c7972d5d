"""The foot of the page of shortcuts: takes new keys for a command, and says who has them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.commands.shortcut_map import Binding, ShortcutMap
from playhead.ui.theme import GAP_M
from playhead.ui.wording import tr

_MODIFIERS = {"Ctrl", "Alt", "Meta"}


def native(keys: str) -> str:
    """Keys as the system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def is_typed(keys: str) -> bool:
    """Whether keys write something or walk: a shortcut of them would take them from all fields."""
    sequence = QKeySequence(keys)
    if sequence.isEmpty():
        return False
    parts = sequence.toString(QKeySequence.SequenceFormat.PortableText).split("+")
    is_function = parts[-1][:1] == "F" and parts[-1][1:].isdigit()
    return not is_function and not _MODIFIERS & set(parts[:-1])


class ShortcutRecorder(QStackedWidget):
    """Rests with a hint, or asks for the keys of one command. Signal: `left(str id)`."""

    left = Signal(str)

    def __init__(self, keys: ShortcutMap, parent: QWidget) -> None:
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
        self.edit.keySequenceChanged.connect(self._judge)
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
        self._judge()
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

    def _judge(self) -> None:
        """Say whose the keys are by now, or why they cannot be taken."""
        keys, binding = self._typed(), self._binding
        if binding is None:
            return
        if keys == "Esc":
            self._leave()
            return
        holder = self._keys.holder(keys, binding.id) if keys else None
        if is_typed(keys):
            self._say("danger", tr("{keys} is needed for typing. Add Ctrl or Alt.", keys=keys))
        elif holder is not None:
            other = tr(holder.text)
            self._say(
                "warn", tr("{keys} is “{text}”, which would go without.", keys=keys, text=other)
            )
        else:
            self._say("mute", "" if keys else tr("Esc leaves it as it is."))
        self.set_button.setEnabled(bool(keys) and not is_typed(keys))
        self.set_button.setText(tr("Take them") if holder else tr("Set"))

    def _say(self, kind: str, words: str) -> None:
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
