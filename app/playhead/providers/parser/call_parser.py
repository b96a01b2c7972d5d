"""Tool calls, cut anywhere and in alternating pieces, become code and tool_call messages."""

from __future__ import annotations

import bisect
import json
import re
import uuid
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from playhead.domain.model import EXECUTE
from playhead.domain.text.json_text import read_json
from playhead.formats.wire.argument_reader import ArgumentReader
from playhead.formats.wire.incoming_calls import half_call_result
from playhead.model_worker.protocol import CallPiece
from playhead.providers.parser.message_writer import MessageWriter
from playhead.providers.parser.prose_parser import Canonical

NO_ARGUMENTS = "{}"
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \t\r\n,}\]])")
_WORD = re.compile(r"(?:true|false|null|True|False|None)(?![\w.])")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPES = re.compile(r"""\\(?:[\\/"'bfnrt]|u[0-9a-fA-F]{4})""")
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 60


class CutOffError(Exception):
    """The answer ended in the middle of code or of a call; that is never offered."""


class CallParser:
    """Writes one call after the other in index order; pieces of later calls wait.

    Where `offers_execute` is False, a call of `execute` is one as any other. `known_ids` are those
    of earlier calls: some servers count from 0 in each answer, or give none at all, and a result
    must find its call.
    """

    def __init__(
        self,
        writer: MessageWriter,
        canonical: Canonical,
        *,
        offers_execute: bool = True,
        known_ids: Iterable[str] = (),
    ) -> None:
        self._writer = writer
        self._canonical = canonical
        self._offers_execute = offers_execute
        self._known_ids = set(known_ids)
        self.has_called = False
        """Whether there was any call."""
        self._latest: dict[int, _Call] = {}
        self._calls: list[_Call] = []

    @property
    def is_busy(self) -> bool:
        """Return whether a call is not complete yet."""
        return bool(self._calls)

    def feed(self, piece: CallPiece) -> None:
        """Take a piece of some call."""
        call = self._call_of(piece)
        call.name = call.name or piece.name
        call.id = call.id or piece.id
        if piece.arguments:
            call.waiting.append(piece.arguments)
        while self._calls and self._calls[0].advance():
            self._calls.pop(0)

    def finish(self, *, is_cut: bool, gives_back: bool = False) -> None:
        """End the answer, which may be `is_cut` by a length limit. Raises CutOffError.

        With `gives_back` half a call gets a result that says so to the model, as it did not notice.
        """
        while self._calls:
            self._calls.pop(0).finish(is_cut=is_cut, gives_back=gives_back)

    def _call_of(self, piece: CallPiece) -> _Call:
        known = self._latest.get(piece.index)
        if known is None or known.is_followed_by(piece):
            canonical = self._canonical if self._offers_execute else None
            known = _Call(piece.index, self._writer, canonical, self._known_ids)
            self.has_called = True
            self._latest[piece.index] = known
            is_under_way = bool(self._calls) and self._calls[0].has_begun
            bisect.insort(self._calls, known, lo=int(is_under_way), key=lambda call: call.index)
        return known


class _Call:
    """One call: code if it is a proper `execute`, else a tool_call with its arguments' text.

    With `canonical` None nothing is code.
    """

    def __init__(
        self,
        index: int,
        writer: MessageWriter,
        canonical: Canonical | None,
        known_ids: set[str],
    ) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.waiting: list[str] = []
        self.has_begun = False
        self._writer = writer
        self._canonical = canonical
        self._known_ids = known_ids
        self._reader = ArgumentReader()
        self._raw: list[str] = []
        self._code: list[str] = []
        self._word = ""
        self._language: str | None = None
        self._is_plain = False
        self._begun_id = ""

    def is_followed_by(self, piece: CallPiece) -> bool:
        """Return whether a piece of the same index begins another call.

        Some servers number every call 0: then another id begins a call, or without ids a name after
        this call is complete.
        """
        if piece.id and self.id:
            return piece.id != self.id
        return bool(piece.name and piece.arguments) and self._reader.is_complete

    def advance(self) -> bool:
        """Write what can be written; True when the call is whole."""
        if not self.name:
            return False
        if self.name != EXECUTE or self._canonical is None:
            self._become_plain()
        waiting, self.waiting = self.waiting, []
        for piece in waiting:
            self._take(piece)
        if not self._reader.is_complete:
            return False
        if not self.has_begun:
            self._become_plain()
        self._writer.close()
        return True

    def finish(self, *, is_cut: bool, gives_back: bool) -> None:
        """Handle the end of an answer before the end of the arguments."""
        self.name = self.name or "unknown"
        if self.advance():
            return
        is_half = self.has_begun and not self._is_plain and "code" not in self._reader.closed
        if is_cut or (is_half and not gives_back):
            raise CutOffError
        if is_half:
            self._give_back()
            return
        if not self.has_begun and not self._write_mended():
            self._become_plain()
        if self._is_plain and not "".join(self._raw).strip():
            self._write_plain(NO_ARGUMENTS)  # some servers omit empty arguments
        self._writer.close()

    def _take(self, piece: str) -> None:
        found = self._reader.feed(piece)
        piece = piece[: len(piece) - self._reader.overhang]  # text after the arguments is dropped
        self._raw.append(piece)
        if self._is_plain:
            self._write_plain(piece)
            return
        self._word += "".join(text for key, text in found if key == "language")
        self._code += [text for key, text in found if key == "code"]
        if self._language is None and "language" in self._reader.closed:
            self._language = self._canonical(self._word) if self._canonical else None
            if self._language is None:
                self._become_plain()
                return
        if self._language is not None and "code" in self._reader.begun:
            self._write_code(self._language)

    def _write_mended(self) -> bool:
        """Write the code of arguments that are invalid JSON if their meaning is clear."""
        found = find_call_code("".join(self._raw))
        if found is None or self._canonical is None:
            return False
        language = self._canonical(found.language)
        if language is None:
            return False
        self._code = [found.code]
        self._write_code(language)
        return True

    def _write_code(self, language: str) -> None:
        if not self.has_begun:
            self._begin("code", language)
        for text in self._code:
            self._writer.write(text, "code", language)
            self._writer.cut()
        self._code.clear()

    def _give_back(self) -> None:
        """End half the code, which has its result at once: nobody is asked about it."""
        for chunk in half_call_result(self._begun_id):
            self._writer.add(chunk)

    def _become_plain(self) -> None:
        """Make the call a plain one, which the turn answers with a result that names its error."""
        if self._is_plain:
            return
        self._is_plain = True
        self._begin("tool_call", self.name)
        for piece in self._raw:
            self._write_plain(piece)

    def _begin(self, kind: Literal["code", "tool_call"], format_: str) -> None:
        self.has_begun = True
        call_id = self.id
        if not call_id or call_id in self._known_ids:
            call_id = f"{call_id or 'call'}_{uuid.uuid4().hex[:12]}"
        self._known_ids.add(call_id)
        self._begun_id = call_id
        self._writer.open(kind, format_, call_id)

    def _write_plain(self, piece: str) -> None:
        self._writer.write(piece, "tool_call", self.name)
        self._writer.cut()


class _AmbiguousError(Exception):
    """It may have meant several things, or something of it is missing."""


def repair_json(text: str) -> str | None:
    """Return valid JSON, or None if the intended JSON is ambiguous.

    It repairs extra commas, missing brackets at the end after a complete value, single quotes,
    line ends inside strings and Python's constants. Valid JSON is returned unchanged. Nothing
    that was cut off is completed: no string, no number and no member.
    """
    try:
        read_json(text)
    except ValueError:
        pass
    else:
        return text
    try:
        mended = _JsonRepair(text).mend()
        read_json(mended)
    except (_AmbiguousError, ValueError):
        return None
    return mended


class CallCode(Struct, frozen=True):
    """The code of an `execute` call; `language` as the model named it."""

    language: str
    code: str


def find_call_code(arguments: str) -> CallCode | None:
    """Return the code in malformed arguments, or None.

    Code alone, quoted or not, counts only if it can only be Python.
    """
    from playhead.providers.parser.typed_code import is_python  # with the syntax trees

    mended = repair_json(arguments)
    if mended is None:
        bare = arguments.strip()
        may_be_data = not bare or bare[0] in "{[\"'"
        return None if may_be_data or not is_python(bare) else CallCode("python", bare)
    match read_json(mended):
        case {"language": str(language), "code": str(code)}:
            return CallCode(language, code)
        case str(code) if is_python(code.strip()):
            return CallCode("python", code)
        case _:
            return None


class _JsonRepair:
    """Reads leniently and writes strictly, in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._written: list[str] = []

    def mend(self) -> str:
        self._skip()
        self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise _AmbiguousError
        return "".join(self._written)

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> None:
        letter = self._peek()
        if depth > _DEEPEST or not letter:
            raise _AmbiguousError
        if letter in _CLOSING:
            self._container(letter, depth)
        elif letter in "\"'":
            self._string()
        else:
            self._bare()

    def _bare(self) -> None:
        """Read a number or a constant; a number at the very end may be cut off."""
        if found := _WORD.match(self._text, self._at):
            self._written.append(_WORDS.get(found[0], found[0]))
        elif found := _NUMBER.match(self._text, self._at):
            self._written.append(found[0])
        else:
            raise _AmbiguousError
        self._at = found.end()

    def _container(self, opening: str, depth: int) -> None:
        self._at += 1
        self._written.append(opening)
        has_any = False
        while True:
            self._skip()
            letter = self._peek()
            if letter == _CLOSING[opening]:
                self._at += 1
                break
            if has_any and not letter:
                self._expect_whole_end()
                break
            if has_any:
                self._written.append(",")
            self._member(opening, depth)
            has_any = True
            self._comma(opening)
        self._written.append(_CLOSING[opening])

    def _member(self, opening: str, depth: int) -> None:
        if opening == "{":
            if self._peek() not in ("'", '"'):
                raise _AmbiguousError
            self._string()
            self._skip()
            if self._peek() != ":":
                raise _AmbiguousError
            self._at += 1
            self._written.append(":")
            self._skip()
        self._value(depth + 1)

    def _comma(self, opening: str) -> None:
        """Read what has to follow a member: a comma, the end of its container or of the text."""
        self._skip()
        letter = self._peek()
        if letter == ",":
            self._at += 1
            self._skip()
            if not self._peek():
                raise _AmbiguousError  # there was to be more
        elif letter and letter != _CLOSING[opening]:
            raise _AmbiguousError

    def _expect_whole_end(self) -> None:
        """Expect a string or a bracket at the end, which show that the value is complete.

        A single quote does not, because many models do not escape those inside a string.
        """
        if self._text.rstrip()[-1] not in '"}]':
            raise _AmbiguousError

    def _string(self) -> None:
        quote = self._peek()
        end, text = self._at + 1, self._text
        while end < len(text) and text[end] != quote:
            end += 2 if text[end] == "\\" else 1
        if end >= len(text):
            raise _AmbiguousError
        self._written.append(f'"{_strict(text[self._at + 1 : end], quote)}"')
        self._at = end + 1


def _strict(inside: str, quote: str) -> str:
    """Return the inside of a string as JSON writes it."""
    pieces: list[str] = []
    at = 0
    while (slash := inside.find("\\", at)) >= 0:
        pieces.append(_plain(inside[at:slash], quote))
        escape = _ESCAPES.match(inside, slash)
        if escape is None:  # an escape of another language is ambiguous
            raise _AmbiguousError
        pieces.append("'" if escape[0] == "\\'" else escape[0])
        at = escape.end()
    pieces.append(_plain(inside[at:], quote))
    return "".join(pieces)


def _plain(text: str, quote: str) -> str:
    """Return the text with characters escaped that JSON does not allow as they are."""
    if quote == "'":
        text = text.replace('"', '\\"')
    return _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], text)
