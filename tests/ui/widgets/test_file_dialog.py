"""The dialogs for files wear what the window wears."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileInfo
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QHeaderView,
    QPushButton,
    QTreeView,
    QWidget,
)

from playhead.ui.widgets.file_dialog import FileDialog, ThemedFileIcons
from playhead.ui.widgets.theme import Theme


class Window(QWidget):
    """Something with a theme."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.current_theme = theme


def test_qt_s_own_dialog_wears_the_window_s_buttons_and_icons(theme: Theme, tmp_path: Path) -> None:
    window = Window(theme)
    page = QWidget(window)
    dialog = FileDialog(page, "Save", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.open()
    try:
        assert isinstance(dialog.iconProvider(), ThemedFileIcons)
        [box] = dialog.findChildren(QDialogButtonBox)
        buttons = [one for one in box.buttons() if isinstance(one, QPushButton)]
        assert all(button.icon().isNull() for button in buttons)
        assert [one.property("kind") for one in buttons].count("primary") == 1
        view = dialog.findChild(QTreeView, "treeView")
        assert isinstance(view, QTreeView)
        assert view.accessibleName() == "Files"
        columns = range(1, view.header().count())
        assert {view.header().sectionResizeMode(one) for one in columns} == {
            QHeaderView.ResizeMode.ResizeToContents  # a date is not elided
        }
    finally:
        dialog.done(0)


def test_files_have_the_icon_of_what_their_names_say(theme: Theme, tmp_path: Path) -> None:
    icons = ThemedFileIcons(theme)
    for name, icon in (("a.csv", "table-2"), ("a.py", "file-code"), ("a.png", "image")):
        assert icons.icon(QFileInfo(tmp_path / name)).cacheKey() == theme.icon(icon).cacheKey()
    assert icons.icon(QFileInfo(tmp_path)).cacheKey() == theme.icon("folder").cacheKey()


def test_without_a_window_it_is_an_ordinary_dialog(theme: Theme) -> None:
    page = QWidget()
    dialog = FileDialog(page, "Open")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.open()
    assert not isinstance(dialog.iconProvider(), ThemedFileIcons)
    dialog.done(0)
