"""A conversation that runs on a kernel of Jupyter, by clicks in a window with a real one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import InputRequest, RunReport, Table
from playhead.domain.execution import Interpreter, Place
from playhead.domain.trust import Attempt, Policy
from playhead.ui.widgets.theme import Theme
from tests.support import kernels
from tests.support.jupyter import described
from tests.support.ports import HELD, OneInterpreter, ReportedSandbox, coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

SHOWN = """\
import pandas
import matplotlib.pyplot as plt
plt.figure(figsize=(3, 2))
plt.plot([1, 4, 9])
name = input("Who? ")
print("Hello", name)
pandas.DataFrame({"n": [1, 2, 3], "who": name})
"""
ENDLESS = """\
import time
kept = name
while True:
    time.sleep(0.05)
"""


class Machine(OneInterpreter):
    """A computer with one Python and one kernel."""

    def __init__(self, place: Place) -> None:
        self.kernel = Interpreter(path=place.id, version="", label=place.label, kind="jupyter")

    async def found(self, folder: str = "") -> list[Interpreter]:
        return [self.python, self.kernel]


def look(bench: Bench, name: str) -> None:
    """Take a picture, if a folder for pictures is named."""
    if folder := os.environ.get("TEST_PICTURES"):
        bench.window.grab().save(f"{folder}/{name}.png")


async def choose(bench: Bench, place: Place) -> None:
    """Choose the kernel in the menu."""
    menu = bench.window.places.open_interpreter_menu("")
    await until(lambda: any(place.label in action.text() for action in menu.actions()))
    titles = [action.text() for action in menu.actions()]
    assert "Jupyter kernels of this computer" in titles
    next(one for one in menu.actions() if place.label in one.text()).trigger()
    menu.close()


def reports(bench: Bench) -> list[RunReport]:
    contents = (message.content for message in bench.session.conversation.messages)
    return [one for one in contents if isinstance(one, RunReport)]


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_is_chosen_asked_about_run_and_stopped(theme: Theme, tmp_path: Path) -> None:
    place = described(tmp_path / "kernels" / "lab", label="Python of the lab")
    answers = (coded(SHOWN), said("Done."), coded(ENDLESS), said("Stopped."))
    async with (
        kernels.executor(tmp_path) as made,
        opened(theme, tmp_path, *answers, executor=made, interpreters=Machine(place)) as bench,
    ):
        bench.session.set_folder(str(tmp_path))
        await choose(bench, place)
        assert bench.session.interpreter == place.id
        assert bench.parts.pane.status.interpreter.text() == place.label
        chip = bench.parts.header.interpreter_chip
        assert chip.toolTip() == f"Runs on this computer: {place.label}"

        bench.send("Show it")
        await bench.asked()
        question = f"Run this code in the Jupyter kernel “{place.label}”?"
        assert bench.parts.approval.accessibleName().startswith(question)
        look(bench, "asked")
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.session.state == "awaiting_input")
        look(bench, "input")
        asked = bench.session.conversation.messages[-1].content
        assert isinstance(asked, InputRequest)
        bench.session.answer_input(asked.id, "Ann")
        await bench.rests()
        messages = bench.session.conversation.messages
        assert "Hello Ann" in "".join(m.text for m in messages if m.type == "console")
        assert [m.content.total_rows for m in messages if isinstance(m.content, Table)] == [3]
        assert sum(m.type == "image" for m in messages) == 1
        look(bench, "shown")

        bench.send("Run on")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.parts.pane.running_line.line == 4)
        look(bench, "running")
        bench.click(bench.parts.pane.header.run)
        await bench.rests()
        assert [one.state for one in reports(bench)][-1] == "interrupted"
        names = {one.name: one.value for one in await made.variables(bench.session.conversation.id)}
        assert names["kept"] == "'Ann'"
        look(bench, "stopped")


async def test_what_a_kernel_cannot_do_is_said_before_its_run(theme: Theme, tmp_path: Path) -> None:
    place = described(tmp_path / "kernels" / "ir", language="r", label="R 4.2")
    weaker = replace(HELD, attempts=(Attempt(group="files", name="times", outcome="open"),))
    blocks = [*coded("1", "r"), *coded("2", "r")]
    async with opened(
        theme,
        tmp_path,
        coded("1", "r"),
        blocks,
        sandbox=ReportedSandbox(weaker),
        interpreters=Machine(place),
    ) as bench:
        bench.session.set_folder(str(tmp_path))
        bar, parts = bench.parts.approval, bench.parts
        await choose(bench, place)
        assert parts.pane.status.kernel.text() == "R does not tell its line · no kernel"
        look(bench, "silent")

        bench.send("Count")
        await bench.asked()
        assert "This kernel can only run at Everything. Choose Every" in bar.accessibleName()
        assert not bar.run_button.isEnabled()
        look(bench, "weaker")
        bench.session.policy.choose(Policy(ask="risky"))
        assert bar.run_button.isEnabled()
        bench.click(bar.run_button)
        await until(lambda: len(bar.proposals) == 2)
        assert bar.accessibleName().startswith("Run these 2 blocks in the kernel “R 4.2”?")
        bench.session.stop()
        await bench.rests()

        parts.show_editor(False)
        chip = parts.header.interpreter_chip
        for width, words in ((1300, "Runs on This computer · R 4.2"), (1100, "R 4.2")):
            bench.window.resize(width, 800)
            await until(lambda words=words: chip.isVisible() and chip.text() == words)
