"""A real `playhead serve` for other programs to talk to: a process, a home of its own, a token."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.support.display import NO_BUS
from tests.support.driver import FROM_SOURCE, ROOT, write_settings
from tests.support.waiting import until_now

START_S = 100.0
END_S = 100.0
TOKEN = "token-of-the-tests"
PROVIDER_KEY = "sk-of-the-tests"
_MARK = "SERVED_MARK"
_LISTENING = re.compile(r"listening on (http\S+)")


class ServeError(AssertionError):
    """The server did not do what was waited for; says what it wrote to stderr."""


@dataclass(frozen=True, slots=True)
class Served:
    """One running server; owned by `served`."""

    address: str
    token: str
    home: Path
    process: subprocess.Popen[str]
    mark: str

    @property
    def log(self) -> str:
        """What it wrote to stderr so far."""
        return (self.home / "stderr.log").read_text("utf-8", "replace")

    @property
    def working_folder(self) -> Path:
        """Where its kernels start."""
        return self.home / "work"

    @property
    def headers(self) -> dict[str, str]:
        """What lets a request in."""
        return {"Authorization": f"Bearer {self.token}"}

    def processes(self) -> set[int]:
        """The server and all that it has started and that still runs."""
        return _marked(self.mark)


@contextmanager
def served(
    home: Path,
    *,
    program: Sequence[str] = FROM_SOURCE,
    model: str = "openai/test",
    api_base: str = "",
    arguments: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    environment: Mapping[str, str] | None = None,
    start_folder: Path | None = None,
) -> Iterator[Served]:
    """A headless server for the time of the block.

    It must end well: exit code 0 on SIGTERM, no traceback in its log, no process left behind.
    """
    mark = uuid.uuid4().hex
    # The managed environment would be made during the tests.
    write_settings(home, interpreter=sys.executable, **(settings or {}))
    (home / "work").mkdir(exist_ok=True)
    command = [*program, "serve", "--port", "0"]
    command += ["--data-dir", str(home / "data"), "--working-dir", str(home / "work")]
    command += ["--model", model] if model else []
    command += ["--api-base", api_base] if api_base else []
    with (home / "stderr.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=start_folder or home,
            env={**_environment(home, mark), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        address = _address(process, home)
        server = Served(address, TOKEN, home, process, mark)
        yield server
        process.send_signal(signal.SIGTERM)
        _check_end(server)
    finally:
        _kill(process, mark)


def _environment(home: Path, mark: str) -> dict[str, str]:
    """An empty home, no key but the test's; its processes are counted here, not by the guards."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    own = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "DBUS_SESSION_BUS_ADDRESS": NO_BUS,
        "PLAYHEAD_CONFIG_DIR": str(home / "config"),
        "PLAYHEAD_CACHE_DIR": str(home / "cache"),
        "PLAYHEAD_TOKEN": TOKEN,
        "PLAYHEAD_PROVIDER_KEY": PROVIDER_KEY,
        "PYTHONPATH": str(ROOT / "app"),
        _MARK: mark,
    }
    return kept | own


def _address(process: subprocess.Popen[str], home: Path) -> str:
    """What the one line on stdout says."""
    assert process.stdout is not None
    lines: Queue[str] = Queue()
    stdout = process.stdout
    Thread(target=lambda: lines.put(stdout.readline()), name="served-line", daemon=True).start()
    with suppress(Empty):
        if found := _LISTENING.match(lines.get(timeout=START_S)):
            return found[1]
    log = (home / "stderr.log").read_text("utf-8", "replace")
    raise ServeError(f"No server (exit code {process.poll()}):\n{log[-4000:]}")


def _check_end(server: Served) -> None:
    try:
        status = server.process.wait(END_S)
    except subprocess.TimeoutExpired:
        raise ServeError(f"Still there after SIGTERM:\n{server.log[-4000:]}") from None
    until_now(lambda: not server.processes())
    if status != 0 or "Traceback" in server.log:
        raise ServeError(f"Ended with {status}:\n{server.log[-8000:]}")


def _kill(process: subprocess.Popen[str], mark: str) -> None:
    for pid in _marked(mark):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _marked(mark: str) -> set[int]:
    """Processes that carry the mark in their environment, orphans too (Linux only).

    Those that hide themselves are seen by root alone.
    """
    wanted, found = f"{_MARK}={mark}".encode(), set[int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if wanted in (entry / "environ").read_bytes():
                    found.add(int(entry.name))
    return found
