"""Reads Python for its effects: calls by full names, aliases and constants followed."""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.python.call_actions import CallArguments, PythonActions, address_of
from playhead.analysis.python.known_calls import (
    ANYWHERE,
    CONNECTIONS,
    FUNCTIONS,
    HIDING_PREFIXES,
    METHODS,
    PATH_METHODS,
    REACHING,
    READERS,
    SENDING,
    SOCKETS,
    KnownCall,
)
from playhead.analysis.python.known_values import PythonValues, alternatives, element_of, merge
from playhead.analysis.targets import Value, is_url, word_set

_CALLS_LIMIT = 8
"""How many calls of a function of the code itself give its parameters values."""
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop,
           ast.unaryop, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal)  # fmt: skip
_BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.Try,
    ast.Match,
    ast.IfExp,
    ast.ExceptHandler,
)
_HIDDEN = re.compile(r"__(?:subclasses|globals|builtins|code|bases|mro|loader)__")
_USUAL = {
    "pd": "pandas", "np": "numpy", "plt": "matplotlib.pyplot", "sns": "seaborn", "tf": "tensorflow",
    "pl": "polars", "px": "plotly.express", "sp": "scipy", "rmtree": "shutil.rmtree",
    "urlopen": "urllib.request.urlopen", "urlretrieve": "urllib.request.urlretrieve",
    "Popen": "subprocess.Popen", "check_output": "subprocess.check_output",
    "check_call": "subprocess.check_call", "copyfile": "shutil.copyfile",
    "copytree": "shutil.copytree", "ZipFile": "zipfile.ZipFile",
    "savefig": "matplotlib.pyplot.savefig",
    "environ": "os.environ", "getenv": "os.getenv", "import_module": "importlib.import_module",
}  # fmt: skip
"""Names that code of an earlier block has probably imported."""
_BUILTINS = frozenset(dir(builtins)) | {
    "display", "get_ipython", "reveal_type", "WindowsError", "BytesIO", "StringIO", "Path",
}  # fmt: skip
_LATER = word_set(
    """submit partial register to_thread run_in_executor call_soon call_later call_at apply
    apply_async run_sync spawn start_soon Timer delayed"""
)
_PRINTERS = frozenset({"print", "dict", "str", "repr", "list", "sorted", "json.dumps",
                       "pprint.pprint", "display", "pprint"})  # fmt: skip
_ENVIRONMENT = "environment"


class _Function(Struct):
    """A function of the code: read once, after the code around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    scopes: list[dict[str, Value | None]]
    is_method: bool
    calls: list[tuple[list[Value | None], dict[str, Value | None]]] = []
    is_read: bool = False


def add_python_facts(collector: FactCollector, code: str) -> SyntaxError | None:
    """Add what Python does; return why it cannot be read at all, if it is no Python."""
    try:
        tree = _parse(code)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        collector.unknown(1, "syntax")
        return None
    _PythonReader(collector).read(tree, code)
    return None


def _parse(code: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


class _PythonReader:
    """Walks a tree in the order of the text; functions follow when what calls them is read."""

    def __init__(self, collector: FactCollector) -> None:
        self._collector = collector
        self._values = PythonValues()
        self._values.scopes[0].update({k: Value("name", v) for k, v in _USUAL.items()})
        self._functions: dict[str, _Function] = {}
        self._deferred: deque[_Function] = deque()
        self._ready: deque[_Function] = deque()
        self._depth = 0
        self._defined: set[str] = set()
        self._asked: dict[str, int] = {}
        self._handlers: Mapping[type, Callable[..., None]] = {
            ast.Call: self._on_call,
            ast.Assign: self._on_assign,
            ast.AnnAssign: self._on_annotated,
            ast.AugAssign: self._on_augmented,
            ast.NamedExpr: self._on_named,
            ast.Import: self._on_import,
            ast.ImportFrom: self._on_import_from,
            ast.With: self._on_with,
            ast.AsyncWith: self._on_with,
            ast.For: self._on_for,
            ast.AsyncFor: self._on_for,
            ast.comprehension: self._on_for,
            ast.Subscript: self._on_subscript,
            ast.Delete: self._on_delete,
            ast.ExceptHandler: self._on_except,
        }
        self._actions = PythonActions(collector)

    def read(self, tree: ast.Module, code: str) -> None:
        """Read the whole code."""
        if _HIDDEN.search(code):
            for found in list(_HIDDEN.finditer(code))[:20]:
                self._collector.unknown(code.count("\n", 0, found.start()) + 1, found[0])
        self._walk(tree.body)
        while self._ready or self._deferred:
            function = self._ready.popleft() if self._ready else self._deferred.popleft()
            if not function.is_read:
                self._read_function(function)
        for name, line in self._asked.items():
            if name not in self._defined:
                self._collector.unknown(line, name)

    def _read_function(self, function: _Function) -> None:
        function.is_read = True
        values, node = self._values, function.node
        outer = values.scopes
        values.scopes = [*function.scopes, {}]
        parameters = [*node.args.posonlyargs, *node.args.args]
        names = [one.arg for one in parameters[1 if function.is_method else 0 :]]
        for name in [*(one.arg for one in parameters), *(one.arg for one in node.args.kwonlyargs)]:
            values.bind(name, None)
            self._defined.add(name)
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                values.bind(extra.arg, None)
        for at, name in enumerate(names):
            given = [
                call[1].get(name, call[0][at] if at < len(call[0]) else None)
                for call in function.calls
            ]
            if given:
                values.bind(name, merge(given))
        self._walk(node.body)
        values.scopes = outer

    def _walk(self, body: Sequence[ast.AST]) -> None:
        waiting: list[ast.AST | None] = list(reversed(body))
        while waiting:
            node = waiting.pop()
            if node is None:  # the end of a branch
                self._depth -= 1
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                waiting += self._defer(node)
            elif isinstance(node, ast.ClassDef):
                waiting += self._enter_class(node)
            else:
                self._visit(node, waiting)

    def _visit(self, node: ast.AST, waiting: list[ast.AST | None]) -> None:
        kind = node.__class__
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
            for one in node.generators:
                self._on_for(one)
        if (handler := self._handlers.get(kind)) is not None:
            handler(node)
        if kind in _BRANCHES:
            self._depth += 1
            waiting.append(None)
        _push(waiting, node)

    def _defer(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.AST]:
        """Keep a function for later; return what of it runs at once."""
        self._defined.add(node.name)
        self._values.bind(node.name, Value("name", node.name))
        self._add_function(node.name, node, is_method=False)
        return [
            *node.decorator_list,
            *node.args.defaults,
            *(one for one in node.args.kw_defaults if one),
        ]

    def _add_function(
        self, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool
    ) -> None:
        function = _Function(node, list(self._values.scopes), is_method, [])
        self._functions[name] = function
        self._deferred.append(function)

    def _enter_class(self, node: ast.ClassDef) -> list[ast.AST]:
        """Keep the methods of a class for later; return what of it runs at once."""
        self._defined.add(node.name)
        values = self._values
        values.bind(node.name, Value("name", node.name))
        rest: list[ast.AST] = [*node.bases, *node.decorator_list]
        values.scopes.append({})
        for one in node.body:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                is_static = any(
                    isinstance(d, ast.Name) and d.id == "staticmethod" for d in one.decorator_list
                )
                name = node.name if one.name == "__init__" else one.name
                self._add_function(name, one, is_method=not is_static)
                rest += [*one.decorator_list, *one.args.defaults]
            else:
                rest.append(one)
        values.scopes.pop()
        return list(reversed(rest))

    # Names.

    def _bind(self, target: ast.expr, value: Value | None) -> None:
        values = self._values
        match target:
            case ast.Name(id=name):
                self._defined.add(name)
                scope = values.scopes[-1]
                if self._depth and name in scope:
                    value = merge([scope[name], value])
                scope[name] = value
            case ast.Attribute(value=ast.Name(id=base), attr=attribute):
                values.has_attributes = True
                scopes = values.scopes
                scope = scopes[-2] if base in ("self", "cls") and len(scopes) > 1 else scopes[-1]
                key = f"{base}.{attribute}"
                scope[key] = merge([scope[key], value]) if key in scope else value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                is_known = (
                    value is not None and value.kind == "list" and len(value.items) == len(elements)
                )
                is_shared = value is not None and value.kind == "path"
                for at, element in enumerate(elements):
                    known = (
                        value.items[at]
                        if value is not None and is_known
                        else value
                        if is_shared
                        else None
                    )
                    self._bind(element, known)
            case ast.Starred(value=inner):
                self._bind(inner, None)
            case _:
                pass

    def _on_assign(self, node: ast.Assign) -> None:
        value = self._values.of(node.value)
        for target in node.targets:
            self._bind(target, value)

    def _on_annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self._values.of(node.value))

    def _on_augmented(self, node: ast.AugAssign) -> None:
        old = self._values.of(node.target)
        is_text = old is not None and old.is_text
        self._bind(
            node.target, Value("text", old.text, True) if old is not None and is_text else None
        )

    def _on_named(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, self._values.of(node.value))

    def _on_except(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._values.bind(node.name, None)
            self._defined.add(node.name)

    def _on_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._values.bind(target.id, None)

    def _on_import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._values.bind(name, Value("name", alias.name if alias.asname else name))
            self._defined.add(name)
            self._collector.imports(alias.name)

    def _on_import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._collector.imports("." * node.level + module)
        for alias in node.names:
            if alias.name == "*":
                self._import_all(module)
                continue
            name = alias.asname or alias.name
            full = (
                "pathlib.Path"
                if (module, alias.name) == ("pathlib", "Path")
                else f"{module}.{alias.name}"
            )
            self._values.bind(name, Value("name", full))
            self._defined.add(name)
            if node.level or module.partition(".")[0] not in _NEVER_LOCAL:
                self._collector.imports(f"{'.' * node.level}{module}.{alias.name}")

    def _import_all(self, module: str) -> None:
        self._defined.add("*")
        for full in FUNCTIONS:
            head, _, name = full.rpartition(".")
            if head == module:
                self._values.bind(name, Value("name", full))

    def _on_with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind(item.optional_vars, self._values.of(item.context_expr))

    def _on_for(self, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        found = self._values.of(node.iter)
        if isinstance(node.target, ast.Tuple) and found is not None and found.kind == "path":
            known = {0: found} if _is_walk(node.iter) else {len(node.target.elts) - 1: found}
            for at, element in enumerate(node.target.elts):
                self._bind(element, known.get(at))
            return
        self._bind(node.target, element_of(found))

    def _on_subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Attribute | ast.Name):
            name = node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id
            if name.startswith("environ") and self._values.full_name(node.value) == "os.environ":
                key = self._values.of(node.slice)
                self._collector.variable(node.lineno, key.text if key is not None else "")

    # Calls.

    def _on_call(self, node: ast.Call) -> None:
        function = node.func
        values = self._values
        base = None
        if isinstance(function, ast.Attribute):
            base = values.of(function.value)
            name = (
                f"{base.text}.{function.attr}" if base is not None and base.kind == "name" else ""
            )
            if not name and base is not None and base.kind == "thing":
                name = f"{base.text}.{function.attr}"
        elif isinstance(function, ast.Name):
            found = values.of_name(function.id)
            name = found.text if found is not None and found.kind == "name" else ""
        else:
            found = values.of(function)
            name = found.text if found is not None and found.kind == "name" else ""
            if found is None and isinstance(function, ast.Subscript):
                self._on_computed(function)
        name = name.removeprefix("builtins.").removeprefix("__builtins__.")
        arguments = CallArguments(node, values)
        self._on_values(arguments, name)
        self._note_call(function, arguments, name)
        if (call := FUNCTIONS.get(name)) is not None:
            self._actions.act(arguments, call, name)
        elif name.startswith(HIDING_PREFIXES):
            self._collector.unknown(arguments.line, name)
        elif isinstance(function, ast.Attribute):
            self._on_method(arguments, base, function.attr)
        elif name == "getattr":
            self._on_getattr(arguments)

    def _on_computed(self, function: ast.Subscript) -> None:
        if self._values.full_name(function.value) == "globals()" or _is_globals(function.value):
            self._collector.unknown(function.lineno, "globals")

    def _note_call(self, function: ast.expr, arguments: CallArguments, name: str) -> None:
        """Record with what values a function of the code itself is called."""
        short = function.attr if isinstance(function, ast.Attribute) else name
        if (known := self._functions.get(short)) is not None:
            if len(known.calls) < _CALLS_LIMIT and not known.is_read:
                known.calls.append(arguments.all())
                if name == short and known.is_method:  # a constructor, before other methods
                    self._ready.appendleft(known)
                else:
                    self._ready.append(known)
        elif isinstance(function, ast.Name) and function.id == name and "." not in name:
            is_known = (
                name in _BUILTINS or name in self._defined or name in _USUAL or name in FUNCTIONS
            )
            if not is_known and "*" not in self._defined:
                self._asked.setdefault(name, arguments.line)

    def _on_values(self, arguments: CallArguments, name: str) -> None:
        """Look at functions that are handed on, and at the whole environment."""
        node = arguments.node
        given = [*node.args, *(one.value for one in node.keywords)]
        for at, argument in enumerate(given):
            if argument.__class__ is not ast.Attribute and argument.__class__ is not ast.Name:
                continue
            full = self._values.full_name(argument)
            if full == "os.environ" and name in _PRINTERS:
                self._collector.add("reads_secrets", arguments.line, _ENVIRONMENT, "likely")
            call = FUNCTIONS.get(full) if full else None
            if call is not None and call.action not in (
                "memory",
                "temporary",
                "read",
                "variable",
                "sql",
            ):
                is_later = name.rpartition(".")[2] in _LATER or _attribute(node) in _LATER
                rest = ast.Call(node.func, node.args[at + 1 :] if is_later else [], node.keywords)
                self._actions.act(CallArguments(rest, self._values, arguments.line), call, full)

    def _on_getattr(self, arguments: CallArguments) -> None:
        base = arguments.value(0)
        name = arguments.value(1)
        is_computed = name is None or name.kind != "text" or name.is_partial
        if base is not None and base.kind == "name" and is_computed:
            is_module = base.text.partition(".")[0] in _MODULES or base.text in self._imported()
            if is_module:
                self._collector.unknown(arguments.line, "getattr")

    def _imported(self) -> frozenset[str]:
        return frozenset(self._collector.modules)

    def _on_method(self, arguments: CallArguments, base: Value | None, name: str) -> None:
        """Add what a method of something does that has no full name."""
        for one in alternatives(base):
            if one is not None and one.kind == "path" and name in PATH_METHODS:
                self._on_path(arguments, one, PATH_METHODS[name].action)
                return
        is_made = base is not None and base.kind == "thing"
        if (call := METHODS.get(name)) is not None:
            self._on_known_method(arguments, call, name)
        elif name in ANYWHERE and (not is_made or (base is not None and "Path" in base.text)):
            self._on_path(arguments, None, PATH_METHODS[name].action)
        elif name == "save" and arguments.count:
            self._actions.write_given(arguments, KnownCall("write", 0, "fp"))
        elif name in ("items", "values") and base == Value("name", "os.environ"):
            self._collector.add("reads_secrets", arguments.line, _ENVIRONMENT, "likely")
        elif name in SENDING:
            self._on_sending(arguments, base, name)
        else:
            self._on_reaching(arguments, base, name)

    def _on_reaching(self, arguments: CallArguments, base: Value | None, name: str) -> None:
        """Add a request of a connection, or of something unknown that is given an address."""
        value = arguments.value(1 if name == "request" else 0, "url")
        is_connection = base is not None and base.kind == "thing" and base.text in CONNECTIONS
        if is_connection and name in REACHING:
            self._collector.network(arguments.line, address_of(value))
        elif (name in REACHING or name in READERS) and value is not None and is_url(value.text):
            self._collector.network(arguments.line, value)

    def _on_path(self, arguments: CallArguments, path: Value | None, action: str) -> None:
        collector, line = self._collector, arguments.line
        match action:
            case "delete":
                collector.delete(line, path)
            case "write":
                collector.write(line, path)
            case "move" if arguments.count == 1:
                collector.write(line, path)
                collector.write(line, arguments.value(0, "target"))
            case "open":
                mode = arguments.value(0, "mode")
                self._actions.open_path(line, path, mode, is_given=arguments.has(0, "mode"))
            case "read":
                collector.read(line, path)
            case _:
                pass

    def _on_known_method(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        if call.action == "sql":
            self._actions.act(arguments, call, name)
        elif name in ("extractall", "extract_all"):
            value = arguments.value(0, "path") if arguments.has(0, "path") else Value("path", ".")
            self._collector.write(arguments.line, value)
        else:
            self._actions.write_given(arguments, call)

    def _on_sending(self, arguments: CallArguments, base: Value | None, name: str) -> None:
        value = arguments.value(1 if name == "sendto" else 0, "hostname")
        is_socket = base is not None and base.kind == "thing" and base.text in SOCKETS
        is_pair = value is not None and value.kind == "list" and len(value.items) == 2
        if is_socket or (is_pair and name != "bind") or (value is not None and is_url(value.text)):
            self._collector.network(arguments.line, address_of(value))


_SKIPPED = frozenset(
    {one for leaf in _LEAVES for one in (leaf, *leaf.__subclasses__())} | {str, int, type(None)}
)
_NEVER_LOCAL = frozenset(
    {"os", "sys", "re", "json", "math", "pathlib", "typing", "collections", "datetime"}
)
_MODULES = frozenset(
    {name.partition(".")[0] for name in FUNCTIONS if "." in name}
    | {"builtins", "__builtins__", "sys"}
)


def _push(waiting: list[ast.AST | None], node: ast.AST) -> None:
    """Add the children of a node so that the first of them comes next."""
    children: list[ast.AST] = []
    for field in node._fields:
        value: Any = getattr(node, field, None)
        if value.__class__ is list:
            children += [one for one in value if one.__class__ not in _SKIPPED]
        elif value.__class__ not in _SKIPPED and isinstance(value, ast.AST):
            children.append(value)
    children.reverse()
    waiting += children


def _attribute(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _is_walk(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _attribute(node).endswith("walk")


def _is_globals(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("globals", "locals", "vars")
    )
