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
            timeout=60,
        ) as answer:
            data = str(sorted(answer.headers.items())).encode() + answer.read()
        self.received.append(data)
        return data.decode()

    def look(self, path: str) -> None:
        answer = httpx.get(f"{self._server.address}{path}", headers=self._server.headers)
        self.received.append(str(answer.headers).encode() + answer.content)


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


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at /proc")
def test_a_key_is_nowhere_but_in_the_header_for_its_own_server(tmp_path: Path):
    with (
        ModelServer(script) as model,
        served(
            tmp_path,
            api_base=model.base_url,
            arguments=("--allow-auto-run", "--log-level", "debug"),
            settings={"retries": 0},
            environment={"PLAYHEAD_PROVIDER_KEY": KEY},
        ) as server,
    ):
        client = Client(server)
        ran = client.ask("run", auto_run=True)
        assert "ENVIRONMENT" in ran
        assert check_processes(server) >= 2  # the kernel and the model worker
        for word in ("refused", "broken", "odd"):
            for stream in (False, True):
                assert "error" in client.ask(word, stream=stream)
        count = len(model.requests)
        dying = Thread(target=lambda: client.ask("crash", stream=True), name="dying")
        dying.start()
        assert model.wait_for_requests(count + 1)
        worker = worker_of(server)
        assert worker is not None
        os.kill(worker, signal.SIGSEGV)
        dying.join(60)
        assert not dying.is_alive()
        assert "Hello." in client.ask("hello")
        for path in ("/v1/models", "/v1/health", "/v1/nowhere", "/openapi.json"):
            client.look(path)
        check_requests(model.requests)
        for data in client.received:
            check_clean(data, "what a program was told")
    check_clean(server.log.encode(), "what was written to stderr")
    assert check_files(tmp_path) > 3


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


@pytest.mark.parametrize("model", ["openai/test", "anthropic/claude-sonnet-4-5"])
def test_a_server_that_sends_on_elsewhere_does_not_send_the_key_there(tmp_path: Path, model: str):
    with (
        recording() as other,
        recording(other.address) as own,
        served(
            tmp_path,
            model=model,
            api_base=f"{own.address}/v1",
            environment={"PLAYHEAD_PROVIDER_KEY": KEY},
        ) as server,
    ):
        client = Client(server)
        assert "error" in client.ask("hello")
        assert FORMS["plain"] in b"".join(own.received)
        assert other.received == []  # neither the key nor the conversation
        check_clean(client.received[0], "what a program was told")
    check_files(tmp_path)


def test_a_key_for_one_address_is_not_sent_to_another_that_a_request_names(tmp_path: Path):
    with (
        recording() as other,
        ModelServer(script) as own,
        served(
            tmp_path, api_base=own.base_url, environment={"PLAYHEAD_PROVIDER_KEY": KEY}
        ) as server,
    ):
        body = {
            "model": "openai/test",
            "messages": [{"role": "user", "content": "hello"}],
            "api_base": f"{other.address}/v1",
        }
        address = f"{server.address}/v1/chat/completions"
        answer = httpx.post(address, headers=server.headers, json=body, timeout=60)
        assert answer.status_code >= 400
        for data in [*other.received, answer.content]:
            check_clean(data, "what another server was sent")
        assert "Hello." in Client(server).ask("hello")
        check_requests(own.requests)
