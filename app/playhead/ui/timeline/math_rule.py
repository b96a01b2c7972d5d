"""Tells the markdown parser where formulas stand that take lines of their own.

Such a formula begins a line with `$$` or `\\[` and ends with the sign's other half, a blank line
or what is around it: whether it is whole is not asked, so that nothing which comes later changes
what came before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

RULE = "formula"
_OPENER = re.compile(r"(\$\$)(?!\$)|\\\[")


def add_formula_rule(parser: MarkdownIt) -> None:
    """Make the parser find them; they may follow a paragraph without a blank line."""
    parser.block.ruler.before(
        "fence", RULE, _formula, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _formula(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    line = _line(state, first)
    opener = _OPENER.match(line)
    if opener is None:
        return False
    closer = "$$" if opener[1] else "\\]"
    rest = line[opener.end() :]
    if closer in rest and not rest.rstrip().endswith(closer):
        return False  # it is part of a sentence
    if silent:
        return True
    after = first + 1
    if closer not in rest:
        after = _end(state, after, last, closer)
    state.line = after
    token = state.push(RULE, "math", 0)
    token.map = [first, after]
    token.block = True
    return True


def _end(state: StateBlock, after: int, last: int, closer: str) -> int:
    while after < last and not state.isEmpty(after):
        if state.sCount[after] < state.blkIndent:
            break
        after += 1
        if closer in _line(state, after - 1):
            break
    return after


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
