"""Notebooks and conversations that are dropped on the sidebar become conversations."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QLabel, QWidget

from playhead.ui.window.exporting import IMPORTED_SUFFIXES
from playhead.ui.wording import tr, tr_n


class ImportDrop(QObject):
    """Owner: the widget. All other drops go on to the window, which attaches them.

    Signal: `files_dropped(list[str])`.
    """

    files_dropped = Signal(list)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self.overlay = QLabel(widget)
        self.overlay.setProperty("kind", "drop")
        self.overlay.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.overlay.setWordWrap(True)
        self.overlay.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.overlay.hide()
        for child in widget.findChildren(QWidget):
            child.setAcceptDrops(False)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drag and drop events of the widget."""
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
        paths = _paths_of(event.mimeData())
        if not paths:
            event.ignore()
            return True
        one = tr("Import as a conversation")
        self.overlay.setText(
            one if len(paths) == 1 else tr_n("Import %n conversations", len(paths))
        )
        self.overlay.setGeometry(self._widget.rect().adjusted(8, 8, -8, -8))
        self.overlay.raise_()
        self.overlay.show()
        event.acceptProposedAction()
        return True

    def _on_dropped(self, event: QDropEvent) -> bool:
        self.overlay.hide()
        paths = _paths_of(event.mimeData())
        if not paths:
            event.ignore()
            return True
        event.acceptProposedAction()
        self.files_dropped.emit(paths)
        return True


def _paths_of(data: QMimeData) -> list[str]:
    """The files, if all of them can be imported."""
    paths = [url.toLocalFile() for url in data.urls()]
    are_ours = all(path.lower().endswith(IMPORTED_SUFFIXES) for path in paths)
    return paths if are_ours else []
