"""Evaluates Python before it runs: constants, aliases, paths, full names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from playhead.analysis.targets import TEMPORARY, TEXT_LIMIT, Value, join

_DEPTH = 12
"""How deep an expression is read for its value; deeper ones are not known."""
_ALTERNATIVES = 16
EITHER = "\0either"
"""The text of a list that holds the values that a name may have."""
_PARTIAL = Value("text", "", is_partial=True)
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "pathlib.WindowsPath",
                    "pathlib.PurePosixPath", "pathlib.PureWindowsPath", "Path"})  # fmt: skip
_JOINS = frozenset({"os.path.join", "posixpath.join", "ntpath.join"})
_SAME = frozenset({
    "os.path.abspath", "os.path.realpath", "os.path.normpath", "os.path.expanduser", "str",
    "os.path.expandvars", "os.fspath", "os.fsencode", "os.fsdecode", "bytes",
    "urllib.request.Request",
})  # fmt: skip
_SAME_METHODS = frozenset(
    [
        "resolve",
        "expanduser",
        "absolute",
        "as_posix",
        "strip",
        "rstrip",
        "encode",
        "decode",
        "with_name_",
        "__str__",
    ]
)
_LISTINGS = frozenset(
    {"os.listdir", "os.walk", "os.scandir", "glob.glob", "glob.iglob", "os.fwalk"}
)
_LISTING_METHODS = frozenset({"glob", "rglob", "iterdir", "walk"})
_PASSING = frozenset(
    {"list", "sorted", "set", "tuple", "reversed", "iter", "next", "enumerate", "tqdm.tqdm"}
)
_TEMPORARY_CALLS = frozenset(
    {"tempfile.mkdtemp", "tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile",
     "tempfile.mkstemp", "tempfile.gettempdir", "tempfile.mktemp", "tempfile.TemporaryFile"}
)  # fmt: skip
_HOMES = frozenset({"HOME", "USERPROFILE"})


class PythonValues:
    """Evaluates expressions in scopes of names; the innermost scope is the last.

    What only running the code could tell is None.
    """

    def __init__(self) -> None:
        self.scopes: list[dict[str, Value | None]] = [{}]
        self.has_attributes = False
        """Whether a scope has values of attributes, by names like `self.path`."""
        self._readers: Mapping[type[ast.expr], Callable[..., Value | None]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.BinOp: self._operation,
            ast.JoinedStr: self._joined,
            ast.Call: self._call,
            ast.List: self._list,
            ast.Tuple: self._list,
            ast.Set: self._list,
            ast.Subscript: self._subscript,
            ast.Starred: self._starred,
            ast.IfExp: self._either,
            ast.NamedExpr: self._named,
            ast.Await: self._named,
        }

    def bind(self, name: str, value: Value | None) -> None:
        """Give a name in the innermost scope a value."""
        self.scopes[-1][name] = value

    def of_name(self, name: str) -> Value | None:
        """Return the value of a name; a builtin is its own full name."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return Value("name", name)

    def of(self, node: ast.expr | None, depth: int = _DEPTH) -> Value | None:
        """Return what is known of an expression."""
        if node is None or depth <= 0:
            return None
        reader = self._readers.get(type(node))
        return reader(node, depth - 1) if reader is not None else None

    def full_name(self, node: ast.expr, depth: int = _DEPTH) -> str:
        """Return the full name of what an expression names, with its aliases followed; else ''."""
        value = self.of(node, depth)
        return value.text if value is not None and value.kind == "name" else ""

    def _constant(self, node: ast.Constant, depth: int) -> Value | None:
        match node.value:
            case str(text):
                return Value("text", text[:TEXT_LIMIT], len(text) > TEXT_LIMIT)
            case bytes(data):
                text = data[:TEXT_LIMIT].decode("utf-8", "replace")
                return Value("text", text, len(data) > TEXT_LIMIT)
            case bool() | None:
                return None
            case int(number):
                return Value("text", str(number)) if -(10**9) < number < 10**9 else None
            case _:
                return None

    def _name(self, node: ast.Name, depth: int) -> Value | None:
        if node.id == "__file__":
            return Value("path", "script.py")
        return self.of_name(node.id)

    def _attribute(self, node: ast.Attribute, depth: int) -> Value | None:
        name = node.attr
        if self.has_attributes and isinstance(node.value, ast.Name):
            for scope in reversed(self.scopes):
                if (key := f"{node.value.id}.{name}") in scope:
                    return scope[key]
        base = self.of(node.value, depth)
        if base is None:
            return None
        if base.kind == "name":
            return Value("name", f"{base.text}.{name}"[:TEXT_LIMIT])
        if base.kind == "path":
            if name == "parent":
                head = base.text.rpartition("/")[0]
                return Value("path", head or ("." if "/" not in base.text else "/"))
            return Value("text", base.text, True) if name in ("name", "stem") else base
        return base if base.text.startswith(TEMPORARY) else None

    def _operation(self, node: ast.BinOp, depth: int) -> Value | None:
        left = self.of(node.left, depth)
        if isinstance(node.op, ast.Div):
            if left is None or not left.is_text:
                return Value("path", "", is_partial=True)
            return left if left.is_partial else join([left, self.of(node.right, depth)])
        if left is None or left.kind == "thing":
            return None
        if isinstance(node.op, ast.Mod) and left.kind == "text":
            head = left.text.partition("%")[0]
            return left if head == left.text else Value("text", head, is_partial=True)
        if not isinstance(node.op, ast.Add):
            return None
        right = self.of(node.right, depth)
        if left.kind == "list":
            more = right.items if right is not None and right.kind == "list" else (None,)
            return Value("list", items=(left.items + more)[: 4 * _ALTERNATIVES])
        if not left.is_text or left.is_partial:
            return left if left.is_text else None
        return _appended(left.text, right)

    def _joined(self, node: ast.JoinedStr, depth: int) -> Value:
        text = ""
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            value = self.of(inner, depth)
            if value is None or not value.is_text:
                return Value("text", text, is_partial=True)
            text += value.text
            if value.is_partial or len(text) > TEXT_LIMIT:
                return Value("text", text[:TEXT_LIMIT], is_partial=True)
        return Value("text", text)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, depth: int) -> Value:
        items: list[Value | None] = []
        for element in node.elts[: 4 * _ALTERNATIVES]:
            value = self.of(element, depth)
            if isinstance(element, ast.Starred) and value is not None and value.kind == "list":
                items += value.items
            else:
                items.append(value)
        return Value("list", items=tuple(items))

    def _starred(self, node: ast.Starred, depth: int) -> Value | None:
        return self.of(node.value, depth)

    def _either(self, node: ast.IfExp, depth: int) -> Value | None:
        first, second = self.of(node.body, depth), self.of(node.orelse, depth)
        return first if first == second else None

    def _named(self, node: ast.NamedExpr | ast.Await, depth: int) -> Value | None:
        return self.of(node.value, depth)

    def _subscript(self, node: ast.Subscript, depth: int) -> Value | None:
        base, index = self.of(node.value, depth), self.of(node.slice, depth)
        if base is None:
            return None
        if base.kind == "name" and index is not None and index.kind == "text":
            if base.text == "os.environ":
                return Value("path", "~") if index.text in _HOMES else None
            if base.text in ("globals()", "sys.modules", "vars(builtins)", "__builtins__"):
                return Value("name", index.text)
        if base.kind == "list" and index is not None and index.text.isdigit():
            at = int(index.text)
            return base.items[at] if at < len(base.items) else None
        if base.kind == "text" and base.text.startswith(TEMPORARY):
            return base
        return None

    def _call(self, node: ast.Call, depth: int) -> Value | None:
        function = node.func
        if not isinstance(function, ast.Attribute):
            name = self.full_name(function, depth)
            return self._function(name, node, depth) if name else None
        base = self.of(function.value, depth)
        if base is None:
            return None
        if base.kind != "name":
            return self._method(base, function.attr, node, depth)
        return self._function(f"{base.text}.{function.attr}"[:TEXT_LIMIT], node, depth)

    def _function(self, name: str, node: ast.Call, depth: int) -> Value | None:
        first = node.args[0] if node.args else None
        if name in _PATHS:
            if not node.args:
                return Value("path", ".")
            return join([self.of(one, depth) for one in node.args])
        if name in _JOINS:
            return join([self.of(one, depth) for one in node.args])
        if name in _SAME or name in _PASSING:
            return self.of(first, depth)
        if name in ("os.path.dirname", "posixpath.dirname"):
            value = self.of(first, depth)
            if value is not None and value.is_text and not value.is_partial:
                return Value("path", value.text.rpartition("/")[0] or ".")
            return value
        if name in _LISTINGS:
            return self._listing(self.of(first, depth) or Value("path", "."))
        return self._made(name, node, depth)

    def _made(self, name: str, node: ast.Call, depth: int) -> Value | None:
        first = node.args[0] if node.args else None
        if name in ("os.getcwd", "pathlib.Path.cwd", "Path.cwd"):
            return Value("path", ".")
        if name in ("pathlib.Path.home", "Path.home"):
            return Value("path", "~")
        if name in _TEMPORARY_CALLS:
            return Value("path", TEMPORARY)
        if name in ("os.environ.get", "os.getenv"):
            value = self.of(first, depth)
            return Value("path", "~") if value is not None and value.text in _HOMES else None
        if name in ("__import__", "importlib.import_module"):
            value = self.of(first, depth)
            is_known = value is not None and value.kind == "text" and not value.is_partial
            return Value("name", value.text) if value is not None and is_known else None
        if name == "getattr" and len(node.args) > 1:
            return self._got(node, depth)
        if name in ("globals", "locals", "vars"):
            return Value("name", "globals()")
        if name in ("open", "io.open", "gzip.open"):
            return Value("thing", name)
        return Value("thing", name)

    def _got(self, node: ast.Call, depth: int) -> Value | None:
        base, name = self.of(node.args[0], depth), self.of(node.args[1], depth)
        if base is None or base.kind != "name" or name is None or name.kind != "text":
            return None
        return None if name.is_partial else Value("name", f"{base.text}.{name.text}")

    def _method(self, base: Value, name: str, node: ast.Call, depth: int) -> Value | None:
        if base.kind == "thing":
            return Value("thing", f"{base.text}.{name}"[:TEXT_LIMIT])
        if name in _SAME_METHODS:
            return base
        if base.kind == "path":
            return self._of_path(base, name, node, depth)
        if base.kind == "text" and name == "format":
            head = base.text.partition("{")[0]
            return base if head == base.text else Value("text", head, is_partial=True)
        if base.kind == "text" and name == "join" and node.args:
            return self._spread(base, self.of(node.args[0], depth))
        if base.kind == "text" and name == "split" and not node.args:
            if not base.is_partial:
                return Value("list", items=tuple(Value("text", one) for one in base.text.split()))
            return Value("list", items=(*(Value("text", one) for one in base.text.split()), None))
        return base if base.text.startswith(TEMPORARY) else None

    def _spread(self, base: Value, items: Value | None) -> Value | None:
        """Return the text that `base.join(items)` makes."""
        if items is None or items.kind != "list":
            return _PARTIAL
        text = ""
        for number, item in enumerate(items.items):
            if item is None or not item.is_text or item.is_partial or len(text) > TEXT_LIMIT:
                return Value("text", text, is_partial=True)
            text += (base.text if number else "") + item.text
        return Value("text", text)

    def _of_path(self, base: Value, name: str, node: ast.Call, depth: int) -> Value | None:
        arguments = [self.of(one, depth) for one in node.args]
        if name in _LISTING_METHODS:
            return self._listing(base)
        if name == "joinpath":
            return join([base, *arguments])
        if name in ("with_suffix", "with_stem"):
            return Value("path", base.text.rpartition(".")[0] or base.text, is_partial=True)
        if name in ("with_name", "relative_to"):
            head = base.text.rpartition("/")[0]
            return join([Value("path", head or "."), *arguments[:1]])
        if name in ("open", "read_text", "read_bytes", "exists", "stat", "is_file", "is_dir"):
            return Value("thing", "pathlib.Path.open")
        return base if base.text.startswith(TEMPORARY) else None

    def _listing(self, base: Value) -> Value:
        """Return what entries of a folder, or matches of a pattern, have in common."""
        if not base.is_text:
            return Value("path", "", is_partial=True)
        head = base.text.partition("*")[0].partition("?")[0]
        if head == base.text and not base.is_partial:
            head = head.rstrip("/") + "/" if head not in ("", ".") else "./"
        return Value("path", head or "./", is_partial=True)


def _appended(text: str, right: Value | None) -> Value:
    if right is None or not right.is_text or len(text) > TEXT_LIMIT:
        return Value("text", text[:TEXT_LIMIT], is_partial=True)
    whole = text + right.text
    return Value("text", whole[:TEXT_LIMIT], right.is_partial or len(whole) > TEXT_LIMIT)


def merge(values: Sequence[Value | None]) -> Value | None:
    """Return what is known of a name that may have any of these values."""
    different: dict[Value, None] = {}
    for value in values:
        if value is None:
            return None
        for one in value.items if value.text == EITHER else (value,):
            if one is None or not one.is_text:
                return None
            different[one] = None
    if len(different) > _ALTERNATIVES:
        return None
    if len(different) == 1:
        return next(iter(different))
    return Value("list", EITHER, items=tuple(different))


def alternatives(value: Value | None) -> tuple[Value | None, ...]:
    """Return the values that a name may have."""
    return value.items if value is not None and value.text == EITHER else (value,)


def element_of(value: Value | None) -> Value | None:
    """Return what is known of each element of a value that is looped over."""
    if value is None or value.kind != "list":
        return value if value is not None and value.kind == "path" else None
    return merge(value.items) if value.items else None
