"""Find the files that code reads, by the names in it: nothing is run.

A file counts if a text of the code names it: its path, its name, a folder above it, or a pattern
(`data_*.csv`, and texts with gaps like f"data_{year}.csv"). Modules beside the code count when they
are imported, and what they name counts, too.
"""

from __future__ import annotations

import ast
import fnmatch
import os
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

_MOST_FILES = 20_000
_NOT_LOOKED_AT = frozenset({"__pycache__", "node_modules", "venv", "env", "site-packages"})
_GAP = re.compile(r"\{[^{}]*\}|%[-+ #0-9.]*[sdifr]")
_WORD = re.compile(r"[\w./~*?-]*[\w*][\w./~*?-]*")
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1).)*)\1""")
_LISTS = re.compile(r"\b(?:listdir|iterdir|scandir|walk|rglob|glob)\(")
_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+(?:\s*,\s*[\w.]+)*)", re.MULTILINE)
_LONGEST = 300
_MODULE_LIMIT = 1_000_000


class NamedFiles(Struct, frozen=True):
    """The texts of a code that may name files, and the modules that it imports."""

    texts: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    lists_folder: bool = False


def named_in(language: str, code: str) -> NamedFiles:
    """Return what in a code may name files."""
    lists = _LISTS.search(code) is not None
    if language != "python":
        words = frozenset(one for one in _WORD.findall(code) if len(one) <= _LONGEST)
        return NamedFiles(words, lists_folder=bool(re.search(r"\bls\b|\bfind\b", code)))
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # magics, or another version
        texts = [found[2] for found in _QUOTED.finditer(code)]
        texts += [
            word for row in code.split("\n") if row.strip()[:1] in "%!" for word in row.split()
        ]
        names = {part.strip() for found in _IMPORT.findall(code) for part in found.split(",")}
        modules = frozenset(name.partition(".")[0] for name in names)
        return NamedFiles(frozenset(map(_pattern, texts)), modules, lists)
    texts_of: set[str] = set()
    modules_of: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if 0 < len(text) <= _LONGEST:
                texts_of.add(_pattern(text))
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()):
                texts_of.add(_with_gaps(node))
            case ast.Import(names=names):
                modules_of.update(one.name.partition(".")[0] for one in names)
            case ast.ImportFrom(module=str() as module, level=level):
                modules_of.add(module.partition(".")[0] if not level else module)
            case _:
                pass
    return NamedFiles(frozenset(texts_of - {""}), frozenset(modules_of), lists)


def _with_gaps(node: ast.expr) -> str:
    """Return a text that is put together, with `*` for what is not known."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_with_gaps(value) for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            found = _with_gaps(left) + _with_gaps(right)
            return found if found.strip("*") else ""
        case _:
            return "*"


def _pattern(text: str) -> str:
    return _GAP.sub("*", text) if "{" in text or "%" in text else text


def find_inputs(blocks: Iterable[tuple[str, str]], folder: str) -> list[str]:
    """Return the files of a folder that blocks (language, code) name, as paths relative to it."""
    if not folder or not os.path.isdir(folder):
        return []
    listed = list(_files_below(folder))
    wanted = [named_in(language, code) for language, code in blocks]
    found = {path for path in listed if any(_names(one, path, folder) for one in wanted)}
    looked_at: set[str] = set()
    while modules := {path for path in found if path.endswith(".py")} - looked_at:
        looked_at |= modules
        inside = [named_in("python", _source(os.path.join(folder, path))) for path in modules]
        found |= {path for path in listed if any(_names(one, path, folder) for one in inside)}
    return sorted(found)


def _files_below(folder: str) -> Iterator[str]:
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            one for one in folders if one not in _NOT_LOOKED_AT and not one.startswith(".")
        )
        for name in sorted(names):
            count += 1
            if count > _MOST_FILES:
                return
            path = os.path.join(place, name)
            if os.path.isfile(path):
                yield os.path.relpath(path, folder).replace(os.sep, "/")


def _names(named: NamedFiles, path: str, folder: str) -> bool:
    """Return whether a code may mean a file."""
    if named.lists_folder and (named.texts & {".", "./", "*", "**"} or "/" not in path):
        return True
    module = path.partition("/")[0].removesuffix(".py")
    if module in named.modules and (path.endswith(".py") or "/" in path):
        return True
    return any(_is_named(text, path, folder) for text in named.texts)


def _is_named(text: str, path: str, folder: str) -> bool:
    text = text.replace("\\", "/")
    root = folder.replace(os.sep, "/").rstrip("/") + "/"
    text = text.removeprefix(root).removeprefix("./").rstrip("/")
    if not text or text in (".", "..", "*", "**"):
        return False
    name = path.rpartition("/")[2]
    if any(mark in text for mark in "*?["):
        if not re.sub(r"[*?\[\]/\s]", "", text):
            return False
        return fnmatch.fnmatchcase(path, text) or fnmatch.fnmatchcase(name, text.rpartition("/")[2])
    if path == text or path.startswith(text + "/"):
        return True
    return "." in name and text.rpartition("/")[2] == name


def _source(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MODULE_LIMIT)
    except OSError:
        return ""
