"""Exports of real runs are run again on real kernels and compared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from playhead.checking.check_report import CheckReport, report_rows
from playhead.checking.checker import Checker, CheckPlan
from playhead.checking.document_edit import with_report
from playhead.checking.recorded_cells import RecordedCell, Recording, recording_of
from playhead.errors import ExecutionError
from playhead.formats.documents.document import read_document
from tests.support.kernels import executor
from tests.support.recorded_exports import checker, exported, recorded

CELLS = (
    "import csv\nrows = list(csv.DictReader(open('data.csv')))\nrows",
    "print(object())\ntotal = sum(float(row['b']) for row in rows)\ntotal",
    "1 / 0",
    "with open('out.txt', 'w') as file: file.write(str(total))",
)


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
    async with checker(tmp_path) as checks:
        for kind in ("ipynb", "py", "json"):
            name = f"export.{kind}"
            data = await exported(conversation, folder, kind)
            recording = recording_of(data, name)
            report = await report_of(checks, recording, folder)
            assert [cell.verdict for cell in report.cells] == ["same", "volatile", "same", "same"]
            assert report.is_same, report.differences
            assert report.inputs[0] == "data.csv"
            again = with_report(with_report(data, name, report), name, report)
            assert recording_of(again, name) == recording
            if kind == "ipynb":
                assert len(read_document(again).messages) == len(read_document(data).messages)
            if kind == "py":
                assert f"# {report_rows(report)[0]}" in again.decode()
                compile(again, name, "exec")


def id_of_ended_process() -> int:
    with subprocess.Popen(["true"]) as ended:
        return ended.pid


async def test_a_status_a_missing_output_and_a_full_disk_are_no_proof(tmp_path: Path) -> None:
    cells = (
        RecordedCell(number=1, language="bash", code="exit 3"),
        RecordedCell(number=2, language="python", code="1"),
    )
    recording = Recording(name="a.ipynb", cells=cells)
    left = tmp_path / "checks" / f"{id_of_ended_process()}-left"
    left.mkdir(parents=True)
    async with checker(tmp_path) as checks:
        report = await report_of(checks, recording, tmp_path)
        found = [(one.cell, one.kind) for one in report.differences]
        assert found == [(1, "run"), (2, "text")]
        left.parent.rmdir()  # and what killed programs left in it was removed
        left.parent.touch()
        with pytest.raises(ExecutionError, match="could not be carried out"):
            await report_of(checks, recording, tmp_path)
    left.parent.unlink()
