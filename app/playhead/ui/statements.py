"""Which lines of a program belong to one statement at its top level."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

_MOST_CHARS = 100_000
"""Longer code is not parsed for this: it would be seen as a stall."""


def statement_around(language: str, code: str, line: int) -> tuple[int, int]:
    """The first and last line of the statement that a line is part of; the line itself else.

    Inside of a loop nobody looks at every line while it runs, so of its output only the whole
    loop can be told for sure.
    """
    if language.lower() not in ("python", "python3", "py"):
        return line, line
    return next((span for span in _statements(code) if span[0] <= line <= span[1]), (line, line))


@lru_cache(maxsize=8)
def _statements(code: str) -> tuple[tuple[int, int], ...]:
    if len(code) > _MOST_CHARS:
        return ()
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_span(node) for node in body)


def _span(node: ast.stmt) -> tuple[int, int]:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first, node.end_lineno or node.lineno
