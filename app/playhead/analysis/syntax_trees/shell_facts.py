"""Reads lines for bash: commands with their arguments, redirections, text that is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playhead.analysis.commands import SHELLS, run_command
from playhead.analysis.fact_collector import FactCollector
from playhead.analysis.syntax_trees.grammars import line_of, parse, text_of
from playhead.analysis.targets import TEMPORARY, TEXT_LIMIT, Value

if TYPE_CHECKING:
    from tree_sitter import Node

_PARTIAL = Value("text", "", is_partial=True)
_LITERALS = frozenset({"word", "number", "string_content", "extglob_pattern", "test_operator"})


def add_shell_facts(collector: FactCollector, code: str) -> None:
    """Add what a script for bash does."""
    reader = _ShellReader(collector)
    root = parse("bash", code)
    if root.has_error:
        reader.note_errors(root)
    reader.read(root)


class _ShellReader:
    """Walks a tree in the order of the text, with the variables and the folder known so far."""

    def __init__(self, collector: FactCollector) -> None:
        self._collector = collector
        self._variables: dict[str, Value] = {}
        self._folder: Value | None = Value("path", "")
        self._functions: set[str] = set()
        self._visitors: dict[str, Callable[[Node], None]] = {
            "command": self._on_command,
            "variable_assignment": self._on_assignment,
            "file_redirect": self._on_redirect,
            "function_definition": self._on_function,
            "for_statement": self._on_for,
        }

    def read(self, root: Node) -> None:
        """Read all statements below a node."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if (visitor := self._visitors.get(node.type)) is not None:
                visitor(node)
            waiting += reversed(node.named_children)

    def note_errors(self, root: Node) -> None:
        """Add the first line that cannot be read."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node.is_error or node.is_missing:
                self._collector.unknown(line_of(node), "syntax")
                return
            waiting += reversed([one for one in node.children if one.has_error or one.is_missing])

    def _on_function(self, node: Node) -> None:
        if (name := node.child_by_field_name("name")) is not None:
            self._functions.add(text_of(name))

    def _on_for(self, node: Node) -> None:
        if (name := node.child_by_field_name("variable")) is not None:
            values = [self._value(one) for one in node.children_by_field_name("value")]
            is_one = len(values) == 1 and not values[0].is_partial and "*" not in values[0].text
            head = values[0].text.partition("*")[0] if values else ""
            self._variables[text_of(name)] = (
                values[0] if is_one else Value("text", head if len(values) == 1 else "", True)
            )

    def _on_assignment(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None:
            known = self._value(value) if value is not None else Value("text")
            self._variables[text_of(name)] = known

    def _on_redirect(self, node: Node) -> None:
        operator = next((one.type for one in node.children if not one.is_named), "")
        target = node.child_by_field_name("destination")
        if target is None or (operator in (">&", "<&") and text_of(target).strip("-").isdigit()):
            return
        value = self._placed(self._value(target))
        if operator.startswith("<") and operator != "<>":
            self._collector.read(line_of(node), value)
        else:
            self._collector.write(line_of(node), value)

    def _on_command(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        line = line_of(node)
        argv = [self._value(name), *map(self._value, node.children_by_field_name("argument"))]
        word = argv[0].text
        if word in self._functions:
            return
        if word in ("cd", "pushd") and not argv[0].is_partial:
            self._change_folder(argv[1] if len(argv) > 1 else Value("path", "~"))
            return
        if (word in SHELLS and len(argv) == 1) or (
            word in ("xargs",) and argv[1:2] and argv[1].text in SHELLS
        ):
            self._on_piped_shell(node, line)
        run_command(self._collector, line, [argv[0], *map(self._placed, argv[1:])])
        self._on_heredoc(node, word, line)

    def _on_piped_shell(self, node: Node, line: int) -> None:
        """Add that a shell runs what another command prints."""
        if node.parent is not None and node.parent.type == "pipeline":
            self._collector.unknown(line, "shell")

    def _on_heredoc(self, node: Node, word: str, line: int) -> None:
        """Read the text that is given to an interpreter as its input."""
        parent = node.parent
        language = "bash" if word in SHELLS else "python" if word.startswith("python") else ""
        if parent is None or parent.type != "redirected_statement" or not language:
            return
        for redirect in parent.children_by_field_name("redirect"):
            for body in redirect.named_children:
                if body.type == "heredoc_body":
                    self._collector.code_in_text(line, language, Value("text", text_of(body)))

    def _change_folder(self, target: Value) -> None:
        placed = self._placed(target)
        self._folder = None if placed.is_partial else placed

    def _placed(self, value: Value) -> Value:
        """Return a path as it is seen from the folder in which the script began."""
        text = value.text
        is_relative = not text.startswith(("/", "~", "$", "-", TEMPORARY)) and "://" not in text
        if self._folder is None and is_relative:
            return Value("text", text, is_partial=True) if text else value
        if self._folder is None or not self._folder.text or not is_relative:
            return value
        return Value("text", f"{self._folder.text.rstrip('/')}/{text}", value.is_partial)

    def _value(self, node: Node) -> Value:
        """Return what is known of a word."""
        match node.type:
            case kind if kind in _LITERALS:
                return Value("text", text_of(node).replace("\\ ", " ")[:TEXT_LIMIT])
            case "raw_string" | "ansi_c_string":
                return Value("text", text_of(node).lstrip("$").strip("'")[:TEXT_LIMIT])
            case "simple_expansion" | "expansion":
                return self._expanded(node)
            case "command_substitution":
                is_temporary = text_of(node).lstrip("$(`").startswith("mktemp")
                return Value("path", TEMPORARY) if is_temporary else self._substituted(node)
            case "command_name" | "string" | "concatenation" | "translated_string":
                return self._joined(node)
            case _:
                return _PARTIAL

    def _substituted(self, node: Node) -> Value:
        return Value("path", "") if text_of(node) in ("$(pwd)", "`pwd`") else _PARTIAL

    def _expanded(self, node: Node) -> Value:
        names = [one for one in node.named_children if one.type == "variable_name"]
        name = text_of(names[0]) if names else ""
        line = line_of(node)
        if name == "HOME":
            return Value("path", "~")
        if name == "PWD":
            return Value("path", ".")
        if name in ("TMPDIR",):
            return Value("path", TEMPORARY)
        if name in self._variables:
            is_plain = len(node.named_children) == 1 or node.type == "simple_expansion"
            value = self._variables[name]
            return value if is_plain else Value("text", "", is_partial=True)
        self._collector.variable(line, name)
        return _PARTIAL

    def _joined(self, node: Node) -> Value:
        children = node.named_children
        if not children:
            return Value("text", text_of(node).strip('"')[:TEXT_LIMIT])
        text = ""
        for child in children:
            part = self._value(child)
            text += part.text
            if part.is_partial or len(text) > TEXT_LIMIT:
                return Value("text", text[:TEXT_LIMIT], is_partial=True)
        return Value("text", text)
