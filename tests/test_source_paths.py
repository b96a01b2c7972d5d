"""The tables of CONTRIBUTING.md name what there is: rooms, files, functions, and how they join."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.support.source_paths import SourcePath, Station, read_paths
from tests.support.source_tree import (
    PACKAGE,
    ROOT,
    Function,
    graph,
    module_name,
    module_paths,
    tree,
)

PATHS = read_paths()
MAX_CHUNK_FILES = 22
STATIONS = [(path, index) for path in PATHS for index in range(len(path.stations))]


def station_id(value: object) -> str:
    return value.title if isinstance(value, SourcePath) else str(value)


def defines(body: list[ast.stmt], name: str) -> bool:
    first, _, rest = name.partition(".")
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and node.name == first:
            return not rest or defines(node.body, rest)
    return False


def are_joined(station: Station, earlier: Station) -> bool:
    if station.joined_by:
        word = re.compile(rf"\b{re.escape(station.joined_by)}\b")
        return all(word.search(one.text) for one in (station, earlier))
    imports = graph().direct_import_exists
    pair = (station.module, earlier.module)
    return pair[0] == pair[1] or any(imports(importer=a, imported=b) for a, b in (pair, pair[::-1]))


def test_the_two_paths_are_there() -> None:
    assert {"chunk", "click"} <= {path.title for path in PATHS}


@pytest.mark.parametrize(("path", "index"), STATIONS, ids=station_id)
def test_a_station_exists_and_is_joined_to_one_before_it(path: SourcePath, index: int) -> None:
    station = path.stations[index]
    file = PACKAGE / station.file
    assert file.is_file()
    assert defines(tree(file).body, station.function)
    if index and not station.crosses_processes:
        assert any(are_joined(station, earlier) for earlier in path.stations[:index])


def test_the_path_of_a_chunk_is_short() -> None:
    (chunk,) = (path for path in PATHS if path.title == "chunk")
    assert len(chunk.files()) <= MAX_CHUNK_FILES


def test_contributing_names_every_room() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    house = text.partition("## The house")[2].partition("###")[0]
    cells = re.findall(r"^\|.*?\|(.*?)\|", house, re.MULTILINE)
    named = {name.rstrip("/") for cell in cells for name in re.findall(r"`([\w/]+)`", cell)}
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or is_package(path)}
    parts = {f"ui/{path.name}" for path in (PACKAGE / "ui").iterdir() if is_package(path)}
    inner = {name for name in named if "/" in name and is_package(PACKAGE / name)}
    assert named == rooms - {"__init__"} | parts | inner


def is_package(path: Path) -> bool:
    return (path / "__init__.py").exists()


def test_the_modules_that_are_loaded_by_name_are_there() -> None:
    texts = [path.read_text("utf-8") for path in (PACKAGE / "bootstrap").glob("*.py")]
    line = re.compile(r'^    "(playhead(?:\.\w+)+)",$', re.MULTILINE)
    named = {name for text in texts for name in line.findall(text)}
    assert len(named) > 20
    assert named - set(map(module_name, module_paths())) == set()
