"""Code on a real machine behind sshd, and on a real Jupyter server, by clicks in the window."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from playhead.domain.conversation.payloads import FileChanges, InputRequest, RunReport
from playhead.domain.execution import Place
from playhead.domain.places import machine_place
from playhead.domain.secret import Secret
from playhead.execution.machines.other_places import OtherPlaces
from playhead.execution.process_executor import ProcessExecutor
from playhead.ui.places.place_sheets import ServerSheet
from playhead.ui.widgets.theme import Theme
from tests.support.jupyter_servers import TOKEN, jupyter_server
from tests.support.machines import HAS_SSHD, machine
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

SHOWN = """\
name = input("Who? ")
print("Hello", name)
class Page:
    def _repr_html_(self):
        return "<table><tr><th>n</th><th>who</th></tr><tr><td>1</td><td>Ann</td></tr></table>"
Page()
"""
WRITES = "open('sums.csv', 'w').write(open('sales.csv').read()[:4])"
ENDLESS = """\
import time
kept = name
while True:
    time.sleep(0.05)
"""


def look(bench: Bench, name: str) -> None:
    """Take a picture, if a folder for pictures is named."""
    if folder := os.environ.get("TEST_PICTURES"):
        bench.window.grab().save(f"{folder}/{name}.png")


def printed(bench: Bench) -> str:
    return "".join(m.text for m in bench.session.conversation.messages if m.type == "console")


@asynccontextmanager
async def executor(
    folder: Path,
    variables: dict[str, str] | None = None,
    token_of: Callable[[Place], Awaitable[Secret | None]] | None = None,
) -> AsyncGenerator[ProcessExecutor]:
    made = ProcessExecutor(folder / "output", variables, token_of=token_of)
    try:
        yield made
    finally:
        await made.close()


async def use(bench: Bench, name: str) -> None:
    """Have code ask for a line, show a table, and run on until it is stopped."""
    bar = bench.parts.approval
    bench.send("Show it")
    await bench.asked()
    look(bench, f"{name}-asked")
    bench.click(bar.run_button)
    await until(lambda: bench.session.state == "awaiting_input")
    asked = bench.session.conversation.messages[-1].content
    assert isinstance(asked, InputRequest)
    bench.session.answer_input(asked.id, "Ann")
    await bench.rests()
    assert "Hello Ann" in printed(bench)
    look(bench, f"{name}-shown")
    bench.send("Run on")
    await bench.asked()
    bench.click(bar.run_button)
    await until(lambda: bench.parts.pane.running_line.line == 4)
    look(bench, f"{name}-running")
    bench.click(bench.parts.pane.header.run)
    await bench.rests()
    contents = [one.content for one in bench.session.conversation.messages]
    reports = [one for one in contents if isinstance(one, RunReport)]
    assert reports[-1].state == "interrupted"
    names = await bench.session.questions.variables()
    assert {one.name: one.value for one in names}["kept"] == "'Ann'"
    look(bench, f"{name}-stopped")


async def carry(bench: Bench, folder: Path, opened_urls: list[QUrl]) -> None:
    """Attach a file, have code use it over there, and open what that wrote."""
    (folder / "sales.csv").write_bytes(b"a,b\n" * 50_000)
    bench.parts.composer.attach_paths([str(folder / "sales.csv")])
    bench.send("Sum it up")
    await bench.asked()
    asked = [one.text for one in bench.session.conversation.messages if one.role == "user"]
    assert "(sales.csv was copied to " in asked[-1]
    bench.click(bench.parts.approval.run_button)
    await bench.rests()
    messages = bench.session.conversation.messages
    card = next(one for one in messages if isinstance(one.content, FileChanges))
    look(bench, "ssh-files")
    bench.window.results.handle("file", card.id, "sums.csv")
    await until(lambda: opened_urls)
    copy = Path(opened_urls[0].toLocalFile())
    assert await asyncio.to_thread(copy.read_bytes) == b"a,b\n"


@pytest.mark.skipif(not HAS_SSHD, reason="sshd is not installed")
async def test_code_runs_on_a_machine_that_ssh_reaches(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: bool(found.append(url)) or True)
    answers = (coded(SHOWN), said("Done."), coded(ENDLESS), coded(WRITES), said("Written."))
    with machine(tmp_path / "far") as far:
        (far.home / "data").mkdir()
        async with (
            executor(tmp_path, far.variables) as made,
            opened(
                theme,
                tmp_path,
                *answers,
                executor=made,
                places=OtherPlaces(made.place_questions),
                far_side=made.far_side,
            ) as bench,
        ):
            bench.session.set_folder(str(tmp_path))
            bench.session.set_interpreter(machine_place(far.host, "~/data").id)
            await use(bench, "ssh")
            await carry(bench, tmp_path, found)


@pytest.mark.slow_group("jupyter")
async def test_code_runs_on_a_server_that_was_added(theme: Theme, tmp_path: Path) -> None:
    answers = (coded(SHOWN), said("Done."), coded(ENDLESS), said("Stopped."))

    async def token_of(_place: Place) -> Secret | None:
        return Secret(TOKEN)

    with jupyter_server(tmp_path / "server") as address:
        async with (
            executor(tmp_path, token_of=token_of) as made,
            opened(
                theme, tmp_path, *answers, executor=made, places=OtherPlaces(made.place_questions)
            ) as bench,
        ):
            bench.session.set_folder(str(tmp_path))
            bench.window.places.add_server()
            sheet = bench.window.places.sheet
            assert isinstance(sheet, ServerSheet)
            sheet.address.setText(f"{address}/lab")
            sheet.token.setText("wrong")
            sheet.address.textEdited.emit(f"{address}/lab")
            bench.click(sheet.ask_button)
            await until(lambda: sheet.note.property("kind") == "danger")
            look(bench, "server-refused")
            sheet.token.setText(TOKEN)
            bench.click(sheet.ask_button)
            await until(sheet.run_button.isVisible)
            bench.click(sheet.run_button)
            await until(lambda: bench.session.interpreter)
            sheet.reject()
            await use(bench, "server")
