"""Name the packages that code has imported, with their versions, as `name version`.

Nothing is imported and no metadata is parsed: the version is in the name of the folder that every
installer writes beside a package (`numpy-2.3.1.dist-info`; PEP 376, PEP 427).
"""

from __future__ import annotations

import os
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .channel import Channel

_NAMES: Any = vars(ModuleType)["__dict__"]
_PER_MARK = 40
_MOST = 400
_LONGEST = 80
_RECORD_LIMIT = 300_000
_SEPARATORS = re.compile(r"[-_.]+")
_OTHER_NAMES = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv_python",
    "dateutil": "python_dateutil",
    "mpl_toolkits": "matplotlib",
    "pkg_resources": "setuptools",
    "skimage": "scikit_image",
    "sklearn": "scikit_learn",
    "yaml": "pyyaml",
}
"""The modules most in use whose package has another name; others are looked for."""


class ImportedPackages:
    """Knows which modules were there at the last look. Costs nothing where no import was."""

    def __init__(self) -> None:
        self._seen = set(sys.modules)  # what Python itself starts with
        self._sent: set[str] = set()
        self._folders: dict[str, _Installed] = {}

    def send(self, channel: Channel) -> None:
        """Send what was imported since the last time; the first time also the version of Python."""
        found = self.take()
        for start in range(0, len(found), _PER_MARK):
            rows = [words.split(" ", 1) for words in found[start : start + _PER_MARK]]
            channel.send("packages", names=rows)

    def take(self) -> list[str]:
        """Return what was imported since the last time."""
        if self._sent and len(sys.modules) == len(self._seen):
            return []
        names = {name for name in list(sys.modules) if type(name) is str}
        new = sorted(name for name in names - self._seen if "." not in name)
        found = [] if self._sent else [f"python {sys.version.split()[0].rstrip('+')}"]
        self._seen = names
        for name in new:
            words = self._package_of(name)
            if words and words not in (*self._sent, *found) and len(words) <= _LONGEST:
                found.append(words)
        found = found[: max(0, _MOST - len(self._sent))]
        self._sent.update(found)
        return found

    def _package_of(self, name: str) -> str:
        """Return the package of a module; "" for those of Python, of the user, and without one."""
        module = sys.modules.get(name)
        if not issubclass(type(module), ModuleType):  # code may put anything there
            return ""
        path: object = _NAMES.__get__(module).get("__file__")  # a lazy module stays lazy
        if type(path) is not str:
            return ""
        folder = os.path.dirname(path)
        if os.path.basename(path).startswith("__init__."):
            folder = os.path.dirname(folder)
        installed = self._folders.get(folder)
        if installed is None or installed.is_old():
            installed = self._folders[folder] = _Installed(folder)
        return installed.package_of(name)


class _Installed:
    """The packages of one folder of `sys.path`, by their modules."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._changed_at = _changed_at(folder)
        self._packages: dict[str, tuple[str, str]] = {}
        self._by_module: dict[str, str] | None = None
        for entry in _listed(folder):
            stem, dot, kind = entry.rpartition(".")
            name, _, version = stem.partition("-")
            if dot and kind in ("dist-info", "egg-info") and name and version:
                version = version.partition("-py")[0] if kind == "egg-info" else version
                self._packages[_normal(name)] = (f"{name} {version}", entry)

    def is_old(self) -> bool:
        """Return whether something was installed or removed since it was read."""
        return _changed_at(self._folder) != self._changed_at

    def package_of(self, module: str) -> str:
        """Return `name version`, or "" if no package is known to have the module."""
        if not self._packages:
            return ""
        for name in (_normal(module), _OTHER_NAMES.get(module, "")):
            if name in self._packages:
                return self._packages[name][0]
        if self._by_module is None:
            self._by_module = {
                found: words
                for words, entry in self._packages.values()
                for found in self._modules_of(entry)
            }
        return self._by_module.get(module, "")

    def _modules_of(self, entry: str) -> set[str]:
        """Return the modules that a package says it has."""
        text = _text(os.path.join(self._folder, entry, "top_level.txt"))
        if text:
            return set(text.split())
        record = _text(os.path.join(self._folder, entry, "RECORD"))
        firsts = {row.partition(",")[0].partition("/")[0] for row in record.split("\n")}
        return {first.partition(".")[0] for first in firsts if not first.endswith("-info")}


def _normal(name: str) -> str:
    return _SEPARATORS.sub("_", name).lower()


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _changed_at(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_RECORD_LIMIT)
    except OSError:
        return ""
