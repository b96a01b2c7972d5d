"""The question before code runs: nothing is decided by accident."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.payloads import Proposal
from playhead.domain.execution import Approve, Decision, Deny
from playhead.ui.composer.decision_bars import ApprovalBar
from playhead.ui.widgets.elided_label import ElidedLabel
from playhead.ui.widgets.theme import Theme

PROPOSAL = Proposal(
    id="p1",
    message_id="m1",
    language="python",
    code="a = 1\nprint(a)\n",
    folder="/srv/data",
    interpreter="/usr/bin/python3",
)


class Bench(QWidget):
    """A bar below a text field that has the focus."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.field = QPlainTextEdit(self)
        self.bar = ApprovalBar(theme, self, arming_ms=0)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.bar)
        self.approvals: list[tuple[str, str | None, bool]] = []
        self.refusals: list[tuple[str, str]] = []
        self.edits = 0
        self.bar.approved.connect(lambda *told: self.approvals.append(told))
        self.bar.rejected.connect(lambda *told: self.refusals.append(told))
        self.bar.edit_requested.connect(self._on_edit)

    def _on_edit(self) -> None:
        self.edits += 1

    def press(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        QTest.keyClick(self.field, key, held)


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme) -> Bench:
    made = Bench(theme)
    qtbot.addWidget(made)
    made.resize(700, 200)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.field.setFocus()
    return made


def ask(bench: Bench, qtbot: QtBot, proposal: Proposal = PROPOSAL) -> None:
    bench.bar.ask(proposal)
    qtbot.waitUntil(lambda: bench.bar.is_armed)


def test_it_says_what_would_run_and_where(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    name = bench.bar.accessibleName()
    assert "Run this code on your computer?" in name
    assert "Python · 2 lines · in /srv/data" in name


def test_a_click_on_run_approves_once(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    QTest.mouseDClick(bench.bar.run_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(bench.bar.run_button, Qt.MouseButton.LeftButton)
    assert bench.approvals == [("p1", None, False)]


def test_a_click_that_was_under_way_when_it_appeared_decides_nothing(bench: Bench) -> None:
    bench.bar.ask(PROPOSAL)
    QTest.mouseClick(bench.bar.run_button, Qt.MouseButton.LeftButton)
    bench.press(Qt.Key.Key_Return, CTRL)
    assert bench.approvals == []


def test_it_takes_no_focus_and_enter_in_the_field_is_no_answer(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    assert bench.field.hasFocus()
    bench.press(Qt.Key.Key_Return)
    bench.press(Qt.Key.Key_Space)
    assert bench.approvals == []


def test_every_answer_has_its_keys(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.press(Qt.Key.Key_E, CTRL)
    assert bench.edits == 1
    bench.press(Qt.Key.Key_Return, CTRL)
    assert bench.approvals == [("p1", None, False)]
    ask(bench, qtbot, Proposal(id="p2", message_id="m2", language="python", code="b"))
    bench.press(Qt.Key.Key_Return, CTRL, SHIFT)
    assert bench.approvals[-1] == ("p2", None, True)
    ask(bench, qtbot, Proposal(id="p3", message_id="m3", language="python", code="c"))
    bench.press(Qt.Key.Key_Period, CTRL)
    assert bench.refusals == [("p3", "")]


def test_a_reason_can_be_given(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.bar.reason_action.trigger()
    assert bench.bar._reason is not None
    QTest.keyClicks(bench.bar._reason, "use the other file")
    QTest.keyClick(bench.bar._reason, Qt.Key.Key_Return)
    assert bench.refusals == [("p1", "use the other file")]
    assert bench.approvals == []


def test_run_sends_the_text_as_it_was_edited(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.bar.set_edit("m1", "a = 2\n")
    assert "as you edited it" in bench.bar.accessibleName()
    bench.bar.run_button.click()
    assert bench.approvals == [("p1", "a = 2\n", False)]


def test_an_edit_that_was_taken_back_is_none(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.bar.set_edit("m1", "a = 2\n")
    bench.bar.set_edit("m1", PROPOSAL.code)
    bench.bar.run_button.click()
    assert bench.approvals == [("p1", None, False)]


def test_the_next_question_forgets_edit_and_reason(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.bar.set_edit("m1", "rm -rf")
    ask(bench, qtbot, Proposal(id="p2", message_id="m2", language="python", code="b = 1"))
    bench.bar.run_button.click()
    assert bench.approvals == [("p2", None, False)]


def test_it_goes_away_when_nothing_waits(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.bar.ask(None)
    assert bench.bar.isHidden()
    bench.press(Qt.Key.Key_Return, CTRL)
    assert bench.approvals == []


def test_the_buttons_stay_reachable_in_a_narrow_window(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot)
    bench.resize(330, 240)
    qtbot.waitUntil(lambda: bench.bar.width() < 520)
    for button in (bench.bar.skip_button, bench.bar.edit_button, bench.bar.run_button):
        assert bench.bar.rect().contains(button.mapTo(bench.bar, button.rect().center()))


def test_what_does_not_fit_beside_the_question_is_elided(bench: Bench, qtbot: QtBot) -> None:
    ask(bench, qtbot, msgspec.structs.replace(PROPOSAL, folder="/srv/" + "long folder " * 20))
    [details] = bench.bar.findChildren(ElidedLabel)
    assert details.text() in bench.bar.accessibleName()
    assert bench.bar.width() <= bench.width()


SECOND = Proposal(id="p2", message_id="m2", language="shell", code="ls", folder="/srv/data")


def ask_about_both(bench: Bench, qtbot: QtBot) -> list[dict[str, Decision]]:
    decisions: list[dict[str, Decision]] = []
    bench.bar.decided.connect(decisions.append)
    bench.bar.ask(PROPOSAL, (SECOND,))
    qtbot.waitUntil(lambda: bench.bar.is_armed)
    return decisions


def test_several_blocks_are_one_question_and_one_decision(bench: Bench, qtbot: QtBot) -> None:
    decisions = ask_about_both(bench, qtbot)
    assert "Run these 2 blocks on your computer?" in bench.bar.accessibleName()
    assert [box.text() for box in bench.bar.choices] == ["1 Python · 2 lines", "2 Shell · 1 line"]
    bench.bar.set_edit("m2", "ls -l")
    bench.press(Qt.Key.Key_Return, CTRL)
    bench.press(Qt.Key.Key_Return, CTRL)
    assert decisions == [{"m1": Approve(None), "m2": Approve("ls -l")}]
    assert (bench.approvals, bench.refusals) == ([], [])


def test_a_block_without_a_tick_is_skipped(bench: Bench, qtbot: QtBot) -> None:
    decisions = ask_about_both(bench, qtbot)
    QTest.mouseClick(bench.bar.choices[0], Qt.MouseButton.LeftButton)
    assert bench.bar.run_button.text() == "Run 1 of 2"
    bench.bar.run_button.click()
    assert decisions == [{"m1": Deny(), "m2": Approve(None)}]


def test_all_blocks_are_skipped_with_one_reason(bench: Bench, qtbot: QtBot) -> None:
    decisions = ask_about_both(bench, qtbot)
    bench.bar.reason_action.trigger()
    assert bench.bar._reason is not None
    QTest.keyClicks(bench.bar._reason, "not today")
    QTest.keyClick(bench.bar._reason, Qt.Key.Key_Return)
    assert decisions == [{"m1": Deny("not today"), "m2": Deny("not today")}]


def test_one_block_after_several_is_asked_about_as_ever(bench: Bench, qtbot: QtBot) -> None:
    ask_about_both(bench, qtbot)
    ask(bench, qtbot)
    assert bench.bar.choices == []
    assert (bench.bar.run_button.text(), bench.bar.skip_button.text()) == ("Run", "Skip")
