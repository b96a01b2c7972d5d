"""The list below a field: what its keys do, and where the focus goes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QTreeWidgetItem, QWidget
from pytestqt.qtbot import QtBot

from playhead.ui.widgets.popup_list import PopupList
from playhead.ui.widgets.theme import Theme

NAMES = ("ant", "bee", "cat", "cow")


class NameList(PopupList):
    """Names under a heading."""

    def fill(self) -> None:
        self.list.clear()
        self.list.addTopLevelItem(QTreeWidgetItem(["Names"]))
        for name in NAMES:
            if self.field.text() in name:
                self.add(QTreeWidgetItem([name]), name)
        if self.shown:
            self.list.setCurrentIndex(self.list.model().index(1, 0))

    def place(self) -> None:
        self.resize(200, 100)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """An empty window."""
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def names(window: QWidget, theme: Theme, qtbot: QtBot) -> NameList:
    """A list over a window whose own field has the focus."""
    before = QLineEdit(window)
    made = NameList(theme, window, columns=1, page=2)
    with qtbot.waitActive(window):
        window.show()
    before.setFocus()
    made.fill()
    made.pop_up(Qt.FocusReason.PopupFocusReason)
    qtbot.waitUntil(made.field.hasFocus)
    return made


def press(qtbot: QtBot, names: NameList, *keys: Qt.Key) -> str | None:
    """Press keys in the field; what Enter would choose then."""
    for key in keys:
        qtbot.keyClick(names.field, key)
    return names.current


def test_steps_go_round_and_pass_over_headings(names: NameList, qtbot: QtBot) -> None:
    assert names.shown == [*NAMES]
    assert press(qtbot, names, Qt.Key.Key_Down) == "bee"
    assert press(qtbot, names, Qt.Key.Key_Up, Qt.Key.Key_Up) == "cow"
    assert press(qtbot, names, Qt.Key.Key_Down) == "ant"


def test_pages_end_at_the_ends(names: NameList, qtbot: QtBot) -> None:
    page = Qt.Key.Key_PageDown
    assert press(qtbot, names, page, page, page) == "cow"
    assert press(qtbot, names, Qt.Key.Key_PageUp) == "bee"


def test_enter_chooses_once_and_gives_the_focus_back(names: NameList, qtbot: QtBot) -> None:
    chosen: list[object] = []
    names.chosen.connect(chosen.append)
    qtbot.keyClicks(names.field, "ca")
    qtbot.keyClick(names.field, Qt.Key.Key_Return)
    assert chosen == ["cat"]
    assert names.isHidden()
    focused = names.window().focusWidget()
    assert isinstance(focused, QLineEdit)
    assert focused is not names.field


def test_nothing_is_chosen_where_nothing_fits(names: NameList, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(names.chosen):
        qtbot.keyClicks(names.field, "no such name")
        qtbot.keyClick(names.field, Qt.Key.Key_Return)
    assert names.isVisible()


def test_it_closes_when_the_keyboard_goes_elsewhere(names: NameList, qtbot: QtBot) -> None:
    with qtbot.waitSignal(names.closed):
        names.list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        names.list.setFocus()
    assert names.isHidden()


def test_it_stays_where_another_window_has_the_keyboard(names: NameList) -> None:
    for reason, is_hidden in (
        (Qt.FocusReason.ActiveWindowFocusReason, False),
        (Qt.FocusReason.TabFocusReason, True),
    ):
        QApplication.sendEvent(names.field, QFocusEvent(QEvent.Type.FocusOut, reason))
        assert names.isHidden() == is_hidden
