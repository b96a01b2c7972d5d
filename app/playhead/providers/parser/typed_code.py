"""Finds the code in typed text; guesses nothing from prose."""

from __future__ import annotations

import ast
import builtins
import re
import warnings

from msgspec import Struct

_FENCE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[ \t]*+(?P<word>[^\s`]*+)[^\n`]*+\n(?P<code>.*?)"
    r"(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ASKED = re.compile(r"(?:what\s+is|what[’']?s|how\s+much\s+is|calculate|compute)\s+", re.IGNORECASE)
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "·": "*"})
_SHELL = """import subprocess

finished = subprocess.run({command!r}, shell=True)
if finished.returncode:
    print(f"exit status {{finished.returncode}}")"""


class TypedCode(Struct, frozen=True):
    """Code as it was typed, with the word that names its language."""

    language: str
    code: str


def find_code(text: str, earlier_code: str = "") -> TypedCode | None:
    """Return the code in `text`: a fenced block, `!shell`, a sum or plain Python; None for prose.

    `earlier_code` is what ran before: a single word is an expression if that has it as a name.
    """
    if fenced := _FENCE.search(text):
        code = fenced["code"].rstrip("\n")
        return TypedCode(fenced["word"] or "python", code) if code.strip() else None
    stripped = text.strip()
    if stripped.startswith("!") and stripped[1:].strip():
        return TypedCode("python", _SHELL.format(command=stripped[1:].strip()))
    if (expression := find_sum(stripped)) is not None:
        return TypedCode("python", expression)
    code = text.strip("\n").rstrip()
    return TypedCode("python", code) if _is_python(code, earlier_code) else None


def find_sum(text: str) -> str | None:
    """Return the arithmetic of a question such as "What's 34/24?" as Python, or None."""
    asked = text.rstrip().rstrip("?=").rstrip()  # a pattern for it would take the square of them
    if (question := _ASKED.match(asked)) is not None:
        asked = asked[question.end() :]
    words = asked.translate(_SIGNS)
    if asked != text:  # asked as a question: there ^ is a power, in Python it is not
        words = words.replace("^", "**")
    tree = _parsed(words.strip(), "eval")
    if isinstance(tree, ast.Expression) and _is_sum(tree.body):
        return ast.unparse(tree)
    return None


def is_python(code: str) -> bool:
    """Return whether a text can only be Python and not prose."""
    return _is_python(code, "")


def _is_sum(node: ast.expr, depth: int = 0) -> bool:
    match node:
        case ast.BinOp(left=left, right=right) if depth < 100:
            return _is_sum(left, depth + 1) and _is_sum(right, depth + 1)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand) if depth < 100:
            return _is_sum(operand, depth + 1)
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float() | complex()):
            return True
        case _:
            return False


def _is_python(code: str, earlier_code: str) -> bool:
    tree = _parsed(code, "exec")
    if not isinstance(tree, ast.Module) or not tree.body:
        return False
    if any(not isinstance(statement, ast.Expr) for statement in tree.body):
        return True
    return _is_meant_as_expression(tree, earlier_code)


def _is_meant_as_expression(tree: ast.Module, earlier_code: str) -> bool:
    """Return whether expressions alone are code: "hello" and "not sure" are valid Python, too."""
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Call | ast.Await) for node in nodes):
        return True
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and _is_bound(node)}
    known = set(re.findall(r"\w+", earlier_code)) | bound
    if not names:
        return not all(isinstance(s, ast.Expr) and _is_prose(s.value) for s in tree.body)
    return all(name in known or (name in vars(builtins) and len(names) > 1) for name in names)


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_prose(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, str | int | float)


def _parsed(code: str, mode: str) -> ast.AST | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run emits its SyntaxWarnings itself
            return compile(
                code, "<typed>", mode, ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
