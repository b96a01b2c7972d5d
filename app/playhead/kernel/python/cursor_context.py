"""Find what is before the cursor in unfinished code: a name, an attribute, a key, a path.

The text is scanned once from its beginning, so that strings and comments are known as such; nothing
is parsed, as code that is being written seldom parses.
"""

from __future__ import annotations

import ast
import keyword
import re
from typing import List, NamedTuple, Optional, Tuple

LONGEST = 50_000
"""Characters before the cursor that are looked at; the text is cut at the start of a line."""


class Step(NamedTuple):
    """A part of an expression, from the left: `kind` is name, attribute, item, call or literal.

    `text` is the name, the source of an item's key ("" if it is no literal), or the name of the
    class of a literal.
    """

    kind: str
    text: str = ""


Chain = Tuple[Step, ...]


class Call(NamedTuple):
    """A call that the cursor is in: what is called, and its argument under the cursor.

    `keyword` is the name of that argument if it is given by name.
    """

    callee: Chain
    argument: int = 0
    keyword: str = ""


class CursorContext(NamedTuple):
    """The part of a code that can be completed.

    `kind` is name, attribute, key, text, module, member, or "" where nothing can be.
    `prefix` is what is written of it, up to the cursor. `owner` is the expression before the dot or
    the bracket, () if it is not one that can be read; the modules of an import are its names.
    `words` are the names in the code before.
    """

    kind: str = ""
    prefix: str = ""
    owner: Chain = ()
    call: Optional[Call] = None
    words: Tuple[str, ...] = ()


class _Token(NamedTuple):
    kind: str
    text: str
    end: int


_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r"|(?P<string>(?:[rR][bBfFtT]?|[bBfFtT][rR]?|[uU])?(?:\"\"\"|'''|\"|'))"
    r"|(?P<number>\.?\d(?:[eE][+-]|[\w.])*)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<newline>\n)"
    r"|(?P<space>[ \t\r\f]+|\\\r?\n)"
    r"|(?P<mark>.)",
    re.DOTALL,
)
_REST_OF_STRING = {
    '"': re.compile(r'[^\\\n"]*(?:\\.[^\\\n"]*)*"', re.DOTALL),
    "'": re.compile(r"[^\\\n']*(?:\\.[^\\\n']*)*'", re.DOTALL),
    '"""': re.compile(r'[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*"""', re.DOTALL),
    "'''": re.compile(r"[^\\']*(?:(?:\\.|'(?!''))[^\\']*)*'''", re.DOTALL),
}
_OPENING = {")": "(", "]": "[", "}": "{"}
_STATEMENTS = frozenset({"def", "class", "import", "from", "for", "while", "with", "return", "if"})
_NAMING = frozenset({"def", "class", "as"})
"""Keywords before a name that is new."""


def find_context(code: str) -> CursorContext:
    """Return what can be completed at the end of a code."""
    return _Scan(_last_lines(code)).context()


def find_call(code: str) -> Call | None:
    """Return the innermost call that the end of a code is in."""
    return _Scan(_last_lines(code)).call()


def find_expression(code: str) -> Chain:
    """Return the expression that a code ends with: names, attributes, items and calls."""
    scan = _Scan(_last_lines(code))
    return () if scan.open_text is not None else _chain(scan.tokens, len(scan.tokens) - 1)


def _last_lines(code: str) -> str:
    if len(code) <= LONGEST:
        return code
    return code[code.find("\n", len(code) - LONGEST) + 1 :]


class _Scan:
    """The tokens of a code without blanks; `open_text` is what an open string has so far."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.tokens: List[_Token] = []
        self.brackets: List[int] = []  # places of tokens that open what is not closed
        self.open_text: Optional[str] = None
        self.is_comment = False
        self._read(0)

    def _read(self, at: int) -> None:
        while at < len(self.code):
            found = _TOKEN.match(self.code, at)
            if found is None or found.lastgroup is None:
                return
            kind, text, end = found.lastgroup, found.group(), found.end()
            if kind == "string":
                end = self._string(text, end)
            elif kind == "comment":
                self.is_comment = end == len(self.code)
            elif kind != "space":
                self._add(_Token(kind, text, end))
            at = end

    def _string(self, opening: str, start: int) -> int:
        quote = opening.lstrip("rRbBuUfFtT")
        prefix = opening[: len(opening) - len(quote)].lower()
        rest = _REST_OF_STRING[quote].match(self.code, start)
        if rest is not None:
            text = opening + self.code[start : rest.end()]
            self._add(_Token("bytes" if "b" in prefix else "string", text, rest.end()))
            return rest.end()
        line_end = self.code.find("\n", start) if len(quote) == 1 else -1
        if line_end >= 0:  # a mistake in a line above
            self._add(_Token("string", "", line_end))
            return line_end
        text = self.code[start:]
        brace = _open_brace(text) if "f" in prefix or "t" in prefix else -1
        if brace >= 0:
            self._add(_Token("mark", "{", start + brace + 1))
            return start + brace + 1
        self.open_text = text
        return len(self.code)

    def _add(self, token: _Token) -> None:
        if token.kind == "newline" and self.brackets:
            return
        if token.kind == "name" and token.text in _STATEMENTS and self._begins_line(token):
            self.brackets.clear()  # what is open above was never closed
        self.tokens.append(token)
        if token.kind != "mark":
            return
        if token.text in "([{":
            self.brackets.append(len(self.tokens) - 1)
        elif token.text in _OPENING and self.brackets:
            self.brackets.pop()

    def _begins_line(self, token: _Token) -> bool:
        start = token.end - len(token.text)
        return start == 0 or self.code[start - 1] == "\n"

    def context(self) -> CursorContext:
        if self.is_comment:
            return CursorContext()
        if self.open_text is not None:
            return self._in_string(self.open_text)
        last = self.tokens[-1] if self.tokens else None
        touches = last is not None and last.end == len(self.code)
        if touches and last is not None and last.kind in ("number", "string", "bytes"):
            return CursorContext()
        is_word = touches and last is not None and last.kind == "name"
        prefix = last.text if is_word and last is not None else ""
        before = len(self.tokens) - (2 if is_word else 1)
        return self._of_name(prefix, before)

    def _of_name(self, prefix: str, before: int) -> CursorContext:
        """Return the context of a name; the token before it has the place `before`."""
        imported = self._import(prefix, before)
        if imported is not None:
            return imported
        sign = self.tokens[before].text if before >= 0 else ""
        if sign == ".":
            return CursorContext("attribute", prefix, _chain(self.tokens, before - 1))
        if sign in _NAMING:
            return CursorContext()
        tokens = self.tokens[: before + 1]
        words = {
            token.text
            for place, token in enumerate(tokens)
            if token.kind == "name"
            and not keyword.iskeyword(token.text)
            and not (place and tokens[place - 1].text == ".")
        }
        return CursorContext("name", prefix, (), self.call(), tuple(sorted(words)))

    def _in_string(self, text: str) -> CursorContext:
        tokens, call = self.tokens, self.call()
        if "\n" in text:
            return CursorContext()
        place = self.brackets[-1] if self.brackets else -1
        if place > 0 and tokens[place].text == "[":
            if tokens[place - 1].text == "[":  # several keys: frame[["a", "b"]]
                place -= 1
            elif place != len(tokens) - 1:
                return CursorContext("text", text, (), call)
            owner = _chain(tokens, place - 1)
            if owner:
                return CursorContext("key", text, owner)
        return CursorContext("text", text, (), call)

    def _import(self, prefix: str, before: int) -> CursorContext | None:
        """Return the context if the line is an import, else None."""
        start = before
        while (
            start >= 0 and self.tokens[start].kind != "newline" and self.tokens[start].text != ";"
        ):
            start -= 1
        line = [token.text for token in self.tokens[start + 1 : before + 1]]
        if not line or line[0] not in ("import", "from") or line[-1] == "as":
            return None
        if line[0] == "from" and "import" in line:
            words = [word for word in line[1 : line.index("import")] if word != "."]
            return CursorContext("member", prefix, tuple(Step("name", word) for word in words))
        names: List[str] = []
        while line and line[-1] == ".":
            names = [*line[-2:-1], *names]
            line = line[:-2]
        if line and line[-1] not in ("import", "from", ","):
            return CursorContext()
        return CursorContext("module", prefix, tuple(Step("name", name) for name in names))

    def call(self) -> Call | None:
        """Return the innermost call around the end."""
        for number in range(len(self.brackets) - 1, -1, -1):
            place = self.brackets[number]
            if self.tokens[place].text != "(":
                continue
            callee = _chain(self.tokens, place - 1)
            if callee and callee[-1].kind != "literal":
                argument, name = self._argument(place)
                return Call(callee, argument, name)
        return None

    def _argument(self, place: int) -> tuple[int, str]:
        """Return the number of the argument at the end, and its name if it has one."""
        depth, number, start = 0, 0, place + 1
        for at in range(place + 1, len(self.tokens)):
            token = self.tokens[at]
            if token.kind != "mark":
                continue
            depth += (token.text in "([{") - (token.text in ")]}")
            if token.text == "," and depth == 0:
                number, start = number + 1, at + 1
        first = self.tokens[start : start + 2]
        is_named = len(first) == 2 and first[0].kind == "name" and first[1].text == "="
        return number, first[0].text if is_named else ""


def _chain(tokens: List[_Token], last: int) -> Chain:
    """Return the expression whose last token is `last`; () if it cannot be read."""
    steps: List[Step] = []
    at = last
    while at >= 0:
        token = tokens[at]
        if token.kind == "name":
            if at > 1 and tokens[at - 1].text == ".":
                steps.append(Step("attribute", token.text))
                at -= 2
                continue
            is_value = not keyword.iskeyword(token.text)
            return (Step("name", token.text), *reversed(steps)) if is_value else ()
        if token.kind in ("string", "bytes"):
            word = "str" if token.kind == "string" else "bytes"
            return (Step("literal", word), *reversed(steps))
        if token.text not in (")", "]"):
            return ()
        opening = _opening_of(tokens, at)
        if opening < 0:
            return ()
        if opening == 0 or not _ends_value(tokens[opening - 1]):
            return (Step("literal", "list"), *reversed(steps)) if token.text == "]" else ()
        steps.append(Step("call") if token.text == ")" else _item(tokens[opening + 1 : at]))
        at = opening - 1
    return ()


def _ends_value(token: _Token) -> bool:
    if token.kind == "name":
        return not keyword.iskeyword(token.text)
    return token.kind in ("string", "bytes") or token.text in (")", "]")


def _opening_of(tokens: List[_Token], closing: int) -> int:
    depth = 0
    for at in range(closing, -1, -1):
        if tokens[at].kind == "mark":
            depth += (tokens[at].text in ")]}") - (tokens[at].text in "([{")
            if depth == 0:
                return at
    return -1


def _item(tokens: List[_Token]) -> Step:
    source = "".join(token.text for token in tokens)
    kinds = [token.kind for token in tokens if token.text != "-"]
    return Step("item", source if kinds in (["string"], ["number"]) else "")


def literal_of(source: str) -> str | int | None:
    """Return the text or the number that a source is; None if it is neither."""
    try:
        value = ast.literal_eval(source)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if type(value) in (str, int) else None


def _open_brace(text: str) -> int:
    """Return the place of the brace that is open at the end of a format string; -1 for none."""
    places: List[int] = []
    at = 0
    while at < len(text):
        if text[at : at + 2] in ("{{", "}}") and not places:
            at += 2
            continue
        if text[at] == "{":
            places.append(at)
        elif text[at] == "}" and places:
            places.pop()
        at += 1
    return places[-1] if places else -1
