"""The settings: model, key, interpreter, look, programs; saved beside the running program."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playhead.conversation.requests import KeyInfo, KeyringStatus, ModelSettings
from playhead.conversation.secret import Secret
from playhead.errors import AppError
from playhead.session.ports import ApiControl, Catalog, Interpreters, Keys, Provider, Settings
from playhead.ui.api_section import ApiSection
from playhead.ui.form_rows import FieldError
from playhead.ui.run_section import RunSection
from playhead.ui.settings_form import SettingsForm
from playhead.ui.tasks import TaskOwner
from playhead.ui.wording import tr

_KEY_DELAY_MS = 250
_HEIGHT_PX = 680
_FRAME_PX = 60  # what the system puts around a window


class SettingsDialog(QDialog):
    """Open it with `open()`; it never blocks the window's loop.

    Signal: `saved(AppSettings)` when settings and key are stored. Errors stand in the dialog.
    """

    saved = Signal(object)

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        catalog: Catalog,
        interpreters: Interpreters,
        provider: Provider,
        api: ApiControl,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys = keys
        self._catalog = catalog
        self._interpreters = interpreters
        self._provider = provider
        self._key_info = KeyInfo()
        self._is_checking = False
        self.tasks = TaskOwner(self)
        self.tasks.failed.connect(self._on_failed)
        self.setWindowTitle(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._seeks_programs = False
        self.form = SettingsForm(self)
        self.running = RunSection(settings.current, self)
        self.programs = ApiSection(api, settings, self.tasks, self)
        self._problem = QLabel(self)
        self._problem.setProperty("kind", "danger")
        self._problem.setWordWrap(True)
        self._problem.hide()
        self._key_timer = QTimer(self)
        self._key_timer.setSingleShot(True)
        self._key_timer.setInterval(_KEY_DELAY_MS)
        self._key_timer.timeout.connect(lambda: self.tasks.start(self._load_key()))
        self._lay_out()
        self._connect()
        self.form.show_settings(settings.current)
        self.form.show_models(catalog.suggestions(), [])
        self.form.show_environment(interpreters.status)
        self.form.model_field.selectAll()  # so that typing replaces it
        self.resize(min(600, self.screen().availableSize().width()), self._height_px())
        self.tasks.start(self._load_key())
        self.tasks.start(self._load_servers())
        self.tasks.start(self._load_interpreters())

    @property
    def problem(self) -> str:
        """The error that stands above the buttons."""
        return self._problem.text()

    def show_programs(self) -> None:
        """Bring the section for other programs into sight."""
        self._seeks_programs = True
        self.programs.enabled.setFocus()
        self._seek_programs()

    def save(self) -> None:
        """What the Save button does."""
        self.tasks.start(self._save())

    def check(self) -> None:
        """What the Check button does."""
        if not self._is_checking:
            self.tasks.start(self._check())

    def done(self, result: int) -> None:
        """Closing leaves nothing running."""
        self._key_timer.stop()
        self.tasks.cancel()
        self.programs.close_down()
        super().done(result)

    def _height_px(self) -> int:
        """All of the form, as far as the screen has room."""
        room = self.screen().availableSize().height() - _FRAME_PX
        return max(self.minimumSizeHint().height(), min(_HEIGHT_PX, room))

    def _lay_out(self) -> None:
        self._area = area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget(area)
        page.setProperty("kind", "page")
        inner = QVBoxLayout(page)
        inner.setContentsMargins(0, 0, 8, 0)
        inner.addWidget(self.form)
        inner.addWidget(self.running)
        inner.addWidget(self.programs)
        inner.addStretch(1)
        area.setWidget(page)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        room = self.screen().availableSize().width() - _FRAME_PX
        whole = page.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width()
        if whole > room:  # all is large on a small screen
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        area.setMinimumWidth(min(whole, room))
        self.save_button = QPushButton(tr("Save"), self)
        self.save_button.setProperty("kind", "primary")
        self.save_button.setDefault(True)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        for button in (self.form.check_button, self.form.remove_key, self.form.browse):
            button.setAutoDefault(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self._problem, 1)
        buttons.addStretch(0)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 16, 24, 16)
        layout.setSpacing(12)
        layout.addWidget(area, 1)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        self.form.model_changed.connect(self._on_model_changed)
        self.form.key_typed.connect(lambda: self.form.check_result.say(""))
        self.form.check_requested.connect(self.check)
        self.form.key_removal_requested.connect(lambda: self.tasks.start(self._remove_key()))
        self.form.interpreter_browse_requested.connect(self._on_browse)
        self.save_button.clicked.connect(self.save)
        self.cancel_button.clicked.connect(self.reject)
        bar = self._area.verticalScrollBar()
        bar.rangeChanged.connect(lambda: QTimer.singleShot(0, self, self._seek_programs))
        bar.actionTriggered.connect(self._on_scrolled)

    async def _load_key(self) -> None:
        """Read where the key of the chosen model is kept, and say so."""
        model = self.form.chosen_model
        name = self._key_name()
        self._key_info = await self._keys.get(name) if model else KeyInfo()
        status = await self._keys.status()
        form = self.form
        is_stored = self._key_info.source != "none"
        form.api_key.setEnabled(bool(model))
        form.api_key.setPlaceholderText("•" * 12 if is_stored else tr("Paste a key"))
        form.remove_key.setVisible(self._key_info.source in ("keyring", "session"))
        variable = self._catalog.key_variable(model) if model else ""
        words = key_words(model, self._key_info, status, variable)
        form.key_note.say(words)

    async def _load_servers(self) -> None:
        servers = await self._catalog.local_servers()
        self.form.show_models(self._catalog.suggestions(), servers)

    async def _load_interpreters(self) -> None:
        found = await self._interpreters.found()
        self.form.show_interpreters(found, self.form.interpreter.currentData() or "")

    async def _check(self) -> None:
        form = self.form
        self._is_checking = True  # a disabled button would hand its focus on
        form.check_result.say(tr("Asking the model…"))
        try:
            await self._load_key()  # the address may just have changed: never send another's key
            words = await self._provider.check(self._model_in_fields())
        except (AppError, FieldError) as error:
            form.check_result.say(str(error), "danger")
        else:
            form.check_result.say(words, "ok")
        finally:
            self._is_checking = False

    async def _save(self) -> None:
        self._show_problem("")
        try:
            values = self.running.values(self.form.values(self._settings.current))
            values = self.programs.values(values)
        except FieldError as error:
            self._show_problem(str(error))
            return
        if (typed := self.form.api_key.text().strip()) and values.model:
            await self._keys.set(self._key_name(), Secret(typed))
        await self._settings.save(values)
        self.saved.emit(values)
        self.accept()

    async def _remove_key(self) -> None:
        await self._keys.delete(self._key_name())
        self.form.api_key.clear()
        await self._load_key()

    async def _add_interpreter(self, path: str) -> None:
        interpreter = await self._interpreters.probe(path)
        found = await self._interpreters.found()
        known = [one for one in found if one.path != interpreter.path]
        self.form.show_interpreters([*known, interpreter], interpreter.path)

    def _key_name(self) -> str:
        return self._catalog.key_name(self.form.chosen_model, self.form.api_base.text().strip())

    def _model_in_fields(self) -> ModelSettings:
        values = self.form.values(self._settings.current)
        typed = self.form.api_key.text().strip()
        return ModelSettings(
            model=values.model,
            api_base=values.api_base or None,
            api_key=Secret(typed) if typed else self._key_info.secret,
            temperature=values.temperature,
            max_tokens=values.max_tokens,
        )

    def _seek_programs(self) -> None:
        """Keep the section in sight while words above it come and go, until the user scrolls."""
        if self._seeks_programs and (page := self._area.widget()) is not None:
            top = self.programs.mapTo(page, QPoint(0, 0)).y()
            self._area.verticalScrollBar().setValue(top)

    def _on_scrolled(self) -> None:
        self._seeks_programs = False

    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _on_failed(self, error: AppError) -> None:
        self._show_problem(str(error))

    def _on_model_changed(self) -> None:
        self.form.check_result.say("")
        self._key_timer.start()

    def _on_browse(self) -> None:
        dialog = QFileDialog(self, tr("Choose a Python interpreter"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.tasks.start(self._add_interpreter(path)))
        dialog.open()


def key_words(model: str, info: KeyInfo, status: KeyringStatus, variable: str) -> str:
    """Where the key is, or would be, kept."""
    if not model:
        return tr("Direct mode needs no key.")
    match info.source:
        case "environment":
            return tr(
                "Read from the environment variable {variable}. A key typed here goes first.",
                variable=info.variable,
            )
        case "keyring":
            return tr(
                "Kept in {backend}. Type another to replace it.",
                backend=status.backend or tr("the system keyring"),
            )
        case "session":
            return tr(
                "Kept in memory until Playhead ends. {message}", message=status.message
            ).strip()
        case "none":
            pass
    if status.is_usable:
        hint = (
            tr(" Or set {variable} before starting Playhead.", variable=variable)
            if variable
            else ""
        )
        return tr(
            "It will be kept in {backend}, nowhere else.{hint}",
            backend=status.backend or tr("the system keyring"),
            hint=hint,
        )
    is_named = not variable or variable in status.message
    hint = "" if is_named else tr(" This provider's variable is {variable}.", variable=variable)
    return f"{status.message}{hint}".strip()
