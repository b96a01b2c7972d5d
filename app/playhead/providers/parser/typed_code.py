"""Finds the code in typed text; guesses nothing from prose."""

from __future__ import annotations

import ast
import builtins
import keyword
import re

from msgspec import Struct

from playhead.domain.text.python_syntax import parse

_FENCE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[ \t]*+(?P<word>[^\s`]*+)[^\n`]*+\n(?P<code>.*?)"
    r"(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ASKED = re.compile(r"(?:what\s+is|what[’']?s|how\s+much\s+is|calculate|compute)\s+", re.IGNORECASE)
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "·": "*"})
_MAGIC = re.compile(r"!\s*\S|%{1,2}[A-Za-z]|pip3?\s+(?:install|uninstall|list|show|freeze)\b")
_MODULE_PIP = re.compile(r"python3?\s+-m\s+(pip3?\s.*)")
_COMMAND = re.compile(
    r"(?:ls|pwd|df|du|ps|uname|whoami|mkdir|rmdir|conda|npm|curl|wget|ssh|grep|chmod)(?:\s+\S.*)?"
    r"|git\s+(?:-|add|branch|checkout|clone|commit|diff|fetch|init|log|merge|pull|push|rebase|remote"
    r"|reset|restore|show|stash|status|switch|tag)\b.*"
    # English words: only with nothing but options and paths behind them.
    r"|(?:cat|cp|date|echo|file|find|head|less|make|more|mv|open|rm|sort|tail|touch|tree|wc|which)"
    r"(?:\s+(?:-\S+|\d+|\S*[/*~|>.]\S*))+"
)
_LONGEST_LINE = 300
_WORD = re.compile(r"[A-Za-z]{2,8}\b")
_ENTER = re.compile(r"cd(?:\s+\S+)?|cd\s+(?:\"[^\"]+\"|'[^']+')")
_BEGINS_LIKE_CODE = re.compile(
    r"(?:[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*[-+*/%|&^]?=\s*)*[A-Za-z_][\w.]*[(\[]"
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])?\s*[-+*/%|&^@]?=(?!=)"
    r"|(?:async\s+)?def\s+\w|class\s+\w+\s*[(:]|@\w|lambda\b.*:|[\[{]"
    r"|from\s+[\w.]+\s+import\b"
    r"|import\s+(?!(?:the|a|an|my|our|your|this|that|these|all|some|it|data|from)\b)[\w.]+"
    r"|(?:async\s+)?for\s+[\w, ()]+\s+in\s+(?:\S+\s*:|\w+[(\[.]|\w+$)"
    r"|(?:if|elif|while|with|try|except|else|finally|match|return|assert|del|raise|yield)\b"
    r"(?:.*:$|.*(?:\w\(|[=!<>]=|\s[<>]\s))"
    r"|print\s+(?:[\"']|\w+$)"
    r"|[\d\s.()]*\d\s*[-+*/%][-+*/%\d\s.()]*$"
)


class TypedCode(Struct, frozen=True):
    """Code as it was typed, with the word that names its language."""

    language: str
    code: str


def find_code(text: str, earlier_code: str = "") -> TypedCode | None:
    """Return the code in `text`: a fenced block, a command, a sum or Python; None for prose.

    Python with an error in it is code, too, if it begins as code does. `earlier_code` is what ran
    before: a single word is an expression if that has it as a name.
    """
    if fenced := _FENCE.search(text):
        code = fenced["code"].rstrip("\n")
        return TypedCode(fenced["word"] or "python", code) if code.strip() else None
    stripped = text.strip()
    code = text.strip("\n").rstrip()
    if _MAGIC.match(stripped) or _is_python(code, earlier_code):
        return TypedCode("python", code)
    if (made := find_sum(stripped) or _find_command(stripped)) is not None:
        return TypedCode("python", made)
    is_meant = _begins_like_code(stripped) or _is_misspelled(code)
    return TypedCode("python", code) if is_meant else None


def _find_command(text: str) -> str | None:
    """Return the line of a shell, as the kernel takes it, or None."""
    if "\n" in text or text.endswith("?") or len(text) > _LONGEST_LINE:
        return None
    if (installs := _MODULE_PIP.fullmatch(text)) is not None:
        return f"%{installs[1]}"
    if _ENTER.fullmatch(text):
        return f"%{text}"
    return f"!{text}" if _COMMAND.fullmatch(text) else None


def _begins_like_code(text: str) -> bool:
    lines = (line.strip() for line in text.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    cut = first[:_LONGEST_LINE] + "…" if len(first) > _LONGEST_LINE else first
    return _BEGINS_LIKE_CODE.match(cut) is not None


def _is_misspelled(code: str) -> bool:
    """Return whether it is Python but for its first word, a keyword with letters in wrong order."""
    if (word := _WORD.match(code)) is None:
        return False
    letters = sorted(word[0])
    meant = (one for one in keyword.kwlist if sorted(one) == letters)
    return any(is_python(one + code[word.end() :]) for one in meant)


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
        return parse(code, mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
