"""A real model server on loopback: OpenAI-compatible SSE, scripted, with all that goes wrong.

In a test::

    with ModelServer(text("Hel", "lo")) as server:                 # every request gets this reply
        ModelSettings(model="openai/test", api_base=server.base_url, api_key=Secret("k"))
    ModelServer([execute("7", " * 6"), text("42")])                # one reply after the other,
                                                                   # the last one repeats
    ModelServer(lambda request: text(request.user_text))           # or a function of the request
    server.script = …                                              # may be changed while it runs
    server.requests[-1].body, .headers, .was_disconnected          # what came in
    server.requests[-1].disconnected.wait(5)                       # the client hung up
    server.pace_s = 0.02                                           # seconds between two chunks
    server.lists["/api/tags"] = Reply(body=…)                      # what a GET answers
    server.asked_for_lists[-1].path, .headers                      # who asked for a list

Replies: `text`, `thought` (reasoning_content), `call`, `calls` (parallel, alternating indices),
`execute`, `cited` (annotations), `joined` (several in one answer), `limited` (finish_reason
length), `error`, `hang`, `cut`, `broken_json`, `no_sse`; and
`replace(reply, usage=(100, 20), pace_s=0.05)`. `spoken` and `refused` answer at any path, in the
words of any provider.

A `Request` has `body`, `headers`, `messages`, `user_text`, `results` (tool results after the last
user message), `tool_names` (those on offer), `was_disconnected`, `answered`.

By hand: `python -m tests.support.model_server [--port N] [--pace S]`, then the model
`openai/test` with the printed API base and any key. The first of these keywords in the last user
message that fits chooses the answer (see `default_script`):

    call NAME {JSON} [call …]            calls of any tools by name, `execute` too, with just these
                                         arguments, in small pieces; several are parallel. Then,
                                         with their results: "lookup said: 19 °C."
    say TEXT [call NAME {JSON} …]        just this text (as the first word), then the calls
    error 401 (404, 429, 500, 503 …) [after 3]    that status; a Retry-After, for 429 always
    hang · hang later                    no answer at all · some text, then silence
    cut · broken json · no sse           a stream that breaks off · malformed · plain JSON
    fence · tilde                        code in a ``` fence · in a ~~~ fence
    parallel                             two calls whose pieces alternate
    think · reasoning                    <think> in the text · reasoning_content
    unicode                              escapes split between fragments, surrogate pairs too
    long · markdown                      600 words · headings, lists, a table
    plot · slow loop · forever · input   code to run: figure, counting loop, while True, input()
    raise · bad arguments                code that raises · arguments that are no JSON
    cites                                a text that cites a page by annotations
    at length · filtered                 an answer that ends by its limit · by a content filter
    34/24 and the like                   execute("34 / 24"), then the golden answer
    anything else                        a short greeting

And these go with any of them, anywhere in the message:

    no usage · usage 100 20              the tokens are never told · are these (else 12 and 5)
    slowly                               50 ms between two chunks
    with reasoning                       some reasoning_content first

The key `wrong` is refused with 401 and the model `missing` with 404 whatever the script says.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from msgspec.structs import replace

from tests.support.model_answers import GOLDEN_ANSWER, GOLDEN_CODE, default_script
from tests.support.model_replies import (
    Delta,
    Reply,
    Request,
    Script,
    broken_json,
    call,
    calls,
    cited,
    cut,
    error,
    execute,
    hang,
    joined,
    limited,
    no_sse,
    refused,
    spoken,
    text,
    thought,
)

__all__ = [
    "GOLDEN_ANSWER",
    "GOLDEN_CODE",
    "ModelServer",
    "Reply",
    "Request",
    "Script",
    "broken_json",
    "call",
    "calls",
    "cited",
    "cut",
    "default_script",
    "error",
    "execute",
    "hang",
    "joined",
    "limited",
    "no_sse",
    "refused",
    "spoken",
    "text",
    "thought",
]


class ModelServer:
    """Serves a script on 127.0.0.1 from threads; a context manager."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        port: int = 0,
        pace_s: float = 0.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.script: Script = default_script if script is None else script
        self.pace_s = pace_s
        self.requests: list[Request] = []
        self.models: tuple[str, ...] = ("test", "test-small")
        self.lists: dict[str, Reply] = {}
        self.asked_for_lists: list[Request] = []
        self.closing = threading.Event()
        self._served = 0
        self._lock = threading.Lock()
        self._http = _HttpServer(("127.0.0.1", port), _Handler)
        self._http.owner = self
        if tls is not None:
            self._http.tls = tls
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="model-server", daemon=True
        )

    @property
    def port(self) -> int:
        return self._http.server_address[1]

    @property
    def base_url(self) -> str:
        """The API base, with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving; what hangs is let go."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def wait_for_requests(self, count: int, timeout_s: float = 30.0) -> bool:
        """Block until so many chat requests have come in."""
        deadline = time.monotonic() + timeout_s
        while len(self.requests) < count:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def reply_to(self, request: Request) -> Reply:
        """Record the request and choose its answer."""
        with self._lock:
            self.requests.append(request)
            refused = _refusal(request)
            if refused is not None:
                return refused
            if isinstance(self.script, Reply):
                return self.script
            if isinstance(self.script, Sequence):
                self._served += 1
                return self.script[min(self._served, len(self.script)) - 1]
        return self.script(request)


def _refusal(request: Request) -> Reply | None:
    if request.headers.get("authorization", "") == "Bearer wrong":
        return error(401, "Incorrect API key provided: wrong", code="invalid_api_key")
    if request.body.get("model") == "missing":
        return error(404, "The model `missing` does not exist", code="model_not_found")
    return None


class _HttpServer(ThreadingHTTPServer):
    request_queue_size = 256  # a hundred clients may come at once
    daemon_threads = True
    block_on_close = True
    owner: ModelServer
    tls: ssl.SSLContext | None = None

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In the thread of its connection: a client that shakes no hands blocks nobody else."""
        if self.tls is None:
            super().finish_request(request, client_address)
            return
        # A client that does not trust us hangs up in the middle.
        with (
            suppress(OSError),
            self.tls.wrap_socket(
                request, server_side=True, do_handshake_on_connect=False
            ) as wrapped,
        ):
            wrapped.do_handshake()
            super().finish_request(wrapped, client_address)


class _Gone(Exception):
    """The client has hung up, or the server is closing."""


class _Handler(BaseHTTPRequestHandler):
    """One connection; its waits notice when the client goes."""

    protocol_version = "HTTP/1.1"
    server: _HttpServer

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the recorded requests are the log."""

    def do_GET(self) -> None:
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, {})
        owner.asked_for_lists.append(request)
        path = self.path.partition("?")[0].rstrip("/")
        if (reply := owner.lists.get(path)) is not None:
            self._watched(request, lambda: self._listed(reply))
            return
        if path != "/v1/models":
            self._answer(error(404, f"no such path: {self.path}"))
            return
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": "tests"}
            for name in owner.models
        ]
        self._answer(Reply(body={"object": "list", "data": data}))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        self._watched(request, lambda: self._serve(request))

    def _listed(self, reply: Reply) -> None:
        if reply.ending == "hang":
            self._wait(None)
        self._answer(reply)

    def _watched(self, request: Request, serve: Callable[[], None]) -> None:
        """Serve, and note whether the client hung up meanwhile."""
        try:
            serve()
        except (_Gone, ConnectionError):
            self.close_connection = True
            if not self.server.owner.closing.is_set():
                request.disconnected.set()
        finally:
            request.answered.set()

    def _serve(self, request: Request) -> None:
        is_ours = request.path == "/v1/chat/completions"
        reply = self.server.owner.reply_to(request)
        if not is_ours and not reply.wire:
            self._answer(error(404, f"no such path: {request.path}"))
        elif reply.wire and reply.body is None:
            self._speak(reply)
        elif reply.body is not None:
            self._answer(reply)
        elif request.body.get("stream"):
            self._stream(reply, request)
        else:
            self._answer(replace(reply, body=_whole(reply, request)))

    def _answer(self, reply: Reply) -> None:
        self.close_connection = True
        payload = json.dumps(reply.body).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.send_header("Connection", "close")  # a kept connection would keep its thread
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def _speak(self, reply: Reply) -> None:
        """A stream in the words of another provider."""
        self.close_connection = True
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in reply.wire:
            self.wfile.write(piece if isinstance(piece, bytes) else piece.encode())
            self.wfile.flush()
            self._wait(self.server.owner.pace_s)
        if reply.ending == "hang":
            self._wait(None)

    def _stream(self, reply: Reply, request: Request) -> None:
        self.close_connection = True  # the end of the body is the end of the connection
        if reply.ending == "hang" and not reply.deltas:
            self._wait(None)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        pace_s = self.server.owner.pace_s if reply.pace_s is None else reply.pace_s
        for event in _events(reply, request):
            self.wfile.write(f"data: {event}\n\n".encode())
            self.wfile.flush()
            self._wait(pace_s)
        if reply.ending == "hang":
            self._wait(None)

    def _wait(self, seconds: float | None) -> None:
        """Let time pass (None: for ever); raises `_Gone` as soon as the client hangs up."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            left = 0.05 if until is None else max(0.0, until - time.monotonic())
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.05))
            if self.server.owner.closing.is_set():
                raise _Gone
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise _Gone
            if until is not None and time.monotonic() >= until:
                return


def _events(reply: Reply, request: Request) -> Iterator[str]:
    yield _chunk(request, {"role": "assistant", "content": ""})
    for delta in reply.deltas:
        yield _chunk(request, delta)
    if reply.ending == "broken_json":
        yield '{"id": "chatcmpl-test", "choices": [{"delta": {"content": "hal'
    if reply.ending != "finish":
        return
    yield _chunk(request, {}, reply.finish_reason)
    is_asked = (request.body.get("stream_options") or {}).get("include_usage")
    if is_asked and reply.usage is not None:
        yield json.dumps({**_head(request), "choices": [], **_usage(reply)})
    yield "[DONE]"


def _usage(reply: Reply) -> dict[str, Any]:
    if reply.usage is None:
        return {}
    asked, said = reply.usage
    tokens = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return {"usage": tokens}


def _head(request: Request) -> dict[str, Any]:
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "created": 1735000000,
        "model": request.body.get("model", "test"),
    }


def _chunk(request: Request, delta: Delta, finish_reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return json.dumps({**_head(request), "choices": [choice]})


def _whole(reply: Reply, request: Request) -> dict[str, Any]:
    """The same answer without streaming."""
    content = "".join(delta.get("content", "") for delta in reply.deltas)
    thoughts = "".join(delta.get("reasoning_content", "") for delta in reply.deltas)
    found: dict[int, dict[str, Any]] = {}
    for delta in reply.deltas:
        for piece in delta.get("tool_calls", ()):
            if "id" in piece:
                found[piece["index"]] = {**piece, "function": dict(piece["function"])}
            else:
                function = found[piece["index"]]["function"]
                function["arguments"] += piece["function"]["arguments"]
    message: dict[str, Any] = {"role": "assistant", "content": content or None}
    if thoughts:
        message["reasoning_content"] = thoughts
    if found:
        message["tool_calls"] = [found[index] for index in sorted(found)]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    head = {**_head(request), "object": "chat.completion"}
    return {**head, "choices": [choice], **_usage(reply)}


def main() -> None:
    """Serve by hand until Ctrl+C."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible model server.")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--pace", type=float, default=0.03, help="seconds between chunks")
    options = parser.parse_args()
    with ModelServer(port=options.port, pace_s=options.pace) as server:
        print(
            f"model: openai/test   API base: {server.base_url}   key: any but `wrong`", flush=True
        )
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
