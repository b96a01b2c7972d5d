"""Makes the attempts inside a sandbox of this machine, and judges them from outside.

What they try to read, to change and to reach is put there for them: in the home folder, in the
system's folders for temporary files, as listeners and as processes of the same person.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from playhead.domain.trust import Attempt, AttemptOutcome, BoundaryReport
from playhead.sandbox import attempts
from playhead.sandbox.attempts import CHANGES, DATAGRAMS, MOVED, NEW_FILES, PINNED, SECRETS
from playhead.supervisor import protocol

_LIMIT_S = 20
_LIFE_LIMIT_S = 0.3
_TO_BE_CONTINUED = "a signal to all"
_VICTIMS = (
    *("a kill", "a kill of a group", "a stop", "a lower priority", "a lower limit"),
    *("another processor", "out of memory first", "a trace", "a handle", "its presence"),
    *("its namespaces", "a comparison", _TO_BE_CONTINUED),
)
_ROOT_GAP = "The program runs as root, so that a way out would lead to all of this computer."


_PREFIX = "playhead-test-"
_OLD_S = 3600
_SHARED = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - what is there is looked at, never trusted


class Claim(Struct, frozen=True):
    """The word of the program of attempts on one; `outcome` is done, refused or skipped."""

    group: str
    name: str
    outcome: str
    detail: str = ""


class Stage:
    """Owner of all that the attempts try to reach; a context that removes it."""

    def __init__(self, home: str) -> None:
        self._home = home
        self.mark = f"{_PREFIX}{os.getpid()}-{os.urandom(12).hex()}"
        self.place = Path()
        self.folder = Path()
        self.plan: dict[str, Any] = {}
        self._life = -1
        self._before: dict[str, object] = {}
        self._received: set[str] = set()
        self._cleanup = contextlib.ExitStack()
        self._victims: dict[str, subprocess.Popen[bytes]] = {}
        self._limits: dict[str, object] = {}

    def __enter__(self) -> Stage:
        with self._cleanup:
            self._make()
            self._cleanup = self._cleanup.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _make(self) -> None:
        _remove_old(self._home)
        self._life, life = os.pipe()  # the victims end when nobody can write to it any more
        self._cleanup.callback(os.close, life)
        self._cleanup.callback(os.close, self._life)
        # Its name is seen inside, where the folder is, so that the mark is not in it.
        self.place = Path(self._home, f".{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}")
        self.place.mkdir(0o700)
        self._cleanup.callback(shutil.rmtree, self.place, ignore_errors=True)
        seen = Path(self._home, f".{self.mark}")  # what a list of the home folder would show
        seen.touch()
        self._cleanup.callback(seen.unlink, missing_ok=True)
        self.folder = self.place / "folder"
        self.folder.mkdir()
        (self.place / "secret").write_text(self.mark)
        (self.folder / "own").write_text("own")
        (self.folder / "old-link").symlink_to(self.place / "secret")
        files = self._make_files()
        victim = self._start_victim("victim")
        self.plan = {
            "home": self._home,
            "folder": str(self.folder),
            "own": str(self.folder / "own"),
            "secret": str(self.place / "secret"),
            "mark": self.mark,
            "secrets": self._make_secrets(),
            "files": files,
            "victim": victim.pid,
            "victims": {name: self._start_victim(name).pid for name in _VICTIMS},
            "listeners": self._listen(),
            "memory": self._share_memory(),
            "is_long": False,
            "is_control": False,
        }
        self._before = {name: _fingerprint(path) for name, path in files.items()}
        stopped = self._victims[_TO_BE_CONTINUED].pid
        os.kill(stopped, signal.SIGSTOP)
        os.waitid(os.P_PID, stopped, os.WSTOPPED)
        self._limits = {name: self._look_at(name) for name in _VICTIMS}

    def _make_secrets(self) -> dict[str, str]:
        runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        shared = {"/tmp": "/tmp", "/var/tmp": "/var/tmp", "/dev/shm": "/dev/shm"}  # noqa: S108
        shared["the runtime folder"] = runtime
        found: dict[str, str] = {}
        for number, name in enumerate(SECRETS):
            place = Path(shared.get(name, str(self.place)))
            path = place / f"{self.mark}-{number}"
            if name not in shared or (place.is_dir() and os.access(place, os.W_OK)):
                path.write_text(self.mark)
                found[name] = str(path)
                self._cleanup.callback(path.unlink, missing_ok=True)
        return found

    def _make_files(self) -> dict[str, str]:
        """Make a file for each attempt to change one; return where they are."""
        outside = self.place / "outside"
        outside.mkdir()
        shared = {"in /tmp": "/tmp", "in /var/tmp": "/var/tmp", "in /dev/shm": "/dev/shm"}  # noqa: S108
        found: dict[str, str] = {"the folder itself moved": str(self.folder)}
        for number, (name, (is_there, _)) in enumerate(CHANGES.items()):
            path = outside / f"{number}"
            if is_there:
                path.write_text("before")
            found[name] = str(path)
        for number, name in enumerate(NEW_FILES):
            places = [where for words, where in shared.items() if name.endswith(words)]
            path = Path(places[0] if places else outside) / f"{self.mark}-new-{number}"
            found[name] = str(path)
            self._cleanup.callback(path.unlink, missing_ok=True)
        for name, part in PINNED.items():
            path = self.folder / part
            path.parent.mkdir(parents=True, exist_ok=True)
            if not name.startswith("a "):
                path.write_text("before")
            found[name] = str(path)
        (self.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        for name, part in MOVED.items():
            found[name + " moved"] = str(self.folder / part)
        return found

    def _start_victim(self, name: str) -> subprocess.Popen[bytes]:
        """Start a process of the same person, with the secret wherever a process can have one."""
        words = ["/bin/sh", "-c", "read line", self.mark] if name == "victim" else ["/bin/cat"]
        with (self.place / "secret").open("rb") as secret:
            started = subprocess.Popen(
                words,
                stdin=self._life,
                stdout=subprocess.DEVNULL,
                stderr=secret,
                cwd=self.place,
                env={"PATH": "/usr/bin:/bin", "SECRET": self.mark},
                process_group=0,  # of this session: one that is stopped ends with this program, too
            )
        self._victims[name] = started

        def end() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.wait()

        self._cleanup.callback(end)
        return started

    def _look_at(self, name: str) -> object:
        pid = self._victims[name].pid
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            limits = Path(f"/proc/{pid}/limits").read_text()
            return state in "TtZX", os.getpriority(os.PRIO_PROCESS, pid), limits
        except OSError:
            return None

    def _share_memory(self) -> int:
        """Put the secret into shared memory; return its number, -1 on a system without it."""
        libc = ctypes.CDLL(None)
        libc.shmat.restype = ctypes.c_void_p
        number = int(libc.shmget(0, 4096, 0o1600))
        if number < 0:
            return -1
        at = libc.shmat(number, None, 0)
        ctypes.memmove(at, self.mark.encode(), len(self.mark))
        libc.shmdt(ctypes.c_void_p(at))
        self._cleanup.callback(libc.shmctl, number, 0, None)
        return number

    def _listen(self) -> dict[str, tuple[int, Any]]:
        """Listen wherever code could reach somebody; return the addresses."""
        own = _own_address()
        addresses: dict[str, tuple[int, Any]] = {
            "127.0.0.1": (socket.AF_INET, ("127.0.0.1", 0)),
            "127.0.0.2": (socket.AF_INET, ("127.0.0.2", 0)),
            "0.0.0.0": (socket.AF_INET, ("0.0.0.0", 0)),  # noqa: S104 - for these two seconds
            "::1": (socket.AF_INET6, ("::1", 0)),
            "an abstract socket": (socket.AF_UNIX, f"\0{self.mark}"),
            "a socket in the home folder": (socket.AF_UNIX, str(self.place / "s")),
            "a socket in /tmp": (socket.AF_UNIX, f"/tmp/{self.mark}.socket"),  # noqa: S108
            "a socket in the folder": (socket.AF_UNIX, str(self.folder / "s")),
            "fast open": (socket.AF_INET, ("127.0.0.1", 0)),
        }
        if own:
            addresses["the address of this computer"] = (socket.AF_INET, (own, 0))
        found: dict[str, tuple[int, Any]] = {}
        for name, (family, address) in addresses.items():
            if (at := self._receive(family, socket.SOCK_STREAM, address)) is not None:
                found[name] = int(family), at
        datagrams = (socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, f"\0{self.mark}-2")
        for name, (family, address) in zip(DATAGRAMS, datagrams, strict=True):
            if (at := self._receive(family, socket.SOCK_DGRAM, address)) is not None:
                found[name] = int(family), at
        return found

    def _receive(self, family: int, kind: int, address: Any) -> Any:
        ours = socket.socket(family, kind)
        try:
            ours.bind(address)
            if kind == socket.SOCK_STREAM:
                ours.listen()
        except OSError:
            ours.close()
            return None
        at = ours.getsockname()
        if family == socket.AF_UNIX and isinstance(address, str) and address.startswith("/"):
            self._cleanup.callback(Path(address).unlink, missing_ok=True)
        thread = threading.Thread(target=self._serve, args=(ours, kind), daemon=True)
        thread.start()
        self._cleanup.callback(thread.join, 1.0)
        self._cleanup.callback(_shut, ours)
        return at.decode() if isinstance(at, bytes) else at

    def _serve(self, ours: socket.socket, kind: int) -> None:
        with ours:
            while True:
                try:
                    if kind == socket.SOCK_DGRAM:
                        data = ours.recv(100)
                        if not data:
                            return
                    else:
                        taken, _ = ours.accept()
                        with taken:
                            taken.settimeout(1)
                            data = taken.recv(100)
                except OSError:
                    return
                self._received.add(data.decode("utf-8", "replace").strip())

    def judge(self, claims: Sequence[Claim]) -> tuple[Attempt, ...]:
        """Return what became of the attempts, by what is seen here."""
        known = {(way.group, way.name): way for way in attempts.ways()}
        living = _living(self.mark)
        judged: list[Attempt] = []
        for claim in claims:
            way = known[claim.group, claim.name]
            is_through = self._is_through(claim, way.judged, living)
            outcome: AttemptOutcome = "through" if is_through else _outcome(claim)
            detail = "" if claim.outcome == "done" and not is_through else claim.detail[:120]
            judged.append(
                Attempt(group=claim.group, name=claim.name, outcome=outcome, detail=detail)
            )
        return tuple(judged)

    def _is_through(self, claim: Claim, judged: str, living: set[str]) -> bool:
        match judged:
            case "token":
                return self.mark in claim.detail
            case "changed":
                path = self.plan["files"].get(claim.name)
                return path is not None and _fingerprint(path) != self._before[claim.name]
            case "sent":
                return claim.name in self._received
            case "victim":
                return self._look_at(claim.name) != self._limits[claim.name]
            case "lives":
                return ("2" if "two forks" in claim.name else "1") in living
            case _:
                return claim.outcome == "done"


def _remove_old(home: str) -> None:
    """Remove what a test that was killed has left in the home and the shared folders."""
    found = [*Path(home).glob(f".{_PREFIX}*")]
    found += [path for folder in _SHARED for path in Path(folder).glob(f"{_PREFIX}*")]
    for path in found:
        with contextlib.suppress(OSError):
            facts = path.lstat()
            if facts.st_uid != os.geteuid() or not _is_left(path.name, facts.st_mtime):
                continue
            if stat.S_ISDIR(facts.st_mode):
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def _is_left(name: str, changed_at: float) -> bool:
    """Return whether the process that a name has in it has ended, or a test cannot last so long."""
    pid = name.lstrip(".").removeprefix(_PREFIX).partition("-")[0]
    return not os.path.exists(f"/proc/{pid}") or time.time() - changed_at > _OLD_S


def _outcome(claim: Claim) -> AttemptOutcome:
    if claim.outcome == "skipped":
        return "skipped"
    if claim.outcome == "done":
        return "private"
    return "invisible" if claim.detail.startswith(("No such", "Connection refused")) else "refused"


def _shut(ours: socket.socket) -> None:
    with contextlib.suppress(OSError):
        ours.shutdown(socket.SHUT_RDWR)
    if ours.type == socket.SOCK_DGRAM:  # a shutdown wakes no reader of datagrams of the internet
        with contextlib.suppress(OSError), socket.socket(ours.family, ours.type) as other:
            other.sendto(b"", ours.getsockname())


def _own_address() -> str:
    """Return the address of this computer in its network; "" if it has none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.connect(("192.0.2.1", 9))
        return str(ours.getsockname()[0])
    return ""


def _fingerprint(path: str) -> object:
    try:
        facts = os.lstat(path)
        content = Path(path).read_bytes() if stat.S_ISREG(facts.st_mode) else b""
        names = os.listxattr(path, follow_symlinks=False)
    except OSError as error:
        return type(error).__name__
    if stat.S_ISDIR(facts.st_mode):  # what is in it has its own attempts
        return facts.st_mode, facts.st_ino
    return facts.st_mode, facts.st_ino, facts.st_mtime_ns, content, names


def _living(mark: str) -> set[str]:
    """Return the last word of each process that has the mark in its arguments, after a moment."""
    deadline = time.monotonic() + _LIFE_LIMIT_S
    while True:
        found: set[str] = set()
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    words = Path(entry.path, "cmdline").read_bytes().split(b"\0")
                    if mark.encode() in words and b"time.sleep(60)" in b" ".join(words):
                        found.add(words[-2].decode())
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)


def attempts_command(python: str) -> list[str]:
    """Return the command that makes the attempts."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--kernel", "--attempts"]
    return [python, "-I", "-S", attempts.__file__]


def make_attempts(
    stage: Stage, command: Sequence[str], variables: Mapping[str, str], fds: Sequence[int] = ()
) -> tuple[list[Claim], str]:
    """Run the program of attempts; return what it says, and what else was said."""
    done = subprocess.run(
        list(command),
        input=json.dumps(stage.plan).encode(),
        capture_output=True,
        env=dict(variables),
        cwd="/",
        pass_fds=tuple(fds),
        timeout=_LIMIT_S,
        check=False,
        start_new_session=True,  # a supervisor ends all of its group
    )
    claims: list[Claim] = []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError, TypeError):
            fields = json.loads(line)
            claims.append(Claim(*(str(fields[n]) for n in ("group", "name", "outcome", "detail"))))
    return claims, done.stderr.decode("utf-8", "replace")[-500:]


@contextlib.contextmanager
def control() -> Generator[tuple[int, str]]:
    """Yield a supervisor's descriptor and the variable that names it: it ends with this."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield theirs.fileno(), protocol.CONTROL


def report_of(judged: tuple[Attempt, ...], complaint: str) -> BoundaryReport:
    """Return the report of attempts; a program that ended early is a problem."""
    expected = sum(not way.is_slow for way in attempts.ways())
    if len(judged) < expected:
        last = complaint.strip().splitlines()[-1:] or ["it ended early"]
        return BoundaryReport(
            tested_at=time.time(),
            attempts=judged,
            problem=f"The sandbox could not be tested: {last[0]}.",
        )
    gaps = (_ROOT_GAP,) if os.geteuid() == 0 else ()
    return BoundaryReport(tested_at=time.time(), attempts=judged, gaps=gaps)


def problem_report(problem: str, remedy: str = "") -> BoundaryReport:
    """Return the report where nothing could be tried."""
    return BoundaryReport(tested_at=time.time(), problem=problem, remedy=remedy)
