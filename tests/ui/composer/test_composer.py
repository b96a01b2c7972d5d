"""Writing a message, by keys, clicks, paste and an input method."""

from __future__ import annotations

import asyncio
import os
import struct
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QClipboard, QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.message import Attachment
from playhead.errors import AppError
from playhead.session.message_queue import QueuedMessage
from playhead.ui.composer.attachment_files import IMAGE_LIMIT_BYTES
from playhead.ui.composer.composer import Composer
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until


class Bench:
    """A composer and what it told."""

    def __init__(self, composer: Composer, tasks: TaskOwner, folder: Path) -> None:
        self.composer = composer
        self.tasks = tasks
        self.folder = folder
        self.sent: list[tuple[str, list[Attachment]]] = []
        self.edits: list[tuple[str, str]] = []
        self.told: list[str] = []
        self.errors: list[AppError] = []
        self.queued: list[tuple[str, list[Attachment]]] = []
        composer.queued.connect(lambda text, files: self.queued.append((text, files)))
        composer.submitted.connect(lambda text, files: self.sent.append((text, files)))
        composer.edit_submitted.connect(lambda id_, text: self.edits.append((id_, text)))
        composer.stop_requested.connect(lambda: self.told.append("stop"))
        composer.edit_last_requested.connect(lambda: self.told.append("edit last"))
        composer.auto_run_toggled.connect(lambda is_on: self.told.append(f"auto-run {is_on}"))
        composer.failed.connect(self.errors.append)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.composer.text_edit, text)

    def press(
        self,
        key: Qt.Key,
        modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        QTest.keyClick(self.composer.text_edit, key, modifier)

    def paste(self, data: QMimeData) -> None:
        QApplication.clipboard().setMimeData(data)
        self.composer.text_edit.paste()


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Bench:
    tasks = TaskOwner()
    composer = Composer(theme, tasks, tmp_path / "attachments")
    tasks.setParent(composer)
    qtbot.addWidget(composer)
    composer.set_model("openai/test", False)
    composer.resize(500, 200)
    composer.show()
    return Bench(composer, tasks, tmp_path)


def test_enter_sends_and_the_text_stays_until_it_is_taken(bench: Bench) -> None:
    bench.type("hello")
    bench.press(Qt.Key.Key_Return)
    assert bench.sent == [("hello", [])]
    assert bench.composer.text == "hello"
    bench.composer.clear()
    assert bench.composer.text == ""


def test_a_click_beside_the_buttons_is_one_into_the_field(bench: Bench) -> None:
    bench.composer.buttons.attach.setFocus()
    frame = bench.composer.rect()
    place = QPoint(frame.center().x(), frame.bottom() - 3)
    QTest.mouseClick(bench.composer, Qt.MouseButton.LeftButton, pos=place)
    assert bench.composer.window().focusWidget() is bench.composer.text_edit


def test_shift_enter_begins_a_line_and_the_field_grows_with_the_windows_height(
    bench: Bench,
) -> None:
    field = bench.composer.text_edit
    bench.composer.resize(500, 500)
    heights = [field.height()]
    for _ in range(16):
        bench.type("x")
        bench.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        heights.append(field.height())
    assert bench.sent == []
    assert heights[4] > heights[0]
    assert heights[16] == heights[14] <= 0.4 * bench.composer.height()
    bench.composer.resize(500, 900)
    assert field.height() > heights[16]


def test_enter_belongs_to_an_input_method_that_composes(bench: Bench) -> None:
    field = bench.composer.text_edit
    QApplication.sendEvent(field, QInputMethodEvent("にほ", []))
    bench.press(Qt.Key.Key_Return)
    assert bench.sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(field, commit)
    bench.press(Qt.Key.Key_Return)
    assert bench.sent == [("日本", [])]


def test_nothing_is_not_sent(bench: Bench) -> None:
    bench.press(Qt.Key.Key_Return)
    bench.type("   ")
    bench.press(Qt.Key.Key_Return)
    assert bench.sent == []
    assert not bench.composer.send_button.isEnabled()


def test_while_busy_enter_and_a_button_queue_and_another_stops(bench: Bench) -> None:
    bench.composer.set_busy(True)
    assert bench.composer.send_button.text() == "Stop"
    assert not bench.composer.buttons.queue.isVisible()
    bench.type("next")
    bench.press(Qt.Key.Key_Return)
    QTest.mouseClick(bench.composer.buttons.queue, Qt.MouseButton.LeftButton)
    assert bench.queued == [("next", []), ("next", [])]
    QTest.mouseClick(bench.composer.send_button, Qt.MouseButton.LeftButton)
    assert (bench.told, bench.sent) == (["stop"], [])
    assert bench.composer.text == "next"


def test_escape_stops_what_is_under_way(bench: Bench) -> None:
    bench.press(Qt.Key.Key_Escape)
    assert bench.told == []
    bench.composer.set_busy(True)
    bench.press(Qt.Key.Key_Escape)
    assert bench.told == ["stop"]


def test_up_and_down_walk_through_what_was_sent_and_keep_the_draft(bench: Bench) -> None:
    composer = bench.composer
    composer.text_edit.sent_before = lambda: ["first", "second\nline", "second\nline"]
    bench.type("draft")
    bench.press(Qt.Key.Key_Up)
    assert composer.text == "second\nline"
    assert composer.draft()[0] == "draft"
    bench.press(Qt.Key.Key_Up)
    assert composer.text == "first"
    bench.press(Qt.Key.Key_Up)
    assert composer.text == "first"
    bench.type("!")
    assert composer.draft()[0] == "first!"
    bench.press(Qt.Key.Key_Down)
    bench.press(Qt.Key.Key_Down)
    assert composer.text == "draft"
    bench.press(Qt.Key.Key_Up)
    bench.press(Qt.Key.Key_Return)
    assert bench.sent == [("second\nline", [])]


def test_up_inside_of_a_text_moves_the_cursor_alone(bench: Bench) -> None:
    bench.composer.text_edit.sent_before = lambda: ["before"]
    bench.composer.set_text("one\ntwo")
    bench.press(Qt.Key.Key_Up)
    assert bench.composer.text == "one\ntwo"
    bench.press(Qt.Key.Key_Up)
    assert bench.composer.text == "before"


def test_control_and_up_asks_for_the_last_message(bench: Bench) -> None:
    bench.press(Qt.Key.Key_Up)
    assert bench.told == []
    bench.press(Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert bench.told == ["edit last"]


def test_an_edited_message_is_sent_as_such_and_escape_gives_the_draft_back(bench: Bench) -> None:
    bench.type("draft")
    bench.composer.begin_edit("m1", "old text")
    bench.press(Qt.Key.Key_Escape)
    assert bench.composer.text == "draft"
    bench.composer.begin_edit("m1", "old text")
    bench.type("!")
    bench.press(Qt.Key.Key_Return)
    assert bench.edits == [("m1", "old text!")]
    assert bench.sent == []


async def test_pasted_files_become_chips_that_can_be_removed(bench: Bench) -> None:
    path = bench.folder / "data with spaces.csv"
    path.write_text("a,b\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    bench.paste(data)
    bench.paste(data)
    assert [one.name for one in bench.composer.chips.attachments] == ["data with spaces.csv"]
    assert bench.composer.text == ""
    bench.press(Qt.Key.Key_Return)
    assert bench.sent[0][1][0].path == str(path)
    bench.composer.chips.focus_last()
    QTest.keyClick(bench.composer.chips._chips[0].remove, Qt.Key.Key_Delete)
    assert bench.composer.chips.attachments == []


def pasted(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


async def test_twenty_thousand_pasted_lines_become_an_attachment(bench: Bench) -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    bench.type("see ")
    bench.paste(pasted(text))
    assert bench.composer.text == "see "
    bench.press(Qt.Key.Key_Return)  # it goes with the message though it is not kept yet
    await until(lambda: bench.sent)
    await bench.tasks.settled()
    kept = bench.sent[0][1][0]
    assert await asyncio.to_thread(Path(kept.path).read_text, "utf-8") == text
    assert Path(kept.path).parent == bench.folder / "attachments"
    assert bench.composer.chips._chips[0].words.text() == "20,000 lines · 209 kB"


async def test_a_long_text_with_strange_characters_is_kept(bench: Bench) -> None:
    bench.composer.attach_text("\ud800\x00" * 60_000)
    await until(lambda: bench.composer.chips.attachments)
    await bench.tasks.settled()
    assert bench.errors == []


async def test_one_very_long_line_becomes_an_attachment(bench: Bench) -> None:
    bench.paste(pasted("word " * 8_000))
    await until(lambda: bench.composer.chips.attachments)
    await bench.tasks.settled()
    assert bench.composer.chips._chips[0].words.text() == "1 line · 40 kB"


def test_a_text_that_is_not_long_is_pasted(bench: Bench) -> None:
    text = "a line of some words\n" * 1_900
    bench.paste(pasted(text))
    assert bench.composer.text == text


async def test_images_that_cannot_be_shown_are_files_in_words(bench: Bench) -> None:
    whole = QImage(60, 60, QImage.Format.Format_RGB32)
    whole.fill(Qt.GlobalColor.red)
    good, cut, vast = (bench.folder / name for name in ("good.png", "cut.png", "vast.png"))
    assert whole.save(str(good))
    cut.write_bytes(good.read_bytes()[:60])
    head = struct.pack(">4sIIBBBBB", b"IHDR", 20_000, 10_000, 8, 2, 0, 0, 0)
    data = good.read_bytes()
    vast.write_bytes(data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:])
    bench.composer.attach_paths([str(good), str(cut), str(vast)])
    await bench.tasks.settled()
    kinds = [one.kind for one in bench.composer.chips.attachments]
    assert kinds == ["image", "file", "file"]
    words = [chip.words.text() for chip in bench.composer.chips._chips]
    assert "no readable image" in words[1]
    assert "200 megapixels" in words[2]
    assert bench.composer.chips._chips[0].picture.property("isThumbnail")


async def test_attachments_are_reached_and_removed_by_keys(bench: Bench) -> None:
    for name in "abc":
        (bench.folder / f"{name}.txt").write_text(name)
    bench.composer.attach_paths([str(bench.folder / f"{name}.txt") for name in "abc"])
    bench.press(Qt.Key.Key_Backspace)
    window = bench.composer.window()
    chips = bench.composer.chips._chips
    assert window.focusWidget() is chips[2].remove
    QTest.keyClick(chips[2].remove, Qt.Key.Key_Left)
    assert window.focusWidget() is chips[1].remove
    QTest.keyClick(chips[1].remove, Qt.Key.Key_Delete)
    assert [one.name for one in bench.composer.chips.attachments] == ["a.txt", "c.txt"]
    assert window.focusWidget() is chips[1].remove
    QTest.keyClick(chips[1].remove, Qt.Key.Key_Right)
    assert window.focusWidget() is bench.composer.text_edit
    bench.composer.chips.focus_last()
    bench.composer.clear()  # it was sent
    assert window.focusWidget() is bench.composer.text_edit


async def test_tab_goes_through_all_of_the_composer_as_it_stands(bench: Bench) -> None:
    composer, window = bench.composer, bench.composer.window()
    for name in "ab":
        (bench.folder / f"{name}.txt").write_text(name)
    composer.attach_paths([str(bench.folder / f"{name}.txt") for name in "ab"])
    messages = [QueuedMessage(name, name) for name in ("one", "two")]
    composer.queue_rows.show_queue(messages, "", is_held=True)
    await bench.tasks.settled()
    await until(lambda: composer.chips._chips[1].isVisible())
    composer.queue_rows.resume.setFocus()
    names = []
    for _ in range(10):
        focused = window.focusWidget()
        assert focused is not None
        names.append(focused.accessibleName() or focused.property("text"))
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert names[:6] == [
        "Send now", "Edit “one”", "Remove “one”", "Edit “two”", "Remove “two”", "Message"
    ]  # fmt: skip
    assert [name.partition(",")[0] for name in names[6:]] == [
        "Remove a.txt",
        "Remove b.txt",
        "Attach files",
        "Model and approval: openai/test",
    ]


async def test_a_pasted_image_is_kept_as_a_file(bench: Bench) -> None:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    data = QMimeData()
    data.setImageData(image)
    bench.paste(data)
    await until(lambda: bench.composer.chips.attachments)
    await bench.tasks.settled()
    kept = bench.composer.chips.attachments[0]
    assert kept.kind == "image"
    assert Path(kept.path).parent == bench.folder / "attachments"
    assert QImage(kept.path).size() == image.size()


async def test_an_image_that_cannot_be_kept_is_said_in_words(bench: Bench) -> None:
    (bench.folder / "attachments").write_text("a file where the folder should be")
    bench.composer.attach_image(QImage(4, 4, QImage.Format.Format_RGB32))
    await until(lambda: bench.errors)
    assert "could not be kept" in bench.errors[0].title


def test_what_cannot_be_attached_is_said_in_words(bench: Bench) -> None:
    huge = bench.folder / "huge.png"
    with huge.open("wb") as file:
        file.truncate(IMAGE_LIMIT_BYTES + 1)
    bench.composer.attach_paths([str(bench.folder / "missing.csv"), str(huge)])
    assert bench.composer.chips.attachments == []
    assert "cannot be attached" in bench.errors[0].title
    assert "too large" in bench.errors[1].title
    assert all(error.remedy for error in bench.errors)


def test_a_file_without_permission_is_said_in_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = bench.folder / "secret.txt"
    secret.write_text("x")
    secret.chmod(0)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    bench.composer.attach_paths([str(secret)])
    assert "cannot be read" in bench.errors[0].title


async def test_a_gigabyte_is_attached_by_its_path_alone(bench: Bench) -> None:
    big = bench.folder / "big.bin"
    big.touch()
    os.truncate(big, 1_000_000_000)
    bench.composer.attach_paths([str(big)])
    assert bench.composer.chips.attachments[0].size_bytes == 1_000_000_000


def test_the_menu_changes_whether_code_is_asked_about(bench: Bench) -> None:
    assert "ask first" in bench.composer.buttons.choice.text()
    bench.composer.buttons.choice.auto_run.trigger()
    assert bench.told == ["auto-run True"]
    bench.composer.set_model("openai/test", True)
    assert "auto-run" in bench.composer.buttons.choice.text()
    assert bench.composer.buttons.choice.property("kind") == "auto"  # the colours of a warning
    bench.composer.buttons.choice.ask_first.trigger()
    assert bench.told[-1] == "auto-run False"


def test_direct_mode_is_named_as_what_it_is(bench: Bench) -> None:
    bench.composer.set_model("", False)
    assert "Direct mode" in bench.composer.buttons.choice.text()
    assert bench.composer.text_edit.placeholderText() == "Type code to run…"


def test_text_is_typed_while_every_letter_came_from_a_key_or_an_input_method(bench: Bench) -> None:
    composer = bench.composer
    bench.type("prin")
    QApplication.sendEvent(composer.text_edit, committed("t(é)"))
    bench.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    bench.type("xy")
    bench.press(Qt.Key.Key_Backspace)
    assert composer.text == "print(é)\nx"
    assert composer.is_typed


def committed(text: str) -> QInputMethodEvent:
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    return event


@pytest.mark.parametrize("way", ["Ctrl+V", "Shift+Insert", "middle click", "menu", "program"])
def test_one_letter_that_was_not_typed_is_enough(bench: Bench, way: str) -> None:
    composer, field = bench.composer, bench.composer.text_edit
    bench.type("1+")
    QApplication.clipboard().setText("2")
    match way:
        case "Ctrl+V":
            bench.press(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        case "Shift+Insert":
            bench.press(Qt.Key.Key_Insert, Qt.KeyboardModifier.ShiftModifier)
        case "middle click":
            QApplication.clipboard().setText("2", QClipboard.Mode.Selection)
            QTest.mouseClick(field.viewport(), Qt.MouseButton.MiddleButton)
            if composer.text == "1+":
                pytest.skip("this screen has no selection to paste")
        case "menu":
            field.paste()
        case _:
            field.insertPlainText("2")
    bench.type("+3")
    assert sorted(composer.text) == sorted("1+2+3")
    assert not composer.is_typed
    composer.clear()
    bench.type("1")
    assert composer.is_typed


def test_what_undo_brings_back_and_what_was_sent_before_is_not_typed(bench: Bench) -> None:
    composer, field = bench.composer, bench.composer.text_edit
    QApplication.clipboard().setText("2")
    bench.press(Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    bench.press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (composer.text, composer.is_typed) == ("", True)
    bench.press(
        Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert (composer.text, composer.is_typed) == ("2", False)
    composer.clear()
    field.sent_before = lambda: ["rm()"]
    bench.press(Qt.Key.Key_Up)
    assert (composer.text, composer.is_typed) == ("rm()", False)
