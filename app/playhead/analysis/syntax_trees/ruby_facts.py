"""Reads Ruby for its effects."""

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
from playhead.analysis.targets import Value, is_url, join, word_set

if TYPE_CHECKING:
    from tree_sitter import Node

_TEXTS = frozenset({"string_content"})
_FUNCTIONS: dict[tuple[Action, int], str] = {
    ("delete", 0): """File.delete File.unlink FileUtils.rm FileUtils.rm_f FileUtils.rm_r
        FileUtils.rm_rf FileUtils.remove FileUtils.remove_dir FileUtils.remove_entry
        FileUtils.remove_entry_secure FileUtils.rmdir FileUtils.rmtree FileUtils.safe_unlink
        FileUtils.remove_file Dir.rmdir Dir.delete Dir.unlink rm rm_rf rm_r rm_f""",
    ("write", 0): """File.write IO.write File.binwrite IO.binwrite Dir.mkdir FileUtils.mkdir
        FileUtils.mkdir_p FileUtils.makedirs FileUtils.touch File.truncate File.mkfifo
        FileUtils.mkpath SQLite3::Database.new PStore.new YAML::Store.new Logger.new
        CSV.generate_file mkdir_p touch Zip::File.create Prawn::Document.generate""",
    ("write", 1): """FileUtils.chmod FileUtils.chmod_R FileUtils.chown FileUtils.ln
        FileUtils.ln_s FileUtils.ln_sf FileUtils.chown_R File.chmod File.symlink File.link
        File.lchmod FileUtils.install_""",
    ("write", 2): "File.chown",
    (
        "copy",
        0,
    ): "FileUtils.cp FileUtils.cp_r FileUtils.copy FileUtils.copy_file "
    "IO.copy_stream FileUtils.install cp_r",
    ("move", 0): "FileUtils.mv FileUtils.move File.rename",
    (
        "open",
        0,
    ): "File.open File.new CSV.open Kernel.open IO.open open Zip::File.open Zlib::GzipWriter.open_",
    ("read", 0): """File.read File.readlines IO.read File.foreach IO.readlines File.binread
        CSV.read CSV.foreach YAML.load_file JSON.load_file""",
    ("reach", 0): """URI.open OpenURI.open_uri Net::HTTP.get Net::HTTP.get_response
        Net::HTTP.post Net::HTTP.post_form Net::HTTP.get_print HTTParty.get HTTParty.post
        HTTParty.put HTTParty.delete Faraday.get Faraday.post Faraday.new Faraday.delete
        RestClient.get RestClient.post RestClient.put RestClient.delete Typhoeus.get Typhoeus.post
        Excon.get Excon.new HTTP.get HTTP.post HTTP.put HTTPClient.get Curl.get Curl.post
        Mechanize.get Redis.new Mongo::Client.new PG.connect Mysql2::Client.new Sequel.connect
        Nokogiri.HTML_open Down.download WebSocket::Client::Simple.connect Octokit::Client.new
        DRbObject.new_with_uri RestClient::Request.execute""",
    ("address", 0): """TCPSocket.new TCPSocket.open Net::HTTP.start Net::HTTP.new UDPSocket.new
        Socket.tcp Net::FTP.open Net::FTP.new Net::SMTP.start Net::SMTP.new Net::SSH.start
        Net::IMAP.new Net::SCP.download! Net::SCP.upload! Net::SFTP.start Addrinfo.tcp
        Net::POP3.new TCPServer.new TCPServer.open Resolv.getaddress Net::Telnet.new""",
    ("hide", 0): """Marshal.load Marshal.restore YAML.unsafe_load Fiddle.dlopen
        Fiddle::Function.new DL.dlopen ObjectSpace.each_object RubyVM::InstructionSequence.compile
        Object.const_get Kernel.const_get""",
    ("run_code", 0): "eval Kernel.eval instance_eval class_eval module_eval binding.eval",
    ("load", 0): "require_relative load require Kernel.require Kernel.load autoload",
    ("install", 0): "Gem.install gem",
}
_STARTS = word_set(
    """system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn IO.popen
    Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen3 Open3.popen2 Open3.popen2e
    PTY.spawn Open3.pipeline Process.exec sh"""
)
_SENT_TO = frozenset({"Kernel", "File", "FileUtils", "Object", "IO", "self"})
_SIGNALS = frozenset({"Process.kill", "fork", "Process.fork", "Process.daemon", "Kernel.fork"})


class _RubyReader(CallReader):
    grammar = "ruby"
    functions: ClassVar = named_calls(_FUNCTIONS)

    def __init__(self, collector: FactCollector) -> None:
        super().__init__(collector)
        self.visitors = {
            "call": self._on_call,
            "assignment": self._on_assignment,
            "subshell": self._on_subshell,
            "element_reference": self._on_element,
            "identifier": self._on_identifier,
        }

    def _on_assignment(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and left.type in ("identifier", "constant", "instance_variable"):
            self.assign(text_of(left), self.value(right))

    def _on_subshell(self, node: Node) -> None:
        self.shell(self.joined(node.named_children, VALUE_DEPTH, _TEXTS), line_of(node))

    def _on_element(self, node: Node) -> None:
        inner = node.child_by_field_name("object")
        if inner is not None and text_of(inner) == "ENV":
            key = self.value(node.named_children[-1])
            self.collector.variable(line_of(node), key.text if key is not None else "")

    def _on_identifier(self, node: Node) -> None:
        if text_of(node) == "fork" and node.parent is not None and node.parent.type != "call":
            self.collector.add("starts_programs", line_of(node), "fork")

    def _name(self, node: Node) -> tuple[str, str]:
        """Return the full name of a call, and the name of its method."""
        method = node.child_by_field_name("method")
        receiver = node.child_by_field_name("receiver")
        last = text_of(method) if method is not None else ""
        if receiver is None:
            return last, last
        is_name = receiver.type in ("constant", "scope_resolution", "identifier", "self")
        return f"{text_of(receiver)}.{last}" if is_name else "", last

    def _on_call(self, node: Node) -> None:
        name, last = self._name(node)
        name = name.removeprefix("::")
        arguments = arguments_of(node)
        method = node.child_by_field_name("method")
        line = line_of(method) if method is not None else line_of(node)
        if name in _STARTS:
            self._start(arguments, line)
        elif name in _SIGNALS:
            self.collector.add("starts_programs", line, last)
        elif name == "ENV.fetch" and arguments:
            key = self.value(arguments[0])
            self.collector.variable(line, key.text if key is not None else "")
        elif name in ("eval", "Kernel.eval") or (
            last in ("instance_eval", "class_eval") and arguments
        ):
            self.collector.code_in_text(
                line, "ruby", self.value(arguments[0]) if arguments else None
            )
        elif (call := self.functions.get(name)) is not None:
            self._act(call, arguments, line, name)
        else:
            self._on_method(node, last, arguments, line)

    def _act(self, call: KnownCall, arguments: list[Node], line: int, name: str) -> None:
        if name == "open" and arguments:
            value = self.value(arguments[0])
            if value is not None and value.text.startswith("|"):
                self.shell(Value("text", value.text[1:], value.is_partial), line)
                return
        if name in ("require", "gem", "load") and arguments:
            value = self.value(arguments[0])
            if value is not None and value.is_text and not value.text.startswith("."):
                return
        if name == "require_relative" and arguments:
            value = self.value(arguments[0])
            if value is not None and value.is_text and not value.is_partial:
                self.collector.starts_script(f"./{value.text}")
                return
        if call.action == "delete" and name.startswith("File."):
            for argument in arguments or [None]:
                self.collector.delete(line, self.value(argument))
            return
        if name == "Logger.new" and arguments and text_of(arguments[0]).startswith(("$std", "STD")):
            return
        self.act(call, arguments, line, name)

    def _start(self, arguments: list[Node], line: int) -> None:
        arguments = [one for one in arguments if one.type not in ("pair", "hash", "block_argument")]
        values = [self.value(one) for one in arguments]
        if len(arguments) == 1 and (values[0] is None or values[0].is_text):
            self.shell(values[0], line)
        else:
            self.start(arguments, line)

    def _on_method(self, node: Node, last: str, arguments: list[Node], line: int) -> None:
        receiver = node.child_by_field_name("receiver")
        path = self.value(receiver) if receiver is not None else None
        is_path = path is not None and path.kind == "path"
        if last in ("delete", "unlink", "rmtree", "rmdir") and is_path:
            self.collector.delete(line, path)
        elif last in ("rmtree", "unlink") and receiver is not None and path is None:
            self.collector.delete(line, None)
        elif last in ("write", "mkpath", "mkdir", "binwrite") and is_path:
            self.collector.write(line, path)
        elif last in ("get", "post", "put", "open") and arguments:
            value = self.value(arguments[0])
            if value is not None and value.is_text and is_url(value.text):
                self.collector.network(line, value)
        elif last in ("execute", "exec", "query") and arguments and receiver is not None:
            self.collector.sql(line, self.value(arguments[0]))
        elif last in ("send", "public_send", "__send__") and arguments:
            self._send(arguments[0], text_of(receiver or node), line, last)

    def _send(self, name: Node, receiver: str, line: int, last: str) -> None:
        if self.value(name) is None and receiver in _SENT_TO:
            self.collector.unknown(line, last)

    def value(  # noqa: C901 - a table of kinds of nodes
        self, node: Node | None, depth: int = VALUE_DEPTH
    ) -> Value | None:
        """Return what is known of an expression."""
        if node is None or depth <= 0:
            return None
        match node.type:
            case "string" | "bare_string" | "heredoc_body":
                return self.joined(node.named_children, depth - 1, _TEXTS)
            case "simple_symbol":
                return Value("text", text_of(node).lstrip(":"))
            case "integer":
                return Value("text", text_of(node))
            case "identifier" | "constant" | "instance_variable":
                return self.variables.get(text_of(node))
            case "binary" if any(one.type == "+" for one in node.children):
                left = self.value(node.child_by_field_name("left"), depth - 1)
                return self.added(left, self.value(node.child_by_field_name("right"), depth - 1))
            case "array" | "string_array":
                items = [self.value(one, depth - 1) for one in node.named_children[:64]]
                return Value("list", items=tuple(items))
            case "parenthesized_statements" if node.named_children:
                return self.value(node.named_children[0], depth - 1)
            case "call":
                return self._value_of_call(node, depth)
            case "element_reference" if text_of(node) in ('ENV["HOME"]', "ENV['HOME']"):
                return Value("path", "~")
            case _:
                return None

    def _value_of_call(self, node: Node, depth: int) -> Value | None:
        name, last = self._name(node)
        arguments = [self.value(one, depth - 1) for one in arguments_of(node)[:32]]
        receiver = node.child_by_field_name("receiver")
        match name:
            case "File.join" | "Pathname.new" | "Pathname":
                return join(list(arguments))
            case "File.expand_path" | "URI" | "URI.parse" | "Shellwords.escape" | "Kernel.URI":
                return arguments[0] if arguments else None
            case "Dir.home":
                return Value("path", "~")
            case "Dir.pwd" | "Dir.getwd":
                return Value("path", ".")
            case "Dir.tmpdir" | "Dir.mktmpdir" | "Tempfile.new" | "Tempfile.create":
                return temporary()
            case "Dir.glob" | "Dir.children" | "Dir.entries" | "Dir.each_child":
                first = arguments[0] if arguments else None
                if first is None or not first.is_text:
                    return None
                return Value("path", first.text.partition("*")[0] or "./", is_partial=True)
            case _ if last in ("to_s", "strip", "chomp", "to_path", "freeze", "expand_path", "+"):
                return self.value(receiver, depth - 1)
            case _ if last in ("join",) and receiver is not None:
                base = self.value(receiver, depth - 1)
                return (
                    join([base, *arguments]) if base is not None and base.kind == "path" else None
                )
            case _:
                return None


def add_ruby_facts(collector: FactCollector, code: str) -> None:
    """Add what Ruby does."""
    _RubyReader(collector).read(code)
