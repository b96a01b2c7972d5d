"""Bindings of the composer to the session that is shown.

They keep drafts, show the queue, recall messages and models, and give hints on attachments.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, QTimer

from playhead.atomic_file import write_private
from playhead.domain.conversation.message import Attachment
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.errors import AttachmentError
from playhead.session.model_choice import describe_model
from playhead.session.ports import Catalog, Provider, Settings
from playhead.session.session import Session, SessionEvent
from playhead.session.sessions import Sessions
from playhead.ui.composer import message_drafts as composer_drafts
from playhead.ui.composer.composer import Composer
from playhead.ui.composer.message_drafts import Draft, StoredDrafts
from playhead.ui.editor.tab_drafts import write_error
from playhead.ui.shell.session_view import SessionBinding, SessionView
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr

_log = logging.getLogger(__name__)

DRAFT_MS = 400
_MOST_MODELS = 8


class ComposerBinding(SessionBinding):
    """Writes drafts to a file soon after each change, until they are sent. Owner: the window."""

    def __init__(
        self,
        composer: Composer,
        view: SessionView,
        sessions: Sessions,
        settings: Settings,
        tasks: TaskOwner,
        path: Path,
        parent: QObject,
    ) -> None:
        super().__init__(view, parent)
        self._composer = composer
        self._sessions = sessions
        self._settings = settings
        self._path = path
        self._key = ""
        text, attachments = composer.draft()  # written before there were sessions
        self._drafts = {"": Draft(text=text, attachments=tuple(attachments))}
        self._models: list[tuple[str, str]] = []
        self._written = ""
        self._is_restored = self._is_refused = self._is_late = False
        self._listed: set[str] = set()
        self._writing = asyncio.Lock()
        self._stop_listening = sessions.subscribe(self._due)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(lambda: tasks.start(self.keep()))
        composer.text_edit.sent_before = self._sent_before
        composer.buttons.choice.recent_models = self._recent_models
        self._connect()

    async def restore(self) -> None:
        """Put back what was there when the program ended, or crashed."""
        kept = await asyncio.to_thread(composer_drafts.read, self._path)
        self._is_restored = True
        if self._is_late:
            self._due()
        self._models += [one for one in kept.models if one not in self._models]
        typed, attachments = self._composer.draft()
        written = {key: draft for key, draft in self._drafts.items() if draft}
        self._drafts = {**kept.drafts, **written}
        if self._session is None:
            return
        if typed or attachments:  # it was in use meanwhile
            self._drafts[self._key] = Draft()
            self._take_in(kept.drafts.get(self._key, Draft()))
        else:
            self._enter()

    async def keep(self) -> None:
        """Write the drafts now, if they are others than those on the disk."""
        if not self._is_restored:  # the file was not read yet
            self._is_late = True
            return
        self._timer.stop()
        self._read_draft()
        self._forget_deleted()
        kept = StoredDrafts(self._with_queues(), tuple(self._models))
        async with self._writing:
            text = await asyncio.to_thread(composer_drafts.encoded, kept)
            if text == self._written:
                return
            try:
                await asyncio.to_thread(write_private, self._path, text)
                self._written, self._is_refused = text, False
            except OSError as error:
                _log.info("what is not sent yet could not be written: %s", error)
                if not self._is_refused:  # reported once, until it has worked again
                    self._is_refused = True
                    self._composer.failed.emit(write_error(self._path, error))

    async def close_down(self) -> None:
        """Write what is not sent and follow no more."""
        self._stop_listening()
        self._composer.leave_edit()
        await self.keep()
        super().leave()

    def _connect(self) -> None:
        composer, view, rows = self._composer, self._view, self._composer.queue_rows
        composer.changed.connect(self._on_changed)
        composer.queued.connect(self._on_queued)
        composer.queued_edit_ended.connect(self._on_queued_edit_ended)
        rows.edit_requested.connect(self._on_edit_requested)
        rows.remove_requested.connect(self._on_remove_requested)
        rows.resume_requested.connect(lambda: view.begin(lambda session: session.queue.resume()))

    def subscribe(self, session: Session) -> list[Callable[[], None]]:
        """Subscribe to its queue and its states."""
        return [session.subscribe(self._on_session_event)]

    def follow(self) -> None:
        """Show what is not sent of the session."""
        super().follow()
        self._remember_model()
        self._enter()

    def leave(self) -> None:
        """Keep what is not sent of the session."""
        self._composer.leave_edit()
        self._read_draft()
        super().leave()
        self._due()

    def _enter(self) -> None:
        """Show what is not sent of the session that is shown."""
        self._key = key = self._key_now()
        draft = self._drafts.get(key, Draft())
        self._composer.put_draft(draft.text, draft.attachments)
        self._take_in(Draft(queued=draft.queued, missing=draft.missing))
        self._drafts[key] = Draft(text=draft.text, attachments=draft.attachments)
        self._show_queue()

    def _take_in(self, draft: Draft) -> None:
        """Put what was kept to what is there already."""
        session = self._session
        if draft.text:
            self._composer.set_text(f"{draft.text}\n{self._composer.text}")
        for attachment in draft.attachments:
            self._composer.chips.add(attachment)
        if session is not None and draft.queued:
            known = {one.id for one in session.queue.messages}
            session.queue.put_back([one for one in draft.queued if one.id not in known])
        for name in draft.missing:
            self._composer.failed.emit(
                AttachmentError(
                    tr("“{name}” is not there any more.", name=name),
                    detail=tr("It was attached to a message that you have not sent yet."),
                    remedy=tr("Attach it again from where it is now."),
                )
            )

    def _read_draft(self) -> None:
        """Store what the composer holds as a draft."""
        if self._session is None:
            return
        if (key := self._key_now()) != self._key:  # its first message was sent
            self._drafts.pop(self._key, None)
            self._key = key
        text, attachments = self._composer.draft()
        self._drafts.pop(key, None)  # the one changed last is the last of all
        if text or attachments:
            self._drafts[key] = Draft(text=text, attachments=tuple(attachments))

    def _forget_deleted(self) -> None:
        """Remove the draft of a conversation once it is deleted for good."""
        listed = {one.id for one in self._sessions.summaries}
        for key in self._listed - listed:
            if not self._sessions.is_in_trash(key):
                self._drafts.pop(key, None)
                listed.discard(key)
            else:
                listed.add(key)
        self._listed = listed

    def _with_queues(self) -> dict[str, Draft]:
        """Return the drafts with the queued messages; unopened sessions keep their former ones."""
        drafts = dict(self._drafts)
        for session in self._sessions.open_sessions:
            key = session.conversation.id
            if waiting := session.queue.messages:
                before = drafts.get(key, Draft())
                drafts[key] = Draft(
                    text=before.text, attachments=before.attachments, queued=waiting
                )
        return drafts

    def _key_now(self) -> str:
        """Return the key of the shown draft: '' also for a conversation that is not stored yet."""
        session = self._session
        return session.conversation.id if session and session.conversation.messages else ""

    def _sent_before(self) -> list[str]:
        messages = self._session.conversation.messages if self._session else []
        return [one.text for one in messages if (one.role, one.type) == ("user", "message")]

    def _recent_models(self) -> list[tuple[str, str]]:
        self._remember_model()
        return self._models

    def _remember_model(self) -> None:
        shown = self._session.settings if self._session else self._settings.current
        used = (shown.model, shown.api_base)
        if used[0]:
            others = [one for one in self._models if one != used]
            self._models = [used, *others][:_MOST_MODELS]

    def _show_queue(self) -> None:
        if self._session is not None:
            queue = self._session.queue
            self._composer.queue_rows.show_queue(
                queue.messages, queue.edited_id, is_held=queue.is_held
            )

    def _due(self) -> None:
        if not self._timer.isActive():
            self._timer.start(DRAFT_MS)

    def _on_changed(self) -> None:
        if self._composer.text_edit.document().isEmpty():
            self._timer.start(0)  # it was sent: it must not be there again after a crash
        else:
            self._due()

    def _on_session_event(self, event: SessionEvent) -> None:
        if event.kind == "queue":
            self._show_queue()
            self._due()
        elif event.kind == "state":
            self._remember_model()

    def _on_queued(self, text: str, attachments: list[Attachment]) -> None:
        session = self._session
        if session is not None and session.client:  # a program's becomes the user's own by it
            self._sessions.keep(session.conversation.id)
        if self._view.do(lambda shown: shown.queue.add(text, attachments)):
            self._composer.clear()

    def _on_edit_requested(self, message_id: str) -> None:
        self._composer.leave_edit()
        message = self._session.queue.begin_edit(message_id) if self._session else None
        if message is not None:
            self._composer.begin_queued_edit(message)

    def _on_queued_edit_ended(self, text: str | None, attachments: list[Attachment]) -> None:
        if self._session is not None:
            self._session.queue.end_edit(text, attachments)

    def _on_remove_requested(self, message_id: str) -> None:
        if self._session is None:
            return
        if message_id == self._session.queue.edited_id:
            self._composer.leave_edit()
        self._session.queue.remove(message_id)


class AttachmentHints(QObject):
    """Owner: the window. Asks what the model can take when there is something attached."""

    def __init__(
        self,
        composer: Composer,
        view: SessionView,
        tasks: TaskOwner,
        provider: Provider,
        catalog: Catalog,
    ) -> None:
        super().__init__(composer)
        self._chips = composer.chips
        self._view = view
        self._provider = provider
        self._catalog = catalog
        self._tasks = tasks
        self._asked: ModelSettings | None = None
        self._facts: ModelFacts | None = None
        self._chips.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the facts again after a change of the model or the attachments."""
        if not self._chips.attachments:
            return
        model = self._model()
        if model != self._asked:
            self._asked, self._facts = model, None
            if model is not None:
                self._tasks.start(self._fetch_facts(model))
        self._chips.show_facts(self._facts)
        self._tasks.start(self._chips.read_new(self._provider.attached))

    async def _fetch_facts(self, model: ModelSettings) -> None:
        facts = await self._provider.facts(model)
        if model == self._asked:
            self._facts = facts
            self._chips.show_facts(facts)

    def _model(self) -> ModelSettings | None:
        """Return the session's model; None in Direct mode, where no model reads attachments."""
        session = self._view.session
        if session is None or not session.settings.model:
            return None
        settings = session.settings
        model = describe_model(settings.model, settings, self._catalog)
        return replace(model, api_base=settings.api_base or None)
