"""Hours of mixed work on one server: memory, descriptors and processes must stay flat.

Four clients ask for answers, runs, errors, stops, big outputs and refused requests, in new sessions
that they delete again, or leave at the most. The usage of the server and all that it started is
taken every minute.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.support.model_server import ModelServer, Reply, Request, execute, text
from tests.support.served import TOKEN, Served, served

HOURS = 2.0
SEED = 20_260_104
CLIENTS = 4
GROWTH_LIMIT_MB = 25
_SAMPLE_S = 60.0
_PAGE = os.sysconf("SC_PAGE_SIZE")

_BLOCKS = (
    "print(6 * 7)",
    "x = globals().get('x', 0) + 1\nx",
    "1 / 0",
    "for n in range(100_000):\n    print(n)",
    "import subprocess\nsubprocess.run(['echo', 'child'])",
    "open('made.txt', 'a').write('line\\n')",
    "import os\nos._exit(3)",
    "import threading\nthreading.Thread(target=print, args=('t',)).start()",
)


class Usage(NamedTuple):
    """What the server and its descendants hold."""

    server_mb: float
    descriptors: int
    threads: int
    processes: int
    files: int

    @classmethod
    def of(cls, server: Served) -> Usage:
        """Look at it now."""
        own = Path("/proc") / str(server.process.pid)
        pages = int((own / "statm").read_text().split()[1])
        return cls(
            round(pages * _PAGE / 2**20, 1),
            len(os.listdir(own / "fd")),
            len(os.listdir(own / "task")),
            len(server.processes()),
            sum(len(names) for _, _, names in os.walk(server.home)),
        )


class Client(threading.Thread):
    """Asks one thing after the other until it is told to stop."""

    def __init__(self, server: Served, number: int, stop: threading.Event) -> None:
        super().__init__(name=f"soak-client-{number}", daemon=True)
        self._address = urlsplit(server.address)
        self._random = random.Random(SEED + number)
        self._stopping = stop
        self.done: Counter[str] = Counter()

    def run(self) -> None:
        """Mix."""
        while not self._stopping.is_set():
            what = self._random.choice(("say", "say", "run", "run", "leave", "wrong"))
            try:
                self._do(what)
            except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
                self.done[f"{what}: {type(error).__name__}"] += 1
            else:
                self.done[what] += 1

    def _do(self, what: str) -> None:
        session = json.loads(self._ask("POST", "/v1/sessions", {}))["session_id"]
        try:
            match what:
                case "say" | "run":
                    question = f"{what} {self._random.randrange(len(_BLOCKS))}"
                    for _ in range(self._random.choice((1, 3))):
                        self._chat(session, question)
                case "leave":
                    self._chat(session, "at length", leaves=True)
                case _:
                    self._ask("POST", "/v1/chat", {"session_id": session, "messages": 5})
        finally:
            while b"session_busy" in self._ask("DELETE", f"/v1/sessions/{session}"):
                time.sleep(0.01)  # an answer that was left ends when its server is told

    def _chat(self, session: str, question: str, leaves: bool = False) -> None:
        message = {"role": "user", "type": "message", "content": question}
        body = {"session_id": session, "messages": [message], "stream": True, "auto_run": True}
        connection = self._sent("POST", "/v1/chat", body)
        response = connection.getresponse()
        if leaves:
            response.read(200)
        else:
            response.read()
        connection.close()

    def _ask(self, method: str, path: str, body: Any = None) -> bytes:
        connection = self._sent(method, path, body)
        try:
            return connection.getresponse().read()
        finally:
            connection.close()

    def _sent(self, method: str, path: str, body: Any) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(
            self._address.hostname or "", self._address.port, timeout=120
        )
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        return connection


def script(request: Request) -> Reply:
    """Answer in words, or with one of the blocks."""
    if request.has_result:
        return text("It ", "ran.")
    word, _, number = request.user_text.partition(" ")
    if word == "run":
        return execute(_BLOCKS[int(number)])
    return text(*["word "] * (2000 if word == "at" else 40))


def hours(folder: Path, seconds: float) -> list[str]:
    """Work for so long; return what grew, in words."""
    samples: list[Usage] = []
    stop = threading.Event()
    with (
        ModelServer(script) as model,
        served(
            folder,
            api_base=model.base_url,
            arguments=["--allow-auto-run", "--no-rate-limit"],
        ) as server,
    ):
        clients = [Client(server, number, stop) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(_SAMPLE_S, seconds / 20, left))
            samples.append(Usage.of(server))
            print(samples[-1], flush=True)
        stop.set()
        for client in clients:
            client.join()
        done = sum((client.done for client in clients), Counter[str]())
    print(dict(done))
    failed = {what: count for what, count in done.items() if ":" in what}
    return [*([f"requests failed: {failed}"] if failed else []), *_growth(samples)]


def _growth(samples: list[Usage]) -> list[str]:
    """Compare the last quarter with the second."""
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    limits = {
        "server_mb": GROWTH_LIMIT_MB,
        "descriptors": 8,
        "threads": 4,
        "processes": 4,
        "files": 8,
    }
    wrong: list[str] = []
    for place, name in enumerate(Usage._fields):
        before = sorted(sample[place] for sample in early)[len(early) // 2]
        after = sorted(sample[place] for sample in late)[len(late) // 2]
        print(f"{name}: {before} → {after}")
        if after - before > limits[name]:
            wrong.append(f"{name} grew from {before} to {after}")
    return wrong


def main(count: float = HOURS) -> int:
    """Work so many hours, and say how it went."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        wrong = hours(Path(folder), count * 3600)
    print("\n".join(wrong) or "all stayed flat")
    return 1 if wrong else 0
