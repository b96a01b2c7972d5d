"""Read names, attributes and signatures of live objects without running code of the user.

`dir` calls `__dir__`, `getattr` calls properties and `__getattr__`, `inspect.signature` calls what
`__signature__` and the values of arguments define, and on Python 3.14 annotations are code. So only
the dictionaries of objects and of their classes are read, and what C code of Python or numpy keeps
in slots. What such code alone could know is not known here.
"""

from __future__ import annotations

import itertools
import sys
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from .short_text import attribute_of, bases_of, class_of, library, name_of, one_line

MISSING = object()
_NAMES_LIMIT = 5_000
_DEFAULT_LIMIT = 40
_WRAPPERS_LIMIT = 10
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_TRUSTED = ("builtins", "numpy", "datetime")
"""Packages whose attributes written in C are read; others may be C that calls anything."""
_PLAIN_FUNCTIONS = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
)
_FUNCTIONS = (
    types.FunctionType,
    types.MethodType,
    staticmethod,
    classmethod,
    *_PLAIN_FUNCTIONS,
)


class Known(NamedTuple):
    """The facts known of an expression: its class, and its value if that could be read.

    `is_bound`: its first argument is given already.
    """

    kind: type
    value: Any = MISSING
    is_bound: bool = False


def known(value: Any, *, is_bound: bool = False) -> Known:
    """Return a value with its class."""
    return Known(class_of(value), value, is_bound)


def entry(names: Any, name: str) -> Any:
    """Return a value of a dictionary by a text, MISSING without it.

    A look-up would compare the text with keys of the user's classes.
    """
    for key, value in itertools.islice(_items(names), 20 * _NAMES_LIMIT):
        if type(key) is str and key == name:
            return value
    return MISSING


def texts(names: Any) -> List[str]:
    """Return the first keys of a dictionary that are texts."""
    items: Any = itertools.islice(_items(names), _NAMES_LIMIT)
    return [key for key, _value in items if type(key) is str]


def is_class(value: Any) -> bool:
    """Return whether a value is a class, without asking it."""
    return issubclass(type(value), type)


def attributes(owner: Known) -> Dict[str, Any]:
    """Return the attributes of an object by their names, as they are in its dictionaries."""
    found: Dict[str, Any] = {}
    for names in _dictionaries(owner):
        for name, value in itertools.islice(_items(names), _NAMES_LIMIT):
            if type(name) is str:
                found.setdefault(name, value)
    return found


def attribute(owner: Known, name: str) -> Optional[Known]:
    """Return what is known of an attribute; None if only running code could find it."""
    for names in _dictionaries(owner):
        raw = entry(names, name)
        if raw is not MISSING:
            return _read(owner, raw, names)
    return None


def kind_word(raw: Any) -> str:
    """Return what an attribute is, as its dictionary has it."""
    if is_class(raw):
        return "class"
    kind = class_of(raw)
    if kind is property or kind in _SLOTS:
        return "property"
    if issubclass(kind, types.ModuleType):
        return "module"
    is_called = kind in _FUNCTIONS or attribute_of(kind, "__call__") is not None
    return "function" if is_called else "variable"


def instance_dict(value: Any) -> Any:
    """Return an object's own dictionary; an empty one if it has none, or hides it."""
    for base in bases_of(class_of(value)):
        slot = entry(_class_dict(base), "__dict__")
        if slot is not MISSING:
            found = slot.__get__(value) if type(slot) in _SLOTS else None
            return found if issubclass(type(found), dict) else {}
    return {}


def _class_dict(kind: type) -> Any:
    return type.__dict__["__dict__"].__get__(kind)


def _items(names: Any) -> Any:
    """Return the items of a dictionary, or of a class's view of one, as Python has them."""
    owner: Any = types.MappingProxyType if type(names) is types.MappingProxyType else dict
    return owner.items(names)


def _dictionaries(owner: Known) -> Iterator[Any]:
    """Yield the dictionaries that an attribute is looked for in."""
    if owner.value is not MISSING:
        if is_class(owner.value):
            for base in bases_of(owner.value):
                yield _class_dict(base)
            return
        yield instance_dict(owner.value)
    for base in bases_of(owner.kind):
        yield _class_dict(base)


def _read(owner: Known, raw: Any, names: Any) -> Optional[Known]:
    """Return what an attribute is for its owner: descriptors of the user are not called."""
    kind = class_of(raw)
    is_instance = owner.value is MISSING or not is_class(owner.value)
    if kind is classmethod:
        return known(raw.__func__, is_bound=True)
    if kind is staticmethod:
        return known(raw.__func__)
    if kind in (types.FunctionType, *_PLAIN_FUNCTIONS):
        is_own = owner.value is not MISSING and names is instance_dict(owner.value)
        return known(raw, is_bound=is_instance and not is_own)
    if kind in _SLOTS:
        return _read_slot(owner, raw) if is_instance and owner.value is not MISSING else None
    is_accessor = library(kind) == "pandas"
    accessor: Any = entry(instance_dict(raw), "_accessor") if is_accessor else MISSING
    if is_class(accessor):  # of `series.str` and the like
        return Known(accessor)
    return None if kind is property else known(raw)


def _read_slot(owner: Known, slot: Any) -> Optional[Known]:
    is_member = type(slot) is types.MemberDescriptorType
    if not is_member and library(slot.__objclass__) not in _TRUSTED:
        return None
    try:
        return known(slot.__get__(owner.value))
    except (AttributeError, TypeError, ValueError):
        return None


def _wrapped(value: Any) -> Any:
    """Return the function that another one wraps, as `functools.wraps` notes it; else None."""
    inner = entry(instance_dict(value), "__wrapped__")
    return inner if type(inner) is types.FunctionType else None


def _function(callee: Known) -> Tuple[Any, bool]:
    """Return the function that a call runs, and whether its first argument is given already."""
    value, is_bound = callee.value, callee.is_bound
    if is_class(value):
        for name in ("__init__", "__new__"):
            found = attribute(Known(value), name)
            if found is not None and type(found.value) is types.FunctionType:
                value, is_bound = found.value, True
                break
    elif type(value) is types.MethodType:
        value, is_bound = value.__func__, True
    elif type(value) not in _FUNCTIONS and _wrapped(value) is None:
        found = attribute(Known(callee.kind), "__call__")
        if found is not None and type(found.value) is types.FunctionType:
            value, is_bound = found.value, True
    for _ in range(_WRAPPERS_LIMIT):
        inner = _wrapped(value)
        if inner is None:
            break
        value = inner
    return value, is_bound


def parameters(callee: Known) -> Optional[List[str]]:
    """Return the parameters of what can be called, as they are written; None if not known."""
    if callee.value is MISSING:
        return None
    function, is_bound = _function(callee)
    if type(function) is types.FunctionType:
        written = _of_code(function)
        is_given = is_bound and bool(written) and written[0] not in ("/", "*")
        written = written[1:] if is_given else written
        return written[1:] if is_given and written[:1] == ["/"] else written
    if is_class(function):
        text: Any = type.__dict__["__text_signature__"].__get__(function)
    elif type(function) in _PLAIN_FUNCTIONS:
        text = function.__text_signature__
    else:
        return None
    return _of_text(text) if type(text) is str else None


def _of_code(function: types.FunctionType) -> List[str]:
    """Return the parameters of a function of Python."""
    code = function.__code__
    count, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames
    defaults: Any = function.__defaults__ or ()
    notes = _annotations(function)
    written: List[str] = []
    for place, name in enumerate(names[:count]):
        at = place - (count - len(defaults))
        written.append(_parameter(name, notes, defaults[at] if at >= 0 else MISSING))
        if place + 1 == code.co_posonlyargcount:
            written.append("/")
    if code.co_flags & 0x04:  # inspect.CO_VARARGS
        written.append("*" + names[last])
        last += 1
    elif code.co_kwonlyargcount:
        written.append("*")
    values: Any = function.__kwdefaults__ or {}
    for name in names[count : count + code.co_kwonlyargcount]:
        written.append(_parameter(name, notes, entry(values, name)))
    if code.co_flags & 0x08:  # inspect.CO_VARKEYWORDS
        written.append("**" + names[last])
    return written


def _annotations(function: types.FunctionType) -> Any:
    """Return the annotations; on 3.14 they would be evaluated here, so there are none."""
    return {} if sys.version_info >= (3, 14) else function.__annotations__


def _parameter(name: str, notes: Any, default: Any) -> str:
    note = entry(notes, name)
    text = note if type(note) is str else name_of(note) if type(note) is type else ""
    text = f"{name}: {text}" if text and len(text) <= _DEFAULT_LIMIT else name
    if default is MISSING:
        return text
    return f"{text} = {one_line(default, _DEFAULT_LIMIT)}"


def _of_text(text: str) -> Optional[List[str]]:
    """Return the parameters of a signature as C code has it: `($self, iterable=(), /)`."""
    if not (text.startswith("(") and text.endswith(")")):
        return None
    found: List[str] = []
    depth, start = 0, 1
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 1) or depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    given = found[:1] and found[0].startswith("$")
    found = [name for name in (found[1:] if given else found) if name]
    return found[1:] if given and found[:1] == ["/"] else found


def documentation(subject: Known, limit: int) -> str:
    """Return the documentation of an object, at most so many characters of it."""
    if subject.value is MISSING:
        return ""
    value = subject.value
    if is_class(value):
        text = entry(_class_dict(value), "__doc__")
    elif type(value) in _FUNCTIONS or type(value) is types.ModuleType:
        own = entry(instance_dict(value), "__doc__")
        text = own if own is not MISSING else value.__doc__
        inner = _wrapped(value)
        if type(text) is not str and inner is not None:
            text = inner.__doc__
    else:
        text = entry(instance_dict(value), "__doc__")
        slot = attribute(subject, "__doc__") if text is MISSING else None
        is_slot = slot is not None and library(subject.kind) in _TRUSTED
        text = slot.value if is_slot and slot is not None else text
    return _clean(text[: 2 * limit])[:limit] if type(text) is str else ""


def _clean(text: str) -> str:
    """Return a documentation without the indentation that its place in the code gives it."""
    first, *rest = text.expandtabs().split("\n")
    depths = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    depth = min(depths, default=0)
    lines = [first.strip(), *(line[depth:].rstrip() for line in rest)]
    return "\n".join(lines).strip("\n")
