"""The menus of folder and interpreter, filled while they are open."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from playhead.conversation.requests import Interpreter
from playhead.ui.place_menus import _keep_on_screen, interpreter_words


def test_a_row_names_the_place_once() -> None:
    system = Interpreter("/usr/bin/python3", "3.11.2", "Python 3.11.2 · /usr/bin/python3", "system")
    assert interpreter_words(system) == "Python 3.11.2 · /usr/bin/python3"
    path = "/home/ada/project/.venv/bin/python"
    venv = Interpreter(path, "3.12.1", "Python 3.12.1 · .venv", "venv")
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
