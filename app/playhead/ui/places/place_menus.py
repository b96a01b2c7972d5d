"""The menus in which the user chooses where a conversation runs, and in which folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from playhead.domain.execution import PYTHON, Interpreter, Place, place_of
from playhead.domain.places import ServerAnswer, folder_there, short_name
from playhead.domain.settings import SavedServer
from playhead.errors import AppError
from playhead.session.elsewhere.saved_places import SavedPlaces
from playhead.session.ports import Interpreters
from playhead.ui.widgets.file_dialog import FileDialog, existing_folder
from playhead.ui.widgets.message_box import confirm
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import (
    folder_name,
    short_folder,
    short_interpreter,
    tr,
    tr_environment,
    tr_error,
)

if TYPE_CHECKING:
    from playhead.ui.places.place_sheets import FolderSheet, MachineSheet, ServerSheet

_MOST_MACHINES = 8
_LONGEST_ROW = 64


class PlaceMenus(QObject):
    """The menus of the folder and of where code runs; servers and machines as `saved` has them.

    Signals: `folder_chosen(str)`, `interpreter_chosen(str)`, where '' is the managed environment;
    `making_changed()` when the creation of a folder's environment begins or ends. `folder` returns
    the folder of the conversation that is shown.
    """

    folder_chosen = Signal(str)
    interpreter_chosen = Signal(str)
    making_changed = Signal()

    def __init__(
        self,
        interpreters: Interpreters,
        tasks: TaskOwner,
        owner: QWidget,
        folder: Callable[[], str] = lambda: "",
        saved: SavedPlaces | None = None,
    ) -> None:
        super().__init__(owner)
        self._saved = saved if saved is not None and saved.port is not None else None
        self.sheet: ServerSheet | MachineSheet | FolderSheet | None = None
        """The sheet that was opened last."""
        self._folder = folder
        self._owner = owner
        self._interpreters = interpreters
        self._tasks = tasks
        self._making: set[str] = set()

    def interpreter_label(self, path: str) -> str:
        """Return a short name for an interpreter; '' is the managed environment."""
        if self._folder() in self._making:
            return tr("making environment…")
        status = self._interpreters.status
        managed = status.interpreter
        if managed is not None and path in ("", managed.path):
            return tr("Python {version}", version=managed.version)
        if path:
            return short_interpreter(path)
        return {"creating": tr("making environment…"), "failed": tr("no environment")}.get(
            status.state, tr("own environment")
        )

    def language(self, path: str) -> str:
        """Return the language that an interpreter runs."""
        place = place_of(path)
        return place.language if place else PYTHON

    def choose_folder(self, current: str) -> None:
        """Open the folder dialog beside the running program."""
        start = existing_folder(current)
        dialog = FileDialog(self._owner, tr("Choose the working folder"), start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.folder_chosen)
        dialog.open()

    def open_folder_menu(self, current: str, interpreter: str = "") -> QMenu:
        """Open the menu of the working folder at the mouse; it may be on another machine."""
        menu = self._menu()
        place = place_of(interpreter)
        if place is not None and place.is_elsewhere:
            self._fill_far_folder(menu, place)
            menu.popup(QCursor.pos())
            return menu
        menu.addAction(current).setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Choose another folder…"), lambda: self.choose_folder(current))
        menu.addAction(tr("Open in the file manager"), lambda: open_folder(current))
        menu.popup(QCursor.pos())
        return menu

    def _fill_far_folder(self, menu: QMenu, place: Place) -> None:
        words = tr("{folder} on {machine}", folder=folder_there(place), machine=short_name(place))
        menu.addAction(_row_text(words)).setEnabled(False)
        menu.addSeparator()
        if place.kernel_id:
            shared = tr("The kernel has its own folder: others use it, too.")
            menu.addAction(shared).setEnabled(False)
            return
        menu.addAction(tr("Type another folder there…"), lambda: self.type_folder(place))
        told = tr("The files of this computer are not there: attach those that code needs.")
        menu.addAction(told).setEnabled(False)

    def type_folder(self, place: Place) -> None:
        """Ask for the folder on another machine, and choose it."""
        from playhead.ui.places.place_sheets import FolderSheet

        self.sheet = sheet = FolderSheet(place, self._owner)
        sheet.chosen.connect(lambda one: self.interpreter_chosen.emit(one.id))
        sheet.open()

    def open_interpreter_menu(self, current: str) -> QMenu:
        """Open the menu of where code runs at the mouse; add what a search finds later."""
        folder = self._folder()
        menu = self._menu()
        if (place := place_of(current)) is not None and place.is_elsewhere:
            self._add_choice(menu, place.label, current, current)
            menu.addSeparator()
        if self._saved is not None:
            menu.addAction(tr("This computer")).setEnabled(False)
        self._add_choice(menu, tr("Playhead's own environment"), "", current)
        searching = menu.addAction(tr("Looking for others…"))
        searching.setEnabled(False)
        menu.addSeparator()
        if folder:
            self._add_making(menu, folder)
        menu.addAction(tr("Choose a Python…"), self._browse)
        if self._saved is not None:
            self._add_servers(menu, self._saved, current)
            self._add_machines(menu, self._saved, current)
        menu.popup(QCursor.pos())
        self._tasks.start(self._fill(menu, searching, current, folder))
        return menu

    def _add_servers(self, menu: QMenu, saved: SavedPlaces, current: str) -> None:
        """Add a menu for each server; one is asked only when its menu is opened."""
        menu.addSeparator()
        menu.addAction(tr("Jupyter servers")).setEnabled(False)
        for server in saved.servers:
            below = menu.addMenu(_row_text(server.name))
            below.setToolTipsVisible(True)
            below.menuAction().setToolTip(server.address)
            below.aboutToShow.connect(
                lambda below=below, server=server: self._begin_server(below, server, current)
            )
        menu.addAction(tr("Add a server…"), self.add_server)

    def _begin_server(self, menu: QMenu, server: SavedServer, current: str) -> None:
        if self._saved is None or menu.actions():
            return
        asking = menu.addAction(tr("Asking {server}…", server=server.name))
        asking.setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Another token…"), lambda: self.add_server(server.address))
        menu.addAction(tr("Forget this server"), lambda: self._forget(server))
        self._tasks.start(self._fill_server(menu, asking, self._saved, server, current))

    async def _fill_server(
        self, menu: QMenu, asking: QAction, saved: SavedPlaces, server: SavedServer, current: str
    ) -> None:
        from shiboken6 import isValid

        try:
            answer: ServerAnswer | AppError = await saved.ask(server.address)
        except AppError as error:
            answer = error
        if not isValid(menu):
            return
        if isinstance(answer, AppError):
            told = tr_error(answer)
            lines = list(filter(None, (told.title, told.detail, told.remedy)))
        else:
            lines = [answer.title]
        for words in lines:
            row = QAction(_row_text(words), menu)
            row.setToolTip(words)
            row.setEnabled(False)
            menu.insertAction(asking, row)
        if not isinstance(answer, AppError):
            self._insert_kernels(menu, asking, server, answer, current)
        menu.removeAction(asking)
        _keep_on_screen(menu)

    def _insert_kernels(
        self, menu: QMenu, before: QAction, server: SavedServer, answer: ServerAnswer, current: str
    ) -> None:
        assert self._saved is not None  # noqa: S101 - it has just answered
        places = self._saved.kernels(server, answer)
        new, running = places[: len(answer.specs)], places[len(answer.specs) :]
        for place in new:
            self._add_choice(menu, _without_server(place), place.id, current, before)
        if running:
            _add_title(menu, tr("Kernels that run there"), before)
        for place, kernel in zip(running, answer.running, strict=True):
            words = tr("shares its names with {notebook}", notebook=_without_server(place))
            words = words if kernel.notebook else tr("{name}, shared", name=_without_server(place))
            self._add_choice(menu, words, place.id, current, before)

    def add_server(self, address: str = "") -> None:
        """Open the sheet that asks a server who it is, and keeps it."""
        if self._saved is None:
            return
        from playhead.ui.places.place_sheets import ServerSheet

        self.sheet = sheet = ServerSheet(self._saved, self._tasks, self._owner, address)
        sheet.chosen.connect(lambda place: self.interpreter_chosen.emit(place.id))
        sheet.open()

    def _forget(self, server: SavedServer) -> None:
        saved = self._saved
        if saved is not None:
            confirm(
                self._owner,
                tr("Forget this server"),
                tr("Forget {server} and its token?", server=server.name),
                tr("Its kernels and notebooks stay as they are. You can add it again."),
                tr("Forget"),
                lambda: self._tasks.start(saved.forget(server.address)),
            )

    def _add_machines(self, menu: QMenu, saved: SavedPlaces, current: str) -> None:
        menu.addSeparator()
        menu.addAction(tr("Other machines")).setEnabled(False)
        searching = menu.addAction(tr("Looking for machines…"))
        searching.setEnabled(False)
        menu.addAction(tr("Another machine…"), lambda: self.add_machine(current))
        self._tasks.start(self._fill_machines(menu, searching, saved, current))

    async def _fill_machines(
        self, menu: QMenu, searching: QAction, saved: SavedPlaces, current: str
    ) -> None:
        from shiboken6 import isValid

        found = await saved.machines()
        why_none = await saved.port.why_no_machines() if saved.port is not None else ""
        if not isValid(menu):
            return
        more = QMenu(tr("More machines"), menu)
        for number, place in enumerate(found):
            words = _machine_words(place)
            if number < _MOST_MACHINES:
                self._add_choice(menu, words, place.id, current, searching)
            else:
                self._add_choice(more, words, place.id, current)
        if len(found) > _MOST_MACHINES:
            menu.insertMenu(searching, more)
        if why_none:
            row = QAction(why_none, menu)
            row.setEnabled(False)
            menu.insertAction(searching, row)
        menu.removeAction(searching)
        _keep_on_screen(menu)

    def add_machine(self, current: str = "") -> None:
        """Open the sheet that asks for a host, a folder and a Python."""
        saved = self._saved
        if saved is None:
            return
        place = place_of(current)
        is_machine = place is not None and place.kind in ("ssh", "container")
        from playhead.ui.places.place_sheets import MachineSheet

        self.sheet = sheet = MachineSheet(place if is_machine else None, self._owner)

        def choose(place: Place) -> None:
            self._tasks.start(saved.remember(place))
            self.interpreter_chosen.emit(place.id)

        sheet.chosen.connect(choose)
        sheet.open()

    def _add_making(self, menu: QMenu, folder: str) -> None:
        """Offer to make an environment if the folder has none."""
        if folder in self._making:
            menu.addAction(tr("An environment is being made…")).setEnabled(False)
        elif not (Path(folder) / ".venv").exists():
            words = tr("Make an environment in “{folder_name}”", folder_name=folder_name(folder))
            action = menu.addAction(words, lambda: self._tasks.start(self.make_environment(folder)))
            action.setToolTip(
                tr("Python packages for this folder alone, in {folder}/.venv", folder=folder)
            )

    async def make_environment(self, folder: str) -> None:
        """Make the `.venv` of a folder and choose it, unless another folder is shown by then.

        Raises ExecutionError.
        """
        if folder in self._making:
            return
        self._making.add(folder)
        self.making_changed.emit()
        try:
            interpreter = await self._interpreters.make_for(folder)
        finally:
            self._making.discard(folder)
            self.making_changed.emit()
        if self._folder() == folder:
            self.interpreter_chosen.emit(interpreter.path)

    async def _fill(self, menu: QMenu, searching: QAction, current: str, folder: str) -> None:
        from shiboken6 import isValid

        found = await self._interpreters.found(folder)
        if not isValid(menu):
            return
        others = [one for one in found if one.kind not in ("managed", "jupyter")]
        own = [one for one in others if folder and Path(one.path).is_relative_to(folder)]
        rest = [one for one in others if one not in own]
        kernels = [one for one in found if one.kind == "jupyter"]
        for title, group in (
            (tr("In this folder"), own),
            (tr("Other Pythons"), rest),
            (tr("Jupyter kernels of this computer"), kernels),
        ):
            if group:
                _add_title(menu, title, searching)
            for one in group:
                self._add_choice(menu, interpreter_words(one), one.path, current, searching)
        for words in self._remarks(current):
            row = QAction(words, menu)
            row.setEnabled(False)
            menu.insertAction(searching, row)
        menu.removeAction(searching)
        _keep_on_screen(menu)

    def _remarks(self, current: str) -> list[str]:
        """Return a sentence for each thing that is wrong with the interpreter or the folder."""
        place = place_of(current)
        is_here = bool(current) and (place is None or not place.is_elsewhere)
        is_gone = is_here and not Path(place.folder if place else current).exists()
        gone = (
            tr("{interpreter} is not there any more", interpreter=short_interpreter(current))
            if is_gone
            else ""
        )
        return [words for words in (gone, tr_environment(self._interpreters.status)) if words]

    def _add_choice(
        self, menu: QMenu, text: str, path: str, current: str, before: QAction | None = None
    ) -> None:
        action = QAction(_row_text(text), menu)
        action.setToolTip(text)
        action.setCheckable(True)
        action.setChecked(path == current)
        action.triggered.connect(lambda: self.interpreter_chosen.emit(path))
        if before is None:
            menu.addAction(action)
        else:
            menu.insertAction(before, action)

    def _browse(self) -> None:
        dialog = FileDialog(self._owner, tr("Choose a Python interpreter"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self._tasks.start(self._probe(path)))
        dialog.open()

    async def _probe(self, path: str) -> None:
        interpreter = await self._interpreters.probe(path)
        self.interpreter_chosen.emit(interpreter.path)

    def _menu(self) -> QMenu:
        menu = QMenu(self._owner)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        return menu


def _row_text(words: str) -> str:
    """Return the text of a row that is not too wide, without signs that Qt takes for a key."""
    if len(words) > _LONGEST_ROW:
        half = _LONGEST_ROW // 2
        words = f"{words[:half]}…{words[-half:]}"
    return words.replace("&", "&&")


def _without_server(place: Place) -> str:
    return place.label.partition(": ")[2] or place.label


def _machine_words(place: Place) -> str:
    """Return the text of a machine's row: its name, and what was typed for it."""
    typed = " · ".join(filter(None, (place.folder, place.program)))
    name = place.label if place.kind == "container" else short_name(place)
    way = tr("via ssh") if place.kind == "ssh" else place.address.partition(":")[0]
    return f"{name} · {typed or way}"


def _add_title(menu: QMenu, words: str, before: QAction) -> None:
    """Add a line above a group; the text of a section is not painted in every style."""
    menu.insertSeparator(before)
    title = QAction(words, menu)
    title.setEnabled(False)
    menu.insertAction(before, title)


def interpreter_words(interpreter: Interpreter) -> str:
    """Return the text of a menu row: the label, with the path if the label does not name it."""
    if (place := place_of(interpreter.path)) is not None:
        return f"{place.label} · {short_folder(place.folder)}"
    if interpreter.path in interpreter.label:
        return interpreter.label
    return f"{interpreter.label} · {short_interpreter(interpreter.path)}"


def _keep_on_screen(menu: QMenu) -> None:
    """Move a menu that has grown since it was opened, because Qt places it only once."""
    menu.resize(menu.sizeHint())
    room = menu.screen().availableGeometry()
    place = menu.geometry()
    place.moveRight(min(place.right(), room.right()))
    place.moveBottom(min(place.bottom(), room.bottom()))
    place.moveLeft(max(place.left(), room.left()))
    place.moveTop(max(place.top(), room.top()))
    menu.setGeometry(place)
