"""What is written into an export, and read from one that anybody may have written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.checking.check_report import CheckReport, Difference
from playhead.checking.document_edit import with_manifest, with_report
from playhead.checking.manifest import FileRecord, Manifest
from playhead.checking.recorded_cells import (
    RecordedCell,
    recording_of,
    script_metadata,
    split_metadata,
)
from playhead.errors import DocumentError

REPORT = CheckReport(
    document="a", at=0.0, cells=(), differences=(Difference(cell=1, kind="text", words="\ud800"),)
)
EXPORT = b"# a title\n\n# %%\nprint(1)\n"


@pytest.mark.parametrize(
    "book",
    [
        {"cells": [], "metadata": None},
        {"cells": [], "metadata": {"playhead": [1]}},
        {"cells": [{"source": "\ud800"}], "nbformat": 4, "nbformat_minor": "x"},
    ],
)
def test_a_notebook_of_any_form_takes_a_report(book: dict[str, Any]) -> None:
    [cell, *_] = json.loads(with_report(json.dumps(book).encode(), "a.ipynb", REPORT))["cells"]
    assert cell["metadata"]["playhead"] == {"type": "check"}


def test_a_notebook_of_an_older_format_is_left_as_it_is() -> None:
    assert with_report(b'{"worksheets": []}', "a.ipynb", REPORT) == b'{"worksheets": []}'


@pytest.mark.parametrize(
    "text", [b'x = """a\n\nb"""\n', b"#!/x\n# coding: latin-1\nx = 'caf\xe9\n\n'\n", EXPORT]
)
def test_a_report_changes_no_text_of_a_script(text: bytes) -> None:
    written = with_report(with_report(text, "a.py", REPORT), "a.py", REPORT)
    begin, end = b"# Check by Playhead\n", b"# End of the check\n\n"
    assert written.count(begin) == written.count(end) == 1
    assert written.partition(begin)[0] + written.partition(end)[2] == text


def test_what_a_kernel_says_of_its_packages_adds_no_address_to_a_script() -> None:
    packages = ("evil@https://e/x.whl# 1", "-e 1", "numpy 2.3.1")
    written = with_manifest(EXPORT, "a.py", Manifest(python="3.12.1", packages=packages)).decode()
    assert script_metadata(written)["script"]["dependencies"] == ["numpy==2.3.1"]
    forged = Manifest(python='3.12"\ndependencies = ["evil"]\n#.1', packages=packages)
    written = with_manifest(EXPORT, "a.py", forged).decode()
    assert "\ndependencies" not in written
    assert "script" not in script_metadata(written)


def test_names_of_files_stay_as_they_are_in_a_script() -> None:
    names = ("a\u2028b.csv", "a\x7fb.csv", "a\x85.csv", 'a"b\\c.csv', "a\nb.csv")
    inputs = tuple(FileRecord(path=name, size_bytes=1, sha256="0") for name in names)
    written = with_manifest(EXPORT, "a.py", Manifest(inputs=inputs, is_whole=True, python="3.12"))
    assert recording_of(written, "a.py").manifest.inputs == inputs


def test_results_without_their_cell_are_counted_and_stopped_cells_alone_are_nothing() -> None:
    cells = [RecordedCell(number=one, language="python", code="1", end="x") for one in (1, 2, 3)]
    written = with_manifest(EXPORT, "a.py", Manifest(), cells)
    found = recording_of(written, "a.py")
    assert (len(found.cells), found.lost_results, found.cells[0].end) == (1, 2, "x")
    stopped = {"state": "interrupted", "seconds": 1.0}
    cell = {"cell_type": "code", "source": "1", "execution_count": 1, "outputs": []}
    book = {"cells": [{**cell, "metadata": {"playhead": {"run": stopped}}}], "nbformat": 4}
    with pytest.raises(DocumentError):
        recording_of(json.dumps(book).encode(), "a.ipynb")


_SPECIFIED = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
"""As PEP 723 has it."""
_ROWS = ("# ///", "# /// a", "# /// b-2", "# /// é", "#", "# ", "# x = 1", "#x", "", "x", "# ///\r")


@settings(max_examples=300)
@given(st.lists(st.sampled_from(_ROWS), max_size=14), st.booleans())
def test_blocks_of_metadata_are_those_of_the_specification(rows: list[str], ends: bool) -> None:
    text = "\n".join(rows) + "\n" * ends
    expected = [
        (one["type"], "\n".join(row[2:] for row in one["content"][:-1].split("\n")))
        for one in _SPECIFIED.finditer(text)
    ]
    assert split_metadata(text) == (expected, _SPECIFIED.sub("", text))


def test_blocks_without_an_end_take_no_time_by_their_square() -> None:
    """The expression of the specification takes minutes for this."""
    text = "# /// script\n" * 60_000
    assert split_metadata(text) == ([], text)
