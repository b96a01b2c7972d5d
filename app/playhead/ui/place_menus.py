"""Choosing where and with what code runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QCursor, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from playhead.conversation.requests import Interpreter
from playhead.session.ports import Interpreters
from playhead.ui.tasks import TaskOwner


class PlaceMenus(QObject):
    """The menus of the folder and the interpreter.

    Signals: `folder_chosen(str)`, `interpreter_chosen(str)`; '' is the managed environment.
    """

    folder_chosen = Signal(str)
    interpreter_chosen = Signal(str)

    def __init__(self, interpreters: Interpreters, tasks: TaskOwner, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._interpreters = interpreters
        self._tasks = tasks

    def interpreter_label(self, path: str) -> str:
        """A short name for an interpreter; '' is the managed environment."""
        status = self._interpreters.status
        managed = status.interpreter
        if managed is not None and path in ("", managed.path):
            return f"Python {managed.version}"
        if path:
            return short_interpreter(path)
        return {"creating": "making environment…", "failed": "no environment"}.get(
            status.state, "own environment"
        )

    def choose_folder(self, current: str) -> None:
        """Open the folder dialog beside the running program."""
        dialog = QFileDialog(self._owner, "Choose the working folder", current)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.folder_chosen)
        dialog.open()

    def open_folder_menu(self, current: str) -> QMenu:
        """The menu of the working folder, at the mouse."""
        menu = self._menu()
        menu.addAction(current).setEnabled(False)
        menu.addSeparator()
        menu.addAction("Choose another folder…", lambda: self.choose_folder(current))
        url = QUrl.fromLocalFile(current)
        menu.addAction("Open in the file manager", lambda: QDesktopServices.openUrl(url))
        menu.popup(QCursor.pos())
        return menu

    def open_interpreter_menu(self, current: str) -> QMenu:
        """The menu of interpreters, at the mouse; what is found appears when it is found."""
        menu = self._menu()
        self._add_choice(menu, "Playhead's own environment", "", current)
        self._searching = menu.addAction("Looking for others…")
        self._searching.setEnabled(False)
        menu.addSeparator()
        menu.addAction("Choose a Python…", self._browse)
        menu.popup(QCursor.pos())
        self._tasks.start(self._fill(menu, current))
        return menu

    async def _fill(self, menu: QMenu, current: str) -> None:
        from shiboken6 import isValid

        found = await self._interpreters.found()
        if not isValid(menu):
            return
        others = [one for one in found if one.kind != "managed"]
        for one in others:
            self._add_choice(menu, interpreter_words(one), one.path, current, self._searching)
        menu.removeAction(self._searching)
        if message := self._interpreters.status.message:
            menu.addAction(message).setEnabled(False)
        _keep_on_screen(menu)

    def _add_choice(
        self, menu: QMenu, text: str, path: str, current: str, before: object = None
    ) -> None:
        action = menu.addAction(text)
        if before is not None:
            menu.removeAction(action)
            menu.insertAction(self._searching, action)
        action.setCheckable(True)
        action.setChecked(path == current)
        action.triggered.connect(lambda: self.interpreter_chosen.emit(path))

    def _browse(self) -> None:
        dialog = QFileDialog(self._owner, "Choose a Python interpreter", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._tasks.start(self._probe(path)))
        dialog.open()

    async def _probe(self, path: str) -> None:
        interpreter = await self._interpreters.probe(path)
        self.interpreter_chosen.emit(interpreter.path)

    def _menu(self) -> QMenu:
        menu = QMenu(self._owner)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu


def interpreter_words(interpreter: Interpreter) -> str:
    """A row of the menu: the label, and the place where the label does not name it."""
    if interpreter.path in interpreter.label:
        return interpreter.label
    return f"{interpreter.label} · {short_interpreter(interpreter.path)}"


def _keep_on_screen(menu: QMenu) -> None:
    """Move a menu that has grown since it was opened: Qt places it only then."""
    menu.resize(menu.sizeHint())
    room = menu.screen().availableGeometry()
    place = menu.geometry()
    place.moveRight(min(place.right(), room.right()))
    place.moveBottom(min(place.bottom(), room.bottom()))
    place.moveLeft(max(place.left(), room.left()))
    place.moveTop(max(place.top(), room.top()))
    menu.setGeometry(place)


def short_interpreter(path: str) -> str:
    """`…/project/.venv/bin/python` as `project/.venv`, `/usr/bin/python3` as it is."""
    place = Path(path)
    if place.parent.name in ("bin", "Scripts") and len(place.parts) > 4:
        return "/".join(place.parent.parent.parts[-2:])
    return path
