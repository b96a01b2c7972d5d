"""Results of the code are opened, copied and saved by the window, never by themselves."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import FileChanges, RunReport, Table
from playhead.errors import ExecutionError
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded
from tests.support.run_effects import RUN, EffectsInMemory
from tests.support.waiting import until
from tests.support.window import Bench, opened

TABLE = Table(
    columns=("a", "b"),
    dtypes=("int64", "object"),
    rows=((1, "x"), (2, "y,z")),
    total_rows=500,
    total_columns=2,
    name="df",
)


@pytest.fixture
def opened_urls(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What would have been opened by the system's programs."""
    urls: list[Path] = []

    def open_url(url: QUrl) -> bool:
        urls.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    return urls


def gave(bench: Bench, kind: str, content: object) -> str:
    chunk = Chunk(role="computer", type=kind, content=content)  # type: ignore[arg-type]
    return bench.session.conversation.apply(chunk)


def gave_page(bench: Bench, text: str) -> str:
    apply = bench.session.conversation.apply
    apply(Chunk(role="computer", type="code", format="html", start=True))
    apply(Chunk(role="computer", type="code", format="html", content=text))
    return apply(Chunk(role="computer", type="code", format="html", end=True))


async def test_a_page_is_opened_from_a_file_that_nobody_else_can_read(
    theme: Theme, tmp_path: Path, opened_urls: list[Path]
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        key = gave_page(bench, "<p>Grüße</p>")
        assert opened_urls == []
        bench.parts.timeline.result_requested.emit("page", key, key)
        await until(lambda: opened_urls)
        [path] = opened_urls
        assert path.suffix == ".html"
        assert path.read_text("utf-8-sig") == "<p>Grüße</p>"
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.parent.exists()


async def test_a_table_is_copied_for_spreadsheets(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        key = gave(bench, "table", TABLE)
        bench.parts.timeline.result_requested.emit("copy_table", key, "csv")
        clipboard = QGuiApplication.clipboard()
        await until(lambda: clipboard.text() == 'a,b\n1,x\n2,"y,z"\n')
        bench.parts.timeline.result_requested.emit("copy_table", key, key)
        await until(lambda: clipboard.text() == "a\tb\n1\tx\n2\ty,z\n")


async def test_a_table_is_saved_where_the_user_says(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        key = gave(bench, "table", TABLE)
        for name, text in (("t.csv", 'a,b\n1,x\n2,"y,z"\n'), ("t.tsv", "a\tb\n1\tx\n2\ty,z\n")):
            bench.parts.timeline.result_requested.emit("save", key, key)
            [dialog] = [one for one in bench.window.findChildren(QFileDialog) if one.isVisible()]
            dialog.fileSelected.emit(str(tmp_path / name))
            dialog.reject()
            await until(lambda name=name: (tmp_path / name).exists())
            await bench.window.tasks.settled()
            assert (tmp_path / name).read_text("utf-8") == text


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


async def saved(bench: Bench, path: Path) -> list[str]:
    """The lines of the file in which the conversation's table was saved."""
    key = gave(bench, "table", TABLE)
    bench.parts.timeline.result_requested.emit("save", key, key)
    [dialog] = [one for one in bench.window.findChildren(QFileDialog) if one.isVisible()]
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    await until(path.exists)
    await bench.window.tasks.settled()
    return lines_of(path)


async def test_all_rows_of_a_table_are_saved_while_the_kernel_has_them(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(theme, tmp_path / "home") as bench:

        async def page(_id: str, name: str, first: int, rows: int, _order: object) -> Table:
            numbers = range(first, min(500, first + min(rows, 150)))
            return replace(TABLE, rows=tuple((number, name) for number in numbers))

        monkeypatch.setattr(bench.executor, "table", page)
        lines = await saved(bench, tmp_path / "t.csv")
        assert lines[:4] == ["a,b", "1,x", '2,"y,z"', "2,df"]
        assert (len(lines), lines[-1]) == (501, "499,df")
        assert names_in(tmp_path) == ["home", "t.csv"]
        assert not bench.parts.notifications.isVisible()


async def test_rows_that_the_kernel_has_no_more_are_told_of(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(theme, tmp_path / "home") as bench:

        async def page(*_: object) -> Table:
            raise ExecutionError("There is no Python kernel.")

        monkeypatch.setattr(bench.executor, "table", page)
        told: list[tuple[str, str]] = []
        bench.window.results.noticed.connect(lambda *words: told.append(words))
        assert await saved(bench, tmp_path / "t.csv") == ["a,b", "1,x", '2,"y,z"']
        [(title, detail)] = told
        assert title == "Only 2 rows were saved."
        assert "500 rows" in detail
        assert "no Python kernel" in detail


async def test_a_table_that_cannot_be_saved_says_why(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        key = gave(bench, "table", TABLE)
        bench.parts.timeline.result_requested.emit("save", key, key)
        [dialog] = bench.window.findChildren(QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / "no folder" / "t.csv"))
        dialog.reject()
        await until(lambda: bench.parts.notifications.isVisible())


async def test_a_table_stands_in_a_window_and_reads_on(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        key = gave(bench, "table", TABLE)
        bench.parts.timeline.result_requested.emit("table", key, key)
        [window] = bench.window.results.windows
        assert window.isVisible()
        assert window.model.rowCount() == 500
        window.close()
        await until(lambda: bench.window.results.windows == [])


VIEWED = ("plot.png", "all-bits.csv", "inner-link.png")
SHOWN = ("NOTES", "plan.py")
PROGRAMS = (
    "run.desktop",
    "setup.exe",
    "tool.jar",
    "Office.AppImage",
    "start.command",
    "letter.pdf.lnk",
    "Terminal.app",
    "script",
    "data.csv",
    "picture-link.png",
)
OUTSIDE = ("../secret.txt", "outside-link.txt", "away/secret.txt")


async def test_a_file_is_opened_by_its_viewer_and_a_program_never(
    theme: Theme, tmp_path: Path, opened_urls: list[Path]
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for name in (*VIEWED[:2], *SHOWN, *PROGRAMS[:-1]):
        (work / name).write_text("x")
    (work / "all-bits.csv").chmod(0o755)  # as all files of a disk from Windows have them
    (work / "Terminal.app").unlink()
    (work / "Terminal.app").mkdir()
    for name in ("script", "data.csv"):
        (work / name).write_text("#!/bin/sh\n")
        (work / name).chmod(0o755)
    (work / "inner-link.png").symlink_to("plot.png")
    (work / "picture-link.png").symlink_to("run.desktop")
    (tmp_path / "secret.txt").write_text("x")
    (work / "outside-link.txt").symlink_to(tmp_path / "secret.txt")
    (work / "away").symlink_to(tmp_path)
    async with opened(theme, tmp_path / "home") as bench:
        banners = bench.parts.notifications
        changes = FileChanges(folder=str(work))
        key = gave(bench, "files", changes)

        def clicked(name: str) -> str:
            opened_urls.clear()
            bench.parts.timeline.result_requested.emit("file", key, name)
            return banners.banners[0].title if banners.banners else ""

        for name in VIEWED:
            clicked(name)
            assert opened_urls == [(work / name).resolve()], name
        for name in SHOWN:
            clicked(name)
            assert opened_urls == [work], name
        for name in PROGRAMS:
            assert name in clicked(name)
            assert opened_urls == []
            banners.banners[0].button.click()
            assert opened_urls == [work]
        for name in OUTSIDE:
            assert clicked(name) == "This file is not in the working folder."
            assert opened_urls == []
        assert clicked("gone.txt") == "The file is not there any more."


async def test_the_whole_of_a_long_output_is_one_click_away(
    theme: Theme, tmp_path: Path, opened_urls: list[Path]
) -> None:
    kept = tmp_path / "run.txt"
    kept.write_text("all of it")
    other = tmp_path / "other.txt"
    other.write_text("no output")
    async with opened(theme, tmp_path / "home") as bench:
        apply = bench.session.conversation.apply
        apply(Chunk(role="computer", type="run", content=RunReport(state="started")))
        apply(Chunk(role="computer", type="console", start=True))
        apply(Chunk(role="computer", type="console", format="output", content="some of it"))
        key = apply(Chunk(role="computer", type="console", end=True))
        apply(
            Chunk(
                role="computer",
                type="run",
                content=RunReport(state="finished", seconds=1.0, output_path=str(kept)),
            )
        )
        timeline = bench.parts.timeline
        timeline.coalescer.flush_now()
        index = timeline.model.index_of(key)
        assert index is not None
        [spot] = [
            one for one in timeline.canvas.sheet.card(index).spots(True) if "whole" in one.tip
        ]
        timeline.activate(spot.intent, index)
        assert opened_urls == [kept]
        timeline.result_requested.emit("output", key, str(other))
        assert opened_urls == [kept]


def lines_of_files(bench: Bench) -> list[str]:
    """The lines of the card of the run's files."""
    sheet = bench.parts.timeline.canvas.sheet
    bench.parts.timeline.coalescer.flush_now()
    return sheet.card(0).source().split("\n")


async def test_a_run_is_undone_and_done_again_from_card_and_commands(
    theme: Theme, tmp_path: Path
) -> None:
    files = EffectsInMemory(RUN)
    async with opened(theme, tmp_path / "home", files=files) as bench:
        key = gave(bench, "files", RUN)
        files.changed.add("notes.md")
        bench.parts.timeline.result_requested.emit("undo", key, "")
        await bench.window.tasks.settled()
        assert files.asked == [("/data", "run", ())]
        assert lines_of_files(bench) == [
            "created new.txt undone",
            "changed notes.md",
            "deleted old.csv undone",
        ]
        row = bench.parts.timeline.model.rows[0]
        assert list(row.effect.conflicts) == ["notes.md"]
        bench.parts.timeline.result_requested.emit("redo", key, "old.csv")
        await bench.window.tasks.settled()
        assert files.asked[-1] == ("/data", "run-1", ("old.csv",))
        assert lines_of_files(bench)[2] == "deleted old.csv"
        bench.window.actions_by_name["redo_run"].trigger()
        await bench.window.tasks.settled()
        assert files.asked[-1] == ("/data", "run-1", ())
        bench.window.actions_by_name["undo_run"].trigger()
        await bench.window.tasks.settled()
        assert files.asked[-1] == ("/data", "run", ())


async def test_an_undo_that_is_refused_or_does_nothing_is_said_in_the_card(
    theme: Theme, tmp_path: Path
) -> None:
    files = EffectsInMemory(RUN)
    async with opened(theme, tmp_path / "home", files=files) as bench:
        key = gave(bench, "files", RUN)
        files.changed.add("notes.md")
        bench.parts.timeline.result_requested.emit("undo", key, "notes.md")
        await bench.window.tasks.settled()
        [row] = bench.parts.timeline.model.rows
        assert (list(row.effect.conflicts), row.effect.is_busy) == (["notes.md"], False)
        files.is_gone = True
        bench.parts.timeline.result_requested.emit("undo", key, "")
        await bench.window.tasks.settled()
        [row] = bench.parts.timeline.model.rows
        assert row.effect.refused == "The folder is not the one that it was."
        assert row.effect.conflicts == {}


async def test_before_a_run_it_is_said_what_undo_does_not_cover(
    theme: Theme, tmp_path: Path
) -> None:
    files = EffectsInMemory(RUN)
    async with opened(theme, tmp_path / "home", coded("1"), files=files) as bench:
        bench.send("go on")
        await bench.asked()
        words = "Undo covers 812 of 813 files; not: video.mov (4.0 GB)"
        await until(
            lambda: words in [one.text() for one in bench.parts.approval.findChildren(QLabel)]
        )
