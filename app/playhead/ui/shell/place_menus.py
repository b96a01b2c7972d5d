"""The menus in which the user chooses the folder and the interpreter of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from playhead.domain.execution import PYTHON, Interpreter, place_of
from playhead.session.ports import Interpreters
from playhead.ui.widgets.file_dialog import FileDialog, existing_folder
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import (
    folder_name,
    short_folder,
    short_interpreter,
    tr,
    tr_environment,
)


class PlaceMenus(QObject):
    """The menus of the folder and the interpreter.

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
    ) -> None:
        super().__init__(owner)
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

    def open_folder_menu(self, current: str) -> QMenu:
        """Open the menu of the working folder at the mouse."""
        menu = self._menu()
        menu.addAction(current).setEnabled(False)
        menu.addSeparator()
        menu.addAction(tr("Choose another folder…"), lambda: self.choose_folder(current))
        menu.addAction(tr("Open in the file manager"), lambda: open_folder(current))
        menu.popup(QCursor.pos())
        return menu

    def open_interpreter_menu(self, current: str) -> QMenu:
        """Open the menu of interpreters at the mouse; add those that a search finds later."""
        folder = self._folder()
        menu = self._menu()
        self._add_choice(menu, tr("Playhead's own environment"), "", current)
        searching = menu.addAction(tr("Looking for others…"))
        searching.setEnabled(False)
        menu.addSeparator()
        if folder:
            self._add_making(menu, folder)
        menu.addAction(tr("Choose a Python…"), self._browse)
        menu.popup(QCursor.pos())
        self._tasks.start(self._fill(menu, searching, current, folder))
        return menu

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
            (tr("On this machine"), rest),
            (tr("Jupyter kernels on this machine"), kernels),
        ):
            if group:
                _add_title(menu, title, searching)
            for one in group:
                self._add_choice(menu, interpreter_words(one), one.path, current, searching)
        menu.removeAction(searching)
        for words in self._remarks(current):
            menu.addAction(words).setEnabled(False)
        _keep_on_screen(menu)

    def _remarks(self, current: str) -> list[str]:
        """Return a sentence for each thing that is wrong with the interpreter or the folder."""
        place = place_of(current)
        is_gone = bool(current) and not Path(place.folder if place else current).exists()
        gone = (
            tr("{interpreter} is not there any more", interpreter=short_interpreter(current))
            if is_gone
            else ""
        )
        return [words for words in (gone, tr_environment(self._interpreters.status)) if words]

    def _add_choice(
        self, menu: QMenu, text: str, path: str, current: str, before: QAction | None = None
    ) -> None:
        action = QAction(text, menu)
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
