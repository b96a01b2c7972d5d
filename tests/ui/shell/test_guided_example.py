"""The first half minute: an example that nobody needs a model for."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from playhead.domain.settings import AppSettings
from playhead.ui.shell.start_panel import CODE, DATA, DONE, FIRST, TITLE
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

EXAMPLE = Path(__file__).parents[3] / "resources" / "example"


def notes(bench: Bench) -> list[str]:
    rows = bench.parts.timeline.model.rows
    return [row.note.title for row in rows if row.note is not None]


async def test_the_example_waits_for_a_click_runs_and_says_what_happened(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, settings=AppSettings()) as bench:
        button = next(one for one in bench.parts.start.buttons if "example" in one.text())
        bench.click(button)
        await bench.asked()
        await until(lambda: notes(bench) == [FIRST])
        assert bench.ran == []
        assert bench.session.conversation.title == TITLE
        folder = tmp_path / "example"
        assert bench.session.folder == str(folder)
        assert (folder / DATA).read_bytes() == (EXAMPLE / DATA).read_bytes()
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        assert bench.ran == [(EXAMPLE / CODE).read_text(encoding="utf-8").rstrip("\n")]
        await until(lambda: notes(bench) == [DONE])
        assert bench.provider.requests == []


async def test_an_example_that_is_skipped_runs_nothing(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["example"].trigger()
        await bench.asked()
        bench.click(bench.parts.approval.skip_button)
        await bench.rests()
        await until(lambda: notes(bench) == [DONE])
        assert bench.ran == []


async def test_its_notes_stay_out_of_other_conversations(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["example"].trigger()
        await bench.asked()
        example = bench.session
        assert example.pending is not None
        bench.window.actions_by_name["new"].trigger()
        assert bench.session is not example
        bench.parts.timeline.add_note("info", "Of this one.")
        assert example.approve(example.pending.id)
        await until(lambda: example.is_idle)
        assert bench.ran
        assert notes(bench) == ["Of this one."]


async def test_a_folder_that_cannot_be_made_is_said(theme: Theme, tmp_path: Path) -> None:
    (tmp_path / "example").write_text("in the way", encoding="utf-8")
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["example"].trigger()
        await until(lambda: bench.parts.notifications.banners)
        assert "could not be set up" in bench.parts.notifications.banners[0].title
        assert bench.session.state == "idle"


def test_the_example_s_code_does_what_the_notes_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / DATA).write_bytes((EXAMPLE / DATA).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)
    runpy.run_path(str(EXAMPLE / CODE))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "48 rows with month, orchard, fruit, kg"
    assert [line.split("█")[0].strip() for line in lines[1:]] == [
        "Riverbank",
        "Hillside",
        "Chapel",
        "Old Mill",
    ]
    assert len((tmp_path / "totals.csv").read_text(encoding="utf-8").splitlines()) == 4
