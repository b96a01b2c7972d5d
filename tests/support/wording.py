"""Find what is not plain English in docstrings, comments and the window's texts.

`python -m tests.support.wording` prints what it finds, `python -m tests.support.wording session`
for the modules of one folder alone.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.source_tree import Function, is_property, module_name, module_paths, tree

_WORDS = {
    r"anew": "again",
    r"(?<!there )(?:is|are|was|were) (?-i:none)": "is missing, empty, None; there is none",
    r"otherwise than": "different from",
    r"amid(?:st)?": "in, among, during",
    r"(?:stands?|stood)(?!-| for\b| in for\b| still\b| out\b)": "is, remains",
    r"(?:lie|lies|lain|lying)": "is, are (in)",
    r"(?:(?<!cannot be )told|tells)": "reports, calls, is given, is passed",
    r"(?:hears?|heard|hearing)": "receives, is notified of",
    r"who(?:so)?ever": "the one that; callers that",
    r"whither|whence|thereof|wherein|herein|hitherto|heretofore|thereby": "a plain word",
    r"lest|naught|aught|nought|whilst|amongst|upon": "a plain word",
    r"nobody's|somebody's": "no one's, another's",
    r"shall": "will, must",
    r"mourners?|obituar(?:y|ies)|farewells?|hasten(?:s|ed)?|calm(?:s|ed)? down": "a plain word",
}
_TEXT_WORDS = _WORDS | {
    r"(?:it|this|that|”|\}) (?:is|was) no(?! longer| more)": "is not a …",
    r"by now": "now; has changed",
    r"at once": "immediately, now",
    r"of this machine": "on this computer",
}
_OPENINGS = {"What", "How", "Which", "Whether", "Where", "Why", "Who", "Whom", "Whose", "Whatever"}
"""Words with which a clause begins, in place of a sentence that says what a thing is or does."""

_NO_VERBS = _OPENINGS | {
    *re.findall(
        r"\w+",
        """
    A About Above Additional After All Along Also An Another Any Are Around As At Before Behind
    Below Beneath Beside Between Both But By Code Each Either Empty Every Everything Exactly First
    For From Head Here Hear How If In Inside Is It Its Just Language Larger Last Line Longer Model
    More Most Neither Never No Nobody None Nor Not Note Nothing Now Of On Once One Only Or Other Our
    Ours Out Output Over Program Prose Python Rather Say Seven Several So Some Somebody Something
    Tab Tell Text That The Their Them There These They This Those Three Title To Today Two Under
    Until Up Upon Usage We Well When While Whole With Within Without You Your
    """,
    )
}
_VERBS_LIKE_NOUNS = {
    "Access", "Address", "Bring", "Compress", "Cross", "Dismiss", "Embed", "Express", "Feed",
    "Focus", "Guess", "Miss", "Need", "Pass", "Ping", "Press", "Process", "Ring", "Seed", "Speed",
    "Suppress",
}  # fmt: skip
_HTTP_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
_TRANSLATED = {"tr", "tr_n", "mark"}


class Finding(NamedTuple):
    """A place with words that are to be changed."""

    module: str
    line: int
    words: str
    advice: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.words!r}: {self.advice}"


def _pattern(words: dict[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<![\w-])(?:{word})(?![\w-])" for word in words), re.IGNORECASE)


_PROSE, _TEXT = _pattern(_WORDS), _pattern(_TEXT_WORDS)


def findings(path: Path) -> list[Finding]:
    """Return what is not plain in a file."""
    name = module_name(path)
    source = path.read_text(encoding="utf-8")
    found = [
        *_in_docstrings(tree(path)),
        *((line, *bad) for line, text in _comments(source) for bad in _bad_words(text)),
        *(
            (line, *bad)
            for line, text in _window_texts(tree(path))
            for bad in _bad_words(text, _TEXT_WORDS)
        ),
    ]
    return [Finding(name, *one) for one in sorted(found)]


def _bad_words(text: str, words: dict[str, str] | None = None) -> Iterator[tuple[str, str]]:
    known = words or _WORDS
    quoted = re.sub(r"`[^`]*`|“[^”]*”", "``", text) if words is None else text
    for match in (_TEXT if words else _PROSE).finditer(" ".join(quoted.split())):
        advice = next(
            advice for word, advice in known.items() if re.fullmatch(word, match[0], re.IGNORECASE)
        )
        yield match[0], advice


def _in_docstrings(module: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(module):
        if not isinstance(node, ast.Module | ast.ClassDef | Function):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        line = node.body[0].lineno
        yield from ((line, *bad) for bad in _bad_words(text))
        first = text.split()[0]
        if isinstance(node, Function) and not is_property(node):
            if not opens_with_verb(first):
                yield line, first, "open with a verb: Return, Stop, Show, …"
        elif first in _OPENINGS:
            yield line, first, "say what it is, holds or does"


def opens_with_verb(word: str) -> bool:
    """Return whether the first word of a function's docstring may be a verb.

    HTTP's methods are verbs. What a reader types, as `%time`, may open a docstring, too.
    """
    if word in _HTTP_METHODS or word in _VERBS_LIKE_NOUNS or word[0] in "`%":
        return True
    bare = word.rstrip(".,:;")
    is_form = bare.endswith(("s", "ing", "ed")) or not bare.isalpha()
    return bare.istitle() and bare not in _NO_VERBS and not is_form


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield each comment, with those on the lines below it: words may be cut by the line's end."""
    first, last, parts = 0, -1, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1 and parts:
                yield first, " ".join(parts)
                parts = []
            first = first if parts else token.start[0]
            last = token.start[0]
            parts.append(token.string.lstrip("# "))
    if parts:
        yield first, " ".join(parts)


def _window_texts(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield what is translated, and what errors say."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in _TRANSLATED or called.endswith("Error"):
                yield from _strings((*node.args, *(word.value for word in node.keywords)))


def _strings(nodes: Iterable[ast.expr]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
            yield node.lineno, "".join(map(str, parts))


def main() -> None:
    """Print the findings."""
    wanted = sys.argv[1:]
    found = [one for path in module_paths() for one in findings(path)]
    for one in found:
        if not wanted or any(f".{word}." in f".{one.module}." for word in wanted):
            print(one)


if __name__ == "__main__":
    main()
