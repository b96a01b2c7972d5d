"""Starts a sandbox with a kernel in it, before the supervisor has loaded what it needs itself."""

from __future__ import annotations

import binascii
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_FIND_PAUSE_S = 0.0005
_INFO_BYTES = 4096


SCOPED = "scoped"
"""The second argument where the sandbox has the network of the system."""
COPY = "@copy:"
"""How the next argument begins where the code works in a copy of its folder."""
_CREATE_RULESET, _RESTRICT_SELF, _NO_NEW_PRIVILEGES = 444, 446, 38
_ABSTRACT_SOCKETS = 1


def _shut_abstract_sockets() -> None:
    """Have what starts from here reach no abstract socket of others, as a desktop has (6.12 on).

    They belong to the network: without one of its own nothing else hides them.
    """
    import ctypes
    import struct

    libc = ctypes.CDLL(None)
    wanted = ctypes.create_string_buffer(struct.pack("QQQ", 0, 0, _ABSTRACT_SOCKETS), 24)
    rules = libc.syscall(_CREATE_RULESET, wanted, 24, 0)
    if rules >= 0:
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        libc.syscall(_RESTRICT_SELF, rules, 0)
        os.close(rules)


def _cover(command: str) -> None:
    """Put the copy of the folder over it, for what is started from here. Raises OSError."""
    import json

    from . import copies

    copies.leave_namespaces()
    copies.cover(json.loads(command))


class SandboxStart:
    """The start of a kernel by a command that makes a sandbox, in whose arguments our words are.

    `child` is the process of that command. The kernel waits before it does anything: until the app
    has been given its process. Nothing is loaded that this module's neighbours load meanwhile.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.wake = os.pipe()
        self._info, told = os.pipe()
        filtered, filling = os.pipe()
        os.write(filling, binascii.a2b_base64(arguments[0]))
        self._is_scoped = arguments[1] == SCOPED
        os.close(filling)
        program = arguments[2:]
        self._copy = ""
        if program[0].startswith(COPY):
            self._copy, *program = program
        self._given = filtered, told
        words = {
            "@filter@": str(filtered),
            "@info@": str(told),
            "@wake@": "%d,%d" % self.wake,
        }
        self.child = os.fork()
        if not self.child:
            self._become([words.get(word, word) for word in program])
        for fd in self._given:
            os.close(fd)

    def _become(self, program: list[str]) -> None:
        """Become the command, with no descriptor of the app's and none of its variables."""
        try:
            given = {*self._given, *self.wake}
            for fd in map(int, os.listdir("/proc/self/fd")):
                if fd > 2 and os.path.exists("/proc/self/fd/%d" % fd):  # not the list's own
                    os.set_inheritable(fd, fd in given)
            os.environ.pop("PLAYHEAD_CONTROL", None)  # of the protocol, which is not loaded yet
            if self._copy:
                _cover(self._copy[len(COPY) :])
            if self._is_scoped:
                _shut_abstract_sockets()
            os.execv(program[0], program)
        except OSError as error:
            os.write(
                2,
                ("%s: %s\n" % (error.filename or program[0], error.strerror)).encode(
                    "utf-8", "replace"
                ),
            )
        finally:
            os._exit(1)

    def find_kernel(self, children: Callable[[int], Iterable[int]]) -> list[int]:
        """Return the processes from the child down to the kernel; the child alone if it failed."""
        import json
        import time

        data = b""
        while not data.rstrip().endswith(b"}"):
            more = os.read(self._info, _INFO_BYTES)
            if not more:
                return [self.child]
            data += more
        os.close(self._info)
        first = json.loads(data)["child-pid"]
        while True:
            below = sorted(children(first))
            if below:
                return [self.child, first, below[0]]
            ended = os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                return [self.child]
            time.sleep(_FIND_PAUSE_S)

    def has_kernel(self, chain: list[int]) -> bool:
        """Return whether the kernel was found, which means that its sandbox was made."""
        return chain[-1] != self.child
