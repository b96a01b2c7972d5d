"""Earlier runs in the window, by mouse and keys: looked at, left again, and gone on from."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.execution import PastState, Variable
from playhead.domain.settings import AppSettings
from playhead.errors import ExecutionError
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from playhead.ui.timeline.cards.card import Intent
from playhead.ui.timeline.scroll.run_rail import RunRail
from playhead.ui.widgets.theme import Theme
from tests.support.editor_marks import line_note
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened

LEFT = Qt.MouseButton.LeftButton


class States(VariableKeeper):
    """Keeps how variables were after each run as its test says it; nothing else is kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(VariableStore(folder / "variables"), Saving)
        self.states: dict[str, PastState] = {}
        self.gone_to: list[str] = []

    async def state_at(self, conversation_id: str, run_id: str) -> PastState:
        return self.states.get(run_id, PastState(why="behind"))

    async def go_to(self, conversation_id: str, effect_id: str) -> VariableChanges:
        if effect_id not in self.states:
            raise ExecutionError("The variables of this run are not kept.")
        self.gone_to.append(effect_id)
        return VariableChanges()


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
        states.states[bench.executor.requests[-1].run_id] = PastState(variables=(value,))


async def is_looked_at(bench: Bench, number: int) -> None:
    await until(lambda: bench.parts.pane.current.title == f"run {number}")


async def box(bench: Bench) -> QMessageBox:
    def shown() -> list[QMessageBox]:
        return [one for one in bench.window.findChildren(QMessageBox) if one.isVisible()]

    await until(lambda: len(shown()) == 1)
    return shown()[0]


def choose(question: QMessageBox, words: str) -> None:
    [button] = [one for one in question.buttons() if one.text().replace("&", "") == words]
    QTest.mouseClick(button, LEFT)


async def test_the_playhead_is_dragged_to_a_run_and_back(theme: Theme, tmp_path: Path) -> None:
    states = States(tmp_path)
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


def spoken(bench: Bench) -> list[str]:
    """Return the code that ran along the path that is shown, then what was asked last."""
    messages = bench.session.conversation.messages
    return [m.text for m in messages if m.role == "user"]


async def test_a_message_from_the_past_asks_where_it_goes_on(theme: Theme, tmp_path: Path) -> None:
    states = States(tmp_path)
    async with opened(theme, tmp_path, said("Yes"), said("No"), saved_variables=states) as bench:
        await run_all(bench, states, "one = 1", "two = 2", "three = 3")
        past, field = bench.window.past, bench.parts.composer.text_edit
        drag(rail_of(bench), 2)
        bench.send("From where?")
        question = await box(bench)
        assert question.text() == "You look at run 2. Where does it go on?"
        assert "the variables as then" in question.informativeText()
        assert spoken(bench) == ["one = 1", "two = 2", "three = 3"]
        choose(question, "Cancel")
        assert (past.run is not None, bench.parts.composer.text) == (True, "From where?")
        QTest.keyClick(field, Qt.Key.Key_Return)
        choose(await box(bench), "Go on from now")
        await until(lambda: spoken(bench)[-1] == "From where?")
        await bench.rests()
        assert spoken(bench) == ["one = 1", "two = 2", "three = 3", "From where?"]
        assert (past.run, bench.parts.composer.text) == (None, "")
        drag(rail_of(bench), 1)
        bench.send("And here?")
        choose(await box(bench), "Go on from run 1")
        await until(lambda: spoken(bench) == ["one = 1", "And here?"])
        await bench.rests()
        assert states.gone_to == [bench.executor.requests[0].run_id]
        assert (past.run, rail_of(bench).maximum()) == (None, 2)


async def test_a_branch_without_variables_is_asked_about_and_undone(
    theme: Theme, tmp_path: Path
) -> None:
    states = States(tmp_path)
    async with opened(theme, tmp_path, saved_variables=states) as bench:
        await run_all(bench, states, "one = 1", "two = 2")
        bench.parts.pane.show_variables(True)
        del states.states[bench.executor.requests[0].run_id]
        past, panel = bench.window.past, bench.parts.pane.variables
        assert panel is not None
        drag(rail_of(bench), 1)
        await until(lambda: "could not be saved before the next run" in panel.words)
        bench.click(past.bar.go_on)
        assert "variables as now" in (await box(bench)).text()
        choose(await box(bench), "Go on")
        await until(lambda: spoken(bench) == ["one = 1"])
        assert (past.run, states.gone_to) == (None, [])
        (banner,) = bench.parts.notifications.banners
        bench.click(banner.button)
        assert spoken(bench) == ["one = 1", "two = 2"]


async def test_what_is_looked_at_belongs_to_its_conversation_and_goes_with_its_branch(
    theme: Theme, tmp_path: Path
) -> None:
    states = States(tmp_path)
    async with opened(theme, tmp_path, said("Yes"), saved_variables=states) as bench:
        await run_all(bench, states, "one = 1", "two = 2")
        past, first = bench.window.past, bench.session.conversation
        drag(rail_of(bench), 1)
        await is_looked_at(bench, 1)
        bench.window.new_conversation()
        assert (past.bar.isHidden(), rail_of(bench).isHidden()) == (True, True)
        assert [tab.title for tab in bench.parts.pane.tabs] == ["scratch"]
        bench.window.open_conversation(first.id)
        await is_looked_at(bench, 1)
        assert past.bar.isVisible()
        bench.parts.pane.show_tab(first.messages[0].id)
        timeline = bench.parts.timeline
        timeline.activate(Intent("run", "x", "python"), 0)
        assert "only shown" in bench.parts.notifications.banners[0].title
        past.back_to_now()
        drag(rail_of(bench), 1)
        bench.window.view.session_changed.emit()  # as while the timeline is being made
        await is_looked_at(bench, 1)
        bench.session.send("A program's question")
        await bench.rests()
        bench.session.run_code("python", "three = 3")
        await bench.rests()
        assert bench.parts.pane.current.title == "run 1"
        assert (past.bar.isVisible(), rail_of(bench).value(), rail_of(bench).maximum()) == (
            *(True, 1),
            4,
        )
        bench.session.delete_turn(first.messages[0].id)
        assert (past.run, past.bar.isHidden(), timeline.canvas.shown_until) == (None, True, "")


@asynccontextmanager
async def keeping(theme: Theme, folder: Path) -> AsyncIterator[Bench]:
    """A window with the panel of variables, and a real kernel whose states are all kept."""
    keeper = VariableKeeper(VariableStore(folder / "variables"), Saving, idle_s=0.05)
    made = ProcessExecutor(folder / "output", keeper=keeper)
    settings = AppSettings(interpreter=sys.executable, folder=str(folder))
    place = folder / "home"
    async with opened(
        theme, place, settings=settings, executor=made, saved_variables=keeper
    ) as bench:
        bench.parts.load_editor()
        bench.parts.pane.show_variables(True)
        try:
            yield bench
        finally:
            await made.close()


def listed(bench: Bench) -> dict[str, str]:
    panel = bench.parts.pane.variables
    return {one.name: one.value for one in panel.model.variables} if panel is not None else {}


def changed(bench: Bench) -> set[str]:
    panel = bench.parts.pane.variables
    assert panel is not None
    return {one.name for one in panel.model.variables if one.is_changed}


def notes(bench: Bench) -> dict[int, str]:
    """Return the values at the ends of the lines of the shown code."""
    editor = bench.parts.pane.editor.widget
    lines = range(1, bench.parts.pane.text().count("\n") + 2)
    told = {line: line_note(editor, line) for line in lines}
    return {line: note for line, note in told.items() if " = " in note}


def is_saved(bench: Bench) -> bool:
    saved = bench.ports.saved_variables
    assert isinstance(saved, VariableKeeper)
    return not saved.is_waiting(bench.session.conversation.id)


async def test_real_runs_are_looked_at_line_by_line_and_gone_on_from(
    theme: Theme, tmp_path: Path
) -> None:
    block = "x = 2\nnames.append('Grace')\n\n# twice\nx += 2\nfor n in range(3):\n    x += n\n"
    async with keeping(theme, tmp_path) as bench:
        session = bench.session
        for language, code in (
            ("python", "x = 1\nnames = ['Ada']"),
            ("python", block),
            ("bash", "echo from bash"),
            ("python", "del names"),
        ):
            session.run_code(language, code)
            await bench.rests()
            rows = await session.questions.variables()
            await until(lambda rows=rows: set(listed(bench)) == {one.name for one in rows})
            await until(lambda: is_saved(bench))
        rail, past = rail_of(bench), bench.window.past
        drag(rail, 2)
        two = {"x": "7", "n": "2", "names": "['Ada', 'Grace']"}
        await until(lambda: listed(bench) == two)
        assert changed(bench) == {"x", "n", "names"}
        await until(lambda: notes(bench) != {})
        whole = notes(bench)
        assert (whole[1].endswith("x = 2"), whole[5].endswith("x = 4")) == (True, True)
        assert "at the end" in whole[7]
        between = QPoint(rail.width() // 2, round(rail.y_of(2, 0.5)))
        QTest.mouseClick(rail, LEFT, pos=between)
        assert 1 < past.tab.line < 7
        assert set(notes(bench)) == {line for line in whole if line <= past.tab.line}
        while past.tab.line != 2:
            QTest.keyClick(rail, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
        assert set(notes(bench)) == {1}
        bench.parts.pane.focus_code()
        field = bench.parts.pane.editor.widget.focusProxy()
        assert field is not None
        QTest.keyClick(field, Qt.Key.Key_Down)
        QTest.keyClick(field, Qt.Key.Key_Down)
        await until(lambda: past.tab.line == 3)
        rail.setFocus()
        QTest.keyClick(rail, Qt.Key.Key_Home)
        await until(lambda: listed(bench) == {"x": "1", "names": "['Ada']"})
        QTest.keyClick(rail, Qt.Key.Key_PageDown)
        QTest.keyClick(rail, Qt.Key.Key_Up)
        QTest.keyClick(rail, Qt.Key.Key_Up)
        await is_looked_at(bench, 3)
        assert past.bar.detail.text() == "Bash · ran"
        await until(lambda: listed(bench) == two)
        QTest.keyClick(rail, Qt.Key.Key_Home)
        await until(lambda: listed(bench) == {"x": "1", "names": "['Ada']"})
        bench.click(past.bar.go_on)
        await until(lambda: spoken(bench) == ["x = 1\nnames = ['Ada']"])
        session.run_code("python", "print(x, names)")
        await bench.rests()
        consoles = [one.text for one in session.conversation.messages if one.type == "console"]
        assert consoles[-1] == "1 ['Ada']\n"
