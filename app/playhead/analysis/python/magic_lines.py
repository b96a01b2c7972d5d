"""Lines of notebooks that are not Python (`%pip`, `!ls`, `%%bash`), put apart from the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_CANDIDATE = re.compile(r"^\s*(?:[%!?]|pip3?\s)|=\s*[%!]|\?\s*$", re.MULTILINE)
_CELL = re.compile(r"\s*(?:#[^\n]*\n\s*)*%%(?P<name>[A-Za-z_!]\w*)[ \t]*(?P<rest>[^\n]*)\n?")
_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<target>[A-Za-z_][\w.\[\]'\", ]*)=[ \t]*)?(?P<magic>[%!].*)$"
)
_PIP = re.compile(r"(?P<indent>[ \t]*)(?P<magic>pip3?[ \t]+(?:install|uninstall|download)\b.*)$")
_HELP = re.compile(r"[ \t]*\?{0,2}[A-Za-z_][\w.]*\?{0,2}[ \t]*;?$")
_SHELL_CELLS = frozenset({"bash", "sh", "script", "!", "sx", "system"})
_LANGUAGE_CELLS = {"javascript": "javascript", "js": "javascript", "ruby": "ruby"}
_PYTHON_CELLS = frozenset({"time", "timeit", "capture", "prun", "python", "python3"})
_NAMES = frozenset({"pip", "conda", "mamba", "uv"})
_SHELL_LINES = frozenset({"sx", "system", "sc"})


class MagicLine(Struct, frozen=True):
    """A line that is not Python: its number, from 1, and the code of another language in it."""

    line: int
    language: str
    code: str


class SplitCode(Struct, frozen=True):
    """The Python of a block with its lines in their places, and what else is in it."""

    python: str
    magics: tuple[MagicLine, ...] = ()


def may_hold_magics(code: str) -> bool:
    """Return whether the code may have such lines; most code has none."""
    return _CANDIDATE.search(code) is not None


def split_magics(code: str) -> SplitCode:
    """Return the code without these lines, and them."""
    if (cell := _CELL.match(code)) is not None:
        return _split_cell(code, cell)
    lines = code.split("\n")
    magics = tuple(_taken(lines))
    return SplitCode("\n".join(lines), magics)


def _split_cell(code: str, cell: re.Match[str]) -> SplitCode:
    name, body = cell["name"], code[cell.end() :]
    above = code.count("\n", 0, cell.end())
    if name in _PYTHON_CELLS:
        rest = split_magics(body) if may_hold_magics(body) else SplitCode(body)
        moved = tuple(MagicLine(one.line + above, one.language, one.code) for one in rest.magics)
        return SplitCode("\n" * above + rest.python, moved)
    line = above if code[: cell.end()].endswith("\n") else above + 1
    if name in _SHELL_CELLS:
        return SplitCode("", (MagicLine(line + 1, "bash", body),))
    if name in _LANGUAGE_CELLS:
        return SplitCode("", (MagicLine(line + 1, _LANGUAGE_CELLS[name], body),))
    if name in ("writefile", "file"):
        path = cell["rest"].strip().removeprefix("-a ").strip()
        return SplitCode(f"{chr(10) * (line - 1)}open({path!r}, 'w')")
    if name in ("html", "HTML", "markdown", "latex", "svg", "SVG"):
        return SplitCode("")
    return SplitCode("", (MagicLine(line, name, body),))


def _taken(lines: list[str]) -> Iterator[MagicLine]:
    """Yield the magics among lines, and leave Python of the same meaning in their places."""
    at = 0
    while at < len(lines):
        match = _LINE.match(lines[at]) or _PIP.match(lines[at])
        if match is None:
            if lines[at].rstrip().endswith("?") and _HELP.match(lines[at]):
                lines[at] = ""
            at += 1
            continue
        first, text = at, match["magic"]
        while text.endswith("\\") and at + 1 < len(lines):
            at += 1
            text = text[:-1] + lines[at].strip()
            lines[at] = ""
        target = match.groupdict().get("target")
        lines[first] = match["indent"] + (f"{target}= None" if target else "pass")
        yield from _meaning(first + 1, text)
        if _timed(text):
            lines[first] = match["indent"] + _timed(text)
        at += 1


def _timed(text: str) -> str:
    """Return the statement after `%time` and its kind; '' for other magics."""
    word, _, rest = text.partition(" ")
    return rest.strip() if word in ("%time", "%timeit", "%prun") and "-" not in rest[:1] else ""


def _meaning(line: int, text: str) -> Iterator[MagicLine]:
    if text.startswith("!"):
        yield MagicLine(line, "bash", text.lstrip("!"))
        return
    word, _, rest = text.lstrip("%").partition(" ")
    if word in _NAMES or word in ("pip3",):
        yield MagicLine(line, "bash", f"{word} {rest}")
    elif word in _SHELL_LINES:
        yield MagicLine(line, "bash", rest)
    elif word in ("run", "load_ext", "load", "loadpy", "cd"):
        yield MagicLine(line, word, rest.strip())
    elif word in ("mkdir", "rm", "rmdir", "cp", "mv", "ls", "cat"):
        yield MagicLine(line, "bash", f"{word} {rest}")
