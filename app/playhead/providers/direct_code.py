"""What a person types as code, recognised by rules: nothing is guessed from prose."""

from __future__ import annotations

import ast
import re
import warnings

from playhead.providers.prose_parser import Canonical

_FENCE = re.compile(
    r"^ {0,3}(`{3,}|~{3,})([^\n`]*)\n(.*?)(?:\n {0,3}\1[`~]*[ \t]*(?:\n|$)|\Z)", re.S | re.M
)
_QUESTION = re.compile(
    r"(?:(?:what\s*(?:['’]s|is)|how much is|calculate|compute|evaluate)\b)?[:\s]*"
    r"([-+*/%().\d\s×÷^]+?)\s*[=?!.]*",
    re.IGNORECASE,
)
_SHELL = """\
import subprocess

exit_status = subprocess.call({command!r}, shell=True, stdin=subprocess.DEVNULL)
if exit_status:
    print(f"exit status {{exit_status}}")"""
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_SIGNS = (ast.UAdd, ast.USub)
_PROSE_NODES = (
    ast.Name | ast.Load | ast.Tuple | ast.Compare | ast.BoolOp | ast.boolop
    | ast.cmpop | ast.UnaryOp | ast.Not
)  # fmt: skip


def direct_code(text: str, canonical: Canonical) -> tuple[str, str] | None:
    """(language, code) of what was typed, or None for prose."""
    text = text.strip("\n")
    if (fence := _FENCE.search(text)) is not None:
        return _fenced(fence, canonical)
    bare = text.strip()
    if bare.startswith("!") and bare[1:].strip():
        return "python", _SHELL.format(command=bare[1:].strip())
    if (sum_ := arithmetic(bare)) is not None:
        return "python", sum_
    return ("python", text) if bare and is_python(text) else None


def _fenced(fence: re.Match[str], canonical: Canonical) -> tuple[str, str] | None:
    words = fence[2].split()
    language = canonical(words[0].lower()) if words else "python"
    return (language, fence[3]) if language and fence[3].strip() else None


def arithmetic(text: str) -> str | None:
    """The expression of a question such as "What's 34/24?", as it was written."""
    found = _QUESTION.fullmatch(text)
    if found is None:
        return None
    code = found[1].strip().replace("×", "*").replace("÷", "/").replace("^", "**")
    tree = _parsed(code)
    if tree is None or len(tree.body) != 1:
        return None
    line = tree.body[0]
    is_sum = isinstance(line, ast.Expr) and isinstance(line.value, ast.BinOp)
    return code if is_sum and _is_number(line.value) else None


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=int() | float()):
            return True
        case ast.BinOp(left, operator, right):
            return isinstance(operator, _OPERATORS) and _is_number(left) and _is_number(right)
        case ast.UnaryOp(sign, operand):
            return isinstance(sign, _SIGNS) and _is_number(operand)
        case _:
            return False


def is_python(text: str) -> bool:
    """Whether the text is Python and not prose that happens to be valid Python ("hello")."""
    tree = _parsed(text)
    return tree is not None and any(not _is_prose(line, text) for line in tree.body)


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_prose(line: ast.stmt, text: str) -> bool:
    match line:
        case ast.AnnAssign(value=None) | ast.Global():  # "Note: important", "global warming"
            return True
        case ast.Expr(value):
            inner = list(ast.walk(value))
            if all(isinstance(node, _PROSE_NODES) for node in inner):
                return True
            written = ast.get_source_segment(text, value) or ""
            is_compound = all(
                isinstance(node, ast.Name | ast.Load | ast.BinOp | ast.operator) for node in inner
            )
            return is_compound and " " not in written  # "well-known", "yes/no"
        case _:
            return False
