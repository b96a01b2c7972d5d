"""Attempts to get out of the sandbox, made inside of it; the host judges what became of them.

Run as a script of the standard library alone, with a plan as JSON on its standard input. It writes
a line of JSON for each attempt: what it could do, or why it could not. None does any harm where it
succeeds: all that they change was put there for them, and is removed again.
"""

# pyright: basic

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import platform
import pty
import resource
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from typing import Any, NamedTuple

Plan = dict[str, Any]
Judged = str
"""`token`: what it returns has the secret; `changed`: its file has changed; `sent`: a listener of
the host has received its name; `victim`: a process of the host is not as it was; `lives`: what it
left is still there; `word`: its own word, where the host cannot see it."""


class Way(NamedTuple):
    """One attempt: the function returns what it found, or raises OSError if it is refused."""

    group: str
    name: str
    judged: Judged
    act: Callable[[Plan], object]
    is_slow: bool = False


class Skip(Exception):
    """It cannot be tried here."""


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _call(*arguments: object) -> int:
    """Make a system call by its number. Raises OSError."""
    done = _libc().syscall(*arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(done)


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(65536).decode("utf-8", "replace")


def _write(path: str, mode: str = "a") -> None:
    with open(path, mode) as file:
        file.write("changed\n")


def _through_link(plan: Plan, target: str, name: str) -> str:
    path = os.path.join(plan["folder"], name)
    os.symlink(target, path)
    return path


def _numbers(x86: int, arm: int) -> int:
    return arm if platform.machine() == "aarch64" else x86


# What is read. ---------------------------------------------------------------------------------


def _reads() -> list[Way]:
    def place(name: str) -> Way:
        return Way("reading", name, "token", lambda plan: _read(plan["secrets"][name]))

    def victims(part: str) -> Callable[[Plan], object]:
        return lambda plan: _read("/proc/%d/%s" % (plan["victim"], part))

    def below(root: str) -> Callable[[Plan], object]:
        return lambda plan: _read(root % {"victim": plan["victim"]} + plan["secret"])

    def hard_link(plan: Plan) -> str:
        path = os.path.join(plan["folder"], "hard-link")
        os.link(plan["secret"], path)
        return _read(path)

    return [
        *map(place, SECRETS),
        Way("reading", "names in the home folder", "token", lambda p: str(os.listdir(p["home"]))),
        Way(
            "reading", "`..` from the folder", "token", lambda p: _read(p["folder"] + "/../secret")
        ),
        Way("reading", "an old link out", "token", lambda p: _read(p["folder"] + "/old-link")),
        Way(
            "reading",
            "a new link out",
            "token",
            lambda plan: _read(_through_link(plan, plan["secret"], "new-link")),
        ),
        Way("reading", "a hard link into the folder", "token", hard_link),
        Way("reading", "/proc/self/root", "token", below("/proc/self/root")),
        Way("reading", "/proc/1/root", "token", below("/proc/1/root")),
        Way("reading", "the root of another process", "token", below("/proc/%(victim)d/root")),
        Way("reading", "the folder of another process", "token", victims("cwd/secret")),
        Way("reading", "a descriptor of another process", "token", victims("fd/2")),
        Way("reading", "the variables of another process", "token", victims("environ")),
        Way("reading", "the arguments of another process", "token", victims("cmdline")),
        Way("reading", "keys in the environment", "token", lambda plan: str(dict(os.environ))),
        Way("reading", "/etc/shadow", "word", lambda plan: _shadow()),
        Way("reading", "the memory of another process", "token", _memory),
        Way("reading", "process_vm_readv", "token", _vm_read),
        Way("reading", "pidfd_getfd", "token", _take_descriptor),
        Way("reading", "open_by_handle_at", "word", _open_by_handle),
        Way("reading", "the system's log", "word", lambda plan: _call(_numbers(103, 116), 3, 0, 0)),
        Way("reading", "/proc/kcore", "word", lambda plan: open("/proc/kcore", "rb").read(16)),
        Way("reading", "/dev/mem", "word", lambda plan: open("/dev/mem", "rb").read(16)),
        Way("reading", "shared memory of System V", "token", _shared_memory),
    ]


SECRETS = (
    "a key of ssh",
    "keys of a cloud",
    "a keyring",
    "cookies of a browser",
    "a database of conversations",
    "settings",
    "another project",
    "a key of the display",
    "the history of a shell",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "the runtime folder",
)


def _shadow() -> str:
    if not _read("/etc/shadow"):
        raise PermissionError
    return "read"


def _victim_place(plan: Plan) -> tuple[int, int]:
    """Return where the stack of the other process is, which has its variables."""
    for line in _read_all("/proc/%d/maps" % plan["victim"]).splitlines():
        if line.endswith("[stack]"):
            start, _, end = line.split()[0].partition("-")
            return int(start, 16), int(end, 16)
    raise Skip


def _read_all(path: str) -> str:
    with open(path) as file:
        return file.read()


def _memory(plan: Plan) -> str:
    start, end = _victim_place(plan)
    with open("/proc/%d/mem" % plan["victim"], "rb", buffering=0) as file:
        file.seek(start)
        return file.read(end - start).decode("utf-8", "replace")


class _Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def _vm_read(plan: Plan) -> str:
    start, end = _victim_place(plan)
    buffer = ctypes.create_string_buffer(end - start)
    here = _Part(ctypes.addressof(buffer), end - start)
    there = _Part(start, end - start)
    number = _numbers(310, 270)
    _call(number, plan["victim"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return buffer.raw.decode("utf-8", "replace")


def _take_descriptor(plan: Plan) -> str:
    taken = _call(438, _call(434, plan["victim"], 0), 2, 0)
    return os.pread(taken, 4096, 0).decode("utf-8", "replace")


def _open_by_handle(plan: Plan) -> object:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount_id = ctypes.c_int()
    path = plan["folder"].encode()
    number = _numbers(303, 264)
    _call(number, -100, ctypes.c_char_p(path), handle, ctypes.byref(mount_id), 0)
    here = os.open(plan["folder"], os.O_RDONLY)
    return _call(_numbers(304, 265), here, handle, os.O_RDONLY)


def _shared_memory(plan: Plan) -> str:
    if plan["memory"] < 0:
        raise Skip
    libc = _libc()
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(plan["memory"], None, 0o10000)
    if at in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(at, 64).decode("utf-8", "replace")


# What is written outside. ----------------------------------------------------------------------

Change = Callable[[str, Plan], object]


def _rename_over(path: str, plan: Plan) -> None:
    own = os.path.join(plan["folder"], "to-be-moved")
    _write(own)
    os.rename(own, path)


def _across(root: str) -> Change:
    return lambda path, plan: _write(root % {"victim": plan["victim"]} + path)


def _by_folder_of(path: str, plan: Plan) -> None:
    _write("/proc/%d/cwd/%s" % (plan["victim"], os.path.basename(path)))


CHANGES: dict[str, tuple[bool, Change]] = {
    # name: whether the file is there before, what is done with it
    "a new file": (False, lambda path, plan: _write(path)),
    "a new folder": (False, lambda path, plan: os.mkdir(path)),
    "a new link": (False, lambda path, plan: os.symlink("/", path)),
    "a new hard link": (False, lambda path, plan: os.link(plan["own"], path)),
    "a new pipe": (False, lambda path, plan: os.mkfifo(path)),
    "a file moved out of the folder": (False, _rename_over),
    "a file moved over another": (True, _rename_over),
    "writing": (True, lambda path, plan: _write(path, "w")),
    "appending": (True, lambda path, plan: _write(path)),
    "cutting": (True, lambda path, plan: os.truncate(path, 1)),
    "deleting": (True, lambda path, plan: os.unlink(path)),
    "renaming": (True, lambda path, plan: os.rename(path, path + "-2")),
    "the mode": (True, lambda path, plan: os.chmod(path, 0o777)),
    "the times": (True, lambda path, plan: os.utime(path, (1, 1))),
    "an attribute": (True, lambda path, plan: os.setxattr(path, "user.playhead", b"1")),
    "writing by a new link": (
        True,
        lambda path, plan: _write(_through_link(plan, path, "link-to-write")),
    ),
    "writing by /proc/self/root": (True, _across("/proc/self/root")),
    "writing by /proc/1/root": (True, _across("/proc/1/root")),
    "writing by the root of another process": (True, _across("/proc/%(victim)d/root")),
    "writing by the folder of another process": (True, _by_folder_of),
}
NEW_FILES = (
    "the home folder",
    "the folder of ssh",
    "what starts at login",
    "units of the user's systemd",
    "the user's programs",
    "packages of another environment",
    "the program's code",
    "the program's data",
    "another folder",
    "what is in /tmp",
    "what is in /var/tmp",
    "what is in /dev/shm",
)
PINNED = {
    "a new hook": ".git/hooks/post-commit",
    "an existing hook": ".git/hooks/pre-commit",
    "the configuration of git": ".git/config",
    "what git leaves out": ".git/info/exclude",
    "a hook of a repository in a subfolder": "inner/.git/hooks/post-commit",
    "the Python of an environment": ".venv/bin/python",
    "variables of the folder": ".envrc",
    "tasks of an editor": ".vscode/tasks.json",
    "work of a server": ".github/workflows/test.yml",
}
MOVED = {"the hooks": ".git/hooks", "the repository": ".git", "the environment": ".venv"}


def _writes() -> list[Way]:
    def change(name: str, act: Change) -> Way:
        return Way("writing", name, "changed", lambda plan: act(plan["files"][name], plan))

    def new(name: str) -> Way:
        return Way("writing", name, "changed", lambda plan: _write(plan["files"][name]))

    def pinned(name: str) -> Way:
        return Way("the folder", name, "changed", lambda plan: _write(plan["files"][name]))

    def moved(name: str) -> Way:
        return Way("the folder", name + " moved", "changed", lambda plan: _move(name, plan))

    return [
        *[change(name, act) for name, (_, act) in CHANGES.items()],
        *map(new, NEW_FILES),
        *map(pinned, PINNED),
        *map(moved, MOVED),
        Way("writing", "/etc", "word", lambda plan: _write("/etc/playhead-test")),
        Way("writing", "/usr/local", "word", lambda plan: _write("/usr/local/playhead-test")),
        Way("writing", "the kernel's parameters", "word", lambda plan: _sysctl()),
    ]


def _move(name: str, plan: Plan) -> None:
    path = plan["files"][name + " moved"]
    os.rename(path, path + "-moved")


def _move_folder(plan: Plan) -> None:
    os.rename(plan["folder"], plan["folder"] + "-moved")


def _sysctl() -> None:
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))


# The network. ----------------------------------------------------------------------------------


def _sends() -> list[Way]:
    def stream(name: str) -> Way:
        def act(plan: Plan) -> None:
            family, address = plan["listeners"][name]
            _say(family, socket.SOCK_STREAM, address, name)

        return Way("network", name, "sent", act)

    def datagram(name: str) -> Way:
        def act(plan: Plan) -> None:
            family, address = plan["listeners"][name]
            _say(family, socket.SOCK_DGRAM, address, name)

        return Way("network", name, "sent", act)

    def fast_open(plan: Plan) -> None:
        family, address = plan["listeners"]["fast open"]
        with socket.socket(family, socket.SOCK_STREAM) as ours:
            ours.settimeout(1)
            ours.sendto(b"fast open\n", 0x20000000, tuple(address))

    return [
        *map(stream, STREAMS),
        *map(datagram, DATAGRAMS),
        Way("network", "fast open", "sent", fast_open),
        Way("network", "a route to the world", "word", _route),
        Way("network", "packets of its own", "word", lambda p: _socket(17, socket.SOCK_RAW)),
        Way("network", "raw packets", "word", lambda p: _socket(2, socket.SOCK_RAW, 1)),
        Way("network", "sockets of virtual machines", "word", lambda p: _socket(40)),
        Way("network", "sockets of the kernel's ciphers", "word", lambda p: _socket(38, 5)),
        Way("network", "bluetooth", "word", lambda p: _socket(31, 3, 1)),
    ]


STREAMS = (
    "127.0.0.1",
    "127.0.0.2",
    "0.0.0.0",
    "::1",
    "the address of this computer",
    "an abstract socket",
    "a socket in the home folder",
    "a socket in /tmp",
    "a socket in the folder",
)
DATAGRAMS = ("datagrams", "an abstract socket of datagrams")


def _say(family: int, kind: int, address: Any, name: str) -> None:
    if not address:
        raise Skip
    with socket.socket(family, kind) as ours:
        ours.settimeout(1)
        ours.connect(tuple(address) if isinstance(address, list) else address)
        ours.sendall(name.encode() + b"\n")


def _route(plan: Plan) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.connect(("192.0.2.1", 9))
        if ours.getsockname()[0] == "192.0.2.1":  # it leads back to where it is
            raise OSError(errno.ENETUNREACH, "no way out")
        return ours.getsockname()


def _socket(family: int, kind: int = socket.SOCK_STREAM, protocol: int = 0) -> object:
    with socket.socket(family, kind, protocol) as made:
        return made.family


# Other processes. ------------------------------------------------------------------------------


def _processes() -> list[Way]:
    def on(name: str, act: Callable[[int], object], judged: Judged = "victim") -> Way:
        return Way("processes", name, judged, lambda plan: act(plan["victims"][name]))

    return [
        on("a kill", lambda pid: os.kill(pid, signal.SIGKILL)),
        on("a kill of a group", lambda pid: os.killpg(pid, signal.SIGKILL)),
        on("a stop", lambda pid: os.kill(pid, signal.SIGSTOP)),
        on("a lower priority", lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 15)),
        on("a lower limit", lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (9, 9))),
        on(
            "another processor",
            lambda pid: os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))}),
            "word",
        ),
        on("out of memory first", lambda pid: _write("/proc/%d/oom_score_adj" % pid), "word"),
        on("a trace", _trace, "word"),
        on("a handle", lambda pid: _call(434, pid, 0), "word"),
        on("its presence", lambda pid: os.stat("/proc/%d" % pid).st_ctime, "word"),
        on("its namespaces", lambda pid: os.readlink("/proc/%d/ns/mnt" % pid), "word"),
        on("a comparison", lambda pid: _call(_numbers(312, 272), pid, pid, 1, 0, 0), "word"),
        on("a signal to all", lambda pid: os.kill(-1, signal.SIGCONT)),
        Way("processes", "a life in a session of its own", "lives", lambda p: _outlive(p, 1)),
        Way("processes", "a life after two forks", "lives", lambda p: _outlive(p, 2)),
        Way("processes", "six hundred processes", "word", _forks, is_slow=True),
        Way("processes", "all of /tmp", "word", lambda plan: _fill("/tmp"), is_slow=True),
        Way("processes", "all of /dev/shm", "word", lambda plan: _fill("/dev/shm"), is_slow=True),
    ]


def _move_to_processor(pid: int) -> None:
    os.sched_setaffinity(pid, {max(os.sched_getaffinity(0))})


def _trace(pid: int) -> None:
    _call(_numbers(101, 117), 0x4206, pid, 0, 0)  # PTRACE_SEIZE


def _outlive(plan: Plan, forks: int) -> None:
    words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", plan["mark"]]
    if os.fork():
        return
    os.setsid()
    if forks > 1 and os.fork():
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.execve(words[0], [*words, str(forks)], {})


def _forks(plan: Plan) -> int:
    made: list[int] = []
    try:
        for _ in range(3000):
            pid = os.fork()
            if not pid:
                time.sleep(60)
                os._exit(0)
            made.append(pid)
    finally:
        for pid in made:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return len(made)


def _fill(folder: str) -> int:
    path = os.path.join(folder, "playhead-fill-%d" % os.getpid())
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        os.posix_fallocate(fd, 0, 3_000_000_000)
    finally:
        os.close(fd)
        os.unlink(path)
    return 3


# The system's kernel. --------------------------------------------------------------------------


def _calls() -> list[Way]:
    def in_child(act: Callable[[], object]) -> Callable[[Plan], object]:
        return lambda plan: _in_child(act)

    word: Judged = "word"
    return [
        Way("kernel", "a user namespace", word, in_child(lambda: _unshare(0x10000000))),
        Way("kernel", "a mount namespace", word, in_child(lambda: _unshare(0x10020000))),
        Way("kernel", "a network namespace", word, in_child(lambda: _unshare(0x50000000))),
        Way("kernel", "a user namespace by clone", word, lambda plan: _clone()),
        Way("kernel", "a user namespace by clone3", word, lambda plan: _clone3()),
        Way("kernel", "a sandbox in the sandbox", word, _nested),
        Way("kernel", "a mount", word, in_child(lambda: _mount(0))),
        Way("kernel", "the folder mounted once more", word, in_child(lambda: _mount(4096))),
        Way("kernel", "all mounts made writable", word, in_child(lambda: _mount(32))),
        Way("kernel", "an end of a mount", word, lambda plan: _unmount()),
        Way("kernel", "open_tree", word, lambda plan: _call(428, -100, b"/", 0)),
        Way("kernel", "fsopen", word, lambda plan: _call(430, b"tmpfs", 0)),
        Way("kernel", "another root", word, in_child(lambda: os.chroot("/usr"))),
        Way("kernel", "a device", word, lambda plan: _device(plan)),
        Way("kernel", "io_uring", word, lambda plan: _call(425, 4, bytes(240))),
        Way("kernel", "bpf", word, lambda plan: _call(_numbers(321, 280), 0, bytes(72), 72)),
        Way("kernel", "userfaultfd", word, lambda plan: _call(_numbers(323, 282), 1)),
        Way("kernel", "perf_event_open", word, lambda plan: _perf()),
        Way("kernel", "the session's keyring", word, lambda plan: _keyring()),
        Way("kernel", "a key", word, lambda plan: _add_key()),
        Way("kernel", "modify_ldt", word, lambda plan: _ldt()),
        Way("kernel", "calls of the x32 kind", word, lambda plan: _x32()),
        Way("kernel", "typing into a terminal", word, lambda plan: _type(0x5412)),
        Way("kernel", "typing by the console", word, lambda plan: _type(0x541C)),
        Way("kernel", "the clock", word, lambda plan: time.clock_settime(0, time.time())),
        Way("kernel", "the name of the computer", word, lambda plan: _name()),
        Way("kernel", "fanotify", word, lambda plan: _call(_numbers(300, 262), 0x200, 0)),
        Way("kernel", "quotas", word, lambda plan: _call(_numbers(179, 60), 0x80000700, 0, 0, 0)),
        Way("kernel", "the rights of root by su", word, lambda plan: _become_root()),
    ]


def _in_child(act: Callable[[], object]) -> None:
    """Do it in a child, whose own state it may change. Raises OSError as the child did."""
    pid = os.fork()
    if not pid:
        status = 0
        try:
            act()
        except OSError as error:
            status = error.errno or 255
        finally:
            os._exit(status)
    number = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if number:
        raise OSError(number, os.strerror(number))


def _unshare(flags: int) -> None:
    _call(_numbers(272, 97), flags)


def _clone() -> None:
    pid = _call(_numbers(56, 220), 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


def _clone3() -> None:
    arguments = struct.pack("11Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
    pid = _call(435, ctypes.create_string_buffer(arguments), len(arguments))
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)


def _nested(plan: Plan) -> None:
    words = ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        raise PermissionError


def _mount(flags: int) -> None:
    """Mount in namespaces of its own, where it may make these; else in those that it has."""
    with contextlib.suppress(OSError):
        _unshare(0x10020000)
    source, target, kind = (b"none", b"/tmp", b"tmpfs")
    if flags:
        source, target, kind = (b"/", b"/tmp", None) if flags == 4096 else (b"", b"/", None)  # type: ignore[assignment]
    if flags == 32:
        flags |= 4096
    if _libc().mount(source, target, kind, flags, None):
        raise OSError(ctypes.get_errno() or 1, "mount")


def _unmount() -> None:
    _call(_numbers(166, 39), b"/proc", 2)


def _device(plan: Plan) -> None:
    path = os.path.join(plan["folder"], "device")
    os.mknod(path, 0o60600, os.makedev(8, 0))
    with open(path, "rb") as file:
        file.read(1)


def _perf() -> None:
    asked = (
        struct.pack("IIQ", 1, 112, 0) + bytes(24) + struct.pack("Q", 1 << 5 | 1 << 6) + bytes(64)
    )
    _call(_numbers(298, 241), ctypes.create_string_buffer(asked), 0, -1, -1, 0)


def _keyring() -> None:
    _call(_numbers(250, 219), 0, -3, 1)


def _add_key() -> None:
    _call(_numbers(248, 217), b"user", b"playhead-test", b"x", 1, -2)


def _ldt() -> None:
    if platform.machine() != "x86_64":
        raise Skip
    _call(154, 0, ctypes.create_string_buffer(64), 64)


def _x32() -> None:
    if platform.machine() != "x86_64":
        raise Skip
    _call(0x40000000 | 39)


def _type(request: int) -> None:
    ours, theirs = pty.openpty()
    try:

        def act() -> None:
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
            fcntl.ioctl(theirs, request, b"x")

        _in_child(act)
    finally:
        os.close(ours)
        os.close(theirs)


def _name() -> None:
    socket.sethostname(socket.gethostname())


def _become_root() -> None:
    if os.getuid() == 0:
        raise Skip
    os.setuid(0)


_NICE = 10


def ways() -> list[Way]:
    """Return all attempts in the order in which they are made."""
    last = Way("the folder", "the folder itself moved", "changed", _move_folder)
    return [*_reads(), *_writes(), *_sends(), *_processes(), *_calls(), last]


def main() -> int:
    """Make the attempts of the plan on standard input; report each."""
    plan = json.load(sys.stdin)
    if plan["is_control"] and os.geteuid() == 0:
        return 2  # outside, root's attempts would do harm
    os.nice(_NICE)  # somebody may be at work
    for way in ways():
        if way.is_slow and not plan["is_long"]:
            continue
        outcome, detail = "done", ""
        try:
            detail = str(way.act(plan))
        except Skip:
            outcome = "skipped"
        except KeyError:
            outcome = "skipped"
        except OSError as error:
            outcome, detail = "refused", error.strerror or str(error)
        report = {"name": way.name, "group": way.group, "outcome": outcome, "detail": detail}
        sys.stdout.write(json.dumps(report) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
