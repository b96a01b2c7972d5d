"""The row of tabs: marks beside the titles, scrolls when there are many, closes the user's own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from playhead.ui.editor.tab import Tab
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_ICONS = {"streaming": "loader-circle", "waiting": "circle-alert", "running": "play"}


class TabStrip(QTabBar):
    """Shows the tabs it is given; hidden while there is only one. Owner: the pane.

    Signals: `chosen(str)` by the user, `close_requested(str)`.
    """

    chosen = Signal(str)
    close_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keys: list[str] = []
        self._looks: dict[str, tuple[str, str, bool]] = {}
        self._is_filling = False
        self.setAccessibleName(tr("Tabs of the editor"))
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)  # long titles are cut below
        self.setIconSize(QSize(12, 12))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.currentChanged.connect(self._on_current_changed)
        self.installEventFilter(self)
        for button in self.findChildren(QToolButton):
            right = button.arrowType() == Qt.ArrowType.RightArrow
            button.setAccessibleName(
                tr("Scroll the tabs right") if right else tr("Scroll the tabs left")
            )
        theme.changed.connect(self._on_theme_changed)

    def show_tabs(self, tabs: Sequence[Tab], current: str) -> None:
        """Show these tabs in this order; only what differs is touched."""
        self._is_filling = True
        keys = [tab.key for tab in tabs]
        if keys != self._keys:
            self._arrange(tabs, keys)
        for number, tab in enumerate(tabs):
            self._dress(number, tab)
        if current in keys:
            self.setCurrentIndex(keys.index(current))
        self._is_filling = False
        self.setVisible(len(tabs) > 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Delete closes the tab that the keyboard is on."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            index = self.currentIndex()
            if event.key() == Qt.Key.Key_Delete and self.tabButton(index, _SIDE) is not None:
                self.close_requested.emit(self._keys[index])
                return True
        return False

    def _arrange(self, tabs: Sequence[Tab], keys: list[str]) -> None:
        wanted = set(keys)
        for number in range(len(self._keys) - 1, -1, -1):
            if self._keys[number] not in wanted:
                self._looks.pop(self._keys.pop(number), None)
                self.removeTab(number)
        for number, tab in enumerate(tabs):
            if number < len(self._keys) and self._keys[number] == tab.key:
                continue
            if tab.key in self._keys:
                before = self._keys.index(tab.key)
                self.moveTab(before, number)
                self._keys.insert(number, self._keys.pop(before))
                continue
            self.insertTab(number, "")
            self._keys.insert(number, tab.key)
            if tab.is_own:
                self.setTabButton(number, _SIDE, self._close_button(tab.key))

    def _dress(self, number: int, tab: Tab) -> None:
        look = (tab.title, tab.state, tab.is_edited)
        if self._looks.get(tab.key) == look:
            return
        self._looks[tab.key] = look
        text = tab.title if len(tab.title) <= 24 else f"{tab.title[:14]}…{tab.title[-9:]}"
        self.setTabText(number, (f"{text} •" if tab.is_edited else text).replace("&", "&&"))
        self.setTabToolTip(number, tab.file.path if tab.file and not tab.state else tab.words)
        self.setAccessibleTabName(number, tab.words)
        name = _ICONS.get(tab.state)
        self.setTabIcon(number, self._theme.icon(name, "accent") if name else QIcon())

    def _close_button(self, key: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(self._theme.icon("x", "mute"))
        button.setIconSize(QSize(12, 12))
        button.setProperty("kind", "foot")
        button.setAccessibleName(tr("Close this tab"))
        button.setToolTip(tr("Close (Ctrl+W)"))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Delete does the same by the keyboard
        button.clicked.connect(lambda: self.close_requested.emit(key))
        return button

    def _on_current_changed(self, index: int) -> None:
        if not self._is_filling and 0 <= index < len(self._keys):
            self.chosen.emit(self._keys[index])

    def _on_theme_changed(self) -> None:
        self._looks.clear()
        for number in range(self.count()):
            button = self.tabButton(number, _SIDE)
            if isinstance(button, QToolButton):
                button.setIcon(self._theme.icon("x", "mute"))


_SIDE = QTabBar.ButtonPosition.RightSide
