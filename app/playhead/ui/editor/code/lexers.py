"""The lexers of the languages, and the meaning of their style numbers."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from playhead.ui.editor.code.editor_language import language_family

if TYPE_CHECKING:
    from lexilla import Lexer

STYLE_NAMES = ("text", "keyword", "string", "number", "function", "comment", "operator")

_PYTHON_BUILTINS = " ".join(
    name for name in dir(builtins) if name.islower() and not name.startswith("_")
)
_JAVASCRIPT = (
    "async await break case catch class const continue debugger default delete do else export "
    "extends false finally for from function if import in instanceof let new null of return "
    "static super switch this throw true try typeof undefined var void while with yield "
    "abstract as declare enum implements interface keyof namespace private protected public "
    "readonly type"
)
_BASH = (
    "alias break case cd continue declare do done echo elif else esac eval exec exit export "
    "false fi for function if in let local printf pwd read readonly return select set shift "
    "source test then time trap true type ulimit umask unalias unset until wait while"
)
_RUBY = (
    "alias and begin break case class def defined? do else elsif end ensure false for if in "
    "module next nil not or redo rescue retry return self super then true undef unless until "
    "when while yield require require_relative attr_accessor attr_reader puts"
)
_R = "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA library in"
_SQL = (
    "add all alter and as asc between by case cast create cross delete desc distinct drop else "
    "end exists from full group having in index inner insert into is join key left like limit "
    "not null offset on or order outer primary references right select set table then union "
    "unique update using values view when where with"
)
_POWERSHELL = (
    "begin break catch class continue data do dynamicparam else elseif end enum exit filter "
    "finally for foreach from function if in param process return switch throw trap try until "
    "using while"
)
_CPP = (
    "auto bool break case char class const constexpr continue default delete do double else "
    "enum extends false final float for if implements import int interface long namespace new "
    "null nullptr package private protected public return short signed static struct super "
    "switch template this throw true try typedef typename union unsigned using virtual void "
    "volatile while"
)
_LUA = (
    "and break do else elseif end false for function goto if in local nil not or repeat return "
    "then true until while"
)


class _Recipe(Struct, frozen=True, kw_only=True):
    lexer: str
    words: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    styles: dict[str, str] = msgspec.field(default_factory=dict[str, str])


# Lexers without names for their styles: the numbers of SciLexer.h.
_R_STYLES = {
    "comment": "1",
    "keyword": "2 3 4",
    "number": "5",
    "string": "6 7 13 14 15",
    "operator": "8 10",
}
_JSON_STYLES = {
    "number": "1",
    "string": "2 3 5 9 10",
    "function": "4",
    "comment": "6 7",
    "operator": "8",
    "keyword": "11 12",
}
_SQL_STYLES = {
    "comment": "1 2 3 13 15",
    "number": "4",
    "keyword": "5 16",
    "string": "6 7",
    "operator": "10",
}
_POWERSHELL_STYLES = {
    "comment": "1 13 16",
    "string": "2 3 14 15",
    "number": "4",
    "operator": "6",
    "keyword": "8",
    "function": "9 10 11",
}
_CSS_STYLES = {
    "keyword": "1 11 12",
    "function": "2 3 10",
    "operator": "5",
    "string": "8 13 14",
    "comment": "9",
}
_YAML_STYLES = {"comment": "1", "function": "2", "keyword": "3 6", "number": "4", "operator": "9"}

_PYTHON = _Recipe(
    lexer="python",
    words=(" ".join((*keyword.kwlist, "match", "case")), _PYTHON_BUILTINS),
    properties=(("lexer.python.strings.f.pep.701", "1"),),
    styles={"function": "8 9 15"},
)
_RECIPES = {
    "python": _PYTHON,
    "shell": _Recipe(lexer="bash", words=(_BASH,)),
    "javascript": _Recipe(
        lexer="cpp", words=(_JAVASCRIPT,), properties=(("lexer.cpp.backquoted.strings", "1"),)
    ),
    "c": _Recipe(lexer="cpp", words=(_CPP,)),
    "ruby": _Recipe(lexer="ruby", words=(_RUBY,), properties=(), styles={"function": "8 9"}),
    "r": _Recipe(lexer="r", words=(_R,), properties=(), styles=_R_STYLES),
    "html": _Recipe(
        lexer="hypertext",
        words=("", _JAVASCRIPT),
        properties=(),
        styles={"keyword": "1 11", "function": "3"},
    ),
    "sql": _Recipe(lexer="sql", words=(_SQL,), properties=(), styles=_SQL_STYLES),
    "json": _Recipe(lexer="json", words=("true false null",), properties=(), styles=_JSON_STYLES),
    "css": _Recipe(lexer="css", words=(), properties=(), styles=_CSS_STYLES),
    "yaml": _Recipe(
        lexer="yaml", words=("true false null yes no",), properties=(), styles=_YAML_STYLES
    ),
    "powershell": _Recipe(
        lexer="powershell", words=(_POWERSHELL,), properties=(), styles=_POWERSHELL_STYLES
    ),
    "batch": _Recipe(
        lexer="batch", words=("call cd copy del echo else exit for goto if not rem set",)
    ),
    "lua": _Recipe(lexer="lua", words=(_LUA,)),
    "perl": _Recipe(
        lexer="perl", words=("my our use sub if else elsif for foreach while return print",)
    ),
}


class PreparedLexer(Struct, frozen=True):
    """A lexer with its words set, and the style name of each of its numbers."""

    lexer: Lexer
    style_names: dict[int, str]


def make_lexer(language: str) -> PreparedLexer | None:
    """Return a new lexer for a language, None if there is none or lexilla is missing.

    Properties and words must be set before an editor takes the lexer: afterwards only the
    editor's raw messages reach it.
    """
    recipe = _RECIPES.get(language_family(language))
    if recipe is None:
        return None
    try:
        from lexilla import create_lexer
    except ImportError:
        return None
    lexer = create_lexer(recipe.lexer)
    if lexer is None:
        return None
    for name, value in recipe.properties:
        lexer.property_set(name, value)
    for number, words in enumerate(recipe.words):
        lexer.word_list_set(number, words)
    return PreparedLexer(lexer, _style_names(lexer, recipe))


def style_runs(
    style_at: Callable[[int], int], names: Mapping[int, str], length: int
) -> list[tuple[int, int, str]]:
    """Return runs of one style as (first byte, bytes, style name), without plain text."""
    runs: list[tuple[int, int, str]] = []
    start, current = 0, ""
    for position in range(length + 1):
        name = names.get(style_at(position), "") if position < length else ""
        if name == current:
            continue
        if current:
            runs.append((start, position - start, current))
        start, current = position, name
    return runs


def _style_names(lexer: Lexer, recipe: _Recipe) -> dict[int, str]:
    names = {
        number: _name_of(lexer.tags_of_style(number)) for number in range(lexer.named_styles())
    }
    for name, numbers in recipe.styles.items():
        names.update((int(number), name) for number in numbers.split())
    return {number: name for number, name in names.items() if name != "text"}


def _name_of(tags: str) -> str:
    """Return the style name for lexilla's tags of a style ("comment line", "literal numeric")."""
    words = set(tags.split())
    if "comment" in words:
        return "comment"
    if "numeric" in words:
        return "number"
    if words & {"string", "regex", "here-doc", "escapesequence"}:
        return "string"
    if words & {"keyword", "preprocessor"}:
        return "keyword"
    return "operator" if "operator" in words else "text"
