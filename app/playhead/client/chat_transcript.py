"""The conversation as a program sees it: native messages, folded from chunks as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

Wire = dict[str, Any]

_OWN_FACES = frozenset({"run", "error", "input", "timing", "table", "files"})
_OWN_FORMATS = {"image": frozenset({"svg"}), "code": frozenset({"markdown", "latex"})}


def is_extended(chunk: Mapping[str, Any]) -> bool:
    """Whether a plain reader has no word for this chunk (docs/wire-formats.md, section 2a)."""
    kind = str(chunk.get("type"))
    if chunk.get("role") == "server":
        return True
    if chunk.get("role") != "computer":
        return False
    return kind in _OWN_FACES or chunk.get("format") in _OWN_FORMATS.get(kind, ())


def without_call_id(chunk: Wire) -> Wire:
    """The chunk as the original format has it: without the id of a call."""
    if "id" in chunk and chunk.get("type") in ("code", "console"):
        return {name: value for name, value in chunk.items() if name != "id"}
    return chunk


def run_end_chunks(chunk: Mapping[str, Any]) -> list[Wire]:
    """The end of a run as output, where nothing that a plain reader knows tells of it."""
    report = chunk.get("content")
    if chunk.get("type") != "run" or not isinstance(report, Mapping):
        return []
    words = _end_words(cast("Mapping[str, Any]", report))
    head = {"role": "computer", "type": "console"}
    output = {**head, "format": "output", "content": f"[{words}]\n"}
    return [{**head, "start": True}, output, {**head, "end": True}] if words else []


def _end_words(report: Mapping[str, Any]) -> str:
    place = f" in line {report['line']}" if report.get("line") else ""
    after = f"{place} after {report.get('seconds', 0.0):.1f} s"
    reason = str(report.get("reason", "")).removeprefix("the kernel ended: ")
    reason = f": {reason}" if reason else ""
    match report.get("state"):
        case "killed":
            return f"The kernel ended{after}{reason}. Its names are gone."
        case "interrupted":
            return f"Stopped{after}{reason}." if reason else ""
        case _:
            status = report.get("exit_status")
            return f"It ended with status {status}." if status else ""


class ChatTranscript:
    """`messages` belongs to the program, which may change it; `is_changed` then says so.

    Confirmations, active lines and our own faces' kinds are not kept.
    """

    def __init__(self, messages: Iterable[Mapping[str, Any]] = ()) -> None:
        self._messages = [dict(message) for message in messages]
        self._told = [dict(message) for message in self._messages]
        self._pieces: list[str] = []
        self._is_open = False
        self._first_added = self._first_open = len(self._told)
        self._proposed: int | None = None

    @property
    def messages(self) -> list[Wire]:
        """All messages, the one that streams with its text so far."""
        self._join()
        return self._messages

    @property
    def is_changed(self) -> bool:
        """Whether the program changed something that it was told."""
        return self.messages != self._told

    @property
    def edit(self) -> str | None:
        """The code that the program wrote over the proposed one, in the message itself."""
        place = self._proposed
        if place is None or place >= min(len(self.messages), len(self._told)):
            return None
        text = self._messages[place].get("content")
        return text if isinstance(text, str) and text != self._told[place]["content"] else None

    def add(self, messages: Iterable[Wire]) -> None:
        """Take the user's own messages."""
        self._first_added = len(self._told)
        for message in messages:
            self._append(message)
        self._first_open = len(self._told)

    def retract(self) -> None:
        """Take back what was added last."""
        del self._messages[self._first_added :], self._told[self._first_added :]

    def feed(self, chunk: Wire) -> None:
        """Take one chunk of the answer."""
        if chunk.get("type") == "confirmation":
            self._propose(chunk)
        elif told := run_end_chunks(chunk):
            for one in told:
                self.feed(one)
        elif is_extended(chunk) or chunk.get("format") == "active_line":
            return
        elif chunk.get("start"):
            self._open(chunk)
        elif chunk.get("end"):
            self._close()
        elif self._is_open:
            self._pieces.append(str(chunk.get("content", "")))
        else:
            self._append(chunk)

    def replace_code(self, code: str) -> None:
        """Let the proposed code be what runs in its place."""
        if self._proposed is not None and self._proposed < len(self._told):
            self._told[self._proposed]["content"] = code
            if self._proposed < len(self._messages):
                self._messages[self._proposed]["content"] = code

    def _append(self, message: Wire) -> None:
        self._messages.append(dict(message))
        self._told.append(dict(message))

    def _open(self, chunk: Wire) -> None:
        message = {name: value for name, value in chunk.items() if name != "start"}
        if message["type"] == "console":
            message["format"] = "output"
            message.pop("id", None)  # the run's, which says nothing outside its process
        self._append({**message, "content": ""})
        self._is_open = True

    def _close(self) -> None:
        self._join()
        self._is_open = False
        # A console may be empty: it says that the code has run. Other empty messages say nothing.
        if self._told and self._told[-1]["content"] == "" and self._told[-1]["type"] != "console":
            if self._messages and self._messages[-1] == self._told[-1]:
                self._messages.pop()
            self._told.pop()

    def _join(self) -> None:
        if self._pieces and self._told:
            text = self._told[-1]["content"] + "".join(self._pieces)
            if self._messages and self._messages[-1] == self._told[-1]:
                self._messages[-1]["content"] = text
            self._told[-1]["content"] = text
        self._pieces = []

    def _propose(self, chunk: Wire) -> None:
        """Find the code that a confirmation is about: they come in the order of the code."""
        self._join()
        self._proposed = None
        content: Wire = chunk.get("content") or {}
        for place in range(self._first_open, len(self._told)):
            message = self._told[place]
            if message["type"] == "code" and message["content"] == content.get("content"):
                self._proposed, self._first_open = place, place + 1
                return
