"""The menus of folder and interpreter, filled while they are open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.execution import Interpreter
from playhead.errors import AppError, ExecutionError
from playhead.ui.places.place_menus import PlaceMenus, _keep_on_screen, interpreter_words
from playhead.ui.widgets.task_owner import TaskOwner
from tests.support.ports import OneInterpreter
from tests.support.waiting import until


def test_a_row_names_the_place_once() -> None:
    system = Interpreter(
        path="/usr/bin/python3",
        version="3.11.2",
        label="Python 3.11.2 · /usr/bin/python3",
        kind="system",
    )
    assert interpreter_words(system) == "Python 3.11.2 · /usr/bin/python3"
    path = "/home/ada/project/.venv/bin/python"
    venv = Interpreter(path=path, version="3.12.1", label="Python 3.12.1 · .venv", kind="venv")
    assert interpreter_words(venv) == "Python 3.12.1 · .venv · project/.venv"


def test_a_menu_that_grows_at_the_corner_stays_on_the_screen(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    menu.addAction("short")
    room = QApplication.primaryScreen().availableGeometry()
    menu.move(room.bottomRight())
    for number in range(12):
        menu.addAction(f"Python 3.{number} in a place with a long, long name")
    _keep_on_screen(menu)
    assert room.contains(menu.geometry())


class Machine(OneInterpreter):
    """A Python of its own, and one that is made when `may_make` is set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.may_make = asyncio.Event()
        self.problem: ExecutionError | None = None

    async def found(self, folder: str = "") -> list[Interpreter]:
        path = str(self.folder / "env" / "bin" / "python")
        own = Interpreter(path=path, version="3.12.1", label="Python 3.12.1 · env", kind="venv")
        return [self.python, own] if folder == str(self.folder) else [self.python]

    async def make_for(self, folder: str) -> Interpreter:
        await self.may_make.wait()
        if self.problem is not None:
            raise self.problem
        return Interpreter(
            path=f"{folder}/.venv/bin/python",
            version="3.12.1",
            label="Python 3.12.1 · .venv",
            kind="venv",
        )


class Place:
    """Menus beside a window that shows a conversation in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.owner, self.tasks = QWidget(), TaskOwner()
        self.folder, self.machine = str(folder), Machine(folder)
        self.menus = PlaceMenus(self.machine, self.tasks, self.owner, lambda: self.folder)
        self.chosen: list[str] = []
        self.failures: list[AppError] = []
        self.menus.interpreter_chosen.connect(self.chosen.append)
        self.tasks.failed.connect(self.failures.append)

    def label(self) -> str:
        return self.menus.interpreter_label("/elsewhere/bin/python")

    async def opened(self, current: str = "") -> list[QAction]:
        menu = self.menus.open_interpreter_menu(current)
        await until(lambda: "Looking for others…" not in [one.text() for one in menu.actions()])
        return menu.actions()

    async def make(self) -> None:
        [offer] = [one for one in await self.opened() if one.text().startswith("Make an env")]
        offer.trigger()
        await until(lambda: self.label() == "making environment…")


@asynccontextmanager
async def placed(folder: Path) -> AsyncIterator[Place]:
    place = Place(folder)
    try:
        yield place
    finally:
        await place.tasks.close()
        place.owner.deleteLater()
        place.tasks.deleteLater()


async def test_the_folders_own_pythons_come_first_under_a_head_of_their_own(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with placed(tmp_path) as place:
        texts = [one.text() for one in await place.opened()]
    own, machine = texts.index("In this folder"), texts.index("Other Pythons")
    assert "env" in texts[own + 1]
    assert own < machine
    assert f"Make an environment in “{tmp_path.name}”" in texts


async def test_an_environment_is_made_with_the_progress_in_sight_and_then_chosen(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with placed(tmp_path) as place:
        await place.make()
        texts = [one.text() for one in await place.opened()]
        assert "An environment is being made…" in texts
        assert not any(text.startswith("Make an env") for text in texts)
        place.machine.may_make.set()
        await until(lambda: place.chosen == [f"{tmp_path}/.venv/bin/python"])
        assert place.label() != "making environment…"


async def test_an_environment_of_a_folder_that_was_left_is_not_chosen(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with placed(tmp_path) as place:
        await place.make()
        place.folder = "/elsewhere"
        place.machine.may_make.set()
        await place.tasks.settled()
        assert place.chosen == []


async def test_an_environment_that_cannot_be_made_says_why(
    qapp: QApplication, tmp_path: Path
) -> None:
    async with placed(tmp_path) as place:
        place.machine.problem = ExecutionError("No venv.", remedy="Install python3-venv.")
        await place.make()
        place.machine.may_make.set()
        await until(lambda: place.failures == [place.machine.problem])
        assert place.chosen == []
        assert place.label() != "making environment…"


async def test_a_python_that_is_gone_is_said_and_an_environment_is_not_offered_twice(
    qapp: QApplication, tmp_path: Path
) -> None:
    (tmp_path / ".venv").mkdir()
    async with placed(tmp_path) as place:
        texts = [one.text() for one in await place.opened(f"{tmp_path}/old/bin/python")]
    assert any(text.endswith("old is not there any more") for text in texts)
    assert not any(text.startswith("Make an env") for text in texts)
