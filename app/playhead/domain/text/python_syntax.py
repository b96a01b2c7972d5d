"""Python's own words on code that it cannot read, before the code runs."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    import ast

_LONGEST = 20_000
"""Characters; reading more would take longer than a frame."""
_MAGIC = re.compile(r"^\s*(?:[%!?]|pip3?\s)|=\s*[%!]|\?\s*$", re.MULTILINE)
"""What the kernel takes although it is not Python."""


class SyntaxFault(Struct, frozen=True):
    """The place of the first error, counted from 1, and what Python says about it."""

    line: int
    column: int
    words: str

    @property
    def text(self) -> str:
        """Return the error with its line, as a sentence without a full stop."""
        return f"{self.words} (line {self.line})"


def syntax_fault(code: str) -> SyntaxFault | None:
    """Return the first error in Python code; None for none, or where that cannot be said."""
    if len(code) > _LONGEST or _MAGIC.search(code):
        return None
    try:
        parse(code)
    except SyntaxError as error:
        name = type(error).__name__
        line = min(max(error.lineno or 1, 1), code.count("\n") + 1)
        return SyntaxFault(line, max(error.offset or 1, 1), f"{name}: {error.msg}")
    except (ValueError, RecursionError, MemoryError):  # the run reports it
        return None
    return None


def parse(code: str, mode: str = "exec") -> ast.AST:
    """Return the tree of code, with `await` allowed at its top. Raises as `compile` does."""
    import ast  # takes 0.7 MB

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run emits its SyntaxWarnings itself
        flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return compile(code, "<typed>", mode, flags)
