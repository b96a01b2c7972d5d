"""A dialog for files: the system's own if it has one, else Qt's in the theme of the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QFileInfo, QSize, Qt
from PySide6.QtGui import QAbstractFileIconProvider, QIcon
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QFileIconProvider,
    QHeaderView,
    QToolButton,
    QTreeView,
)

from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent
    from PySide6.QtWidgets import (
        QWidget,
    )

    from playhead.ui.widgets.theme import Theme

_SIZE_PX = QSize(760, 520)
_BUTTONS = {
    "backButton": "arrow-left",
    "forwardButton": "arrow-right",
    "toParentButton": "arrow-up",
    "newFolderButton": "folder-plus",
    "listModeButton": "layout-grid",
    "detailModeButton": "list",
}
_PLACES = {
    QAbstractFileIconProvider.IconType.Computer: "hard-drive",
    QAbstractFileIconProvider.IconType.Desktop: "house",
    QAbstractFileIconProvider.IconType.Drive: "hard-drive",
    QAbstractFileIconProvider.IconType.Folder: "folder",
    QAbstractFileIconProvider.IconType.Network: "server",
    QAbstractFileIconProvider.IconType.Trashcan: "trash-2",
}
_CODE = frozenset(("py", "js", "ts", "sh", "r", "rb", "json", "toml", "ipynb", "html", "css"))
_PICTURES = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "tif", "tiff"))
_TABLES = frozenset(("csv", "tsv", "xlsx", "xls", "ods", "parquet"))


@runtime_checkable
class ThemedWindow(Protocol):
    """A window whose dialogs use its theme."""

    @property
    def current_theme(self) -> Theme:
        """Return the window's theme."""
        ...


class FileDialog(QFileDialog):
    """Uses the theme of its window, and is deleted when it is closed."""

    def __init__(self, parent: QWidget, title: str, start: str = "", kinds: str = "") -> None:
        super().__init__(parent, title, start, kinds)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._icons: QFileIconProvider | None = None

    def showEvent(self, event: QShowEvent) -> None:
        """Style Qt's dialog, which has its parts now; the system's own dialog is left alone."""
        if self._icons is None and (theme := _theme_of(self)) is not None:
            self._icons = ThemedFileIcons(theme)
            self.setIconProvider(self._icons)
            self._apply_theme(theme)
        super().showEvent(event)

    def _apply_theme(self, theme: Theme) -> None:
        for name, icon in _BUTTONS.items():
            button = self.findChild(QToolButton, name)
            if isinstance(button, QToolButton):
                button.setIcon(theme.icon(icon))
                button.setAutoRaise(True)
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                button.setIcon(QIcon())
                if box.buttonRole(button) == QDialogButtonBox.ButtonRole.AcceptRole:
                    button.setProperty("kind", "primary")
                    button.style().polish(button)
        view = self.findChild(QTreeView, "treeView")
        if isinstance(view, QTreeView):
            view.setAccessibleName(tr("Files"))
            header = view.header()
            header.setStretchLastSection(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.resize(self.size().expandedTo(_SIZE_PX.boundedTo(self.screen().availableSize())))


def existing_folder(folder: str) -> str:
    """Return a folder, or the nearest one around it if it was not made yet."""
    path = Path(folder)
    return str(next((one for one in (path, *path.parents) if one.is_dir()), path))


class ThemedFileIcons(QFileIconProvider):
    """The window's line icons for files and places."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def icon(self, what: QAbstractFileIconProvider.IconType | QFileInfo, /) -> QIcon:
        """Return an icon by the file's name only; no file is read."""
        if not isinstance(what, QFileInfo):
            return self._theme.icon(_PLACES.get(what, "file"))
        if what.isRoot():
            return self._theme.icon("hard-drive")
        if what.isDir():
            return self._theme.icon("folder")
        return self._theme.icon(_icon_of(what.suffix().lower()))


def _icon_of(suffix: str) -> str:
    if suffix in _CODE:
        return "file-code"
    if suffix in _PICTURES:
        return "image"
    return "table-2" if suffix in _TABLES else "file"


def _theme_of(widget: QWidget) -> Theme | None:
    """Return the theme of the nearest window around a widget that has one."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, ThemedWindow):
            return around.current_theme
        around = around.parentWidget()
    return None
