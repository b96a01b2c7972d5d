"""What goes to the model, what it costs and whether a turn goes on, in the real window."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.model_request import FittedRequest, TurnRequest
from playhead.domain.conversation.payloads import Usage
from playhead.domain.settings import ConversationConfig
from playhead.ui.timeline.model.rows import UNSENT
from playhead.ui.timeline.scroll.mouse_handler import EntryMenu
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

OpenBench = Callable[..., AbstractAsyncContextManager[Bench]]


@pytest.fixture
def bench(theme: Theme, tmp_path: Path) -> OpenBench:
    return lambda *answers: opened(theme, tmp_path, *answers)


def costing(text: str, cost: float) -> list[Chunk]:
    usage = Usage(input_tokens=100, output_tokens=20, model="openai/test", cost=cost)
    return [*said(text), Chunk(role="server", type="usage", content=usage)]


async def fails_twice(bench: Bench) -> None:
    bench.session.set_auto_run(True)
    bench.send("go")
    await until(lambda: bench.parts.question.isVisible())


FAILING = (coded("fail now", call_id="a"), coded("fail now", call_id="b"))


async def test_code_that_fails_twice_asks_and_goes_on_by_the_keyboard(bench: OpenBench):
    async with bench(*FAILING, said("Another way then.")) as opened_bench:
        await fails_twice(opened_bench)
        bar = opened_bench.parts.question
        assert bar.title_label.text() == "The same code failed twice in a row."
        assert opened_bench.session.is_idle
        bar.continue_button.setFocus()
        QTest.keyClick(bar.continue_button, Qt.Key.Key_Space)
        await until(lambda: opened_bench.session.conversation.messages[-1].text.endswith("then."))
        assert not bar.isVisible()


async def test_stopping_there_leaves_the_turn_and_asks_no_more(bench: OpenBench):
    async with bench(*FAILING) as opened_bench:
        await fails_twice(opened_bench)
        count = len(opened_bench.session.conversation.messages)
        bar = opened_bench.parts.question
        QTest.mouseClick(bar.stop_button, Qt.MouseButton.LeftButton)
        assert not bar.isVisible()
        assert opened_bench.session.is_idle
        assert len(opened_bench.session.conversation.messages) == count


async def test_a_budget_stops_before_the_next_question_and_can_be_raised(bench: OpenBench):
    async with bench(costing("One.", 0.6), costing("Two.", 0.1)) as opened_bench:
        session, parts = opened_bench.session, opened_bench.parts
        session.set_config(ConversationConfig(budget=0.5))
        opened_bench.send("first")
        await opened_bench.rests()
        assert parts.header.cost_label.text() == "$0.60 / $0.50"
        opened_bench.send("second")
        await until(lambda: parts.question.isVisible())
        assert "budget of $0.50" in parts.question.title_label.text()
        assert "Raise to $1.10" in parts.question.continue_button.text()
        QTest.mouseClick(parts.question.continue_button, Qt.MouseButton.LeftButton)
        await until(lambda: session.conversation.messages[-1].text == "Two.")
        await opened_bench.rests()
        assert session.config.budget == 1.1
        assert parts.header.cost_label.text() == "$0.70 / $1.10"


async def test_a_line_stands_above_what_is_still_sent(bench: OpenBench):
    async with bench(said("One."), said("Two."), said("Three.")) as opened_bench:
        session, timeline = opened_bench.session, opened_bench.parts.timeline
        opened_bench.send("first")
        await opened_bench.rests()

        def less(request: TurnRequest, attempt: int) -> FittedRequest:
            return FittedRequest(
                request=request,
                first_sent_id=request.messages[-1].id,
                left_out=len(request.messages) - 1,
            )

        opened_bench.provider.fits = less
        opened_bench.send("second")
        await opened_bench.rests()
        rows = [row.key if row.key == UNSENT else row.text for row in timeline.model.rows]
        assert rows == ["first", "One.", UNSENT, "second", "Two."]
        timeline.clear_notes()
        assert timeline.model.index_of(UNSENT) == 2
        opened_bench.provider.fits = lambda request, _: FittedRequest(request=request)
        opened_bench.send("third")
        await opened_bench.rests()
        assert timeline.model.index_of(UNSENT) is None
        assert len(session.conversation.messages) == 6


async def test_what_is_sent_can_be_looked_at_and_copied(bench: OpenBench):
    async with bench(said("Hello there.")) as opened_bench:
        opened_bench.send("hi")
        await opened_bench.rests()
        opened_bench.window.actions_by_name["request"].trigger()
        await until(lambda: opened_bench.window.context.dialog is not None)
        dialog = opened_bench.window.context.dialog
        assert dialog is not None
        await until(lambda: dialog.list.topLevelItemCount() == 2)
        assert dialog.text.toPlainText() == "hi"
        answer = dialog.list.topLevelItem(1)
        assert answer is not None
        dialog.list.setCurrentItem(answer)
        assert dialog.text.toPlainText() == "Hello there."
        QTest.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
        copied = json.loads(QGuiApplication.clipboard().text())
        assert [one["content"] for one in copied["messages"]] == ["hi", "Hello there."]
        dialog.tabs.setCurrentIndex(1)
        await until(lambda: dialog.list.topLevelItemCount() == 1)
        assert dialog.text.toPlainText() == "hi"
        dialog.close()
        await until(lambda: opened_bench.window.context.dialog is None)


async def test_what_was_sent_for_an_answer_is_in_its_menu(bench: OpenBench):
    async with bench(said("One."), said("Two.")) as opened_bench:
        for text in ("first", "second"):
            opened_bench.send(text)
            await opened_bench.rests()
        timeline = opened_bench.parts.timeline
        menu = EntryMenu(timeline.canvas, timeline.copier, timeline.activate)
        menu.fill(1, "", ("", -1))
        [action] = [one for one in menu.actions() if one.text().startswith("View what was sent")]
        action.trigger()
        menu.close()
        dialog = opened_bench.window.context.dialog
        assert dialog is not None
        await until(lambda: dialog.list.topLevelItemCount() == 1)
        assert dialog.text.toPlainText() == "first"
        dialog.close()
        await until(lambda: opened_bench.window.context.dialog is None)
