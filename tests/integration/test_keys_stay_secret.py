"""A key is in the header of its own server's requests and nowhere else that the program wrote."""

from __future__ import annotations

import base64
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote, quote_plus

import httpx
import pytest

from tests.support.model_server import (
    ModelServer,
    Reply,
    Request,
    error,
    execute,
    hang,
    text,
)
from tests.support.served import Served, served

LIMIT_S = 100.0  # for a machine with much else to do
KEY = "sk-live/Zq7+Vw4=pR9xT2mK8bN3cY6"
PRINTS_ALL = """
import os, pathlib
print("ENVIRONMENT", dict(os.environ))
pid = os.getpid()
while pid > 1:
    try:
        print("PROCESS", pid, pathlib.Path(f"/proc/{pid}/environ").read_bytes())
        print("COMMAND", pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError as error:
        print("REFUSED", pid, error)
        break
    pid = int(stat.rpartition(")")[2].split()[1])
"""


def disguises(key: str) -> dict[str, bytes]:
    """The key and what it looks like in base64, URLs, JSON and hexadecimal digits."""
    raw = key.encode()
    found = {
        "plain": key,
        "url": quote(key, safe=""),
        "form": quote_plus(key),
        "url without slashes": quote(key),
        "JSON": json.dumps(key)[1:-1].replace("/", "\\/"),
        "hexadecimal": raw.hex(),
        "part": key[8:24],
    }
    for lead in range(3):  # what stands before it decides how base64 cuts it
        for name, encode in (("", base64.b64encode), (" for URLs", base64.urlsafe_b64encode)):
            coded = encode(b"x" * lead + raw).decode().rstrip("=")
            found[f"base64{name} {lead}"] = coded[4 if lead else 0 : -4]
    return {name: form.encode() for name, form in found.items()}


FORMS = disguises(KEY)
ECHO = " ".join(
    (
        KEY,
        quote(KEY, safe=""),
        quote(KEY),
        KEY.encode().hex(),
        *(base64.b64encode(lead + KEY.encode()).decode() for lead in (b"", b":", b"u:")),
        base64.urlsafe_b64encode(b"user:" + KEY.encode()).decode(),
    )
)


def check_clean(data: bytes, where: object) -> None:
    joined = data.replace(b"\0", b"")  # as databases of UTF-16 would have it
    shown = [name for name, form in FORMS.items() if form in data or form in joined]
    assert not shown, f"the key is in {where}: {shown}"


def check_files(home: Path) -> int:
    """Look into every file below the folder; how many there were."""
    files = [file for file in home.rglob("*") if file.is_file() and not file.is_symlink()]
    for file in files:
        check_clean(str(file).encode(), "a name of a file")
        check_clean(file.read_bytes(), file)
    return len(files)


def check_requests(requests: list[Request]) -> None:
    """The key is in one header, and in nothing else that the model's server was sent."""
    for request in requests:
        headers = dict(request.headers)
        assert headers.pop("authorization") == f"Bearer {KEY}"
        check_clean(json.dumps([request.path, headers, request.body]).encode(), request.path)


def script(request: Request) -> Reply:
    """By the last word of the user."""
    if request.results:
        return text("done")
    match request.user_text.split()[-1]:
        case "run":
            return execute(PRINTS_ALL)
        case "refused":
            return error(401, f"Incorrect API key provided: {ECHO}")
        case "broken":
            return Reply(
                status=500, body={"error": {"message": f"Bearer {ECHO}", "headers": [KEY]}}
            )
        case "odd":
            return Reply(status=400, body={"error": {"message": [KEY], "code": KEY, "type": KEY}})
        case "crash":
            return hang("some words ")
        case _:
            return text("Hello.")


class Client:
    """A program that uses the server, and keeps all that it is told."""

    def __init__(self, server: Served) -> None:
        self._server = server
        self.received: list[bytes] = []

    def ask(self, word: str, *, stream: bool = False, auto_run: bool = False) -> str:
        message = {"role": "user", "type": "message", "content": word}
        body = {"messages": [message], "auto_run": auto_run, "stream": stream}
        with httpx.stream(
            "POST",
            f"{self._server.address}/v1/chat",
            headers=self._server.headers,
            json=body,
            timeout=LIMIT_S,
        ) as answer:
            data = str(sorted(answer.headers.items())).encode() + answer.read()
        self.received.append(data)
        return data.decode()

    def look(self, path: str) -> bytes:
        return self._kept(
            httpx.get(
                f"{self._server.address}{path}", headers=self._server.headers, timeout=LIMIT_S
            )
        )

    def complete(self, **choice: str) -> tuple[int, bytes]:
        """Ask as OpenAI's clients do; the status and all that came."""
        answer = httpx.post(
            f"{self._server.address}/v1/chat/completions",
            headers=self._server.headers,
            json={"messages": [{"role": "user", "content": "hello"}], **choice},
            timeout=LIMIT_S,
        )
        return answer.status_code, self._kept(answer)

    def _kept(self, answer: httpx.Response) -> bytes:
        self.received.append(str(sorted(answer.headers.items())).encode() + answer.content)
        return self.received[-1]


def worker_of(server: Served) -> int | None:
    """The process that asks models."""
    for pid in server.processes():
        try:
            if b"model_worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        except OSError:
            continue
    return None


def children_of(pid: int) -> set[int]:
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
            if parent == pid:
                found |= {int(entry.name), *children_of(int(entry.name))}
    return found


def check_processes(server: Served) -> int:
    """No child has the key where other programs of the user can see it; how many there are."""
    children = children_of(server.process.pid)
    for pid in children:
        for name in ("environ", "cmdline"):
            try:
                check_clean(Path(f"/proc/{pid}/{name}").read_bytes(), f"{name} of a child")
            except OSError:
                continue
    return len(children)


class Recorder(ThreadingHTTPServer):
    """Keeps the bytes of each request; sends each on to `elsewhere`, or refuses it."""

    daemon_threads = True

    def __init__(self, elsewhere: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Recording)
        self.elsewhere = elsewhere
        self.received: list[bytes] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Recording(BaseHTTPRequestHandler):
    server: Recorder

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.received.append(f"{self.path}\n{self.headers}\n".encode() + body)
        self.send_response(307 if self.server.elsewhere else 418)
        if self.server.elsewhere:
            self.send_header("Location", self.server.elsewhere + self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST


@contextmanager
def recording(elsewhere: str = "") -> Iterator[Recorder]:
    recorder = Recorder(elsewhere)
    thread = Thread(target=recorder.serve_forever, args=(0.05,), name="recorder", daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        recorder.shutdown()
        recorder.server_close()
        thread.join()


class Site:
    """A model's server, the program that has its key, and a client of that."""

    def __init__(self, model: ModelServer, server: Served) -> None:
        self.model = model
        self.server = server
        self.client = Client(server)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all tests: when they are over, all that was written and sent is looked through."""
    home = tmp_path_factory.mktemp("site")
    with (
        ModelServer(script) as model,
        served(
            home,
            api_base=model.base_url,
            arguments=("--allow-auto-run", "--log-level", "debug"),
            settings={"retries": 0},
            environment={"PLAYHEAD_PROVIDER_KEY": KEY},
        ) as server,
    ):
        made = Site(model, server)
        yield made
        check_requests(model.requests)
        for data in made.client.received:
            check_clean(data, "what a program was told")
    check_clean(made.server.log.encode(), "what was written to stderr")
    assert check_files(home) > 3


requires_proc = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="looks at processes in /proc"
)


@requires_proc
def test_code_that_runs_finds_no_key_in_any_process(site: Site):
    ran = site.client.ask("run", auto_run=True)
    assert "ENVIRONMENT" in ran
    check_clean(ran.encode(), "what code found")
    assert check_processes(site.server) >= 2  # the kernel and the model worker


@pytest.mark.parametrize("word", ["refused", "broken", "odd"])
def test_an_error_that_repeats_the_key_does_not_hand_it_on(site: Site, word: str):
    for stream in (False, True):
        told = site.client.ask(word, stream=stream)
        assert "error" in told
        check_clean(told.encode(), "the error")


@requires_proc
def test_a_crash_of_the_model_worker_tells_no_key(site: Site):
    count = len(site.model.requests)
    dying = Thread(target=lambda: site.client.ask("crash", stream=True), name="dying")
    dying.start()
    assert site.model.wait_for_requests(count + 1, LIMIT_S)
    worker = worker_of(site.server)
    assert worker is not None
    os.kill(worker, signal.SIGSEGV)
    dying.join(LIMIT_S)
    assert not dying.is_alive()
    assert "Hello." in site.client.ask("hello")


def test_no_page_of_the_server_shows_a_key(site: Site):
    for path in ("/v1/models", "/v1/health", "/v1/nowhere", "/openapi.json"):
        check_clean(site.client.look(path), path)


@pytest.mark.parametrize("model", ["openai/test", "anthropic/claude-sonnet-4-5"])
def test_a_server_that_sends_on_elsewhere_does_not_send_the_key_there(site: Site, model: str):
    with recording() as other, recording(other.address) as own:
        status, told = site.client.complete(model=model, api_base=f"{own.address}/v1", api_key=KEY)
        assert status >= 400
        assert FORMS["plain"] in b"".join(own.received)
        assert other.received == []  # neither the key nor the conversation
        check_clean(told, "the error")


def test_a_kept_key_is_not_sent_to_an_address_that_a_request_names(site: Site):
    with recording() as other:
        status, told = site.client.complete(model="openai/test", api_base=f"{other.address}/v1")
        assert status >= 400
        for data in [*other.received, told]:
            check_clean(data, "what another server was sent")
