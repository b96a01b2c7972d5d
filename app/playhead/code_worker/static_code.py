"""Complete and describe code as it is written, by jedi; not a line of it, or of a library, is run.

jedi parses Python files and stubs. Compiled modules it would import: here only those that are part
of this program's own Python, so that no file of the user's is ever loaded.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false, reportPrivateImportUsage=false
# jedi and parso have no types.
from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ExtensionFileLoader, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

import jedi
import parso
from jedi.api.environment import InterpreterEnvironment
from jedi.file_io import KnownContentFileIO
from jedi.inference.compiled.access import create_access_path
from jedi.inference.compiled.subprocess import InferenceStateSameProcess
from jedi.inference.compiled.subprocess.functions import ImplicitNSInfo
from jedi.inference.gradual import stub_value

from playhead.code_worker.protocol import Answer, Question

_COUNT_LIMIT = 2_000
_LENGTH_LIMIT = 200
_DOCUMENTATION_LIMIT = 4_000
_KINDS = {
    "class": "class",
    "function": "function",
    "instance": "variable",
    "keyword": "keyword",
    "module": "module",
    "namespace": "module",
    "param": "variable",
    "property": "property",
    "statement": "variable",
}
_FIRST = ("parameter", "variable", "keyword")
_CALLEE = re.compile(r"[\w.]+\Z")
_INNER_NAME = re.compile(r"(?:[^\W\d]\w*\.)*[^\W\d]\w*\Z")


class _Version(NamedTuple):
    major: int
    minor: int
    micro: int = 0


class _OwnModules(InferenceStateSameProcess):
    """Finds modules without importing any, and never changes the path of our own imports."""

    def get_module_info(
        self,
        string: str,
        sys_path: Sequence[str] | None = None,
        full_name: str | None = None,
        path: Iterable[str] | None = None,
        is_global_search: bool = True,
    ) -> tuple[Any, bool | None]:
        """Return the source of a module, or its folders, and whether it is a package."""
        if path is None and string in sys.builtin_module_names:
            return None, False
        folders = [str(folder) for folder in (path if path is not None else sys_path or ())]
        try:
            spec = PathFinder.find_spec(string, folders)
        except (ImportError, OSError, ValueError):
            return None, None
        if spec is None:
            return None, None
        places = spec.submodule_search_locations
        if spec.loader is None:
            return ImplicitNSInfo(full_name or string, list(places or ())), True
        if not isinstance(spec.loader, SourceFileLoader) or spec.origin is None:
            return None, places is not None
        try:
            source = spec.loader.get_data(spec.origin)
        except OSError:
            return None, None
        return KnownContentFileIO(spec.origin, source), places is not None

    def load_module(self, dotted_name: str, sys_path: object = None) -> Any:
        """Return a compiled module of our own Python; None for every other one."""
        if not _is_own_compiled(dotted_name):
            return None
        module = importlib.import_module(dotted_name)
        return create_access_path(self._inference_state_weakref(), module)


def _is_own_compiled(name: str) -> bool:
    if name in sys.builtin_module_names:
        return True
    if name not in sys.stdlib_module_names:
        return False
    spec = importlib.util.find_spec(name)
    return spec is not None and isinstance(spec.loader, ExtensionFileLoader)


class _Environment(InterpreterEnvironment):
    """The grammar and the stubs of a version of Python, of which nothing is started."""

    def __init__(self, version: tuple[int, int] | None) -> None:
        super().__init__()
        if version is not None and _has_grammar(version):
            self.version_info = _Version(*version)

    def get_inference_state_subprocess(self, inference_state: Any) -> InferenceStateSameProcess:
        """Return the place where modules are found."""
        return _OwnModules(inference_state)


def _has_grammar(version: tuple[int, int]) -> bool:
    try:
        parso.load_grammar(version="{}.{}".format(*version))
    except NotImplementedError:
        return False
    return True


class _PublicStubNames(stub_value.StubFilter):
    """The names of a stub, with those that it imports and lists in `__all__`.

    jedi takes only those that are imported with `as` for public ones, as PEP 484 once said, and so
    knows no function of numpy that is written in C.
    """

    def _is_name_reachable(self, name: Any) -> bool:
        if super()._is_name_reachable(name):
            return True
        definition = name.get_definition()
        is_imported = definition is not None and definition.type in ("import_from", "import_name")
        return is_imported and name.value in _listed_names(name.get_root_node())


stub_value.StubFilter = _PublicStubNames


@functools.lru_cache(maxsize=256)
def _listed_names(module: Any) -> frozenset[str]:
    """Return the texts in what a module assigns or adds to `__all__`."""
    found: set[str] = set()
    for name in module.get_used_names().get("__all__", ()):
        statement = name.get_definition() or name.parent
        leaf, last = statement.get_first_leaf(), statement.get_last_leaf()
        while leaf is not None and leaf is not last:
            if leaf.type == "string":
                found.add(leaf.value.strip("\"'"))
            leaf = leaf.get_next_leaf()
    return frozenset(found)


class StaticCode:
    """Answers questions. Parsed files are kept in `cache_folder` and in memory."""

    def __init__(self, cache_folder: str) -> None:
        jedi.settings.cache_directory = cache_folder
        jedi.settings.auto_import_modules = []  # imports a library whatever it is
        jedi.settings.dynamic_params_for_other_modules = False  # reads 2,000 files of the folder
        self._cuts = 0
        self._environments: dict[tuple[int, int] | None, _Environment] = {}

    def answer(self, question: Question) -> Answer:
        """Return what is known."""
        script = self._script(question)
        line, column = _end_of(question.before)
        if question.kind == "complete":
            return _complete(script, line, column, question)
        if question.is_wanted:
            return _describe_call(script, line, column, question)
        return _describe(script, line, column, question)

    def forget(self) -> None:
        """Forget the text, of which a question that was interrupted may have left half."""
        self._cuts += 1

    def _script(self, question: Question) -> Any:
        known = self._environments.get(question.version)
        if known is None:
            known = self._environments[question.version] = _Environment(question.version)
        folder = question.folder or os.sep
        path = [*question.sys_path] or [one for one in sys.path if one]
        project = jedi.Project(folder, sys_path=[folder, *path], smart_sys_path=False)
        # By the path, only what has changed since the last question is parsed again.
        name = Path(folder) / f"__editor_{self._cuts}__.py"
        text = question.before + question.after
        return jedi.Script(text, path=name, project=project, environment=known)


def _end_of(code: str) -> tuple[int, int]:
    """Return line and column of the end of a code, as jedi counts them."""
    lines = parso.split_lines(code)
    return len(lines), len(lines[-1])


def _complete(script: Any, line: int, column: int, question: Question) -> Answer:
    found = script.complete(line, column)
    length = found[0].get_completion_prefix_length() if found else 0
    prefix = question.before[len(question.before) - length :]
    is_attribute = question.before[: len(question.before) - length].rstrip().endswith(".")
    if not (length or question.is_wanted or is_attribute):
        return Answer(number=question.number)
    kept: dict[str, str] = {}
    for one in found:
        text = str(one.name_with_symbols)
        if one._name.api_type == "path":
            text = text.rstrip("\"'")  # jedi closes the string
        if _is_offered(text, prefix):
            kept.setdefault(text, _kind(one, text))
    candidates = sorted(kept.items(), key=lambda one: _place(*one, prefix))
    return Answer(
        number=question.number, length=length, candidates=tuple(candidates[:_COUNT_LIMIT])
    )


def _place(text: str, kind: str, prefix: str) -> tuple[bool, int, str]:
    """Return what candidates are sorted by, as those of a kernel are."""
    group = _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
    return not text.startswith(prefix), group, text.lower()


def _is_offered(text: str, prefix: str) -> bool:
    """Return whether a name is short, and private only if private ones are asked for."""
    is_hidden = text.startswith("_" if not prefix.startswith("_") else "__")
    return len(text) <= _LENGTH_LIMIT and (not is_hidden or prefix.startswith("__"))


def _kind(completion: Any, text: str) -> str:
    """Return a word for the kind of a name; "" if a module would have to be read for it."""
    name = completion._name  # `completion.type` reads them all: 10 s for the names of pandas
    if text.endswith("="):
        return "parameter"
    if name.api_type == "path":
        return "folder" if text.endswith(os.sep) else "file"
    definition = name.tree_name.get_definition() if name.tree_name is not None else None
    if definition is not None and definition.type == "import_from":
        return ""
    return _KINDS.get(name.api_type, "")


def _describe_call(script: Any, line: int, column: int, question: Question) -> Answer:
    signatures = script.get_signatures(line, column)
    if not signatures:
        return Answer(number=question.number)
    chosen = max(signatures, key=lambda one: (one.index is not None, len(one.params)))
    row, at = map(int, chosen.bracket_start)
    lines = [str(one) for one in parso.split_lines(question.before)]
    written = _CALLEE.search(lines[row - 1][:at].rstrip())
    callee = script.infer(row, at)
    return Answer(
        number=question.number,
        name=written.group() if written else str(chosen.name),
        parameters=_parameters(chosen),
        argument=-1 if chosen.index is None else chosen.index,
        documentation=_documentation([chosen, *callee]),
    )


def _describe(script: Any, line: int, column: int, question: Question) -> Answer:
    names = script.infer(line, column)
    written = _INNER_NAME.search(question.before)
    if not names or written is None:
        return Answer(number=question.number)
    found = names[0]
    signatures: list[Any] = found.get_signatures() if found.type != "module" else []
    is_value = found.type == "instance" and not signatures
    return Answer(
        number=question.number,
        name=written.group()[:_LENGTH_LIMIT],
        parameters=_parameters(max(signatures, key=lambda one: len(one.params)))
        if signatures
        else None,
        type=str(found.name) if is_value else "" if signatures else str(found.type),
        documentation="" if is_value else _documentation(names),
    )


def _parameters(signature: Any) -> tuple[str, ...]:
    """Return the parameters as they are written, with blanks around the default."""
    return tuple(
        re.sub(r"\s*=\s*", " = ", str(one.to_string()), count=1)[:_LENGTH_LIMIT]
        for one in signature.params
    )


def _documentation(names: Sequence[Any]) -> str:
    """Return the first documentation of several names: a stub, or an overload, has none."""
    texts = (str(name.docstring(raw=True)) for name in names)
    return next((text[:_DOCUMENTATION_LIMIT].strip() for text in texts if text), "")
