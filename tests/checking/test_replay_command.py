"""The command `playhead replay`: its exit status is the result."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import playhead
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
