"""`python -m tests.support.catalogue`: lists texts for translators, compiles their catalogues.

Listed are the texts of the window and the errors of all layers that it can show.

Qt's own lister finds only what is called by Qt's own names, and takes no plural from Python.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as Xml

import PySide6

from playhead.ui.widgets.wording import CONTEXT
from tests.support.source_tree import PACKAGE, ROOT, Function, module_paths, tree

WINDOW = PACKAGE / "ui"
WORDS = PACKAGE / "domain" / "text"
FOLDER = ROOT / "resources" / "translations"
_CALLS = {"tr", "tr_n", "mark", "phrase"}
_FOR_PROGRAMS = {"RequestError", "InterpreterError"}
"""Errors that only another program gets; in English, as all that goes over a wire."""
_OF_THE_WORKER = {"ErrorText", "StreamFailure"}
"""The model worker's errors, which come to the window as ProviderErrors; a code goes first."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text of the window; `places` are where it stands."""

    source: str
    about: str
    places: tuple[str, ...]

    @property
    def is_plural(self) -> bool:
        """Whether it tells a number of things."""
        return "%n" in self.source


def main() -> int:
    """Write the list of English texts, and a .qm beside each translation."""
    write(FOLDER / "playhead.ts", all_texts(), {})
    for translated in sorted(FOLDER.glob("playhead_*.ts")):
        compile_catalogue(translated)
    return 0


@cache
def all_texts() -> tuple[Text, ...]:
    """Return every text of the package's modules, those of the window first."""
    found: dict[tuple[str, str], list[str]] = {}
    modules = [path for folder in (WINDOW, WORDS, PACKAGE) for path in sorted(folder.rglob("*.py"))]
    for path in dict.fromkeys(modules):
        errors = ((text, "") for text, _ in errors_of(path) if text is not None)
        for source, about in (*texts_in(tree(path)), *errors):
            places = found.setdefault((source, about), [])
            place = path.relative_to(PACKAGE).as_posix()
            if place not in places:
                places.append(place)
    return tuple(Text(source, about, tuple(places)) for (source, about), places in found.items())


def texts_in(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Text and remark of each call of a module."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _CALLS:
                about = next((k.value for k in node.keywords if k.arg == "about"), None)
                for one in _literals(first):
                    yield one, next(_literals(about), "") if about else ""


def _literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _literals(one)
            yield from _literals(other)


@cache
def errors_of(path: Path) -> tuple[tuple[str | None, int], ...]:
    """Return the literals of a module's errors, as `error_texts` finds them."""
    of_worker = "model_worker" in path.parts  # which has none of our classes, but one's name
    return tuple(error_texts(tree(path), _OF_THE_WORKER if of_worker else _error_classes()))


@cache
def _error_classes() -> frozenset[str]:
    """Return the names of the classes of errors that the window can show."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in module_paths()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    more = {"AppError"}
    while more:
        found |= more
        more = {name for name, of in bases.items() if of & found} - found - _FOR_PROGRAMS
    return frozenset(found | _OF_THE_WORKER | {"Failure"})


def error_texts(module: ast.Module, classes: Set[str]) -> Iterator[tuple[str | None, int]]:
    """Yield each literal of a module's errors, and None for what is no template; and its line.

    The literals are arguments of an error's class, or of a function that returns one, itself or by
    a name in the same function.
    """
    makers = classes | {
        node.name
        for node in ast.walk(module)
        if isinstance(node, Function)
        and isinstance(node.returns, ast.Name)
        and node.returns.id in classes
    }
    scopes = [node for node in ast.walk(module) if isinstance(node, Function)]
    for scope in (module, *scopes):
        for node in _own_nodes(scope):
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in makers:
                    named = [one.value for one in node.keywords if one.arg not in ("code", "param")]
                    for text in (*node.args[name in _OF_THE_WORKER :], *named):
                        for one in _templates(text, scope, frozenset()):
                            yield one, node.lineno
                case _:
                    pass


def _templates(node: ast.AST, scope: ast.AST, seen: frozenset[str]) -> Iterator[str | None]:
    match node:
        case ast.Constant(value=str(text)) if _has_words(node):
            yield text
        case ast.JoinedStr() | ast.BinOp() if _has_words(node):
            yield None
        case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
            yield from _templates(one, scope, seen)
            yield from _templates(other, scope, seen)
        case ast.Name(id=name) if name not in seen:
            for value in _values_of(name, scope):
                yield from _templates(value, scope, seen | {name})
        case _:
            pass


def _has_words(node: ast.AST) -> bool:
    """Return whether a text says more than facts, such as a path and what the system says of it."""
    match node:
        case ast.Constant(value=str(text)):
            return any(map(str.isalpha, text))
        case ast.JoinedStr(values=parts):
            return any(map(_has_words, parts))
        case ast.BinOp(left=one, right=other):
            return _has_words(one) or _has_words(other)
        case _:
            return False


def _values_of(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    for node in _own_nodes(scope):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=same)], value=value)
                | ast.AnnAssign(target=ast.Name(id=same), value=ast.expr() as value)
            ) if same == name:
                yield value
            case _:
                pass


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes within, but not those of a function within."""
    left = [scope]
    while left:
        found = [one for one in ast.iter_child_nodes(left.pop()) if not isinstance(one, Function)]
        yield from found
        left += found


def write(
    path: Path, texts: Sequence[Text], said: dict[str, Sequence[str]], name: str = ""
) -> None:
    """A catalogue in Qt's format; `said` has the translations of a source, one for each number."""
    root = Xml.Element("TS", {"version": "2.1", "sourcelanguage": "en"})
    if name:
        root.set("language", name)
    context = Xml.SubElement(root, "context")
    Xml.SubElement(context, "name").text = CONTEXT
    for text in texts:
        extra = {"numerus": "yes"} if text.is_plural else {}
        message = Xml.SubElement(context, "message", extra)
        for place in text.places:
            Xml.SubElement(message, "location", filename=f"../../app/playhead/{place}")
        Xml.SubElement(message, "source").text = text.source
        if text.about:
            Xml.SubElement(message, "comment").text = text.about
        forms = said.get(text.source, ())
        translation = Xml.SubElement(
            message, "translation", {} if forms else {"type": "unfinished"}
        )
        if text.is_plural:
            for form in forms:
                Xml.SubElement(translation, "numerusform").text = form
        else:
            translation.text = "".join(forms[:1])
    Xml.indent(root)
    body = Xml.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', "utf-8")


def compile_catalogue(path: Path) -> Path:
    """The .qm of a catalogue, made by Qt's lrelease beside it."""
    made = path.with_suffix(".qm")
    tool = Path(PySide6.__file__).parent / "lrelease"
    subprocess.run([tool, "-silent", path, "-qm", made], check=True)
    return made


if __name__ == "__main__":
    sys.exit(main())
