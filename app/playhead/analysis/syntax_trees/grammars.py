"""The grammars of tree-sitter: parse a text into a tree, in bounded time."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Language, Node

GrammarName = Literal["bash", "javascript", "ruby", "java"]


@cache
def _language(name: GrammarName) -> Language:
    """Return a grammar, loaded at its first use: it is a library of C of half a megabyte."""
    from tree_sitter import Language

    match name:
        case "bash":
            import tree_sitter_bash as grammar
        case "javascript":
            import tree_sitter_javascript as grammar
        case "ruby":
            import tree_sitter_ruby as grammar
        case "java":
            import tree_sitter_java as grammar
    return Language(grammar.language())


def parse(name: GrammarName, code: str) -> Node:
    """Return the root of the tree of a code; what cannot be read are nodes of type ERROR."""
    from tree_sitter import Parser

    return Parser(_language(name)).parse(code.encode("utf-8", "surrogatepass")).root_node


def text_of(node: Node) -> str:
    """Return the text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def line_of(node: Node) -> int:
    """Return the line that a node begins in, counted from 1."""
    return node.start_point.row + 1


def arguments_of(node: Node) -> list[Node]:
    """Return the arguments of a call; [] for a call without any."""
    inner = node.child_by_field_name("arguments")
    return inner.named_children if inner is not None else []
