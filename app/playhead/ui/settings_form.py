"""The fields of the settings dialog: widgets, and the values in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from playhead.conversation.requests import (
    DIRECT_MODEL,
    SCALES_PERCENT,
    AppSettings,
    EnvironmentStatus,
    Interpreter,
    LocalServer,
)
from playhead.ui.form_rows import Note, add_row, form_grid, line, number_in
from playhead.ui.wording import mark, tr, tr_n

DIRECT_LABEL = mark("Direct mode (no model: what you type as code runs)")
MANAGED_LABEL = mark("Playhead's own environment (default)")
_THEMES = (("system", mark("Like the system")), ("light", mark("Light")), ("dark", mark("Dark")))


class SettingsForm(QWidget):
    """Signals: `model_changed()` when model or address changed, `key_typed()`,
    `check_requested()`, `key_removal_requested()`, `interpreter_browse_requested()`.
    """

    model_changed = Signal()
    key_typed = Signal()
    check_requested = Signal()
    key_removal_requested = Signal()
    interpreter_browse_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._servers: dict[str, str] = {}
        self._model_before = ""
        self.model = self._make_model()
        self.model_field = self.model.lineEdit() or QLineEdit()  # none only if it is not editable
        self.api_base = line(tr("The provider's own address"))
        self.api_key = line("")
        self.api_key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key_note = Note()
        self.remove_key = QPushButton(tr("Remove"))
        self.check_button = QPushButton(tr("Check"))
        self.check_result = Note()
        self.servers_note = Note()
        self.temperature = line(tr("The provider's default"))
        self.max_tokens = line(tr("The provider's default"))
        self.max_steps = line("20")
        self.instructions = QPlainTextEdit()
        self.instructions.setPlaceholderText(tr("Told to the model in every conversation"))
        self.instructions.setFixedHeight(84)
        self.instructions.setTabChangesFocus(True)
        self.interpreter = QComboBox()
        self.browse = QPushButton(tr("Choose…"))
        self.environment_note = Note()
        self.theme = QComboBox()
        for mode, label in _THEMES:
            self.theme.addItem(label, mode)
        self.scale = QComboBox()
        for percent in SCALES_PERCENT:
            self.scale.addItem(f"{percent} %", percent)
        self.scale_note = Note()
        self._name_widgets()
        self._lay_out()
        self._connect()

    def show_settings(self, settings: AppSettings) -> None:
        """Fill the fields."""
        self._model_before = settings.model or tr(DIRECT_LABEL)
        self.model.setEditText(self._model_before)
        self.api_base.setText(settings.api_base)
        self.temperature.setText("" if settings.temperature is None else f"{settings.temperature}")
        self.max_tokens.setText("" if settings.max_tokens is None else f"{settings.max_tokens}")
        self.max_steps.setText(f"{settings.max_steps}")
        self.instructions.setPlainText(settings.instructions)
        self.theme.setCurrentIndex(max(0, self.theme.findData(settings.theme)))
        self.scale.setCurrentIndex(max(0, self.scale.findData(settings.scale_percent)))
        self.scale_note.say(tr("Another size is there from the next start of Playhead on."))
        self.show_interpreters([], settings.interpreter)

    def values(self, before: AppSettings) -> AppSettings:
        """The settings as the fields have them. Raises FieldError."""
        steps = number_in(tr("Steps per turn"), self.max_steps, 1, 1000, int)
        return replace(
            before,
            model=self.chosen_model,
            api_base=self.api_base.text().strip(),
            temperature=number_in(tr("Temperature"), self.temperature, 0, 2, float),
            max_tokens=number_in(tr("Max tokens"), self.max_tokens, 1, 10_000_000, int),
            max_steps=before.max_steps if steps is None else steps,
            instructions=self.instructions.toPlainText().strip(),
            interpreter=self.interpreter.currentData() or "",
            theme=self.theme.currentData(),
            scale_percent=self.scale.currentData(),
        )

    @property
    def chosen_model(self) -> str:
        """The model string in the field; Direct mode is the empty one."""
        text = self.model.currentText().strip()
        return DIRECT_MODEL if text == tr(DIRECT_LABEL) else text

    def show_models(self, suggestions: Sequence[str], servers: Sequence[LocalServer]) -> None:
        """Offer models; those of servers on this machine first, with their address."""
        field = self.model_field
        text, position, is_selected = field.text(), field.cursorPosition(), field.hasSelectedText()
        self._servers = {model: one.api_base for one in servers for model in one.models}
        self.model.clear()
        self.model.addItem(tr(DIRECT_LABEL))
        self.model.addItems(list(self._servers))
        self.model.addItems([name for name in suggestions if name not in self._servers])
        self.model.setEditText(text)
        field.setCursorPosition(position)  # the servers come while somebody types
        if is_selected:
            field.selectAll()
        found = ", ".join(f"{one.name} ({_counted(len(one.models))})" for one in servers)
        self.servers_note.say(tr("Found on this machine: {found}", found=found) if found else "")

    def show_interpreters(self, found: Sequence[Interpreter], chosen: str) -> None:
        """Offer interpreters; the chosen one is kept even if it was not found."""
        self.interpreter.clear()
        self.interpreter.addItem(tr(MANAGED_LABEL), "")
        for one in found:
            if one.kind != "managed":
                self.interpreter.addItem(f"{one.label} · {one.path}", one.path)
        if chosen and self.interpreter.findData(chosen) < 0:
            self.interpreter.addItem(chosen, chosen)
        self.interpreter.setCurrentIndex(max(0, self.interpreter.findData(chosen)))

    def show_environment(self, status: EnvironmentStatus) -> None:
        """Say how the managed environment stands, if there is something to say."""
        self.environment_note.say(status.message)

    def _make_model(self) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setMaxVisibleItems(16)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.addItem(tr(DIRECT_LABEL))
        if completer := box.completer():
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(completer.CompletionMode.PopupCompletion)
        return box

    def _name_widgets(self) -> None:
        for widget, name in (
            (self.model, tr("Model")),
            (self.api_base, tr("API base")),
            (self.api_key, tr("API key")),
            (self.temperature, tr("Temperature")),
            (self.max_tokens, tr("Max tokens")),
            (self.max_steps, tr("Steps per turn")),
            (self.instructions, tr("Custom instructions")),
            (self.interpreter, tr("Interpreter")),
            (self.theme, tr("Theme")),
            (self.scale, tr("Size of everything")),
        ):
            widget.setAccessibleName(name)

    def _lay_out(self) -> None:
        grid = form_grid(self)
        for label, rows in (
            (tr("Model"), ([self.model], [self.servers_note])),
            (tr("API base"), ([self.api_base],)),
            (tr("API key"), ([self.api_key, self.remove_key], [self.key_note])),
            ("", ([self.check_button], [self.check_result])),
            (tr("Temperature"), ([self.temperature],)),
            (tr("Max tokens"), ([self.max_tokens],)),
            (tr("Steps per turn"), ([self.max_steps],)),
            (tr("Custom instructions"), ([self.instructions],)),
            (tr("Interpreter"), ([self.interpreter, self.browse], [self.environment_note])),
            (tr("Theme"), ([self.theme],)),
            (tr("Size of everything"), ([self.scale], [self.scale_note])),
        ):
            add_row(grid, label, rows)

    def _connect(self) -> None:
        self.model.editTextChanged.connect(self.model_changed)
        self.model.activated.connect(self._on_model_chosen)
        self.api_base.textChanged.connect(self.model_changed)
        self.api_key.textEdited.connect(self.key_typed)
        self.check_button.clicked.connect(self.check_requested)
        self.remove_key.clicked.connect(self.key_removal_requested)
        self.browse.clicked.connect(self.interpreter_browse_requested)

    def _on_model_chosen(self) -> None:
        """A model of a server on this machine brings its address; any other takes it away.

        A combo box says `activated` too when it only loses the focus: the model that was there
        before keeps the address that was typed for it.
        """
        model = self.model.currentText()
        if model == self._model_before:
            return
        self._model_before = model
        if model in self._servers:
            self.api_base.setText(self._servers[model])
        elif self.api_base.text() in self._servers.values():
            self.api_base.clear()


def _counted(models: int) -> str:
    return tr_n("%n models", models, one="1 model")
