"""The pages of the settings beside their list, or below a menu where there is no room."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.wording import tr

_LIST_PX = 148
_NARROW_PX = 620


class SettingsPages(QWidget):
    """Each page scrolls by itself. Signal: `turned(str name)`. Owner: the dialog."""

    turned = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._areas: list[QScrollArea] = []
        self.list = QListWidget(self)
        self.list.setProperty("kind", "pages")
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setFixedWidth(_LIST_PX)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.menu = QComboBox(self)
        self.menu.setAccessibleName(tr("Pages of the settings"))
        self.stack = QStackedWidget(self)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(16)
        for widget in (self.list, self.menu, self.stack):
            self._layout.addWidget(widget, 1 if widget is self.stack else 0)
        self.menu.hide()
        self.list.currentRowChanged.connect(self._on_row_changed)
        self.menu.currentIndexChanged.connect(self.list.setCurrentRow)

    @property
    def current(self) -> str:
        """The name of the page that is shown."""
        return self._names[self.stack.currentIndex()] if self._names else ""

    def add(self, name: str, title: str, *sections: QWidget) -> None:
        """Append a page of these sections."""
        area = QScrollArea(self.stack)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget(area)
        page.setProperty("kind", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(12)
        # Sections come last: whatever is moved below another parent is styled once more.
        area.setWidget(page)
        self.stack.addWidget(area)
        for section in sections:
            column.addWidget(section)
        column.addStretch(1)
        self._names.append(name)
        self._areas.append(area)
        self.menu.addItem(title)
        self.list.addItem(QListWidgetItem(title))
        if len(self._names) == 1:
            self.list.setCurrentRow(0)

    def show_page(self, name: str) -> None:
        """Turn to a page."""
        self.list.setCurrentRow(self._names.index(name))

    def show_field(self, field: QWidget) -> None:
        """Turn to the page of a field, bring it into sight and put the cursor there."""
        for place, name in enumerate(self._names):
            area = self.area_of(name)
            if area.isAncestorOf(field):
                self.list.setCurrentRow(place)
                area.ensureWidgetVisible(field)
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def area_of(self, name: str) -> QScrollArea:
        """The scroll area of a page."""
        return self._areas[self._names.index(name)]

    def needed_width(self) -> int:
        """How wide it must be so that no page is cut off at its right."""
        bar = self._areas[0].verticalScrollBar().sizeHint().width() if self._areas else 0
        pages = (area.widget() for area in self._areas)
        return bar + max((page.minimumSizeHint().width() for page in pages if page), default=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where all is large or the screen small, a menu stands above the page."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        if is_narrow == self.menu.isHidden():
            self.menu.setVisible(is_narrow)
            self.list.setVisible(not is_narrow)
            direction = QBoxLayout.Direction
            self._layout.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _on_row_changed(self, row: int) -> None:
        if row >= 0:
            self.stack.setCurrentIndex(row)
            self.menu.setCurrentIndex(row)
            self.turned.emit(self._names[row])
