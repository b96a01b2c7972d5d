"""Starts a kernel under rules of Landlock and a filter of system calls, where nothing else is had.

The rules are made in the kernel's own process, before it becomes the program: what fails ends it.
"""

from __future__ import annotations

import os

from .sandbox_start import SandboxStart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_LEAST_VERSION, _WITH_DEVICES, _WITH_SCOPES = 3, 5, 6
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK, _TRUNCATE, _IOCTL = 1 << 6, 1 << 11, 1 << 14, 1 << 15
_ALL = (1 << 15) - 1
"""Of the third version: all but the control of devices."""
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_RIGHTS = {
    "read": _EXECUTE | _READ_FILE | _READ_FOLDER,
    "list": _READ_FOLDER,
    "write": (_ALL | _IOCTL) & ~(_MAKE_CHAR | _MAKE_BLOCK),
    "use": _READ_FILE | _WRITE_FILE | _IOCTL,
}
_SCOPES = 3
"""Neither abstract sockets nor signals reach anybody outside."""
_END_WITH_PARENT, _KILL = 1, 9
_NO_NEW_PRIVILEGES, _DROP_CAPABILITY, _SET_SECCOMP, _BY_FILTER = 38, 24, 22, 2
_CAPABILITIES = 64
_FILTER_BYTES = 65536
_HELD = b"held"


class LandlockStart(SandboxStart):
    """The start of a kernel that keeps itself to rules; `child` is the kernel."""

    is_held = False

    def _make_space(self, words: str, space: object) -> None:
        """Make none: the system has no namespaces."""

    def _become(self, program: list[str]) -> None:
        """Become the kernel, kept to the rules that are the first word."""
        import json

        try:
            filtered, told = self._given
            for fd in map(int, os.listdir("/proc/self/fd")):
                if fd > 2 and os.path.exists("/proc/self/fd/%d" % fd):  # not the list's own
                    os.set_inheritable(fd, fd in self.wake)
            os.environ.pop("PLAYHEAD_CONTROL", None)
            rules, *command = program
            _keep_to(json.loads(rules), os.read(filtered, _FILTER_BYTES))
            os.write(told, _HELD)
            os.execv(command[0], command)
        except OSError as error:
            words = "%s: %s\n" % (error.filename or program[1], error.strerror)
            os.write(2, words.encode("utf-8", "replace"))
        finally:
            os._exit(1)

    def find_kernel(self, children: Callable[[int], Iterable[int]]) -> list[int]:
        """Return the kernel, once it has become its program or has failed."""
        data = b""
        while more := os.read(self._info, 16):
            data += more
        os.close(self._info)
        self.is_held = data == _HELD
        return [self.child]

    def has_kernel(self, chain: list[int]) -> bool:
        """Return whether it has come so far that it is kept."""
        return self.is_held


def _keep_to(rules: dict[str, Any], program: bytes) -> None:
    """Give up all that is not in the rules, for this process and all that it starts."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def call(done: int, what: str) -> int:
        if done < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), what)
        return done

    call(libc.prctl(_END_WITH_PARENT, _KILL, 0, 0, 0), "the end with the supervisor")
    os.makedirs(rules["temporary"], 0o700, exist_ok=True)
    os.environ["TMPDIR"] = rules["temporary"]
    if os.geteuid() == 0:
        for number in range(_CAPABILITIES):
            libc.prctl(_DROP_CAPABILITY, number, 0, 0, 0)  # those that there are
    call(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    ruleset = _ruleset(rules, lambda *words: call(libc.syscall(*words), "the rules for files"))
    call(libc.syscall(_RESTRICT_SELF, ruleset, 0), "the rules for files")
    os.close(ruleset)
    steps = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    wanted = Program(len(program) // 8, ctypes.addressof(steps))
    call(
        libc.prctl(_SET_SECCOMP, _BY_FILTER, ctypes.byref(wanted), 0, 0),
        "the filter of system calls",
    )


def _ruleset(rules: dict[str, Any], call: Callable[..., int]) -> int:
    """Return the descriptor of a set of rules. Raises OSError."""
    import ctypes
    import stat
    import struct

    version = call(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < _LEAST_VERSION:
        raise OSError(38, "it is too old", "Landlock")
    handled = _ALL | (_IOCTL if version >= _WITH_DEVICES else 0)
    scopes = _SCOPES if version >= _WITH_SCOPES else 0
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", handled, 0, scopes), 24)
    size = 24 if scopes else 8
    ruleset = call(_CREATE_RULESET, attributes, size, 0)
    for kind, rights in _RIGHTS.items():
        for path in rules[kind]:
            place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                mode = os.fstat(place).st_mode
                if stat.S_ISLNK(mode) or os.readlink("/proc/self/fd/%d" % place) != path:
                    raise OSError(40, "a link is in the way", path)
                is_folder = stat.S_ISDIR(mode)
                given = rights & handled if is_folder else rights & handled & _OF_FILES
                rule = ctypes.create_string_buffer(struct.pack("=Qi", given, place), 12)
                call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
            finally:
                os.close(place)
    return ruleset
