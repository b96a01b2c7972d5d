"""The list of conversations."""

from __future__ import annotations

import datetime as dt
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from playhead.conversation.requests import ConversationSummary
from playhead.session.session import SessionState
from playhead.ui.sidebar import Sidebar
from playhead.ui.sidebar_model import rows_of
from playhead.ui.theme import Theme

DAY_S = 86_400
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


def summary(id_: str, title: str, days_ago: float = 0) -> ConversationSummary:
    at = NOW.timestamp() - days_ago * DAY_S
    return ConversationSummary(id_, title, at, at)


class Bench:
    """A sidebar with three conversations and what it told."""

    def __init__(self, sidebar: Sidebar, states: dict[str, SessionState]) -> None:
        self.sidebar = sidebar
        self.states = states
        self.told: list[tuple[str, ...]] = []
        sidebar.opened.connect(lambda id_: self.told.append(("open", id_)))
        sidebar.renamed.connect(lambda id_, title: self.told.append(("rename", id_, title)))
        sidebar.delete_confirmed.connect(lambda id_: self.told.append(("delete", id_)))
        sidebar.new_requested.connect(lambda: self.told.append(("new",)))

    @property
    def titles(self) -> list[str]:
        return [row.text for row in self.sidebar.model.rows if row.conversation_id]


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme) -> Bench:
    states: dict[str, SessionState] = {}
    sidebar = Sidebar(theme, lambda id_: states.get(id_, "idle"))
    qtbot.addWidget(sidebar)
    now = time.time()
    sidebar.show_conversations(
        [
            ConversationSummary(id_, title, now - age, now - age)
            for id_, title, age in (("a", "Sales", 1), ("b", "Photos", 2), ("c", "", 3))
        ]
    )
    sidebar.resize(236, 500)
    sidebar.show()
    return Bench(sidebar, states)


def test_conversations_stand_under_the_day_of_their_last_change() -> None:
    rows = rows_of(
        [
            summary("a", "old", 40),
            summary("b", "now"),
            summary("c", "one day", 1),
            summary("d", "three days", 3),
            summary("e", "nine days", 9),
            summary("f", "last year", 400),
        ],
        "",
        NOW,
    )
    assert [row.text for row in rows] == [
        *("Today", "now", "Yesterday", "one day", "This week", "three days"),
        *("Last week", "nine days", "October", "old", "October 2025", "last year"),
    ]


def test_a_click_opens_and_the_arrow_keys_only_move(bench: Bench) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    place = rows.visualRect(model.index_of("b")).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert bench.told == [("open", "b")]
    QTest.keyClick(rows, Qt.Key.Key_Up)
    assert bench.told == [("open", "b")]
    QTest.keyClick(rows, Qt.Key.Key_Return)
    assert bench.told[-1] == ("open", "a")


def test_the_search_filters_by_title_and_says_when_nothing_fits(bench: Bench) -> None:
    QTest.keyClicks(bench.sidebar.search, "PHO")
    assert bench.titles == ["Photos"]
    QTest.keyClicks(bench.sidebar.search, "x")
    assert bench.titles == []
    assert "PHOx" in bench.sidebar._empty.text()


def test_a_title_is_changed_in_place(bench: Bench, qtbot: QtBot) -> None:
    bench.sidebar.begin_rename("a")
    field = bench.sidebar.list.findChild(QLineEdit)
    assert field is not None
    assert field.text() == "Sales"
    QTest.keyClicks(field, "Revenue")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.told == [("rename", "a", "Revenue")])


def test_deleting_asks_first(bench: Bench) -> None:
    def answer(word: str) -> None:
        bench.sidebar.ask_delete("a")
        box = bench.sidebar.findChildren(QMessageBox)[-1]
        assert "Sales" in box.text()
        button = next(one for one in box.buttons() if word in one.text())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    answer("Cancel")
    assert bench.told == []
    answer("Delete")
    assert bench.told == [("delete", "a")]


def test_what_a_conversation_does_is_told_to_assistive_technology(bench: Bench) -> None:
    model = bench.sidebar.model
    bench.states["b"] = "awaiting_approval"
    text = model.data(model.index_of("b"), Qt.ItemDataRole.AccessibleTextRole)
    assert text == "Photos, waiting for you"


def test_the_dot_of_a_running_conversation_is_painted(bench: Bench, theme: Theme) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    rect = rows.visualRect(model.index_of("b"))

    def has_accent() -> bool:
        image = rows.viewport().grab(rect).toImage()
        return any(
            image.pixelColor(x, image.height() // 2) == theme.colour("accent")
            for x in range(image.width())
        )

    assert not has_accent()
    bench.states["b"] = "running"
    assert has_accent()


def test_one_without_a_title_has_a_name(bench: Bench) -> None:
    assert "New conversation" in bench.titles


def visitor(id_: str, title: str, client: str) -> ConversationSummary:
    return ConversationSummary(id_, title, NOW.timestamp(), NOW.timestamp(), client=client)


def test_programs_at_work_stand_first_by_name_and_age() -> None:
    one, other = visitor("p", "Sum", "openai-python"), visitor("q", "", "curl")
    rows = rows_of([one, summary("a", "mine"), other], "", NOW)
    assert [(row.text, row.client, bool(row.conversation_id)) for row in rows] == [
        ("curl", "curl", False),
        ("New conversation", "curl", True),
        ("openai-python", "openai-python", False),
        ("Sum", "openai-python", True),
        ("Today", "", False),
        ("mine", "", True),
    ]


def test_programs_that_come_and_go_leave_a_title_that_is_being_typed_alone(
    bench: Bench, qtbot: QtBot
) -> None:
    mine = list(bench.sidebar._summaries)
    bench.sidebar.begin_rename("b")
    field = bench.sidebar.list.findChild(QLineEdit)
    assert field is not None
    for summaries in ([visitor("p", "Sum", "curl"), *mine], mine):
        bench.sidebar.show_conversations(summaries)
        QTest.keyClicks(field, "x")
    assert field.text() == "xx"
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.told == [("rename", "b", "xx")])


def test_only_the_rows_that_changed_are_exchanged(bench: Bench) -> None:
    model, mine = bench.sidebar.model, list(bench.sidebar._summaries)
    changes: list[tuple[str, int, int]] = []
    model.rowsInserted.connect(lambda _parent, a, b: changes.append(("in", a, b)))
    model.rowsRemoved.connect(lambda _parent, a, b: changes.append(("out", a, b)))
    model.modelReset.connect(lambda: changes.append(("reset", 0, 0)))
    bench.sidebar.show_conversations([visitor("p", "Sum", "curl"), *mine])
    bench.sidebar.show_conversations([visitor("p", "Sum", "curl"), *mine])
    bench.sidebar.show_conversations(mine)
    assert changes == [("in", 0, 1), ("out", 0, 1)]


def test_programs_that_come_and_go_do_not_move_what_is_read(bench: Bench) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    mine = [summary(f"n{number}", f"number {number}", number / 100) for number in range(90)]
    bench.sidebar.show_conversations(mine)
    assert rows.visualRect(model.index_of("n40")).y() > 999
    rows.verticalScrollBar().setValue(1200)
    place = rows.visualRect(model.index_of("n40"))
    assert rows.viewport().rect().contains(place)
    for summaries in ([visitor("p", "Sum", "curl"), *mine], mine):
        bench.sidebar.show_conversations(summaries)
        assert rows.visualRect(model.index_of("n40")) == place
    rows.verticalScrollBar().setValue(0)
    bench.sidebar.show_conversations([visitor("p", "Sum", "curl"), *mine])
    assert rows.visualRect(model.index_of("p")).y() >= 0


@pytest.mark.parametrize("is_in_front", [True, False])
def test_programs_that_come_and_go_leave_the_keyboards_choice(
    bench: Bench, qtbot: QtBot, is_in_front: bool
) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    mine = list(bench.sidebar._summaries)
    bench.sidebar.set_current("a")
    rows.setFocus()
    _bring_to_front(qtbot, bench.sidebar)
    QTest.keyClick(rows, Qt.Key.Key_Down)
    if not is_in_front:
        other = QWidget()
        qtbot.addWidget(other)
        _bring_to_front(qtbot, other)
    qtbot.waitUntil(lambda: rows.hasFocus() == is_in_front)
    for summaries in ([visitor("p", "Sum", "curl"), *mine], mine):
        bench.sidebar.show_conversations(summaries)
        assert model.row_at(rows.currentIndex()).conversation_id == "b"


def test_the_choice_returns_to_the_open_conversation_when_the_keyboard_is_elsewhere(
    bench: Bench,
) -> None:
    rows, mine = bench.sidebar.list, list(bench.sidebar._summaries)
    bench.sidebar.set_current("a")
    rows.setFocus()
    QTest.keyClick(rows, Qt.Key.Key_Down)
    bench.sidebar.focus_search()
    bench.sidebar.show_conversations([visitor("p", "Sum", "curl"), *mine])
    assert bench.sidebar.model.row_at(rows.currentIndex()).conversation_id == "a"


def _bring_to_front(qtbot: QtBot, window: QWidget) -> None:
    with qtbot.waitActive(window, timeout=10_000):
        window.show()
        window.activateWindow()
