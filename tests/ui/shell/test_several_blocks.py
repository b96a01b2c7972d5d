"""Several blocks of one answer in the window: one card with tabs, one decision."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playhead.domain.conversation.payloads import Proposal
from playhead.ui.timeline.cards.card import Intent
from playhead.ui.timeline.model.rows import Row
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

THREE = [*said("First:"), *coded("a = 1"), *coded("b = 2"), *coded("a + b"), *said("Shall I?")]
LONG = "This is how it is done. " * 20


def rows_of_code(bench: Bench) -> list[Row]:
    return [row for row in bench.parts.timeline.model.rows if row.kind == "code"]


def shown(bench: Bench) -> list[str]:
    """The code of the cards that have a height, as they are laid out."""
    sheet = bench.parts.timeline.canvas.sheet
    bench.parts.timeline.canvas.flush()
    return [
        row.text
        for index, row in enumerate(sheet.rows)
        if row.kind == "code" and sheet.is_shown(index)
    ]


def click_tab(bench: Bench, number: int) -> None:
    """Click the tab of a block with the mouse."""
    canvas = bench.parts.timeline.canvas
    index = next(i for i, row in enumerate(canvas.sheet.rows) if row.group and not row.is_hidden)
    key = canvas.sheet.rows[index].group[number - 1].key
    spots = canvas.sheet.card(index).spots(True)
    spot = next(spot for spot in spots if spot.intent == Intent("block", key))
    corner = canvas.card_rect(index).topLeft()
    place = spot.rect.center() + corner
    QTest.mouseClick(
        canvas.area.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )


async def ask(bench: Bench) -> None:
    bench.send("go")
    await bench.asked()


async def test_the_blocks_are_one_card_with_a_tab_for_each_and_run_in_order_on_one_click(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, THREE, said("Three.")) as bench:
        await ask(bench)
        bar = bench.parts.approval
        assert "these 3 blocks" in bar.accessibleName()
        assert bar.run_button.text() == "Run all in order"
        assert bar.skip_button.text() == "Skip all"
        assert shown(bench) == ["a = 1"]
        click_tab(bench, 3)
        await until(lambda: shown(bench) == ["a + b"])
        assert bench.parts.pane.text() == "a + b"
        bench.click(bar.run_button)
        await bench.rests()
        assert bench.ran == ["a = 1", "b = 2", "a + b"]
        assert [row.state for row in rows_of_code(bench)] == ["ran"] * 3
        contents = [m.content for m in bench.session.conversation.messages]
        assert [c.code for c in contents if isinstance(c, Proposal)] == ["a = 1", "b = 2", "a + b"]


async def test_the_keyboard_goes_from_tab_to_tab(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, THREE) as bench:
        await ask(bench)
        timeline = bench.parts.timeline
        timeline.setFocus()
        rows = rows_of_code(bench)
        for row in (rows[1], rows[2]):
            while timeline.canvas.focused is None or (
                timeline.canvas.focused[1].intent != Intent("block", row.key)
            ):
                QTest.keyClick(timeline, Qt.Key.Key_Tab)
                assert timeline.hasFocus()
            QTest.keyClick(timeline, Qt.Key.Key_Return)
            assert shown(bench) == [row.text]
        bench.session.stop()
        await bench.rests()


async def test_only_the_blocks_with_a_tick_run_with_their_edits(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, THREE, said("One.")) as bench:
        await ask(bench)
        bar = bench.parts.approval
        bench.click(bar.choices[0])
        assert bar.run_button.text() == "Run 2 of 3"
        click_tab(bench, 2)
        await until(lambda: bench.parts.pane.text() == "b = 2")
        bench.click(bar.edit_button)
        assert bench.parts.pane.text() == "b = 2"
        bench.type_code("a = ")
        await until(lambda: "edited" in bar.choices[1].text())
        bench.click(bar.run_button)
        await bench.rests()
        assert bench.ran == ["a = b = 2", "a + b"]
        assert [row.state for row in rows_of_code(bench)] == ["skipped", "ran", "ran"]


async def test_all_are_skipped_on_one_click_and_without_a_tick_none_can_run(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, THREE, said("Then not.")) as bench:
        await ask(bench)
        bar = bench.parts.approval
        for box in bar.choices:
            bench.click(box)
        assert not bar.run_button.isEnabled()
        assert not bar.run_action.isEnabled()
        bench.click(bar.skip_button)
        await bench.rests()
        assert bench.ran == []
        assert [row.state for row in rows_of_code(bench)] == ["skipped"] * 3
        assert bench.session.conversation.messages[-1].text == "Then not."


async def test_examples_within_an_explanation_wait_for_nobody_and_run_on_their_own_button(
    theme: Theme, tmp_path: Path
) -> None:
    answer = [*said("So:"), *coded("rm()"), *said(LONG)]
    async with opened(theme, tmp_path, answer) as bench:
        bench.send("explain")
        await bench.rests()
        assert bench.session.pending is None
        assert not bench.parts.approval.isVisible()
        canvas = bench.parts.timeline.canvas
        canvas.flush()
        index = next(i for i, row in enumerate(canvas.sheet.rows) if row.kind == "code")
        spots = canvas.sheet.card(index).spots(True)
        run = next(spot for spot in spots if spot.intent.kind == "run")
        place = run.rect.center() + canvas.card_rect(index).topLeft()
        QTest.mouseClick(
            canvas.area.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
        await until(lambda: bench.ran == ["rm()"])
        await bench.rests()
        last = [m for m in bench.session.conversation.messages if m.type == "code"][-1]
        assert last.role == "user"
