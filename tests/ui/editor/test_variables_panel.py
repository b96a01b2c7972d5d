"""The panel of names: asked when the kernel rests, and only while it can be seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from playhead.domain.conversation.payloads import Table
from playhead.domain.execution import KernelStatus, Variable
from playhead.domain.settings import AppSettings
from playhead.errors import ExecutionError
from playhead.ui.editor.variables_panel import VariablesPanel
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

FRAME = Variable(
    name="df",
    type="DataFrame",
    shape="3 × 2",
    size_bytes=1_200,
    value="a b",
    is_changed=True,
    is_table=True,
)
NUMBER = Variable(name="n", type="int", shape="", size_bytes=28, value="7")


class Kernel:
    """Stands in for the window's kernel: its state and its names are the test's."""

    def __init__(self, bench: Bench, *variables: Variable) -> None:
        self.names = list(variables)
        self.asked = 0
        self.error: ExecutionError | None = None
        self.answer = asyncio.Event()
        self.answer.set()
        self.tables: list[str] = []
        self._status = KernelStatus()
        self._listeners: list[Callable[[str, KernelStatus], None]] = []
        executor = bench.executor
        executor.variables = self._variables  # type: ignore[method-assign]
        executor.table = self._table  # type: ignore[method-assign]
        executor.status = lambda _id: self._status  # type: ignore[method-assign]
        self._bench = bench

    def become(self, state: str, language: str = "python") -> None:
        self._status = KernelStatus(state=state, language=language)  # type: ignore[arg-type]
        self._bench.session._on_kernel(self._bench.session.conversation.id, self._status)

    async def _variables(self, _conversation_id: str, _frames: object = ()) -> list[Variable]:
        self.asked += 1
        await self.answer.wait()
        if self.error is not None:
            raise self.error
        return self.names

    async def _table(
        self, _conversation_id: str, name: str, first: int, rows: int, _order: object = None
    ) -> Table:
        self.tables.append(name)
        return Table(
            columns=("a",),
            dtypes=("int64",),
            rows=((1,), (2,)),
            total_rows=2,
            total_columns=1,
            name=name,
        )


def panel_of(bench: Bench) -> VariablesPanel:
    bench.window.painted.emit()
    panel = bench.parts.pane.variables
    assert panel is not None
    return panel


def show(bench: Bench) -> VariablesPanel:
    bench.parts.load_editor()
    bench.parts.pane.show_variables(True)
    panel = bench.parts.pane.variables
    assert panel is not None
    return panel


async def test_names_are_read_once_for_each_run_and_only_while_they_are_seen(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        kernel = Kernel(bench, FRAME, NUMBER)
        kernel.become("busy")
        kernel.become("idle")
        assert kernel.asked == 0
        panel = show(bench)
        await until(lambda: panel.model.rowCount() == 2)
        for _ in range(5):
            kernel.become("idle")
        assert kernel.asked == 1
        kernel.become("busy")
        assert panel.model.rowCount() == 2
        kernel.names = [NUMBER]
        kernel.become("idle")
        await until(lambda: panel.model.rowCount() == 1)
        assert kernel.asked == 2
        bench.parts.pane.show_variables(False)
        kernel.become("busy")
        kernel.become("idle")
        assert kernel.asked == 2


async def test_each_state_is_said_in_words(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        kernel = Kernel(bench)
        panel = show(bench)
        assert panel.words.startswith("No kernel")
        kernel.become("busy")
        assert "is running" in panel.words
        kernel.become("idle")
        await until(lambda: panel.words.startswith("No variables yet"))
        kernel.error = ExecutionError("The kernel did not answer.", remedy="Restart it.")
        bench.window.variables.refresh()
        await until(lambda: "did not answer" in panel.words)
        kernel.error = None
        kernel.become("busy", "shell")
        kernel.become("idle", "shell")
        await until(lambda: "Python only" in panel.words)
        kernel.become("none")
        assert panel.words.startswith("No kernel")


async def test_what_the_last_run_changed_is_marked(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        kernel = Kernel(bench, FRAME, NUMBER)
        panel = show(bench)
        kernel.become("idle")
        await until(lambda: panel.model.rowCount() == 2)
        names = [panel.model.index(row, 0) for row in range(2)]
        told = [name.data(Qt.ItemDataRole.AccessibleTextRole) for name in names]
        assert told == ["df, changed in the last run", None]
        dots = [name.data(Qt.ItemDataRole.DecorationRole).toImage() for name in names]
        middle = QPoint(3, 3)
        assert [dot.pixelColor(middle).alpha() > 0 for dot in dots] == [True, False]


async def test_a_double_click_opens_a_table_and_nothing_else(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        kernel = Kernel(bench, FRAME, NUMBER)
        panel = show(bench)
        kernel.become("idle")
        await until(lambda: panel.model.rowCount() == 2)
        for row in (1, 0):
            index = panel.list.model().index(row, 0)
            panel.list.setCurrentIndex(index)
            place = panel.list.visualRect(index).center()
            QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
            QTest.mouseDClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: bench.window.results.windows)
        [window] = bench.window.results.windows
        assert kernel.tables == ["df"]
        assert window.windowTitle().startswith("df")
        assert window.model.rowCount() == 2


async def test_an_answer_that_comes_too_late_is_not_shown(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        kernel = Kernel(bench, FRAME)
        panel = show(bench)
        kernel.answer.clear()
        kernel.become("idle")
        await until(lambda: kernel.asked == 1)
        bench.window.view.show_session(bench.sessions.new())
        kernel.names = [NUMBER]
        kernel.answer.set()
        await until(lambda: panel.model.rowCount() == 1)
        assert panel.model.index(0, 0).data() == "n"


async def test_the_panel_is_made_after_the_first_paint_and_remembered(
    theme: Theme, tmp_path: Path
) -> None:
    wanted = AppSettings(window={"variables": "shown"})
    async with opened(theme, tmp_path, settings=wanted) as bench:
        await until(lambda: bench.parts.pane.variables is not None)
        panel = panel_of(bench)
        assert panel.isVisible()
        assert bench.parts.state()["variables"] == "shown"
        panel.close_requested.emit()
        assert bench.parts.state()["variables"] == "folded"
        assert not panel.isVisible()


async def test_text_for_a_program_reaches_the_executor(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.timeline.text_sent.emit("yes\n", False)
        await until(lambda: bench.executor.answers == [("", "yes\n")])


def test_the_panel_says_what_came_back_and_why_the_rest_did_not(theme: Theme) -> None:
    panel = VariablesPanel(theme)
    back = Variable(name="a", type="list", value="[1]", survival="back")
    lost = Variable(name="s", type="socket", survival="again", why="socket", line=3)
    secret = Variable(name="key", type="str", survival="lost", why="secret", line=4)
    panel.show_variables([back, lost, secret])
    values = [panel.model.index(row, 4).data() for row in range(3)]
    assert values == [
        "[1]",
        "a socket cannot be kept; line 3 of its block makes it again",
        "it looks like a secret",
    ]
    tip = Qt.ItemDataRole.ToolTipRole
    assert panel.model.index(0, 0).data(tip) == "Came back from the last kernel"
    assert panel.behind.isHidden()
    panel.show_behind(True)
    assert not panel.behind.isHidden()
