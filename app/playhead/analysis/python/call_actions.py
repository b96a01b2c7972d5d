"""Adds the facts of known calls of Python: to files, the network and programs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence

from playhead.analysis.commands import run_command
from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.python.known_calls import KnownCall
from playhead.analysis.python.known_values import PythonValues, alternatives
from playhead.analysis.targets import Value, is_url

_WRITES = re.compile(r"[wax+]")
_FLAGS = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")
_HOST_WORD = re.compile(r"\bhost=(\S+)")
_HOST_NAMES = ("url", "uri", "host", "hostname", "server", "base_url", "endpoint_url", "address",
               "dsn", "bootstrap_servers", "hosts")  # fmt: skip


class CallArguments:
    """The arguments of a call, evaluated when they are asked for."""

    def __init__(self, node: ast.Call, values: PythonValues, line: int = 0) -> None:
        self.node = node
        self._values = values
        self.line = line or getattr(node.func, "end_lineno", None) or node.lineno
        self.count = len(node.args)

    def _node(self, at: int, keyword: str) -> ast.expr | None:
        if 0 <= at < len(self.node.args):
            return self.node.args[at]
        if keyword:
            for one in self.node.keywords:
                if one.arg == keyword:
                    return one.value
        return None

    def has(self, at: int, keyword: str = "") -> bool:
        """Return whether an argument is given."""
        return self._node(at, keyword) is not None

    def value(self, at: int, keyword: str = "") -> Value | None:
        """Return what is known of an argument."""
        return self._values.of(self._node(at, keyword))

    def first_of(self, at: int, keywords: Sequence[str]) -> Value | None:
        """Return an argument that has one of several names."""
        for keyword in keywords:
            if self.has(99, keyword):
                return self.value(99, keyword)
        return self.value(at)

    def is_true(self, keyword: str) -> bool:
        """Return whether a keyword is given and not False."""
        node = self._node(99, keyword)
        return node is not None and not (isinstance(node, ast.Constant) and not node.value)

    def is_none(self, at: int, keyword: str) -> bool:
        """Return whether an argument is the constant None."""
        node = self._node(at, keyword)
        return isinstance(node, ast.Constant) and node.value is None

    def all(self) -> tuple[list[Value | None], dict[str, Value | None]]:
        """Return the values of all arguments."""
        given = [self._values.of(one) for one in self.node.args[:16]]
        named = {one.arg: self._values.of(one.value) for one in self.node.keywords if one.arg}
        return given, named


class PythonActions:
    """Adds what a known call does, by its action."""

    def __init__(self, collector: FactCollector) -> None:
        self._collector = collector
        self._actions: Mapping[str, Callable[[CallArguments, KnownCall, str], None]] = {
            "delete": self._delete,
            "write": self._write,
            "copy": self._copy,
            "move": self._move,
            "read": self._read,
            "open": self._open,
            "archive": self._open,
            "reach": self._reach,
            "address": self._address,
            "shell": self._shell,
            "start": self._start,
            "install": self._install,
            "hide": self._hide,
            "run_code": self._run_code,
            "sql": self._sql,
            "variable": self._variable,
            "settings": self._settings,
            "secret": self._secret,
            "load": self._load,
            "chdir": self._chdir,
        }

    def act(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        """Add what a call by its full name does."""
        if (action := self._actions.get(call.action)) is not None:
            action(arguments, call, name)

    def write_given(self, arguments: CallArguments, call: KnownCall) -> None:
        """Add a write if there is a file to write to."""
        names = (
            call.keyword,
            "path",
            "path_or_buf",
            "buf",
            "fname",
            "filename",
            "file",
            "excel_writer",
        )
        at = next((n for n in names if arguments.has(99, n)), "")
        if not at and not arguments.has(call.at, call.keyword):
            return
        value = arguments.value(99 if at else call.at, at or call.keyword)
        if value is not None and (value.kind == "name" and value.text.startswith("sys.")):
            return
        if value is None and arguments.is_none(call.at, at or call.keyword):
            return
        if value is not None and value.kind == "list":
            for one in alternatives(value):
                self._collector.write(arguments.line, one)
            return
        self._collector.write(arguments.line, value)

    def _delete(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        for value in alternatives(arguments.value(call.at, call.keyword)):
            self._collector.delete(arguments.line, value)

    def _write(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        if name == "logging.basicConfig" and not arguments.has(99, "filename"):
            return
        value = arguments.value(99 if name == "logging.basicConfig" else call.at, call.keyword)
        if value is not None and ":memory:" in value.text:
            return
        for one in alternatives(value):
            self._collector.write(arguments.line, one)

    def _copy(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        self._collector.read(arguments.line, arguments.value(0, "src"))
        for one in alternatives(arguments.value(1, "dst")):
            self._collector.write(arguments.line, one)

    def _move(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        for value in (arguments.value(0, "src"), arguments.value(1, "dst")):
            for one in alternatives(value):
                self._collector.write(arguments.line, one)

    def _read(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(call.at, call.keyword)
        if name.startswith("dotenv.") and value is None and not arguments.count:
            value = Value("path", ".env")
        for one in alternatives(value):
            self._collector.read(arguments.line, one)

    def _open(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        if name in ("os.fdopen",):
            return
        for path in alternatives(arguments.value(0, call.keyword)):
            self.open_path(
                arguments.line, path, arguments.value(1, "mode"), is_given=arguments.has(1, "mode")
            )

    def open_path(
        self, line: int, path: Value | None, mode: Value | None, *, is_given: bool
    ) -> None:
        """Add what opening a path means, by its mode; without one it is read."""
        if path is not None and path.kind == "thing":
            return
        if is_given and (mode is None or mode.kind != "text"):
            self._collector.add(
                "writes_inside", line, path.text if path and path.is_text else "", "unknown"
            )
        elif mode is not None and _WRITES.search(mode.text):
            self._collector.write(line, path)
        else:
            self._collector.read(line, path)

    def _reach(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.first_of(call.at, _HOST_NAMES)
        if (
            value is not None
            and value.is_text
            and value.text.startswith(("sqlite:///", "duckdb:///"))
        ):
            if path := value.text.partition(":///")[2]:
                self._collector.write(arguments.line, Value("path", path))
            return
        for one in alternatives(value):
            self._collector.network(arguments.line, address_of(one))
        if name in ("webbrowser.open", "webbrowser.open_new", "webbrowser.open_new_tab"):
            self._collector.program(arguments.line, Value("text", "browser"))
        if name.endswith(
            (
                "urlretrieve",
                "wget.download",
                "clone_from",
                "download_url_to_file",
                "hf_hub_download",
            )
        ) and (arguments.has(1, "filename") or name.endswith("clone_from")):
            self._collector.write(arguments.line, arguments.value(1, "filename"))

    def _address(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.first_of(call.at, _HOST_NAMES)
        port = arguments.value(1, "port")
        self._collector.network(arguments.line, address_of(value, port))

    def _shell(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        for value in alternatives(arguments.value(call.at, call.keyword)):
            self._run_shell(arguments.line, value)

    def _run_shell(self, line: int, value: Value | None) -> None:
        word = value.text.split(maxsplit=1)[:1] if value is not None and value.is_text else []
        self._collector.program(line, Value("text", word[0]) if word else None)
        self._collector.code_in_text(line, "bash", value)
        if value is not None and value.is_text and value.is_partial:
            self._collector.partial_shell(line, value.text)

    def _start(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        line = arguments.line
        if call.at == 99:
            self._collector.add("starts_programs", line, name.rpartition(".")[2])
            return
        value = arguments.value(call.at, call.keyword)
        if name.startswith(
            ("os.exec", "os.posix_spawn", "asyncio.create_subprocess_exec", "os.spawn")
        ):
            rest = [arguments.value(at) for at in range(call.at + 1, min(arguments.count, 64))]
            listed = next((one for one in rest if one is not None and one.kind == "list"), None)
            items = (
                listed.items[1:]
                if listed is not None
                else rest[1:]
                if name.startswith(("os.execl", "os.spawnl"))
                else rest
            )
            value = Value("list", items=(value, *items))
        if value is not None and value.kind == "list" and value.text == "":
            argv = [_program(one) for one in value.items]
            self._collector.program(line, argv[0] if argv else None)
            self._collector.command(line, argv, run_command)
        elif arguments.is_true("shell"):
            self._run_shell(line, value)
        else:
            word = (
                value.text.split()
                if value is not None and value.is_text and not value.is_partial
                else []
            )
            self._collector.program(line, Value("text", word[0]) if word else None)
            if word:
                self._collector.command(line, [Value("text", one) for one in word], run_command)
            else:
                self._collector.unknown(line, "program")

    def _install(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0)
        names = [value] if value is None or value.kind != "list" else list(value.items)
        words = [one.text for one in names if one is not None and one.is_text]
        for word in [one for one in words if one not in ("install", "-U", "--upgrade", "-q")] or [
            ""
        ]:
            self._collector.add(
                "installs_packages", arguments.line, word, "certain" if word else "unknown"
            )

    def _hide(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        loader = arguments.value(1, "Loader") if name == "yaml.load" else None
        is_plain = loader is not None and loader.kind == "name" and "Safe" in loader.text
        if not is_plain and not arguments.is_true("weights_only"):
            self._collector.unknown(arguments.line, name)

    def _run_code(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0)
        if name == "timeit.timeit" and (value is None or value.kind != "text"):
            return
        if value is not None and value.kind == "thing" and value.text == "compile":
            return  # the text was read where it was compiled
        is_known = value is not None and value.kind == "text" and not value.is_partial
        if is_known:
            self._collector.code_in_text(arguments.line, "python", value)
        else:
            self._collector.unknown(arguments.line, name)

    def _sql(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        for value in alternatives(arguments.value(0)):
            self._collector.sql(arguments.line, value)

    def _variable(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0, "key")
        self._collector.variable(arguments.line, value.text if value is not None else "")

    def _settings(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0)
        target = value.text if value is not None and value.is_text else name
        self._collector.add("changes_settings", arguments.line, target)

    def _secret(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0)
        target = value.text if value is not None and value.is_text else name
        self._collector.add("reads_secrets", arguments.line, target)

    def _load(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0, "name")
        if value is not None and value.kind == "text" and not value.is_partial:
            self._collector.imports(value.text)
        else:
            self._collector.unknown(arguments.line, name)

    def _chdir(self, arguments: CallArguments, call: KnownCall, name: str) -> None:
        value = arguments.value(0, "path")
        is_known = value is not None and value.is_text and not value.is_partial
        self._collector.change_folder(value if is_known else None)


def _program(value: Value | None) -> Value | None:
    """Return an item of a command line; the Python that runs is one by its name."""
    if value is not None and value.kind == "name" and value.text == "sys.executable":
        return Value("text", "python")
    if value is not None and value.kind == "list" and value.items:
        return None
    return value if value is not None and value.is_text else None


def address_of(value: Value | None, port: Value | None = None) -> Value | None:
    """Return the address that an argument names: a URL, a host, a pair of host and port."""
    if value is None:
        return None
    if value.kind == "list":
        first = value.items[0] if value.items else None
        second = value.items[1] if len(value.items) > 1 else None
        return address_of(first, second)
    if not value.is_text or value.is_partial or is_url(value.text):
        return value if value.is_text else None
    if (found := _HOST_WORD.search(value.text)) is not None:
        return Value("text", found[1])
    is_host = re.fullmatch(r"[\w.-]+(:\d+)?", value.text) is not None
    if not is_host or not ("." in value.text or value.text == "localhost" or port is not None):
        return None
    is_port = port is not None and port.kind == "text" and port.text.isdigit()
    return Value("text", f"{value.text}:{port.text}") if port is not None and is_port else value
