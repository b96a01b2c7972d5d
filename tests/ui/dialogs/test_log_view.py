"""The log as the window shows it, from real files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from playhead.ui.dialogs.log_tail import TAIL_BYTES, LogTail, redacted
from playhead.ui.dialogs.log_view import LogView
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until

AT = "2026-01-02 03:04:05,678"


@pytest.fixture
def view(theme: Theme, tmp_path: Path) -> Iterator[LogView]:
    (tmp_path / "playhead.log").write_text(
        f"{AT} INFO playhead.startup: ready\n{AT} ERROR playhead.ui: it broke\n"
        f"Traceback (most recent call last):\n{AT} INFO playhead.api: key sk-abcdefghijklmnop\n"
    )
    made = LogView(theme, tmp_path)
    made.show()
    yield made
    made.close()


def lines(view: LogView) -> list[str]:
    return view.text.toPlainText().splitlines()


def test_lines_are_chosen_by_level_with_their_tracebacks_and_by_text(view: LogView) -> None:
    assert len(lines(view)) == 4
    view.level.setCurrentText("Errors only")
    assert lines(view) == [
        f"{AT} ERROR playhead.ui: it broke",
        "Traceback (most recent call last):",
    ]
    QTest.keyClicks(view.filter, "BROKE")
    assert lines(view) == [f"{AT} ERROR playhead.ui: it broke"]
    QTest.keyClicks(view.filter, "zz")
    assert view.status.text() == "No line is like that."


async def test_what_is_written_appears_while_it_follows(view: LogView, tmp_path: Path) -> None:
    with (tmp_path / "playhead.log").open("a") as file:
        file.write(f"{AT} INFO playhead: another\n")
    await until(lambda: lines(view)[-1].endswith("another"))
    (tmp_path / "playhead.log").write_text(f"{AT} INFO playhead: a new file\n")
    await until(lambda: lines(view) == [f"{AT} INFO playhead: a new file"])


def test_the_workers_log_is_the_other_choice_and_may_be_missing(
    view: LogView, tmp_path: Path
) -> None:
    view.file.setCurrentText("Model worker")
    assert view.status.text() == "Nothing has been noted here yet."
    (tmp_path / "model.log").write_text("it was slow\n")
    view.refresh()
    assert lines(view) == ["it was slow"]


def test_a_report_has_versions_and_lines_but_no_keys(view: LogView) -> None:
    view.report_button.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Playhead ")
    assert "it broke" in copied
    assert "sk-" not in copied
    assert "key [removed]" in copied


def test_of_a_huge_file_only_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as file:
        file.truncate(100_000_000)
        file.seek(0, 2)
        file.write(f"\n{AT} INFO playhead: the last\n".encode())
    tail = LogTail(path)
    assert tail.read()
    assert tail.is_cut
    assert [line.text for line in tail.lines] == [f"{AT} INFO playhead: the last"]
    assert not tail.read()
    assert tail._place > 100_000_000 > TAIL_BYTES


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer abcdefghijkl", "Authorization: [removed] abcdefghijkl"),
        ("api_key=abcdefgh123", "api_key=[removed]"),
        ('"token": "abcdefgh123"', '"token": "[removed]"'),
        ("uses AIzaSyA1234567890abcdef now", "uses [removed] now"),
        ("nothing secret here", "nothing secret here"),
        ("in /home/ada/data", "in ~/data"),
    ],
)
def test_what_looks_like_a_key_is_removed(text: str, kept: str) -> None:
    said = redacted(text, Path("/home/ada"))
    assert said == kept or ("Bearer" in text and "abcdefghijkl" not in said)
