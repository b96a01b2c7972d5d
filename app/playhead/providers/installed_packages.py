"""Which well-known packages a Python has, read from the names in its folders; runs nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

WORTH_A_WORD = (
    "numpy", "pandas", "polars", "matplotlib", "seaborn", "plotly", "scipy", "scikit-learn",
    "statsmodels", "sympy", "pillow", "opencv-python", "torch", "tensorflow", "requests", "httpx",
    "beautifulsoup4", "lxml", "openpyxl", "pypdf", "python-docx", "sqlalchemy", "duckdb", "ipython",
)  # fmt: skip
"""Those that decide how a task is gone about; in this order they are told."""

_DISTRIBUTION = re.compile(r"^(?P<name>.+?)-(?P<version>\d[^-]*)(?:-.*)?\.(?:dist|egg)-info$")
_VERSION = re.compile(r"python(3\.\d+)$")


def python_told(interpreter: str) -> str:
    """The version, where the folders say it, and the path; '' for none."""
    if not interpreter:
        return ""
    version = _version(Path(interpreter))
    return f"{version} ({interpreter})".strip()


def packages_of(interpreter: str) -> tuple[str, ...]:
    """The names of the well-known packages that are installed; () where nothing can be read."""
    found = {_plain(name) for folder in _folders(Path(interpreter)) for name in _names(folder)}
    return tuple(name for name in WORTH_A_WORD if _plain(name) in found)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(folder: Path) -> list[str]:
    try:
        entries = [entry.name for entry in folder.iterdir()]
    except OSError:
        return []
    return [match["name"] for entry in entries if (match := _DISTRIBUTION.match(entry))]


def _folders(interpreter: Path) -> Iterable[Path]:
    """Where packages may lie, by the ways in which Pythons are laid out."""
    if not interpreter.name:
        return
    yield from _beside(interpreter)
    settings = _venv_settings(interpreter)
    is_alone = settings.get("include-system-site-packages", "false").lower() != "true"
    if settings and not is_alone and (home := settings.get("home")):
        yield from _beside(Path(home) / interpreter.name)


def _beside(interpreter: Path) -> Iterable[Path]:
    prefix = interpreter.parent.parent
    yield interpreter.parent / "Lib" / "site-packages"  # Windows, no environment
    yield prefix / "Lib" / "site-packages"
    for base in (prefix, prefix / "local"):
        yield from (base / "lib").glob("python3*/site-packages")
        yield from (base / "lib").glob("python3*/dist-packages")


def _version(interpreter: Path) -> str:
    settings = _venv_settings(interpreter)
    if said := settings.get("version") or settings.get("version_info"):
        return ".".join(said.split(".")[:3])
    if found := _VERSION.search(_resolved(interpreter).name):
        return found[1]
    if str(interpreter) == sys.executable:
        return ".".join(map(str, sys.version_info[:3]))
    return ""


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path


def _venv_settings(interpreter: Path) -> dict[str, str]:
    """What an environment notes of itself; {} for a Python that is none."""
    try:
        lines = (interpreter.parent.parent / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = (line.partition("=") for line in lines)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}
