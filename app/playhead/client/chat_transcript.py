"""The conversation as a program sees it: native messages, folded from chunks as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

Wire = dict[str, Any]
_CODE = ("type", "format", "content", "kernel", "machine", "folder")
"""The parts of a confirmation that every reader knows."""

if TYPE_CHECKING:
    from playhead.domain.conversation.payloads import FileChanges, RunReport
    from playhead.domain.trust import RiskFact
    from playhead.formats.wire.native.fold import MessageFold

# The formats are imported with the first chunk, so that importing the Python face stays cheap.


def is_extended(chunk: Mapping[str, Any]) -> bool:
    """Return whether the chunk is of a kind that only our extended readers know."""
    from playhead.formats.wire.native.encode import is_extended_kind

    role, kind = str(chunk.get("role")), str(chunk.get("type"))
    return role == "server" or is_extended_kind(role, kind, chunk.get("format"))


def plain_chunk(chunk: Wire) -> Wire:
    """Return the chunk in the original format, which has no id for calls and no facts of code."""
    if chunk.get("type") == "confirmation" and isinstance(content := chunk.get("content"), dict):
        code = cast("Wire", content)
        return {**chunk, "content": {name: code[name] for name in _CODE if name in code}}
    if "id" in chunk and chunk.get("type") in ("code", "console"):
        return {name: value for name, value in chunk.items() if name != "id"}
    return chunk


def run_end_chunks(chunk: Mapping[str, Any]) -> list[Wire]:
    """Return the end of a run as output, if no chunk that a plain reader knows reports it."""
    if chunk.get("type") != "run":
        return []
    from playhead.domain.text.run_ends import run_end_as_output
    from playhead.formats.wire.native.decode import decode_chunk
    from playhead.formats.wire.native.encode import encode_chunk

    report = decode_chunk(chunk)
    return [] if report is None else [encode_chunk(one) for one in run_end_as_output(report)]


def read_run_report(chunk: Mapping[str, Any]) -> RunReport | None:
    """Return the report of a chunk; None if it has none that this version knows."""
    from playhead.domain.conversation.payloads import RunReport
    from playhead.formats.wire.native.decode import decode_chunk

    known = decode_chunk(chunk)
    return known.content if known is not None and isinstance(known.content, RunReport) else None


def read_facts(confirmation: Mapping[str, Any]) -> tuple[RiskFact, ...] | None:
    """Return what code that waits is seen to do; None where nobody looked."""
    from playhead.domain.conversation.payloads import Proposal
    from playhead.formats.wire.native.decode import decode_chunk

    known = decode_chunk(confirmation)
    return (
        known.content.facts if known is not None and isinstance(known.content, Proposal) else None
    )


def read_file_changes(content: Mapping[str, Any]) -> FileChanges | None:
    """Return the effect of a run on files; None if this version does not know it.

    Its id, its conflicts and what was set aside are those of this server: what is imported from
    elsewhere has none.
    """
    import msgspec

    from playhead.domain.conversation.payloads import (
        FileChange,
        FileChanges,
        FileConflict,
        VariableChanges,
    )
    from playhead.formats.wire.native.decode import decode_chunk

    known = decode_chunk({"role": "computer", "type": "files", "content": content})
    if known is None or not isinstance(known.content, FileChanges):
        return None
    try:
        conflicts = msgspec.convert(content.get("conflicts") or [], tuple[FileConflict, ...])
        aside = msgspec.convert(content.get("set_aside") or [], tuple[FileChange, ...])
        variables = msgspec.convert(content.get("variables"), VariableChanges | None)
    except msgspec.ValidationError:  # of a newer server
        conflicts, aside, variables = (), (), None
    id_ = str(content.get("id") or "")
    installed = tuple(map(str, content.get("installed") or ()))
    elsewhere = tuple(map(str, content.get("elsewhere") or ()))
    unwatched = tuple(map(str, content.get("unwatched") or ()))
    return msgspec.structs.replace(
        known.content,
        id=id_,
        conflicts=conflicts,
        set_aside=aside,
        installed=installed,
        elsewhere=elsewhere,
        unwatched=unwatched,
        variables=variables,
    )


def _new_fold() -> MessageFold:
    """Return the fold of one answer.

    A console may be empty: it says that the code has run. Other empty messages say nothing.
    """
    from playhead.formats.wire.native.fold import MessageFold

    return MessageFold(may_be_empty=("console",))


class ChatTranscript:
    """Holds the messages of a chat; `is_changed` is set after the program has edited `messages`.

    Confirmations, active lines and our own faces' kinds are not kept.
    """

    def __init__(self, messages: Iterable[Mapping[str, Any]] = ()) -> None:
        self._messages = [dict(message) for message in messages]
        self._told = [dict(message) for message in self._messages]
        self._fold: MessageFold | None = None
        self._first_added = self._first_open = len(self._told)
        self._proposed: int | None = None

    @property
    def messages(self) -> list[Wire]:
        """Return all messages, the streaming one with its text so far."""
        self._join()
        return self._messages

    @property
    def is_changed(self) -> bool:
        """Return whether the program has changed the messages that it got."""
        return self.messages != self._told

    @property
    def edit(self) -> str | None:
        """Return the code with which the program replaced the proposed one in the message
        itself.
        """
        place = self._proposed
        if place is None or place >= min(len(self.messages), len(self._told)):
            return None
        text = self._messages[place].get("content")
        return text if isinstance(text, str) and text != self._told[place]["content"] else None

    def add(self, messages: Iterable[Wire]) -> None:
        """Take the user's own messages."""
        self._join()
        self._fold = None
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
        elif not is_extended(chunk) and chunk.get("format") != "active_line":
            self._take(chunk)

    def replace_code(self, code: str) -> None:
        """Replace the proposed code with the code that is to run."""
        if self._proposed is not None and self._proposed < len(self._told):
            self._told[self._proposed]["content"] = code
            if self._proposed < len(self._messages):
                self._messages[self._proposed]["content"] = code

    def _append(self, message: Wire) -> None:
        self._messages.append(dict(message))
        self._told.append(dict(message))

    def _take(self, chunk: Wire) -> None:
        fold = self._fold = self._fold or _new_fold()
        if chunk.get("end"):
            self._join()
            if fold.open is not None and fold.take(chunk) is None:
                self._drop_last()
            return
        message = fold.take(chunk)
        if chunk.get("start"):
            message = fold.open
        if message is not None:
            self._append(message)

    def _drop_last(self) -> None:
        if self._messages and self._messages[-1] == self._told[-1]:
            self._messages.pop()
        self._told.pop()

    def _join(self) -> None:
        """Give the message that streams its text so far."""
        if self._fold is not None and (message := self._fold.open) is not None:
            if self._messages and self._messages[-1] == self._told[-1]:
                self._messages[-1]["content"] = message["content"]
            self._told[-1]["content"] = message["content"]

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
