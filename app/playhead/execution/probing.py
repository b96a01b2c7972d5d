"""Looks for Pythons on this machine and at each of them; blocking, so to be called in a thread."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playhead.domain.execution import Interpreter
from playhead.errors import ExecutionError

OLDEST = (3, 9)
_PROBE_LIMIT_S = 10
_AT_ONCE = 4
_IS_WINDOWS = sys.platform == "win32"
_NAMES = (
    "python3",
    "python",
    *(f"python3.{minor}{build}" for minor in range(20, 8, -1) for build in ("", "t")),
)
"""A free-threaded build has a "t" behind its version."""

# Understood by Python 2 as well, so that an old one is told apart from what is none.
_PROBE = """
import sys, json, sysconfig
def has(name):
    try:
        import importlib.util
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable,
    "prefix": sys.prefix, "base_prefix": getattr(sys, "base_prefix", sys.prefix),
    "pip": has("pip"), "venv": has("venv") and has("ensurepip"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED"))}))
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a Python says of itself."""

    interpreter: Interpreter
    prefix: str
    can_make_environments: bool
    is_free_threaded: bool = False

    @property
    def version(self) -> tuple[int, ...]:
        """The version as numbers."""
        return tuple(int(part) for part in self.interpreter.version.split("."))

    @property
    def rank(self) -> tuple[bool, tuple[int, ...]]:
        """Return what is larger for the better choice: fewer packages work without the lock."""
        return not self.is_free_threaded, self.version


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
    is_free_threaded = facts.get("free_threaded") is True
    build = f"{words} free-threaded" if is_free_threaded else words
    interpreter = Interpreter(
        path=executable,
        version=words,
        label=_label(build, executable, str(facts["prefix"]), found),
        kind=found,  # pyright: ignore[reportArgumentType] - one of the kinds
        has_pip=facts["pip"] is True,
    )
    return Probed(interpreter, str(facts["prefix"]), facts["venv"] is True, is_free_threaded)


def search(folder: str = "", path: str | None = None) -> list[Probed]:
    """All usable Pythons, each once: of the folder, of PATH, of the user's tools."""
    found: dict[tuple[object, ...], Probed] = {}
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for probed in threads.map(_probe_or_none, candidates(folder, path)):
            if probed is None or is_ours(probed):
                continue
            # One folder may hold several versions and builds, as /usr does on Debian.
            found.setdefault((os.path.realpath(probed.prefix), *probed.rank), probed)
    return list(found.values())


def _probe_or_none(path: str) -> Probed | None:
    try:
        return probe(path)
    except ExecutionError:
        return None


def is_ours(probed: Probed) -> bool:
    """Whether it is the environment that this program runs in: `pip install` could break it."""
    has_own = sys.prefix != sys.base_prefix
    return has_own and os.path.realpath(probed.prefix) == os.path.realpath(sys.prefix)


def candidates(folder: str = "", path: str | None = None) -> list[str]:
    """Paths that could be a Python, the likeliest first."""
    paths = [*_in_folder(folder), *_on_path(path), *_by_tools(), *_environments()]
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
    except FileNotFoundError:
        raise _gone(path) from None
    except (OSError, ValueError) as error:
        problem = str(error)
    raise ExecutionError(
        "This is no Python that can be used.",
        detail=f"{path}: {problem}.",
        remedy="Choose the program python3 or python.exe of a Python 3.9 or newer.",
    )


def _gone(path: str) -> ExecutionError:
    """Deleted, or an environment whose own Python was: its link leads nowhere."""
    is_link = os.path.islink(path)
    what = f"{path} leads to {os.path.realpath(path)}, which is not there" if is_link else path
    return ExecutionError(
        "There is no Python at this place.",
        detail=f"{what}.",
        remedy="Choose another one, or make its environment again.",
    )


def _in_folder(folder: str) -> Iterator[str]:
    if folder:
        for name in (".venv", "venv", "env"):
            yield str(python_in(Path(folder) / name))


def _on_path(path: str | None) -> Iterator[str]:
    for name in _NAMES:
        found = shutil.which(name, path=path or None)
        if found:
            yield os.path.abspath(found)
    if not _IS_WINDOWS:
        yield "/usr/bin/python3"


def _by_tools() -> Iterable[str]:
    """Pythons that pyenv, uv and conda have installed."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", _data_home() / "uv" / "python"))
    condas = [home / name for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge")]
    if prefix := os.environ.get("CONDA_PREFIX"):
        condas.insert(0, Path(prefix))
    roots = [*_children(pyenv), *_children(uv), *condas, *_known_to_conda()]
    for conda in condas:
        roots += _children(conda / "envs")
    return [str(_python_of_tool(root)) for root in roots]


def _environments() -> Iterable[str]:
    """Environments that the user keeps in one place, or whose tool does."""
    home = Path.home()
    cache = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    places = [
        Path(os.environ.get("WORKON_HOME", home / ".virtualenvs")),
        home / ".venvs",
        _data_home() / "virtualenvs",  # pipenv
        Path(os.environ.get("POETRY_CACHE_DIR", cache / "pypoetry")) / "virtualenvs",
    ]
    return [str(python_in(root)) for place in places for root in _children(place)]


def _known_to_conda() -> list[Path]:
    try:
        lines = (Path.home() / ".conda" / "environments.txt").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [Path(line.strip()) for line in lines if line.strip()]


def _python_of_tool(root: Path) -> Path:
    """On Windows these lie beside their folders, not in `Scripts` as those of environments."""
    return root / "python.exe" if _IS_WINDOWS else python_in(root)


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))


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
