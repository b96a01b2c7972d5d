"""The mouse on a line of output shows the line of code that printed it, and the other way."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation, StoredConversation
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.domain.history import ConversationSummary
from playhead.ui.editor.code.plain_editor import PlainEditor
from playhead.ui.editor.editor_follower import EditorFollower
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.timeline.cards.code_cards import ConsoleCard
from playhead.ui.timeline.printed_lines import PrintedLines, statement_around
from playhead.ui.timeline.view import TimelineView
from playhead.ui.widgets.theme import Theme
from tests.support.editor_marks import is_traced

CODE = "print('one')\nfor n in range(2):\n    print(n)\nprint('last')\n"
PRINTED = ((1, "one\n"), (2, "0\n"), (3, "1\n"), (4, "last\n"))


def move_mouse(widget: QWidget, point: QPoint) -> None:
    """At once, wherever the pointer of the screen is."""
    no_button, none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    at = QPointF(point)
    move = QMouseEvent(
        QEvent.Type.MouseMove, at, widget.mapToGlobal(at), no_button, no_button, none
    )
    QApplication.sendEvent(widget, move)


class Bench:
    """A timeline and an editor beside each other that show one conversation."""

    def __init__(self, theme: Theme, qtbot: QtBot) -> None:
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.timeline, self.pane = TimelineView(theme), EditorPane(theme)
        layout = QHBoxLayout(self.window)
        layout.addWidget(self.timeline)
        layout.addWidget(self.pane)
        self.window.resize(1200, 500)
        self.follower = EditorFollower(self.pane, self.window)
        self.links = PrintedLines(self.timeline, self.pane, self.window)
        self.console = ""

    def show(self, talk: Conversation) -> None:
        self.timeline.set_conversation(talk)
        self.follower.follow(talk)
        self.window.show()
        QTest.qWaitForWindowExposed(self.window)

    @property
    def editor(self) -> Any:
        return self.pane.editor

    def traced_lines(self) -> list[int]:
        return [line for line in range(1, 6) if is_traced(self.editor, line)]

    def traced_output(self) -> list[tuple[int, int | None]]:
        index = self.timeline.model.index_of(self.console)
        assert index is not None
        return list(self.timeline.model.rows[index].traced)

    def place_of(self, number: int) -> QPoint:
        """Where a line of the output stands in the timeline."""
        index = self.timeline.model.index_of(self.console)
        assert index is not None
        card = self.timeline.canvas.sheet.card(index)
        assert isinstance(card, ConsoleCard)
        assert card.column is not None
        box = card.column.line_box(0, number).translated(card.text_box().topLeft())
        return self.timeline.canvas.card_rect(index).topLeft() + QPoint(
            card.width // 2, box.center().y()
        )

    def point_at_output(self, number: int) -> None:
        move_mouse(self.timeline.viewport(), self.place_of(number))

    def point_at_code(self, line: int) -> None:
        viewport = self.editor.widget.focusProxy().viewport()
        y = next(y for y in range(0, 400, 3) if self.editor._line_at(QPoint(80, y)) == line)
        move_mouse(viewport, QPoint(80, y + 2))


def run(talk: Conversation, code: str = CODE) -> str:
    key = talk.apply(Chunk(role="assistant", type="code", format="python", start=True))
    talk.apply(Chunk(role="assistant", type="code", format="python", content=code))
    talk.apply(Chunk(role="assistant", type="code", format="python", end=True))
    talk.apply(
        Chunk(
            role="computer",
            type="confirmation",
            format="execution",
            content=Proposal(id="p", message_id=key, language="python", code=code),
        )
    )
    talk.apply(Chunk(role="computer", type="run", content=RunReport(state="started")))
    console = talk.apply(Chunk(role="computer", type="console", start=True))
    for line, text in PRINTED:
        talk.apply(Chunk(role="computer", type="console", format="active_line", content=line))
        talk.apply(Chunk(role="computer", type="console", format="output", content=text))
    talk.apply(Chunk(role="computer", type="console", format="active_line", content=None))
    talk.apply(Chunk(role="computer", type="console", end=True))
    talk.apply(Chunk(role="computer", type="run", content=RunReport(state="finished", seconds=0.1)))
    return console


@pytest.fixture
def bench(theme: Theme, qtbot: QtBot) -> Bench:
    made = Bench(theme, qtbot)
    talk = Conversation()
    made.console = run(talk)
    made.show(talk)
    return made


def test_a_line_of_output_marks_the_line_that_printed_it(bench: Bench) -> None:
    bench.point_at_output(0)
    assert bench.traced_lines() == [1]
    assert bench.traced_output() == [(0, 0)]
    bench.point_at_output(3)
    assert bench.traced_lines() == [4]


def test_of_a_loop_all_of_it_is_marked(bench: Bench) -> None:
    bench.point_at_output(1)
    assert bench.traced_lines() == [2, 3]
    bench.point_at_code(3)
    assert bench.traced_output() == [(1, 1), (2, 2)]


def test_the_marks_go_with_the_mouse(bench: Bench) -> None:
    bench.point_at_output(0)
    QApplication.sendEvent(bench.timeline.viewport(), QEvent(QEvent.Type.Leave))
    assert bench.traced_lines() == []
    assert bench.traced_output() == []
    bench.point_at_code(4)
    assert bench.traced_output() == [(3, None)]
    viewport = bench.editor.widget.focusProxy().viewport()
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))
    assert bench.traced_output() == []


def test_other_code_in_the_editor_is_not_marked(bench: Bench) -> None:
    bench.pane.replace_text("something = 'else'\n")
    bench.point_at_output(0)
    assert bench.traced_lines() == []


def test_by_keys_the_line_at_the_cursor_leads_to_its_output(bench: Bench) -> None:
    bench.editor.select(len(CODE) - 3, len(CODE) - 3)
    control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(bench.editor.widget.focusProxy(), Qt.Key.Key_L, control)
    assert bench.traced_output() == [(3, None)]
    assert bench.traced_lines() == [4]


def test_the_menu_of_an_output_leads_to_the_line(bench: Bench, qtbot: QtBot) -> None:
    menu = bench.timeline._pointer.menu_at(bench.place_of(3))
    action = next(one for one in menu.actions() if "printed this" in one.text())
    with qtbot.waitSignal(bench.timeline.line_requested) as asked:
        action.trigger()
    assert asked.args is not None
    assert asked.args[1] == 4
    assert bench.traced_lines() == [4]
    menu.close()


def test_it_is_known_of_a_stored_conversation_too(theme: Theme, qtbot: QtBot) -> None:
    talk = Conversation()
    console = run(talk)
    summary = ConversationSummary(id=talk.id, title="", created_at=1.0, updated_at=1.0)
    stored = StoredConversation(
        summary=summary,
        messages=tuple(talk.messages),
        leaf_id=talk.leaf_id,
        beside=tuple(talk.beside),
    )
    bench = Bench(theme, qtbot)
    bench.console = console
    bench.show(Conversation.restore(stored))
    bench.point_at_output(3)
    assert bench.traced_lines() == [4]


def test_the_plain_editor_marks_lines_too(bench: Bench) -> None:
    bench.pane.pages.use(PlainEditor)
    bench.point_at_output(1)
    assert bench.traced_lines() == [2, 3]
    bench.point_at_code(1)
    assert bench.traced_output() == [(0, 0)]


def test_statements_of_python_are_known_by_their_lines() -> None:
    code = "x = 1\n@cache\ndef f():\n    return (\n        2)\n\nf()\n"
    assert [statement_around("python", code, line) for line in (1, 2, 4, 7)] == [
        (1, 1), (2, 5), (2, 5), (7, 7),
    ]  # fmt: skip
    assert statement_around("r", code, 4) == (4, 4)
    assert statement_around("python", "if", 1) == (1, 1)
