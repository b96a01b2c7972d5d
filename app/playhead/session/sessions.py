"""All conversations: the list of the sidebar, the open sessions, the trash and imports."""

from __future__ import annotations

import asyncio
import base64
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import ConversationEvent, RemoveFrom, Rename
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.search import SearchFound
from playhead.domain.history import ConversationMark, ConversationSummary
from playhead.domain.places import machine_of
from playhead.domain.settings import ConversationConfig
from playhead.domain.text.titles import copy_title
from playhead.errors import SessionError, StorageError
from playhead.session.code_ports import Unsubscribe
from playhead.session.code_runs import close_unfinished
from playhead.session.elsewhere.saved_places import SavedPlaces
from playhead.session.ports import History, SessionPorts, StoreState
from playhead.session.session import Session
from playhead.session.session_events import SessionEvent, SessionState
from playhead.session.trust.grant_book import GrantBook

if TYPE_CHECKING:
    from playhead.formats.documents.imported_conversation import ImportedConversation


_log = logging.getLogger(__name__)
_ADDED_AT_ONCE = 250


class Sessions:
    """Makes, opens and deletes conversations and writes what happens in them to the history.

    An empty conversation is not stored: it reaches the history with its first message.
    """

    def __init__(self, ports: SessionPorts, history: History) -> None:
        self.summaries: list[ConversationSummary] = []
        self.storage: StoreState = history
        """Whether what happens in conversations can be stored now."""
        self.sandbox = ports.sandbox
        """What bounds code on this machine; None if nothing can."""
        self.places = SavedPlaces.of(ports)
        """Where else code can run."""
        self.far_side = ports.far_side
        """What reaches the files of the machine that code runs on; None if there is no other."""
        self.grants = GrantBook(lambda: history.grants)
        """What persons have granted to code, of all conversations and folders."""
        self._ports = ports
        self._history = history
        self._open: dict[str, Session] = {}
        self._stored: set[str] = set()
        self._temporary: set[str] = set()
        self._trash: dict[str, ConversationSummary] = {}
        self._shown = ""
        self._leaving: set[str] = set()
        self._listeners: list[Callable[[], None]] = []

    async def start(self) -> str:
        """Open the history and read the list; a sentence if something had to be put aside."""
        notice = await self._history.open()
        await self.grants.load()
        earlier = await self._history.conversations()
        # The window is in use meanwhile: conversations begun there are in the list already.
        self.summaries += [row for row in earlier if row.id not in self._stored]
        self._stored.update(row.id for row in earlier)
        self._emit()
        await self._history.purge()
        if self._ports.files is not None:
            await self._ports.files.unreported("")  # before anybody else changes those files
        return notice

    def subscribe(self, listener: Callable[[], None]) -> Unsubscribe:
        """Call `listener` when the list or a session's state changed."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def new(self, *, is_kept: bool = True, client: str = "") -> Session:
        """Return an empty conversation with the folder and the interpreter of the settings.

        One that is not kept belongs to a program (`client`): it is in the list while it works and
        never in the history, unless `keep` makes it an ordinary one.
        """
        session = self._adopt(Conversation(), self._chosen_folder(), "", client)
        if not is_kept:
            self._temporary.add(session.conversation.id)
        return session

    def begin(self, title: str = "", config: ConversationConfig | None = None) -> Session:
        """Return a conversation that is listed and stored before its first message."""
        session = self.new()
        self._store(session)
        if title:
            session.conversation.change(Rename(title))
        if config is not None:
            session.set_config(config)
        self._emit()
        return session

    async def empty(self, conversation_id: str) -> None:
        """Take all messages out of a conversation that rests, and end its kernel."""
        session = await self.open(conversation_id)
        if not session.is_idle:
            raise SessionError("This conversation is still busy.", code="session_busy")
        session.settle_deletion()
        for message_id in session.conversation.roots:
            session.conversation.change(RemoveFrom(message_id))
        await self._ports.executor.restart(conversation_id)

    def expect_writable(self, conversation_id: str = "") -> None:
        """Raise StorageError with the reason if the history is read-only.

        The conversations of programs are not kept and can always be written.
        """
        if self.is_kept(conversation_id):
            self._history.expect_writable()

    def is_in_trash(self, conversation_id: str) -> bool:
        """Return whether a conversation was deleted and can still be restored."""
        return conversation_id in self._trash

    def is_kept(self, conversation_id: str) -> bool:
        """Return whether a conversation is, or with its first message will be, in the history."""
        return conversation_id not in self._temporary

    def keep(self, conversation_id: str) -> None:
        """Make a program's conversation an ordinary one, in the list and in the history."""
        session = self._open.get(conversation_id)
        if session is None or self.is_kept(conversation_id):
            return
        self._history.expect_writable()
        self._temporary.discard(conversation_id)
        self._unlist(conversation_id)
        self._store(session)
        for event in _replayed(session.conversation):
            self._history.record(conversation_id, event)
        self._emit()

    async def forget(self, conversation_id: str) -> None:
        """End a program's conversation and its kernel, unless it works or is kept.

        One that is in the window goes when the user leaves it.
        """
        session = self._open.get(conversation_id)
        if session is None or self.is_kept(conversation_id) or session.state != "idle":
            return
        if conversation_id == self._shown:
            self._leaving.add(conversation_id)
            return
        del self._open[conversation_id]
        self._temporary.discard(conversation_id)
        self.grants.forget(conversation_id)
        self._unlist(conversation_id)
        await self._end_visit(session)
        self._emit()

    def look_at(self, conversation_id: str) -> str:
        """Set the shown conversation; return the id of the one before if it is now to `forget`."""
        before, self._shown = self._shown, conversation_id
        self.mark_unread(conversation_id, False)
        if before == conversation_id or before not in self._leaving:
            return ""
        self._leaving.discard(before)
        return before

    async def open(self, conversation_id: str) -> Session:
        """Return the session of a conversation, read from the history if it is not open yet."""
        if conversation_id in self._trash:
            raise StorageError("That conversation was deleted.", code="not_found")
        if (session := self._open.get(conversation_id)) is not None:
            return session
        stored = await self._history.load(conversation_id)
        if (session := self._open.get(conversation_id)) is not None:  # opened meanwhile
            return session
        folder = self._known_folder(stored.folder)
        conversation = Conversation.restore(stored)
        session = self._adopt(
            conversation, folder, stored.interpreter, config=stored.config, is_stored=True
        )
        close_unfinished(session.conversation)
        await session.files.report_unreported()
        if self._ports.saved_variables is not None:
            await self._ports.saved_variables.load(conversation_id)
        return session

    async def trash(self, conversation_id: str) -> None:
        """Take a conversation off the list and stop its work; it and its kernel can come back.

        It goes for good by `delete`, by `close`, or at the next start.
        """
        row = self.summary(conversation_id)
        if row is None or conversation_id not in self._stored:
            return
        self.expect_writable()
        self._trash[conversation_id] = row
        self._unlist(conversation_id)
        self._history.mark(conversation_id, "deleted", True)
        self._emit()
        session = self._open.get(conversation_id)
        if session is not None and not session.is_idle:
            await session.stopped()

    def restore(self, conversation_id: str) -> None:
        """Put a conversation that is not gone for good yet back where it was."""
        row = self._trash.pop(conversation_id, None)
        if row is not None:
            self._history.mark(conversation_id, "deleted", False)
            self.summaries = sorted([*self.summaries, row], key=_age)
            self._emit()

    async def delete(self, conversation_id: str) -> None:
        """End a conversation's work and delete it for good."""
        if conversation_id in self._stored:
            self.expect_writable()
        session = self._open.pop(conversation_id, None)
        if session is not None and not self.is_kept(conversation_id):
            await self._end_visit(session)
        elif session is not None:
            await session.close()
        if conversation_id in self._stored:
            self._stored.discard(conversation_id)
            await self._history.delete(conversation_id)
            await self._forget_work(conversation_id)
        self._temporary.discard(conversation_id)
        self._trash.pop(conversation_id, None)
        self.grants.forget(conversation_id)
        self._unlist(conversation_id)
        self._emit()

    async def duplicate(self, conversation_id: str) -> str:
        """Copy a conversation with its messages; return the copy's id, '' without an original."""
        row = self.summary(conversation_id)
        if row is None or conversation_id not in self._stored:
            return ""
        self.expect_writable()
        title = copy_title(row.title, {one.title for one in self.summaries})
        now = time.time()
        copy = ConversationSummary(
            id=uuid.uuid4().hex,
            title=title,
            created_at=now,
            updated_at=now,
            message_count=row.message_count,
            machine=row.machine,
        )
        session = self._open.get(conversation_id)
        aside = session.conversation.aside_id if session is not None else None
        await self._history.duplicate(conversation_id, copy)
        if aside is not None:  # only hidden there, for as long as that can be undone
            self._history.record(copy.id, ConversationEvent(kind="removed", message_id=aside))
        self._stored.add(copy.id)
        self.summaries.insert(0, copy)
        self._emit()
        return copy.id

    async def add(self, imported: ImportedConversation) -> str:
        """Store a conversation that was read from a file and return its id. None of its code runs.

        Raises StorageError; the conversation is then not added.
        """
        self.expect_writable()
        now = time.time()
        count = len(imported.messages)
        added = ConversationSummary(
            id=uuid.uuid4().hex,
            title=imported.title,
            created_at=now,
            updated_at=now,
            message_count=count,
        )
        keep_file = partial(self._history.keep_file, added.id)
        try:
            messages = await store_pictures(imported.messages, keep_file)
        except BaseException:
            with suppress(StorageError):
                await self._history.delete(added.id)
            raise
        self._history.create(added, self._chosen_folder(), "")
        for place, message in enumerate(messages, 1):
            self._history.record(
                added.id, ConversationEvent(kind="added", message_id=message.id, message=message)
            )
            if place % _ADDED_AT_ONCE == 0:
                await asyncio.sleep(0)  # the window is in use meanwhile
        self._stored.add(added.id)
        self.summaries.insert(0, added)
        self._emit()
        return added.id

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation, open or not, another title; it stays where it is in the list."""
        self.expect_writable(conversation_id)
        session = self._open.get(conversation_id)
        if session is not None:
            session.conversation.change(Rename(title))
        elif conversation_id in self._stored:
            self._history.record(conversation_id, ConversationEvent(kind="renamed", title=title))
            self._change_row(conversation_id, title=title)

    def set_screen_ratio(self, ratio: float) -> None:
        """Have figures drawn as sharp as the window's screen is."""
        self._ports.executor.set_screen_ratio(ratio)

    def pin(self, conversation_id: str, is_on: bool) -> None:
        """Keep a conversation at the top of the list, or no longer."""
        self.expect_writable(conversation_id)
        self._mark(conversation_id, "pinned", is_on, is_pinned=is_on)

    def archive(self, conversation_id: str, is_on: bool) -> None:
        """Put a conversation away without deleting it, or get it back."""
        self.expect_writable(conversation_id)
        self._mark(conversation_id, "archived", is_on, is_archived=is_on)

    def mark_unread(self, conversation_id: str, is_on: bool) -> None:
        """Mark a conversation as unread or as read."""
        self._mark(conversation_id, "unread", is_on, is_unread=is_on)

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Return the messages with all words of the query, the newest first; of one conversation
        all.

        Returns None if another search has begun in the meantime.
        """
        return await self._history.search(query, conversation_id)

    def summary(self, conversation_id: str) -> ConversationSummary | None:
        """Return the row of a conversation in the list, if it has one."""
        return next((row for row in self.summaries if row.id == conversation_id), None)

    def get(self, conversation_id: str) -> Session | None:
        """Return the session of a conversation if it is in memory."""
        return self._open.get(conversation_id)

    @property
    def open_sessions(self) -> tuple[Session, ...]:
        """Return the sessions in memory."""
        return tuple(self._open.values())

    def state_of(self, conversation_id: str) -> SessionState:
        """Return what a conversation is doing; "idle" if it is not open."""
        session = self._open.get(conversation_id)
        return session.state if session else "idle"

    async def close(self) -> None:
        """End all sessions, then write what is left to the history."""
        for conversation_id in tuple(self._trash):
            await self._delete_quietly(conversation_id)
        for session in list(self._open.values()):
            if self.is_kept(session.conversation.id):
                await session.close()
            else:
                await self._end_visit(session)
        self._open.clear()
        await self._history.close()

    async def _forget_work(self, conversation_id: str) -> None:
        """Delete what its kernels have kept: saved variables, and what waits for a review."""
        if self._ports.saved_variables is not None:
            await self._ports.saved_variables.forget(conversation_id)
        if self._ports.files is not None:
            await self._ports.files.forget(conversation_id)

    async def _end_visit(self, session: Session) -> None:
        """End a temporary conversation, delete the files of its outputs and free its memory."""
        await session.close()
        session.preview.forget()
        session.conversation.forget()
        await self._forget_work(session.conversation.id)
        try:
            await self._history.delete(session.conversation.id)
        except StorageError as error:
            _log.warning("Files of a program's conversation were left: %s", error)

    async def _delete_quietly(self, conversation_id: str) -> None:
        try:
            await self.delete(conversation_id)
        except StorageError as error:
            _log.warning("Files of a deleted conversation were left: %s", error)

    def _chosen_folder(self) -> str:
        """Return the folder of the settings for new conversations; "" for the default."""
        return self._known_folder(self._ports.settings.current.folder)

    def _known_folder(self, folder: str) -> str:
        """Return a folder that exists, or can be made; "" for one of the default's choice."""
        folders = self._ports.folders
        if folders is not None and folder == folders.base:
            return ""
        is_own = folders is not None and folders.is_own(folder)
        return folder if folder and (is_own or Path(folder).is_dir()) else ""

    def _adopt(
        self,
        conversation: Conversation,
        folder: str,
        interpreter: str,
        client: str = "",
        config: ConversationConfig | None = None,
        is_stored: bool = False,
    ) -> Session:
        session = Session(
            conversation,
            self._ports,
            folder,
            interpreter,
            client,
            config,
            is_stored=is_stored,
            book=self.grants,
        )
        session.expect_writable = lambda: self.expect_writable(conversation.id)
        self._open[conversation.id] = session
        conversation.subscribe(lambda event: self._on_message(session, event))
        session.subscribe(lambda event: self._on_session(session, event))
        return session

    def _on_message(self, session: Session, event: ConversationEvent) -> None:
        conversation = session.conversation
        if not self.is_kept(conversation.id):
            return
        if conversation.id not in self._stored:
            self._store(session)
        self._history.record(conversation.id, event)
        if event.kind == "renamed":
            self._change_row(conversation.id, title=event.title)
        elif event.kind in ("added", "ended", "removed"):
            self._touch(conversation)
            self._mark_unseen(session, event)

    def _store(self, session: Session) -> None:
        conversation = session.conversation
        summary = ConversationSummary(
            id=conversation.id,
            title=conversation.title,
            created_at=conversation.created_at,
            updated_at=time.time(),
            machine=machine_of(session.interpreter),
        )
        self._stored.add(conversation.id)
        self._history.create(summary, session.folder, session.interpreter)
        if session.config != ConversationConfig():
            self._history.set_config(conversation.id, session.config)
        self.summaries.insert(0, summary)

    def _touch(self, conversation: Conversation) -> None:
        """Move a conversation to the top of the list with its title of now."""
        before = self.summary(conversation.id)
        if before is None:  # it is being deleted
            return
        found = replace(
            before,
            title=conversation.title,
            updated_at=time.time(),
            message_count=conversation.length,
        )
        is_first = self.summaries[0] is before
        if is_first:
            self.summaries[0] = found
        else:
            self.summaries = [found, *(row for row in self.summaries if row is not before)]
        if not is_first or before.title != found.title:
            self._emit()

    def _mark_unseen(self, session: Session, event: ConversationEvent) -> None:
        """Mark a conversation as unread if it gets an answer while another one is shown."""
        conversation_id = session.conversation.id
        is_answer = event.message is not None and event.message.role != "user"
        if is_answer and conversation_id != self._shown and not session.is_idle:
            self.mark_unread(conversation_id, True)

    def _mark(
        self, conversation_id: str, mark: ConversationMark, is_on: bool, **changes: bool
    ) -> None:
        if conversation_id in self._stored and self._change_row(conversation_id, **changes):
            self._history.mark(conversation_id, mark, is_on)

    def _change_row(self, conversation_id: str, **changes: bool | str) -> bool:
        """Replace a row of the list in its place; return whether anything changed."""
        for number, row in enumerate(self.summaries):
            if row.id == conversation_id and (changed := _changed(row, changes)) != row:
                self.summaries[number] = changed
                self._emit()
                return True
        return False

    def _on_session(self, session: Session, event: SessionEvent) -> None:
        if event.kind == "place" and session.conversation.id in self._stored:
            self._history.set_place(session.conversation.id, session.folder, session.interpreter)
            self._change_row(session.conversation.id, machine=machine_of(session.interpreter))
        if event.kind == "config" and session.conversation.id in self._stored:
            self._history.set_config(session.conversation.id, session.config)
        if event.kind == "state":
            if session.is_idle and self.is_kept(session.conversation.id):
                session.client = ""
            self._list_temporary(session)
            self._emit()

    def _list_temporary(self, session: Session) -> None:
        """List a program's conversation while it works."""
        conversation = session.conversation
        if self.is_kept(conversation.id):
            return
        self._unlist(conversation.id)
        if session.state != "idle":
            row = ConversationSummary(
                id=conversation.id,
                title=conversation.title,
                created_at=conversation.created_at,
                updated_at=time.time(),
                message_count=conversation.length,
                client=session.client,
            )
            self.summaries.insert(0, row)

    def _unlist(self, conversation_id: str) -> None:
        self.summaries = [row for row in self.summaries if row.id != conversation_id]

    def _emit(self) -> None:
        for listener in tuple(self._listeners):
            try:
                listener()
            except Exception:  # noqa: BLE001 - one broken view must not stop the others
                _log.exception("a listener of the conversations failed")


def _age(row: ConversationSummary) -> float:
    return -row.updated_at


def _changed(row: ConversationSummary, changes: dict[str, bool | str]) -> ConversationSummary:
    return replace(row, **changes)  # pyright: ignore[reportArgumentType]


def _replayed(conversation: Conversation) -> Iterator[ConversationEvent]:
    """Yield the events that would build the conversation, the streaming message last."""
    for message in conversation.messages:
        if message.id != conversation.open_id:
            yield ConversationEvent(kind="added", message_id=message.id, message=message)
            continue
        yield ConversationEvent(
            kind="started", message_id=message.id, message=replace(message, content=None)
        )
        if message.text:
            so_far = Chunk(
                role=message.role, type=message.type, format=message.format, content=message.text
            )
            yield ConversationEvent(kind="grew", message_id=message.id, chunk=so_far)
    for kept in conversation.beside:
        yield ConversationEvent(kind="noted", message_id=kept.parent_id or "", message=kept)


KeepFile = Callable[[str, bytes], Awaitable[str]]
"""Writes a file that goes with the conversation, by its name; its path."""


async def store_pictures(messages: Sequence[Message], keep_file: KeepFile) -> list[Message]:
    """Store the messages' base64 pictures as files and return the messages. Raises StorageError.

    A message without a time has that of the one before.
    """
    created_at = next((one.created_at for one in messages if one.created_at), time.time())
    kept: list[Message] = []
    for message in messages:
        created_at = message.created_at or created_at
        message = replace(message, created_at=created_at)
        form, _, suffix = (message.format or "").partition(".")
        if message.type == "image" and form == "base64":
            data = await asyncio.to_thread(base64.b64decode, message.text)
            path = await keep_file(f"imported-{message.id}.{suffix or 'png'}", data)
            message = replace(message, format="path", content=path)
        kept.append(message)
    return kept
