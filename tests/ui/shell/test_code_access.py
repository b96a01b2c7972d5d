"""Code that lacks a display or an agent: what the window offers, and what a click changes."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from playhead.domain.settings import AppSettings
from playhead.execution.process_executor import ProcessExecutor
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

ALLOW, AGAIN = "Allow for this conversation", "Run it again"
SHOW = "import os\nprint(os.environ['SSH_AUTH_SOCK'], os.environ.get('DISPLAY'))"


@asynccontextmanager
async def window(theme: Theme, folder: Path) -> AsyncGenerator[Bench]:
    """A window whose kernels are real, in a session with a display, an agent and a secret."""
    own = {"DISPLAY": ":4711", "SSH_AUTH_SOCK": "/nowhere/agent", "GITHUB_TOKEN": "s3cret"}
    base = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    made = ProcessExecutor(folder / "output", base | own)
    settings = AppSettings(interpreter=sys.executable, folder=str(folder))
    async with opened(theme, folder / "home", settings=settings, executor=made) as bench:
        try:
            yield bench
        finally:
            await made.close()


def notes_of(bench: Bench) -> dict[str, str]:
    """The buttons of the notes, with their texts."""
    notes = [row.note for row in bench.parts.timeline.model.rows if row.note is not None]
    return {note.action[0]: f"{note.title} {note.detail}" for note in notes if note.action}


def press(bench: Bench, label: str) -> None:
    """Click on the button of a note with the mouse."""
    timeline = bench.parts.timeline
    rows = timeline.model.rows
    timeline.coalescer.flush_now()
    timeline.canvas.scroll_to(timeline.canvas.max_top())
    index = next(
        n
        for n, row in enumerate(rows)
        if row.note and row.note.action and row.note.action[0] == label
    )
    card = timeline.canvas.sheet.card(index)
    spot = next(spot for spot in card.spots(True) if spot.label == label)
    point: QPoint = timeline.canvas.card_rect(index).topLeft() + spot.rect.center()
    QTest.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=point)


def printed(bench: Bench) -> str:
    return "".join(m.text for m in bench.session.conversation.messages if m.type == "console")


async def test_a_click_gives_the_code_its_agent_and_keeps_its_variables(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        bench.session.run_code("python", "kept = 7")
        await bench.rests()
        assert ALLOW not in notes_of(bench)
        bench.session.run_code("python", SHOW)
        await until(lambda: ALLOW in notes_of(bench))
        assert "sign in as you" in notes_of(bench)[ALLOW]
        press(bench, ALLOW)
        await until(lambda: AGAIN in notes_of(bench))
        assert ALLOW not in notes_of(bench)
        press(bench, AGAIN)
        await until(lambda: "/nowhere/agent None" in printed(bench))  # and no display with it
        await bench.rests()
        bench.session.run_code("python", "print(kept)")
        await until(lambda: printed(bench).endswith("7\n"))
        await bench.rests()


async def test_nothing_is_offered_that_is_not_there_or_was_offered_already(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        bench.session.run_code("python", "raise OSError('Unable to connect to session bus')")
        await bench.rests()
        bench.session.run_code("python", "raise OSError('no display name and no $DISPLAY')")
        await until(lambda: ALLOW in notes_of(bench))
        assert "press keys in every window" in notes_of(bench)[ALLOW]
        bench.session.run_code("python", "print('well')")
        await until(lambda: "well" in printed(bench))
        await bench.rests()
        assert sum(bool(row.note) for row in bench.parts.timeline.model.rows) == 1


async def test_the_panel_names_the_secrets_and_its_switch_gives_them(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        bench.parts.load_editor()
        bench.parts.pane.show_variables(True)
        panel = bench.parts.pane.variables
        assert panel is not None
        assert panel.secrets.text() == "Not given to code: GITHUB_TOKEN"
        assert panel.secrets.isVisible()
        code = "import os\nprint(os.environ.get('GITHUB_TOKEN'))"
        bench.session.run_code("python", code)
        await until(lambda: printed(bench) == "None\n")
        await bench.rests()
        panel.pass_secrets.click()
        assert panel.secrets.text() == "Given to code: GITHUB_TOKEN"
        bench.session.run_code("python", code)
        await until(lambda: printed(bench) == "None\ns3cret\n")
        await bench.rests()
        panel.pass_secrets.click()
        bench.session.run_code("python", code)
        await until(lambda: printed(bench) == "None\ns3cret\nNone\n")
        await bench.rests()
