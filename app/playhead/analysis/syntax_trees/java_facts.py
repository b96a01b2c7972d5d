"""Reads Java for its effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.python.known_calls import Action, KnownCall
from playhead.analysis.syntax_trees.call_reader import (
    VALUE_DEPTH,
    CallReader,
    named_calls,
    temporary,
)
from playhead.analysis.syntax_trees.grammars import arguments_of, line_of, text_of
from playhead.analysis.targets import Value, is_url, join

if TYPE_CHECKING:
    from tree_sitter import Node

_TEXTS = frozenset({"string_fragment", "multiline_string_fragment"})
_FUNCTIONS: dict[tuple[Action, int], str] = {
    ("delete", 0): """Files.delete Files.deleteIfExists FileUtils.deleteDirectory
        FileUtils.forceDelete FileUtils.deleteQuietly FileUtils.cleanDirectory
        PathUtils.deleteDirectory FileSystemUtils.deleteRecursively""",
    ("write", 0): """Files.write Files.writeString Files.newBufferedWriter Files.newOutputStream
        Files.createFile Files.createDirectory Files.createDirectories Files.setPosixFilePermissions
        Files.setLastModifiedTime Files.createSymbolicLink Files.createLink Files.setOwner
        FileUtils.writeStringToFile FileUtils.write FileUtils.touch FileUtils.forceMkdir
        FileUtils.writeLines new.FileWriter new.FileOutputStream new.PrintWriter new.PrintStream
        new.FileHandler Files.setAttribute FileUtils.openOutputStream""",
    (
        "copy",
        0,
    ): "Files.copy FileUtils.copyFile FileUtils.copyDirectory FileUtils.copyFileToDirectory",
    ("move", 0): "Files.move FileUtils.moveFile FileUtils.moveDirectory",
    ("write", 1): "FileUtils.copyURLToFile",
    ("open", 0): "new.RandomAccessFile FileChannel.open_",
    ("read", 0): """Files.readAllBytes Files.readString Files.readAllLines Files.lines
        Files.newBufferedReader new.FileReader new.FileInputStream new.Scanner
        FileUtils.readFileToString Files.newInputStream""",
    ("reach", 0): """URI.create new.URL new.URI Jsoup.connect DriverManager.getConnection
        HttpRequest.newBuilder Unirest.get Unirest.post new.HttpGet new.HttpPost new.HttpPut
        new.HttpDelete Request.Get Request.Post MongoClients.create new.Jedis
        WebClient.create RestClient.create InetAddress.getByName InetAddress.getAllByName""",
    ("address", 0): "new.Socket new.InetSocketAddress new.SSLSocket",
    ("hide", 0): """Class.forName System.load System.loadLibrary Runtime.load new.ObjectInputStream
        new.URLClassLoader MethodHandles.lookup Unsafe.getUnsafe Native.load""",
}
_METHODS_OF_PATHS: dict[str, str] = {
    "delete": "delete", "deleteOnExit": "delete", "createNewFile": "write", "mkdir": "write",
    "mkdirs": "write", "renameTo": "move", "setWritable": "write", "setExecutable": "write",
    "setReadable": "write", "setLastModified": "write", "setReadOnly": "write",
}  # fmt: skip
_ADDRESSES = frozenset({"URI.create", "new.URL", "new.URI", "HttpRequest.newBuilder"})


class _JavaReader(CallReader):
    grammar = "java"
    functions: ClassVar = named_calls(_FUNCTIONS)

    def __init__(self, collector: FactCollector) -> None:
        super().__init__(collector)
        self.visitors = {
            "method_invocation": self._on_call,
            "object_creation_expression": self._on_new,
            "variable_declarator": self._on_variable,
            "assignment_expression": self._on_assignment,
            "method_reference": self._on_reference,
        }

    def _on_variable(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            self.assign(text_of(name), self.value(value))

    def _on_assignment(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            self.assign(text_of(left), self.value(node.child_by_field_name("right")))

    def _on_reference(self, node: Node) -> None:
        """Add what a method does that is handed on, as in `forEach(File::delete)`."""
        text = text_of(node).replace(" ", "")
        name = text.replace("::", ".")
        call = self.functions.get(name)
        if call is not None:
            self.act(call, [], line_of(node), name)
        elif name == "File.delete":
            self.collector.delete(line_of(node), None)

    def _name(self, node: Node) -> tuple[str, str]:
        """Return the short full name of a call, like `Files.delete`, and that of its method."""
        name, inner = node.child_by_field_name("name"), node.child_by_field_name("object")
        last = text_of(name) if name is not None else ""
        if inner is None:
            return last, last
        head = text_of(inner) if inner.type in ("identifier", "field_access") else ""
        return f"{head.rpartition('.')[2]}.{last}", last

    def _on_call(self, node: Node) -> None:
        name, last = self._name(node)
        end = node.child_by_field_name("name")
        line = line_of(end) if end is not None else line_of(node)
        arguments = arguments_of(node)
        if (call := self.functions.get(name)) is not None:
            self._act(call, arguments, line, name)
        elif name == "System.getenv":
            key = self.value(arguments[0]) if arguments else None
            if key is not None:
                self.collector.variable(line, key.text)
            elif not arguments:
                self.collector.add("reads_secrets", line, "environment", "likely")
        elif last == "exec" and "getRuntime" in text_of(node.child_by_field_name("object") or node):
            self._exec(arguments, line)
        elif last in ("executeUpdate", "execute", "executeQuery", "prepareStatement", "addBatch"):
            self.collector.sql(line, self.value(arguments[0]) if arguments else None)
        elif (last in ("invoke", "defineClass") and arguments) or (last == "eval" and arguments):
            self.collector.unknown(line, last)
        else:
            self._on_method(node, last, arguments, line)

    def _on_method(self, node: Node, last: str, arguments: list[Node], line: int) -> None:
        action = _METHODS_OF_PATHS.get(last)
        if action is None or (
            action != "move" and len(arguments) > (0 if action == "delete" else 1)
        ):
            return
        path = self.value(node.child_by_field_name("object"))
        is_path = path is not None and path.kind == "path"
        if action == "delete" and (is_path or path is None):
            self.collector.delete(line, path)
        elif is_path:
            self.collector.write(line, path)
            if action == "move" and arguments:
                self.collector.write(line, self.value(arguments[0]))

    def _on_new(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        name = text_of(kind).partition("<")[0].rpartition(".")[2] if kind is not None else ""
        arguments = arguments_of(node)
        line = line_of(node)
        if name == "ProcessBuilder":
            self._exec_list(arguments, line)
        elif name == "ServerSocket":
            port = self.value(arguments[0]) if arguments else None
            self.collector.network(line, Value("text", f"localhost:{port.text}") if port else None)
        elif (call := self.functions.get(f"new.{name}")) is not None:
            self._act(call, arguments, line, f"new.{name}")

    def _act(self, call: KnownCall, arguments: list[Node], line: int, name: str) -> None:
        value = self.value(arguments[0]) if arguments else None
        if name in _ADDRESSES and (value is None or not is_url(value.text)):
            is_unknown = name in ("new.URL",) or (name == "URI.create" and value is None)
            if is_unknown or (value is not None and value.text.startswith("http")):
                self.collector.network(line, value)
            return
        if name == "DriverManager.getConnection" and value is not None:
            self._connect(value, line)
            return
        if name in ("new.PrintWriter", "new.PrintStream", "new.Scanner", "new.PrintStream"):
            if not arguments or value is None or not value.is_text:
                return
            if name == "new.Scanner" and value.kind != "path":
                return
        if name == "new.ObjectInputStream":
            self.collector.unknown(line, "ObjectInputStream")
            return
        if name == "Class.forName" and value is not None and not value.is_partial:
            return
        self.act(call, arguments, line, name.removeprefix("new."))

    def _connect(self, value: Value, line: int) -> None:
        address = value.text.removeprefix("jdbc:")
        if address.startswith(("sqlite:", "h2:", "derby:", "hsqldb:")):
            path = address.partition(":")[2].removeprefix("file:")
            if path and "mem" not in path:
                self.collector.write(line, Value("path", path, value.is_partial))
        else:
            self.collector.network(line, Value("text", address, value.is_partial))

    def _exec(self, arguments: list[Node], line: int) -> None:
        value = self.value(arguments[0]) if arguments else None
        if value is not None and value.is_text and not value.is_partial:
            words = tuple(Value("text", one) for one in value.text.split())
            self._run(words, line)
        else:
            self.start(arguments[:1], line)

    def _exec_list(self, arguments: list[Node], line: int) -> None:
        self.start(arguments, line)

    def _run(self, words: tuple[Value, ...], line: int) -> None:
        from playhead.analysis.commands import run_command

        self.collector.program(line, words[0] if words else None)
        self.collector.command(line, words, run_command)

    def value(  # noqa: C901 - a table of kinds of nodes
        self, node: Node | None, depth: int = VALUE_DEPTH
    ) -> Value | None:
        """Return what is known of an expression."""
        if node is None or depth <= 0:
            return None
        match node.type:
            case "string_literal":
                return self.joined(node.named_children, depth - 1, _TEXTS)
            case "decimal_integer_literal":
                return Value("text", text_of(node))
            case "identifier":
                return self.variables.get(text_of(node))
            case "binary_expression" if any(one.type == "+" for one in node.children):
                left = self.value(node.child_by_field_name("left"), depth - 1)
                return self.added(left, self.value(node.child_by_field_name("right"), depth - 1))
            case "array_initializer":
                items = [self.value(one, depth - 1) for one in node.named_children[:64]]
                return Value("list", items=tuple(items))
            case "array_creation_expression":
                return self.value(node.child_by_field_name("value"), depth - 1)
            case "parenthesized_expression" | "cast_expression" if node.named_children:
                return self.value(node.named_children[-1], depth - 1)
            case "object_creation_expression":
                return self._value_of_new(node, depth)
            case "method_invocation":
                return self._value_of_call(node, depth)
            case _:
                return None

    def _value_of_new(self, node: Node, depth: int) -> Value | None:
        kind = node.child_by_field_name("type")
        name = text_of(kind).rpartition(".")[2] if kind is not None else ""
        arguments = [self.value(one, depth - 1) for one in arguments_of(node)[:8]]
        if name == "File" and arguments:
            return join(arguments)
        if name in ("URL", "URI") and arguments:
            return arguments[0]
        is_writer = name.endswith(
            ("Writer", "Stream", "StringBuilder", "StringBuffer", "List", "Map")
        )
        return Value("thing", name) if is_writer else None

    def _value_of_call(self, node: Node, depth: int) -> Value | None:
        name, last = self._name(node)
        arguments = [self.value(one, depth - 1) for one in arguments_of(node)[:32]]
        match name:
            case "Path.of" | "Paths.get":
                return join(arguments)
            case "List.of" | "Arrays.asList":
                return Value("list", items=tuple(arguments))
            case "System.getProperty" if arguments and arguments[0] is not None:
                known = {"user.home": "~", "user.dir": "."}.get(arguments[0].text)
                return (
                    temporary()
                    if arguments[0].text == "java.io.tmpdir"
                    else (known and Value("path", known)) or None
                )
            case "Files.createTempFile" | "Files.createTempDirectory" | "File.createTempFile":
                return temporary()
            case "URI.create" if arguments:
                return arguments[0]
            case _ if last in (
                "toFile",
                "toPath",
                "toString",
                "toAbsolutePath",
                "normalize",
                "trim",
            ):
                return self.value(node.child_by_field_name("object"), depth - 1)
            case _ if last == "resolve":
                return join([self.value(node.child_by_field_name("object"), depth - 1), *arguments])
            case _:
                return None


def add_java_facts(collector: FactCollector, code: str) -> None:
    """Add what Java does."""
    _JavaReader(collector).read(code)
