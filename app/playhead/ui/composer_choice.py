"""The composer's button that says which model answers and whether its code is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from playhead.ui.theme import Theme
from playhead.ui.wording import mark, tr

DIRECT = mark("Direct mode")
_MOST_MODELS = 8
_NAME_PX = 360


class ModelChoice(QPushButton):
    """Owner: the composer.

    Signals: `model_chosen(str model, str api_base)`, '' for Direct mode, `settings_wanted()`,
    `auto_run_toggled(bool)`. `recent_models()` gives models with their addresses, the last one
    used first.
    """

    model_chosen = Signal(str, str)
    settings_wanted = Signal()
    auto_run_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ""
        self._is_auto_run = False
        self.recent_models: Callable[[], Sequence[tuple[str, str]]] = tuple[tuple[str, str], ...]
        self._room_px = _NAME_PX
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self._models = QActionGroup(menu)
        self.direct = self._model_action(menu, "", "", tr("{direct} (no model)", direct=tr(DIRECT)))
        self.settings = menu.addAction(tr("Choose another model…"))
        self.settings.triggered.connect(self.settings_wanted)
        menu.addSection(tr("Code"))
        modes = QActionGroup(menu)
        self.ask_first = modes.addAction(tr("Ask before code runs"))
        self.auto_run = modes.addAction(tr("Run code without asking in this conversation"))
        self.auto_run.setToolTip(
            tr("All code runs at once, with all your rights, until you change it")
        )
        warning = QAction(
            "    " + tr("It runs at once, with all your rights on this computer"), menu
        )
        warning.setEnabled(False)
        menu.addActions([self.ask_first, self.auto_run, warning])
        for action in (self.ask_first, self.auto_run):
            action.setCheckable(True)
        self.ask_first.triggered.connect(lambda: self.auto_run_toggled.emit(False))
        self.auto_run.triggered.connect(lambda: self.auto_run_toggled.emit(True))
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.show_choice("", is_auto_run=False)

    @property
    def model_actions(self) -> list[QAction]:
        """The models of the menu, Direct mode last."""
        self._fill()
        return [*self._models.actions()[1:], self.direct]

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
        policy = "auto-run" if self._is_auto_run else tr("ask first")
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

    def _fill(self) -> None:
        """Models change rarely and the menu opens rarely: it is made then."""
        menu = self.menu()
        for action in self._models.actions():
            if action is not self.direct:
                self._models.removeAction(action)
                menu.removeAction(action)
                action.deleteLater()
        recent = list(self.recent_models())[:_MOST_MODELS]
        names = [model for model, _base in recent]
        for number, (model, base) in enumerate(recent):
            text = f"{model} ({base})" if base and names.count(model) > 1 else model
            action = self._model_action(menu, model, base, text)
            action.setToolTip(base or model)
            # The latest of the entries of a model is the one in force.
            action.setChecked(model == self._model and number == names.index(model))
            menu.insertAction(self.direct, action)
        self.direct.setChecked(not self._model)

    def _model_action(self, menu: QMenu, model: str, base: str, text: str) -> QAction:
        action = menu.addAction(text.replace("&", "&&"))
        action.setCheckable(True)
        self._models.addAction(action)
        action.triggered.connect(lambda: self.model_chosen.emit(model, base))
        return action


def set_kind(button: QPushButton, kind: str) -> None:
    """Restyle only on a change: it is asked for at every key."""
    if button.property("kind") != kind:
        button.setProperty("kind", kind)
        button.style().unpolish(button)
        button.style().polish(button)
