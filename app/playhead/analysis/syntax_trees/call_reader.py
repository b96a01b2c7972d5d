"""Reads calls by name and known values, as all languages that tree-sitter parses have them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from playhead.analysis.commands import run_command
from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.python.known_calls import Action, KnownCall
from playhead.analysis.syntax_trees.grammars import GrammarName, line_of, parse, text_of
from playhead.analysis.targets import TEMPORARY, TEXT_LIMIT, Value, is_url

if TYPE_CHECKING:
    from tree_sitter import Node

VALUE_DEPTH = 8
_NAME_DEPTH = 12


def named_calls(functions: Mapping[tuple[Action, int], str]) -> dict[str, KnownCall]:
    """Return known calls by name, from the names that share an action and its argument's place."""
    return {
        name: KnownCall(action, at)
        for (action, at), names in functions.items()
        for name in names.split()
    }


class CallReader(ABC):
    """Walks a tree in the order of the text; a subclass knows a language's nodes and functions.

    `visitors` are called at nodes of a type, `functions` has known calls by full names.
    """

    grammar: GrammarName
    functions: ClassVar[Mapping[str, KnownCall]]

    def __init__(self, collector: FactCollector) -> None:
        self.collector = collector
        self.variables: dict[str, Value | None] = {}
        self.aliases: dict[str, str] = {}
        self.visitors: dict[str, Callable[[Node], None]] = {}

    def read(self, code: str) -> None:
        """Read the whole code."""
        root = parse(self.grammar, code)
        if root.has_error:
            self._add_error(root)
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if (visitor := self.visitors.get(node.type)) is not None:
                visitor(node)
            waiting += reversed(node.named_children)

    def _add_error(self, root: Node) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.is_error or node.is_missing:
                self.collector.unknown(line_of(node), "syntax")
                return
            waiting += reversed([one for one in node.children if one.has_error or one.is_missing])

    @abstractmethod
    def value(self, node: Node | None, depth: int = VALUE_DEPTH) -> Value | None:
        """Return what is known of an expression."""

    def assign(self, name: str, value: Value | None) -> None:
        """Give a variable a value; one that gets several is not known."""
        if name in self.variables and self.variables[name] != value:
            value = None
        self.variables[name] = value

    def act(self, call: KnownCall, arguments: Sequence[Node], line: int, name: str) -> None:
        """Add what a known call does."""
        value = self.value(arguments[call.at]) if 0 <= call.at < len(arguments) else None
        collector = self.collector
        match call.action:
            case "copy" | "move":
                (collector.read if call.action == "copy" else collector.write)(line, value)
                after = arguments[call.at + 1 : call.at + 2]
                collector.write(line, self.value(after[0]) if after else None)
            case "open":
                self.open(arguments, line)
            case "reach" | "address":
                self.reach(value, arguments, line, is_pair=call.action == "address")
            case "shell":
                self.shell(value, line)
            case "start":
                self.start(arguments[call.at :], line)
            case "hide":
                collector.unknown(line, name)
            case "load":
                self.load(value, line, name)
            case _:
                self._act_on(value, call, line)

    def _act_on(self, value: Value | None, call: KnownCall, line: int) -> None:
        """Add what is done to one value."""
        collector = self.collector
        match call.action:
            case "delete":
                for one in _each(value):
                    collector.delete(line, one)
            case "write":
                collector.write(line, value)
            case "read":
                collector.read(line, value)
            case "run_code":
                collector.code_in_text(line, self.grammar, value)
            case "install":
                is_known = value is not None and value.is_text
                collector.add("installs_packages", line, value.text if value and is_known else "")
            case "sql":
                collector.sql(line, value)
            case _:
                pass

    def open(self, arguments: Sequence[Node], line: int) -> None:
        """Add what opening a file means, by its mode."""
        path = self.value(arguments[0]) if arguments else None
        mode = self.value(arguments[1]) if len(arguments) > 1 else Value("text", "r")
        if path is not None and path.is_text and is_url(path.text):
            self.collector.network(line, path)
        elif mode is None or not mode.is_text:
            self.collector.read(line, path)
        elif any(sign in mode.text for sign in "wax+"):
            self.collector.write(line, path)
        else:
            self.collector.read(line, path)

    def reach(
        self, value: Value | None, arguments: Sequence[Node], line: int, *, is_pair: bool
    ) -> None:
        """Add that another machine is reached."""
        if value is not None and value.is_text and not is_url(value.text):
            if not is_pair:
                is_host = "." in value.text and " " not in value.text and "/" not in value.text
                value = value if is_host else None
            elif len(arguments) > 1:
                port = self.value(arguments[1])
                if port is not None and port.text.isdigit():
                    value = Value("text", f"{value.text}:{port.text}", value.is_partial)
        self.collector.network(line, value)

    def shell(self, value: Value | None, line: int) -> None:
        """Add what a line for the shell does."""
        words = value.text.split() if value is not None and value.is_text else []
        self.collector.program(line, Value("text", words[0]) if words else None)
        self.collector.code_in_text(line, "bash", value)
        if value is not None and value.is_text and value.is_partial:
            self.collector.partial_shell(line, value.text)

    def start(self, arguments: Sequence[Node], line: int) -> None:
        """Add what starting a program with a list of arguments does."""
        argv: list[Value | None] = []
        for argument in arguments[:32]:
            value = self.value(argument)
            if value is not None and value.kind == "list":
                argv += value.items
            elif value is None or value.is_text:
                argv.append(value)
        if not argv or argv[0] is None:
            self.collector.program(line, None)
            self.collector.unknown(line, "program")
            return
        self.collector.program(line, argv[0])
        self.collector.command(line, argv, run_command)

    def load(self, value: Value | None, line: int, name: str) -> None:
        """Add that a module is loaded, which may be a local one."""
        if value is None or not value.is_text or value.is_partial:
            self.collector.unknown(line, name)
        elif value.text.startswith("."):
            self.collector.starts_script(value.text)

    def joined(self, parts: Sequence[Node], depth: int, literals: frozenset[str]) -> Value:
        """Return the text that literal parts and values in between make."""
        text = ""
        for part in parts:
            if part.type in literals:
                text += text_of(part)
                continue
            inner = part.named_children[0] if part.named_children else None
            value = (
                self.value(inner, depth) if part.type != "escape_sequence" else Value("text", "?")
            )
            if value is None or not value.is_text:
                return Value("text", text[:TEXT_LIMIT], is_partial=True)
            text += value.text
            if value.is_partial or len(text) > TEXT_LIMIT:
                return Value("text", text[:TEXT_LIMIT], is_partial=True)
        return Value("text", text[:TEXT_LIMIT])

    def added(self, left: Value | None, right: Value | None) -> Value | None:
        """Return the text that adding two makes."""
        if left is None or not left.is_text:
            return None
        if left.is_partial or right is None or not right.is_text or len(left.text) > TEXT_LIMIT:
            return Value("text", left.text[:TEXT_LIMIT], is_partial=True)
        return Value("text", (left.text + right.text)[:TEXT_LIMIT], right.is_partial)


def dotted(
    node: Node | None, parts: Mapping[str, tuple[str, str]], depth: int = _NAME_DEPTH
) -> str:
    """Return the dotted name of nested members; `parts` has the fields of a type of node."""
    names: list[str] = []
    while node is not None and depth > 0:
        depth -= 1
        if node.type in parts:
            inner, last = parts[node.type]
            if (end := node.child_by_field_name(last)) is None:
                return ""
            names.append(text_of(end))
            node = node.child_by_field_name(inner)
        elif not node.named_children:
            names.append(text_of(node))
            return ".".join(reversed(names))
        else:
            return ""
    return ".".join(reversed(names)) if node is None else ""


def temporary() -> Value:
    """Return the path of a folder that is there for a moment."""
    return Value("path", TEMPORARY)


def _each(value: Value | None) -> Sequence[Value | None]:
    return value.items if value is not None and value.kind == "list" and value.items else (value,)
