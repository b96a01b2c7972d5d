"""Notifications of a free desktop over D-Bus: org.freedesktop.Notifications, version 1.2."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Literal

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    message_bus,
    new_method_call,
)
from jeepney.auth import BEGIN, Authenticator
from jeepney.bus import get_bus
from jeepney.io.asyncio import DBusConnection
from msgspec import Struct

from playhead.ui.desktop.notifications import DesktopNotification

_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_SERVER = DBusAddress(_PATH, bus_name=_NAME, interface=_NAME)
_TIMEOUT_S = 5.0
"""The time to wait for an answer before the notification is shown by other means, too."""
_CLOSE_TIMEOUT_S = 2.0
"""The time for which the end of the program waits for outstanding answers."""
_NORMAL_URGENCY = 1
_NO_BUS = (OSError, ValueError, KeyError, EOFError, RuntimeError)
"""The errors of jeepney if there is no bus, or none that it can read."""
_log = logging.getLogger(__name__)


class _NotificationState(Struct, kw_only=True):
    """The notification of one conversation: the wanted one, and the one that the server shows.

    The server is sent one call about it at a time, and the next one is decided when that has been
    answered: only the answer has the number by which a notification can be removed.
    """

    wanted: DesktopNotification | None = None
    shown: DesktopNotification | None = None
    """Set when it is sent; its number is in the answer."""
    number: int = 0
    server: str = ""
    """The unique name of the program that shows it, for which alone the number is valid."""
    call: Literal["", "show", "close"] = ""
    patience: asyncio.TimerHandle | None = None
    """Runs until the server has answered or the notification is shown by other means."""

    def want(self, note: DesktopNotification | None) -> None:
        """Set the notification to show, or None."""
        self.wanted = note
        self.calm()

    def calm(self) -> bool:
        """Stop waiting; return whether it was still waiting."""
        waited, self.patience = self.patience, None
        if waited is not None:
            waited.cancel()
        return waited is not None


class NotificationBus:
    """Shows one note per conversation on the desktop.

    `on_clicked(id)` is called when the user clicks one; `on_refused(note)` when one that is still
    wanted cannot be shown: no bus, no server, an error, or no answer for a while.
    Owner: the desktop presence, which calls `close`. Everything runs in the window's loop.
    """

    def __init__(
        self,
        on_clicked: Callable[[str], None],
        on_refused: Callable[[DesktopNotification], None],
        patience_s: float = _TIMEOUT_S,
        parting_s: float = _CLOSE_TIMEOUT_S,
    ) -> None:
        self._on_clicked = on_clicked
        self._on_refused = on_refused
        self._patience_s = patience_s
        self._parting_s = parting_s
        self._states: dict[str, _NotificationState] = {}
        self._calls: dict[int, _NotificationState] = {}
        self._connection: DBusConnection | None = None
        self._reading: asyncio.Task[None] | None = None
        self._answered = asyncio.Event()
        self._is_closed = False

    def show(self, note: DesktopNotification) -> None:
        """Show a notification in place of the conversation's last one."""
        if self._is_closed:
            return
        state = self._states.setdefault(note.conversation_id, _NotificationState())
        state.want(note)
        loop = asyncio.get_running_loop()
        state.patience = loop.call_later(self._patience_s, self._refuse, state)
        if self._reading is None:
            self._reading = loop.create_task(self._read())
        self._settle(state)

    def withdraw(self, conversation_id: str) -> None:
        """Remove the notification of a conversation, also one that is still being shown."""
        if state := self._states.get(conversation_id):
            state.want(None)
            self._settle(state)

    async def close(self) -> None:
        """Remove all notifications, since their clicks are no longer handled, and leave the bus."""
        self._is_closed = True
        for conversation_id in tuple(self._states):
            self.withdraw(conversation_id)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._parting_s):
                while self._calls:
                    self._answered.clear()
                    await self._answered.wait()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def _settle(self, state: _NotificationState) -> None:
        """Send the next call for a notification, if one is needed; called after every event."""
        if self._connection is None or state.call or state.shown is state.wanted:
            return
        if state.shown is not None:
            state.call = "close"
            server = DBusAddress(_PATH, bus_name=state.server, interface=_NAME)
            call = new_method_call(server, "CloseNotification", "u", (state.number,))
        elif state.wanted is not None:
            state.call = "show"
            state.shown = state.wanted
            call = _notify(state.wanted)
        self._calls[_send(self._connection, call)] = state

    async def _read(self) -> None:
        """Open the bus and read it until it ends; the next notification opens it again."""
        try:
            async with _opened_bus() as connection:
                self._connection = connection
                for state in tuple(self._states.values()):
                    self._settle(state)
                while connection and (message := await _received(connection)):
                    self._take(message)
                self._connection = None
        finally:
            self._connection = self._reading = None
            states, self._states = self._states, {}
            self._calls.clear()
            self._answered.set()
            for state in states.values():
                self._refuse(state)

    def _take(self, message: Message) -> None:
        fields = message.header.fields
        match message.header.message_type:
            case MessageType.signal:
                number = message.body[0] if message.body else 0
                self._on_signal(fields[HeaderFields.member], fields[HeaderFields.sender], number)
            case MessageType.method_return | MessageType.error as kind:
                state = self._calls.pop(fields[HeaderFields.reply_serial], None)
                if state is not None:
                    shown = message if kind is MessageType.method_return else None
                    self._on_answer(state, shown)
                    self._answered.set()
            case _:
                pass

    def _on_answer(self, state: _NotificationState, shown: Message | None) -> None:
        call, state.call = state.call, ""
        if call == "show" and shown is not None:
            (state.number,) = shown.body
            state.server = shown.header.fields[HeaderFields.sender]
            if state.wanted is state.shown:
                state.calm()
        else:
            if call == "show" and state.wanted is state.shown:
                self._refuse(state)
                state.wanted = None
            state.shown = None
        self._settle(state)

    def _on_signal(self, member: str, server: str, number: int) -> None:
        for id_, state in tuple(self._states.items()):
            if not state.shown or (state.server, state.number) != (server, number):
                continue
            if member == "ActionInvoked":
                self._on_clicked(id_)
            elif member == "NotificationClosed" and not state.call:
                if state.wanted is state.shown:
                    state.wanted = None
                state.shown = None
                self._settle(state)

    def _refuse(self, state: _NotificationState) -> None:
        if state.calm() and state.wanted is not None:
            self._on_refused(state.wanted)


def _notify(note: DesktopNotification) -> Message:
    hints = {"desktop-entry": ("s", "playhead"), "urgency": ("y", _NORMAL_URGENCY)}
    values = ("Playhead", 0, "playhead", note.title, note.text, ["default", ""], hints, -1)
    return new_method_call(_SERVER, "Notify", "susssasa{sv}i", values)


@contextlib.asynccontextmanager
async def _opened_bus() -> AsyncIterator[DBusConnection | None]:
    """Yield the session bus, or None if it cannot be opened."""
    writer: asyncio.StreamWriter | None = None
    try:
        try:
            reader, writer = await asyncio.open_unix_connection(get_bus("SESSION"))
            connection = await _introduced(DBusConnection(reader, writer))
        except _NO_BUS as error:
            _log.info("The desktop shows no notes: %s", error)
            connection = None
        yield connection
    finally:
        if writer is not None:
            writer.transport.abort()  # all important calls have been answered
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _introduced(connection: DBusConnection) -> DBusConnection:
    authenticator = Authenticator()
    for words in authenticator:
        connection.writer.write(words)
        if not (answer := await connection.reader.read(1024)):
            raise EOFError("the bus ended the conversation")
        authenticator.feed(answer)
    connection.writer.write(BEGIN)
    _send(connection, message_bus.Hello())
    clicks = MatchRule(type="signal", sender=_NAME, interface=_NAME, path=_PATH)
    _send(connection, message_bus.AddMatch(clicks))
    return connection


def _send(connection: DBusConnection, message: Message) -> int:
    """Send a message without waiting; return the number that its answer will carry."""
    serial = next(connection.outgoing_serial)
    connection.writer.write(message.serialise(serial))
    return serial


async def _received(connection: DBusConnection) -> Message | None:
    """Return the next message, None at the end of the bus."""
    try:
        return await connection.receive()
    except _NO_BUS as error:
        _log.info("The bus of the desktop has ended: %s", error)
        return None
