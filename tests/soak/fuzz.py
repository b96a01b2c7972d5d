"""A million mutated messages for every parser of foreign text.

A parser returns, or raises the errors that it names; nothing else, and not after seconds. Streams
are fed in pieces. The mutations are of bytes and of JSON values, from a fixed seed; an input that
was too much for a parser is printed as it was.
"""

from __future__ import annotations

import json
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from playhead.api import schemas
from playhead.api.server.request_body import read_body
from playhead.domain.text import fences, json_text, python_syntax, run_ends, terminal
from playhead.errors import DocumentError, RequestError
from playhead.formats.documents.document import read_document
from playhead.formats.wire import argument_reader
from playhead.formats.wire.assistants import decode as assistants_decode
from playhead.formats.wire.assistants import requests as assistants
from playhead.formats.wire.chat_completions import decode as completions_decode
from playhead.formats.wire.chat_completions import requests as chat_completions
from playhead.formats.wire.cohere import decode as cohere_decode
from playhead.formats.wire.cohere import requests as cohere
from playhead.formats.wire.kernel_messages import decode as kernel_decode
from playhead.formats.wire.kernel_messages import requests as kernel_messages
from playhead.formats.wire.native import decode as native_decode
from playhead.formats.wire.native import requests as native
from playhead.kernel import protocol as kernel_protocol
from playhead.kernel.output_decoder import OutputDecoder
from playhead.model_worker import protocol as worker_protocol
from playhead.providers.parser.call_parser import CutOffError
from playhead.providers.parser.delta_parser import DeltaParser
from playhead.storage.history import row_codec
from playhead.storage.keys.system_keyring import UnreadableKeysError, decode_keys
from playhead.storage.settings import decode_settings
from playhead.ui.timeline.text.markdown_stream import MarkdownStream

COUNT = 1_000_000
SEED = 20_260_103
SLOW_S = 2.0
_DATA = Path(__file__).parents[1] / "data"
_LONGEST = 4000
_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, -(2**70), 1e308, float("nan"), "", "\x00", "\ud800", "\u202e", "🙂",
    "\x1b[31m", "a" * 300, [], {}, [[]], {"": {}}, [None], "1", "execute", "python", "```",
)  # fmt: skip
_BYTES = (
    *(b"\x00", b"\xff", b"\xf0\x9f", b"\x1b", b"\x1b_", b"\x1b\\", b"\r\n", b"```", b'"'),
    *(
        b"{" * 40,
        b"[" * 200,
        b"\\ud800",
        b"1e999",
        b"NaN",
        b"<think>",
        b"</think>",
        b"\xe2\x80\xae",
    ),
)


class Target(NamedTuple):
    """A parser, valid inputs for it and the errors that it may raise."""

    parse: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    errors: tuple[type[Exception], ...] = ()


def _lines(name: str) -> tuple[bytes, ...]:
    return tuple((_DATA / name).read_bytes().splitlines())


def _seeds(*values: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(value).encode() for value in values)


def _loose(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _value(parse: Callable[[Any], object]) -> Callable[[bytes], object]:
    """Parse the JSON value of the bytes; bytes that are no JSON are another parser's task."""

    def run(data: bytes) -> object:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
        return parse(value)

    return run


def _events(make: Callable[[], Any]) -> Callable[[bytes], object]:
    """Give the events of a list, or one event, to a new decoder and end it."""

    def parse(value: object) -> object:
        decoder = make()
        for event in value if isinstance(value, list) else [value]:
            if isinstance(event, dict):
                decoder.decode(event)
        return decoder.finish()

    return _value(parse)


def _pieces(data: bytes) -> Iterator[bytes]:
    at = 0
    for size in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, _LONGEST * 9):
        yield data[at : at + size]
        at += size


def _kernel_output(data: bytes) -> None:
    decoder = OutputDecoder("n0nce")
    joined = [piece for part in _pieces(data) for piece in decoder.feed(part)]
    decoder.finish()
    whole = OutputDecoder("n0nce")
    marks = [
        piece for piece in [*whole.feed(data), *whole.finish()] if not isinstance(piece, bytes)
    ]
    assert [piece for piece in joined if not isinstance(piece, bytes)] == marks[: len(joined)]


def _answer(takes_tools: bool) -> Callable[[bytes], object]:
    def parse(value: object) -> None:
        parser = DeltaParser({"python": "python", "bash": "bash"}.get, takes_tools=takes_tools)
        message = worker_protocol.decode(json.dumps(value).encode())
        if isinstance(message, worker_protocol.Deltas):
            for delta in message.deltas:
                parser.feed(delta)
            parser.finish("tool_calls")

    return _value(parse)


def _prose(data: bytes) -> None:
    parser = DeltaParser({"python": "python", "bash": "bash"}.get)
    for part in _pieces(data):
        parser.feed(worker_protocol.Delta(text=_loose(part)))
    parser.finish("stop")


def _markdown(data: bytes) -> None:
    stream = MarkdownStream()
    for part in _pieces(data):
        stream.feed(_loose(part))
        stream.tail()
    stream.finish()


def _shown(data: bytes) -> None:
    shown = terminal.OutputFilter()
    for part in _pieces(data):
        shown.feed(_loose(part))
    shown.finish()


def _arguments(data: bytes) -> None:
    reader = argument_reader.ArgumentReader()
    for part in _pieces(data):
        reader.feed(_loose(part))


_USER = {"role": "user", "content": "What's 34/24?"}
_CALL = {
    "id": "c",
    "type": "function",
    "function": {"name": "execute", "arguments": '{"code": "1"}'},
}
_TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
_CHAT = [
    {"role": "system", "content": "Be short."},
    _USER,
    {"role": "assistant", "content": [{"type": "text", "text": "x"}], "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "1"},
    {
        "role": "user",
        "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
    },
]
_NATIVE = [
    {"role": "user", "type": "message", "content": "x"},
    {"role": "assistant", "type": "code", "format": "python", "content": "1", "id": "c"},
    {"role": "computer", "type": "console", "format": "output", "content": "1"},
    {"role": "computer", "type": "confirmation", "format": "execution",
     "content": {"type": "code", "format": "python", "content": "1"}},
    {"role": "server", "type": "error", "content": "x", "code": "y"},
    {"role": "computer", "type": "console", "format": "active_line", "content": "3"},
]  # fmt: skip
_PIECES = [
    {
        "choices": [
            {"index": 0, "delta": {"role": "assistant", "content": "Let"}, "finish_reason": None}
        ]
    },
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **_CALL}]}}]},
    {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1},
    },
]
_CITED = {"start": 0, "end": 2, "text": "1.", "sources": [{"id": "c:0"}]}
_COHERE = [
    {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}},
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will"}}},
    {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": _CALL}}},
    {"type": "tool-call-end", "index": 0},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text"}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "1.41"}}}},
    {"type": "citation-start", "index": 0, "delta": {"message": {"citations": _CITED}}},
    {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": {"tokens": {}}}},
]
_KERNEL = [
    {"type": "reply.delta", "messageId": "1", "delta": "x", "status": "streaming"},
    {"type": "action", "process": "python", "action": "run", "args": {"code": "1"}, "callId": "c"},
    {"type": "action.result", "callId": "c", "content": "1"},
    {"type": "reasoning", "title": "Plan", "summary": "x"},
]
_ASSISTANTS = [
    {"event": "thread.run.created", "data": {"id": "r", "status": "queued"}},
    {"event": "thread.message.delta", "data": {"id": "m", "delta": {"content": [
        {"index": 0, "type": "text", "text": {"value": "x", "annotations": []}}]}}},
    {"event": "thread.run.step.delta", "data": {"id": "s", "delta": {"step_details": {
        "type": "tool_calls", "tool_calls": [{"index": 0, "type": "code_interpreter",
        "code_interpreter": {"input": "1", "outputs": [{"type": "logs", "logs": "1"}]}}]}}}},
    {"event": "thread.run.completed", "data": {"usage": {"prompt_tokens": 1}}},
]  # fmt: skip
_DELTAS = {"kind": "deltas", "turn": "t", "deltas": [
    {"text": "Hello ```python\n1\n```", "reasoning": "hm"},
    {"calls": [{"index": 0, "id": "c", "name": "execute", "arguments": '{"code": "print(1)"}'}]},
    {"citations": [{"start": 0, "end": 5, "title": "t", "url": "http://x"}], "echo": "e"},
]}  # fmt: skip
_SETTINGS = {
    "model": "openai/x", "temperature": 0.5, "api_port": 5001, "profiles": [{"name": "p"}],
    "model_overrides": {"openai/x": {"takes_tools": True}}, "theme": "dark", "auto_run": True,
}  # fmt: skip
_PROSE = (
    (
        b"Text with `code`.\n\n```python\nprint(1)\n```\n\n~~~bash\nls\n~~~\n"
        b"<think>hm</think>\n$x^2$ [a](b)"
    ),
    (
        b"# Head\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n  1. one\n\n"
        b"> quote\n\n[^1]: note\n\n\\[ x \\]"
    ),
)
_PYTHON = (
    b"for n in range(3):\n    print(f'{n!r:>{3}}')\nclass A: x: int = 1\n",
    b"!ls\n%pip install x",
)
_MARKS = (
    (
        b'before\x1b_n0nce;{"kind": "line", "run": "r", "line": 3}\x1b\\after'
        b'\x1b_n0nce;{"kind":"idle","run":"r"}\x1b\\'
    ),
)


def targets() -> dict[str, Target]:
    """Return every parser by the name that is printed."""
    request = (RequestError,)
    cells = [{"cell_type": "code", "source": ["1"], "outputs": [
        {"output_type": "stream", "name": "stdout", "text": "1"}], "metadata": {}}]  # fmt: skip
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    recorded = _lines("division_dialogue.jsonl")
    return {
        "kernel output": Target(_kernel_output, _MARKS),
        "kernel command": Target(
            kernel_protocol.parse_mark, _seeds({"kind": "line", "line": 1, "run": "r"})
        ),
        "worker line": Target(
            worker_protocol.decode, _seeds(_DELTAS), (worker_protocol.ProtocolError,)
        ),
        "answer, fences": Target(
            _answer(takes_tools=False),
            _seeds(_DELTAS),
            (worker_protocol.ProtocolError, CutOffError),
        ),
        "answer, tools": Target(
            _answer(takes_tools=True), _seeds(_DELTAS), (worker_protocol.ProtocolError, CutOffError)
        ),
        "prose": Target(_prose, _PROSE, (CutOffError,)),
        "call arguments": Target(
            _arguments, (b'{"language": "python", "code": "print(\\"\\u00e9\\")"}',)
        ),
        "markdown": Target(_markdown, _PROSE),
        "terminal text": Target(
            _shown, (b"\x1b[31mred\x1b[0m\x1b]8;;http://x\x07l\x1b]8;;\x07\r50%\x1b[2K",)
        ),
        "fences": Target(lambda data: fences.fenced(_loose(data)), _PROSE),
        "python": Target(lambda data: python_syntax.syntax_fault(_loose(data)), _PYTHON),
        "run end": Target(
            lambda data: run_ends.parse_run_end(_loose(data)), (b"killed by SIGKILL",)
        ),
        "json": Target(
            lambda data: json_text.read_json(_loose(data)), _seeds(_SETTINGS), (ValueError,)
        ),
        "chat completions request": Target(
            _value(chat_completions.read_messages), _seeds(_CHAT), request
        ),
        "chat completions tools": Target(
            _value(chat_completions.read_tools), _seeds([_TOOL]), request
        ),
        "assistants tools": Target(_value(assistants.read_tools), _seeds([_TOOL]), request),
        "cohere request": Target(_value(cohere.read_messages), _seeds(_CHAT), request),
        "cohere documents": Target(
            _value(cohere.read_documents),
            _seeds([{"id": "d", "data": {"text": "x"}}, "y"]),
            request,
        ),
        "kernel request": Target(
            _value(kernel_messages.read_messages), _seeds(_KERNEL, _CHAT), request
        ),
        "native request": Target(_value(native.read_messages), _seeds(_NATIVE), request),
        "body of completions": Target(
            lambda data: read_body(data, schemas.CompletionRequest),
            _seeds({"model": "m", "messages": _CHAT, "tools": [_TOOL], "stream": True}),
            request,
        ),
        "body of native chat": Target(
            lambda data: read_body(data, schemas.ChatRequest),
            _seeds({"messages": _NATIVE}),
            request,
        ),
        "completions stream": Target(_events(completions_decode.Decoder), _seeds(_PIECES)),
        "cohere stream": Target(_events(cohere_decode.CohereDecoder), _seeds(_COHERE)),
        "kernel stream": Target(_events(kernel_decode.Decoder), _seeds(_KERNEL)),
        "assistants stream": Target(_events(assistants_decode.Decoder), _seeds(_ASSISTANTS)),
        "native stream": Target(_events(native_decode.Decoder), _seeds(_NATIVE)),
        "document": Target(
            read_document,
            (*_seeds(notebook, _NATIVE, _CHAT), b"\n".join(recorded)),
            (DocumentError,),
        ),
        "stored row": Target(
            _row,
            _seeds(["table", {"columns": ["a"]}], ["run", {"state": "started"}]),
            (row_codec.UnknownContentError,),
        ),
        "stored settings": Target(
            lambda data: row_codec.decode_config(_loose(data)),
            _seeds({"model": "m", "parameters": {}}),
        ),
        "settings": Target(_value(_settings), _seeds(_SETTINGS)),
        "keys": Target(
            lambda data: decode_keys(_loose(data)),
            _seeds({"version": 1, "keys": {"openai": "k"}}),
            (UnreadableKeysError,),
        ),
    }


def _row(data: bytes) -> None:
    def parse(value: object) -> None:
        if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
            row_codec.decode(value[0], json.dumps(value[1]))

    _value(parse)(data)


def _settings(value: object) -> None:
    if isinstance(value, dict):
        decode_settings(value)


class Mutator:
    """Changes valid inputs, a little or a lot."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def mutated(self, seeds: tuple[bytes, ...]) -> bytes:
        """Return one of the inputs, changed."""
        data = self._random.choice(seeds)
        if self._random.random() < 0.6:
            data = self._of_json(data)
        if self._random.random() < 0.6:
            for _ in range(self._random.choice((1, 1, 2, 5))):
                data = self._of_bytes(data, self._random.choice(seeds))
        return data[:_LONGEST]

    def _of_json(self, data: bytes) -> bytes:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return data
        for _ in range(self._random.choice((1, 1, 2, 4))):
            value = self._changed(value)
        return json.dumps(value).encode()

    def _changed(self, value: Any) -> Any:
        inner = (
            list(value.items())
            if isinstance(value, dict)
            else list(enumerate(value))
            if isinstance(value, list)
            else []
        )
        if not inner or self._random.random() < 0.15:
            return self._random.choice(_ODD)
        key, item = self._random.choice(inner)
        copy: Any = dict(value) if isinstance(value, dict) else list(value)
        action = self._random.random()
        if action < 0.1:
            del copy[key]
        elif action < 0.2 and isinstance(copy, list):
            copy.insert(key, self._random.choice(inner)[1])
        elif action < 0.2:
            copy[str(self._random.choice(_ODD))] = item
        else:
            copy[key] = self._changed(item)
        return copy

    def _of_bytes(self, data: bytes, other: bytes) -> bytes:
        start = self._random.randrange(len(data) + 1)
        end = min(len(data), start + self._random.choice((0, 1, 1, 4, 40)))
        match self._random.randrange(5):
            case 0:
                middle = self._random.choice(_BYTES)
            case 1:
                middle = bytes([self._random.randrange(256)])
            case 2:
                begin = self._random.randrange(len(other) + 1)
                middle = other[begin : begin + 60]
            case 3:
                middle = data[start:end] * self._random.choice((2, 9))
            case _:
                return data[:start]
        return data[:start] + middle + data[end:]


def fuzz(count: int) -> Mapping[str, list[str]]:
    """Give so many inputs to the parsers; return what was wrong for each, in words."""
    wrong: dict[str, list[str]] = {}
    every = targets()
    for number, (name, target) in enumerate(every.items()):
        mutator, ends, slowest = Mutator(SEED + number), Counter[str](), 0.0
        for _ in range(count // len(every)):
            data = mutator.mutated(target.seeds)
            began = time.perf_counter()
            try:
                target.parse(data)
                ends["read"] += 1
            except target.errors:
                ends["refused"] += 1
            except Exception:  # noqa: BLE001 - what a parser raises else is what is looked for
                ends["broken"] += 1
                words = traceback.format_exc(limit=-3)
                if all(words.splitlines()[-1] not in known for known in wrong.get(name, [])):
                    wrong.setdefault(name, []).append(f"{words}{data!r}")
            slowest = max(slowest, time.perf_counter() - began)
        if slowest > SLOW_S:
            wrong.setdefault(name, []).append(f"took {slowest:.1f} s once")
        print(f"{name}: {dict(ends)}, at most {slowest * 1000:.0f} ms", flush=True)
    return wrong


def main(count: int = COUNT) -> int:
    """Fuzz, and say how it went."""
    wrong = fuzz(count)
    for name, found in wrong.items():
        for words in found:
            print(f"== {name}\n{words}")
    print(f"{sum(map(len, wrong.values()))} kinds of failure" if wrong else "nothing broke")
    return 1 if wrong else 0
