"""The panel of an empty conversation: local model servers, examples and the guided example."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import PYTHON
from playhead.domain.model import DIRECT_MODEL
from playhead.errors import StorageError
from playhead.ui.widgets.flow_layout import FlowLayout
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from playhead.domain.conversation.conversation import Conversation
    from playhead.domain.conversation.events import ConversationEvent
    from playhead.domain.conversation.message import Message
    from playhead.domain.model import LocalServer
    from playhead.session.ports import Catalog, Settings
    from playhead.session.session import Session
    from playhead.ui.timeline.view import TimelineView
    from playhead.ui.widgets.task_owner import TaskOwner
    from playhead.ui.widgets.theme import Theme

_EXAMPLES = ("What's 34/24?", "!ls", "import sys; sys.version")


class StartPanel(QWidget):
    """Offers what a new conversation can begin with.

    Signals: `server_chosen(LocalServer)`, `settings_requested()`, `example_chosen(str)`,
    `guide_requested()` for the guided example.
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
        """Return the page, which scrolls if the window is low or the text is large."""
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
        """Return the buttons of the panel, in order."""
        found = self._buttons.findChildren(QPushButton)
        return [button for button in found if button.isEnabled()]

    def set_model(self, model: str) -> None:
        """Set the name of the model in use; '' if none is set."""
        if model != self._model:
            self._model = model
            self._rebuild()

    def set_servers(self, servers: Sequence[LocalServer]) -> None:
        """Offer the model servers that were found on this machine."""
        if servers != self._servers:
            self._servers = servers
            self._rebuild()

    def _rebuild(self) -> None:
        is_direct = self._model == DIRECT_MODEL
        usable = [server for server in self._servers if server.models]
        focused = self.window().focusWidget()
        had_focus = focused is not None and self._buttons.isAncestorOf(focused)
        self._hero.setText(
            tr("Ready to run code") if is_direct else tr("What would you like to do?")
        )
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
        self.setFocusProxy(self.buttons[0])
        if had_focus:
            self.setFocus()
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
            "key, or stay in Direct mode, where the code that you type is what runs."
        )
    return tr(
        "No model is set: add a provider's key, start a model server such as Ollama, or stay "
        "in Direct mode, where the code that you type is what runs."
    )


_DELAY_MS = 400


class ServerSearch(QTimer):
    """Searches for local model servers. Owner: the main window.

    The window begins the search after its first paint and when the settings have changed.
    """

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        tasks: TaskOwner,
        on_found: Callable[[Sequence[LocalServer]], object],
    ) -> None:
        super().__init__(tasks)
        self._catalog = catalog
        self._settings = settings
        self._on_found = on_found
        self._has_begun = False
        self.setSingleShot(True)
        self.setInterval(_DELAY_MS)
        self.timeout.connect(lambda: tasks.start(self._find()))

    def begin(self) -> None:
        """Search once, and only while there is a panel that can offer the servers."""
        if not self._has_begun and not self._settings.current.model:
            self._has_begun = True
            self.start()

    async def _find(self) -> None:
        self._on_found(await self._catalog.local_servers())


TITLE = mark("Example: a harvest")
DATA, CODE = "harvest.csv", "harvest.py"

FIRST = mark("1 of 3 · This code has not run yet.")
WATCH = mark("2 of 3 · It runs: watch the line move.")
DONE = mark("3 of 3 · That was all.")
_FIRST_DETAIL = mark(
    "It is about to read harvest.csv, a small file that came with Playhead, and to write "
    "totals.csv beside it. Read it, change it in the editor if you like, then press Run below "
    "(Ctrl+Return)."
)
_WATCH_DETAIL = mark("Stop ends it at any time. What it prints appears here as it comes.")
_DONE_DETAIL = mark(
    "Beside the code you see how long each line took, and a card names the file that was "
    "written. Now drop a file of your own into the message field and type code for it, or "
    "choose a model in the settings that writes the code for you."
)
_SKIPPED_DETAIL = mark(
    "You skipped it, so nothing was run and nothing was written. That is how it is with all code."
)


class ExamplePlaces(Struct, frozen=True):
    """The path of the example, and the folder in which a copy of it is used."""

    source: Path
    folder: Path


class GuidedExample(QObject):
    """Offers the example's code for approval and explains in three notes what happens.

    Owner: the main window. Nothing runs without a click, and no model is asked. The notes end when
    another conversation is shown.
    """

    def __init__(
        self,
        places: ExamplePlaces,
        timeline: Callable[[], TimelineView],
        tasks: TaskOwner,
        begin_conversation: Callable[[], Session],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._places = places
        self._timeline = timeline
        self._tasks = tasks
        self._begin_conversation = begin_conversation
        self._unsubscribe: Callable[[], None] | None = None
        self._has_run = False

    def begin(self) -> None:
        """Make the folder, then a conversation in it."""
        self._tasks.start(self._begin())

    async def _begin(self) -> None:
        import asyncio

        code = await asyncio.to_thread(self._prepare)
        session = self._begin_conversation()
        self._leave()
        self._has_run = False
        session.set_folder(str(self._places.folder))
        conversation = session.conversation
        self._unsubscribe = conversation.subscribe(
            lambda event: self._on_event(conversation, event)
        )
        session.propose_code(PYTHON, code, tr(TITLE))

    def _prepare(self) -> str:
        """Copy the file again and return the code. Raises StorageError."""
        try:
            self._places.folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._places.source / DATA, self._places.folder / DATA)
            return (self._places.source / CODE).read_text(encoding="utf-8").rstrip("\n")
        except OSError as error:
            raise StorageError(
                tr("The example could not be set up."),
                detail=f"{self._places.folder}: {error.strerror}.",
                remedy=tr("Free disk space or make the folder writable, then try again."),
            ) from error

    def _on_event(self, conversation: Conversation, event: ConversationEvent) -> None:
        is_shown = self._timeline().conversation is conversation
        if event.kind in ("removed", "moved") or not is_shown:
            self._leave()
        elif event.message is not None and event.kind in ("added", "ended"):
            self._on_message(event.message)

    def _on_message(self, message: Message) -> None:
        match message.type, message.content:
            case "confirmation", _ if not self._has_run:
                self._timeline().add_note("info", tr(FIRST), tr(_FIRST_DETAIL))
            case "run", RunReport(state="started"):
                self._has_run = True
                self._timeline().clear_notes()
                self._timeline().add_note("info", tr(WATCH), tr(_WATCH_DETAIL))
            case "run", RunReport():
                self._end(tr(_DONE_DETAIL))
            case "tool_result", _:
                self._end(tr(_SKIPPED_DETAIL))
            case _:
                pass

    def _end(self, detail: str) -> None:
        self._leave()
        self._timeline().clear_notes()
        self._timeline().add_note("info", tr(DONE), detail)

    def _leave(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
