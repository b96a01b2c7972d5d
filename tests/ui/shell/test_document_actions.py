"""Conversations leave the window as files and come back."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSaveFile, Qt, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QPushButton, QWidget

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import Rename
from playhead.domain.settings import AppSettings
from playhead.domain.text.titles import file_stem
from playhead.errors import AppError
from playhead.formats.documents.document import write_document
from playhead.ui.shell.document_actions import load
from playhead.ui.widgets.theme import Theme
from tests.support.conversations import PNG, everything
from tests.support.waiting import until
from tests.support.window import Bench, opened

SECRET = "sk-never-in-a-file"


def fill(bench: Bench, picture: str = "/no/plot.png", title: str = "Sales: Q1/Q2") -> None:
    """Put a conversation with everything into the window."""
    conversation = bench.session.conversation
    for message in everything(picture):
        chunk = Chunk(
            role=message.role, type=message.type, format=message.format, content=message.content
        )
        if message.role == "user" or not isinstance(message.content, str):
            conversation.apply(chunk)
            continue
        start = Chunk(role=message.role, type=message.type, format=message.format, start=True)
        conversation.apply(start)
        conversation.apply(
            Chunk(
                role=message.role, type=message.type, format=message.format, content=message.content
            )
        )
        conversation.apply(
            Chunk(role=message.role, type=message.type, format=message.format, end=True)
        )
    conversation.change(Rename(title))


def dialog_of(bench: Bench) -> QFileDialog:
    [dialog] = [one for one in bench.window.findChildren(QFileDialog) if one.isVisible()]
    return dialog


async def export_to(bench: Bench, path: Path, name_filter: str = "") -> None:
    """The shortcut, a name typed into the dialog, its button."""
    await until(bench.window.isActiveWindow)
    QTest.keyClick(
        bench.window,
        Qt.Key.Key_E,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    dialog = dialog_of(bench)
    if name_filter:
        dialog.selectNameFilter(name_filter)
        dialog.filterSelected.emit(name_filter)
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(name, QLineEdit)
    name.setText(str(path))
    button = next(one for one in dialog.findChildren(QPushButton) if "Export" in one.text())
    button.click()
    await bench.window.tasks.settled()


class Told(NamedTuple):
    """What a banner says."""

    title: str
    detail: str


def told(bench: Bench) -> Told:
    banner = bench.parts.notifications.banners[0]
    return Told(banner.title, banner.detail)


async def test_a_conversation_is_exported_in_every_kind(theme: Theme, tmp_path: Path) -> None:
    picture = tmp_path / "plot.png"
    picture.write_bytes(PNG)
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench, str(picture))
        for name in ("a.md", "a.ipynb", "a.py", "a.json"):
            await export_to(bench, tmp_path / name)
            assert told(bench) == (f"Exported as “{name}”.", str(tmp_path))
    nbformat.validate(nbformat.read(tmp_path / "a.ipynb", 4))
    compile((tmp_path / "a.py").read_text("utf-8"), "a.py", "exec")
    assert json.loads((tmp_path / "a.json").read_bytes())[0]["role"] == "user"
    text = (tmp_path / "a.md").read_text("utf-8")
    assert text.startswith("# Sales: Q1/Q2\n")
    assert "![Picture 1](a_files/picture-1.png)" in text
    assert (tmp_path / "a_files" / "picture-1.png").read_bytes() == PNG


async def test_pictures_go_into_no_folder_that_holds_something_else(
    theme: Theme, tmp_path: Path
) -> None:
    picture = tmp_path / "plot.png"
    picture.write_bytes(PNG)
    taken = tmp_path / "a_files"
    taken.mkdir()
    (taken / "picture-1.png").write_bytes(b"mine")
    (taken / "notes.txt").write_bytes(b"mine")
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench, str(picture))
        await export_to(bench, tmp_path / "a.md")
        (tmp_path / "a.md").unlink()  # the dialog would ask whether to replace it
        await export_to(bench, tmp_path / "a.md")
    assert (taken / "picture-1.png").read_bytes() == b"mine"
    assert "(a_files-2/picture-1.png)" in (tmp_path / "a.md").read_text("utf-8")
    assert not (tmp_path / "a_files-3").exists()


async def test_the_kind_that_was_chosen_gives_a_bare_name_its_suffix(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        await export_to(bench, tmp_path / "bare", "Jupyter notebook (*.ipynb)")
        nbformat.validate(nbformat.read(tmp_path / "bare.ipynb", 4))
        bench.window.exports.export_shown()
        dialog = dialog_of(bench)
        assert dialog.selectedFiles() == [str(tmp_path / "Sales Q1 Q2.ipynb")]
        dialog.reject()


async def test_the_list_has_it_in_its_menus(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        shown = bench.session.conversation.id
        bench.window.new_conversation()
        sidebar = bench.parts.sidebar
        await until(lambda: sidebar.model.index_of(shown).isValid())
        menu = sidebar.menu_for(shown)
        action(menu, "Export…").trigger()
        await bench.window.tasks.settled()
        dialog = dialog_of(bench)
        assert "Sales Q1 Q2.md" in dialog.selectedFiles()[0]
        dialog.reject()
        menu.close()
        for name in ("Export conversation…", "Import conversation…"):
            assert action(bench.parts.header.more_button.menu(), name).isEnabled()


def action(menu: QMenu, text: str) -> QAction:
    [found] = [one for one in menu.actions() if one.text() == text]
    return found


async def test_several_go_into_a_folder_beside_what_is_there(theme: Theme, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "Sales Q1 Q2.py").write_text("mine", "utf-8")
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        bench.window.new_conversation()
        fill(bench)
        ids = [row.id for row in bench.sessions.summaries]
        menu = QMenu()
        [entry] = bench.window.exports.menu_entries(ids, menu)
        kinds = entry.menu()
        assert isinstance(kinds, QMenu)
        next(one for one in kinds.actions() if "Python" in one.text()).trigger()
        dialog_of(bench).fileSelected.emit(str(target))
        await bench.window.tasks.settled()
        assert told(bench) == ("2 conversations were exported.", str(target))
    names = ["Sales Q1 Q2 2.py", "Sales Q1 Q2 3.py", "Sales Q1 Q2.py"]
    assert sorted(path.name for path in target.iterdir()) == names
    assert (target / "Sales Q1 Q2.py").read_text("utf-8") == "mine"


async def test_an_empty_conversation_has_nothing_to_export(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        bench.window.exports.export_shown()
        assert told(bench).title == "There is nothing to export yet."


async def test_a_place_that_cannot_be_written_is_told_in_words(
    theme: Theme, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        for name in ("file/a.md", "no folder/a.md"):
            bench.window.exports.export_shown()
            dialog = dialog_of(bench)
            dialog.fileSelected.emit(str(tmp_path / name))
            dialog.reject()
            await until(lambda: bench.parts.notifications.banners)
            await bench.window.tasks.settled()
            assert told(bench).title == "a.md could not be written."
            assert "Choose a folder" in told(bench).detail
            bench.parts.notifications.clear_passing()
    assert (tmp_path / "file").read_text() == "x"


async def test_a_full_disk_leaves_the_older_file_whole(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text("older")
    usage = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    monkeypatch.setattr(QSaveFile, "write", lambda _file, _data: -1)
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        bench.window.exports.export_shown()
        dialog = dialog_of(bench)
        dialog.fileSelected.emit(str(path))
        dialog.reject()
        await bench.window.tasks.settled()
        assert "The disk is full" in told(bench).detail
    assert path.read_text() == "older"
    assert [name for name in os.listdir(tmp_path) if name.startswith("a.py")] == ["a.py"]


async def test_the_folder_is_one_click_away(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: urls.append(url.toLocalFile()))
    async with opened(theme, tmp_path / "home") as bench:
        fill(bench)
        await export_to(bench, tmp_path / "a.py")
        banner = bench.parts.notifications.banners[0]
        assert banner.button.text() == "Open folder"
        bench.click(banner.button)
        assert urls == [str(tmp_path)]


async def test_nothing_of_the_settings_or_the_keys_is_exported(
    theme: Theme, tmp_path: Path
) -> None:
    settings = AppSettings(model=f"openai/{SECRET}", api_base=SECRET, instructions=SECRET)
    async with opened(theme, tmp_path / "home", settings=settings) as bench:
        bench.ports.keys.keys["openai"] = SECRET  # type: ignore[attr-defined]
        fill(bench)
        for kind in ("md", "ipynb", "py", "json"):
            await export_to(bench, tmp_path / f"a.{kind}")
            assert SECRET.encode() not in (tmp_path / f"a.{kind}").read_bytes()


def a_document(folder: Path, kind: str = "ipynb") -> Path:
    path = folder / f"From elsewhere.{kind}"
    messages = everything("/plot.png")
    path.write_bytes(write_document(kind, messages, "", lambda _path: PNG).data)  # type: ignore[arg-type]
    return path


async def test_a_notebook_becomes_a_conversation_and_nothing_runs(
    theme: Theme, tmp_path: Path
) -> None:
    path = a_document(tmp_path)
    async with opened(theme, tmp_path / "home") as bench:
        bench.window.actions_by_name["import"].trigger()
        dialog = dialog_of(bench)
        dialog.filesSelected.emit([str(path)])
        dialog.reject()
        await until(lambda: bench.session.conversation.title == "From elsewhere")
        assert told(bench) == (f"Imported “{path.name}”.", "Nothing of it was run.")
        assert [m.text for m in bench.session.conversation.messages if m.role == "user"][-1]
        assert bench.ran == []
        assert bench.session.has_lost_variables
        notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
        titles = {note.title for note in notes}
        assert titles == {"Nothing has run here yet.", "No answer came to this question."}
        bench.send("and now?")
        await until(lambda: bench.provider.requests)
        assert "did not run here" in bench.provider.requests[0].instructions
        await bench.rests()
        rows = [row.text for row in bench.parts.sidebar.model.rows]
        assert "From elsewhere" in rows
        await bench.window.tasks.settled()


async def test_a_drop_on_the_sidebar_imports_and_elsewhere_attaches(
    theme: Theme, tmp_path: Path
) -> None:
    path = a_document(tmp_path, "json")
    other = tmp_path / "data.csv"
    other.write_text("a,b")
    async with opened(theme, tmp_path / "home") as bench:
        own, windows = bench.window.import_drop.overlay, bench.parts.drop.overlay
        drag(bench.parts.sidebar, other)
        assert (own.isVisible(), windows.isVisible()) == (False, True)
        drag(bench.parts.timeline, path)
        assert (own.isVisible(), windows.isVisible()) == (False, True)
        windows.hide()
        data = drag(bench.parts.sidebar, path)
        assert (own.isVisible(), windows.isVisible()) == (True, False)
        button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, button, none)
        QApplication.sendEvent(bench.parts.sidebar, event)
        assert own.isHidden()
        await until(lambda: bench.session.conversation.title == "From elsewhere")
        await bench.window.tasks.settled()
        assert bench.parts.composer.draft()[1] == []


def drag(widget: QWidget, path: Path) -> QMimeData:
    """Hold a file above a widget."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    button, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, button, none)
    QApplication.sendEvent(widget, event)
    return data


@pytest.mark.parametrize("content", [b"no json", b'{"nbformat": 3}', b"[]"])
async def test_a_file_that_is_no_conversation_is_refused_in_words(
    theme: Theme, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "broken.ipynb"
    path.write_bytes(content)
    async with opened(theme, tmp_path / "home") as bench:
        before = bench.session
        for name in (str(path), str(tmp_path / "gone.json"), str(tmp_path)):
            bench.window.exports.import_files([name])
            await bench.window.tasks.settled()
            assert bench.parts.notifications.banners
            assert told(bench).detail
        assert bench.session is before
        assert bench.sessions.summaries == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list descriptors so")
def test_a_folder_in_the_place_of_a_file_costs_no_descriptor(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with pytest.raises(AppError):
            load(tmp_path)
    assert len(os.listdir("/proc/self/fd")) < before + 20


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Sales", "Sales"),
        ("a/b\\c: d?*", "a b c d"),
        ("..", "conversation"),
        ("\ud800\n", "conversation"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_title_becomes_the_name_of_a_file(title: str, stem: str) -> None:
    assert file_stem(title) == stem
