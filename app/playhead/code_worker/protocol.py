"""Messages between the app and its code worker: one JSON object a line, each with a number."""

from __future__ import annotations

import json
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

MAX_LINE_BYTES = 8 * 1024 * 1024

Kind = Literal["complete", "describe"]


class Question(Struct, frozen=True, kw_only=True):
    """To the worker: what can follow the code `before` the cursor, or what it ends with.

    `is_wanted` is, for a completion, whether a key asked for it and not typing; for a description,
    whether it is that of the call that the cursor is in. `sys_path` and `version` are those of the
    interpreter that would run the code, in `folder`. A later question takes the place of this one.
    """

    number: int
    kind: Kind
    before: str
    after: str = ""
    is_wanted: bool = False
    folder: str = ""
    sys_path: tuple[str, ...] = ()
    version: tuple[int, int] | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """From the worker: candidates (texts and kinds) that replace `length` characters, or facts.

    Each question has one, empty if a later question came first. The facts have a `name`, and
    `parameters` if it can be called; `argument` is the place of the one under the cursor.
    `problem` is what went wrong, for the log.
    """

    number: int
    length: int = 0
    candidates: tuple[tuple[str, str], ...] = ()
    name: str = ""
    parameters: tuple[str, ...] | None = None
    argument: int = -1
    type: str = ""
    documentation: str = ""
    problem: str = ""


class ProtocolError(ValueError):
    """A line that is not a message of the other side."""


_Message = TypeVar("_Message")
_questions = msgspec.json.Decoder(Question)
_answers = msgspec.json.Decoder(Answer)


def encode(message: Question | Answer) -> bytes:
    """Return a message as one line; half characters become question marks."""
    try:
        return msgspec.json.encode(message) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(message), ensure_ascii=False)
        return text.encode("utf-8", "replace") + b"\n"


def decode_question(line: bytes) -> Question:
    """Return the question of a line. Raises ProtocolError."""
    return _decoded(_questions, line)


def decode_answer(line: bytes) -> Answer:
    """Return the answer of a line. Raises ProtocolError."""
    return _decoded(_answers, line)


def _decoded(decoder: msgspec.json.Decoder[_Message], line: bytes) -> _Message:
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ProtocolError(f"not a message of the code worker's: {line[:80]!r}") from error
