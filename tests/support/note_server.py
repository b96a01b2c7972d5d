"""A notification service on a private bus: `python -m tests.support.note_server`, JSON lines.

It speaks org.freedesktop.Notifications, refuses calls of another signature as the real ones do,
prints each call, and clicks (`click N`) when told on its standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.threading import DBusConnection, open_dbus_connection

NAME = "org.freedesktop.Notifications"
EMITTER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
SIGNATURES = {"Notify": "susssasa{sv}i", "CloseNotification": "u"}


def serve() -> None:
    connection = open_dbus_connection("SESSION")
    _claim(connection)
    print(json.dumps({"event": "ready"}), flush=True)
    threading.Thread(target=_click, args=(connection,), daemon=True).start()
    number = 0
    while True:
        call = connection.receive()
        if call.header.message_type != MessageType.method_call:
            continue
        member = call.header.fields[HeaderFields.member]
        if call.header.fields.get(HeaderFields.signature) != SIGNATURES.get(member):
            connection.send(new_error(call, "org.freedesktop.DBus.Error.InvalidArgs"))
            continue
        if member == "Notify":
            replaced = call.body[1]
            number = number if replaced else number + 1
            connection.send(new_method_return(call, "u", (replaced or number,)))
            event = {"event": "note", "number": replaced or number, "values": call.body}
        else:
            connection.send(new_method_return(call))
            event = {"event": "closed", "number": call.body[0]}
        print(json.dumps(event), flush=True)


def _claim(connection: DBusConnection) -> None:
    connection.send(message_bus.RequestName(NAME))
    while True:
        said = connection.receive()
        if said.header.message_type == MessageType.method_return and said.body == (1,):
            return


def _click(connection: DBusConnection) -> None:
    for line in sys.stdin:
        number = int(line.split()[1])
        connection.send(new_signal(EMITTER, "ActionInvoked", "us", (number, "default")))


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
        assert self.process.stdin is not None
        self.process.stdin.write(f"click {number}\n")
        self.process.stdin.flush()

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


@contextmanager
def private_bus() -> Iterator[str]:
    """A message bus of our own; yields its address."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert daemon.stdout is not None
    try:
        yield daemon.stdout.readline().strip()
    finally:
        daemon.terminate()
        daemon.wait()
        daemon.stdout.close()


if __name__ == "__main__":
    serve()
