"""Exports of real runs are run again on real kernels and compared."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from playhead.checking.check_report import CheckReport, report_rows
from playhead.checking.checker import Checker, CheckPlan
from playhead.checking.document_edit import with_report
from playhead.checking.recorded_cells import Recording, recording_of
from playhead.execution.environments.locked_environments import LockedEnvironments
from playhead.execution.process_executor import ProcessExecutor
from playhead.formats.documents.document import read_document
from tests.support.kernels import executor
from tests.support.recorded_exports import exported, recorded

CELLS = (
    "import csv\nrows = list(csv.DictReader(open('data.csv')))\nrows",
    "print(object())\ntotal = sum(float(row['b']) for row in rows)\ntotal",
    "1 / 0",
    "with open('out.txt', 'w') as file: file.write(str(total))",
)


@asynccontextmanager
async def checker(tmp_path: Path) -> AsyncGenerator[Checker]:
    made = Checker(
        tmp_path / "checks",
        lambda place: ProcessExecutor(place / "outputs"),
        LockedEnvironments(),
    )
    try:
        yield made
    finally:
        await made.close()
        assert list((tmp_path / "checks").iterdir()) == []


async def report_of(made: Checker, recording: Recording, folder: Path) -> CheckReport:
    plan = CheckPlan(
        recording=recording, folder=str(folder), interpreter=sys.executable, environment="present"
    )
    found = [step async for step in made.check(plan)][-1]
    assert isinstance(found, CheckReport)
    return found


async def test_an_export_that_gives_the_same_again_is_proved_in_each_format(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "data.csv").write_text("a,b\n1,2\n3,4\n")
    async with executor(tmp_path) as made:
        conversation = await recorded(made, folder, CELLS)
    (folder / "out.txt").unlink()  # nobody watched the files of these runs
    async with checker(tmp_path) as checks:
        for kind in ("ipynb", "py", "json"):
            name = f"export.{kind}"
            data = await exported(conversation, folder, kind)
            recording = recording_of(data, name)
            report = await report_of(checks, recording, folder)
            assert [cell.verdict for cell in report.cells] == ["same", "volatile", "same", "same"]
            wanted = [] if kind == "json" else ["out.txt"]
            assert [one.name for one in report.differences] == wanted
            assert report.inputs == ("data.csv",)
            again = with_report(with_report(data, name, report), name, report)
            assert recording_of(again, name) == recording
            if kind == "ipynb":
                assert len(read_document(again).messages) == len(read_document(data).messages)
            if kind == "py":
                assert f"# {report_rows(report)[0]}" in again.decode()
                compile(again, name, "exec")
