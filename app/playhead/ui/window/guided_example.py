"""Half a minute with a file that comes along: what a run looks like, without any model."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import PYTHON
from playhead.errors import StorageError
from playhead.session.session import Session
from playhead.ui.tasks import TaskOwner
from playhead.ui.timeline.view import TimelineView
from playhead.ui.wording import mark, tr

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
_WATCH_DETAIL = mark("Stop ends it at any time. What it prints appears here at once.")
_DONE_DETAIL = mark(
    "Beside the code stands how long each line took, and a card names the file that was "
    "written. Now drop a file of your own into the message field and type code for it, or "
    "choose a model in the settings that writes the code for you."
)
_SKIPPED_DETAIL = mark(
    "You skipped it, so nothing was run and nothing was written. That is how it is with all code."
)


@dataclass(frozen=True, slots=True)
class ExamplePlaces:
    """Where the example lies, and the folder that a copy of it is worked on in."""

    source: Path
    folder: Path


class GuidedExample(QObject):
    """Puts the example's code up for approval and says in three notes what happens.

    Owner: the main window. Nothing runs without the click; no model is asked. The notes end where
    another conversation is looked at.
    """

    def __init__(
        self,
        places: ExamplePlaces,
        timeline: TimelineView,
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
        code = await asyncio.to_thread(self._prepare)
        session = self._begin_conversation()
        self._leave()
        self._has_run = False
        session.set_folder(str(self._places.folder))
        told = session.conversation
        self._unsubscribe = told.subscribe(lambda event: self._on_event(told, event))
        session.propose_code(PYTHON, code, tr(TITLE))

    def _prepare(self) -> str:
        """A fresh copy of the file; the code. Raises StorageError."""
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
        is_shown = self._timeline.conversation is conversation
        if event.kind in ("removed", "moved") or not is_shown:
            self._leave()
        elif event.message is not None and event.kind in ("added", "ended"):
            self._on_message(event.message)

    def _on_message(self, message: Message) -> None:
        match message.type, message.content:
            case "confirmation", _ if not self._has_run:
                self._timeline.add_note("info", tr(FIRST), tr(_FIRST_DETAIL))
            case "run", RunReport(state="started"):
                self._has_run = True
                self._timeline.clear_notes()
                self._timeline.add_note("info", tr(WATCH), tr(_WATCH_DETAIL))
            case "run", RunReport():
                self._end(tr(_DONE_DETAIL))
            case "tool_result", _:
                self._end(tr(_SKIPPED_DETAIL))
            case _:
                pass

    def _end(self, detail: str) -> None:
        self._leave()
        self._timeline.clear_notes()
        self._timeline.add_note("info", tr(DONE), detail)

    def _leave(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
