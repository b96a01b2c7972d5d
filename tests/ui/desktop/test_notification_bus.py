"""Notes over D-Bus, whatever comes first: the bus, the answer, the user or the end."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    Parser,
    new_error,
    new_method_return,
    new_signal,
)

from playhead.ui.desktop.notification_bus import NotificationBus
from playhead.ui.desktop.notifications import DesktopNotification
from tests.support.waiting import until

NAME = "org.freedesktop.Notifications"
EMITTER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
FOREIGN = "another program's"
NEVER_S = 3600.0
TURNS = 40
"""So many of the loop take what is sent over the bus there and back, from its opening on."""


class Desktop:
    """A bus and a server of notes in one, which speaks D-Bus and does nothing until it is told.

    `notes` are what the user sees: the text by the number. One of them is another program's.
    """

    def __init__(self) -> None:
        self.dismissed: set[str] = set()
        self.gone: set[tuple[str, int]] = set()
        """Who showed what the user has dismissed, and the number that it had there."""
        self.closings: list[tuple[str, int]] = []
        """Whom the program has asked to take a note away, and which."""
        self.lost: set[str] = set()
        self.taken: list[str] = []
        self.is_willing = False
        self.unanswered: list[Message] = []
        self._is_open = asyncio.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._serial = 0
        self._incarnation = 0
        self._begin()

    def _begin(self) -> None:
        self._incarnation += 1
        # A number that one server gave to a note of ours is another's with the next one.
        self._number = self._incarnation
        self.notes = {self._number: FOREIGN}

    @property
    def name(self) -> str:
        return f":1.{self._incarnation}"

    @property
    def ours(self) -> dict[int, str]:
        return {number: text for number, text in self.notes.items() if text != FOREIGN}

    def open(self) -> None:
        self._is_open.set()

    def answer(self) -> None:
        """Do what the oldest call wants."""
        if not self.unanswered:
            return
        call = self.unanswered.pop(0)
        if call.header.fields[HeaderFields.destination] not in (NAME, self.name):
            self._refuse(call)
        elif call.header.fields[HeaderFields.member] == "Notify":
            self._number += 1
            self.notes[self._number] = call.body[4]
            self._send(new_method_return(call, "u", (self._number,)))
        elif (text := self.notes.pop(call.body[0], None)) is None:
            self._refuse(call)
        else:
            self.taken.append(text)
            self._send(new_method_return(call))

    def refuse(self) -> None:
        """Answer an error; a note is taken away nevertheless."""
        if self.unanswered and self.unanswered[0].header.fields[HeaderFields.member] == "Notify":
            self._refuse(self.unanswered.pop(0))
        else:
            self.answer()

    def click(self, number: int) -> None:
        self._send(new_signal(EMITTER, "ActionInvoked", "us", (number, "default")))

    def dismiss(self, number: int) -> None:
        self.dismissed.add(self.notes.pop(number))
        self.gone.add((self.name, number))
        self._send(new_signal(EMITTER, "NotificationClosed", "uu", (number, 2)))

    def use_foreign(self) -> None:
        """The user clicks the other program's note, which then closes."""
        if self._writers and FOREIGN in self.notes.values():
            self.click(self._incarnation)
            self.dismiss(self._incarnation)

    def restart(self) -> None:
        """The server goes and another comes: its notes are gone, its numbers begin again."""
        self.lost |= set(self.ours.values())
        while self.unanswered:
            self._refuse(self.unanswered.pop(0))
        self._begin()

    def end_bus(self) -> None:
        """The bus goes with all that is on it; it can be opened again."""
        self.lost |= set(self.ours.values())
        self.unanswered.clear()
        self._begin()
        while self._writers:
            self._writers.pop().close()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Follow one connection."""
        self._writers.append(writer)
        try:
            await self._is_open.wait()
            await reader.readline()
            if writer in self._writers:
                writer.write(b"OK 1234\r\n")
            await reader.readline()  # BEGIN
            parser = Parser()
            while (data := await reader.read(4096)) and writer in self._writers:
                parser.add_data(data)
                while (call := parser.get_next_message()) is not None:
                    self._take(call)
        except ConnectionError:
            pass  # it went without reading all
        finally:
            writer.close()

    def _take(self, call: Message) -> None:
        assert call.header.message_type == MessageType.method_call
        member = call.header.fields[HeaderFields.member]
        if member == "CloseNotification":
            self.closings.append((call.header.fields[HeaderFields.destination], call.body[0]))
        if member in ("Notify", "CloseNotification"):
            self.unanswered.append(call)
            if self.is_willing:
                self.answer()

    def _refuse(self, call: Message) -> None:
        self._send(new_error(call, "org.freedesktop.DBus.Error.Failed"))

    def _send(self, message: Message) -> None:
        message.header.fields[HeaderFields.sender] = self.name
        self._serial += 1
        self._writers[-1].write(message.serialise(self._serial))


class Scene:
    """A user's afternoon: notes that come and go on a desktop that does as it likes."""

    def __init__(self, patience_s: float = NEVER_S, parting_s: float = NEVER_S) -> None:
        self.desktop = Desktop()
        self.clicked: list[str] = []
        self.clicks: list[str] = []
        self.refused: list[DesktopNotification] = []
        self.wanted: dict[str, DesktopNotification] = {}
        self.bus = NotificationBus(self.clicked.append, self.refused.append, patience_s, parting_s)
        self._shown = 0

    def show(self, conversation: str) -> None:
        self._shown += 1
        note = DesktopNotification(conversation, "Title", f"{conversation} {self._shown}")
        self.wanted[conversation] = note
        self.bus.show(note)

    def withdraw(self, conversation: str) -> None:
        self.wanted.pop(conversation, None)
        self.bus.withdraw(conversation)

    def click(self) -> None:
        if self.desktop.ours:
            number, text = next(iter(self.desktop.ours.items()))
            self.clicks.append(text.split()[0])
            self.desktop.click(number)

    def dismiss(self) -> None:
        if self.desktop.ours:
            self.desktop.dismiss(next(iter(self.desktop.ours)))

    def left(self) -> list[str]:
        """What is to be on the desktop when all is done."""
        over = {note.text for note in self.refused} | self.desktop.dismissed | self.desktop.lost
        return sorted(note.text for note in self.wanted.values() if note.text not in over)

    async def do(self, step: str) -> None:
        name, _, conversation = step.partition(" ")
        if conversation:
            getattr(self, name)(conversation)
        elif name == "flow":
            for _ in range(TURNS):
                await asyncio.sleep(0)
        else:
            getattr(self if hasattr(self, name) else self.desktop, name)()

    async def come_to_rest(self) -> None:
        """Return when all that was on its way has come: a note goes there, a click back."""
        for _ in range(4):  # an answer to a call brings about the next one
            self.show("last")
            while (last := self.wanted["last"].text) not in self.desktop.ours.values():
                await asyncio.sleep(0)
                if self.wanted["last"] in self.refused:
                    self.show("last")
            numbers = {text: number for number, text in self.desktop.ours.items()}
            self.clicks.append("last")
            self.desktop.click(numbers[last])
            await until(lambda: self.clicked[-1:] == ["last"])
            self.clicked.pop()
            self.clicks.pop()
        self.withdraw("last")
        await until(lambda: last not in self.desktop.ours.values())

    def be_willing(self) -> None:
        """The desktop does what it is asked from now on."""
        self.desktop.open()
        self.desktop.is_willing = True
        while self.desktop.unanswered:
            self.desktop.answer()


@asynccontextmanager
async def played(scene: Scene) -> AsyncIterator[None]:
    """The scene's bus is the session's bus; afterwards nothing of it is left."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "bus"
        patch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={path}")
        async with await asyncio.start_unix_server(scene.desktop.serve, path):
            yield
            scene.desktop.open()
            await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


STEPS = [
    *("show a", "show a", "show b", "withdraw a", "withdraw b", "click", "dismiss", "use_foreign"),
    *("open", "open", "answer", "answer", "answer", "refuse", "restart", "end_bus"),
]
SHOWN = ["show a", "open", "flow", "answer", "flow"]


@settings(max_examples=200, deadline=None)
@given(
    steps=st.lists(st.sampled_from(STEPS) | st.just("flow"), max_size=40),
    leaves_early=st.booleans(),
)
@example(steps=["show a", "withdraw a", "open"], leaves_early=False)
@example(steps=["show a", "open", "flow", "withdraw a", "answer"], leaves_early=False)
@example(steps=["show a", "open", "flow", "show a", "refuse"], leaves_early=False)
@example(steps=["show a", "open", "flow", "refuse"], leaves_early=False)
@example(steps=["show a", "open", "flow"], leaves_early=True)
@example(steps=[*SHOWN, "dismiss"], leaves_early=False)
@example(steps=[*SHOWN, "dismiss", "withdraw a", "show a"], leaves_early=False)
@example(steps=[*SHOWN, "withdraw a", "click"], leaves_early=False)
@example(steps=[*SHOWN, "restart", "use_foreign"], leaves_early=False)
@example(steps=[*SHOWN, "restart", "withdraw a"], leaves_early=False)
@example(steps=[*SHOWN, "end_bus", "show b", "flow", "show b"], leaves_early=False)
def test_whatever_comes_first_the_desktop_shows_what_is_wanted_and_at_the_end_nothing(
    steps: list[str], leaves_early: bool
) -> None:
    async def play() -> None:
        scene = Scene()
        async with played(scene):
            for step in steps:
                await scene.do(step)
            if leaves_early:
                closing = asyncio.create_task(scene.bus.close())
                await scene.do("flow")
                scene.be_willing()
                await closing
            else:
                scene.be_willing()
                await scene.come_to_rest()
                assert sorted(scene.desktop.ours.values()) == scene.left()
                assert scene.clicked == scene.clicks
                scene.desktop.closings.clear()
                await scene.bus.close()
                assert not scene.desktop.gone & set(scene.desktop.closings)
            assert scene.desktop.ours == {}
            assert FOREIGN not in scene.desktop.taken
            scene.show("late")
        assert len(scene.refused) == len(set(scene.refused))

    asyncio.run(play())


def test_the_steps_that_others_begin_with_show_a_note() -> None:
    async def play() -> None:
        scene = Scene()
        async with played(scene):
            for step in SHOWN:
                await scene.do(step)
            assert list(scene.desktop.ours.values()) == [scene.wanted["a"].text]
            scene.be_willing()
            await scene.bus.close()

    asyncio.run(play())


async def test_a_server_that_does_not_answer_is_waited_for_only_so_long() -> None:
    scene = Scene(patience_s=0)
    async with played(scene):
        scene.desktop.open()
        scene.show("a")
        first = scene.wanted["a"]
        await until(lambda: scene.desktop.unanswered)
        await until(lambda: scene.refused)
        scene.withdraw("a")
        scene.show("b")
        scene.withdraw("b")
        scene.show("c")
        await until(lambda: len(scene.refused) > 1)
        assert scene.refused == [first, scene.wanted["c"]], "what is over is not shown elsewhere"
        scene.be_willing()
        await until(lambda: list(scene.desktop.ours.values()) == [scene.wanted["c"].text])
        await scene.bus.close()


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_server_that_does_not_answer_does_not_hold_up_the_end(is_open: bool) -> None:
    scene = Scene(parting_s=0)
    async with played(scene):
        if is_open:
            scene.desktop.open()
        scene.show("a")
        if is_open:
            await until(lambda: scene.desktop.unanswered)
        await scene.bus.close()
    assert scene.refused == []


async def test_where_there_is_no_bus_each_note_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene()
    for address in ("unix:path=/nonexistent", "tcp:host=localhost", "nonsense"):
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        refused = len(scene.refused)
        scene.show("a")
        await until(lambda: len(scene.refused) > refused)  # noqa: B023
        assert scene.refused[-1] == scene.wanted["a"]
    await scene.bus.close()
