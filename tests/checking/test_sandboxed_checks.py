"""A check is kept to the policy of its conversation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from playhead.checking.check_report import CheckReport
from playhead.checking.checker import Checker, CheckPlan
from playhead.checking.recorded_cells import recording_of
from playhead.execution.environments.locked_environments import LockedEnvironments
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from tests.support.kernels import executor
from tests.support.recorded_exports import exported, recorded
from tests.support.sandboxes import FOLDER, Place

pytestmark = pytest.mark.requires_system("bwrap")


async def test_code_of_a_check_is_in_the_sandbox_with_a_home_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    diary = tmp_path / "diary.txt"
    cells = [f"import os\nos.path.exists({str(diary)!r})", "open('made.txt', 'w').write('ok')"]
    cells.append("open(os.path.expanduser('~/left.txt'), 'w').write('ok')")

    def make(folder: Path) -> ProcessExecutor:
        places = PrivatePlaces(
            home=str(place.home), homes=folder / "homes", outside=(str(place.data),)
        )
        return ProcessExecutor(folder / "outputs", sandbox=Sandbox(places))

    async with executor(place.data) as made:
        conversation = await recorded(made, place.folder, cells)
    recording = recording_of(await exported(conversation, place.folder, "ipynb"), "a.ipynb")
    checks = Checker(place.data / "checks", make, LockedEnvironments())
    plan = CheckPlan(
        recording=recording,
        folder=str(place.folder),
        interpreter=sys.executable,
        environment="present",
        policy=FOLDER,
    )
    report = [step async for step in checks.check(plan)][-1]
    assert isinstance(report, CheckReport)
    [found] = report.differences  # its home is another one, in which there is no diary
    assert (found.cell, found.before and found.before.text) == (1, "True\n")
    assert found.now is not None
    assert found.now.text == "False\n"
    assert [cell.verdict for cell in report.cells] == ["differs", "same", "same"]
    assert list((place.data / "checks").iterdir()) == []
    await checks.close()
