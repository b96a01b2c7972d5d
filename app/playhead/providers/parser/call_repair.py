"""Mends the JSON of a tool call where it can only have meant one thing."""

from __future__ import annotations

import json
import re

from msgspec import Struct

from playhead.providers.parser.typed_code import is_python

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[ \t\r\n,}\]])")
_WORD = re.compile(r"(?:true|false|null|True|False|None)(?![\w.])")
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPES = re.compile(r"""\\(?:[\\/"'bfnrt]|u[0-9a-fA-F]{4})""")
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSING = {"{": "}", "[": "]"}
_DEEPEST = 60


class _AmbiguousError(Exception):
    """It may have meant several things, or something of it is missing."""


def repair_json(text: str) -> str | None:
    """Return valid JSON, or None if the intended JSON is ambiguous.

    It repairs extra commas, missing brackets at the end after a complete value, single quotes,
    line ends inside strings and Python's constants. Valid JSON is returned unchanged. Nothing
    that was cut off is completed: no string, no number and no member.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        pass
    else:
        return text
    try:
        mended = _JsonRepair(text).mend()
        json.loads(mended)
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
    mended = repair_json(arguments)
    if mended is None:
        bare = arguments.strip()
        may_be_data = not bare or bare[0] in "{[\"'"
        return None if may_be_data or not is_python(bare) else CallCode("python", bare)
    match json.loads(mended):
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
