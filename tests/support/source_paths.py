"""Read the tables of CONTRIBUTING.md that follow a chunk and a click through the source."""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.support.source_tree import PACKAGE, ROOT

_HEADING = re.compile(r"<!-- path: (.+) -->\n((?:\|.*\n)+)")
_BORDER = "pipe"


class Station(NamedTuple):
    """A function that does something to what passes."""

    file: str
    function: str
    joined_by: str

    @property
    def text(self) -> str:
        """Return the source of its file."""
        return (PACKAGE / self.file).read_text(encoding="utf-8")

    @property
    def module(self) -> str:
        """Return the dotted name of its module."""
        return "playhead." + self.file.removesuffix(".py").replace("/", ".")

    @property
    def crosses_processes(self) -> bool:
        """Return whether it is behind a pipe."""
        return self.joined_by == _BORDER


class SourcePath(NamedTuple):
    """A table: its title and its stations in order."""

    title: str
    stations: tuple[Station, ...]

    def files(self) -> set[str]:
        """Return the files that it passes."""
        return {station.file for station in self.stations}


def read_paths() -> list[SourcePath]:
    """Return the paths of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [SourcePath(title, _stations(table)) for title, table in _HEADING.findall(text)]


def _stations(table: str) -> tuple[Station, ...]:
    rows = [line.strip("|\n").split("|") for line in table.splitlines()[2:]]
    return tuple(
        Station(*(cell.strip(" `") for cell in (file, function, joined_by)))
        for file, function, _does, joined_by in rows
    )
