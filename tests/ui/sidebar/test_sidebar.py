"""The list of conversations."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.history import ConversationSummary
from playhead.session.session import SessionState
from playhead.ui.sidebar.conversation_list import more_rect
from playhead.ui.sidebar.model import rows_of
from playhead.ui.sidebar.sidebar import Sidebar
from playhead.ui.widgets.theme import Theme

DAY_S = 86_400
NOW = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


def summary(id_: str, title: str, days_ago: float = 0) -> ConversationSummary:
    at = NOW.timestamp() - days_ago * DAY_S
    return ConversationSummary(id=id_, title=title, created_at=at, updated_at=at)


class Bench:
    """A sidebar with three conversations and what it told."""

    def __init__(self, sidebar: Sidebar, states: dict[str, SessionState]) -> None:
        self.sidebar = sidebar
        self.states = states
        self.told: list[tuple[str, ...]] = []
        sidebar.opened.connect(lambda id_: self.told.append(("open", id_)))
        sidebar.renamed.connect(lambda id_, title: self.told.append(("rename", id_, title)))
        sidebar.delete_requested.connect(lambda ids: self.told.append(("delete", *ids)))
        sidebar.undo_requested.connect(lambda: self.told.append(("undo",)))
        sidebar.duplicate_requested.connect(lambda id_: self.told.append(("copy", id_)))
        sidebar.pinned.connect(lambda ids, is_on: self.told.append(("pin", *ids, str(is_on))))
        sidebar.archived.connect(lambda ids, is_on: self.told.append(("put", *ids, str(is_on))))
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
            ConversationSummary(id=id_, title=title, created_at=now - age, updated_at=now - age)
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


def test_a_title_is_changed_in_place(bench: Bench, qtbot: QtBot) -> None:
    bench.sidebar.begin_rename("a")
    field = bench.sidebar.list.findChild(QLineEdit)
    assert field is not None
    assert field.text() == "Sales"
    QTest.keyClicks(field, "Revenue")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.told == [("rename", "a", "Revenue")])


def test_the_keyboard_stays_in_the_list_after_a_title_was_changed(
    bench: Bench, qtbot: QtBot
) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model

    def take_over(id_: str, title: str) -> None:
        changed = [replace(one, title=title) if one.id == id_ else one for one in before]
        bench.sidebar.show_conversations(changed)

    before = list(bench.sidebar._summaries)
    bench.sidebar.renamed.connect(take_over)
    bench.sidebar.activateWindow()
    qtbot.waitUntil(bench.sidebar.isActiveWindow)
    rows.setFocus()
    bench.sidebar.begin_rename("b")
    field = rows.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "Pictures")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bench.titles[1] == "Pictures" and not bench.sidebar.is_renaming)
    assert bench.sidebar.focusWidget() is rows
    assert model.row_at(rows.currentIndex()).conversation_id == "b"
    assert [index.data() for index in rows.selectedIndexes()] == ["Pictures"]


def test_what_is_typed_stays_when_its_row_changes(bench: Bench) -> None:
    bench.sidebar.begin_rename("b")
    field = bench.sidebar.list.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "Pict")
    read = [replace(one, is_unread=one.id == "b") for one in bench.sidebar._summaries]
    bench.sidebar.show_conversations(read)
    assert field.text() == "Pict"


def test_the_keyboard_deletes_and_takes_back(bench: Bench) -> None:
    rows = bench.sidebar.list
    rows.setCurrentIndex(bench.sidebar.model.index_of("a"))
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    QTest.keyClick(rows, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert bench.told == [("delete", "a"), ("undo",)]


def test_the_keyboard_goes_on_below_what_was_deleted(bench: Bench) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    bench.sidebar.set_current("a")
    rows.setFocus()
    rows.setCurrentIndex(model.index_of("b"))
    rest = [one for one in bench.sidebar._summaries if one.id != "b"]
    bench.sidebar.show_conversations(rest)
    assert model.row_at(rows.currentIndex()).conversation_id == "c"


def press_row(bench: Bench, id_: str, key: Qt.KeyboardModifier) -> None:
    rows = bench.sidebar.list
    place = rows.visualRect(bench.sidebar.model.index_of(id_)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, key, place)


def entries(menu: QMenu) -> list[str]:
    return [action.text().partition("\t")[0] for action in menu.actions() if action.text()]


def choose(menu: QMenu, words: str) -> None:
    next(one for one in menu.actions() if one.text().startswith(words)).trigger()


def test_several_are_chosen_with_ctrl_and_changed_together(bench: Bench) -> None:
    bench.sidebar.set_current("a")
    press_row(bench, "b", Qt.KeyboardModifier.ControlModifier)
    assert bench.told == []  # choosing opens nothing
    menu = bench.sidebar.menu_for("b")
    assert entries(menu) == ["Pin", "Mark as read", "Archive", "Delete 2 conversations"]
    choose(menu, "Archive")
    QTest.keyClick(bench.sidebar.list, Qt.Key.Key_Delete)
    assert bench.told == [("put", "a", "b", "True"), ("delete", "a", "b")]


def test_the_menu_has_all_verbs_and_room_for_more(bench: Bench) -> None:
    asked: list[str] = []

    def more(ids: Sequence[str], menu: QMenu) -> list[QAction]:
        asked.append(" ".join(ids))
        return [QAction("Export…", menu)]

    bench.sidebar.add_menu_entries(more)
    menu = bench.sidebar.menu_for("a")
    usual = ["Open", "Rename", "Duplicate", "Pin", "Mark as unread", "Archive"]
    assert entries(menu) == [*usual, "Export…", "Delete"]
    for words in ("Duplicate", "Pin", "Delete"):
        choose(menu, words)
    assert bench.told == [("copy", "a"), ("pin", "a", "True"), ("delete", "a")]
    assert entries(bench.sidebar.menu_for("")) == ["New conversation", "Export…"]
    press_row(bench, "a", Qt.KeyboardModifier.NoModifier)
    press_row(bench, "b", Qt.KeyboardModifier.ControlModifier)
    assert "Export…" in entries(bench.sidebar.menu_for("b"))
    assert asked == ["a", "", "a b"]


def test_a_bar_tells_how_many_are_chosen_until_escape(bench: Bench) -> None:
    bench.sidebar.set_current("a")
    assert "selection_bar" not in bench.sidebar.__dict__  # nothing of it before it is needed
    press_row(bench, "b", Qt.KeyboardModifier.ControlModifier)
    bar = bench.sidebar.selection_bar
    assert bar.label.text() == "2 chosen"
    QTest.mouseClick(bar.archive_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(bar.delete_button, Qt.MouseButton.LeftButton)
    assert bench.told == [("put", "a", "b", "True"), ("delete", "a", "b")]
    QTest.keyClick(bench.sidebar.list, Qt.Key.Key_Escape)
    assert bar.isHidden()
    chosen = bench.sidebar.list.selectedIndexes()
    assert [index.data() for index in chosen] == [bench.sidebar.model.index_of("a").data()]


def test_escape_in_the_list_goes_back_to_writing(bench: Bench) -> None:
    left: list[bool] = []
    bench.sidebar.left.connect(lambda: left.append(True))
    bench.sidebar.set_current("a")
    QTest.keyClick(bench.sidebar.list, Qt.Key.Key_Escape)
    assert left == [True]


def test_the_menu_of_the_current_row_opens_by_the_keyboard(bench: Bench) -> None:
    rows = bench.sidebar.list
    rows.setCurrentIndex(bench.sidebar.model.index_of("c"))
    wanted: list[str] = []
    rows.menu_wanted.disconnect()
    rows.menu_wanted.connect(
        lambda index, _place: wanted.append(bench.sidebar.model.row_at(index).conversation_id)
    )
    QTest.keyClick(rows, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    by_key = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(rows, QContextMenuEvent(by_key, QPoint(), QPoint()))
    assert wanted == ["c", "c"]


def test_the_sign_at_the_right_of_a_row_opens_its_menu(bench: Bench) -> None:
    rows = bench.sidebar.list
    wanted: list[str] = []
    rows.menu_wanted.disconnect()
    rows.menu_wanted.connect(
        lambda index, _place: wanted.append(bench.sidebar.model.row_at(index).conversation_id)
    )
    place = more_rect(rows.visualRect(bench.sidebar.model.index_of("b"))).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wanted == ["b"]
    assert bench.told == []


def test_a_double_click_on_a_title_renames_and_escape_leaves_it(bench: Bench, qtbot: QtBot) -> None:
    rows = bench.sidebar.list
    place = rows.visualRect(bench.sidebar.model.index_of("b")).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert bench.sidebar.is_renaming
    field = rows.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "Something else")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not bench.sidebar.is_renaming)
    assert bench.told == [("open", "b")]


def test_a_title_that_is_pasted_is_one_short_line(bench: Bench) -> None:
    model = bench.sidebar.model
    model.setData(model.index_of("a"), "one\n two\t" + "x" * 5_000)
    ((_, _, title),) = bench.told
    assert title.startswith("one two x")
    assert len(title) == 200
    bench.told.clear()
    model.setData(model.index_of("a"), " \n ")
    assert bench.told == []


def test_titles_of_any_kind_are_shown_as_one_line() -> None:
    strange = ["a\nb\x00c\u202ed", "東京 🎈", "x" * 100_000, ""]
    rows = rows_of([summary(str(n), title, n / 100) for n, title in enumerate(strange)], NOW)
    shown = [row.text for row in rows[1:]]
    assert shown[:2] == ["a b c d", "東京 🎈"]
    assert len(shown[2]) < 500
    assert shown[3] == "New conversation"


def test_what_is_pinned_stands_first_and_the_archive_is_folded_away() -> None:
    some = [
        replace(summary("p", "pinned", 40), is_pinned=True),
        summary("a", "mine"),
        replace(summary("z", "away"), is_archived=True, is_pinned=True),
    ]
    folded = ["Pinned", "pinned", "Today", "mine", "Archived · 1"]
    assert [row.text for row in rows_of(some, NOW)] == folded
    assert [row.text for row in rows_of(some, NOW, is_archive_open=True)] == [*folded, "away"]


def test_the_archive_opens_by_a_click(bench: Bench) -> None:
    one, *rest = bench.sidebar._summaries
    bench.sidebar.show_conversations([replace(one, is_archived=True), *rest])
    assert bench.titles == ["Photos", "New conversation"]
    heading = bench.sidebar.model.index(len(bench.sidebar.model.rows) - 1)
    words = bench.sidebar.model.data(heading, Qt.ItemDataRole.AccessibleTextRole)
    assert words == "Archived · 1, closed"
    place = bench.sidebar.list.visualRect(heading).center()
    QTest.mouseClick(bench.sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert bench.titles == ["Photos", "New conversation", "Sales"]


def test_unread_is_told_by_weight_sign_tooltip_and_words(bench: Bench) -> None:
    model = bench.sidebar.model
    one, *rest = bench.sidebar._summaries
    changed: list[str] = []
    model.dataChanged.connect(lambda index: changed.append(model.row_at(index).text))
    bench.sidebar.show_conversations([replace(one, is_unread=True, is_pinned=True), *rest])
    index = model.index_of("a")
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == "Sales, pinned, unread"
    assert model.data(index, Qt.ItemDataRole.ToolTipRole) == "Sales\nUnread"
    assert changed == ["Sales"]


def test_what_a_conversation_does_is_told_to_assistive_technology(bench: Bench) -> None:
    model = bench.sidebar.model
    bench.states["b"] = "awaiting_approval"
    text = model.data(model.index_of("b"), Qt.ItemDataRole.AccessibleTextRole)
    assert text == "Photos, waiting for you"


def test_running_waiting_and_unread_are_painted_in_different_shapes(bench: Bench) -> None:
    rows, model = bench.sidebar.list, bench.sidebar.model
    rect = rows.visualRect(model.index_of("b"))
    place = QRect(rect.right() - 26, rect.top() + 4, 20, rect.height() - 8)

    def shape() -> tuple[bool, ...]:
        """Which pixels are not the ground, whatever their colour."""
        image = rows.viewport().grab(place).toImage()
        ground = image.pixelColor(0, 0)
        pixels = ((x, y) for y in range(image.height()) for x in range(image.width()))
        return tuple(image.pixelColor(x, y) != ground for x, y in pixels)

    shapes = [shape()]
    for state in ("running", "awaiting_approval"):
        bench.states["b"] = state
        shapes.append(shape())
    bench.states["b"] = "idle"
    some = [replace(one, is_unread=one.id == "b") for one in bench.sidebar._summaries]
    bench.sidebar.show_conversations(some)
    shapes.append(shape())
    assert not any(shapes[0])
    assert len(set(shapes)) == 4


def test_one_without_a_title_has_a_name(bench: Bench) -> None:
    assert "New conversation" in bench.titles


def visitor(id_: str, title: str, client: str) -> ConversationSummary:
    return ConversationSummary(
        id=id_, title=title, created_at=NOW.timestamp(), updated_at=NOW.timestamp(), client=client
    )


def test_programs_at_work_stand_first_by_name_and_age() -> None:
    one, other = visitor("p", "Sum", "openai-python"), visitor("q", "", "curl")
    rows = rows_of([one, summary("a", "mine"), other], NOW)
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
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


def test_a_conversation_that_appears_in_a_list_with_the_keyboard_is_chosen(
    qtbot: QtBot, theme: Theme
) -> None:
    sidebar = Sidebar(theme, lambda _id: "idle")
    qtbot.addWidget(sidebar)
    sidebar.set_current("a")
    sidebar.list.setFocus()
    sidebar.show_conversations([summary("b", "Other"), summary("a", "Open")])
    assert sidebar.list.selectedIndexes() == [sidebar.model.index_of("a")]
