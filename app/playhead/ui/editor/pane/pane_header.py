"""The top of the editor pane: the header with Run, and the row of tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTabBar,
    QToolButton,
)

from playhead.ui.editor.code.editor_language import LANGUAGES, language_name
from playhead.ui.widgets.elided_label import ElidedButton, ElidedLabel
from playhead.ui.widgets.theme import BAR_HEIGHT
from playhead.ui.widgets.wording import tr, tr_n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import (
        QWidget,
    )

    from playhead.ui.editor.tab import Tab
    from playhead.ui.widgets.theme import Theme


_STEP_MS = 200


class PaneHeader(QFrame):
    """Shows the header; its buttons only emit signals. Owner: the pane.

    Signals: `run_clicked()`, `undo_clicked()`, `find_clicked()`, `changes_clicked()`,
    `newer_clicked()`, `fold_clicked()`, `language_chosen(str)`, `pause_clicked(str)`: pause
    (or go on, while it is paused) or step.
    """

    run_clicked = Signal()
    pause_clicked = Signal(str)
    undo_clicked = Signal()
    find_clicked = Signal()
    changes_clicked = Signal()
    newer_clicked = Signal()
    fold_clicked = Signal()
    language_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title_text = ""
        self._run_look: tuple[bool, bool, str, bool] | None = None
        self.setProperty("kind", "bar")
        self.setFixedHeight(BAR_HEIGHT)
        self.icon = QLabel(self)
        self.title = ElidedLabel(parent=self)
        self.title.setProperty("kind", "title")
        self.language = QPushButton(self)
        self.language.setProperty("kind", "language")
        self.language.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.language.setIconSize(QSize(12, 12))
        self.language.clicked.connect(self._on_language_clicked)
        self.edited = QLabel(tr("edited"), self)
        self.edited.setProperty("kind", "mute")
        self.changes = QPushButton(tr("Changes"), self)
        self.changes.setProperty("kind", "quiet")
        self.changes.setCheckable(True)
        self.changes.hide()
        self.newer = ElidedButton(tr("Show newer code"), self)
        self.newer.setToolTip(tr("Show newer code"))
        self.newer.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.newer.setProperty("kind", "quiet")
        self.newer.hide()
        self.undo = self._tool(tr("Undo"), tr("Undo (Ctrl+Z)"))
        self.search = self._tool(tr("Find"), tr("Find (Ctrl+F)"))
        self.more = self._tool(tr("More for the editor"), tr("More"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.fold = self._tool(tr("Hide the editor"), tr("Hide the editor (Ctrl+J)"))
        self.run = QPushButton(tr("Run"), self)
        self.pause = QPushButton(tr("Pause"), self)
        self.step = QPushButton(tr("Step"), self)
        self.step.setToolTip(tr("Go on up to the next statement (F10)"))
        for button in (self.pause, self.step):
            button.hide()
        self.pause.clicked.connect(lambda: self.pause_clicked.emit("pause"))
        self.step.clicked.connect(lambda: self.pause_clicked.emit("step"))
        self._pause_look: tuple[bool, bool, str] | None = None
        self._going_on = QTimer(self)
        self._going_on.setSingleShot(True)
        self._going_on.setInterval(_STEP_MS)
        self._going_on.timeout.connect(lambda: self._show_pause((True, False, "")))
        self._lay_out()
        for button, signal in (
            (self.run, self.run_clicked),
            (self.undo, self.undo_clicked),
            (self.search, self.find_clicked),
            (self.changes, self.changes_clicked),
            (self.newer, self.newer_clicked),
            (self.fold, self.fold_clicked),
        ):
            button.clicked.connect(signal)
        theme.changed.connect(self.apply_theme)
        self.apply_theme()

    def show_title(self, title: str, hint: str) -> None:
        """Show the title of the code, and where it comes from."""
        self._title_text = title
        self.title.setToolTip(hint)
        self.title.setAccessibleName(title)
        self._elide()

    def show_language(self, word: str, *, is_choice: bool) -> None:
        """Show the language, as a choice for a text of the user's own."""
        name = language_name(word)
        self.language.setText(name)
        self.language.setEnabled(is_choice)
        self._show_choice()
        words = tr("Language: {name}", name=name)
        self.language.setAccessibleName(
            tr("{words}. Choose another", words=words) if is_choice else words
        )
        self.language.setToolTip(tr("Choose the language") if is_choice else "")

    def _show_choice(self) -> None:
        is_choice = self.language.isEnabled()
        self.language.setIcon(self._theme.icon("chevron-down", "accent") if is_choice else QIcon())

    def show_changes(self, count: int, than: str) -> None:
        """Show the number of differences from `than`; 0 hides the button."""
        self.changes.setVisible(bool(count) or self.changes.isChecked())
        self.changes.setText(tr_n("%n changes", count, one="1 change"))
        self.changes.setToolTip(tr("Changed from {than} (Ctrl+Shift+D)", than=than))
        self.changes.setAccessibleName(
            tr_n(
                "%n changes from {than}. Show them",
                count,
                one="1 change from {than}. Show them",
                than=than,
            )
        )

    def show_run(self, *, is_running: bool, is_asked: bool, why_not: str, can_run: bool) -> None:
        """Show Run, or Stop while code runs; `why_not` explains why it cannot be run."""
        look = (is_running, is_asked, why_not, can_run)
        if look == self._run_look:  # every key press calls this
            return
        self._run_look = look
        self.run.setText(tr("Stop") if is_running else tr("Run"))
        self._theme.label_icon(self.run, "square" if is_running else "play", "text")
        self.run.setEnabled(is_running or can_run)
        tip = tr("Stop the running code") if is_running else tr("Run this code (F5)")
        if is_asked and not is_running:  # the bar that asks has the primary button
            tip = tr("Run this code, which waits for your answer (F5)")
        self.run.setToolTip(tip if is_running or not why_not else why_not)

    def show_pause(self, *, is_running: bool, is_paused: bool, why_not: str) -> None:
        """Show Pause beside Stop while code runs, and while it is paused how it can go on."""
        look = (is_running, is_paused, why_not)
        if look == self._pause_look:
            self._going_on.stop()
        elif is_running and self._pause_look == (True, True, why_not):
            self._going_on.start()  # a step is soon paused again, under the mouse
        else:
            self._show_pause(look)

    def show_pausing(self) -> None:
        """Show that a pause is wanted: the code may be in a library, which is not paused."""
        self.pause.setText(tr("Pausing…"))
        self.pause.setToolTip(tr("It pauses when it comes to its next own line"))

    def _show_pause(self, look: tuple[bool, bool, str]) -> None:
        self._going_on.stop()
        self._pause_look = look
        is_running, is_paused, why_not = look
        self.pause.setText(tr("Go on") if is_paused else tr("Pause"))
        self._theme.label_icon(self.pause, "play" if is_paused else "pause", "text")
        self._theme.label_icon(self.step, "step-forward", "text")
        tip = tr("Go on (F8)") if is_paused else tr("Pause before the next line (F8)")
        self.pause.setToolTip(why_not or tip)
        self.pause.setEnabled(not why_not)
        self.pause.setVisible(is_running)
        self.step.setVisible(is_running and is_paused)

    def apply_theme(self) -> None:
        """Set the current colours."""
        theme = self._theme
        self._run_look = self._pause_look = None
        self.icon.setPixmap(theme.icon("file-code", "accent").pixmap(16, 16))
        for button, name in (
            (self.fold, "panel-right"),
            (self.undo, "undo-2"),
            (self.search, "search"),
            (self.more, "ellipsis"),
        ):
            button.setIcon(theme.icon(name, "mute"))
        self._show_choice()

    def event(self, event: QEvent) -> bool:
        """Leave the lesser buttons, which the menu has too, out where there is no room for them."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        layout = self.layout()
        if layout is None:
            return
        room = self.width() - layout.sizeHint().width()
        cost = self.language.sizeHint().width() + layout.spacing()
        was_shown = not self.language.isHidden()
        is_shown = self.step.isHidden() or room >= (0 if was_shown else cost)
        self.language.setVisible(is_shown)  # code that is paused has been seen to be Python
        room += cost * (was_shown - is_shown)
        if self.title.isHidden():
            room -= self.title.minimumWidth() + layout.spacing()
        if not self.newer.isHidden():
            words, width = tr("Show newer code"), self.newer.fontMetrics().horizontalAdvance
            room -= width(words) - width(self.newer.text())
            self.newer.setText(words if room >= 0 else tr("Newer"))
        self.title.setVisible(room >= 0 or self.newer.isHidden())  # its tab has the title, too
        lesser = (self.undo, self.search, self.icon)
        hidden = [one.sizeHint().width() + layout.spacing() for one in lesser if one.isHidden()]
        for one in lesser:
            one.setVisible(sum(hidden) <= room)
        layout.activate()

    def _elide(self) -> None:
        metrics = self.title.fontMetrics()
        self.title.setText(self._title_text)
        wanted = metrics.horizontalAdvance(self._title_text) + 4
        self.title.setMinimumWidth(min(wanted, 60))
        self.title.setMaximumWidth(wanted)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self.icon)
        layout.addWidget(self.title, 100)
        layout.addWidget(self.language)
        layout.addWidget(self.edited)
        layout.addStretch(1)
        for widget in (self.newer, self.changes):
            layout.addWidget(widget)
        tools = QHBoxLayout()
        tools.setSpacing(2)
        for widget in (self.undo, self.search, self.more, self.fold):
            tools.addWidget(widget)
        layout.addLayout(tools)
        for widget in (self.step, self.pause, self.run):
            layout.addWidget(widget)

    def _tool(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(name)
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _on_language_clicked(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for one in LANGUAGES:
            action = menu.addAction(one.name)
            action.triggered.connect(lambda _=False, word=one.word: self.language_chosen.emit(word))
        menu.popup(self.language.mapToGlobal(self.language.rect().bottomLeft()))


_ICONS = {
    "streaming": "loader-circle",
    "waiting": "circle-alert",
    "running": "play",
    "past": "history",
}


class TabStrip(QTabBar):
    """Shows the given tabs; hidden while there is only one. Owner: the pane.

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
        """Show these tabs in this order; change only what differs."""
        self._is_filling = True
        keys = [tab.key for tab in tabs]
        if keys != self._keys:
            self._arrange(tabs, keys)
        for number, tab in enumerate(tabs):
            self._style_tab(number, tab)
        if current in keys:
            self.setCurrentIndex(keys.index(current))
        self._is_filling = False
        self.setVisible(len(tabs) > 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close the focused tab on Delete."""
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

    def _style_tab(self, number: int, tab: Tab) -> None:
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
