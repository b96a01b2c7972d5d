"""A notification service on a private bus: `python -m tests.support.note_server`, JSON lines.

It speaks org.freedesktop.Notifications, refuses calls of another signature as the real ones do and
prints each call. Its standard input is the user and the weather: `click N`, `dismiss N`; `hold`
(answer nothing), `refuse` (answer errors) and `answer` (all that has been held, and what comes).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.bus_messages import message_bus
from jeepney.io.threading import DBusConnection, open_dbus_connection

from tests.support.waiting import until_now

NAME = "org.freedesktop.Notifications"
EMITTER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
DISMISSED = 2
SIGNATURES = {"Notify": "susssasa{sv}i", "CloseNotification": "u"}


class _Service:
    """What answers, from two threads: calls come from the bus, commands from standard input."""

    def __init__(self) -> None:
        self._connection = open_dbus_connection("SESSION")
        self._lock = threading.Lock()
        self._held: list[Message] = []
        self._is_holding = self._refuses = False
        self._number = 0
        _claim(self._connection)
        _report("ready")

    def serve(self) -> None:
        threading.Thread(target=self._obey, daemon=True).start()
        while True:
            call = self._connection.receive()
            if call.header.message_type == MessageType.method_call:
                with self._lock:
                    self._take(call)

    def _take(self, call: Message) -> None:
        member = call.header.fields[HeaderFields.member]
        if self._refuses or call.header.fields.get(HeaderFields.signature) != SIGNATURES[member]:
            self._answer(new_error(call, "org.freedesktop.DBus.Error.InvalidArgs"))
            _report("refused", values=call.body)
        elif member == "Notify":
            replaced = call.body[1]
            self._number += not replaced
            number = replaced or self._number
            self._answer(new_method_return(call, "u", (number,)))
            _report("note", number=number, values=call.body)
        else:
            self._answer(new_method_return(call))
            _report("closed", number=call.body[0])

    def _answer(self, answer: Message) -> None:
        if self._is_holding:
            self._held.append(answer)
        else:
            self._connection.send(answer)

    def _obey(self) -> None:
        for line in sys.stdin:
            with self._lock:
                self._do(*line.split())

    def _do(self, command: str, number: str = "0") -> None:
        match command:
            case "click":
                self._signal("ActionInvoked", "us", (int(number), "default"))
            case "dismiss":
                self._signal("NotificationClosed", "uu", (int(number), DISMISSED))
            case "hold":
                self._is_holding = True
            case "refuse":
                self._refuses = True
            case _:
                self._is_holding = self._refuses = False
                while self._held:
                    self._connection.send(self._held.pop(0))
        _report("obeyed")

    def _signal(self, member: str, signature: str, values: tuple[object, ...]) -> None:
        self._connection.send(new_signal(EMITTER, member, signature, values))


def _report(event: str, **more: object) -> None:
    print(json.dumps({"event": event, **more}), flush=True)


def _claim(connection: DBusConnection) -> None:
    connection.send(message_bus.RequestName(NAME))
    while True:
        said = connection.receive()
        if said.header.message_type == MessageType.method_return and said.body == (1,):
            return


class NoteServer:
    """A running one."""

    def __init__(self, address: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.note_server"],
            env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": address},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.events: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def notes(self) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == "note"]

    @property
    def closed(self) -> list[int]:
        return [event["number"] for event in self.events if event["event"] == "closed"]

    def click(self, number: int) -> None:
        self.do("click", number)

    def do(self, command: str, number: int = 0) -> None:
        """Give it a command and return when it has obeyed."""
        assert self.process.stdin is not None
        obeyed = self._count("obeyed")
        self.process.stdin.write(f"{command} {number}\n")
        self.process.stdin.flush()
        until_now(lambda: self._count("obeyed") > obeyed)

    def _count(self, event: str) -> int:
        return sum(one["event"] == event for one in self.events)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))


class PrivateBus(str):
    """The address of a message bus that can be held up."""

    daemon: subprocess.Popen[str]

    def pause(self) -> None:
        """Take connections, as the system does by itself, and answer nothing."""
        self.daemon.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.daemon.send_signal(signal.SIGCONT)


@contextmanager
def private_bus() -> Iterator[PrivateBus]:
    """A message bus of our own; yields its address."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout is not None
    try:
        bus = PrivateBus(daemon.stdout.readline().strip())
        bus.daemon = daemon
        yield bus
    finally:
        daemon.kill()  # it may be paused
        daemon.wait()
        daemon.stdout.close()


if __name__ == "__main__":
    _Service().serve()
