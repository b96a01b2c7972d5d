"""A kernel's output pipe: read past QProcess's buffer where it is known, paused over budget."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QSocketNotifier

if sys.platform != "win32":
    import fcntl

READ_BYTES = 262_144
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Python names from 3.10 on, on Linux only
_PIPE_BYTES = 1 << 20


class OutputPipe:
    """The standard output of a QProcess, which stays its owner.

    QProcess reads all there is into a buffer without limit. So its notifier is switched off when
    there is no time to take more: the pipe fills and the program waits. What is in the pipe
    beyond that buffer is read from it directly, in the same order: two copies less.

    The notifiers belong to QProcess and are looked up anew each time, since a kept one may have
    been deleted, and its descriptor given to another file.
    """

    def __init__(self, process: QProcess) -> None:
        self._process = process
        self._inode = 0

    def learn(self) -> None:
        """Find out which pipe it is, as long as only the kernel itself writes to it (Linux)."""
        try:
            self._inode = Path(f"/proc/{self._process.processId()}/fd/1").stat().st_ino
        except OSError:
            return
        notifier = self._own_notifier()
        if notifier is not None and sys.platform == "linux":
            try:
                fcntl.fcntl(int(notifier.socket()), _SET_PIPE_SIZE, _PIPE_BYTES)
            except OSError:
                return  # the user has many large pipes already: the usual size does as well

    def read(self) -> bytes:
        """The next bytes; none when there are none now."""
        data = self._process.read(READ_BYTES).data()
        if data or not self._inode:
            return bytes(data)
        notifier = self._own_notifier()
        if notifier is None:
            return b""
        try:
            return os.read(int(notifier.socket()), READ_BYTES)
        except BlockingIOError:
            return b""

    def let_in(self, is_wanted: bool) -> None:
        """Pause or resume; the notifier of the process's end is no pipe and stays as it is."""
        for notifier in self._process.findChildren(QSocketNotifier):
            if notifier.type() == QSocketNotifier.Type.Read and _is_pipe(notifier):
                notifier.setEnabled(is_wanted)

    def _own_notifier(self) -> QSocketNotifier | None:
        for notifier in self._process.findChildren(QSocketNotifier):
            is_reader = notifier.type() == QSocketNotifier.Type.Read and _is_pipe(notifier)
            if is_reader and os.fstat(int(notifier.socket())).st_ino == self._inode:
                return notifier
        return None


def _is_pipe(notifier: QSocketNotifier) -> bool:
    return stat.S_ISFIFO(os.fstat(int(notifier.socket())).st_mode)
