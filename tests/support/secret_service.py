"""A bus with a Secret Service of the tests' own: locked, absent, refusing or slow as a test says.

In a test::

    with private_bus(tmp_path) as address, SecretService(address, is_locked=True) as service:
        service.answer = "unlock"  # what the user does with a prompt; "wait": nothing yet
        service.prompts  # how many were shown
        service.items  # what is kept, by the name of the entry
        service.refuses_writing = True  # CreateItem is an error
        service.hold()  # no answer to anything until `let_go()`

Real messages on a real bus; it keeps everything in memory and knows no encryption of its own.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

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
from jeepney.io.blocking import DBusConnection, open_dbus_connection

_ROOT = "/org/freedesktop/secrets"
_DEFAULT = f"{_ROOT}/aliases/default"
_INTERFACE = "org.freedesktop.Secret"
_STEP_S = 0.01
CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/>
<allow own="*"/></policy></busconfig>"""


@contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """The address of a session bus that starts no services by itself."""
    config = folder / "bus.conf"
    config.write_text(CONFIG.format(socket=folder / "bus"))
    daemon = subprocess.Popen(
        ["dbus-daemon", f"--config-file={config}", "--print-address", "--nofork"],
        stdout=subprocess.PIPE,
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


class SecretService:
    """Serves in a thread; a context manager."""

    def __init__(
        self, address: str, *, is_locked: bool = False, has_collection: bool = True
    ) -> None:
        self.is_locked = is_locked
        self.has_collection = has_collection
        self.refuses_writing = False
        self.answer: Literal["unlock", "dismiss", "wait"] = "unlock"
        self.prompts = 0
        self.reads = 0
        self.items: dict[str, bytes] = {}
        self._free = threading.Event()
        self._free.set()
        self._ending = threading.Event()
        self._open_prompts: list[tuple[str, str]] = []
        self._connection: DBusConnection = open_dbus_connection(bus=address)
        self._connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets"))
        self._thread = threading.Thread(target=self._serve, name="secret-service", daemon=True)

    def __enter__(self) -> SecretService:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._free.set()
        self._thread.join()
        self._connection.close()

    def hold(self) -> None:
        """Answer nothing until `let_go`."""
        self._free.clear()

    def let_go(self) -> None:
        """Answer all that has come in, and what comes."""
        self._free.set()

    def _serve(self) -> None:
        while not self._ending.is_set():
            self._close_prompts()
            with suppress(TimeoutError):
                message = self._connection.receive(timeout=_STEP_S)
                if message.header.message_type == MessageType.method_call:
                    self._free.wait()
                    self._connection.send(self._reply(message))

    def _reply(self, message: Message) -> Message:
        fields = message.header.fields
        name = f"on_{fields[HeaderFields.member]}"
        handler = getattr(self, name, None)
        if handler is None:
            return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        answer = handler(message, fields[HeaderFields.path], *message.body)
        return answer if isinstance(answer, Message) else new_method_return(message, *answer)

    def on_OpenSession(self, message: Message, _path: str, kind: str, _input: Any) -> Any:
        if kind != "plain":
            return new_error(message, "org.freedesktop.DBus.Error.NotSupported")
        return "vo", (("s", ""), f"{_ROOT}/session/1")

    def on_Get(self, message: Message, path: str, interface: str, name: str) -> Any:
        if interface.endswith("Collection") and not self.has_collection:
            return new_error(message, "org.freedesktop.DBus.Error.UnknownObject")
        values: dict[str, Any] = {"Label": ("s", "Login"), "Locked": ("b", self.is_locked)}
        return "v", (values[name],)

    def on_Unlock(self, _message: Message, _path: str, objects: list[str]) -> Any:
        if not self.is_locked:
            return "aoo", (objects, "/")
        return "aoo", ([], self._prompt_path("unlock"))

    def on_CreateCollection(self, *_: object) -> Any:
        return "oo", ("/", self._prompt_path("create"))

    def on_Prompt(self, _message: Message, path: str, _window: str) -> Any:
        self.prompts += 1
        self._open_prompts.append((path, path.rpartition("/")[2]))
        return "", ()

    def on_SearchItems(self, _message: Message, _path: str, wanted: dict[str, str]) -> Any:
        name = wanted["username"]
        found = [self._item_path(name)] if name in self.items else []
        return "ao", (found,)

    def on_CreateItem(
        self, message: Message, _path: str, properties: Any, secret: Any, _replace: bool
    ) -> Any:
        if self.is_locked or self.refuses_writing:
            text = bytes(secret[2]).decode()  # as careless as some services are
            return new_error(message, f"{_INTERFACE}.Error.Refused", "s", (f"not kept: {text}",))
        name = properties[f"{_INTERFACE}.Item.Attributes"][1]["username"]
        self.items[name] = bytes(secret[2])
        return "oo", (self._item_path(name), "/")

    def on_GetSecret(self, message: Message, path: str, session: str) -> Any:
        if self.is_locked:
            return new_error(message, f"{_INTERFACE}.Error.IsLocked")
        self.reads += 1
        return "(oayays)", ((session, b"", self.items[self._name(path)], "text/plain"),)

    def on_Delete(self, _message: Message, path: str) -> Any:
        del self.items[self._name(path)]
        return "o", ("/",)

    def _close_prompts(self) -> None:
        if self.answer == "wait":
            return
        for path, kind in self._open_prompts:
            is_dismissed = self.answer == "dismiss"
            if not is_dismissed:
                self.is_locked, self.has_collection = False, True
            result = ("ao", [_DEFAULT]) if kind == "unlock" else ("o", _DEFAULT)
            emitter = DBusAddress(path, interface=f"{_INTERFACE}.Prompt")
            self._connection.send(new_signal(emitter, "Completed", "bv", (is_dismissed, result)))
        self._open_prompts.clear()

    def _prompt_path(self, kind: str) -> str:
        return f"{_ROOT}/prompt/p{self.prompts}/{kind}"

    @staticmethod
    def _item_path(name: str) -> str:
        return f"{_DEFAULT}/i{name.encode().hex()}"

    @staticmethod
    def _name(path: str) -> str:
        return bytes.fromhex(path.rpartition("/i")[2]).decode()
