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
_WORD = re.compile(r"[\w./~*?-]+")
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1)[^\\\n])*)\1""")
_LISTS = re.compile(r"\b(?:listdir|iterdir|scandir|walk)\(|\br?glob\([\"'][*/]+[\"']")
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)", re.MULTILINE)
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
        words = frozenset(
            one for one in _WORD.findall(code) if len(one) <= _LONGEST and one.strip("./~?-")
        )
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
    found: set[str] = set()
    looked_at: set[str] = set()
    while wanted:
        names = _Names(wanted, folder)
        found |= {path for path in listed if names.mean(path)}
        modules = {path for path in found if path.endswith(".py")} - looked_at
        looked_at |= modules
        wanted = [named_in("python", _source(os.path.join(folder, path))) for path in modules]
    return sorted(found)


class _Names:
    """Answers which files some code may mean; of many files and names each is looked at once."""

    def __init__(self, named: Iterable[NamedFiles], folder: str) -> None:
        self._modules: set[str] = set()
        self._paths: set[str] = set()
        patterns: list[str] = []
        self._lists_folder = self._lists_all = False
        root = folder.replace(os.sep, "/").rstrip("/") + "/"
        for one in named:
            self._modules |= one.modules
            self._lists_folder |= one.lists_folder
            self._lists_all |= one.lists_folder and bool(one.texts & {".", "./", "*", "**"})
            for text in one.texts:
                text = text.replace("\\", "/").removeprefix(root).removeprefix("./").rstrip("/")
                while text.startswith("../"):
                    text = text.removeprefix("../")
                if not any(mark in text for mark in "*?["):
                    self._paths.add(text)
                elif re.sub(r"[*?\[\]/\s]", "", text):
                    patterns += [text, text.rpartition("/")[2]]
        self._paths -= {"", ".", ".."}
        joined = "|".join(fnmatch.translate(one) for one in dict.fromkeys(patterns) if one)
        self._pattern = re.compile(joined) if joined else None

    def mean(self, path: str) -> bool:
        """Return whether they may mean a file."""
        if self._lists_all or (self._lists_folder and "/" not in path):
            return True
        top, _, rest = path.partition("/")
        if top.removesuffix(".py") in self._modules and (rest or path.endswith(".py")):
            return True
        above = path
        while above:
            if above in self._paths:
                return True
            above = above.rpartition("/")[0]
        tail = rest  # as `Path("data") / "a.csv"` and "../data/a.csv" name it
        while tail:
            if tail in self._paths and "." in tail:
                return True
            tail = tail.partition("/")[2]
        name, found = path.rpartition("/")[2], self._pattern
        return found is not None and bool(found.match(path) or found.match(name))


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


def _source(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_MODULE_LIMIT)
    except OSError:
        return ""
