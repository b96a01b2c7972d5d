"""Earlier runs in the window, by mouse and keys: looked at, left again, and gone on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.execution import PastState, Variable
from playhead.domain.saved_variables import RestoreOffer
from playhead.errors import ExecutionError
from playhead.ui.timeline.scroll.run_rail import RunRail
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

LEFT = Qt.MouseButton.LeftButton


class States:
    """Keeps how variables were after each run, as its test says it."""

    def __init__(self) -> None:
        self.kept: dict[str, PastState] = {}
        self.gone_to: list[str] = []

    def saved(self, conversation_id: str) -> RestoreOffer | None:
        return None

    def answer(self, conversation_id: str, choice: Literal["yes", "no"]) -> None:
        return None

    def ask_again(self, conversation_id: str) -> None:
        return None

    async def state_at(self, conversation_id: str, run_id: str) -> PastState:
        return self.kept.get(run_id, PastState(why="behind"))

    def place(self, conversation_id: str) -> str:
        return ""

    def changes(self, conversation_id: str) -> Mapping[str, VariableChanges]:
        return {}

    async def take_back(
        self, conversation_id: str, effect_id: str, undo_id: str
    ) -> VariableChanges | None:
        return None

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        if effect_id not in self.kept:
            raise ExecutionError("The variables of this run are not kept.")
        self.gone_to.append(effect_id)
        return VariableChanges()

    async def survivors(self, conversation_id: str) -> Callable[[], str]:
        return str

    async def forget(self, conversation_id: str) -> None:
        self.kept.clear()


def rail_of(bench: Bench) -> RunRail:
    return bench.parts.timeline.rail


def drag(rail: RunRail, *numbers: int) -> None:
    """Drag the playhead from where it is over these runs, and let it go at the last."""

    def place(number: int) -> QPoint:
        return QPoint(rail.width() // 2, round(rail.y_of(number)))

    QTest.mousePress(rail, LEFT, pos=place(rail.value()))
    for number in numbers:
        QTest.mouseMove(rail, place(number))
    QTest.mouseRelease(rail, LEFT, pos=place(numbers[-1]))


async def run_all(bench: Bench, states: States, *codes: str) -> None:
    for number, code in enumerate(codes, 1):
        bench.session.run_code("python", code)
        await bench.rests()
        value = Variable(name="x", type="int", value=str(number), is_changed=True)
        states.kept[bench.executor.requests[-1].run_id] = PastState(variables=(value,))


async def is_looked_at(bench: Bench, number: int) -> None:
    await until(lambda: bench.parts.pane.current.title == f"run {number}")


def box(bench: Bench) -> QMessageBox:
    found = [one for one in bench.window.findChildren(QMessageBox) if one.isVisible()]
    assert len(found) == 1
    return found[0]


async def test_the_playhead_is_dragged_to_a_run_and_back(theme: Theme, tmp_path: Path) -> None:
    states = States()
    async with opened(theme, tmp_path, saved_variables=states) as bench:
        await run_all(bench, states, "one = 1", "fail here", "three = 3\nfour = 4")
        bench.parts.pane.show_variables(True)
        panel = bench.parts.pane.variables
        assert panel is not None
        rail, pane, timeline = rail_of(bench), bench.parts.pane, bench.parts.timeline
        await until(lambda: rail.isVisible() and rail.maximum() == 4)
        before = pane.current.key
        drag(rail, 3, 2)
        assert bench.window.past.bar.title.text().startswith("You look at run 2 of 3, ")
        assert bench.window.past.bar.detail.text() == "failed"
        await is_looked_at(bench, 2)
        await until(lambda: [one.value for one in panel.model.variables] == ["2"])
        assert pane.text() == "fail here"
        assert not pane.header.run.isEnabled()
        assert timeline.canvas.shown_until
        pane.focus_code()
        bench.type_code("more")
        assert pane.text() == "fail here"
        rail.setFocus()
        QTest.keyClick(rail, Qt.Key.Key_Home)
        await is_looked_at(bench, 1)
        QTest.keyClick(rail, Qt.Key.Key_Escape)
        assert rail.is_at_present
        assert bench.window.past.bar.isHidden()
        assert (pane.current.key, timeline.canvas.shown_until) == (before, "")
        await until(lambda: panel.words != "")
