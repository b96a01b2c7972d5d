"""Read the strings of a JSON object while the object is still being streamed."""

from __future__ import annotations

import itertools
import json
import operator
import re
from typing import Literal

from playhead.domain.text.unicode import SurrogateJoiner

_State = Literal["start", "key", "in_key", "colon", "value", "in_string", "other", "after", "end"]
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SPACE = " \t\r\n"
_SPECIAL = re.compile(r'["\\]')
_LONGEST_KEY = 1_000


class ArgumentReader:
    """Takes the text of a tool call's arguments in pieces, gives the top-level string values.

    Lenient inside strings (raw line ends, unknown escapes), strict around them.
    """

    def __init__(self) -> None:
        self._state: _State = "start"
        self._key = ""
        self._escape = ""
        self._depth = 0
        self._is_quoted = False
        self._joiner = SurrogateJoiner()
        self._found: list[tuple[str, str]] = []
        self.begun: set[str] = set()
        """Keys whose string value has begun."""
        self.closed: set[str] = set()
        """Keys whose string value is whole."""
        self.is_broken = False
        """Whether the text is not a JSON object."""
        self.overhang = 0
        """The number of letters of the last piece after the object's end."""

    @property
    def is_complete(self) -> bool:
        """Return whether the object has been closed."""
        return self._state == "end"

    def feed(self, text: str) -> list[tuple[str, str]]:
        """Return (key, piece of its string value) in order; pieces of one key are joined."""
        self.overhang = place = 0
        while place < len(text) and self._state != "end" and not self.is_broken:
            if self._state == "in_string" and not self._escape:
                place = self._take_plain(text, place)
            if place < len(text):
                self._take(text[place])
                place += 1
        if self._state == "end":
            self.overhang = len(text) - place
        found, self._found = self._found, []
        return self._joined(found)

    def _joined(self, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
        groups = itertools.groupby(found, key=operator.itemgetter(0))
        return [(key, "".join(piece for _, piece in pieces)) for key, pieces in groups]

    def _take_plain(self, text: str, place: int) -> int:
        """Take all letters that are nothing special at once; where they end."""
        special = _SPECIAL.search(text, place)
        end = special.start() if special else len(text)
        if end > place:
            self._give(self._joiner.feed(text[place:end]))
        return end

    def _take(self, letter: str) -> None:
        if self._state == "in_string":
            self._take_in_string(letter)
        elif self._state == "in_key":
            self._take_in_key(letter)
        elif self._state == "other":
            self._take_other(letter)
        elif letter not in _SPACE:
            self._take_between(letter)

    def _take_between(self, letter: str) -> None:
        match self._state, letter:
            case "start", "{":
                self._state = "key"
            case "key", '"':
                self._key, self._state = "", "in_key"
            case (("key" | "after"), "}"):
                self._state = "end"
            case "after", ",":
                self._state = "key"
            case "colon", ":":
                self._state = "value"
            case "value", '"':
                self.begun.add(self._key)
                self._state = "in_string"
            case "value", _ if letter not in ",:}]":
                self._depth, self._is_quoted, self._state = 0, False, "other"
                self._take_other(letter)
            case _:
                self.is_broken = True

    def _take_in_key(self, letter: str) -> None:
        self.is_broken = len(self._key) > _LONGEST_KEY
        if self._escape or letter == "\\":
            self._key += letter
            self._escape = "" if self._escape else letter
        elif letter == '"':
            self._key = _unescaped(self._key)
            self._state = "colon"
        else:
            self._key += letter

    def _take_in_string(self, letter: str) -> None:
        if self._escape:
            self._take_escape(letter)
        elif letter == "\\":
            self._escape = letter
        elif letter == '"':
            self._give(self._joiner.finish())
            self.closed.add(self._key)
            self._state = "after"
        else:
            self._give(self._joiner.feed(letter))

    def _take_escape(self, letter: str) -> None:
        self._escape += letter
        if self._escape[1] != "u":
            known = _ESCAPES.get(letter) or (letter if letter in '"\\/' else self._escape)
            self._decoded(known)
        elif len(self._escape) > 2 and letter not in "0123456789abcdefABCDEF":
            held, self._escape = self._escape[:-1], ""
            self._give(self._joiner.feed(held))
            self._take_in_string(letter)
        elif len(self._escape) == 6:
            self._decoded(chr(int(self._escape[2:], 16)))

    def _decoded(self, text: str) -> None:
        self._escape = ""
        self._give(self._joiner.feed(text))

    def _give(self, text: str) -> None:
        if text:
            self._found.append((self._key, text))

    def _take_other(self, letter: str) -> None:
        """Read a value that is not a string: a number, a word, a list, an object."""
        if self._is_quoted:
            self._take_quoted(letter)
        elif letter == '"':
            self._is_quoted = True
        elif letter in "{[":
            self._depth += 1
        elif letter in "}]" and self._depth:
            self._depth -= 1
        elif letter in ",}" and not self._depth:
            self._state = "after"
            self._take_between(letter)

    def _take_quoted(self, letter: str) -> None:
        if self._escape:
            self._escape = ""
        elif letter == "\\":
            self._escape = letter
        elif letter == '"':
            self._is_quoted = False


def _unescaped(key: str) -> str:
    """Return a key with its escapes decoded, or unchanged if that is not possible."""
    if "\\" not in key:
        return key
    try:
        return str(json.loads(f'"{key}"', strict=False))
    except ValueError:
        return key
