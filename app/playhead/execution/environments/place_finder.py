"""Finds the Jupyter kernels of this computer by the files that describe them; starts nothing.

Where Jupyter itself looks, and in the environments of the Pythons of this computer: a kernel need
not have been registered for the user. What is in a working folder may come from anyone, so of it
only the environment is looked at, as it is for its Python.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from playhead.atomic_file import read_plain
from playhead.domain.execution import Place
from playhead.domain.secret import Secret
from playhead.domain.text.json_text import read_json
from playhead.errors import ExecutionError, phrase
from playhead.execution.login_path import find_program

_FILE = "kernel.json"
_FILE_LIMIT = 100_000
_MOST_KERNELS = 200
_LONGEST_LABEL = 80
_KERNELS = ("share", "jupyter", "kernels")
_LANGUAGE = re.compile(r"\w[\w +#./-]{0,29}")


class KernelSpec(Struct, frozen=True, kw_only=True):
    """The facts of a `kernel.json`: how its kernel is started, and how it is interrupted."""

    place: Place
    command: tuple[str, ...]
    variables: Mapping[str, str]
    interrupts: str = "signal"
    secret: Secret | None = None
    """What a server is shown; only its place worker gets it."""


def find_kernels(
    prefixes: Iterable[Path], folders: Callable[[], Iterable[Path]] | None = None
) -> list[Place]:
    """Return the kernels of Jupyter's own folders and of environments, each once; on Windows none.

    The process that connects a kernel needs POSIX.
    """
    if sys.platform == "win32":
        return []
    found: dict[str, Place] = {}
    in_prefixes = (prefix.joinpath(*_KERNELS) for prefix in prefixes)
    for parent in (*(folders or kernel_folders)(), *in_prefixes):
        for place in _places_in(parent):
            found.setdefault(os.path.realpath(place.folder), place)
    return sorted(found.values(), key=lambda place: (place.label.lower(), place.folder))


def read_spec(place: Place) -> KernelSpec:
    """Return how the kernel of a place is started now. Raises ExecutionError."""
    if place.is_elsewhere:
        return KernelSpec(place=place, command=("",), variables={})
    if sys.platform == "win32":
        raise _gone(place, "On Windows Playhead cannot run Jupyter's kernels yet.")
    folder = Path(place.folder)
    facts = _read(folder)
    argv: Any = facts.get("argv")
    if not isinstance(argv, list) or not argv:
        raise _gone(place, phrase("{path} says no command.", path=str(folder / _FILE)))
    words = [str(word) for word in cast("list[object]", argv)]
    words = [word.replace("{resource_dir}", place.folder) for word in words]
    program = _program(words[0], folder)
    if not program:
        raise _gone(place, phrase("There is no {program}.", program=words[0]))
    given: Any = facts.get("env")
    variables = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    return KernelSpec(
        place=place,
        command=(program, *words[1:]),
        variables={name: str(value) for name, value in variables.items()},
        interrupts="message" if facts.get("interrupt_mode") == "message" else "signal",
    )


def kernel_folders() -> Iterator[Path]:
    """Yield the folders whose folders describe kernels, the user's own first."""
    for one in os.environ.get("JUPYTER_PATH", "").split(os.pathsep):
        if os.path.isabs(one):
            yield Path(one, "kernels")
    home = Path.home()
    if sys.platform == "darwin":
        yield home / "Library" / "Jupyter" / "kernels"
    else:
        data = os.environ.get("XDG_DATA_HOME") or str(home / ".local" / "share")
        yield Path(data, "jupyter", "kernels")
    for prefix in ("/usr/local", "/usr"):
        yield Path(prefix).joinpath(*_KERNELS)


def _places_in(parent: Path) -> Iterator[Place]:
    try:
        names = sorted(entry.name for entry in os.scandir(parent) if entry.is_dir())
    except OSError:
        return
    for name in names[:_MOST_KERNELS]:
        facts = _read(parent / name)
        language, label = facts.get("language"), facts.get("display_name")
        word = canonical(language) if isinstance(language, str) else ""
        if word and facts.get("argv"):
            words = plain_label(label) if isinstance(label, str) else ""
            folder = str(parent / name)
            yield Place(language=word, label=words or name, folder=folder)


def plain_label(label: str) -> str:
    """Return a name as it can be shown on one line, with nothing that is not seen."""
    words = " ".join(label.split())[:_LONGEST_LABEL]
    return "".join(letter for letter in words if letter.isprintable())


def canonical(language: str) -> str:
    """Return our own word for a language, else its own; "" for what can be no name of one."""
    from playhead.kernel.drivers import registry  # half a megabyte that a window at rest has not

    word = language.strip().lower().replace(":", "")
    known = (one.word for one in registry.DRIVERS if word == one.word or word in one.aliases)
    return next(known, word if _LANGUAGE.fullmatch(word) else "")


def _read(folder: Path) -> dict[str, Any]:
    try:
        data = read_plain(folder / _FILE, _FILE_LIMIT) or b""
        facts: Any = read_json(data)
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", facts) if isinstance(facts, dict) else {}


def _program(word: str, folder: Path) -> str:
    """Return the program of a command; a bare `python` is that of the kernel's own environment.

    Jupyter takes the Python that it runs in itself, which is no business of ours.
    """
    if os.path.isabs(word):
        return word if os.path.isfile(word) else ""
    prefix = folder.parent.parent.parent.parent
    is_environment = folder.parent.parts[-3:] == _KERNELS
    own = find_program(word, str(prefix / "bin")) if is_environment else ""
    return own or find_program(word)


def _gone(place: Place, detail: str) -> ExecutionError:
    return ExecutionError(
        phrase("The kernel “{label}” cannot be started.", label=place.label),
        detail=detail,
        remedy="Choose where this conversation runs.",
    )
