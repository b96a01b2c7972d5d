"""Tell from the syntax of a block which names of the namespace may have changed in it.

Nothing is watched while the block runs. A name counts as touched where it is bound, and where its
value goes to something that could change it or keep a part of it: a call, an assignment. Functions
of blocks are followed into the names that they use. Where that cannot be told (`exec`, `globals()`,
magics) all names count.
"""

from __future__ import annotations

import ast
import gc
import itertools
import types
import weakref
from collections import defaultdict
from typing import Any, Iterable, cast

from ..short_text import bases_of, class_of, module_of, name_of

_OPAQUE = frozenset(
    {"exec", "eval", "globals", "locals", "vars", "get_ipython", "compile", "__import__"}
)
_LOOKING = frozenset(
    {"print", "len", "sum", "min", "max", "abs", "round", "str", "repr", "int", "float", "bool"}
    | {"type", "isinstance", "hasattr", "id", "hash", "range", "display", "format", "any", "all"}
)
"""Builtins that change nothing and whose results keep no part of what they are given."""
_PLAIN = frozenset({"numpy", "pandas", "datetime", "decimal", "fractions", "collections"})
"""Libraries whose values are changed by nothing that only looks at them."""
_LOOKING_METHODS = frozenset(
    # of frames and arrays: results are other objects
    {"head", "tail", "describe", "info", "mean", "sum", "std", "var", "min", "max", "median"}
    | {"count", "nunique", "unique", "value_counts", "corr", "cov", "quantile", "groupby", "agg"}
    | {"copy", "isna", "isnull", "notna", "sample", "merge", "pivot_table", "melt", "tolist"}
    | {"to_csv", "to_json", "to_dict", "to_string", "to_markdown", "to_parquet", "to_html"}
    | {"sort_values", "sort_index", "reset_index", "nlargest", "nsmallest", "cumsum", "diff"}
    | {"argmax", "argmin", "idxmax", "idxmin", "round", "any", "all", "dot", "astype", "items"}
    # of texts and containers
    | {"keys", "get", "index", "startswith", "endswith", "split", "join", "strip", "upper"}
    | {"lower", "format", "encode", "decode", "isdigit", "replace", "find", "most_common", "values"}
    | {"to_numpy", "rolling", "resample", "query", "dropna", "fillna", "pct_change"}
    | {"abs", "shift", "rank", "clip", "where", "mask", "isin", "between", "duplicated", "nunique"}
    | {"drop_duplicates", "drop", "explode", "stack", "unstack", "pivot", "first", "last", "size"}
    | {"rename", "set_index", "join", "assign", "nsmallest", "crosstab", "strftime", "isoformat"}
)
_SHARING = frozenset({"get", "items", "values", "to_numpy", "replace"})
"""Those whose result may have a part of the object in it."""
_CHANGING = frozenset(
    {"shuffle", "fill_diagonal", "copyto", "put", "place", "putmask", "put_along_axis", "at"}
    | {"nan_to_num", "apply_along_axis", "vectorize", "frompyfunc", "nditer", "fromfunction"}
    # those whose results share memory with what they are given
    | {"asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_2d"}
    | {"atleast_3d", "reshape", "ravel", "squeeze", "transpose", "swapaxes", "moveaxis", "rollaxis"}
    | {"broadcast_to", "broadcast_arrays", "expand_dims", "split", "array_split", "hsplit"}
    | {"vsplit", "dsplit", "diagonal", "diag", "require", "frombuffer", "real", "imag", "flip"}
    | {"fliplr", "flipud", "rot90", "meshgrid", "matrix", "asmatrix", "memmap", "from_dlpack"}
    | {"as_strided", "sliding_window_view", "array", "asarray_chkfinite", "permute_dims"}
)
"""Functions of numpy that change what they are given, or keep a part of it. Others do neither."""
_CONSTANT_KINDS = frozenset({int, float, complex, bool, str, bytes, type(None)})
_CONSTANTS = (int, float, complex, bool, str, bytes, type(None), types.BuiltinFunctionType)
_LOOKING_MODULES = ("numpy", "math", "statistics", "matplotlib", "seaborn")
_WRAPPING = (property, staticmethod, classmethod)
_REACHED_LIMIT = 2_000
_HELD_LIMIT = 50
_WALK_LIMIT = 2_000
_WALKED = frozenset(
    {"builtins", "__main__", "collections", "_collections", "itertools", "functools", "_functools"}
    | {"operator", "_operator", "types", "typing", "abc", "_abc", "threading", "_thread", "queue"}
    | {"_queue", "weakref", "contextlib", "io", "_io", "numpy", "pandas", "enum", "dataclasses"}
    | {"datetime", "decimal", "fractions", "uuid", "pathlib", "re", "random", "_random", "string"}
)
"""Libraries whose objects show all that they hold to the collector of garbage, but for arrays."""
_SCALARS = ("generic", "dtype")
_OPAQUE_KINDS = ("PyCapsule", "ProxyType", "CallableProxyType", "weakproxy", "weakcallableproxy")
_HOLDING_NOTHING = frozenset({"builtins", "datetime", "decimal", "_random", "_thread", "re"})
"""Libraries whose objects hold nothing that changes where the collector does not know them."""
_HAS_COLLECTOR = 1 << 14
"""Py_TPFLAGS_HAVE_GC: without it an object shows nothing."""


class TouchedNames:
    """The names that blocks may have changed; `all` if that cannot be told."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.all = False

    def add(self, tree: ast.Module, namespace: dict[str, Any]) -> None:
        """Add the names of a block that has run."""
        reader = _Reader(namespace)
        for statement in tree.body:
            reader.visit(statement)
        self.all |= reader.is_opaque
        self.names |= reader.touched | _reached(reader.loaded, namespace)


class _Reader(ast.NodeVisitor):
    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self.touched: set[str] = set()
        self.loaded: set[str] = set()
        self.is_opaque = False

    def visit_Name(self, node: ast.Name) -> None:
        self.touched.add(node.id)
        self.loaded.add(node.id)
        self.is_opaque |= node.id in _OPAQUE or node.id.startswith("__playhead")

    def visit_Import(self, node: ast.Import) -> None:
        self._bind(node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.is_opaque |= any(one.name == "*" for one in node.names)
        self._bind(node.names)

    def visit_FunctionDef(self, node: Any) -> None:
        """Visit what runs with the definition; the body runs when it is called."""
        self.touched.add(node.name)
        for inner in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if inner is not None:
                self.visit(inner)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                self.loaded.add(inner.id)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.touched.add(node.name)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.touched.add(node.name)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        self._look(node.value)

    def visit_If(self, node: Any) -> None:
        self._look(node.test)
        for inner in (*node.body, *node.orelse):
            self.visit(inner)

    visit_While = visit_If

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._look_or_visit(node.left)
        self._look_or_visit(node.right)

    def visit_Compare(self, node: ast.Compare) -> None:
        for inner in (node.left, *node.comparators):
            self._look(inner)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        for inner in node.values:
            if isinstance(inner, ast.FormattedValue):
                self._look(inner.value)

    def visit_For(self, node: Any) -> None:
        self.visit(node.target)
        self._look_at_items(node.iter)
        for inner in (*node.body, *node.orelse):
            self.visit(inner)

    visit_AsyncFor = visit_For

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.target)
        self._look_at_items(node.iter)
        for inner in node.ifs:
            self._look(inner)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Visit a place that is changed, or a part that is kept."""
        if isinstance(node.ctx, ast.Load):
            self._look_at_items(node.value)
        else:
            self.visit(node.value)
        self._look(node.slice)

    def _look_at_items(self, node: ast.expr) -> None:
        """Visit what is gone through: items that can never change are only looked at."""
        if isinstance(node, ast.Name) and is_flat(self._namespace.get(node.id)):
            self.loaded.add(node.id)
        else:
            self.visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if not _has_target(node) and self._only_looks(function):
            if isinstance(function, ast.Attribute):
                self._look(function.value)
            for inner in arguments:
                self._look(inner)
            return
        self.visit(function)
        look = self._look if self._is_drawing(function) else self.visit
        for inner in arguments:
            look(inner)

    def _is_drawing(self, function: ast.expr) -> bool:
        """Return whether a call draws: its arguments are only looked at."""
        value = self._namespace.get(_root(function))
        return value is not None and _top(class_of(value)) == "matplotlib"

    def _only_looks(self, function: ast.expr) -> bool:
        """Return whether a call changes nothing and its result shares nothing."""
        if isinstance(function, ast.Name):
            self.loaded.add(function.id)
            return function.id in _LOOKING and function.id not in self._namespace
        if not isinstance(function, ast.Attribute):
            return False
        owner = function.value
        if function.attr == "Counter" and _root(owner) == "collections":
            return True
        if isinstance(owner, (ast.Name, ast.Attribute)):
            value = self._namespace.get(_root(owner))
            if isinstance(value, types.ModuleType):
                self.loaded.add(_root(owner))
                is_looking = value.__name__.partition(".")[0] in _LOOKING_MODULES
                return is_looking and function.attr not in _CHANGING
        is_looking = function.attr in _LOOKING_METHODS - _SHARING
        return is_looking and self._is_plain_chain(function, most_steps=0)

    def _is_plain_chain(self, node: ast.expr, *, most_steps: int = 1) -> bool:
        """Return whether an expression begins with a name of a plain value.

        It goes so many steps into a container of anything: what is in there need not be plain.
        """
        steps = 0
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            steps += not isinstance(node, ast.Call)
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Constant):
            return True
        value = self._namespace.get(node.id) if isinstance(node, ast.Name) else node
        return _is_plain(value) and (steps <= most_steps or _has_plain_items(value))

    def _look_or_visit(self, node: ast.expr) -> None:
        """Visit an operand: of lists the result has the same items, of arrays it has not."""
        name = node.id if isinstance(node, ast.Name) else ""
        value = self._namespace.get(name)
        if name and type(value) in (list, dict, set, tuple):
            self.visit(node)
        else:
            self._look(node)

    def _look(self, node: ast.expr) -> None:
        """Visit an expression whose value is dropped, or only looked at."""
        if isinstance(node, ast.Name):
            self.loaded.add(node.id)
            if not _is_plain(self._namespace.get(node.id)):
                self.visit(node)
        elif isinstance(node, ast.Attribute) and self._is_plain_chain(node):
            self._look(node.value)
        elif isinstance(node, ast.Subscript) and self._is_plain_chain(node):
            self._look(node.value)
            self._look(node.slice)
        elif isinstance(node, ast.Call) and self._looks_by_method(node):
            self._look(node.func.value)  # type: ignore[attr-defined]
            for inner in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._look(inner)
        elif isinstance(node, ast.Tuple):
            for inner in node.elts:
                self._look(inner)
        else:
            self.visit(node)

    def _looks_by_method(self, node: ast.Call) -> bool:
        function = node.func
        is_method = isinstance(function, ast.Attribute) and function.attr in _LOOKING_METHODS
        return is_method and not _has_target(node) and self._is_plain_chain(function)

    def _bind(self, names: Iterable[ast.alias]) -> None:
        for one in names:
            self.touched.add(one.asname or one.name.partition(".")[0])


def _top(kind: type) -> str:
    return module_of(kind).partition(".")[0]


def _is_plain(value: Any) -> bool:
    """Return whether nothing that only looks at a value can change it."""
    kind = class_of(value)
    if isinstance(value, _CONSTANTS):
        return True
    is_plain = _top(kind) in {"builtins", *_PLAIN}
    return is_plain and kind is not defaultdict and not hasattr(kind, "__next__")


def _has_plain_items(value: Any) -> bool:
    """Return whether a plain value is no container of anything."""
    is_container = _top(class_of(value)) in ("builtins", "collections")
    return not is_container or isinstance(value, _CONSTANTS) or is_flat(value)


def is_flat(value: Any) -> bool:
    """Return whether a value is a container of objects that can never change."""
    kind = class_of(value)
    if kind is dict:
        return {*map(type, value), *map(type, value.values())} <= _CONSTANT_KINDS
    return kind in (list, tuple, set, frozenset, range) and set(map(type, value)) <= _CONSTANT_KINDS


def _has_target(call: ast.Call) -> bool:
    return any(keyword.arg in ("out", "inplace", None) for keyword in call.keywords)


def _root(node: ast.expr) -> str:
    """Return the name that a chain of attributes begins with; "" if it begins otherwise."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _reached(loaded: Iterable[str], namespace: dict[str, Any]) -> set[str]:
    """Return the names that functions of blocks use which these names lead to."""
    found: set[str] = set()
    waiting = list(loaded)
    while waiting and len(found) < _REACHED_LIMIT:
        for code in _codes(namespace.get(waiting.pop()), namespace):
            new = {name for name in _global_names(code) if name in namespace} - found
            found |= new
            waiting += new
    return found


def _codes(value: Any, namespace: dict[str, Any]) -> list[types.CodeType]:
    """Return the codes of blocks that a value can run: its own, its class's, what it holds."""
    codes: list[types.CodeType] = []
    waiting: list[Any] = [value]
    seen = 0
    while waiting and seen < _HELD_LIMIT:
        one = waiting.pop()
        seen += 1
        kind = class_of(one)
        if issubclass(kind, type):
            codes += _codes_of_class(one)
        elif kind is types.FunctionType:
            codes += [one.__code__] if one.__globals__ is namespace else []
            waiting += _held_by_function(one)
        elif kind is types.MethodType:
            waiting += [one.__func__, one.__self__]
        elif kind in (list, tuple, set):
            waiting += itertools.islice(cast("Iterable[Any]", one), _HELD_LIMIT)
        elif kind is dict:
            waiting += itertools.islice(cast("dict[Any, Any]", one).values(), _HELD_LIMIT)
        elif module_of(kind) == "functools":
            waiting += [getattr(one, name, None) for name in ("func", "__wrapped__")]
        else:
            codes += _codes_of_class(kind)
    return codes


def _held_by_function(function: Any) -> list[Any]:
    """Return the functions and objects in its closure, and what it wraps."""
    held: list[Any] = [function.__dict__.get("__wrapped__")]
    for cell in function.__closure__ or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:
            continue  # not bound yet
    return held


def _codes_of_class(kind: type) -> list[types.CodeType]:
    found: list[types.CodeType] = []
    for base in bases_of(kind):
        if module_of(base) != "__main__":
            continue
        members: list[Any] = list(type.__dict__["__dict__"].__get__(base).values())
        for one in members:
            for inner in ("fget", "__func__"):  # of properties, of static and class methods
                one = getattr(one, inner, one) if type(one) in _WRAPPING else one
            if isinstance(one, types.FunctionType):
                found.append(one.__code__)
    return found


def _global_names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names |= _global_names(one)
    return names


def within_reach(hidden: list[Any], names: dict[str, Any], namespace: dict[str, Any]) -> set[str]:
    """Return the names that values may have changed which no save can look into.

    These are names that share an object with them, and those that codes which they hold use; all
    names where that cannot be told.
    """
    try:
        walk = _Walk(names, namespace, is_running=True)
        walk.go(hidden)
    except _UnknownError:
        return set(names)
    ours = walk.changing()
    return walk.used | {
        name for name, value in names.items() if _shares(value, ours, names, namespace)
    }


def _shares(
    value: Any, ours: frozenset[int], names: dict[str, Any], namespace: dict[str, Any]
) -> bool:
    walk = _Walk(names, namespace, is_running=False)
    try:
        walk.go([value])
    except _UnknownError:
        return True
    return not ours.isdisjoint(walk.held)


class _UnknownError(Exception):
    """An object that may hold what it does not show."""


class _Walk:
    """Goes from values to all that they hold; with `is_running` also to what their code uses.

    No code of blocks runs: the collector of garbage is asked. Raises _UnknownError.
    """

    def __init__(
        self, names: dict[str, Any], namespace: dict[str, Any], *, is_running: bool
    ) -> None:
        self._names = names
        self._namespace = namespace
        self._is_running = is_running
        self.held: dict[int, Any] = {}
        self.used: set[str] = set()

    def go(self, values: list[Any]) -> None:
        """Go on from values."""
        waiting = list(values)
        while waiting:
            one = waiting.pop()
            kind = class_of(one)
            if kind in _CONSTANT_KINDS or id(one) in self.held or one is self._namespace:
                continue
            self.held[id(one)] = one
            if len(self.held) > _WALK_LIMIT:
                raise _UnknownError
            waiting += self._inside(one, kind)

    def changing(self) -> frozenset[int]:
        """Return the objects that could change, by id; what a class itself has is never saved."""
        return frozenset(
            key
            for key, one in self.held.items()
            if not issubclass(class_of(one), (type, types.CodeType, types.BuiltinFunctionType))
        )

    def _inside(self, one: Any, kind: type[Any]) -> list[Any]:
        if issubclass(kind, types.ModuleType) or is_flat(one):
            return []
        if kind is types.CodeType:
            return self._used_by(one)
        if kind is types.FunctionType:
            parts = [one.__closure__, one.__defaults__, one.__kwdefaults__, one.__dict__]
            return [*parts, one.__code__] if one.__globals__ is self._namespace else parts
        if issubclass(kind, type):
            is_ours = self._is_running and module_of(one) == "__main__"
            return gc.get_referents(one) if is_ours else []
        if type(one) is dict and ("__builtins__" in one or "__build_class__" in one):
            return []  # of a module, or the builtins: frames have both before Python 3.11
        if issubclass(kind, weakref.ReferenceType):
            reference: Any = weakref.ref
            return [reference.__call__(one), *gc.get_referents(one)]
        return [*_bases_of_arrays(one, kind), *gc.get_referents(one)]

    def _used_by(self, code: types.CodeType) -> list[Any]:
        if not self._is_running:
            return []
        names = _global_names(code)
        if names & _OPAQUE:
            raise _UnknownError
        new = (names & self._names.keys()) - self.used
        self.used |= new
        return [self._names[name] for name in new]


def _bases_of_arrays(one: Any, kind: type[Any]) -> list[Any]:
    """Return what an array is a view of. Raises _UnknownError for what shows not all it holds."""
    found: list[Any] = []
    bases = bases_of(kind)
    is_scalar = any(_top(base) == "numpy" and name_of(base) in _SCALARS for base in bases)
    for base in bases:
        if _top(base) not in _WALKED or name_of(base) in _OPAQUE_KINDS:
            raise _UnknownError
        if _top(base) == "numpy" and name_of(base) == "ndarray":
            members = type.__dict__["__dict__"].__get__(base)
            if members["dtype"].__get__(one).hasobject:
                raise _UnknownError
            found.append(members["base"].__get__(one))
        elif not (_shows_all(base) or is_scalar):
            raise _UnknownError
    return found


def _shows_all(kind: type[Any]) -> bool:
    flags = type.__dict__["__flags__"].__get__(kind)
    return bool(flags & _HAS_COLLECTOR) or _top(kind) in _HOLDING_NOTHING
