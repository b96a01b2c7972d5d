"""Keep short texts of the values that lines of the last blocks assigned, for who looks at them.

After each statement at the top of a block the names that it assigned are looked at: that is exact.
Of a loop, or another statement with lines inside, it is what its names had at its end, and a few
values that they had when the sampler of the running line looked. Names inside functions are not
looked at. Nothing of a value's own class is called, and what looks like a secret is left out.
"""

from __future__ import annotations

import ast
import itertools
from collections import deque
from typing import Any, Dict, Iterable, Iterator, Tuple

from .. import frames
from ..saving.value_collector import holds_secret, is_secret_name, secrets_of_environment
from ..short_text import class_name, class_of, library, one_line

_RUNS_KEPT = 20
_ROWS_KEPT = 500
_SEEN_KEPT = 4
_TEXT_LIMIT = 60
_CODE_LIMIT = 200_000
_READ_FOR_SECRETS = 1000
_SHORTEST_KEY = 8
_SCALARS = (int, float, complex, bool, type(None))
_TEXTS = (str, bytes)
_SIZED = (list, tuple, dict, set, frozenset, bytearray, range)
_SHAPED = {
    "numpy": ("ndarray",),
    "pandas": ("DataFrame", "Series", "Index"),
    "polars": ("DataFrame", "Series"),
}
"""Classes of known libraries that have their size at hand."""
_LARGEST_PLAIN = 10**15
_ASSIGNS = frozenset({ast.Assign, ast.AugAssign, ast.AnnAssign})
_INSIDE = frozenset(
    {ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try}
    | {kind for name in ("TryStar", "Match") if (kind := getattr(ast, name, None))}
)
"""Statements with others inside; Python 3.9 has neither of the last two."""
_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

EXACT, LAST = "exact", "last"
"""What a text is: the value after its line; the value at the end of the statement around it."""


_Rows = Dict[Tuple[int, str], Tuple[int, int, str, str, str]]
"""By line and name: line, last line, name, text and what the text is."""


class LineValues:
    """Owner of the texts of the last blocks; `found` may be called by any thread."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self.typed_secrets: list[bytes] = []
        """What was typed as a secret."""
        self._secrets: tuple[bytes, ...] | None = None
        self._runs: deque[tuple[str, _Rows]] = deque(maxlen=_RUNS_KEPT)
        self._seen: dict[tuple[int, str], list[str]] = {}
        self._all_seen: dict[str, dict[tuple[int, str], list[str]]] = {}
        self._rows: _Rows | None = None
        self._bound: dict[int, list[tuple[int, str]]] = {}
        self._before: dict[str, int] = {}

    def begin(self, code: str) -> None:
        """Keep the values of a block that begins; those of the same code before are dropped."""
        self._secrets = None
        self._rows, self._seen = {}, {}
        if len(code) > _CODE_LIMIT:
            self._rows = None
            return
        kept = [one for one in self._runs if one[0] != code]
        self._runs = deque(kept, maxlen=_RUNS_KEPT)
        self._runs.append((code, self._rows))
        known = {one[0] for one in self._runs}
        self._all_seen = {one: seen for one, seen in self._all_seen.items() if one in known}
        self._all_seen[code] = self._seen

    def end(self) -> None:
        """Look at nothing more: the block has ended."""
        self._rows = None
        self._bound = {}

    def enter(self, node: ast.stmt) -> None:
        """Take a statement that begins, for the sampler."""
        if self._rows is None or type(node) not in _INSIDE:
            return
        bound: dict[int, list[tuple[int, str]]] = {}
        for line, last_line, name in _names_in(node):
            bound.setdefault(line, []).append((last_line, name))
        names = {name for row in bound.values() for _, name in row}
        self._before = {name: id(self._namespace.get(name)) for name in names}
        self._bound = bound

    def look(self, line: int) -> None:
        """Look at the names of a loop while it is at a line (the sampler's thread)."""
        bound = self._bound
        if self._rows is None or not bound or len(self._seen) >= _ROWS_KEPT:
            return
        for at, names in list(bound.items()):
            for _, name in names:
                if name in self._namespace and at != line:  # a line that runs is half done
                    self._see(at, name, self._namespace[name])

    def leave(self, node: ast.stmt) -> None:
        """Keep what a statement that has ended assigned."""
        rows = self._rows
        if rows is None or len(rows) >= _ROWS_KEPT:
            return
        kind = type(node)
        if kind in _ASSIGNS:
            last = node.end_lineno or node.lineno
            for name in _targets(node):
                self._keep(rows, node.lineno, last, name, EXACT)
        elif kind in _INSIDE:
            bound, self._bound = self._bound, {}
            for line, names in bound.items():
                for last, name in names:
                    value = self._namespace.get(name)
                    if id(value) != self._before.get(name):
                        self._keep(rows, line, last, name, LAST)

    def found(self, code: str) -> list[list[Any]]:
        """Return the rows of the last run of exactly this code: line, last line, name, text,
        kind, and the values that were seen on the way.
        """
        seen = self._all_seen.get(code, {})
        return [
            [*row, list(seen.get(place, ()))]
            for known, rows in list(self._runs)
            if known == code
            for place, row in list(rows.items())
        ]

    def _keep(self, rows: _Rows, line: int, last: int, name: str, kind: str) -> None:
        if name in self._namespace:
            text = self._text(name, self._namespace[name])
            if text:
                rows[line, name] = (line, last, name, text, kind)

    def _see(self, line: int, name: str, value: Any) -> None:
        if class_of(value) not in _SCALARS:
            return  # what can change meanwhile, and texts, are looked at when the loop has ended
        text = self._text(name, value)
        seen = self._seen.setdefault((line, name), [])
        if text and text not in seen[-1:]:
            seen.append(text)
            if len(seen) > _SEEN_KEPT:
                del seen[1]

    def _text(self, name: str, value: Any) -> str:
        """Return a short text; "" for what is not kept: functions, modules, secrets."""
        kind = class_of(value)
        if kind is int and -_LARGEST_PLAIN < value < _LARGEST_PLAIN:
            return str(value)
        if kind in _SCALARS:
            return one_line(value, _TEXT_LIMIT)
        if kind in _TEXTS:
            return "" if self._is_secret(name, value) else one_line(value, _TEXT_LIMIT)
        if kind in _SIZED:
            return f"{class_name(value)} · {len(value)}"
        word = class_name(value)
        if word in _SHAPED.get(library(kind), ()):
            return f"{word} · {frames.shape(value)}"
        return "" if word in ("function", "module", "type") else word

    def _is_secret(self, name: str, value: Any) -> bool:
        if is_secret_name(name):
            return True
        if len(value) < _SHORTEST_KEY and not self.typed_secrets:
            return False
        if self._secrets is None:
            self._secrets = tuple(secrets_of_environment())
        piece = value[:_READ_FOR_SECRETS]
        data = piece if class_of(piece) is bytes else piece.encode("utf-8", "surrogatepass")
        return holds_secret(data, (*self._secrets, *self.typed_secrets))


def _targets(node: Any) -> Iterable[str]:
    """Return the names that an assignment binds."""
    targets = node.targets if type(node) is ast.Assign else [node.target]
    if len(targets) == 1 and type(targets[0]) is ast.Name:
        return (targets[0].id,)
    parts = itertools.chain.from_iterable(map(ast.walk, targets))
    return [
        part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    ]


def _names_in(node: ast.AST) -> Iterator[tuple[int, int, str]]:
    """Yield the names that the lines inside a statement bind, but not those in functions."""
    if isinstance(node, (ast.For, ast.AsyncFor)):
        for target in ast.walk(node.target):
            if isinstance(target, ast.Name):
                yield node.lineno, node.lineno, target.id
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        for name in _targets(node):
            yield node.lineno, node.end_lineno or node.lineno, name
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.excepthandler)) and not isinstance(child, _CLOSED):
            yield from _names_in(child)
