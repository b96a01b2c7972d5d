"""Queue, drafts, history and models of the composer, in a whole window."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from playhead.domain.conversation.message import Attachment
from playhead.session.message_queue import QueuedMessage
from playhead.ui.composer import message_drafts as composer_drafts
from playhead.ui.composer.message_drafts import Draft, StoredDrafts, decoded, encoded, read
from playhead.ui.shell.main_window import MainWindow
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import LIMIT_S, until
from tests.support.window import Bench, opened

ROOT = Path(__file__).parents[3]


def queue_of(bench: Bench) -> list[str]:
    return [row.message.text for row in bench.parts.composer.queue_rows.rows]


def press(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def write(bench: Bench, text: str) -> None:
    QTest.keyClicks(bench.parts.composer.text_edit, text)


async def restored(bench: Bench) -> None:
    await until(lambda: bench.window.writing._is_restored)


async def test_a_queued_message_is_edited_in_the_field_and_keeps_its_place(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        composer = bench.parts.composer
        bench.send("go")
        await bench.asked()
        for text in ("second", "third"):
            bench.send(text)
        write(bench, "half a thought")
        press(composer.queue_rows.rows[0].edit)
        assert composer.text == "second"
        bench.send(", but better")
        assert queue_of(bench) == ["second, but better", "third"]
        assert composer.text == "half a thought"
        press(composer.queue_rows.rows[1].edit)
        QTest.keyClick(composer.text_edit, Qt.Key.Key_Escape)
        assert (composer.text, bench.session.state) == ("half a thought", "awaiting_approval")
        press(composer.queue_rows.rows[0].remove)
        assert queue_of(bench) == ["third"]
        bench.window.view.stop()
        await bench.rests()


async def test_stop_holds_what_waits_until_send_now(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(7)"), said("All right.")) as bench:
        rows = bench.parts.composer.queue_rows
        bench.send("go")
        await bench.asked()
        bench.send("second")
        assert not rows.resume.isVisible()
        press(bench.parts.composer.send_button)
        await bench.rests()
        assert queue_of(bench) == ["second"]
        press(rows.resume)
        await until(lambda: len(bench.provider.requests) == 2)
        await bench.rests()
        assert not rows.isVisible()


async def test_each_conversation_has_its_own_queue(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        bench.send("go")
        await bench.asked()
        bench.send("second")
        first = bench.session
        press(bench.parts.composer.queue_rows.rows[0].edit)
        bench.window.new_conversation()
        assert not bench.parts.composer.queue_rows.isVisible()
        assert bench.parts.composer.text == ""
        assert first.queue.edited_id == ""
        bench.window.open_conversation(first.conversation.id)
        await until(lambda: bench.session is first)
        assert queue_of(bench) == ["second"]
        bench.window.view.stop()
        await bench.rests()


async def test_what_is_not_sent_is_there_after_a_crash(theme: Theme, tmp_path: Path) -> None:
    """The second window reads what the first wrote before it was ever asked to close."""
    file, gone = tmp_path / "kept.csv", tmp_path / "gone.csv"
    for one in (file, gone):
        one.write_text("a,b\n")
    kept = tmp_path / "composer-drafts.json"
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        await restored(bench)
        bench.send("go")
        await bench.asked()
        bench.send("this waits")
        write(bench, "half a thought")
        bench.parts.composer.attach_paths([str(file), str(gone)])
        first = bench.session.conversation.id
        await until(lambda: kept.exists() and "gone.csv" in kept.read_text())
        bench.window.new_conversation()
        write(bench, "something new")
        await until(lambda: "something new" in kept.read_text())
        crashed = kept.read_text()
        await bench.window.tasks.settled()
        bench.window.open_conversation(first)
        await until(lambda: bench.session.conversation.id == first)
        bench.window.view.stop()
        await bench.rests()
    kept.write_text(crashed)
    gone.unlink()
    async with opened(theme, tmp_path) as bench:
        composer = bench.parts.composer
        await until(lambda: composer.text == "something new")
        bench.window.open_conversation(first)
        await until(lambda: composer.text == "half a thought")
        assert [one.name for one in composer.chips.attachments] == ["kept.csv"]
        assert (queue_of(bench), bench.session.queue.is_held) == (["this waits"], True)
        assert "gone.csv" in bench.parts.notifications.banners[0].title


async def test_what_is_not_sent_survives_a_kill(theme: Theme, tmp_path: Path) -> None:
    path = tmp_path / "composer-drafts.json"
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.data.killed_writer", str(tmp_path), cwd=ROOT
    )
    try:
        await until(lambda: path.exists() and "half a thought" in path.read_text())
    finally:
        writer.kill()
        await writer.wait()
    (first,) = read(path).drafts
    async with opened(theme, tmp_path) as bench:
        await restored(bench)
        bench.window.open_conversation(first)
        await until(lambda: bench.parts.composer.text == "half a thought")
        assert queue_of(bench) == ["this waits"]


async def test_what_is_written_before_the_drafts_are_read_is_kept_too(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, may_read, read_drafts = tmp_path / "composer-drafts.json", threading.Event(), read

    def read_late(place: Path) -> StoredDrafts:
        may_read.wait(LIMIT_S)
        return read_drafts(place)

    monkeypatch.setattr(composer_drafts, "read", read_late)
    async with opened(theme, tmp_path) as bench:
        write(bench, "half a thought")
        writing = bench.window.writing
        await until(lambda: not writing._timer.isActive() and writing._is_late)
        may_read.set()
        await until(lambda: path.exists() and "half a thought" in path.read_text())


async def test_what_is_written_before_there_are_sessions_stays(
    theme: Theme, tmp_path: Path
) -> None:
    def write_early(window: MainWindow) -> None:
        QTest.keyClicks(window.parts.composer.text_edit, "early")

    async with opened(theme, tmp_path, before=write_early) as bench:
        assert bench.parts.composer.text == "early"
        await bench.window.open_up()
        await restored(bench)
        await bench.window.tasks.settled()
        assert bench.parts.composer.text == "early"


async def test_what_was_sent_is_no_draft_any_more(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        await restored(bench)
        write(bench, "hi there")
        kept = tmp_path / "composer-drafts.json"
        await until(lambda: kept.exists() and "hi there" in kept.read_text())
        bench.send("")
        await until(lambda: "hi there" not in kept.read_text())
        await bench.rests()


async def test_up_brings_back_what_was_sent_in_this_conversation(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("One."), said("Two.")) as bench:
        for text in ("first", "second"):
            bench.send(text)
            await bench.rests()
        write(bench, "draft")
        field = bench.parts.composer.text_edit
        shown = []
        for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
            QTest.keyClick(field, key)
            shown.append(bench.parts.composer.text)
        assert shown == ["second", "first", "second", "draft"]


def test_drafts_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = Attachment(kind="file", path=str(tmp_path / "a.csv"), name="a.csv", size_bytes=3)
    queued = QueuedMessage("q", "later", (file,))
    kept = StoredDrafts(
        {
            "": Draft(text="new \ud800"),
            "c1": Draft(text="old", attachments=(file,), queued=(queued,)),
        },
        (("m", "base"),),
    )
    assert decoded(encoded(kept)) == kept
    path = tmp_path / "drafts.json"
    path.write_text(encoded(kept))
    assert read(path).drafts["c1"] == Draft(
        text="old",
        attachments=(),
        queued=(QueuedMessage("q", "later"),),
        missing=("a.csv", "a.csv"),
    )


def test_a_damaged_file_of_drafts_is_no_hindrance(
    tmp_path: Path, expect_log: Callable[[str], None]
) -> None:
    expect_log("is kept as")
    path = tmp_path / "drafts.json"
    for text in ("", "[]", '{"drafts": 3}', '{"drafts": {"a": 1, "b": {"text": "x"}}}', "\0\0"):
        path.write_text(text)
        assert set(read(path).drafts) <= {"b"}


async def test_what_was_not_sent_goes_with_its_conversation_when_that_cannot_come_back(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        await restored(bench)
        bench.send("hi")
        await bench.rests()
        write(bench, "half a thought")
        kept = tmp_path / "composer-drafts.json"
        await until(lambda: kept.exists() and "half a thought" in kept.read_text())
        first = bench.session.conversation.id
        bench.window.new_conversation()
        await bench.sessions.trash(first)
        await bench.window.writing.keep()
        assert "half a thought" in kept.read_text(), "it may still come back"
        await bench.sessions.delete(first)
        await until(lambda: "half a thought" not in kept.read_text())


async def test_that_drafts_cannot_be_written_is_told_once(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        await restored(bench)
        await bench.window.writing.keep()  # what it would write by itself at some moment
        (tmp_path / "composer-drafts.json").unlink()
        (tmp_path / "composer-drafts.json").mkdir()
        told: list[str] = []
        bench.parts.composer.failed.connect(lambda error: told.append(error.title))
        for text in ("one", "two"):
            write(bench, text)
            await bench.window.writing.keep()
        assert told == ["What you have written is not being kept."]
        (tmp_path / "composer-drafts.json").rmdir()
        write(bench, "three")
        await bench.window.writing.keep()
        assert "onetwothree" in (tmp_path / "composer-drafts.json").read_text()
