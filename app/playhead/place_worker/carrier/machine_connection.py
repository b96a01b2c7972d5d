"""One connection: the program that makes it, its questions, its first words, and why it failed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from playhead.supervisor import keeper
from playhead.supervisor.keeper import door

_READ_BYTES = 262_144
_WORDS_BYTES = 8000
_LONGEST_LINE = 1 << 20
_LONGEST_DETAIL = 600
_PR_SET_PDEATHSIG = 1
_ONLY_US = (
    *("-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "ClearAllForwardings=yes"),
    *("-o", "RemoteCommand=none"),
)
_MOST_READS = 64
_SAID = ("no_python", "no_folder", "disk_full", "gone", "system")
"""What the far side may say of itself; its words are shown in no other sentence."""
_OLDEST = "(3, 9)"
_NAMES = " ".join(("python3", *(f"python3.{n}" for n in range(15, 8, -1)), "python"))
_PLACES = "/usr/bin/python3 /usr/local/bin/python3 /opt/conda/bin/python3 /opt/homebrew/bin/python3"
_NO_PYTHON = "no_python"
_PLAIN_PATH = re.compile(r"[\w./+@~ -]+")
_CHOICE = re.compile(r"\(yes/no(/\[fingerprint\])?\)\??:?\s*$")
ROOT = Path(keeper.__file__).parent.parent.parent
"""The folder of what is sent."""

# The first of these that its words have is the reason.
_REASONS = (
    ("Host key verification failed", "host_key"),
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", "host_key"),
    ("Could not resolve hostname", "unknown_host"),
    ("Name or service not known", "unknown_host"),
    ("Permission denied (", "refused"),
    ("Too many authentication failures", "refused"),
    ("No such container", "no_container"),
    ("no such container", "no_container"),
    ("no container with name", "no_container"),
    ("is not running", "no_container"),
    ("NotFound", "no_container"),
    ("Cannot connect to the Docker daemon", "no_daemon"),
    ("permission denied while trying to connect", "no_daemon"),
    ("executable file not found", "no_shell"),
    ("Connection refused", "unreachable"),
    ("Connection timed out", "unreachable"),
    ("Operation timed out", "unreachable"),
    ("No route to host", "unreachable"),
    ("Network is unreachable", "unreachable"),
)


_INSTALL = "Install it (ssh on Debian: sudo apt install openssh-client), or choose another place."
_TRY = "See whether it works in a terminal: {command}"
_WORDS = {
    "no_program": ("There is no program “{words}” on this computer.", _INSTALL),
    "no_name": ("“{words}” cannot be the name of a machine.", "Choose where this runs."),
    "unknown_host": ("The machine “{name}” is not known.", _TRY),
    "unreachable": ("The machine “{name}” cannot be reached.", _TRY),
    "refused": (
        "“{name}” does not let you in.",
        "Add your key to the agent (ssh-add), then try again; in a terminal: {command}",
    ),
    "host_key": (
        "“{name}” does not prove to be the machine that it was.",
        "Ask who runs it. If its key was changed on purpose: ssh-keygen -R {name}",
    ),
    "no_container": ("The container “{name}” does not run.", "Start it, then try again."),
    "no_daemon": ("“{program}” does not answer on this computer.", "Start it, then try again."),
    "no_shell": ("“{name}” has no shell.", "Choose a container that has one, and Python."),
    "no_python": (
        "There is no Python 3.9 or newer on “{name}”.",
        "Install one there or name its path, or choose a container or a server.",
    ),
    "no_folder": ("There is no such folder on “{name}”.", "Choose another folder there."),
    "disk_full": ("The disk of “{name}” is full.", "Free some space there, then try again."),
    "gone": (
        "The kernel on “{name}” is gone, and its names with it.",
        "Run the code again from where you need it.",
    ),
    "taken": ("Another window goes on with this kernel on “{name}”.", "Work there, or restart."),
    "cancelled": ("The connection to “{name}” was given up.", "Run the code again to connect."),
}
_OTHER = ("“{name}” could not be connected.", _TRY)


class Failure(NamedTuple):
    """The reason for having no connection: a word of ours, and the program's own words."""

    what: str
    words: str

    def fields(self, kind: str, address: str) -> dict[str, str]:
        """Return title, detail and remedy for a person."""
        program, _, name = ("ssh", "", address) if kind == "ssh" else address.partition(":")
        command = f"ssh {name}" if kind == "ssh" else f"{program} exec -i {name} sh"
        title, remedy = _WORDS.get(self.what, _OTHER)
        words = "".join(one for one in self.words if one.isprintable())[:_LONGEST_DETAIL]
        values = {"name": name, "words": words, "program": program, "command": command}
        is_said = "{words}" in title
        return {
            "code": self.what,
            "title": title.format(**values),
            "detail": "" if is_said else words,
            "remedy": remedy.format(**values),
        }


class Question(NamedTuple):
    """A question of the program's to a person; `folder` is where its answer is awaited."""

    folder: str
    text: str
    is_secret: bool
    is_choice: bool


def far_script(mark: str, python: str = "") -> str:
    """Return the shell's command that finds a Python over there and has it run what is sent.

    One line without single quotes, backslashes and exclamation marks: it is for whatever shell the
    person has there, inside single quotes. Raises ValueError for a path that would need more.
    """
    if python and not _PLAIN_PATH.fullmatch(python):
        raise ValueError(python)
    wanted = python.replace("~/", "$HOME/", 1) if python.startswith("~/") else python
    found = f'"{wanted}"' if python else f"{_NAMES} {_PLACES} $HOME/miniconda3/bin/python3"
    code = (
        f"import sys; sys.version_info < {_OLDEST} and sys.exit(99); "
        "exec(sys.stdin.buffer.raw.readline())"
    )
    ask = '"${SHELL:-/bin/sh}" -lc "command -v python3" </dev/null 2>/dev/null | tail -n 1'
    again = "" if python else f" $({ask})"
    return (
        f"echo {mark}; "
        f'for p in {found}{again}; do command -v "$p" >/dev/null 2>&1 || continue; '
        f'"$p" -I -u -c "{code}"; s=$?; [ $s = 99 ] || [ $s = 2 ] || exit $s; done; '
        f"echo {_NO_PYTHON}"
    )


def command_of(address: str, kind: str, script: str, *, is_alone: bool = False) -> list[str]:
    """Return the program and arguments that run a script at an address.

    `is_alone`: not over a connection that another ssh has open, which may be dead. Raises
    ValueError.
    """
    if kind == "ssh":
        if address.startswith("-") or not address:
            raise ValueError(address)
        own = ["-S", "none"] if is_alone else []
        return ["ssh", "-T", *_ONLY_US, *own, "--", address, f"exec sh -c '{script}'"]
    program, _, name = address.partition(":")
    if name.startswith("-") or not name:
        raise ValueError(address)
    if program in ("docker", "podman"):
        return [program, "exec", "-i", name, "sh", "-c", script]
    if program == "kubectl":
        return [program, "exec", "-i", name, "--", "sh", "-c", script]
    if program == "wsl":
        return ["wsl.exe", "-d", name, "-e", "sh", "-c", script]
    raise ValueError(address)


def packed_files(root: Path = ROOT) -> bytes:
    """Return our files for the far side, as one archive."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in door.tree_files(str(root)):
            archive.writestr(path.replace(os.sep, "/"), (root / path).read_bytes())
    return found.getvalue()


_SCRIPT = """#!/bin/sh
d=$(mktemp -d "${0%/*}/q.XXXXXX") && mkfifo "$d/answer" || exit 1
printf %s "$1" >"$d/text"
printf %s "$SSH_ASKPASS_PROMPT" >"$d/kind"
printf "%s\\n" "${d##*/}" >"${0%/*}/bell"
IFS= read -r a <"$d/answer" || exit 1
printf "%s\\n" "$a"
"""


class AskPass:
    """Owner of the folder of a program that asks in the place of ssh's own terminal.

    It is a script of the shell: what is answered goes through pipes in a folder that is only ours.
    """

    def __init__(self, parent: str) -> None:
        self._folder = tempfile.mkdtemp(prefix=".ask-", dir=parent)
        script = os.path.join(self._folder, "ask")
        with open(os.open(script, os.O_WRONLY | os.O_CREAT, 0o700), "w", encoding="ascii") as file:
            file.write(_SCRIPT)
        bell = os.path.join(self._folder, "bell")
        os.mkfifo(bell, 0o600)
        self.bell = os.open(bell, os.O_RDWR | os.O_NONBLOCK)
        self.variables = {"SSH_ASKPASS": script, "SSH_ASKPASS_REQUIRE": "force"}
        self._answers: list[int] = []

    def questions(self) -> list[Question]:
        """Return what is asked now."""
        found: list[Question] = []
        for name in os.read(self.bell, 4096).decode("ascii", "replace").split():
            folder = os.path.join(self._folder, os.path.basename(name))
            with contextlib.suppress(OSError):
                text = Path(folder, "text").read_text("utf-8", "replace")
                kind = Path(folder, "kind").read_text("ascii", "replace")
                is_choice = bool(kind) or _CHOICE.search(text) is not None
                found.append(Question(folder, text[:_WORDS_BYTES], not is_choice, is_choice))
        return found

    def answer(self, question: Question, text: str) -> None:
        """Give an answer."""
        with contextlib.suppress(OSError):
            pipe = os.open(os.path.join(question.folder, "answer"), os.O_RDWR | os.O_NONBLOCK)
            self._answers.append(pipe)  # open until the other end has read it
            os.write(pipe, text.split("\n")[0].encode("utf-8", "surrogateescape") + b"\n")

    def forget(self) -> None:
        """Drop what was answered: the connection is made, or given up."""
        while self._answers:
            os.close(self._answers.pop())

    def close(self) -> None:
        """Delete all of it."""
        self.forget()
        os.close(self.bell)
        shutil.rmtree(self._folder, ignore_errors=True)


class MachineConnection:
    """Owner of one process of ssh, docker or another program, and of what was said at its start.

    `welcome` is what the keeper says when it has taken the connection; then `output` and `input`
    are the link. Raises OSError where the program is missing.
    """

    def __init__(self, command: list[str], mark: str, request: dict[str, Any]) -> None:
        self._mark = mark.encode("ascii") + b"\n"
        self._heard = b""
        self._is_marked = False
        self._words = b""
        self.has_words = True
        """Whether the program may still say something itself."""
        self._said: Failure | None = None
        self._has_given = False
        self._waiting = bytearray(_opening(request))
        self.welcome: dict[str, Any] | None = None
        self.rest = b""
        """What came behind the welcome: bytes of the link."""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
        for fd in (self.input, self.output, self.errors):
            os.set_blocking(fd, False)

    @property
    def input(self) -> int:
        """Return the descriptor of what goes there."""
        assert self._process.stdin is not None  # noqa: S101 - it was started with pipes
        return self._process.stdin.fileno()

    @property
    def output(self) -> int:
        """Return the descriptor of what comes from there."""
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout.fileno()

    @property
    def errors(self) -> int:
        """Return the descriptor of the program's own words."""
        assert self._process.stderr is not None  # noqa: S101
        return self._process.stderr.fileno()

    @property
    def has_to_write(self) -> bool:
        """Return whether something waits to be written."""
        return bool(self._waiting)

    def write(self, data: bytes) -> None:
        """Send bytes; never waits. Raises OSError when it has ended."""
        self._waiting += data
        with contextlib.suppress(BlockingIOError):
            while self._waiting:
                del self._waiting[: os.write(self.input, self._waiting[:65536])]

    def read(self) -> bytes | None:
        """Return bytes of the link; None when it has ended. Before the welcome there are none."""
        try:
            data = os.read(self.output, _READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            return None
        if not data:
            return None
        if self.welcome is not None:
            return data
        self._heard += data
        self._read_first_words()
        if len(self._heard) > _LONGEST_LINE:
            self._said = Failure("other", "It says more than it should.")
            return None
        rest, self.rest = self.rest, b""
        return rest

    def read_words(self, *, is_last: bool = False) -> bool:
        """Take the program's own words; return whether there may be more."""
        try:
            data = os.read(self.errors, _READ_BYTES)
        except BlockingIOError:
            return not is_last
        except OSError:
            data = b""
        self._words = (self._words + data)[-_WORDS_BYTES:]
        self.has_words = bool(data)
        return self.has_words

    def _read_first_words(self) -> None:
        if not self._is_marked:
            before, found, after = self._heard.partition(self._mark)
            if not found:
                self._heard = self._heard[-_LONGEST_LINE:]
                return
            self._is_marked, self._heard = True, after
            del before  # what the shell's start files have printed
        while self.welcome is None and b"\n" in self._heard:
            line, _, self._heard = self._heard.partition(b"\n")
            self._take(line)
        if self.welcome is not None:
            self.rest, self._heard = self._heard, b""

    def _take(self, line: bytes) -> None:
        if line.strip() == _NO_PYTHON.encode("ascii"):
            self._said = Failure(_NO_PYTHON, self.last_words())
            return
        try:
            said: Any = json.loads(line)
            kind = said["t"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if kind == "welcome":
            self.welcome = said
        elif kind == "failed":
            what = str(said.get("what"))
            words = str(said.get("words"))[:_WORDS_BYTES]
            self._said = Failure(what if what in _SAID else "other", words)
        elif kind == "need" and not self._has_given:
            self._has_given = True
            data = packed_files()
            with contextlib.suppress(OSError):  # it has ended, which is seen by its output
                self.write(json.dumps({"size": len(data)}).encode("ascii") + b"\n" + data)

    def failure(self) -> Failure:
        """Return why it has ended."""
        if self._said is not None:
            return self._said
        for _ in range(_MOST_READS):  # the far side may print without end
            if not self.read_words(is_last=True):
                break
        words = self._words.decode("utf-8", "replace")
        # Once a shell has answered, these are its words, too, and not only ssh's.
        found = () if self._is_marked else _REASONS
        other = "cut" if self._is_marked else "other"
        reason = next((what for part, what in found if part in words), other)
        return Failure(reason, self.last_words())

    def last_words(self) -> str:
        """Return the last line that the program itself has printed."""
        lines = self._words.decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """End it with all that it has started, as the program of a proxy."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for one in (self._process.stdin, self._process.stdout, self._process.stderr):
            if one is not None:
                one.close()


def end_with_parent() -> None:
    """Have this process, which is about to become another program, end when its parent does."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _opening(request: dict[str, Any]) -> bytes:
    """Return what the Python over there is given first: the door's source, then the request."""
    source = Path(door.__file__).read_text("utf-8") + "\nserve()\n"
    line = f"exec(compile({source!a}, 'door', 'exec'), {{'__name__': 'door'}})\n"
    return line.encode("ascii") + json.dumps(request).encode("ascii") + b"\n"
