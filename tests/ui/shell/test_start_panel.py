"""What an empty conversation offers stands beside or below each other, never on each other."""

from __future__ import annotations

from itertools import combinations

from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.model import LocalServer
from playhead.ui.shell.start_panel import StartPanel
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.theme import Theme


def places(buttons: list[QPushButton]) -> list[QRect]:
    return [button.geometry() for button in buttons]


def overlap(rects: list[QRect]) -> bool:
    return any(one.intersects(other) for one, other in combinations(rects, 2))


def test_a_server_that_is_found_later_finds_room(theme: Theme, qtbot: QtBot) -> None:
    panel = StartPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(480, 500)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.set_servers([LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/llama3",))])
    qtbot.waitUntil(lambda: not overlap(places(panel.buttons)))
    assert len(panel.buttons) == 3
    inside = panel.buttons[0].parentWidget()
    assert isinstance(inside, QWidget)
    qtbot.waitUntil(lambda: all(inside.rect().contains(one) for one in places(panel.buttons)))


def test_rows_begin_where_the_script_begins(qtbot: QtBot) -> None:
    row = QWidget()
    qtbot.addWidget(row)
    row.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    flow = FlowLayout(row)
    first, second = QPushButton("one"), QPushButton("two")
    flow.addWidget(first)
    flow.addWidget(second)
    row.resize(400, 60)
    row.show()
    qtbot.waitUntil(lambda: first.geometry().right() == 399)
    assert second.geometry().right() < first.geometry().left()


def test_what_is_shown_before_it_is_added_is_laid_out_too(qtbot: QtBot) -> None:
    row = QWidget()
    qtbot.addWidget(row)
    flow = FlowLayout(row)
    first = QPushButton("one")
    flow.addWidget(first)
    row.resize(400, 60)
    with qtbot.waitExposed(row):
        row.show()
    late = QPushButton("two", row)
    late.show()
    QCoreApplication.sendPostedEvents()  # that it is shown lays the row out once, without it
    flow.addWidget(late)
    qtbot.waitUntil(lambda: late.geometry().left() > first.geometry().right())
