"""`python -m tests.support.drag_source FILE LEFT TOP`: a window from which a file is dragged."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

TITLE = "Drag source"
SIZE = (150, 90)


class DragSource(QLabel):
    """Begins a real drag of its file as soon as the pressed mouse moves, as a file manager does."""

    def __init__(self, path: str) -> None:
        super().__init__(path.rpartition("/")[2])
        self._path = path
        self.setWindowTitle(TITLE)
        self.setFixedSize(*SIZE)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Only comes while a button is down."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(self._path)])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)


def main() -> int:
    """Stand at a place of the screen until somebody ends it."""
    path, left, top = sys.argv[1:4]
    app = QApplication(sys.argv[:1])
    source = DragSource(path)
    source.move(int(left), int(top))
    source.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
