"""Starts a sandbox with a kernel in it, before the supervisor has loaded what it needs itself."""

from __future__ import annotations

import _socket
import binascii
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, NoReturn

_FIND_PAUSE_S = 0.0005
_INFO_BYTES = 4096
_INT_BYTES = 4
_ENDS_WITH_PARENT, _IS_DUMPABLE, _KILL = 1, 4, 9
_IGNORED = 1, 2, 13, 15
"""SIGHUP, SIGINT, SIGPIPE and SIGTERM."""
_UNIX, _STREAM, _PACKETS, _DO_NOT_WAIT = 1, 1, 5, 0x40


COPY = "@copy:"
"""How the next argument begins where the code works in a copy of its folder."""


class OwnSpace:
    """The namespaces of this process and what serves them: the gate outside, the catcher inside.

    They can be made before it is known what for: `furnish` has the rest done that the app wants.
    `steps` are those that have been done, all of them or OSError is raised. `line` leads to the
    gate. Both are forked here, since who has other namespaces cannot go back; they load nothing
    before code uses the network, which can be seen by `signs`: a question for a name, a packet, or
    that the catcher has been woken by one of these.
    """

    def __init__(self) -> None:
        from . import mounts, namespaces

        self.line, theirs = _socket.socketpair(_UNIX, _STREAM)
        self._inner, outer = _socket.socketpair(_UNIX, _PACKETS)
        self.processes = [_fork(lambda: _serve_outside(theirs, outer))]
        theirs.close()
        outer.close()
        namespaces.enter()
        self.steps = ["namespaces"]
        self.mounts = mounts.Mounts()
        self._held: list[_socket.socket] = []
        self.woken, self._wake = os.pipe()
        self.signs: tuple[int, ...] = ()
        self.names: dict[str, Any] = {}

    def furnish(self, wanted: dict[str, Any], copy: str) -> None:
        """Make its mounts; `wanted` is the app's: see the protocol. Raises OSError."""
        self.mounts.begin(wanted["staging"], wanted["tops"], wanted["made"])
        if copy:
            _cover(copy[len(COPY) :])  # before the parts of the folder that are hidden
        self.mounts.give(wanted["mounts"])
        self.steps.append("mounts")
        given = ("network", "hosts", "outside") if wanted.get("outside") else ("network", "hosts")
        self.names = {name: wanted[name] for name in given}

    def serve(self) -> None:
        """Fork what serves the network inside, while the sandbox is being made. Raises OSError."""
        from . import namespaces

        names, seen = namespaces.name_socket(), namespaces.packet_socket()
        self._held = [names, seen]
        self.signs = names.fileno(), seen.fileno(), self.woken
        self.processes.append(_fork(lambda: _serve_inside(self._inner, names, seen, self._wake)))
        self._inner.close()
        os.close(self._wake)
        self.steps.append("network")

    def shut(self) -> None:
        """Let go of the network, which has no gate any more: questions get no answer then."""
        self.signs = ()
        for ours in (*self._held, self.line):
            ours.close()

    def send(self, kind: str, ask: int, **fields: object) -> None:
        """Send the gate a command, which is answered with its number.

        Raises OSError, also where it takes none: the supervisor never waits for it.
        """
        import json

        words = {"t": kind, "ask": ask, **fields}
        self.line.sendall(json.dumps(words).encode("ascii") + b"\n", _DO_NOT_WAIT)


def _fork(serve: Callable[[], None]) -> int:
    """Fork a process that serves and ends with this one; return its id."""
    ours = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        libc.prctl(_ENDS_WITH_PARENT, _KILL, 0, 0, 0)
        libc.prctl(_IS_DUMPABLE, 0, 0, 0, 0)
        for number in _IGNORED:
            libc.signal(number, ctypes.c_void_p(1))
        os.chdir("/")
        if os.getppid() == ours:
            serve()
    finally:
        os._exit(0)


def _serve_outside(line: _socket.socket, catcher: _socket.socket) -> None:
    fds = line.detach(), catcher.detach()
    _close_all_but(fds)
    _wait(fds)
    from . import gate

    gate.serve(*fds)


def _serve_inside(
    gate: _socket.socket, names: _socket.socket, seen: _socket.socket, wake: int
) -> None:
    fds = gate.detach(), names.detach(), seen.detach()
    _close_all_but((*fds, wake))
    _wait(fds)
    os.write(wake, b"w")
    from . import catcher

    catcher.serve(*fds)


def _wait(fds: Sequence[int]) -> None:
    """Wait until there is something to do; most kernels need no network at all."""
    import select

    select.select(fds, (), ())


def _close_all_but(kept: Sequence[int]) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2 and fd not in kept:
            try:
                os.close(fd)
            except OSError:  # the list's own
                continue


def _own_space(wanted: dict[str, Any], copy: str, space: OwnSpace | None) -> OwnSpace:
    """Return the space that is wanted; this process ends where it cannot be had."""
    try:
        if "trial" in wanted:
            _try_space()
            os._exit(0)
        space = space or OwnSpace()
        space.furnish(wanted, copy)
        return space
    except OSError as error:
        _give_up(error, "namespaces")


def _give_up(error: OSError, what: str) -> NoReturn:
    words = "%s: %s\n" % (error.filename or what, error.strerror)
    os.write(2, words.encode("utf-8", "replace"))
    os._exit(1)


def await_command(
    control: int, has_space: bool, load: Callable[[], object]
) -> tuple[list[str], OwnSpace | None]:
    """Wait until the app says what is to be started, and make ready for that meanwhile.

    It is said by one byte, which comes with a descriptor of a file in memory: what follows `INSIDE`
    otherwise, the environment and the folder. With `has_space` there will be a space of its own,
    which is made now unless the command is there already; `load` then loads what follows a start.
    None of that depends on what is started, nor has anybody else seen it.
    """
    line = _socket.socket(fileno=os.dup(control))
    space = None
    try:
        if not _is_readable(line):
            space = OwnSpace() if has_space else None
            load()
            _set_dumpable(0)  # code without a sandbox could else trace it, for as long as it waits
        given = line.recvmsg(1, _socket.CMSG_SPACE(_INT_BYTES))[1]
        line.close()
        if not given:  # the app has gone, or has no use for it any more
            os._exit(0)
        _set_dumpable(1)  # `begin` takes it back: until then it opens its own descriptors by path
        file = int.from_bytes(given[0][2][:_INT_BYTES], sys.byteorder)
        size = os.fstat(file).st_size
        command, variables, folder = marshal.loads(os.pread(file, size, 0))  # noqa: S302 - the app's
        os.close(file)
        os.environb.clear()
        os.environb.update(variables)
        os.environ["PLAYHEAD_CONTROL"] = str(control)
        os.chdir(folder)
    except OSError as error:
        _give_up(error, "namespaces")
    return command, space


def _is_readable(line: _socket.socket) -> bool:
    try:
        line.recv(1, _socket.MSG_PEEK | _DO_NOT_WAIT)
    except BlockingIOError:
        return False
    return True


def _set_dumpable(value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(_IS_DUMPABLE, value, 0, 0, 0)


def _cover(command: str) -> None:
    """Put the copy of the folder over it, for what is started from here. Raises OSError."""
    import json

    from . import copies

    copies.cover(json.loads(command))


def _try_space() -> None:
    """Do what needs the system's leave, or a newer one. Raises OSError."""
    from . import namespaces

    namespaces.enter()
    namespaces.name_socket()
    namespaces.packet_socket()
    namespaces.mount("trial", "/proc", "tmpfs", 0)
    namespaces.set_flags("/proc", namespaces.READ_ONLY)


class SandboxStart:
    """The start of a kernel by a command that makes a sandbox, in whose arguments our words are.

    They are a filter of system calls, what its own space is to be, and the command; `space` is
    None where that is empty: then the command shuts the network itself. It may have been made
    ahead. `child` is the process of that command. The kernel waits before it does anything: until
    the app has been given its process. Nothing is loaded that this module's neighbours load
    meanwhile.
    """

    def __init__(self, arguments: Sequence[str], space: OwnSpace | None = None) -> None:
        self.wake = os.pipe()
        self._info, told = os.pipe()
        filtered, filling = os.pipe()
        os.write(filling, binascii.a2b_base64(arguments[0]))
        os.close(filling)
        program = arguments[2:]
        self._copy = ""
        if program and program[0].startswith(COPY):
            self._copy, *program = program
        self.space = self._make_space(arguments[1], space)
        if space is not None and self.space is None:
            _give_up(OSError(0, "nobody wants the space that was made"), "namespaces")
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
        try:
            if self.space is not None:
                self.space.serve()
        except OSError as error:  # the child ends with this process, and its kernel never begins
            _give_up(error, "network")

    def _make_space(self, words: str, space: OwnSpace | None) -> OwnSpace | None:
        wanted = marshal.loads(binascii.a2b_base64(words))  # noqa: S302 - of the app
        if not wanted:
            return None
        copy, self._copy = self._copy, ""
        return _own_space(wanted, copy, space)

    def _become(self, program: list[str]) -> None:
        """Become the command, with no descriptor of the app's and none of its variables."""
        try:
            given = {*self._given, *self.wake}
            for fd in map(int, os.listdir("/proc/self/fd")):
                if fd > 2 and os.path.exists("/proc/self/fd/%d" % fd):  # not the list's own
                    os.set_inheritable(fd, fd in given)
            os.environ.pop("PLAYHEAD_CONTROL", None)  # of the protocol, which is not loaded yet
            if self._copy:
                from . import copies

                copies.leave_namespaces()
                _cover(self._copy[len(COPY) :])
            os.execv(program[0], program)
        except OSError as error:
            _give_up(error, program[0])
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
