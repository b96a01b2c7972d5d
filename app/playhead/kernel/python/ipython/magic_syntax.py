"""Turns lines of notebooks that are not Python (`%pip`, `!ls`, `%%time`) into calls.

Lines keep their numbers. Only a block that does not compile is changed, and in it only what
begins a statement: nothing inside strings or expressions over several lines is touched.
"""

from __future__ import annotations

import re
import tokenize
from typing import NamedTuple

CALL = "__playhead__"
"""The name under which the transformed lines find what does the work."""

_CANDIDATE = re.compile(r"^\s*(?:[%!?]|pip3?\s)|=\s*[%!]|\?\s*$", re.MULTILINE)
_LINE = re.compile(r"%(?P<name>[A-Za-z_]\w*)[ \t]*(?P<rest>.*)", re.DOTALL)
_CELL = re.compile(r"%%(?P<name>[A-Za-z_!]\w*)[ \t]*(?P<rest>[^\n]*)\n?")
_TARGET = r"(?P<target>[A-Za-z_][\w.\[\]'\", ]*)=[ \t]*"
_ASSIGNED = re.compile(_TARGET + r"(?P<magic>[%!].*)", re.DOTALL)
_PIP = re.compile(r"pip3?[ \t]+(?:install|uninstall|list|show|freeze|download)\b")
_HELP = re.compile(r"(?P<before>\?{0,2})(?P<name>[A-Za-z_]\w*(?:\.\w+)*)(?P<after>\?{0,2})[ \t]*;?")
_HERE = ("time", "capture")
"""Cell magics whose body is Python that is run as any: its lines stay to be seen."""


class _Magic(NamedTuple):
    start: int
    end: int
    code: str


def may_hold(code: str) -> bool:
    """Return whether the code may have magics; most code does not."""
    return _CANDIDATE.search(code) is not None


def transform(code: str) -> str | None:
    """Return the code with calls in place of magics, None if there are none."""
    cell = _cell(code)
    if cell is not None:
        return cell
    lines = code.splitlines(keepends=True)
    found = _find(lines, 0)
    if not found:
        return None
    for magic in found:
        lines[magic.start] = magic.code + "\n"
        for number in range(magic.start + 1, magic.end):
            lines[number] = "\n"
    return "".join(lines)


def _cell(code: str) -> str | None:
    """Return the call for a block that is one magic as a whole, after blank lines and comments."""
    lines = code.splitlines(keepends=True)
    start = 0
    while start < len(lines) and _is_blank(lines[start]):
        start += 1
    rest = "".join(lines[start:])
    match = _CELL.match(rest)
    if match is None:
        return None
    name, arguments, body = match["name"], match["rest"].strip(), rest[match.end() :]
    head = "".join(lines[:start])
    if name in _HERE:
        return f"{head}{CALL}.open({name!r}, {arguments!r})\n{transform(body) or body}"
    return f"{head}{CALL}.cell({name!r}, {arguments!r}, {body!r})\n"


def _find(lines: list[str], at: int) -> list[_Magic]:
    found: list[_Magic] = []
    while at < len(lines):
        if _is_blank(lines[at]):
            at += 1
            continue
        magic = _magic_at(lines, at)
        if magic is not None:
            found.append(magic)
        at = magic.end if magic is not None else _end_of_statement(lines, at)
    return found


def _magic_at(lines: list[str], at: int) -> _Magic | None:
    """Return a magic that begins here, with the lines that its backslashes add."""
    stripped = lines[at].lstrip()
    assigned = _ASSIGNED.match(stripped)
    is_question = _question(stripped) is not None
    if stripped[0] not in "%!" and not assigned and not is_question and not _PIP.match(stripped):
        return None
    end = at + 1
    text = stripped.rstrip("\r\n")
    while text.endswith("\\") and end < len(lines):
        text = text[:-1] + lines[end].strip("\r\n")
        end += 1
    indent = lines[at][: len(lines[at]) - len(stripped)]
    assigned = _ASSIGNED.match(text) if assigned else None
    call = _call(assigned["magic"] if assigned else text, is_assigned=assigned is not None)
    if call is None:
        return None
    return _Magic(at, end, f"{indent}{assigned['target'] + '= ' if assigned else ''}{call}")


def _call(text: str, is_assigned: bool) -> str | None:
    if text.startswith("!"):
        command = text.lstrip("!").strip()
        method = "output_of" if is_assigned or text.startswith("!!") else "shell"
        return f"{CALL}.{method}({command!r})"
    if (asked := _question(text)) is not None:
        return f"{CALL}.about({asked[0]!r}, {asked[1]})"
    if _PIP.match(text):
        text = "%" + text
    match = _LINE.match(text)
    return f"{CALL}.line({match['name']!r}, {match['rest'].strip()!r})" if match else None


def _question(text: str) -> tuple[str, bool] | None:
    """Return the name in `name?`, `?name` or `name??`, and whether its source is wanted."""
    match = _HELP.fullmatch(text.strip())
    marks = max(match["before"], match["after"], key=len) if match else ""
    return (match["name"], marks == "??") if match and marks else None


def _end_of_statement(lines: list[str], at: int) -> int:
    """Return the place after the statement's last line, which may be in a string or brackets."""
    reader = iter(lines[at:])
    try:
        for token in tokenize.generate_tokens(lambda: next(reader, "")):
            if token.type == tokenize.NEWLINE:
                return at + token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return len(lines)  # Python reports the error
    return len(lines)


def _is_blank(line: str) -> bool:
    stripped = line.strip()
    return not stripped or stripped.startswith("#")
