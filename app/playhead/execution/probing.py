"""Looks for Pythons on this machine and at each of them; blocking, so to be called in a thread."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playhead.conversation.requests import Interpreter
from playhead.errors import ExecutionError

OLDEST = (3, 9)
_PROBE_LIMIT_S = 10
_IS_WINDOWS = sys.platform == "win32"
_NAMES = ("python3", "python", *(f"python3.{minor}" for minor in range(20, 8, -1)))

# Understood by Python 2 as well, so that an old one is told apart from what is none.
_PROBE = """
import sys, json
def has(name):
    try:
        import importlib.util
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable,
    "prefix": sys.prefix, "base_prefix": getattr(sys, "base_prefix", sys.prefix),
    "pip": has("pip"), "venv": has("venv") and has("ensurepip")}))
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a Python says of itself."""

    interpreter: Interpreter
    prefix: str
    can_make_environments: bool

    @property
    def version(self) -> tuple[int, ...]:
        """The version as numbers."""
        return tuple(int(part) for part in self.interpreter.version.split("."))


def probe(path: str, kind: str | None = None) -> Probed:
    """Run a Python to see what it is. Raises ExecutionError if it is none or too old."""
    facts = _ask(path)
    version: list[int] = facts["version"]
    words = ".".join(str(part) for part in version)
    if tuple(version) < OLDEST:
        raise ExecutionError(
            "This Python is too old.",
            detail=f"{path} is Python {words}.",
            remedy="Choose Python 3.9 or newer.",
        )
    # A shim (pyenv) names the real one; a venv's own path is what makes it that venv.
    executable = str(facts["executable"] or path)
    found = kind or _kind(str(facts["prefix"]), str(facts["base_prefix"]))
    interpreter = Interpreter(
        path=executable,
        version=words,
        label=_label(words, executable, str(facts["prefix"]), found),
        kind=found,  # pyright: ignore[reportArgumentType] - one of the kinds
        has_pip=facts["pip"] is True,
    )
    return Probed(interpreter, str(facts["prefix"]), facts["venv"] is True)


def search(folder: str = "") -> list[Probed]:
    """All usable Pythons, each once: of the working folder, of PATH, of pyenv, of conda."""
    found: dict[str, Probed] = {}
    for path in candidates(folder):
        try:
            probed = probe(path)
        except ExecutionError:
            continue
        if not is_ours(probed):
            found.setdefault(os.path.realpath(probed.prefix), probed)
    return list(found.values())


def is_ours(probed: Probed) -> bool:
    """Whether it is the environment that this program runs in: `pip install` could break it."""
    has_own = sys.prefix != sys.base_prefix
    return has_own and os.path.realpath(probed.prefix) == os.path.realpath(sys.prefix)


def candidates(folder: str = "") -> list[str]:
    """Paths that could be a Python, the likeliest first."""
    paths = [*_in_folder(folder), *_on_path(), *_by_tools()]
    return list(dict.fromkeys(path for path in paths if os.path.isfile(path)))


def python_in(environment: Path) -> Path:
    """Where the Python of an environment lies."""
    if _IS_WINDOWS:
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def _ask(path: str) -> dict[str, Any]:
    try:
        result = subprocess.run(
            [path, "-I" if "python2" not in path else "-E", "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_LIMIT_S,
            check=True,
        )
        facts: Any = json.loads(result.stdout)
        if isinstance(facts, dict) and "version" in facts:
            return facts  # pyright: ignore[reportUnknownVariableType]
        problem = "it answers something else"
    except subprocess.TimeoutExpired:
        problem = f"it did not answer within {_PROBE_LIMIT_S} s"
    except subprocess.CalledProcessError as error:
        problem = (error.stderr or b"").decode(errors="replace").strip().partition("\n")[0][:200]
    except (OSError, ValueError) as error:
        problem = str(error)
    raise ExecutionError(
        "This is no Python that can be used.",
        detail=f"{path}: {problem}.",
        remedy="Choose the program python3 or python.exe of a Python 3.9 or newer.",
    )


def _in_folder(folder: str) -> Iterator[str]:
    if folder:
        for name in (".venv", "venv", "env"):
            yield str(python_in(Path(folder) / name))


def _on_path() -> Iterator[str]:
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            yield os.path.abspath(found)
    if not _IS_WINDOWS:
        yield "/usr/bin/python3"


def _by_tools() -> Iterable[str]:
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions"
    condas = [home / name for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge")]
    if prefix := os.environ.get("CONDA_PREFIX"):
        condas.insert(0, Path(prefix))
    roots = [*_children(pyenv), *condas]
    for conda in condas:
        roots += _children(conda / "envs")
    return [str(python_in(root)) for root in roots]


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), reverse=True)
    except OSError:
        return []


def _kind(prefix: str, base_prefix: str) -> str:
    if (Path(prefix) / "conda-meta").is_dir():
        return "conda"
    return "venv" if prefix != base_prefix else "system"


def _label(version: str, path: str, prefix: str, kind: str) -> str:
    name = {"venv": Path(prefix).name, "conda": f"conda {Path(prefix).name}"}.get(kind, path)
    return f"Python {version} · {name}"
