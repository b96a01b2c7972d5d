"""What is dropped on the window, and what the overlay says that will happen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from playhead.ui.widgets.drop_zone import AttachmentDropZone
from playhead.ui.widgets.theme import Theme


class Bench:
    """A widget with a text field, and what was dropped on it."""

    def __init__(self, widget: QWidget) -> None:
        self.widget = widget
        self.field = QPlainTextEdit(widget)
        self.target = AttachmentDropZone(widget)
        self.target.watch(self.field)
        self.dropped: list[object] = []
        for signal in (
            self.target.paths_dropped,
            self.target.folder_dropped,
            self.target.image_dropped,
        ):
            signal.connect(self.dropped.append)

    def drop(self, data: QMimeData) -> str:
        """Drag over the widget and let go; what the overlay said."""
        action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        keys = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(30, 30), action, data, button, keys)
        QApplication.sendEvent(self.widget, enter)
        said = self.target.overlay.text() if self.target.overlay.isVisible() else ""
        drop = QDropEvent(QPointF(30, 30), action, data, button, keys)
        QApplication.sendEvent(self.widget, drop)
        assert not self.target.overlay.isVisible()
        return said


@pytest.fixture
def bench(qtbot: QtBot, theme: Theme) -> Bench:
    widget = QWidget()
    qtbot.addWidget(widget)
    made = Bench(widget)
    widget.resize(400, 300)
    widget.show()
    return made


def files(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def test_files_are_attached_and_the_first_is_named(bench: Bench, tmp_path: Path) -> None:
    paths = [tmp_path / "a <b>.csv", tmp_path / "c.csv", tmp_path / "d.csv"]
    assert "Attach “a &lt;b&gt;.csv” and 2 others to your message" in bench.drop(files(*paths))
    assert bench.dropped == [[str(path) for path in paths]]


def test_a_folder_is_worked_in(bench: Bench, tmp_path: Path) -> None:
    assert f"Work in “{tmp_path.name}”" in bench.drop(files(tmp_path))
    assert bench.dropped == [str(tmp_path)]


def test_an_image_is_attached(bench: Bench) -> None:
    image = QImage(3, 3, QImage.Format.Format_RGB32)
    data = QMimeData()
    data.setImageData(image)
    assert "Attach the image" in bench.drop(data)
    assert [one.size() for one in bench.dropped if isinstance(one, QImage)] == [image.size()]


def test_what_cannot_be_taken_shows_no_target(bench: Bench) -> None:
    data = QMimeData()
    data.setText("words")
    assert bench.drop(data) == ""
    assert bench.dropped == []


def test_a_text_field_leaves_drops_to_the_window(bench: Bench) -> None:
    assert not bench.field.acceptDrops()
    assert not bench.field.viewport().acceptDrops()
