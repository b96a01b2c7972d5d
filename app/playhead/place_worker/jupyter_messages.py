"""The messages of Jupyter's kernels on the wire: parts of JSON. No input or output.

https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5: signed, for a kernel
here. https://jupyter-server.readthedocs.io/en/latest/developers/websocket-protocols.html: as frames
of a WebSocket, for one of a server.
"""

from __future__ import annotations

import hmac
import itertools
import json
import os
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

PROTOCOL = "v1.kernel.websocket.jupyter.org"
"""The newer format of frames on a WebSocket."""
_MOST_PARTS = 64
_DELIMITER = b"<IDS|MSG>"
_VERSION = "5.3"
_SIGNED_PARTS = 4
_LONGEST_NUMBER = 12
_NO_OFFSET = 1 << 62


class Message(NamedTuple):
    """A message; `parent` is the id of the one that it belongs to, "" for none."""

    kind: str
    id: str
    parent: str
    content: dict[str, Any]
    header: dict[str, Any]
    buffers: tuple[bytes, ...] = ()

    def text(self, name: str) -> str:
        """Return a field of the content if it is a text, else the empty text."""
        return text_of(self.content.get(name))


class MessageHeaders:
    """Makes the headers of the messages of one session."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._count = 0
        self._start = os.urandom(4).hex()

    def new(self, kind: str) -> dict[str, Any]:
        """Return the header of a new message."""
        self._count += 1
        return {
            "msg_id": f"{self._session}_{self._start}_{self._count}",
            "msg_type": kind,
            "username": "playhead",
            "session": self._session,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "version": _VERSION,
        }


class MessageCodec:
    """Signs and checks the messages of one kernel by its key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._headers = MessageHeaders(os.urandom(16).hex())

    def encode(
        self,
        kind: str,
        content: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        parent: Mapping[str, Any] | None = None,
    ) -> tuple[str, list[bytes]]:
        """Return the id of a new message, and its parts."""
        header = self._headers.new(kind)
        signed = [
            json.dumps(part).encode() for part in (header, parent or {}, metadata or {}, content)
        ]
        return header["msg_id"], [_DELIMITER, self._sign(signed), *signed]

    def decode(self, parts: Sequence[bytes]) -> Message | None:
        """Return a message, None for what is not signed as it should be or is not one."""
        if _DELIMITER not in parts:
            return None
        signature, *signed = parts[list(parts).index(_DELIMITER) + 1 :]
        signed = signed[:_SIGNED_PARTS]
        if len(signed) < _SIGNED_PARTS or not hmac.compare_digest(signature, self._sign(signed)):
            return None
        header, parent, _, content = (object_of(part) for part in signed)
        return Message(
            text_of(header.get("msg_type")),
            text_of(header.get("msg_id")),
            text_of(parent.get("msg_id")),
            content,
            header,
        )

    def _sign(self, signed: Sequence[bytes]) -> bytes:
        made = hmac.new(self._key, digestmod="sha256")
        for part in signed:
            made.update(part)
        return made.hexdigest().encode("ascii")


class MessageGaps:
    """Counts messages that a kernel has sent and that never came: it drops what is not taken.

    Kernels made with Jupyter's own library number all that they send, on whichever channel.
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, int, int]] = {}

    def take(self, message: Message) -> None:
        """Take a message that has come."""
        sender, _, number = message.id.rpartition("_")
        if not (sender and number.isascii() and number.isdigit()) or len(number) > _LONGEST_NUMBER:
            return
        at = int(number)
        first, last, count = self._seen.get(sender, (at, at, 0))
        self._seen[sender] = min(first, at), max(last, at), count + 1

    @property
    def missing(self) -> int:
        """Return how many are missing between the first and the last."""
        return sum(max(0, last - first + 1 - count) for first, last, count in self._seen.values())


def text_of(value: object) -> str:
    """Return a text as it is, or the lines of one joined; "" for anything else."""
    if isinstance(value, list):
        return "".join(one for one in cast("list[object]", value) if isinstance(one, str))
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int:
    """Return a count or an offset in bytes as it is; 0 for anything else."""
    return value if isinstance(value, int) and 0 <= value < _NO_OFFSET else 0


def object_of(part: bytes) -> dict[str, Any]:
    """Return an object of JSON; {} for anything else."""
    try:
        found = json.loads(part)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def encode_frame(
    channel: str, parts: Sequence[Mapping[str, Any]], buffers: Sequence[bytes], *, is_v1: bool
) -> bytes | str:
    """Return a frame: header, parent, metadata and content, then the buffers."""
    if is_v1:
        return _encode_v1(channel, [*(json.dumps(one).encode() for one in parts), *buffers])
    names = ("header", "parent_header", "metadata", "content")
    message: dict[str, Any] = {"channel": channel, **dict(zip(names, parts, strict=True))}
    if not buffers:
        return json.dumps({**message, "buffers": []})
    data = [json.dumps(message).encode(), *buffers]
    places = [4 * (len(data) + 1)]
    for one in data[:-1]:
        places.append(places[-1] + len(one))
    return struct.pack(f"!{len(data) + 1}I", len(data), *places) + b"".join(data)


def channel_of(frame: bytes | str, *, is_v1: bool) -> str:
    """Return the channel that a frame belongs to; "" where there is none."""
    if is_v1 and isinstance(frame, bytes):
        places = _places(frame)
        return frame[places[0] : places[1]].decode("ascii", "replace") if places else ""
    return text_of(_legacy(frame)[0].get("channel"))


def decode_frame(frame: bytes | str, *, is_v1: bool) -> Message | None:
    """Return the message of a frame; None where there is none."""
    if is_v1 and isinstance(frame, bytes):
        places = _places(frame)
        if len(places) < _SIGNED_PARTS + 2:
            return None
        data = [frame[begin:end] for begin, end in itertools.pairwise(places[1:])]
        header, parent, _, content = map(object_of, data[:_SIGNED_PARTS])
        return _message_of(header, parent, content, data[_SIGNED_PARTS:])
    found, buffers = _legacy(frame)
    if not found:
        return None
    header, parent, content = (
        cast("dict[str, Any]", one) if isinstance(one := found.get(name), dict) else {}
        for name in ("header", "parent_header", "content")
    )
    return _message_of(header, parent, content, buffers)


def _message_of(
    header: dict[str, Any], parent: dict[str, Any], content: dict[str, Any], data: list[bytes]
) -> Message:
    kind, name = text_of(header.get("msg_type")), text_of(header.get("msg_id"))
    return Message(kind, name, text_of(parent.get("msg_id")), content, header, tuple(data))


def _encode_v1(channel: str, data: Sequence[bytes]) -> bytes:
    parts = [channel.encode("ascii"), *data]
    places = [8 * (len(parts) + 2)]
    for one in parts:
        places.append(places[-1] + len(one))
    numbers = (len(places), *places)
    return struct.pack(f"<{len(numbers)}Q", *numbers) + b"".join(parts)


def _places(frame: bytes) -> list[int]:
    """Return where the parts of a frame begin, and its end; [] where that cannot be."""
    if len(frame) < 8:
        return []
    (count,) = struct.unpack_from("<Q", frame)
    if not 2 <= count <= _MOST_PARTS or len(frame) < 8 * (count + 1):
        return []
    places = list(struct.unpack_from(f"<{count}Q", frame, 8))
    is_rising = all(one <= other for one, other in itertools.pairwise(places))
    return places if is_rising and places[-1] <= len(frame) else []


def _legacy(frame: bytes | str) -> tuple[dict[str, Any], list[bytes]]:
    if isinstance(frame, str):
        return object_of(frame.encode("utf-8", "replace")), []
    if len(frame) < 8:
        return {}, []
    (count,) = struct.unpack_from("!I", frame)
    if not 1 <= count <= _MOST_PARTS or len(frame) < 4 * (count + 1):
        return {}, []
    places = [*struct.unpack_from(f"!{count}I", frame, 4), len(frame)]
    data = [frame[begin:end] for begin, end in itertools.pairwise(places)]
    return object_of(data[0]), data[1:]
