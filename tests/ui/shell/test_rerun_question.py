"""“Run all again” in the window, with a real kernel: it asks, runs in place and stops visibly."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton

from playhead.session.rerun import Block
from playhead.ui.shell.session_bindings import rerun_words
from playhead.ui.timeline.cards.card import Spot
from playhead.ui.timeline.cards.input_line import InputLine
from playhead.ui.widgets.theme import Theme
from tests.support import kernels
from tests.support.ports import Answer, coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

COUNT = "count = globals().get('count', 0) + 1\nprint('count is', count)"
WRITE = "from pathlib import Path\nopen('once.txt', 'x').close()\nprint('written')"
ASK = "print('Hello', input('Your name? '))"


@asynccontextmanager
async def talked(theme: Theme, home: Path, *codes: str) -> AsyncIterator[Bench]:
    """A window with a real kernel where each block was run at a click after a question."""
    answers: list[Answer] = []
    for number, code in enumerate(codes, 1):
        answers += [coded(code), said(f"That was block {number}.")]
    async with (
        kernels.executor(home / "kernels") as made,
        opened(theme, home, *answers, executor=made) as bench,
    ):
        bench.session.set_interpreter(sys.executable)
        (home / "work").mkdir()
        bench.window.set_folder(str(home / "work"))
        for number, _code in enumerate(codes, 1):
            bench.send(f"Question {number}")
            await bench.asked()
            bench.click(bench.parts.approval.run_button)
            await until(lambda: bench.session.state in ("awaiting_input", "idle"))
            if bench.session.state == "awaiting_input":
                await answer(bench, "Ada")
            await bench.rests()
        yield bench


async def answer(bench: Bench, text: str) -> None:
    def lines() -> list[InputLine]:
        return [one for one in bench.parts.timeline.findChildren(InputLine) if one.isVisible()]

    await until(lines)
    QTest.keyClicks(lines()[0].field, text)
    QTest.keyClick(lines()[0].field, Qt.Key.Key_Return)


async def question(bench: Bench) -> QMessageBox:
    bench.window.actions_by_name["run_all"].trigger()
    await until(lambda: shown_boxes(bench))
    return shown_boxes(bench)[0]


def shown_boxes(bench: Bench) -> list[QMessageBox]:
    return [one for one in bench.window.findChildren(QMessageBox) if one.isVisible()]


def choose(bench: Bench, box: QMessageBox, label: str) -> None:
    bench.click(next(one for one in box.findChildren(QPushButton) if one.text() == label))


def printed(bench: Bench) -> list[str]:
    messages = bench.session.conversation.messages
    return [m.text.strip() for m in messages if m.type == "console" and m.text.strip()]


def kinds(bench: Bench) -> list[str]:
    return [row.kind for row in bench.parts.timeline.model.rows]


def find_spot(bench: Bench, words: str) -> tuple[int, Spot] | None:
    """The place with these words in its label or tip, and the card it is on."""
    canvas = bench.parts.timeline.canvas
    canvas.flush()
    for index in range(len(canvas.sheet.rows)):
        for spot in canvas.sheet.card(index).spots(True):
            if words in (spot.label, spot.tip):
                return index, spot
    return None


async def click_spot(bench: Bench, words: str) -> None:
    await until(lambda: find_spot(bench, words))
    found = find_spot(bench, words)
    assert found is not None
    index, spot = found
    canvas = bench.parts.timeline.canvas
    canvas.scroll_to(canvas.top + canvas.card_rect(index).top() + spot.rect.top() - 200)
    canvas.flush()
    place = spot.rect.center() + canvas.card_rect(index).topLeft()
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(canvas.area.viewport(), left, plain, place)


def stop_note(bench: Bench) -> str:
    notes = [row.note for row in bench.parts.timeline.model.rows if row.note is not None]
    return "\n".join(f"{note.title} {note.detail}" for note in notes)


async def test_it_asks_and_runs_in_place_and_the_arrows_lead_back(
    theme: Theme, tmp_path: Path
) -> None:
    async with talked(theme, tmp_path, COUNT, COUNT) as bench:
        before = kinds(bench)
        box = await question(bench)
        assert box.text() == "Run 2 blocks again?"
        assert "Python: 2." in box.informativeText()
        assert "not restarted" in box.informativeText()
        QTest.keyClick(box, Qt.Key.Key_Escape)
        assert printed(bench) == ["count is 1", "count is 2"]
        choose(bench, await question(bench), "Run 2 blocks")
        await until(lambda: printed(bench) == ["count is 3", "count is 4"])
        await bench.rests()
        assert kinds(bench) == before
        assert stop_note(bench) == ""
        await click_spot(bench, "Version 2 of 2: show the one before")
        await until(lambda: printed(bench) == ["count is 1", "count is 2"])
        assert kinds(bench) == before


async def test_both_versions_are_there_after_a_restart_and_the_note_asks_too(
    theme: Theme, tmp_path: Path
) -> None:
    async with talked(theme, tmp_path, COUNT, COUNT) as bench:
        choose(bench, await question(bench), "Run 2 blocks")
        await until(lambda: printed(bench) == ["count is 3", "count is 4"])
        await bench.rests()
        kept = bench.session.conversation.id
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(kept)
        await until(lambda: bench.session.conversation.id == kept)
        assert printed(bench) == ["count is 3", "count is 4"]
        await click_spot(bench, "Run all again")
        await until(lambda: shown_boxes(bench))
        assert "A new kernel starts." in shown_boxes(bench)[0].informativeText()
        QTest.keyClick(shown_boxes(bench)[0], Qt.Key.Key_Escape)
        await click_spot(bench, "Version 2 of 2: show the one before")
        await until(lambda: printed(bench) == ["count is 1", "count is 2"])


async def test_it_stops_visibly_at_a_failure_and_goes_on_at_a_click(
    theme: Theme, tmp_path: Path
) -> None:
    async with talked(theme, tmp_path, COUNT, WRITE, COUNT) as bench:
        box = await question(bench)
        assert "Block 2 may delete or overwrite files." in box.informativeText()
        choose(bench, box, "Run 3 blocks")
        await until(lambda: "Stopped at block 2 of 3: it failed." in stop_note(bench))
        assert "1 block after it was not run." in stop_note(bench)
        shown = bench.session
        bench.window.new_conversation()
        bench.window.open_conversation(shown.conversation.id)
        await until(lambda: bench.session is shown)
        await click_spot(bench, "Go on from here")
        await until(lambda: "count is 4" in printed(bench))
        await bench.rests()
        assert stop_note(bench) == ""
        assert kinds(bench).count("question") == 3


async def test_it_stops_visibly_where_nobody_answers(theme: Theme, tmp_path: Path) -> None:
    async with talked(theme, tmp_path, ASK, COUNT) as bench:
        box = await question(bench)
        assert "Block 1 asks for input." in box.informativeText()
        choose(bench, box, "Run 2 blocks")
        await until(lambda: bench.session.state == "awaiting_input")
        bench.window.view.stop()
        await until(lambda: "it waited for an answer" in stop_note(bench))
        assert "1 block after it was not run." in stop_note(bench)
        await click_spot(bench, "Go on from here")
        await until(lambda: "count is 2" in printed(bench))


async def test_without_code_it_says_so_and_asks_nothing(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["run_all"].trigger()
        await until(lambda: bench.parts.notifications.banners)
        assert "No code has run" in bench.parts.notifications.banners[0].title
        assert bench.window.findChildren(QMessageBox) == []


def test_the_words_count_languages_and_name_a_new_kernel() -> None:
    blocks = [Block("", "python", "input()")] * 20 + [Block("", "bash", "rm a")]
    lines = rerun_words(blocks, has_kernel=False).splitlines()
    assert lines[:4] == [
        "Python: 20, Bash: 1.",
        "Block 21 may delete or overwrite files.",
        "20 of them ask for input: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ….",
        "A new kernel starts.",
    ]
