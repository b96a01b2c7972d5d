"""The files that code reads are found by the names in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.checking.input_files import find_inputs, named_in

FILES = (
    "a.csv", "b.csv", "data/a.csv", "data/deep/c.txt", "year_2023.csv", "year_2024.csv",
    "helpers.py", "tools/__init__.py", "tools/work.py", "limits.json", "notes.md",
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("open('b.csv')", ["b.csv"]),
        ("open('./data/a.csv')", ["data/a.csv"]),
        ("Path('data') / 'deep' / 'c.txt'", ["data/a.csv", "data/deep/c.txt"]),
        ("read(f'year_{year}.csv')", ["year_2023.csv", "year_2024.csv"]),
        ("read('year_' + str(year) + '.csv')", ["year_2023.csv", "year_2024.csv"]),
        ("read('year_%d.csv' % year)", ["year_2023.csv", "year_2024.csv"]),
        ("glob('year_*')", ["year_2023.csv", "year_2024.csv"]),
        ("import helpers", ["helpers.py", "limits.json"]),
        ("from tools.work import x", ["tools/__init__.py", "tools/work.py"]),
        ("'a.b'.split('.')", []),
        ("%load_ext x\nopen('notes.md')", ["notes.md"]),
        ("os.walk('.')", sorted(FILES)),
        ("x = 'a'", []),
    ],
)
def test_a_file_counts_if_the_code_names_it(code: str, wanted: list[str], tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("open('limits.json')" if name == "helpers.py" else "")
    assert find_inputs([("python", code)], str(tmp_path)) == wanted


def test_a_shell_names_files_by_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.csv").touch()
    assert find_inputs([("bash", "sort -n ./a.csv | head")], str(tmp_path)) == ["a.csv"]


def test_no_code_takes_long_to_look_at() -> None:
    backslashes, blank = "\\" * 60, "\n" * 20_000
    named = named_in("python", f"%x\nopen('{backslashes}\n{blank}import one")
    assert named.modules == {"one"}
    assert named_in("bash", "/" * 40_000 + " a.csv ..").texts == {"a.csv"}
