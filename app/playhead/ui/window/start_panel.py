"""What an empty conversation shows: one sentence and what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from playhead.domain.model import DIRECT_MODEL, LocalServer
from playhead.ui.flow_layout import FlowLayout
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_EXAMPLES = ("What's 34/24?", "!ls", "import sys; sys.version")


class StartPanel(QWidget):
    """Signals: `server_chosen(LocalServer)`, `settings_requested()`, `example_chosen(str)`,
    `guide_requested()`: the guided example.
    """

    server_chosen = Signal(object)
    settings_requested = Signal()
    example_chosen = Signal(str)
    guide_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ""
        self._servers: Sequence[LocalServer] = ()
        self._hero = QLabel(self)
        self._hero.setProperty("kind", "hero")
        self.sentence = QLabel(self)
        self.sentence.setProperty("kind", "start")
        self.sentence.setWordWrap(True)
        self._buttons = QWidget(self)
        self._flow = FlowLayout(self._buttons, 8)
        self._examples_label = QLabel(tr("Type code and run it, for example"), self)
        self._examples_label.setProperty("kind", "mute")
        self._examples = QWidget(self)
        examples = FlowLayout(self._examples, 6)
        for text in _EXAMPLES:
            examples.addWidget(self._example(text))
        layout = QVBoxLayout(self._make_page())
        layout.setContentsMargins(28, 24, 28, 24)
        layout.setSpacing(12)
        layout.addStretch(2)
        for widget in (
            self._hero,
            self.sentence,
            self._buttons,
            self._examples_label,
            self._examples,
        ):
            layout.addWidget(widget)
        layout.addStretch(3)
        theme.changed.connect(self._rebuild)
        self._rebuild()

    def _make_page(self) -> QWidget:
        """It scrolls where the window is low, or everything large."""
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(area)
        page.setProperty("kind", "page")
        area.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        return page

    @property
    def buttons(self) -> list[QPushButton]:
        """What can be done, in order."""
        found = self._buttons.findChildren(QPushButton)
        return [button for button in found if button.isEnabled()]

    def set_model(self, model: str) -> None:
        """Which model is set."""
        if model != self._model:
            self._model = model
            self._rebuild()

    def set_servers(self, servers: Sequence[LocalServer]) -> None:
        """Model servers found on this machine."""
        self._servers = servers
        self._rebuild()

    def _rebuild(self) -> None:
        is_direct = self._model == DIRECT_MODEL
        usable = [server for server in self._servers if server.models]
        self._hero.setText(tr("Ready to run code") if is_direct else tr("What shall we do?"))
        self.sentence.setText(_sentence(self._model, usable))
        for button in self._buttons.findChildren(QPushButton):
            self._flow.removeWidget(button)
            button.setEnabled(False)
            button.hide()
            button.deleteLater()
        if is_direct:
            for server in usable:
                self._flow.addWidget(self._server_button(server))
            key = self._button(tr("Add a provider key…"), "key-round")
            key.clicked.connect(self.settings_requested)
            self._flow.addWidget(key)
        guide = self._button(tr("See an example run (30 s)"), "play")
        guide.clicked.connect(self.guide_requested)
        self._flow.addWidget(guide)
        self._examples_label.setVisible(is_direct)
        self._examples.setVisible(is_direct)

    def _server_button(self, server: LocalServer) -> QPushButton:
        model = server.models[0].partition("/")[2] or server.models[0]
        button = self._button(tr("Use {name}: {model}", name=server.name, model=model), "server")
        button.setToolTip(
            tr("{name} at {api_base}", name=server.models[0], api_base=server.api_base)
        )
        button.clicked.connect(lambda: self.server_chosen.emit(server))
        return button

    def _button(self, text: str, icon: str) -> QPushButton:
        button = QPushButton(text, self._buttons)
        self._theme.label_icon(button, icon)
        button.show()
        return button

    def _example(self, text: str) -> QPushButton:
        button = QPushButton(text, self._examples)
        button.setProperty("kind", "chip")
        button.setToolTip(tr("Put this into the message field"))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self.example_chosen.emit(text))
        return button


def _sentence(model: str, servers: Sequence[LocalServer]) -> str:
    if model != DIRECT_MODEL:
        return tr(
            "Describe the task. You see the code before it runs, and nothing runs without your "
            "approval."
        )
    if servers:
        return tr(
            "No model is set: use the model server found on this machine, add a provider's "
            "key, or stay in Direct mode, where the code that you type runs after you approve "
            "it."
        )
    return tr(
        "No model is set: add a provider's key, start a model server such as Ollama, or stay "
        "in Direct mode, where the code that you type runs after you approve it."
    )
