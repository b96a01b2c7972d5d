"""Kills the window, the server, the model worker and kernels at random moments.

Whatever was shown until a moment before must be in the history file, the file must be sound, no
process may stay, and the next start or turn must work. How much text was lost is known exactly:
answers and outputs consist of the times at which they were sent.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.display import virtual_display
from tests.support.driver import FROM_SOURCE, App, write_settings
from tests.support.guards import RUN_MARK, command_line, descendants, mark_descendants
from tests.support.model_server import ModelServer, Reply, Request, execute, text
from tests.support.served import TOKEN, Served, served
from tests.support.waiting import until_now
from tests.support.workers import WorkerHost

KILLS = 300
SEED = 20_260_102
LOST_LIMIT_MS = 250
LEFT_LIMIT_S = 2.0
_ARGUMENTS = ("--allow-auto-run", "--no-rate-limit")
_PACE_S = 0.005
_LONGEST_S = 2.5
_STAMP = re.compile(r"<(\d+)>")
_CODE = """\
import time
for _ in range(2000):
    print(f"<{time.monotonic_ns()}>")
    time.sleep(0.005)
"""
_TYPED = (
    "for _ in range(2000): print(f'<{__import__(\"time\").monotonic_ns()}>')"
    " or __import__('time').sleep(0.005)"
)


class Times(tuple[Mapping[str, str], ...]):
    """Deltas that are made when they are sent: each says at what time, in nanoseconds."""

    def __iter__(self) -> Iterator[Mapping[str, str]]:
        return ({"content": f"<{time.monotonic_ns()}> "} for _ in range(2000))


def script(request: Request) -> Reply:
    """Answer with times, have code run that prints them, or say that all is well."""
    if request.has_result:
        return text("Done.")
    match request.user_text:
        case "answer":
            return Reply(deltas=Times(), pace_s=_PACE_S)
        case "run":
            return execute(_CODE)
        case _:
            return text("All is well.")


@dataclass
class Figures:
    """What was seen of one kind of kill."""

    kills: int = 0
    lost_ms: list[float] = field(default_factory=list)
    left_s: list[float] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lost, left = sorted(self.lost_ms) or [0.0], sorted(self.left_s) or [0.0]
        return (
            f"{self.kills} kills, {len(self.lost_ms)} of them in a text: lost ms "
            f"median {lost[len(lost) // 2]:.0f} max {lost[-1]:.0f}; "
            f"all gone after at most {left[-1]:.2f} s"
        )


class Kills:
    """Does one kill after the other, each in a home that has seen the ones before."""

    def __init__(self, folder: Path, display: Mapping[str, str], worker: WorkerHost) -> None:
        self._folder = folder
        self._display = display
        self._worker = worker.worker
        self._random = random.Random(SEED)
        self.figures: dict[str, Figures] = defaultdict(Figures)

    def of_the_server(self, model: ModelServer, what: str) -> None:
        """Kill `playhead serve` while it answers, or runs code, or starts."""
        home = self._home("server")
        seen = set(descendants())
        with (
            suppress(ConnectionError),
            served(
                home,
                program=self._worker.program,
                api_base=model.base_url,
                arguments=["--allow-auto-run", "--no-rate-limit"],
            ) as server,
        ):
            asked_at = time.monotonic_ns()
            answer = ask(server, what)
            killed_at = self._kill_after(self._moment(), server.process.pid)
            server.process.wait()
            answer.join()
            first = min(stamps_in(answer.text), default=killed_at)
            self._judge(f"server, {what}", home / "data", (asked_at, first, killed_at), seen)
            raise ConnectionError  # its exit is not that of a server that was asked to end

    def of_the_window(self, model: ModelServer, what: str) -> None:
        """Kill the window while it answers or runs typed code."""
        home = self._home(f"window-{what}")
        (home / "work").mkdir(exist_ok=True)
        known = {"model": "openai/test", "api_base": model.base_url} if what == "answer" else {}
        write_settings(home, interpreter=sys.executable, folder=str(home / "work"), **known)
        seen = set(descendants())
        app = App(home, self._display, command=self._worker.program)
        try:
            app.type("answer" if what == "answer" else _TYPED)
            asked_at = time.monotonic_ns()
            app.press("Return")
            killed_at = self._kill_after(self._moment(), app.process.pid)
            app.process.wait()
        finally:
            app.kill()
        self._judge(f"window, {what}", home / "data", (asked_at, killed_at, killed_at), seen)

    def of_a_part(self, server: Served, part: str, what: str) -> None:
        """Kill the server's model worker or a kernel at work; the server goes on."""
        asked_at = time.monotonic_ns()
        answer = ask(server, what)
        time.sleep(self._moment())
        victims = [pid for pid in descendants() if part in command_line(pid)]
        if not victims:
            answer.hang_up()
            return  # nothing of that kind was started yet
        victim = self._random.choice(victims)
        killed_at = self._kill_after(0.0, victim)
        until_now(lambda: not answer.is_alive())
        times = (asked_at, killed_at, killed_at)
        self._judge(f"{part}, {what}", server.home / "data", times, None)
        again = ask(server, "hello")
        until_now(lambda: not again.is_alive())
        if "All is well." not in again.text:
            self.figures[f"{part}, {what}"].complaints.append(f"no next turn: {again.text[-300:]}")

    def _home(self, name: str) -> Path:
        home = self._folder / name
        home.mkdir(exist_ok=True)
        return home

    def _moment(self) -> float:
        return self._random.uniform(0.0, _LONGEST_S)

    def _kill_after(self, seconds: float, pid: int) -> int:
        time.sleep(seconds)
        killed_at = time.monotonic_ns()
        os.kill(pid, signal.SIGKILL)
        return killed_at

    def _judge(
        self, kind: str, data: Path, times: tuple[int, int, int], before: set[int] | None
    ) -> None:
        """Note what is lost and left; `times`: of the question, the first text seen, the kill."""
        asked_at, first, killed_at = times
        figures = self.figures[kind]
        gone_at = time.monotonic()
        while before is not None and (left := set(descendants()) - before):
            if time.monotonic() > gone_at + LEFT_LIMIT_S:
                figures.complaints += [f"left: {pid} {command_line(pid)}" for pid in left]
                break
            time.sleep(0.01)
        figures.left_s.append(time.monotonic() - gone_at)
        figures.kills += 1
        stored = last_stamp(data / "history.sqlite3", figures.complaints)
        last = stored if stored > asked_at else first
        if last < killed_at:  # else nothing had been sent that is known of
            figures.lost_ms.append((killed_at - last) / 1e6)
        elif stored > asked_at:
            figures.lost_ms.append(0.0)  # the part was killed, and the answer went on


def _mark() -> dict[str, str]:
    """Return what makes a server's processes descendants to look for."""
    return {RUN_MARK: os.environ[RUN_MARK]}


class Answer(threading.Thread):
    """A streamed answer that is read to its end."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        super().__init__(name="soak-answer", daemon=True)
        self._connection = connection
        self.text = ""

    def run(self) -> None:
        """Read until the stream ends or breaks off."""
        with suppress(OSError, http.client.HTTPException, AttributeError, ValueError):
            response = self._connection.getresponse()
            while line := response.readline():
                self.text += line.decode("utf-8", "replace")
        self._connection.close()

    def hang_up(self) -> None:
        """Leave before the end."""
        with suppress(OSError, AttributeError):
            self._connection.sock.shutdown(2)
        self.join()


def ask(server: Served, what: str) -> Answer:
    """Ask in a new session; the answer is read beside."""
    address = urlsplit(server.address)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/sessions", json.dumps({"title": what}), headers)
    session_id = json.loads(connection.getresponse().read())["session_id"]
    body = {
        "stream": True,
        "auto_run": True,
        "session_id": session_id,
        "messages": [{"role": "user", "type": "message", "content": what}],
    }
    connection.request("POST", "/v1/chat", json.dumps(body), headers)
    answer = Answer(connection)
    answer.start()
    return answer


def last_stamp(path: Path, complaints: list[str]) -> int:
    """Return the last time that is stored; 0 for none. Whether the file is sound is noted."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=30)) as database:
        sound = database.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            complaints.append(f"the history is damaged: {sound}")
        texts = []
        with suppress(sqlite3.OperationalError):  # killed before the tables were made
            texts += database.execute("SELECT content FROM message ORDER BY seq DESC LIMIT 6")
            texts += database.execute("SELECT group_concat(text, '') FROM delta")
    return max((stamp for (stored,) in texts for stamp in stamps_in(stored or "")), default=0)


def stamps_in(text: str) -> list[int]:
    """Return the times that a text consists of, in nanoseconds."""
    return [int(found) for found in _STAMP.findall(text)]


def kills(folder: Path, count: int) -> list[str]:
    """Kill so many times; return what was wrong, in words."""
    mark_descendants()
    host = WorkerHost()
    with virtual_display("1280x800x24") as display, ModelServer(script) as model:
        host.worker.warm_up()
        made = Kills(folder, display, host)
        _of_starters(made, model, count)
        _of_parts(made, model, folder, host, count)
    host.close()
    complaints: list[str] = []
    for kind, figures in made.figures.items():
        print(f"{kind}: {figures}")
        over = [round(ms) for ms in figures.lost_ms if ms > LOST_LIMIT_MS]
        complaints += [f"{kind}: {ms} ms of text lost" for ms in over]
        complaints += [f"{kind}: {words}" for words in figures.complaints]
    return complaints


def _of_starters(made: Kills, model: ModelServer, count: int) -> None:
    for _ in range(count // 10):
        for what in ("answer", "run"):
            made.of_the_server(model, what)
            made.of_the_server(model, what)
            made.of_the_window(model, what)


def _of_parts(made: Kills, model: ModelServer, folder: Path, host: WorkerHost, count: int) -> None:
    plans = (
        ("boot.py", "run", count // 4, host.worker.program),
        ("model_worker", "answer", count * 3 // 20, FROM_SOURCE),
    )
    for number, (part, what, rounds, program) in enumerate(plans):
        home = folder / f"parts-{number}"
        home.mkdir()
        with served(
            home,
            program=program,
            api_base=model.base_url,
            arguments=_ARGUMENTS,
            environment=_mark(),
        ) as server:
            for _ in range(rounds):
                made.of_a_part(server, part, what)


def main(count: int = KILLS) -> int:
    """Kill, and say how it went."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        complaints = kills(Path(folder), count)
    print("\n".join(complaints) or "nothing lost")
    return 1 if complaints else 0
