"""The rules of the house that no linter knows: imports, sizes, sentences, what must be there."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source_tree import (
    PACKAGE,
    ROOT,
    SOURCE,
    classes,
    folder_sizes,
    function_sizes,
    functions,
    graph,
    length_of,
    lonely_protocols,
    misnamed_class,
    module_name,
    module_paths,
    modules_by_folder,
    only_importers,
    public_methods,
    repeated_base_names,
    repeated_prefixes,
    share,
    size,
    tree,
)

MODULES = module_paths()
MAX_FOLDER_MODULES = 14
MAX_MODULE_LINES = 700
MAX_PUBLIC_METHODS = 25
MAX_FUNCTION_LINES = 60
MIN_SATELLITE_LINES = 150
FAMILIES = {"playhead.formats.wire": {"encode", "decode", "requests", "objects"}}
"""Folders whose folders each have a module for every one of these roles."""

SHARED_NAMES = {"errors", "schemas", "model", "view", "protocol", "boot", "__main__"}
SHARED_NOUNS = {"history", "settings"}
"""Nouns of `domain` that have a store, a page or an endpoint of the same name."""

SATELLITES = {
    "playhead.model_worker.http_lane.cohere_wire": "a format is a module, as the two beside it",
    "playhead.supervisor.landlock_start": "a start is a module, as the one beside it",
    "playhead.supervisor.copies": "most kernels start without it, and load it not at all",
}
"""Modules below the least size that one module of their folder alone imports, and why."""

LARGE_CLASSES = {
    "playhead.session.session.Session": 32,
    "playhead.session.sessions.Sessions": 27,
    "playhead.ui.editor.code.code_editor.CodeEditor": 26,
    "playhead.ui.editor.code.plain_editor.PlainEditor": 26,
    "playhead.ui.editor.code.scintilla_editor.ScintillaEditor": 26,
    "playhead.ui.editor.pane.editor_pane.EditorPane": 28,
}
"""Classes with more public methods than a class should have: these numbers may only fall."""

ATTICS = {"utils", "util", "misc", "helpers", "helper", "common"}
WITH_QT = (
    "playhead.ui",
    "playhead.single_instance",
    "playhead.execution.kernel_process",
    "playhead.execution.process_executor",
    "playhead.execution.supervisors.supervisor_process",
    "playhead.event_loop",
    "playhead.bootstrap",
    "playhead.__main__",
)
DOORS = {
    "jedi": "playhead.code_worker",
    "litellm": "playhead.model_worker",
    "keyring": "playhead.storage.keys.system_keyring",
    "lexilla": "playhead.ui.editor",
    "pyside6_scintilla": "playhead.ui.editor.code.scintilla_editor",
    "qasync": "playhead.event_loop",
    "sqlite3": "playhead.storage",
    "tree_sitter": "playhead.analysis",
    "zmq": "playhead.place_worker",
}
KERNEL = PACKAGE / "kernel"
CHILDREN = (
    "playhead.kernel",
    "playhead.model_worker",
    "playhead.code_worker",
    "playhead.supervisor",
    "playhead.undo_worker",
    "playhead.place_worker",
)
HOSTS = {
    "playhead.kernel": "playhead.place_worker",
    "playhead.supervisor": "playhead.place_worker",
}
"""A place worker is the host of a kernel, or has a supervisor elsewhere."""
BARE = [KERNEL, PACKAGE / "supervisor"]
"""What any Python from 3.9 on runs, with nothing but its standard library."""


def is_inside(module: str, packages: str | tuple[str, ...]) -> bool:
    names = (packages,) if isinstance(packages, str) else packages
    return any(module == name or module.startswith(name + ".") for name in names)


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


def modules_of(package: Path) -> list[str]:
    return [
        ".".join(path.relative_to(package).with_suffix("").parts)
        for path in sorted(package.rglob("*.py"))
        if path.name not in ("__init__.py", "__main__.py")
    ]


@pytest.mark.parametrize("package", BARE, ids=module_name)
def test_it_imports_on_a_bare_python(package: Path) -> None:
    modules = modules_of(package)
    assert modules
    script = (
        "import importlib, importlib.util, sys\n"
        "name = '_playhead_child'\n"
        f"spec = importlib.util.spec_from_file_location(name, {str(package / '__init__.py')!r},\n"
        f"    submodule_search_locations=[{str(package)!r}])\n"
        "package = sys.modules[name] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(package)\n"
        f"for module in {modules!r}: importlib.import_module(f'{{name}}.{{module}}')\n"
        "assert not any(name.split('.')[0] == 'playhead' for name in sys.modules)\n"
    )
    result = run_python("-I", "-S", "-c", script)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    "path", sorted(file for package in BARE for file in package.rglob("*.py")), ids=module_name
)
def test_it_keeps_to_the_syntax_of_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("package", CHILDREN)
def test_child_processes_import_nothing_of_ours(package: str) -> None:
    inside = {package, *graph().find_descendants(package)}
    allowed = {
        name
        for below, host in HOSTS.items()
        if host == package
        for name in (below, *graph().find_descendants(below))
    }
    for module in inside:
        ours = {
            name
            for name in graph().find_modules_directly_imported_by(module)
            if is_inside(name, "playhead")
        }
        assert ours <= inside | allowed, f"{module} imports {ours - inside}"


@pytest.mark.parametrize("package", CHILDREN)
def test_the_parent_imports_only_the_protocol_of_its_children(package: str) -> None:
    inside = {package, *graph().find_descendants(package)}
    # What the languages are called stands with what runs them.
    # A kernel is looked at from above by its supervisor and by the app, in the same way.
    shared = ("protocol", "output_decoder", "driver", "drivers.registry", "outside_view")
    told = {f"{package}.{name}" for name in shared}
    told |= {package, f"{package}.drivers"}
    for module in inside - told:
        found = graph().find_modules_that_directly_import(module) - inside
        outside = {one for one in found if not is_inside(one, HOSTS.get(package, package))}
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
    assert length_of(path) <= MAX_MODULE_LINES
    long = {node.name: size(node) for node in functions(path) if size(node) > MAX_FUNCTION_LINES}
    assert not long


def test_most_functions_are_short() -> None:
    sizes = function_sizes()
    assert share(sizes, 50) <= 10
    assert share(sizes, 90) <= 20


def test_a_class_has_few_public_methods() -> None:
    large = {
        f"{module_name(path)}.{node.name}": count
        for path in MODULES
        for node in classes(path)
        if (count := len(public_methods(node))) > MAX_PUBLIC_METHODS
    }
    grown = {name: n for name, n in large.items() if n > LARGE_CLASSES.get(name, 0)}
    assert not grown
    assert set(LARGE_CLASSES) == set(large), "take what is small enough out of LARGE_CLASSES"


def test_a_folder_has_few_modules() -> None:
    large = {str(f): n for f, n in folder_sizes().items() if n > MAX_FOLDER_MODULES}
    assert not large


def test_files_and_addresses_are_opened_by_the_system_in_one_place() -> None:
    others = ("openUrl", "startDetached", "webbrowser", "os.startfile", "setOpenExternalLinks")
    found = {
        (path.name, word)
        for path in MODULES
        for word in others
        if "analysis" not in path.parts  # it names what others' code would do
        and word in path.read_text(encoding="utf-8")
    }
    # The form's link is an address of our own table.
    expected = {("system_opener.py", "openUrl"), ("provider_form.py", "setOpenExternalLinks")}
    assert found == expected


def test_modules_with_one_prefix_have_a_folder() -> None:
    # The pane's own modules bear the name of the pane; its find bar is not the timeline's.
    named_after_the_pane = {"ui/editor/pane"}
    groups = {
        str(folder.relative_to(PACKAGE)): prefixes
        for folder, names in modules_by_folder().items()
        if (prefixes := repeated_prefixes(names))
    }
    assert groups.keys() <= named_after_the_pane


def is_own_kind(module: str) -> bool:
    """Return whether one registry or dialog lists the module among others of its kind."""
    kinds = ("playhead.kernel.drivers", "playhead.ui.timeline.cards")
    return is_inside(module, kinds) or module.endswith(("_page", "_form", ".protocol"))


def test_a_module_for_one_neighbour_is_worth_its_file() -> None:
    small = {
        found.module
        for found in only_importers()
        if found.lines < MIN_SATELLITE_LINES and not is_own_kind(found.module)
    }
    assert small - set(SATELLITES) == set(), "merge these into what imports them"
    assert set(SATELLITES) <= small, "take what has grown or gone out of SATELLITES"


def has_role_name(module: str) -> bool:
    """Return whether a module is named by its role in a folder of a family."""
    return any(is_inside(module, f) and module.split(".")[-1] in r for f, r in FAMILIES.items())


def unlisted_base_names() -> dict[str, list[str]]:
    """Return the base names that several modules have without being in one of the lists."""
    return {
        name: modules
        for name, modules in repeated_base_names().items()
        if name not in SHARED_NAMES | SHARED_NOUNS and not all(map(has_role_name, modules))
    }


def test_base_names_of_modules_are_unique() -> None:
    assert not unlisted_base_names()


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_the_one_public_class_of_a_module_shares_its_name(path: Path) -> None:
    assert misnamed_class(path) is None or has_role_name(module_name(path))


def test_a_protocol_has_more_than_one_neighbour_behind_it() -> None:
    assert not lonely_protocols()


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
    assert packages <= {"support", "benchmarks", "soak"}
