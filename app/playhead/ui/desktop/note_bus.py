"""Notifications of a free desktop over D-Bus: org.freedesktop.Notifications, version 1.2."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from jeepney import DBusAddress, MatchRule, Message, message_bus, new_method_call
from jeepney.io.asyncio import DBusRouter, Proxy, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse, unwrap_msg

from playhead.ui.desktop.notes import DesktopNote

_NAME = "org.freedesktop.Notifications"
_SERVER = DBusAddress("/org/freedesktop/Notifications", bus_name=_NAME, interface=_NAME)
_TIMEOUT_S = 5.0
_NORMAL_URGENCY = 1
_NO_BUS = (OSError, ValueError, KeyError, EOFError, DBusErrorResponse, TimeoutError)
"""How jeepney says that there is no bus, or nobody on it who shows notes."""
_log = logging.getLogger(__name__)


class NoteBus:
    """Shows one note per conversation; `on_clicked(id)` when the user clicks it.

    Owner: the desktop presence, which calls `close`. Coroutines of it run in the window's loop.
    """

    def __init__(self, on_clicked: Callable[[str], None]) -> None:
        self._on_clicked = on_clicked
        self._numbers: dict[str, int] = {}
        self._router: DBusRouter | None = None
        self._parts = contextlib.AsyncExitStack()
        self._listening: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # a note is taken away only once its number is known

    async def send(self, note: DesktopNote) -> bool:
        """Show a note in place of the conversation's last one; whether somebody shows it."""
        async with self._turn:
            return await self._send(note)

    async def withdraw(self, conversation_id: str) -> None:
        """Take the note of a conversation away."""
        async with self._turn:
            await self._withdraw(conversation_id)

    async def _send(self, note: DesktopNote) -> bool:
        values = (
            "Playhead",
            self._numbers.get(note.conversation_id, 0),
            "playhead",
            note.title,
            note.text,
            ["default", ""],
            {"desktop-entry": ("s", "playhead"), "urgency": ("y", _NORMAL_URGENCY)},
            -1,
        )
        try:
            router = await self._connected()
            call = new_method_call(_SERVER, "Notify", "susssasa{sv}i", values)
            (number,) = await _answered(router, call)
        except _NO_BUS as error:
            _log.info("No note is shown by the desktop: %s", error)
            return False
        self._numbers[note.conversation_id] = number
        return True

    async def _withdraw(self, conversation_id: str) -> None:
        number = self._numbers.pop(conversation_id, 0)
        if number and self._router is not None:
            call = new_method_call(_SERVER, "CloseNotification", "u", (number,))
            with contextlib.suppress(*_NO_BUS):
                await _answered(self._router, call)

    async def close(self) -> None:
        """Leave the bus; the notes that stand there have nobody behind them any more."""
        for conversation_id in tuple(self._numbers):
            await self.withdraw(conversation_id)
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        with contextlib.suppress(*_NO_BUS):
            await self._parts.aclose()
        self._router = None

    async def _connected(self) -> DBusRouter:
        if self._router is None:
            self._router = await asyncio.wait_for(self._connect(), _TIMEOUT_S)
        return self._router

    async def _connect(self) -> DBusRouter:
        connection = await open_dbus_connection("SESSION")
        self._parts.push_async_callback(connection.close)
        router = await self._parts.enter_async_context(DBusRouter(connection))
        rule = MatchRule(type="signal", interface=_NAME, path=_SERVER.object_path)
        await asyncio.wait_for(Proxy(message_bus, router).AddMatch(rule), _TIMEOUT_S)
        queue = self._parts.enter_context(router.filter(rule, queue=asyncio.Queue()))
        self._listening = asyncio.create_task(self._listen(queue))
        return router

    async def _listen(self, queue: asyncio.Queue[Message]) -> None:
        while True:
            said = await queue.get()
            number = said.body[0] if said.body else 0
            owners = [id_ for id_, known in self._numbers.items() if known == number]
            if not owners:
                continue
            match said.header.fields.get(3):  # MEMBER
                case "ActionInvoked":
                    self._on_clicked(owners[0])
                case "NotificationClosed":
                    self._numbers.pop(owners[0], None)


async def _answered(router: DBusRouter, call: Message) -> tuple[int, ...]:
    return unwrap_msg(await asyncio.wait_for(router.send_and_get_reply(call), _TIMEOUT_S))
