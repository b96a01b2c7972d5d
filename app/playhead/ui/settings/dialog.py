"""The settings, page by page; saved beside the running program."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.settings import AppSettings
from playhead.errors import AppError
from playhead.session.ports import (
    ApiControl,
    Catalog,
    Interpreters,
    Keys,
    Maintenance,
    Provider,
    Settings,
)
from playhead.ui.file_dialogs import FileDialog
from playhead.ui.settings.api_section import ApiSection
from playhead.ui.settings.conversation import ConversationPage
from playhead.ui.settings.form_rows import FieldError, dress_choices
from playhead.ui.settings.look import LookPage
from playhead.ui.settings.models import ModelPorts, ModelsPage
from playhead.ui.settings.network import NetworkPage
from playhead.ui.settings.pages import SettingsPages
from playhead.ui.settings.profiles import ProfilesPage
from playhead.ui.settings.reset_dialog import ResetDialog
from playhead.ui.settings.run_section import RunSection
from playhead.ui.settings.running import InterpreterSection
from playhead.ui.settings.storage import StoragePage
from playhead.ui.tasks import TaskOwner
from playhead.ui.wording import tr

_SIZE_PX = (760, 640)
_MARGIN_PX = 16
_FRAME_PX = 60  # what the system puts around a window


class SettingsDialog(QDialog):
    """Open it with `open()`; it never blocks the window's loop.

    Signals: `saved(AppSettings)` when settings and key are stored, `was_reset(str)` with the folder
    of the backup. Errors stand in the dialog.
    """

    saved = Signal(object)
    was_reset = Signal(str)

    def __init__(
        self,
        settings: Settings,
        keys: Keys,
        catalog: Catalog,
        interpreters: Interpreters,
        provider: Provider,
        api: ApiControl,
        parent: QWidget | None = None,
        upkeep: Maintenance | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._upkeep = upkeep
        self._interpreters = interpreters
        self.tasks = TaskOwner(self)
        self.tasks.failed.connect(self._on_failed)
        self.setWindowTitle(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        current = settings.current
        ports = ModelPorts(keys, catalog, provider)
        self.models = ModelsPage(current, ports, self.tasks, self.values)
        self.form = self.models.form
        self.profiles = ProfilesPage(current, self._model_now)
        self.conversation = ConversationPage(current, catalog.built_in_prompt())
        self.interpreter = InterpreterSection(current)
        self.running = RunSection(current)
        self.look = LookPage(current)
        self.network = NetworkPage(current)
        self.programs = ApiSection(api, settings, self.tasks)
        self.storage = StoragePage(upkeep.places, self.tasks) if upkeep else None
        self.pages = SettingsPages(self)
        self._problem = QLabel(self)
        self._problem.setProperty("kind", "danger")
        self._problem.setWordWrap(True)
        self._problem.hide()
        self._lay_out()
        self._connect()
        self.interpreter.show_environment(interpreters.status)
        dress_choices(self)
        self._take_room()
        self.tasks.start(self._load_interpreters())

    @property
    def problem(self) -> str:
        """The error that stands above the buttons."""
        return self._problem.text()

    def show_programs(self) -> None:
        """Turn to the page for other programs."""
        self.pages.show_field(self.programs.enabled)

    def show_storage(self) -> None:
        """Turn to the page of the folders."""
        if self.storage is not None:
            self.pages.show_page("storage")

    def values(self) -> AppSettings:
        """The settings as all fields have them. Raises FieldError."""
        values = self._settings.current
        for page in (
            self.models,
            self.conversation,
            self.interpreter,
            self.running,
            self.look,
            self.network,
            self.programs,
            self.profiles,
        ):
            values = page.values(values)
        return values

    def save(self) -> None:
        """What the Save button does."""
        self.tasks.start(self._save())

    def check(self) -> None:
        """What the Check button does."""
        self.models.check()

    def ask_reset(self) -> None:
        """What the Reset… button does."""
        if self._upkeep is not None:
            dialog = ResetDialog(self._upkeep.resetting, self)
            dialog.was_reset.connect(self._on_reset)
            dialog.open()

    def done(self, result: int) -> None:
        """Closing leaves nothing running."""
        self.models.close_down()
        self.tasks.cancel()
        self.programs.close_down()
        super().done(result)

    def _take_room(self) -> None:
        """As large as is good to read, as far as the screen has room."""
        room = self.screen().availableSize()
        width, height = _SIZE_PX
        least = self.pages.needed_width() + 2 * _MARGIN_PX
        self.setMinimumWidth(min(least, room.width() - _FRAME_PX))
        self.resize(min(width, room.width()), min(height, room.height() - _FRAME_PX))

    def _lay_out(self) -> None:
        pages = self.pages
        pages.add("models", tr("Models"), self.models)
        pages.add("profiles", tr("Profiles"), self.profiles)
        pages.add("conversation", tr("Conversation"), self.conversation)
        pages.add("running", tr("Running"), self.interpreter, self.running)
        pages.add("look", tr("Look"), self.look)
        pages.add("network", tr("Network"), self.network)
        pages.add("programs", tr("Other programs"), self.programs)
        if self.storage is not None:
            pages.add("storage", tr("Storage"), self.storage)
        self.save_button = QPushButton(tr("Save"), self)
        self.save_button.setProperty("kind", "primary")
        self.save_button.setDefault(True)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        buttons = QHBoxLayout()
        buttons.addWidget(self._problem, 1)
        buttons.addStretch(0)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        layout.setSpacing(12)
        self.setTabOrder(self.cancel_button, self.save_button)
        layout.addWidget(pages, 1)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        self.interpreter.browse_requested.connect(self._on_browse)
        self.save_button.clicked.connect(self.save)
        self.cancel_button.clicked.connect(self.reject)
        if self.storage is not None:
            self.storage.reset_requested.connect(self.ask_reset)
            self.pages.turned.connect(self._on_turned)

    async def _load_interpreters(self) -> None:
        found = await self._interpreters.found()
        self.interpreter.show_interpreters(found, self.interpreter.chosen)

    async def _save(self) -> None:
        self._show_problem("")
        try:
            values = self.values()
        except FieldError as error:
            self._show_problem(str(error))
            return
        await self.models.keep_key()
        await self._settings.save(values)
        self.saved.emit(values)
        self.accept()

    async def _add_interpreter(self, path: str) -> None:
        interpreter = await self._interpreters.probe(path)
        found = await self._interpreters.found()
        known = [one for one in found if one.path != interpreter.path]
        self.interpreter.show_interpreters([*known, interpreter], interpreter.path)

    def _model_now(self) -> tuple[str, str]:
        return self.form.chosen_model, self.form.api_base

    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def _on_turned(self, name: str) -> None:
        if name == "storage" and self.storage is not None:
            self.storage.count()

    def _on_reset(self, folder: str) -> None:
        """What the fields say is over."""
        self.saved.emit(self._settings.current)
        self.was_reset.emit(folder)
        self.reject()

    def _on_failed(self, error: AppError) -> None:
        self._show_problem(str(error))

    def _on_browse(self) -> None:
        dialog = FileDialog(self, tr("Choose a Python interpreter"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.tasks.start(self._add_interpreter(path)))
        dialog.open()
