"""One window per user and data folder: a second start hands over its files and ends."""

from __future__ import annotations

import getpass
import json
import logging
import os
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from PySide6.QtCore import QObject, QSocketNotifier, Signal

from playhead.domain.text.json_text import read_json
from playhead.errors import AppError
from playhead.storage.paths import make_private
from playhead.storage.process_lock import ProcessLock

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

_log = logging.getLogger(__name__)

Claim = Literal["first", "handed_over"]
LIMIT_BYTES = 1_000_000
_ANSWER = b"ok\n"
_PATIENCE_MS = 3000
_ENDING_MS = 10_000  # kernels and the model worker may take some seconds to end
_PAUSE_S = 0.02
_RUN = "run"
_LONGEST_SOCKET_PATH = 90  # of 104 (macOS) to 108 (Linux) bytes; it is bound under a longer name


class SingleInstance(QObject):
    """Finds the first instance or becomes it. Owned by `bootstrap`.

    Signals: `activated(list)`: another start asked for the window, with the absolute paths of its
    files (list[str], perhaps empty).
    """

    activated = Signal(list)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        if not _is_private(str(data_dir)):  # a folder of the user's own, open to others
            make_private(data_dir / _RUN)
        self._data_dir = data_dir
        self._lock = ProcessLock(data_dir / "instance.lock")
        self._server: QLocalServer | None = None
        self._door: tuple[socket.socket, QSocketNotifier] | None = None

    @cached_property
    def _name(self) -> str:
        return server_name(self._data_dir)

    def claim(self, files: Sequence[str] = ()) -> Claim:
        """Become the first instance, or give the files to it.

        Blocks for some milliseconds, so call it before there is a window.
        Raises AppError when the first instance does not answer.
        """
        given = [os.path.abspath(file) for file in files]
        until = time.monotonic() + _ENDING_MS / 1000
        while not self._acquire():
            if self._hand_over(given):
                return "handed_over"
            if time.monotonic() > until:
                raise AppError(
                    "Playhead is already running, but its window does not answer.",
                    detail=self._name,
                    remedy="Wait a moment and start it again, or end the running one.",
                )
            time.sleep(_PAUSE_S)  # the first instance is just starting or just ending
        return "first"

    def refuse(self) -> None:
        """Take nothing more: this instance is ending, and a start meanwhile waits for its end."""
        self._close_door()
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None

    def close(self) -> None:
        """Stop listening, so that the next start becomes the first instance."""
        self.refuse()
        self._lock.release()

    def listen(self) -> None:
        """Take the files of later starts, which wait for this; called once, as the first.

        Qt's network library takes 3 MB: it is loaded when there is a later start.
        """
        if sys.platform == "win32":
            self._serve(self._name)
            return
        try:
            door = _listening_socket(self._name)
        except OSError as error:
            _log.info("second starts will not find this one: %s", error)
            return
        notifier = QSocketNotifier(door.fileno(), QSocketNotifier.Type.Read, self)
        notifier.activated.connect(self._on_first_connection)
        self._door = door, notifier

    def _on_first_connection(self) -> None:
        if self._door is not None:
            descriptor = os.dup(self._door[0].fileno())
            self._door[1].setEnabled(False)
            self._serve(descriptor)

    def _close_door(self) -> None:
        if self._door is not None:
            door, notifier = self._door
            self._door = None
            notifier.setEnabled(False)
            notifier.deleteLater()
            door.close()
            with suppress(OSError):
                os.unlink(self._name)

    def _serve(self, name: str | int) -> None:
        """Answer those that come to a name, or to a socket that listens."""
        from PySide6.QtNetwork import QLocalServer

        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_new_connection)
        if server.listen(name):
            self._server = server
        else:
            _log.info("second starts will not find this one: %s", server.errorString())
            server.deleteLater()

    def _on_new_connection(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            _Visitor(self._server.nextPendingConnection(), self)

    def _acquire(self) -> bool:
        try:
            return self._lock.acquire()
        except OSError as error:
            _log.info("no lock for a single instance, going on without: %s", error)
            return True

    def _hand_over(self, files: list[str]) -> bool:
        """Send the files to the first instance; return whether it accepted them."""
        from PySide6.QtNetwork import QLocalSocket

        visit = QLocalSocket()
        if _is_own(self._name):
            visit.connectToServer(self._name)
        if visit.state() == QLocalSocket.LocalSocketState.UnconnectedState:
            return False
        message = json.dumps({"files": files}).encode() + b"\n"
        is_taken = visit.waitForConnected(_PATIENCE_MS) and self._ask(visit, message)
        visit.abort()
        return is_taken

    def _ask(self, socket: QLocalSocket, message: bytes) -> bool:
        socket.write(message)
        while socket.bytesAvailable() < len(_ANSWER):
            if not socket.waitForReadyRead(_PATIENCE_MS):
                return False
        return bytes(socket.readAll().data()) == _ANSWER


class _Visitor(QObject):
    """One connection of a second start: reads one line of JSON and answers."""

    def __init__(self, socket: QLocalSocket, instance: SingleInstance) -> None:
        super().__init__(socket)
        self._socket = socket
        self._instance = instance
        self._text = b""
        socket.readyRead.connect(self._on_ready_read)
        socket.disconnected.connect(socket.deleteLater)
        self._on_ready_read()

    def _on_ready_read(self) -> None:
        self._text += bytes(self._socket.read(LIMIT_BYTES + 1 - len(self._text)).data())
        if b"\n" not in self._text and len(self._text) <= LIMIT_BYTES:
            return
        files = _decode(self._text)
        if files is None:
            _log.info("a second start sent nonsense (%d bytes)", len(self._text))
            self._socket.abort()
            return
        self._socket.readyRead.disconnect(self._on_ready_read)
        self._socket.write(_ANSWER)
        self._socket.flush()
        self._instance.activated.emit(files)


def _listening_socket(path: str) -> socket.socket:
    """Return a socket at a path, for this user only, in place of what a dead process left there."""
    own = f"{path}.{os.getpid()}"
    door = socket.socket(socket.AF_UNIX)
    try:
        door.bind(own)
        os.chmod(own, 0o600)
        door.listen()
        os.rename(own, path)  # we hold the lock
    except OSError:
        door.close()
        with suppress(OSError):
            os.unlink(own)
        raise
    return door


def server_name(data_dir: Path) -> str:
    """Return a path that only this user can reach, or a pipe's name on Windows."""
    import hashlib

    who = f"{getpass.getuser()}\n{data_dir.resolve()}"
    name = "playhead-" + hashlib.sha256(who.encode()).hexdigest()[:16]
    if sys.platform == "win32":
        return name
    for folder in (str(data_dir), str(data_dir / _RUN), os.environ.get("XDG_RUNTIME_DIR", "")):
        path = os.path.join(folder, name)
        if folder and _is_private(folder) and len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
            return path
    return os.path.join(tempfile.gettempdir(), name)


def _is_own(path: str) -> bool:
    """Return whether the socket is this user's (another user may own one in a shared temp
    folder).
    """
    try:
        return sys.platform == "win32" or os.stat(path).st_uid == os.getuid()
    except OSError:
        return True  # not there yet: the first instance is just starting


def _is_private(folder: str) -> bool:
    try:
        status = os.stat(folder)
    except OSError:
        return False
    return status.st_uid == os.getuid() and status.st_mode & 0o077 == 0


def _decode(text: bytes) -> list[str] | None:
    """Return the files of a message, or None if it is not valid."""
    if len(text) > LIMIT_BYTES:
        return None
    try:
        message: object = read_json(text)
    except ValueError:
        return None
    if not isinstance(message, dict):
        return None
    files = cast("dict[str, object]", message).get("files")
    if not isinstance(files, list):
        return None
    names = cast("list[object]", files)
    texts = [name for name in names if isinstance(name, str)]
    return texts if len(texts) == len(names) else None
