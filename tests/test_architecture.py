"""The rules of the house that no linter knows: imports, sizes, sentences, what must be there."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import grimp
import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "app"
PACKAGE = SOURCE / "playhead"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_MODULE = 700
LONGEST_FUNCTION = 60
ATTICS = {"utils", "util", "misc", "helpers", "helper", "common"}
WITH_QT = (
    "playhead.ui",
    "playhead.single_instance",
    "playhead.execution.kernel_process",
    "playhead.execution.process_executor",
    "playhead.event_loop",
    "playhead.bootstrap",
    "playhead.__main__",
)
DOORS = {
    "litellm": "playhead.model_worker",
    "keyring": "playhead.storage.keys.system_keyring",
    "lexilla": "playhead.ui.editor",
    "pyside6_scintilla": "playhead.ui.editor.code.scintilla_editor",
    "qasync": "playhead.event_loop",
    "sqlite3": "playhead.storage",
}
KERNEL = PACKAGE / "kernel"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_inside(module: str, packages: str | tuple[str, ...]) -> bool:
    names = (packages,) if isinstance(packages, str) else packages
    return any(module == name or module.startswith(name + ".") for name in names)


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("playhead", include_external_packages=True, cache_dir=None)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", autouse=True)
def _forget_the_trees() -> Iterator[None]:
    """They are half a million objects, which every search for garbage would look at."""
    yield
    tree.cache_clear()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=SOURCE, capture_output=True, text=True, check=False
    )


def test_the_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [command, "--no-logo", "--no-cache"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_everything_but_the_named_modules_imports_with_qt_blocked() -> None:
    free = [
        name
        for name in map(module_name, MODULES)
        if not is_inside(name, WITH_QT) and not is_inside(name, DOORS["litellm"])
    ]
    script = (
        "import importlib, sys\n"
        "for name in ('PySide6', 'shiboken6', 'qasync'): sys.modules[name] = None\n"
        f"for name in {free!r}: importlib.import_module(name)\n"
    )
    result = run_python("-c", script)
    assert result.returncode == 0, result.stderr


def kernel_modules() -> list[str]:
    return [
        ".".join(path.relative_to(KERNEL).with_suffix("").parts)
        for path in sorted(KERNEL.rglob("*.py"))
        if path.name not in ("__init__.py", "__main__.py")
    ]


def test_the_kernel_imports_on_a_bare_python() -> None:
    modules = kernel_modules()
    assert modules
    script = (
        "import importlib, importlib.util, sys\n"
        "name = '_playhead_kernel'\n"
        f"spec = importlib.util.spec_from_file_location(name, {str(KERNEL / '__init__.py')!r},\n"
        f"    submodule_search_locations=[{str(KERNEL)!r}])\n"
        "package = sys.modules[name] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        f"for module in {modules!r}: importlib.import_module(f'{{name}}.{{module}}')\n"
        "assert not any(name.split('.')[0] == 'playhead' for name in sys.modules)\n"
    )
    result = run_python("-I", "-S", "-c", script)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("path", sorted(KERNEL.rglob("*.py")), ids=module_name)
def test_the_kernel_keeps_to_the_syntax_of_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("package", ["playhead.kernel", "playhead.model_worker"])
def test_child_processes_import_nothing_of_ours(package: str) -> None:
    inside = {package, *graph().find_descendants(package)}
    for module in inside:
        ours = {
            name
            for name in graph().find_modules_directly_imported_by(module)
            if is_inside(name, "playhead")
        }
        assert ours <= inside, f"{module} imports {ours - inside}"


@pytest.mark.parametrize("package", ["playhead.kernel", "playhead.model_worker"])
def test_the_parent_imports_only_the_protocol_of_its_children(package: str) -> None:
    inside = {package, *graph().find_descendants(package)}
    # What the languages are called stands with what runs them.
    told = {f"{package}.{name}" for name in ("protocol", "driver", "drivers.registry")}
    told |= {package, f"{package}.drivers"}
    for module in inside - told:
        outside = graph().find_modules_that_directly_import(module) - inside
        # The frozen program starts its children by a flag of the same executable.
        assert outside <= {"playhead.__main__"}, f"{module} is imported by {outside}"


@pytest.mark.parametrize(("library", "door"), DOORS.items(), ids=lambda value: str(value))
def test_a_library_has_one_door(library: str, door: str) -> None:
    if library not in graph().modules:
        pytest.fail(f"Nothing imports {library}: take it out of the list, and of pyproject.toml")
    importers = graph().find_modules_that_directly_import(library)
    assert all(is_inside(module, door) for module in importers), importers


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_opens_with_one_sentence(path: Path) -> None:
    sentence = ast.get_docstring(tree(path))
    assert sentence, "no docstring"
    assert sentence.split("\n\n")[0].rstrip()[-1] in ".:;!", "the first paragraph is no sentence"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_is_of_readable_size(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_MODULE
    long = [
        f"{node.name}: {length}"
        for node in functions(path)
        if (length := cast("int", node.end_lineno) - node.lineno + 1) > LONGEST_FUNCTION
    ]
    assert not long


def test_most_functions_are_short() -> None:
    lengths = sorted(
        cast("int", node.end_lineno) - node.lineno + 1
        for path in MODULES
        for node in functions(path)
    )
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 9 // 10] <= 30


def test_there_are_no_attics() -> None:
    attics = [name for name in map(module_name, MODULES) if ATTICS & set(name.split("."))]
    assert not attics


def test_the_layers_below_the_window_are_checked_strictly() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for folder in PACKAGE.iterdir():
        if folder.is_dir() and folder.name not in ("ui", "__pycache__"):
            assert f'"app/playhead/{folder.name}",' in settings, f"{folder.name} is not strict"


@pytest.mark.parametrize(
    "resource", ["icons", "fonts", "licences/README.md", "themes/light.json", "themes/dark.json"]
)
def test_what_the_program_loads_is_there(resource: str) -> None:
    assert (ROOT / "resources" / resource).exists()


def test_no_test_folder_shadows_a_package() -> None:
    packages = {path.parent.name for path in (ROOT / "tests").rglob("__init__.py")}
    assert packages <= {"support", "benchmarks"}
