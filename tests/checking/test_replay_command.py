"""The command `playhead replay`: its exit status is the result."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import playhead
from playhead.bootstrap.replay import approved_by_person
from playhead.checking.checker import CheckPlan
from playhead.checking.manifest import Manifest
from playhead.checking.recorded_cells import RecordedCell, Recording
from tests.support.kernels import executor
from tests.support.recorded_exports import exported, recorded
from tests.support.source_tree import SOURCE


def replay(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "playhead", "replay", "--python", sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_terminal_shows_all_that_would_run_and_ctrl_c_is_a_no(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = (
        RecordedCell(number=1, language="python\x1b[8m", code="1\r#\u202e\n"),
        RecordedCell(number=2, language="r\nIt runs in the sandbox.", code="2"),
    )
    packages = ("numpy 1.0\x1b[2J\n\nIt runs in the sandbox.",)
    recording = Recording(name="a.ipynb", cells=cells, manifest=Manifest(packages=packages))
    plan = CheckPlan(recording=recording, folder="/", interpreter="")
    outer, inner = pty.openpty()
    shown: list[str] = []

    main = threading.get_ident()

    def press() -> None:
        while "[y/N]" not in "".join(shown):
            shown.append(os.read(outer, 10_000).decode())
        signal.pthread_kill(main, signal.SIGINT)
        os.write(outer, b"y\n")  # what asks again would take this

    before = signal.signal(signal.SIGINT, lambda *_: None)  # as asyncio's does not end it
    try:
        with os.fdopen(inner, "r+b", buffering=0) as file:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
            monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(file, write_through=True))
            thread = threading.Thread(target=press)
            thread.start()
            assert not approved_by_person(plan)
            thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
        os.close(outer)
    text = "".join(shown).replace("\r\n", "\n")
    assert not set("\x1b\r\u202e") & set(text)
    assert "[1] python\\u001b[8m\n1\\u000d#\\u202e\n" in text
    assert "\nIt runs in the sandbox" not in text


async def test_the_exit_status_is_the_result_and_nothing_runs_unapproved(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    async with executor(tmp_path) as made:
        conversation = await recorded(made, folder, ["x = 6", "print(7 * x)"])
    file = folder / "export.ipynb"
    file.write_bytes(await exported(conversation, folder, "ipynb"))
    refused = replay(str(file))
    assert refused.returncode == 3, refused
    assert "nobody approved it" in refused.stderr
    proved = replay(str(file), "--yes", "--write-report")
    assert proved.returncode == 0, proved
    assert "2 cells ran from the top and gave what is recorded" in proved.stdout
    book = json.loads(file.read_bytes())
    assert book["metadata"]["playhead"]["check"]["result"] == "same"
    book["cells"] = [cell for cell in book["cells"] if "x = 6" not in "".join(cell["source"])]
    file.write_text(json.dumps(book), "utf-8")
    different = replay(str(file), "--yes", "--json")
    assert different.returncode == 1, different
    told = json.loads(different.stdout)
    assert [(one["cell"], one["kind"]) for one in told["differences"]] == [
        (1, "text"),
        (1, "error"),
    ]
    assert "no cell makes x" in told["differences"][1]["cause"]
    found = await asyncio.to_thread(playhead.replay, str(file), environment="present")
    assert (found["result"], found["environment"]) == ("different", "present")
    with pytest.raises(playhead.InterpreterError, match="could not be read"):
        await asyncio.to_thread(playhead.replay, str(tmp_path / "no.ipynb"))
