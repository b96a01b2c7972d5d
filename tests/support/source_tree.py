"""Measure the source: modules and who imports them, classes, functions, names."""

from __future__ import annotations

import ast
import gc
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import grimp

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "app"
PACKAGE = SOURCE / "playhead"

Function = ast.FunctionDef | ast.AsyncFunctionDef


class OnlyImporter(NamedTuple):
    """A module that one module alone imports, and that one is in the same folder."""

    module: str
    importer: str
    lines: int


class LonelyProtocol(NamedTuple):
    """A protocol that one class implements, in the same package."""

    protocol: str
    implementer: str


def module_paths() -> list[Path]:
    """Return the files of all modules, packages' `__init__.py` included."""
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name of a file's module."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def plain_modules() -> list[Path]:
    """Return the files of the modules that are no package's `__init__.py`."""
    return [path for path in module_paths() if path.name != "__init__.py"]


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file, once."""
    gc.disable()  # a search for garbage would look at all trees, again and again
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def graph() -> grimp.ImportGraph:
    """Return who imports whom, other packages included."""
    return grimp.build_graph("playhead", include_external_packages=True, cache_dir=None)


def length_of(path: Path) -> int:
    """Count a file's lines."""
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[Function]:
    """Yield a file's functions, methods and inner ones included."""
    for node in ast.walk(tree(path)):
        if isinstance(node, Function):
            yield node


def classes(path: Path) -> Iterator[ast.ClassDef]:
    """Yield the classes at the top level of a file."""
    return (node for node in tree(path).body if isinstance(node, ast.ClassDef))


def size(node: Function) -> int:
    """Count a function's lines, without its decorators."""
    return cast("int", node.end_lineno) - node.lineno + 1


def function_sizes() -> list[int]:
    """Return the lines of every function, the shortest first."""
    return sorted(size(node) for path in module_paths() for node in functions(path))


def share(ordered: list[int], percent: int) -> int:
    """Return the value below which `percent` of an ordered list lie."""
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def public_methods(node: ast.ClassDef) -> list[str]:
    """Return the methods that a class's own body offers.

    Properties are attributes, and what is in camel case is Qt's to call.
    """
    return sorted(
        item.name
        for item in node.body
        if isinstance(item, Function)
        and item.name[0] != "_"
        and item.name.islower()
        and not is_property(item)
    )


def is_property(node: Function) -> bool:
    """Return whether a method is read or set as an attribute."""
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return not decorators.isdisjoint({"property", "cached_property", "setter"})


def only_importers() -> list[OnlyImporter]:
    """Return the modules that one module of their own folder imports and nobody else does.

    What imports a folder's `__init__.py` from outside counts for all that this file exports.
    """
    found: list[OnlyImporter] = []
    for path in plain_modules():
        name = module_name(path)
        folder = name.rpartition(".")[0]
        importers = _importers(name, folder)
        importer = min(importers, default="")
        if len(importers) == 1 and folder in (importer, importer.rpartition(".")[0]):
            found.append(OnlyImporter(name, importer, length_of(path)))
    return found


def _importers(module: str, folder: str) -> set[str]:
    importers = graph().find_modules_that_directly_import(module)
    if folder in importers:
        importers = importers | graph().find_modules_that_directly_import(folder)
    return importers


def modules_by_folder() -> Mapping[Path, list[str]]:
    """Return the base names of the modules in each folder, `__init__` left out."""
    folders: dict[Path, list[str]] = defaultdict(list)
    for path in plain_modules():
        folders[path.parent].append(path.stem)
    return folders


def repeated_base_names() -> dict[str, list[str]]:
    """Return each base name that several modules have, with these modules."""
    owners: dict[str, list[str]] = defaultdict(list)
    for path in plain_modules():
        owners[path.stem].append(module_name(path))
    return {stem: names for stem, names in owners.items() if len(names) > 1}


def repeated_prefixes(names: Iterable[str]) -> dict[str, list[str]]:
    """Return each first word that three or more of a folder's base names begin with."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.split("_")[0]].append(name)
    return {prefix: sorted(group) for prefix, group in groups.items() if len(group) > 2}


def is_protocol(node: ast.ClassDef) -> bool:
    """Return whether a class is a protocol."""
    return any(
        (isinstance(base, ast.Name) and base.id == "Protocol")
        or (isinstance(base, ast.Subscript) and ast.unparse(base.value) == "Protocol")
        for base in node.bases
    )


def is_error(node: ast.ClassDef) -> bool:
    """Return whether a class is an exception, by its name or its bases."""
    names = (node.name, *map(ast.unparse, node.bases))
    return any(name.endswith(("Error", "Exception", "Failure", "Warning")) for name in names)


def misnamed_class(path: Path) -> str | None:
    """Return the one public class of a module if it is not called as the module is.

    Exceptions and protocols do not count, and neither does a class in a module with public
    functions: there the functions are what the module is for.
    """
    public = [
        node.name
        for node in classes(path)
        if node.name[0] != "_" and not is_error(node) and not is_protocol(node)
    ]
    has_functions = any(
        isinstance(node, Function) and node.name[0] != "_" for node in tree(path).body
    )
    if len(public) != 1 or has_functions or path.name in ("__init__.py", "__main__.py"):
        return None
    return None if _fits(public[0], path) else public[0]


def _fits(name: str, path: Path) -> bool:
    """Return whether the class of a module may have this name.

    The module's words may be followed by the class's role (`direct`, DirectMode), come after the
    folder's (`timeline/view`, TimelineView), or be the plural (`document_formats`).
    """
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z\d]*", name)]
    stem, folder = path.stem.split("_"), path.parent.name.split("_")
    together = "".join(stem)
    return (
        words[: len(stem)] == stem
        or words == folder + stem
        or "".join(words) in (together, together.removesuffix("s"))
    )


def _members(node: ast.ClassDef) -> set[str]:
    names: set[str] = set()
    for item in node.body:
        if isinstance(item, Function):
            names.add(item.name)
            if item.name == "__init__":
                names.update(_assigned(item))
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names.add(item.target.id)
        elif isinstance(item, ast.Assign):
            names.update(target.id for target in item.targets if isinstance(target, ast.Name))
    return names


def _assigned(function: Function) -> set[str]:
    return {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def lonely_protocols() -> list[LonelyProtocol]:
    """Return the protocols that one class alone implements, and that in their own folder.

    A class implements a protocol if it has all its members, inherited ones included.
    """
    found = [(path, node) for path in module_paths() for node in classes(path)]
    by_name: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for _, node in found:
        by_name[node.name].append(node)
    concrete = [
        (path, f"{module_name(path)}.{node.name}", _all_members(node, by_name))
        for path, node in found
        if not is_protocol(node)
    ]
    lonely: list[LonelyProtocol] = []
    for path, node in found:
        if is_protocol(node):
            wanted = _members(node)
            fitting = [(folder.parent, name) for folder, name, has in concrete if wanted <= has]
            if len(fitting) == 1 and fitting[0][0] == path.parent:
                name = f"{module_name(path)}.{node.name}"
                lonely.append(LonelyProtocol(name, fitting[0][1]))
    return lonely


def _all_members(node: ast.ClassDef, by_name: Mapping[str, list[ast.ClassDef]]) -> set[str]:
    names = _members(node)
    for base in node.bases:
        stem = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        for parent in by_name.get(stem, []) if stem != node.name else []:
            names |= _all_members(parent, by_name)
    return names


def lengths() -> list[int]:
    """Return the lines of every module that has more than a docstring, the shortest first."""
    counted = [path for path in module_paths() if path.name != "__init__.py" or length_of(path) > 4]
    return sorted(map(length_of, counted))


def folder_sizes() -> Counter[Path]:
    """Count the modules of each folder."""
    return Counter({folder: len(names) for folder, names in modules_by_folder().items()})
