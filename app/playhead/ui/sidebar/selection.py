"""Says how many conversations are chosen in the sidebar, and what can be done with them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from playhead.ui.theme import Theme
from playhead.ui.wording import tr, tr_n


class SelectionBar(QFrame):
    """Below the list while several are chosen. Owner: the sidebar.

    Signals: `archive_requested(bool)`: into it or out of it, `delete_requested()`,
    `menu_requested(QPoint)` with all that can be done, `cleared()`.
    """

    archive_requested = Signal(bool)
    delete_requested = Signal()
    menu_requested = Signal(QPoint)
    cleared = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_archived = False
        self.setProperty("kind", "notice")
        self.label = QLabel(self)
        self.archive_button = QToolButton(self)
        self.delete_button = self._button("trash-2", tr("Delete"))
        self.more_button = self._button("ellipsis", tr("More"))
        self.clear_button = self._button("x", tr("Choose none (Esc)"))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 3, 3)
        row.setSpacing(2)
        row.addWidget(self.label, 1)
        for button in (
            self.archive_button,
            self.delete_button,
            self.more_button,
            self.clear_button,
        ):
            row.addWidget(button)
        self.archive_button.clicked.connect(
            lambda: self.archive_requested.emit(not self._is_archived)
        )
        self.delete_button.clicked.connect(self.delete_requested)
        self.more_button.clicked.connect(self._on_more)
        self.clear_button.clicked.connect(self.cleared)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_count(self, count: int, *, is_archived: bool) -> None:
        """How many are chosen, and whether all of them are in the archive."""
        self._is_archived = is_archived
        self.label.setText(tr_n("%n chosen", count))
        self._name(
            self.archive_button, tr("Take out of the archive") if is_archived else tr("Archive")
        )
        self._on_theme_changed()

    def _on_more(self) -> None:
        self.menu_requested.emit(self.more_button.mapToGlobal(QPoint(0, 0)))

    def _on_theme_changed(self) -> None:
        icon = "archive-restore" if self._is_archived else "archive"
        self.archive_button.setIcon(self._theme.icon(icon))
        self.delete_button.setIcon(self._theme.icon("trash-2"))
        self.more_button.setIcon(self._theme.icon("ellipsis"))
        self.clear_button.setIcon(self._theme.icon("x"))

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(self._theme.icon(icon))
        button.setIconSize(QSize(16, 16))
        self._name(button, name)
        return button

    def _name(self, button: QToolButton, name: str) -> None:
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
