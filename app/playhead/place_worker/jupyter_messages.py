"""The messages of Jupyter's kernels on the wire: signed parts of JSON. No input or output.

https://jupyter-client.readthedocs.io/en/stable/messaging.html, version 5.
"""

from __future__ import annotations

import hmac
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

_DELIMITER = b"<IDS|MSG>"
_VERSION = "5.3"
_SIGNED_PARTS = 4
_LONGEST_NUMBER = 12


class Message(NamedTuple):
    """A message; `parent` is the id of the one that it belongs to, "" for none."""

    kind: str
    id: str
    parent: str
    content: dict[str, Any]
    header: dict[str, Any]

    def text(self, name: str) -> str:
        """Return a field of the content if it is a text, else the empty text."""
        return text_of(self.content.get(name))


class MessageCodec:
    """Signs and checks the messages of one kernel by its key."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._session = os.urandom(16).hex()
        self._count = 0

    def encode(
        self,
        kind: str,
        content: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        parent: Mapping[str, Any] | None = None,
    ) -> tuple[str, list[bytes]]:
        """Return the id of a new message, and its parts."""
        self._count += 1
        name = f"{self._session}_{self._count}"
        header = {
            "msg_id": name,
            "msg_type": kind,
            "username": "playhead",
            "session": self._session,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "version": _VERSION,
        }
        signed = [
            json.dumps(part).encode() for part in (header, parent or {}, metadata or {}, content)
        ]
        return name, [_DELIMITER, self._sign(signed), *signed]

    def decode(self, parts: Sequence[bytes]) -> Message | None:
        """Return a message, None for what is not signed as it should be or is not one."""
        if _DELIMITER not in parts:
            return None
        signature, *signed = parts[list(parts).index(_DELIMITER) + 1 :]
        signed = signed[:_SIGNED_PARTS]
        if len(signed) < _SIGNED_PARTS or not hmac.compare_digest(signature, self._sign(signed)):
            return None
        header, parent, _, content = (_object(part) for part in signed)
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


def _object(part: bytes) -> dict[str, Any]:
    try:
        found = json.loads(part)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
