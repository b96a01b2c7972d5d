"""A loopback stand-in for the one provider whose streams are frames of bytes instead of lines.

It answers `invoke-with-response-stream` of Amazon's Bedrock with Anthropic's events, each in a
frame of `application/vnd.amazon.eventstream`: two lengths, headers, payload, two checksums.
"""

from __future__ import annotations

import base64
import json
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Event = dict[str, Any]
_TEXT_VALUE = 7
"""The type of a header whose value is text."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came in."""

    path: str
    authorization: str
    body: dict[str, Any]


def said(*pieces: str) -> list[Event]:
    """An answer in prose."""
    start = {"type": "content_block_start", "index": 0}
    deltas = ({"type": "text_delta", "text": piece} for piece in pieces)
    block = [start | {"content_block": {"type": "text", "text": ""}}, *_deltas(0, deltas)]
    return _answer(block, "end_turn")


def said_and_called(text: str, code: str) -> list[Event]:
    """Prose, then a call of `execute` with this Python."""
    start = {"type": "content_block_start"}
    words = start | {"index": 0, "content_block": {"type": "text", "text": ""}}
    use = {"type": "tool_use", "id": "toolu_1", "name": "execute", "input": {}}
    arguments = json.dumps({"language": "python", "code": code})
    pieces = [arguments[place : place + 7] for place in range(0, len(arguments), 7)]
    block = [
        words,
        *_deltas(0, [{"type": "text_delta", "text": text}]),
        start | {"index": 1, "content_block": use},
        *_deltas(1, ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)),
    ]
    return _answer(block, "tool_use")


class BedrockServer:
    """Gives one of `answers` after the other; a context manager."""

    def __init__(self) -> None:
        self.answers: list[list[Event]] = []
        self.asked: list[Asked] = []
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="bedrock-server", daemon=True
        )

    @property
    def base_url(self) -> str:
        """What to give as the API base."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> BedrockServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: BedrockServer


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what was asked is the log."""

    def do_POST(self) -> None:
        owner = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner.asked.append(Asked(self.path, self.headers["Authorization"], body))
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.amazon.eventstream")
        self.end_headers()
        for event in owner.answers.pop(0):
            self.wfile.write(_frame(event))
            self.wfile.flush()


def _answer(blocks: Sequence[Event], stop_reason: str) -> list[Event]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    usage = {"input_tokens": 12, "output_tokens": 1}
    stop = {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}}
    return [
        {"type": "message_start", "message": message | {"usage": usage}},
        *blocks,
        stop | {"usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _deltas(index: int, deltas: Any) -> Iterator[Event]:
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _frame(event: Event) -> bytes:
    payload = json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode()}).encode()
    headers = b"".join(
        struct.pack(">B", len(name)) + name + struct.pack(">BH", _TEXT_VALUE, len(value)) + value
        for name, value in (
            (b":event-type", b"chunk"),
            (b":content-type", b"application/json"),
            (b":message-type", b"event"),
        )
    )
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    frame = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + payload
    return frame + struct.pack(">I", zlib.crc32(frame))
