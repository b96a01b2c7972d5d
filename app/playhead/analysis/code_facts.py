"""Reads code for its effects before it runs: every language it can, local modules included."""

from __future__ import annotations

import hashlib
import posixpath
from collections import deque
from collections.abc import Callable, Iterator

from msgspec import Struct

from playhead.analysis.fact_collector import FactCollector, sorted_facts
from playhead.analysis.python.magic_lines import MagicLine, may_hold_magics, split_magics
from playhead.analysis.python.python_facts import add_python_facts
from playhead.analysis.targets import Surroundings, Value
from playhead.domain.trust import RiskFact

CODE_LIMIT = 200_000
"""The longest code that is read, in characters; longer code cannot be told."""
_MODULES_LIMIT, _DEPTH_LIMIT, _MODULES_CHARACTERS = 30, 4, 400_000
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "dash"})
_LANGUAGES = {"javascript": "javascript", "js": "javascript", "node": "javascript",
              "ruby": "ruby", "rb": "ruby", "java": "java", "python": "python", "python3": "python",
              "py": "python"}  # fmt: skip
_SHOWN = frozenset({"html", "svg", "markdown", "latex", "css"})
"""Languages that are only shown."""
_ENDINGS = {".py": "python", ".sh": "bash", ".bash": "bash", ".js": "javascript",
            ".mjs": "javascript", ".cjs": "javascript", ".rb": "ruby", ".java": "java"}  # fmt: skip

ReadFile = Callable[[str], str | None]
"""Returns the text of a file by its path, relative to the working folder; None without one."""


class CodeFacts(Struct, frozen=True):
    """The facts of a code, and its local modules by their paths with the hashes of their texts."""

    facts: tuple[RiskFact, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


def facts_of(
    language: str,
    code: str,
    where: Surroundings,
    read_file: ReadFile = lambda path: None,
) -> CodeFacts:
    """Return what a code is seen to do; never raises for any text."""
    main = _read(language, code, where, "")
    found = list(main.facts)
    modules: dict[str, str] = {}
    waiting = deque((path, 1) for path in _local_paths(main, ""))
    left = _MODULES_CHARACTERS
    while waiting:
        path, depth = waiting.popleft()
        if path in modules or (text := read_file(path)) is None:
            continue
        left -= len(text)
        if len(modules) >= _MODULES_LIMIT or depth > _DEPTH_LIMIT or left < 0:
            found.append(RiskFact(kind="cannot_be_told", line=1, target=path, certainty="unknown"))
            break
        modules[path] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        module = _read(_language_of(path, text), text, where, path)
        found += module.facts
        waiting += ((one, depth + 1) for one in _local_paths(module, posixpath.dirname(path)))
    return CodeFacts(sorted_facts(found), tuple(sorted(modules.items())))


def _read(language: str, code: str, where: Surroundings, module: str) -> FactCollector:
    collector = FactCollector(where, module, _add)
    if len(code) > CODE_LIMIT:
        collector.unknown(1, "length")
        return collector
    _add(collector, language, code)
    return collector


def _add(collector: FactCollector, language: str, code: str) -> None:
    """Add the facts of code in a language; of one without a grammar, that they cannot be told."""
    word = language.lower()
    if word in _SHOWN or not code.strip():
        return
    match "bash" if word in _SHELLS else _LANGUAGES.get(word, ""):
        case "python":
            _add_python(collector, code)
        case "bash":
            from playhead.analysis.syntax_trees.shell_facts import add_shell_facts

            add_shell_facts(collector, code)
        case "javascript":
            from playhead.analysis.syntax_trees.javascript_facts import add_javascript_facts

            add_javascript_facts(collector, code)
        case "ruby":
            from playhead.analysis.syntax_trees.ruby_facts import add_ruby_facts

            add_ruby_facts(collector, code)
        case "java":
            from playhead.analysis.syntax_trees.java_facts import add_java_facts

            add_java_facts(collector, code)
        case _:
            collector.unknown(1, language)


def _add_python(collector: FactCollector, code: str) -> None:
    """Add the facts of Python, and of the lines in it that only notebooks have."""
    error = add_python_facts(collector, code)
    if error is None:
        return
    if may_hold_magics(code):
        split = split_magics(code)
        for magic in split.magics:
            _add_magic(collector, magic)
        error = add_python_facts(collector, split.python)
    if error is not None:
        collector.unknown(error.lineno or 1, "syntax")


def _add_magic(collector: FactCollector, magic: MagicLine) -> None:
    word, _, _rest = magic.code.partition(" ")
    if magic.language == "run":
        collector.starts_script(word)
        collector.program(magic.line, Value("text", word))
    elif magic.language == "cd":
        collector.change_folder(Value("text", word or "~") if word != "-" else None)
    elif magic.language in ("bash", "javascript", "ruby"):
        collector.code_at(magic.line, magic.language, magic.code)
    else:
        collector.unknown(magic.line, f"%{magic.language}")


def _local_paths(collector: FactCollector, folder: str) -> Iterator[str]:
    """Yield the paths at which what a code imports or starts may be, if it is a local file."""
    for name in collector.modules:
        dots = len(name) - len(name.lstrip("."))
        path = name.lstrip(".").replace(".", "/")
        base = folder if dots or folder else ""
        for _ in range(dots - 1):
            base = posixpath.dirname(base)
        roots = dict.fromkeys((base, "" if not dots else base))
        for root in roots:
            if path:
                yield posixpath.join(root, f"{path}.py")
                yield posixpath.join(root, path, "__init__.py")
    for script in collector.scripts:
        path = posixpath.normpath(posixpath.join(folder, script))
        yield path
        if not posixpath.splitext(path)[1]:
            yield f"{path}.js"
            yield f"{path}.rb"
            yield posixpath.join(path, "index.js")


def _language_of(path: str, text: str) -> str:
    ending = posixpath.splitext(path)[1].lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    first = text.partition("\n")[0]
    if first.startswith("#!"):
        for word, language in (("python", "python"), ("node", "javascript"), ("ruby", "ruby")):
            if word in first:
                return language
        return "bash"
    return ending.removeprefix(".") or "program"
