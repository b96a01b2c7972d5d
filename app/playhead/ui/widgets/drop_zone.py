"""Drop zones: what is dropped on the window is attached, what is dropped on the sidebar is
imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QLabel, QWidget

from playhead.ui.widgets.wording import tr, tr_n

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

_NAME_LENGTH = 60


class DropZone(QObject):
    """Shows an overlay while something that can be taken hovers over its widget.

    A subclass says what will happen with it, and does that.
    """

    def __init__(self, widget: QWidget, margin: int) -> None:
        super().__init__(widget)
        self._widget = widget
        self._margin = margin
        self.overlay = QLabel(widget)
        self.overlay.setProperty("kind", "drop")
        self.overlay.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.overlay.setWordWrap(True)
        self.overlay.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.overlay.hide()
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def words_for(self, data: QMimeData) -> str:
        """Return what will happen with something when it is dropped; '' if nothing will."""
        raise NotImplementedError

    def take(self, data: QMimeData) -> None:
        """Take what was dropped."""
        raise NotImplementedError

    def refuse(self, event: QDropEvent) -> bool:
        """Leave to the widget what cannot be taken; True where nobody else may take it."""
        return False

    def watch(self, child: QWidget) -> None:
        """Let drops on a child that would take them itself (a text field) reach the widget."""
        child.setAcceptDrops(False)
        for one in child.findChildren(QWidget):
            one.setAcceptDrops(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take drag and drop events of the widget."""
        match event.type():
            case QEvent.Type.DragEnter | QEvent.Type.DragMove if isinstance(event, QDropEvent):
                return self._on_entered(event)
            case QEvent.Type.DragLeave:
                self.overlay.hide()
            case QEvent.Type.Drop if isinstance(event, QDropEvent):
                return self._on_dropped(event)
            case _:
                pass
        return False

    def _on_entered(self, event: QDropEvent) -> bool:
        words = self.words_for(event.mimeData())
        if not words:
            return self.refuse(event)
        margin = self._margin
        self.overlay.setText(words)
        self.overlay.setGeometry(self._widget.rect().adjusted(margin, margin, -margin, -margin))
        self.overlay.raise_()
        self.overlay.show()
        event.acceptProposedAction()
        return True

    def _on_dropped(self, event: QDropEvent) -> bool:
        self.overlay.hide()
        if not self.words_for(event.mimeData()):
            return self.refuse(event)
        event.acceptProposedAction()
        self.take(event.mimeData())
        return True


class AttachmentDropZone(DropZone):
    """Accepts drops on the window: what to attach, or the folder to work in.

    Signals: `paths_dropped(list[str])`, `folder_dropped(str)` for one folder alone,
    `image_dropped(QImage)`.
    """

    paths_dropped = Signal(list)
    folder_dropped = Signal(str)
    image_dropped = Signal(object)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, margin=12)
        self.overlay.setTextFormat(Qt.TextFormat.RichText)

    def words_for(self, data: QMimeData) -> str:
        """Return what will happen, as rich text."""
        paths = _local_paths(data)
        if len(paths) == 1 and Path(paths[0]).is_dir():
            return _worded(
                tr("Work in “{name}”", name=_name(paths[0])),
                tr("Code of this conversation will run there."),
            )
        if paths:
            others = len(paths) - 1
            about = tr("Code can open what you attach by its path.")
            return _worded(_attach_words(_name(paths[0]), others), about)
        return _worded(tr("Attach the image to your message"), "") if data.hasImage() else ""

    def take(self, data: QMimeData) -> None:
        """Report the files, the folder or the image."""
        paths = _local_paths(data)
        if len(paths) == 1 and Path(paths[0]).is_dir():
            self.folder_dropped.emit(paths[0])
        elif paths:
            self.paths_dropped.emit(paths)
        elif isinstance(image := data.imageData(), QImage):
            self.image_dropped.emit(image)


def _local_paths(data: QMimeData) -> list[str]:
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def _name(path: str) -> str:
    name = Path(path).name or path
    return name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}…"


def _worded(title: str, about: str) -> str:
    from html import escape  # with a large table of entities

    detail = f"<p style='font-size: 13px; font-weight: 400'>{escape(about)}</p>" if about else ""
    return f"<p>{escape(title)}</p>{detail}"


def _attach_words(name: str, others: int) -> str:
    if not others:
        return tr("Attach “{name}” to your message", name=name)
    one = "Attach “{name}” and 1 other to your message"
    return tr_n("Attach “{name}” and %n others to your message", others, one=one, name=name)


IMPORTED_SUFFIXES = (".ipynb", ".json", ".jsonl", ".ndjson", ".sse")


class ImportDropZone(DropZone):
    """Files dropped on the sidebar are imported; all other drops go on to the window.

    Signal: `files_dropped(list[str])`.
    """

    files_dropped = Signal(list)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, margin=8)
        for child in widget.findChildren(QWidget):
            child.setAcceptDrops(False)

    def words_for(self, data: QMimeData) -> str:
        """Return what will happen."""
        paths = _importable_paths(data)
        if len(paths) == 1:
            return tr("Import as a conversation")
        return tr_n("Import %n conversations", len(paths)) if paths else ""

    def take(self, data: QMimeData) -> None:
        """Report the files."""
        self.files_dropped.emit(_importable_paths(data))

    def refuse(self, event: QDropEvent) -> bool:
        """Leave it to the window, which attaches it."""
        event.ignore()
        return True


def _importable_paths(data: QMimeData) -> list[str]:
    """Return the files, if all of them can be imported."""
    paths = [url.toLocalFile() for url in data.urls()]
    are_ours = all(path.lower().endswith(IMPORTED_SUFFIXES) for path in paths)
    return paths if are_ours else []
