"""Code that is paused, by clicks and keys in a window with a real kernel."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from playhead.domain.trust import RiskFact
from playhead.ui.editor.code.scintilla_editor import ScintillaEditor
from playhead.ui.widgets.theme import Theme
from tests.support import kernels
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

CODE = """\
total = 0
names = ["Ada", "Grace"]
for name in names:
    total += len(name)
    print(name)
print(total)
"""


@asynccontextmanager
async def proposing(theme: Theme, home: Path, code: str = CODE) -> AsyncIterator[Bench]:
    """A window with a real kernel whose code waits for a decision."""
    async with (
        kernels.executor(home) as made,
        opened(theme, home, coded(code), said("Done."), executor=made) as bench,
    ):
        bench.session.set_interpreter(sys.executable)
        bench.send("Count")
        await bench.asked()
        yield bench


def click_beside(bench: Bench, line: int) -> None:
    """Click the number of a line."""
    editor = bench.parts.pane.editor
    assert isinstance(editor, ScintillaEditor)
    sci = editor.focusProxy()
    assert sci is not None
    view: QWidget = sci.viewport()  # type: ignore[attr-defined]
    row = sci.textHeight(0)  # type: ignore[attr-defined]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(8, int((line - 0.5) * row)))


def printed(bench: Bench) -> str:
    return "".join(m.text for m in bench.session.conversation.messages if m.type == "console")


def look(bench: Bench, name: str) -> None:
    """Take a picture, if a folder for pictures is named."""
    if folder := os.environ.get("PLAYHEAD_TEST_PICTURES"):
        bench.window.grab().save(f"{folder}/{name}.png")


async def test_a_click_beside_a_line_pauses_before_it(theme: Theme, tmp_path: Path) -> None:
    async with proposing(theme, tmp_path) as bench:
        pane, header = bench.parts.pane, bench.parts.pane.header
        click_beside(bench, 4)
        assert pane.editor.breakpoints == [4]
        pane.show_variables(True)
        assert header.pause.isHidden()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.state == "paused")
        await until(lambda: header.step.isVisible())
        assert bench.parts.header.state_pill.text() == "paused"
        assert bench.parts.sidebar.model.state_words(bench.session.conversation.id) == "paused"
        assert pane.status.kernel.text().startswith("paused before line 4")
        assert (header.pause.text(), header.run.text()) == ("Go on", "Stop")
        await until(lambda: pane.running_line.line == 4)
        await until(
            lambda: (
                [one.paused_line for one in bench.parts.timeline.model.rows if one.kind == "code"]
                == [4]
            )
        )
        panel = pane.variables
        assert panel is not None
        await until(lambda: {"name", "total"} <= {one.name for one in panel.model.variables})
        look(bench, "paused")
        bench.click(header.step)
        await until(lambda: bench.session.kernel.paused_line == 5)
        await until(lambda: pane.running_line.line == 5)
        click_beside(bench, 4)
        assert pane.editor.breakpoints == []
        bench.click(header.pause)
        await bench.rests()
        assert printed(bench) == "Ada\nGrace\n8\n"
        assert header.pause.isHidden()
        assert header.step.isHidden()


async def test_pause_and_stop_by_button_and_keys(theme: Theme, tmp_path: Path) -> None:
    code = "n = 0\nwhile True:\n    n += 1"
    async with proposing(theme, tmp_path, code) as bench:
        pane, header = bench.parts.pane, bench.parts.pane.header
        bench.click(bench.parts.approval.run_button)
        await until(lambda: header.pause.isVisible())
        look(bench, "running")
        bench.click(header.pause)
        await until(lambda: bench.session.state == "paused")
        await until(lambda: header.step.isVisible())
        field = pane.editor.widget.focusProxy()
        assert field is not None
        QTest.keyClick(field, Qt.Key.Key_F8)
        await until(lambda: bench.session.state == "running")
        QTest.keyClick(field, Qt.Key.Key_F8)
        await until(lambda: bench.session.state == "paused")
        bench.click(header.run)
        await bench.rests()
        report = bench.session.conversation.messages[-1].content
        assert getattr(report, "state", "") == "interrupted"
        assert (await bench.session.questions.variables())[0].name == "n"


async def test_a_chip_of_the_question_pauses_before_each_of_its_lines(
    theme: Theme, tmp_path: Path
) -> None:
    code = "import os\nx = 1\nos.remove('a')\nos.remove('b')\n"
    async with proposing(theme, tmp_path, code) as bench:
        strip, pending = bench.parts.approval.facts, bench.session.pending
        assert pending is not None
        facts = tuple(RiskFact(kind="deletes", line=line) for line in (3, 4))
        strip.show_proposal(replace(pending, facts=facts))
        [action] = strip.chips[0].actions()
        assert action.text() == "Pause before these 2 lines"
        action.trigger()
        assert bench.parts.pane.editor.breakpoints == [3, 4]
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.kernel.paused_line == 3)
        bench.session.stop()
        await bench.rests()


async def test_code_that_comes_to_no_line_says_so_and_is_stopped(
    theme: Theme, tmp_path: Path
) -> None:
    async with proposing(theme, tmp_path, "import time\nx = 1\ntime.sleep(1000)") as bench:
        header = bench.parts.pane.header
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.parts.pane.running_line.line == 3)
        bench.click(header.pause)
        assert header.pause.text() == "Pausing…"
        bench.click(header.run)
        await bench.rests()
        assert printed(bench).count("KeyboardInterrupt") == 1
        assert [one.name for one in await bench.session.questions.variables()] == ["x"]


async def test_the_lines_stay_with_the_code_while_it_is_edited(
    theme: Theme, tmp_path: Path
) -> None:
    async with proposing(theme, tmp_path) as bench:
        pane = bench.parts.pane
        pane.focus_code()
        field = pane.editor.widget.focusProxy()
        assert field is not None
        QTest.keyClick(field, Qt.Key.Key_F9)
        assert pane.editor.breakpoints == [1]
        click_beside(bench, 6)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert pane.editor.breakpoints == [2, 7]
        QTest.keyClick(field, Qt.Key.Key_F9)
        assert pane.editor.breakpoints == [7]
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.kernel.paused_line == 7)
        QTest.keyClick(field, Qt.Key.Key_F8)
        await bench.rests()
        assert printed(bench) == "Ada\nGrace\n8\n"


async def test_a_line_under_the_mouse_says_what_it_assigned(theme: Theme, tmp_path: Path) -> None:
    async with proposing(theme, tmp_path) as bench:
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        editor = bench.parts.pane.editor
        assert isinstance(editor, ScintillaEditor)
        bench.parts.pane.line_pointed.emit(2)
        await until(lambda: "names = list · 2" in note_at(editor, 2))
        look(bench, "values")
        bench.parts.pane.line_pointed.emit(4)
        await until(lambda: "total = 8" in note_at(editor, 4))
        assert "at the end" in note_at(editor, 4)
        assert "names" not in note_at(editor, 2)
        bench.parts.pane.line_pointed.emit(0)
        assert "total" not in note_at(editor, 4)


def note_at(editor: ScintillaEditor, line: int) -> str:
    sci = editor.focusProxy()
    return bytes(sci.eOLAnnotationText(line - 1).data()).decode()  # type: ignore[union-attr]
