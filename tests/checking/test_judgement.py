"""What was recorded beside what came out, without a kernel."""

from __future__ import annotations

import json
import os
from pathlib import Path

from playhead.checking.checker import copy_inputs
from playhead.checking.judgement import Judgement
from playhead.checking.manifest import FileRecord, Manifest, manifest_of
from playhead.checking.recorded_cells import RecordedCell, Recording
from playhead.formats.documents.document import read_document


def cells_with(*ends: str) -> tuple[RecordedCell, ...]:
    return tuple(
        RecordedCell(number=number, language="python", code=f"x = {number}", end=end)
        for number, end in enumerate(ends, 1)
    )


def test_a_cell_that_was_not_run_or_ended_otherwise_differs() -> None:
    recording = Recording(name="a", cells=cells_with("", "The kernel ended.", ""), lost_results=2)
    judged = Judgement(recording, cells_with("", ""), "/", "/")
    judged.judge_cells()
    assert [cell.verdict for cell in judged.cells] == ["same", "differs", "not_run"]
    assert [(one.cell, one.kind) for one in judged.differences] == [
        (2, "run"),
        (3, "run"),
        (0, "run"),
    ]


def test_pipes_and_links_are_no_files_that_are_compared(tmp_path: Path) -> None:
    folder, work = tmp_path / "folder", tmp_path / "work"
    folder.mkdir()
    work.mkdir()
    os.mkfifo(folder / "pipe")
    (work / "pipe").write_text("a")
    (tmp_path / "secret").write_text("a secret")
    (work / "inside").mkdir()
    (work / "inside" / os.fsdecode(b"caf\xe9")).write_text("a")
    outputs = (FileRecord(path="pipe", size_bytes=1, sha256="0"),)
    manifest = Manifest(outputs=outputs, is_whole=True)
    recording = Recording(name="a", cells=cells_with(""), manifest=manifest)
    judged = Judgement(recording, (), str(folder), str(work))
    judged.judge_files([])
    assert [one.name for one in judged.differences] == ["pipe", "inside/caf\\udce9"]


def test_denied_files_are_no_inputs(tmp_path: Path) -> None:
    folder, work = tmp_path / "folder", tmp_path / "work"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed" / "key.txt").write_text("a")
    (folder / "open.txt").write_text("a")
    (folder / "way").symlink_to("closed/key.txt")
    (folder / "out").symlink_to(tmp_path)
    names = ("closed/key.txt", "open.txt", "out/work/open.txt", "way")
    inputs = tuple(FileRecord(path=name, size_bytes=1, sha256="0") for name in names)
    recording = Recording(name="a", cells=(), manifest=Manifest(inputs=inputs, is_whole=True))
    found = copy_inputs(recording, str(folder), work, [str(folder / "closed")])
    assert [one.path for one in found if one.is_there] == ["open.txt"]


def test_a_name_that_no_document_holds_is_not_recorded(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.csv")).write_text("a")
    (tmp_path / "tea.csv").write_text("a")
    cell = {"cell_type": "code", "source": "glob('*.csv')", "execution_count": 1, "outputs": []}
    messages = read_document(json.dumps({"cells": [cell], "nbformat": 4}).encode()).messages
    assert [one.path for one in manifest_of(messages, str(tmp_path)).inputs] == ["tea.csv"]
