"""Answer what can follow the cursor, and what is under it, from the live namespace.

No code of the user runs for an answer: see `static_attributes`.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import itertools
import keyword
import os
import sys
import types
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, cast

from . import frames
from .cursor_context import (
    Call,
    Chain,
    CursorContext,
    Step,
    find_call,
    find_context,
    find_expression,
    literal_of,
)
from .short_text import class_name, library, name_of, one_line
from .static_attributes import (
    MISSING,
    Known,
    attribute,
    attributes,
    documentation,
    entry,
    instance_dict,
    is_class,
    kind_word,
    known,
    parameters,
    texts,
)

Candidate = Tuple[str, str]
"""A text that fits there, and a word for its kind."""

_COUNT_LIMIT = 2_000
_LENGTH_LIMIT = 200
_FILES_LIMIT = 2_000
_DOCUMENTATION_LIMIT = 4_000
_ORDER = ("parameter", "key", "variable", "word", "keyword")
"""The kinds of names that come first; the others follow."""


class CodeHelp:
    """Completes and describes code with one namespace."""

    def __init__(self, namespace: Dict[str, Any]) -> None:
        self._namespace = namespace

    def complete(self, code: str, is_asked: bool) -> Dict[str, Any]:
        """Return what can complete the end of a code; `is_asked`: by a key, not by typing."""
        context = find_context(code)
        prefix, found = self._candidates(context, is_asked)
        shown = _fitting(prefix, found)
        return {"length": len(prefix), "candidates": [list(one) for one in shown]}

    def describe(self, code: str, is_call: bool) -> Dict[str, Any]:
        """Return signature and documentation of the expression, or of the call, at the end."""
        call = find_call(code) if is_call else None
        chain = (call.callee if call is not None else ()) if is_call else find_expression(code)
        subject = self._resolve(chain) if chain else None
        if subject is None:
            return {"name": ""}
        written = parameters(subject)
        found: Dict[str, Any] = {"name": _source(chain), "parameters": written}
        if written is not None and call is not None:
            found["argument"] = _argument(written, call)
        if written is None and is_call:
            return {"name": ""}
        if written is None and subject.value is not MISSING:
            found["type"] = _type_of(subject)
            found["value"] = one_line(subject.value)
        if written is not None or kind_word(subject.value) in ("class", "function", "module"):
            found["documentation"] = documentation(subject, _DOCUMENTATION_LIMIT)
        return found

    def _candidates(
        self, context: CursorContext, is_asked: bool
    ) -> Tuple[str, Iterable[Candidate]]:
        """Return what is written of it, and what it can be."""
        kind, prefix = context.kind, context.prefix
        if kind == "name":
            return prefix, self._names(context) if prefix or is_asked else ()
        if kind == "attribute":
            return prefix, self._attributes(context.owner)
        if kind == "module":
            return prefix, _modules(context.owner)
        if kind == "member":
            return prefix, _members(context.owner)
        if kind == "key":
            owner = self._resolve(context.owner)
            return prefix, [(name, "key") for name in _keys(owner)] if owner else ()
        if kind == "text":
            return self._in_text(context, is_asked)
        return "", ()

    def _names(self, context: CursorContext) -> Iterator[Candidate]:
        if context.call is not None:
            callee = self._resolve(context.call.callee)
            for written in (parameters(callee) if callee else None) or ():
                name = written.partition(":")[0].partition(" ")[0].partition("=")[0]
                if name.isidentifier():
                    yield name + "=", "parameter"
        for name in texts(self._namespace):
            yield name, kind_word(entry(self._namespace, name))
        for name in context.words:
            yield name, "word"
        for name in keyword.kwlist:
            yield name, "keyword"
        for name in texts(vars(builtins)):
            yield name, kind_word(entry(vars(builtins), name))

    def _attributes(self, chain: Chain) -> Iterator[Candidate]:
        owner = self._resolve(chain) if chain else None
        if owner is None:
            return
        if _is_frame(owner):
            yield from ((name, "key") for name in _keys(owner) if name.isidentifier())
        yield from ((name, kind_word(raw)) for name, raw in attributes(owner).items())

    def _in_text(self, context: CursorContext, is_asked: bool) -> Tuple[str, Iterable[Candidate]]:
        """Return columns for a text given to a method of a frame, and files."""
        if context.call is not None and len(context.call.callee) > 1:
            owner = self._resolve(context.call.callee[:-1])
            if owner is not None and _is_frame(owner):
                return context.prefix, [(name, "key") for name in _keys(owner)]
        folder, _, rest = context.prefix.rpartition("/")
        if "/" not in context.prefix and not is_asked:
            return "", ()
        start = folder + "/" if "/" in context.prefix else "."
        return rest, _files(start)

    def _resolve(self, chain: Chain) -> Optional[Known]:
        """Return what is known of an expression; None if only running code could find it."""
        found: Optional[Known] = None
        for place, step in enumerate(chain):
            if place == 0:
                found = self._first(step)
            elif found is not None:
                found = _next(found, step)
            if found is None:
                return None
        return found

    def _first(self, step: Step) -> Optional[Known]:
        if step.kind == "literal":
            return Known({"str": str, "bytes": bytes, "list": list}[step.text])
        value = entry(self._namespace, step.text)
        if value is MISSING:
            value = entry(vars(builtins), step.text)
        return known(value) if value is not MISSING else None


def _next(owner: Known, step: Step) -> Optional[Known]:
    if step.kind == "attribute":
        found = attribute(owner, step.text)
        if found is None and _is_frame(owner) and step.text in _keys(owner):
            return _column(owner)
        return found
    if step.kind == "call":
        is_plain = is_class(owner.value) and owner.value is not type
        return Known(owner.value) if is_plain else None
    return _item(owner, literal_of(step.text) if step.text else None)


def _item(owner: Known, key: Any) -> Optional[Known]:
    """Return an item of a list or a dictionary, or a column of a frame."""
    value, kind = owner.value, owner.kind
    if _is_frame(owner):
        return _column(owner) if type(key) is str else None
    if kind is dict and type(key) is str and value is not MISSING:
        found = entry(value, key)
        return known(found) if found is not MISSING else None
    if kind in (list, tuple) and type(key) is int and value is not MISSING:
        return known(value[key]) if -len(value) <= key < len(value) else None
    return None


def _is_frame(owner: Known) -> bool:
    """Return whether it is a frame of the library's own class, which is safe to ask."""
    return name_of(owner.kind) == "DataFrame" and library(owner.kind) in ("pandas", "polars")


def _column(frame: Known) -> Optional[Known]:
    module = sys.modules.get(library(frame.kind))
    series: Any = entry(instance_dict(module), "Series") if module is not None else None
    return Known(series) if is_class(series) else None


def _keys(owner: Known) -> List[str]:
    """Return the keys of a dictionary, or the names of columns or fields, that are texts."""
    value: Any = owner.value
    if value is MISSING:
        return []
    names: Any = ()
    if owner.kind is dict:
        return texts(value)
    if _is_frame(owner):
        names = value.columns
    elif name_of(owner.kind) == "ndarray" and library(owner.kind) == "numpy":
        names = value.dtype.names or ()
    return [name for name in itertools.islice(names, _FILES_LIMIT) if type(name) is str]


def _modules(parents: Chain) -> Iterator[Candidate]:
    """Yield the modules of a package, or those at the top, as files are named; imports nothing."""
    names = [step.text for step in parents]
    if not names:
        yield from ((name, "module") for name in sys.builtin_module_names)
    for folder in _folders(names):
        try:
            with os.scandir(folder or ".") as files:
                for file in itertools.islice(files, _FILES_LIMIT):
                    name = _module_name(file.name)
                    if name.isidentifier():
                        yield name, "module"
        except OSError:
            continue


def _folders(names: List[str]) -> List[str]:
    """Return the folders of a package; for no names those where modules are looked for."""
    found = [path for path in list(sys.path) if type(path) is str]
    for place in range(len(names)):
        module = sys.modules.get(".".join(names[: place + 1]))
        paths: Any = entry(instance_dict(module), "__path__") if module is not None else MISSING
        if type(paths) is list:
            found = [path for path in cast("List[Any]", paths) if type(path) is str]
        else:
            found = [os.path.join(path, names[place]) for path in found]
    return found


def _module_name(file: str) -> str:
    for suffix in importlib.machinery.all_suffixes():
        if file.endswith(suffix):
            return file[: -len(suffix)]
    return "" if "." in file or file == "__pycache__" else file


def _members(parents: Chain) -> Iterator[Candidate]:
    """Yield the names in a module if it was imported, and its modules."""
    module = sys.modules.get(".".join(step.text for step in parents))
    if parents and issubclass(type(module), types.ModuleType):
        yield from ((name, kind_word(raw)) for name, raw in attributes(known(module)).items())
    if parents:
        yield from _modules(parents)


def _files(start: str) -> Iterator[Candidate]:
    """Yield the files of a folder that can be written in a string as they are."""
    try:
        with os.scandir(os.path.expanduser(start)) as files:
            for file in itertools.islice(files, _FILES_LIMIT):
                if not set(file.name) & set("\\\"'\n"):
                    yield (file.name + "/", "folder") if file.is_dir() else (file.name, "file")
    except (OSError, ValueError):
        return


def _fitting(prefix: str, found: Iterable[Candidate]) -> List[Candidate]:
    """Return those that begin with a prefix, without a private name that is not asked for."""
    small = prefix.lower()
    kept: Dict[str, str] = {}
    for text, kind in found:
        is_hidden = text.startswith("_" if not prefix.startswith("_") else "__")
        is_hidden = is_hidden and not prefix.startswith("__") and kind not in ("key", "file")
        if text.lower().startswith(small) and not is_hidden and len(text) <= _LENGTH_LIMIT:
            kept.setdefault(text, kind)

    def place(one: Candidate) -> Tuple[bool, int, str]:
        text, kind = one
        group = _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
        return not text.startswith(prefix), group, text.lower()

    return sorted(kept.items(), key=place)[:_COUNT_LIMIT]


def _source(chain: Chain) -> str:
    """Return an expression as it is written."""
    texts_of = {"attribute": ".%s", "item": "[%s]", "call": "(…)", "name": "%s", "literal": "%s"}
    parts = [
        texts_of[step.kind] % step.text if "%" in texts_of[step.kind] else texts_of[step.kind]
        for step in chain
    ]
    return "".join(parts)[:_LENGTH_LIMIT]


def _argument(written: List[str], call: Call) -> int:
    """Return the place of the parameter that the argument under the cursor is for, or -1."""
    names = [one.partition(":")[0].partition(" ")[0].partition("=")[0] for one in written]
    if call.keyword:
        wanted = call.keyword if call.keyword in names else "**"
        return next((at for at, name in enumerate(names) if name.startswith(wanted)), -1)
    places = [at for at, name in enumerate(names) if name not in ("/", "*")]
    for number, at in enumerate(places):
        if names[at].startswith("*") or number == call.argument:
            return at if not names[at].startswith("**") else -1
    return -1


def _type_of(subject: Known) -> str:
    shape = frames.shape(subject.value) if _is_frame(subject) else ""
    return f"{class_name(subject.value)} {shape}".strip()
