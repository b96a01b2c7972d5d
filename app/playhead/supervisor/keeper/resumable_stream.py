"""Messages in both directions that survive the loss of what carries them, by offsets in bytes.

Each end numbers the bytes that it sends and keeps them until the other end has them. After a loss
both say how much they have; what is missing is sent again, and what comes twice is dropped.

A message is a letter, the length of its content and the content; a frame carries a part of the
bytes of messages, or an acknowledgement, or a ping:

    D offset length bytes     bytes of messages from that offset on
    A offset                  all before it has arrived
    P number, Q number        a ping and its answer, with JSON as content
    T                         another client has come: this one is not to come back by itself
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Kept(Protocol):
        """Keeps the bytes that were sent and may be asked for again."""

        @property
        def start(self) -> int:
            """Return the offset of the first byte that the other end may not have."""
            ...

        @property
        def end(self) -> int:
            """Return the offset after the last byte."""
            ...

        def append(self, data: bytes) -> None:
            """Add at the end."""
            ...

        def read(self, at: int, limit: int) -> bytes:
            """Return some bytes from a place on; b"" at the end."""
            ...

        def forget(self, before: int) -> None:
            """Drop what the other end has."""
            ...


_FRAME = struct.Struct(">cQI")
_MESSAGE = struct.Struct(">cI")
MESSAGE_LIMIT = 1 << 20
"""The longest content of a message or frame; who sends more is no end of ours."""
_FRAME_BYTES = 65536
_KINDS = (b"D", b"A", b"P", b"Q", b"T")
TAKEN = _FRAME.pack(b"T", 0, 0)
"""What is sent to a client whose place another one takes."""


class LinkError(Exception):
    """The other end sent what no end sends: the link is given up, not the stream."""


class SentBytes:
    """Keeps in memory what was sent."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._data = bytearray()

    @property
    def start(self) -> int:
        """Return the offset of the first byte that is kept."""
        return self._start

    @property
    def end(self) -> int:
        """Return the offset after the last byte."""
        return self._start + len(self._data)

    def append(self, data: bytes) -> None:
        """Add at the end."""
        self._data += data

    def read(self, at: int, limit: int) -> bytes:
        """Return some bytes from a place on; b"" at the end."""
        begin = at - self._start
        return bytes(self._data[begin : begin + limit])

    def forget(self, before: int) -> None:
        """Drop what the other end has."""
        del self._data[: before - self._start]
        self._start = before


class ResumableStream:
    """One end of the stream; `kept` has what was sent."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._sent = 0
        self._urgent = b""
        self.received = 0
        self._acknowledged = 0
        self._frames = b""
        self._messages = bytearray()
        self.ping_content = b""
        """Goes out with the answer to a ping."""
        self.is_taken = False
        """Whether the other end has another client now."""

    @property
    def unacknowledged(self) -> int:
        """Return how many bytes the other end may not have."""
        return self._kept.end - self._kept.start

    @property
    def is_all_sent(self) -> bool:
        """Return whether nothing is to be written."""
        return self._sent >= self._kept.end and not self._urgent and not self._owes_word

    @property
    def _owes_word(self) -> bool:
        return self.received > self._acknowledged

    def send(self, kind: bytes, content: bytes) -> None:
        """Add a message, in parts if it is long: who needs them whole says its length."""
        for at in range(0, len(content) or 1, MESSAGE_LIMIT):
            part = content[at : at + MESSAGE_LIMIT]
            self._kept.append(_MESSAGE.pack(kind, len(part)) + part)

    def ping(self, number: int) -> None:
        """Ask the other end for a sign of life."""
        self._urgent += _FRAME.pack(b"P", number, 0)

    def join(self, received: int) -> None:
        """Go on as an end that is new, whose other end sends from this offset on."""
        self.received = self._acknowledged = received
        self._messages.clear()

    def begin(self, has: int) -> None:
        """Begin on a new link, to an end that has so many bytes. Raises LinkError."""
        if not self._kept.start <= has <= self._kept.end:
            raise LinkError("%d bytes of %d" % (has, self._kept.end))
        self._frames, self._urgent = b"", b""
        self._acknowledged = self.received
        self._sent = has
        self._kept.forget(has)

    def next_bytes(self) -> bytes:
        """Return what is to be written next; b"" if there is nothing."""
        data = self._urgent
        self._urgent = b""
        if self._owes_word:
            data += _FRAME.pack(b"A", self.received, 0)
            self._acknowledged = self.received
        part = self._kept.read(self._sent, _FRAME_BYTES)
        if part:
            data += _FRAME.pack(b"D", self._sent, len(part)) + part
            self._sent += len(part)
        return data

    def feed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Take what has arrived; return the messages that are whole. Raises LinkError."""
        data = self._frames + data if self._frames else data
        at, found = 0, len(data)
        while found - at >= _FRAME.size:
            kind, number, length = _FRAME.unpack_from(data, at)
            if length > MESSAGE_LIMIT or kind not in _KINDS:
                raise LinkError("a frame %r of %d bytes" % (kind, length))
            if found - at - _FRAME.size < length:
                break
            at += _FRAME.size
            self._take(kind, number, data[at : at + length])
            at += length
        self._frames = data[at:]
        return self._whole_messages()

    def _take(self, kind: bytes, number: int, content: bytes) -> None:
        if kind == b"D":
            if number > self.received:
                raise LinkError("bytes are missing before %d" % number)
            new = content[self.received - number :]
            self.received += len(new)
            self._messages += new
        elif kind == b"A":
            if not self._kept.start <= number <= self._kept.end:
                raise LinkError("%d bytes of %d" % (number, self._kept.end))
            self._kept.forget(number)
        elif kind == b"P":
            if len(self._urgent) > MESSAGE_LIMIT:
                raise LinkError("pings whose answers are not read")
            self._urgent += _FRAME.pack(b"Q", number, len(self.ping_content)) + self.ping_content
        elif kind == b"Q":
            return  # that it has come is all there is to know
        else:
            self.is_taken = True

    def _whole_messages(self) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        at, end = 0, len(self._messages)
        while end - at >= _MESSAGE.size:
            kind, length = _MESSAGE.unpack_from(self._messages, at)
            if length > MESSAGE_LIMIT:
                raise LinkError("a message of %d bytes" % length)
            if end - at - _MESSAGE.size < length:
                break
            at += _MESSAGE.size
            found.append((kind, bytes(self._messages[at : at + length])))
            at += length
        del self._messages[:at]
        return found
