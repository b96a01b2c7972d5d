"""The settings dialog: its pages beside their list, saved while the program runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStackedWidget,
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
from playhead.ui.settings.api_page import ApiPage
from playhead.ui.settings.appearance_page import AppearancePage
from playhead.ui.settings.conversation_page import ConversationPage
from playhead.ui.settings.models_page import ModelPorts, ModelsPage
from playhead.ui.settings.network_page import NetworkPage
from playhead.ui.settings.profiles_page import ProfilesPage
from playhead.ui.settings.running_page import InterpreterSection, PolicySection, RunSection
from playhead.ui.settings.storage_page import ResetDialog, StoragePage
from playhead.ui.widgets.file_dialog import FileDialog, existing_folder
from playhead.ui.widgets.form import FieldError, style_combo_boxes
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr, tr_error

_LIST_PX = 148
_NARROW_PX = 620


class SettingsPages(QWidget):
    """A list of pages, each of which scrolls. Owner: the dialog. Signal: `turned(str name)`."""

    turned = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._areas: list[QScrollArea] = []
        self.list = QListWidget(self)
        self.list.setProperty("kind", "pages")
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setFixedWidth(_LIST_PX)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.menu = QComboBox(self)
        self.menu.setAccessibleName(tr("Pages of the settings"))
        self.stack = QStackedWidget(self)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(16)
        for widget in (self.list, self.menu, self.stack):
            self._layout.addWidget(widget, 1 if widget is self.stack else 0)
        self.menu.hide()
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.menu.currentIndexChanged.connect(self.list.setCurrentRow)

    @property
    def current(self) -> str:
        """Return the name of the page that is shown."""
        return self._names[self.stack.currentIndex()] if self._names else ""

    def add(self, name: str, title: str, *sections: QWidget) -> None:
        """Append a page of these sections."""
        area = QScrollArea(self.stack)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(area)
        page.setProperty("kind", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(12)
        # Sections are added last, because widgets that get another parent are styled again.
        area.setWidget(page)
        self.stack.addWidget(area)
        for section in sections:
            column.addWidget(section)
        column.addStretch(1)
        self._names.append(name)
        self._areas.append(area)
        self.menu.addItem(title)
        self.list.addItem(QListWidgetItem(title))
        if len(self._names) == 1:
            self.list.setCurrentRow(0)

    def show_page(self, name: str) -> None:
        """Show a page."""
        self.list.setCurrentRow(self._names.index(name))

    def show_field(self, field: QWidget) -> None:
        """Show the page of a field, scroll to the field and focus it."""
        for place, name in enumerate(self._names):
            area = self.area_of(name)
            if area.isAncestorOf(field):
                self.list.setCurrentRow(place)
                area.ensureWidgetVisible(field)
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def area_of(self, name: str) -> QScrollArea:
        """Return the scroll area of a page."""
        return self._areas[self._names.index(name)]

    def needed_width(self) -> int:
        """Return the width in pixels at which no page is cut off at its right."""
        bar = self._areas[0].verticalScrollBar().sizeHint().width() if self._areas else 0
        pages = (area.widget() for area in self._areas)
        return bar + max((page.minimumSizeHint().width() for page in pages if page), default=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show a menu above the page in place of the list if there is little room."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        if is_narrow == self.menu.isHidden():
            self.menu.setVisible(is_narrow)
            self.list.setVisible(not is_narrow)
            direction = QBoxLayout.Direction
            self._layout.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _on_row_changed(self, row: int) -> None:
        if row >= 0:
            self.stack.setCurrentIndex(row)
            self.menu.setCurrentIndex(row)
            self.turned.emit(self._names[row])


_SIZE_PX = (760, 640)
_MARGIN_PX = 16
_FRAME_PX = 60  # what the system puts around a window


class SettingsDialog(QDialog):
    """The dialog of all settings; open it with `open()`, which does not block the window.

    Signals: `saved(AppSettings)` when settings and key are stored, `was_reset(str)` with the folder
    of the backup. Errors are shown in the dialog. `folder` is that of the shown conversation.
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
        folder: str = "",
    ) -> None:
        super().__init__(parent)
        self._folder = folder
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
        self.policy = PolicySection(current)
        self.running = RunSection(current)
        self.look = AppearancePage(current)
        self.network = NetworkPage(current)
        self.programs = ApiPage(api, settings, self.tasks)
        self.storage = StoragePage(upkeep.places, self.tasks) if upkeep else None
        self.pages = SettingsPages(self)
        self._problem = QLabel(self)
        self._problem.setProperty("kind", "danger")
        self._problem.setWordWrap(True)
        self._problem.hide()
        self._lay_out()
        self._connect()
        self.interpreter.show_environment(interpreters.status)
        style_combo_boxes(self)
        self._take_room()
        self.tasks.start(self._load_interpreters())

    @property
    def problem(self) -> str:
        """Return the error that is shown above the buttons."""
        return self._problem.text()

    def show_programs(self) -> None:
        """Show the page for other programs."""
        self.pages.show_field(self.programs.enabled)

    def show_storage(self) -> None:
        """Show the page of the folders."""
        if self.storage is not None:
            self.pages.show_page("storage")

    def values(self) -> AppSettings:
        """Return the settings with the values of all fields. Raises FieldError."""
        values = self._settings.current
        for page in (
            self.models,
            self.conversation,
            self.interpreter,
            self.policy,
            self.running,
            self.look,
            self.network,
            self.programs,
            self.profiles,
        ):
            values = page.values(values)
        return values

    def save(self) -> None:
        """Do what the Save button does."""
        self.tasks.start(self._save())

    def check(self) -> None:
        """Do what the Check button does."""
        self.models.check()

    def ask_reset(self) -> None:
        """Do what the Reset… button does."""
        if self._upkeep is not None:
            dialog = ResetDialog(self._upkeep.resetting, self)
            dialog.was_reset.connect(self._on_reset)
            dialog.open()

    def done(self, result: int) -> None:
        """Cancel what is still running when the dialog closes."""
        self.models.close_down()
        self.tasks.cancel()
        self.programs.close_down()
        super().done(result)

    def _take_room(self) -> None:
        """Set a size that is good to read and fits on the screen."""
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
        pages.add("running", tr("Running"), self.interpreter, self.policy, self.running)
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
        self.interpreter.folder_requested.connect(self._on_folder_requested)
        self.save_button.clicked.connect(self.save)
        self.cancel_button.clicked.connect(self.reject)
        if self.storage is not None:
            self.storage.reset_requested.connect(self.ask_reset)
            self.pages.turned.connect(self._on_turned)

    async def _load_interpreters(self) -> None:
        found = await self._interpreters.found(self._folder)
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
        found = await self._interpreters.found(self._folder)
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
        """Close the dialog, because a reset has made its fields invalid."""
        self.saved.emit(self._settings.current)
        self.was_reset.emit(folder)
        self.reject()

    def _on_failed(self, error: AppError) -> None:
        self._show_problem(str(tr_error(error)))

    def _on_folder_requested(self) -> None:
        field = self.interpreter.folder
        start = existing_folder(field.text() or str(Path.home()))
        dialog = FileDialog(self, tr("Choose the working folder"), start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(field.setText)
        dialog.open()

    def _on_browse(self) -> None:
        dialog = FileDialog(self, tr("Choose a Python interpreter"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.tasks.start(self._add_interpreter(path)))
        dialog.open()
