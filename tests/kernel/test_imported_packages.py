"""The packages that code has imported are named without importing or parsing anything."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from playhead.kernel.imported_packages import ImportedPackages


def installed(site: Path, package: str, module: str, listed_in: str) -> None:
    """Install a module of a package of another name."""
    (site / f"{module}.py").write_text("")
    info = site / f"{package}.dist-info"
    info.mkdir(parents=True)
    row = f"{module}.py,sha256=x,0\n" if listed_in == "RECORD" else f"{module}\n"
    (info / listed_in).write_text(row)


def test_a_package_is_named_once_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    installed(tmp_path, "zz_first-1.2.post1", "zz_one", "top_level.txt")
    installed(tmp_path, "zz_second-2.0", "zz_two", "RECORD")
    (tmp_path / "zz_own.py").write_text("")  # as a module of the user's
    packages = ImportedPackages()
    [python] = packages.take()
    assert python.startswith("python 3.")
    for module in ("zz_one", "zz_two", "zz_own"):
        importlib.import_module(module)
    assert packages.take() == ["zz_first 1.2.post1", "zz_second 2.0"]
    assert packages.take() == []
    installed(tmp_path, "zz_third-3.0", "zz_three", "top_level.txt")  # while the kernel lives
    importlib.invalidate_caches()
    importlib.import_module("zz_three")
    assert packages.take() == ["zz_third 3.0"]


def test_what_code_puts_among_the_modules_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    class Proxy:  # as those of libraries, which fail while they stand for nothing
        @property
        def __dict__(self):
            raise RuntimeError("it stands for nothing")

    class Late(ModuleType):
        def __getattribute__(self, name: str):
            raise RuntimeError("it is loaded")

    packages = ImportedPackages()
    packages.take()
    late = Late("zz_late")
    for name, value in (("zz_proxy", Proxy()), ("zz_late", late), (5, None), ("zz_none", None)):
        monkeypatch.setitem(sys.modules, name, value)  # pyright: ignore[reportArgumentType]
    assert packages.take() == []
