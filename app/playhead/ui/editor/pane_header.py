"""The top of the editor pane: what is shown, what can be done with it, Run."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from playhead.ui.editor.languages import LANGUAGES, language_name
from playhead.ui.theme import BAR_HEIGHT, Theme
from playhead.ui.wording import tr, tr_n

_NARROW_PX = 470


class PaneHeader(QFrame):
    """Only shows and tells. Owner: the pane.

    Signals: `run_clicked()`, `undo_clicked()`, `find_clicked()`, `changes_clicked()`,
    `newer_clicked()`, `fold_clicked()`, `language_chosen(str)`.
    """

    run_clicked = Signal()
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
        self.title = QLabel(self)
        self.title.setProperty("kind", "title")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.language = QPushButton(self)
        self.language.setProperty("kind", "language")
        self.language.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.language.clicked.connect(self._on_language_clicked)
        self.edited = QLabel(tr("edited"), self)
        self.edited.setProperty("kind", "mute")
        self.changes = QPushButton(self)
        self.changes.setProperty("kind", "quiet")
        self.changes.setCheckable(True)
        self.changes.hide()
        self.newer = QPushButton(tr("Show newer code"), self)
        self.newer.setProperty("kind", "quiet")
        self.newer.hide()
        self.undo = self._tool(tr("Undo"), tr("Undo (Ctrl+Z)"))
        self.search = self._tool(tr("Find"), tr("Find (Ctrl+F)"))
        self.more = self._tool(tr("More for the editor"), tr("More"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.fold = self._tool(tr("Hide the editor"), tr("Hide the editor (Ctrl+J)"))
        self.run = QPushButton(self)
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
        theme.changed.connect(self.dress)
        self.dress()

    def show_title(self, title: str, hint: str) -> None:
        """What is shown, and where it is from."""
        self._title_text = title
        self.title.setToolTip(hint)
        self.title.setAccessibleName(title)
        self._elide()

    def show_language(self, word: str, *, is_choice: bool) -> None:
        """The language, as a choice for a text of the user's own."""
        name = language_name(word)
        self.language.setText(f"{name} ▾" if is_choice else name)
        self.language.setEnabled(is_choice)
        words = tr("Language: {name}", name=name)
        self.language.setAccessibleName(
            tr("{words}. Choose another", words=words) if is_choice else words
        )
        self.language.setToolTip(tr("Choose the language") if is_choice else "")

    def show_changes(self, count: int, than: str) -> None:
        """How many places differ; 0: the button goes away."""
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
        """Run, or Stop while code runs; `why_not` says why it cannot be run."""
        look = (is_running, is_asked, why_not, can_run)
        if look == self._run_look:  # it is told with every key
            return
        self._run_look = look
        self.run.setText(tr("Stop") if is_running else tr("Run"))
        self._theme.label_icon(self.run, "square" if is_running else "play", "text")
        self.run.setEnabled(is_running or can_run)
        tip = tr("Stop the running code") if is_running else tr("Run this code (F5)")
        if is_asked and not is_running:  # the bar that asks has the one button that stands out
            tip = tr("Run this code, which waits for your answer (F5)")
        self.run.setToolTip(tip if is_running or not why_not else why_not)

    def dress(self) -> None:
        """Take the colours in force."""
        theme = self._theme
        self._run_look = None
        self.icon.setPixmap(theme.icon("file-code", "accent").pixmap(16, 16))
        for button, name in (
            (self.fold, "panel-right"),
            (self.undo, "undo-2"),
            (self.search, "search"),
            (self.more, "ellipsis"),
        ):
            button.setIcon(theme.icon(name, "mute"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow header has its lesser buttons in the menu only."""
        super().resizeEvent(event)
        is_wide = event.size().width() >= _NARROW_PX
        for button in (self.undo, self.search, self.icon):
            button.setVisible(is_wide)
        self._elide()

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
        layout.addWidget(self.run)

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
