"""The composer's button that says which model answers and whether its code is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from playhead.ui.theme import Theme
from playhead.ui.wording import mark, tr

DIRECT = mark("Direct mode")
_NAME_PX = 360


class ModelChoice(QPushButton):
    """A click on it opens the picker of its owner's window. Owner: the composer.

    Signal: `auto_run_toggled(bool)`. `recent_models()` gives models with their addresses, the last
    one used first. `ask_first` and `auto_run` do what the rows of the picker do.
    """

    auto_run_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ""
        self._is_auto_run = False
        self.recent_models: Callable[[], Sequence[tuple[str, str]]] = tuple[tuple[str, str], ...]
        self._room_px = _NAME_PX
        self.ask_first = QAction(tr("Ask before code runs"), self)
        self.auto_run = QAction(tr("Run code without asking in this conversation"), self)
        for action in (self.ask_first, self.auto_run):
            action.setCheckable(True)
        self.ask_first.triggered.connect(lambda: self.auto_run_toggled.emit(False))
        self.auto_run.triggered.connect(lambda: self.auto_run_toggled.emit(True))
        self.show_choice("", is_auto_run=False)

    def show_choice(self, model: str, *, is_auto_run: bool) -> None:
        """Which model answers, and whether its code runs without asking."""
        self._model, self._is_auto_run = model, is_auto_run
        self.refresh()

    def set_room(self, room_px: int) -> None:
        """How wide the whole button may be; the model's name gives way."""
        if room_px != self._room_px:
            self._room_px = room_px
            self.refresh()

    def refresh(self) -> None:
        """Show what is chosen in the colours of the theme in force."""
        policy = tr("auto-run") if self._is_auto_run else tr("ask first")
        self.setIcon(self._theme.icon("chevron-down", "warn" if self._is_auto_run else "mute"))
        set_kind(self, "auto" if self._is_auto_run else "quiet")
        metrics = self.fontMetrics()
        around = metrics.horizontalAdvance(f" · {policy}") + 46  # icon, padding and frame
        room = max(24, min(_NAME_PX, self._room_px - around))
        name = metrics.elidedText(self._model or tr(DIRECT), Qt.TextElideMode.ElideMiddle, room)
        self.setText(f"{name} · {policy}")
        model = self._model or tr("{direct}: no model", direct=tr(DIRECT))
        self.setToolTip(f"{model}, {policy}")
        self.setAccessibleName(
            tr("Model and approval: {model}, {policy}", model=model, policy=policy)
        )
        self.ask_first.setChecked(not self._is_auto_run)
        self.auto_run.setChecked(self._is_auto_run)


def set_kind(button: QPushButton, kind: str) -> None:
    """Restyle only on a change: it is asked for at every key."""
    if button.property("kind") != kind:
        button.setProperty("kind", kind)
        button.style().unpolish(button)
        button.style().polish(button)
