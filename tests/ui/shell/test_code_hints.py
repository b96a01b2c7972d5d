"""Completion and documentation in the window, with a real kernel and both editors."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from playhead.domain.execution import Candidate, CodePlace, Completions, Description
from playhead.execution.code_reader import CodeReader
from playhead.session.ports import CodeReader as CodeReading
from playhead.ui.editor.pane.code_hints import CodeHints
from playhead.ui.widgets.theme import Theme
from tests.support import kernels, programs
from tests.support.waiting import until
from tests.support.window import Bench, opened

NAMES = (
    "class Part:\n"
    "    '''A part of it.'''\n"
    "    size = 1\n"
    "    def turn(self, by, far=2): '''Turn it round.'''\n"
    "    def tilt(self): pass\n"
    "part = Part()\nprices = {'first': 1, 'second': 2}\n"
)
Ctrl = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(params=["scintilla", "plain"], autouse=True)
def editor_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "playhead.ui.editor.code.scintilla_editor", None)
    return request.param


class Writer:
    """A window in whose editor one types."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.pane = bench.parts.pane
        self.hints: CodeHints = self.pane.hints

    @property
    def target(self) -> QAbstractScrollArea:
        target = self.pane.editor.widget.focusProxy()
        assert isinstance(target, QAbstractScrollArea)
        return target

    @property
    def listed(self) -> list[str]:
        return self.hints.list.texts if self.hints.is_listing and self.hints.list else []

    @property
    def told(self) -> str:
        tip = self.hints.tip
        return tip.words if tip is not None and tip.isVisible() else ""

    def type_code(self, text: str) -> None:
        QTest.keyClicks(self.target, text)

    def press(
        self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        QTest.keyClick(self.target, key, modifier)

    def rest_mouse_on(self, text: str) -> None:
        """Send what Qt sends when the mouse rests on a text."""
        wanted = self.pane.text().index(text) + 1
        viewport = self.target.viewport()
        place = next(
            point
            for y in range(4, viewport.height(), 8)
            for x in range(4, 500, 4)
            if self.pane.editor.place_at(point := QPoint(x, y)) == wanted
        )
        event = QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place))
        QApplication.sendEvent(viewport, event)


@asynccontextmanager
async def writer(
    theme: Theme, home: Path, code: str = NAMES, reader: CodeReading | None = None
) -> AsyncIterator[Writer]:
    async with (
        kernels.executor(home) as executor,
        opened(theme, home, executor=executor, reader=reader) as bench,
    ):
        bench.window.activateWindow()
        found = Writer(bench)
        await until(lambda: not bench.parts.pane.editor.widget.isHidden())
        found.pane.load_editor()
        found.pane.set_language("python")
        request = kernels.request(home, code)
        await kernels.run(executor, replace(request, conversation_id=bench.session.conversation.id))
        found.pane.focus_code()
        yield found


async def test_attributes_are_listed_after_a_dot_and_taken_by_tab(
    theme: Theme, tmp_path: Path
) -> None:
    async with writer(theme, tmp_path) as one:
        one.type_code("part.")
        await until(lambda: one.listed == ["size", "tilt", "turn"])
        one.type_code("t")
        await until(lambda: one.listed == ["tilt", "turn"])
        one.press(Qt.Key.Key_Down)
        await until(lambda: "Turn it round." in one.told)
        one.press(Qt.Key.Key_Tab)
        assert one.pane.text() == "part.turn"
        assert not one.listed
        one.press(Qt.Key.Key_Z, Ctrl)
        assert one.pane.text() == "part.t"


async def test_two_letters_list_names_enter_takes_one_and_escape_none(
    theme: Theme, tmp_path: Path
) -> None:
    async with writer(theme, tmp_path) as one:
        one.pane.editor.replace_text("größe = 1\n")
        one.pane.editor.select(10, 10)
        one.type_code("pr")
        await until(lambda: one.listed[:2] == ["prices", "print"])
        one.press(Qt.Key.Key_Return)
        assert one.pane.text() == "größe = 1\nprices"
        one.type_code("['")
        await until(lambda: one.listed == ["first", "second"])
        one.press(Qt.Key.Key_Escape)
        assert not one.listed
        one.type_code("first'] + pri")
        await until(lambda: "prices" in one.listed)
        one.type_code("ces")
        await until(lambda: not one.listed)
        one.press(Qt.Key.Key_Return)
        assert one.pane.text() == "größe = 1\nprices['first'] + prices\n"


async def test_the_signature_of_a_call_shows_the_argument_under_the_cursor(
    theme: Theme, tmp_path: Path
) -> None:
    async with writer(theme, tmp_path) as one:
        one.type_code("part.turn(")
        await until(lambda: ">by</b>" in one.told)
        assert "Turn it round." in one.told
        one.type_code("1, ")
        await until(lambda: ">far = 2</b>" in one.told)
        one.type_code(")")
        await until(lambda: not one.told)


async def test_what_is_under_the_mouse_is_described(theme: Theme, tmp_path: Path) -> None:
    async with writer(theme, tmp_path) as one:
        one.type_code("x = part.turn")
        one.press(Qt.Key.Key_Escape)
        one.rest_mouse_on("turn")
        await until(lambda: "Turn it round." in one.told)
        one.type_code(" ")
        await until(lambda: not one.told)
        one.rest_mouse_on("part")
        await until(lambda: "part: Part" in one.told)


async def test_control_and_space_lists_all_names_and_describes_what_is_whole(
    theme: Theme, tmp_path: Path
) -> None:
    async with writer(theme, tmp_path) as one:
        one.press(Qt.Key.Key_Space, Ctrl)
        await until(lambda: "prices" in one.listed)
        one.press(Qt.Key.Key_Escape)
        one.type_code("part.turn")
        one.press(Qt.Key.Key_Space, Ctrl)
        await until(lambda: "Turn it round." in one.told)
        assert one.pane.text() == "part.turn"


class HeldReader:
    """What reads code, as the port describes it; it answers once it may."""

    def __init__(self, *texts: str) -> None:
        self.found = Completions(0, tuple(Candidate(text, "function") for text in texts))
        self.may_answer = asyncio.Event()

    async def complete(
        self, place: CodePlace, folder: str, interpreter: str, *, is_asked: bool
    ) -> Completions:
        await self.may_answer.wait()
        return self.found

    async def describe(
        self, place: CodePlace, folder: str, interpreter: str, *, is_call: bool
    ) -> Description:
        return Description()

    async def close(self) -> None:
        return None


async def test_what_comes_later_is_listed_below_and_moves_nothing(
    theme: Theme, tmp_path: Path
) -> None:
    held = HeldReader("about", "size", "thick", "tiny")
    async with writer(theme, tmp_path, reader=held) as one:
        one.type_code("part.")
        await until(lambda: one.listed == ["size", "tilt", "turn"])
        shown = one.hints.list
        assert shown is not None
        one.press(Qt.Key.Key_Down)
        rows = shown.rows
        place, first = shown.pos(), rows.visualRect(rows.model().index(0, 0))
        held.may_answer.set()
        await until(lambda: one.listed == ["size", "tilt", "turn", "about", "thick", "tiny"])
        assert (shown.current, shown.pos()) == ("tilt", place)
        assert rows.visualRect(rows.model().index(0, 0)) == first
        bottom = rows.visualRect(rows.model().index(5, 0)).bottom()
        assert bottom <= rows.viewport().height()  # it has grown with its rows
        one.type_code("t")
        await until(lambda: one.listed == ["tilt", "turn", "thick", "tiny"])
        one.press(Qt.Key.Key_Return)
        assert one.pane.text() == "part.tilt"


async def test_what_comes_after_the_next_letter_is_still_listed(
    theme: Theme, tmp_path: Path
) -> None:
    held = HeldReader("about", "tiny")
    async with writer(theme, tmp_path, reader=held) as one:
        one.type_code("part.")
        await until(lambda: one.listed == ["size", "tilt", "turn"])
        one.type_code("t")
        await until(lambda: one.listed == ["tilt", "turn"])
        held.may_answer.set()
        await until(lambda: one.listed == ["tilt", "turn", "tiny"])
        one.press(Qt.Key.Key_Escape)
        await one.bench.window.tasks.settled()
        assert not one.listed


async def test_before_the_first_run_names_signatures_and_documentation_are_read(
    theme: Theme, tmp_path: Path
) -> None:
    made = CodeReader(tmp_path / "cache")
    try:
        painted: list[bool] = []
        async with opened(
            theme,
            tmp_path,
            reader=made,
            before=lambda window: window.painted.connect(lambda: painted.append(True)),
        ) as bench:
            one = Writer(bench)
            await until(lambda: painted)
            one.pane.load_editor()
            one.pane.set_language("python")
            one.pane.focus_code()
            await bench.window.tasks.settled()  # the tabs of the time before are put up
            one.pane.editor.replace_text("import json\ndef turn(by, far=2): 'Turn it.'\n")
            end = len(one.pane.text())
            one.pane.editor.select(end, end)
            one.type_code("json.dum")
            await until(lambda: one.listed == ["dump", "dumps"])
            one.press(Qt.Key.Key_Down)
            one.press(Qt.Key.Key_Tab)
            assert one.pane.text().endswith("\njson.dumps")
            one.type_code("; turn(1, ")
            await until(lambda: ">far = 2</b>" in one.told)
            assert "Turn it." in one.told
            one.press(Qt.Key.Key_Escape)
            one.rest_mouse_on("dumps")
            await until(lambda: "json.dumps" in one.told)
            assert "Serialize obj to a JSON formatted str" in one.told
    finally:
        await made.close()


async def test_a_busy_kernel_is_not_waited_for(theme: Theme, tmp_path: Path) -> None:
    async with (
        kernels.executor(tmp_path) as executor,
        opened(theme, tmp_path, executor=executor) as bench,
    ):
        one = Writer(bench)
        one.pane.load_editor()
        one.pane.focus_code()
        conversation_id = bench.session.conversation.id
        request = replace(
            kernels.request(tmp_path, programs.FOREVER), conversation_id=conversation_id
        )
        task = asyncio.create_task(kernels.run(executor, request))
        await until(lambda: executor.status(conversation_id).state == "busy")
        one.type_code("print.")
        one.press(Qt.Key.Key_Space, Ctrl)
        one.type_code("x")
        assert one.pane.text() == "print.x"
        await bench.window.tasks.settled()
        assert not one.listed
        await executor.interrupt(conversation_id)
        await task
