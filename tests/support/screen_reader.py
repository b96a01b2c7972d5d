"""What a screen reader sees of the real program: its tree and its events, over a real AT-SPI bus.

In a test::

    with accessibility_bus(tmp_path) as bus, Reader(bus) as reader:
        reader.nodes()  # the whole tree, as (role, name)
        reader.heard  # each event so far
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Properties,
    new_method_call,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

LAUNCHER = "/usr/libexec/at-spi-bus-launcher"
"""Opens the bus for assistive technology."""
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_ROOT = "/org/a11y/atspi/accessible/root"
_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<servicedir>{services}</servicedir><policy context="default"><allow send_destination="*"/>
<allow receive_sender="*"/><allow own="*"/></policy></busconfig>"""
_SERVICE = "[D-BUS Service]\nName=org.a11y.Bus\nExec={launcher}\n"
_MOST_NODES = 3_000


@contextmanager
def accessibility_bus(folder: Path) -> Iterator[str]:
    """The address of a session bus that starts the accessibility bus when it is asked for."""
    services = folder / "services"
    services.mkdir()
    (services / "org.a11y.Bus.service").write_text(_SERVICE.format(launcher=LAUNCHER))
    config = folder / "bus.conf"
    config.write_text(_CONFIG.format(socket=folder / "bus", services=services))
    environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    daemon = subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--print-address", "--nofork"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    )
    try:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
    finally:
        daemon.terminate()
        daemon.wait()
        assert daemon.stdout is not None
        daemon.stdout.close()


@dataclass(frozen=True, slots=True)
class Node:
    """One object of the tree; `above` is the role of what it is in."""

    bus: str
    path: str
    role: str
    name: str
    above: str
    states: int

    @property
    def is_showing(self) -> bool:
        """Whether it can be seen."""
        return bool(self.states & 1 << 25)

    @property
    def is_enabled(self) -> bool:
        """Whether it does something."""
        return bool(self.states & 1 << 8)

    @property
    def is_focusable(self) -> bool:
        """Whether the keyboard can go there."""
        return bool(self.states & 1 << 11)


@dataclass(frozen=True, slots=True)
class Heard:
    """An event: its name, what it is about, and where."""

    name: str
    words: str
    path: str


class Reader:
    """Asks and listens as a screen reader does; a context manager."""

    def __init__(self, session_bus: str) -> None:
        self.heard: list[Heard] = []
        session = open_dbus_connection(bus=session_bus)
        place = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        (address,) = _asked(session, new_method_call(place, "GetAddress"))
        session.close()
        self._asking = open_dbus_connection(bus=address)
        self._listening = open_dbus_connection(bus=address)
        self._is_ending = False
        self._thread = threading.Thread(target=self._listen, name="screen-reader", daemon=True)

    def __enter__(self) -> Reader:
        registry = DBusAddress(
            "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry"
        )
        for event in ("object:announcement", "object:state-changed:focused"):
            _asked(self._listening, new_method_call(registry, "RegisterEvent", "s", (event,)))
        rule = MatchRule(type="signal", interface="org.a11y.atspi.Event.Object")
        _asked(self._listening, message_bus.AddMatch(rule))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ending = True
        self._thread.join()
        self._asking.close()
        self._listening.close()

    def announced(self) -> list[str]:
        """What was said aloud."""
        return [one.words for one in self.heard if one.name.startswith("Announcement")]

    def focuses(self) -> list[str]:
        """Where the keyboard went, as paths."""
        return [one.path for one in self.heard if one.name == "StateChanged:focused"]

    def nodes(self) -> list[Node]:
        """The whole tree of all programs, parents before their children."""
        found: list[Node] = []
        for bus, path in self._children("org.a11y.atspi.Registry", _ROOT):
            self._walk(bus, path, "", found)
        return found

    def showing(self, role: str = "") -> list[Node]:
        """What can be seen, of one role or of any."""
        return [one for one in self.nodes() if one.is_showing and role in ("", one.role)]

    def _walk(self, bus: str, path: str, above: str, found: list[Node]) -> None:
        if len(found) >= _MOST_NODES:
            raise AssertionError(f"a tree without end: {found[-5:]}")
        with suppress(RuntimeError):  # it may be gone by now
            node = self._node(bus, path, above)
            found.append(node)
            for child_bus, child in self._children(bus, path):
                if not child.endswith("/null"):
                    self._walk(child_bus, child, node.role, found)

    def _node(self, bus: str, path: str, above: str) -> Node:
        place = DBusAddress(path, bus, _ACCESSIBLE)
        (role,) = _asked(self._asking, new_method_call(place, "GetRoleName"))
        ((_, name),) = _asked(self._asking, Properties(place).get("Name"))
        ((low, high),) = _asked(self._asking, new_method_call(place, "GetState"))
        return Node(bus, path, role, name, above, low | high << 32)

    def _children(self, bus: str, path: str) -> list[tuple[str, str]]:
        place = DBusAddress(path, bus, _ACCESSIBLE)
        (children,) = _asked(self._asking, new_method_call(place, "GetChildren"))
        return list(children)

    def _listen(self) -> None:
        while not self._is_ending:
            with suppress(TimeoutError):
                self._note(self._listening.receive(timeout=0.2))

    def _note(self, message: Message) -> None:
        if message.header.message_type != MessageType.signal:
            return
        fields: dict[Any, Any] = message.header.fields
        if message.body:
            name, value = f"{fields[HeaderFields.member]}:{message.body[0]}", message.body[3]
            words = str(value[1] if isinstance(value, tuple) else value)
            self.heard.append(Heard(name, words, str(fields[HeaderFields.path])))


def _asked(connection: DBusConnection, question: Message) -> Any:
    answer = connection.send_and_get_reply(question, timeout=20)
    if answer.header.message_type == MessageType.error:
        raise RuntimeError(answer.body)
    return answer.body
