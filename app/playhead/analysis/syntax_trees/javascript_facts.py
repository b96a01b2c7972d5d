"""Reads JavaScript for Node for its effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.python.known_calls import Action
from playhead.analysis.syntax_trees.call_reader import (
    VALUE_DEPTH,
    CallReader,
    dotted,
    named_calls,
    temporary,
)
from playhead.analysis.syntax_trees.grammars import arguments_of, line_of, text_of
from playhead.analysis.targets import Value, is_url, join

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBERS = {"member_expression": ("object", "property")}
_TEXTS = frozenset({"string_fragment"})
_FUNCTIONS: dict[tuple[Action, int], str] = {
    ("delete", 0): """fs.rm fs.unlink fs.rmdir fs.remove fs.emptyDir rimraf rimraf.sync
        rimraf.rimraf del del.deleteAsync del.deleteSync Deno.remove Deno.removeSync trash
        fs-extra.remove fs-extra.emptyDir shelljs.rm_""",
    ("write", 0): """fs.writeFile fs.appendFile fs.mkdir fs.mkdtemp_ fs.createWriteStream
        fs.truncate fs.chmod fs.chown fs.lchown fs.utimes fs.outputFile fs.outputJson
        fs.ensureDir fs.ensureFile fs.mkdirp fs.mkdirs fs.writeJson fs.writeJSON
        fs-extra.writeJson fs-extra.outputFile fs-extra.ensureDir fs-extra.outputJson
        Deno.writeTextFile Deno.writeFile Deno.mkdir Bun.write mkdirp mkdirp.mkdirp
        jsonfile.writeFile write-file-atomic""",
    ("write", 1): "fs.symlink fs.link xlsx.writeFile XLSX.writeFile",
    ("copy", 0): "fs.copyFile fs.cp fs.copy fs-extra.copy Deno.copyFile",
    ("move", 0): "fs.rename fs.move fs-extra.move Deno.rename",
    ("read", 0): """fs.readFile fs.createReadStream fs.readJson Deno.readTextFile Deno.readFile
        Bun.file""",
    ("open", 0): "fs.open",
    ("reach", 0): """fetch axios axios.get axios.post axios.put axios.delete axios.patch axios.head
        axios.request http.get https.get http.request https.request got got.get got.post
        got.stream got.put node-fetch undici.request undici.fetch undici.stream WebSocket
        ws ws.WebSocket EventSource superagent.get superagent.post superagent.put request
        request.get request.post needle.get ky ky.get ky.post bent phin http2.connect
        navigator.sendBeacon socket.io-client socket.io-client.io io wreck.get
        puppeteer.launch playwright.chromium.launch mongoose.connect mongodb.MongoClient
        MongoClient redis.createClient pg.Client pg.Pool mysql.createConnection
        mysql2.createConnection openai open nodemailer.createTransport needle phin.unpromisified
        dns.lookup dns.resolve dns.resolve4 dns.reverse tls.connect ioredis Redis""",
    ("address", 1): "net.connect_port",
    ("shell", 0): "child_process.exec shelljs.exec execa.command execa.execaCommand execaCommand",
    ("start", 0): """child_process.spawn child_process.execFile child_process.fork
        cross-spawn execa execa.execa cross-spawn.spawn Deno.Command Deno.run Bun.spawn
        worker_threads.Worker_""",
    ("hide", 0): """vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script
        v8.deserialize Function process.binding process.dlopen ffi-napi.Library
        module.createRequire_ WebAssembly.instantiate""",
    ("run_code", 0): "eval",
    ("load", 0): "require import",
}
_TWO_ARGUMENTS = frozenset({"net.connect", "net.createConnection"})
_METHODS_OF_AXIOS = frozenset({"get", "post", "put", "patch", "delete", "request", "goto", "fetch"})


class _JavaScriptReader(CallReader):
    grammar = "javascript"
    functions: ClassVar = named_calls(_FUNCTIONS)

    def __init__(self, collector: FactCollector) -> None:
        super().__init__(collector)
        self.visitors = {
            "call_expression": self._on_call,
            "new_expression": self._on_new,
            "variable_declarator": self._on_variable,
            "import_statement": self._on_import,
            "member_expression": self._on_member,
            "subscript_expression": self._on_subscript,
        }

    def _on_variable(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        if value.type == "await_expression" and value.named_children:
            value = value.named_children[0]
        module = self._required(value)
        if name.type == "identifier":
            if module:
                self.aliases[text_of(name)] = module
            else:
                if (full := self._full_name(value)) and value.type == "member_expression":
                    self.aliases[text_of(name)] = full
                self.assign(text_of(name), self.value(value))
        elif name.type == "object_pattern":
            self._take_apart(name, module or self._full_name(value))

    def _take_apart(self, pattern: Node, module: str) -> None:
        for one in pattern.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                name = text_of(one)
                self.aliases[name] = f"{module}.{name}" if module else name
            elif one.type == "pair_pattern":
                key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
                if key is not None and value is not None and module:
                    self.aliases[text_of(value)] = f"{module}.{text_of(key)}"
            if module == "process.env":
                self.collector.variable(line_of(one), text_of(one).partition(":")[0])

    def _required(self, node: Node) -> str:
        """Return the module that an expression requires, with its member; else ''."""
        member = ""
        if node.type == "member_expression":
            end = node.child_by_field_name("property")
            member = f".{text_of(end)}" if end is not None else ""
            node = node.child_by_field_name("object") or node
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is None or text_of(function) not in ("require", "import"):
            return ""
        arguments = arguments_of(node)
        value = self.value(arguments[0]) if arguments else None
        return _module(value.text) + member if value is not None and value.is_text else ""

    def _on_import(self, node: Node) -> None:
        source = self.value(node.child_by_field_name("source"))
        if source is None:
            return
        self.load(source, line_of(node), "import")
        module = _module(source.text)
        waiting = list(node.named_children)
        while waiting:
            one = waiting.pop()
            if one.type == "import_specifier":
                name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                if name is not None:
                    self.aliases[text_of(alias or name)] = f"{module}.{text_of(name)}"
            elif one.type == "identifier":
                self.aliases[text_of(one)] = module
            elif one.type in ("import_clause", "named_imports", "namespace_import"):
                waiting += one.named_children

    def _full_name(self, node: Node | None) -> str:
        name = dotted(node, _MEMBERS)
        if not name and node is not None and node.type == "member_expression":
            return self._required(node)
        head, dot, rest = name.partition(".")
        full = self.aliases.get(head, head) + dot + rest
        if full.startswith(("globalThis.", "window.", "global.")):
            full = full.partition(".")[2]
        return full.replace(".promises.", ".").replace(".default.", ".").removesuffix(".default")

    def _on_call(self, node: Node) -> None:
        function = node.child_by_field_name("function")
        if function is None:
            return
        end = function.child_by_field_name("property") or function
        self._call(
            node, "import" if function.type == "import" else self._full_name(function), line_of(end)
        )
        if function.type == "subscript_expression":
            self._on_computed(function)
        elif function.type == "member_expression":
            self._on_method(node, text_of(end), line_of(end))

    def _on_computed(self, function: Node) -> None:
        inner = self._full_name(function.child_by_field_name("object"))
        index = self.value(function.child_by_field_name("index"))
        if inner in ("fs", "child_process", "global", "globalThis", "window") and (
            index is None or index.is_partial
        ):
            self.collector.unknown(line_of(function), inner)

    def _on_new(self, node: Node) -> None:
        self._call(node, self._full_name(node.child_by_field_name("constructor")), line_of(node))

    def _call(self, node: Node, name: str, line: int) -> None:
        arguments = arguments_of(node)
        plain = name[:-4] if name.endswith("Sync") else name
        if plain in _TWO_ARGUMENTS:
            self._connect(arguments, line)
        elif (call := self.functions.get(name) or self.functions.get(plain)) is not None:
            if call.action == "reach" and arguments and arguments[0].type == "object":
                arguments = self._addresses(arguments[0]) or arguments
            self.act(call, arguments, line, name)

    def _on_method(self, node: Node, name: str, line: int) -> None:
        """Add a call of an unknown thing that is given an address."""
        arguments = arguments_of(node)
        value = self.value(arguments[0]) if arguments and name in _METHODS_OF_AXIOS else None
        if value is not None and value.is_text and is_url(value.text):
            self.collector.network(line, value)
        if name == "open" and len(arguments) > 1:
            address = self.value(arguments[1])
            if address is not None and address.is_text and is_url(address.text):
                self.collector.network(line, address)
        if name in ("query", "execute", "exec", "run") and arguments:
            self.collector.sql(line, self.value(arguments[0]))

    def _connect(self, arguments: list[Node], line: int) -> None:
        values = [self.value(one) for one in arguments]
        if arguments and arguments[0].type == "object":
            fields = self._fields(arguments[0])
            values = [self.value(fields.get("port")), self.value(fields.get("host"))]
        texts = [one.text for one in values if one is not None and one.is_text]
        host = texts[1] if len(texts) > 1 else "localhost"
        self.collector.network(line, Value("text", f"{host}:{texts[0]}") if texts else None)

    def _fields(self, node: Node) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                found[text_of(key).strip("'\"")] = value
        return found

    def _addresses(self, node: Node) -> list[Node]:
        fields = self._fields(node)
        names = ("url", "uri", "hostname", "host", "baseURL", "connectionString")
        return [fields[name] for name in names if name in fields]

    def _on_member(self, node: Node) -> None:
        inner = node.child_by_field_name("object")
        end = node.child_by_field_name("property")
        if inner is not None and end is not None and text_of(inner) == "process.env":
            self.collector.variable(line_of(node), text_of(end))

    def _on_subscript(self, node: Node) -> None:
        inner, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        if inner is not None and index is not None and text_of(inner) == "process.env":
            key = self.value(index)
            self.collector.variable(line_of(node), key.text if key is not None else "")

    def value(  # noqa: C901 - a table of kinds of nodes
        self, node: Node | None, depth: int = VALUE_DEPTH
    ) -> Value | None:
        """Return what is known of an expression."""
        if node is None or depth <= 0:
            return None
        match node.type:
            case "string":
                return self.joined(node.named_children, depth - 1, _TEXTS)
            case "template_string":
                return self.joined(node.named_children, depth - 1, _TEXTS)
            case "number":
                return Value("text", text_of(node))
            case "identifier":
                name = text_of(node)
                if name in ("__dirname", "__filename"):
                    return Value("path", "." if name == "__dirname" else "script.js")
                return self.variables.get(name)
            case "binary_expression" if any(one.type == "+" for one in node.children):
                left = self.value(node.child_by_field_name("left"), depth - 1)
                return self.added(left, self.value(node.child_by_field_name("right"), depth - 1))
            case "array":
                items = [self.value(one, depth - 1) for one in node.named_children[:64]]
                return Value("list", items=tuple(items))
            case "parenthesized_expression" | "await_expression" if node.named_children:
                return self.value(node.named_children[0], depth - 1)
            case "call_expression" | "new_expression":
                return self._value_of_call(node, depth)
            case "member_expression" if text_of(node) == "process.env.HOME":
                return Value("path", "~")
            case "member_expression" if text_of(node) == "process.execPath":
                return Value("text", "node")
            case _:
                return None

    def _value_of_call(self, node: Node, depth: int) -> Value | None:
        name = self._full_name(
            node.child_by_field_name("function") or node.child_by_field_name("constructor")
        )
        arguments = arguments_of(node)
        match name:
            case "path.join" | "path.resolve" | "join" | "resolve" | "path.posix.join":
                parts = [self.value(one, depth - 1) for one in arguments[:32]]
                if parts and parts[0] is not None and parts[0].text == "." and len(parts) > 1:
                    parts = parts[1:]
                return join(parts)
            case "os.homedir" | "homedir":
                return Value("path", "~")
            case "os.tmpdir" | "tmpdir" | "fs.mkdtempSync" | "fs.mkdtemp":
                return temporary()
            case "process.cwd":
                return Value("path", ".")
            case "URL" | "String" | "encodeURI" | "path.normalize" if arguments:
                return self.value(arguments[0], depth - 1)
            case _:
                return None


def _module(name: str) -> str:
    name = name.removeprefix("node:")
    return (
        "fs"
        if name in ("fs/promises", "fs-extra", "graceful-fs")
        else name.removesuffix("/promises")
    )


def add_javascript_facts(collector: FactCollector, code: str) -> None:
    """Add what JavaScript does."""
    _JavaScriptReader(collector).read(code)
