"""Skip work that libraries do when they are imported and that the program does not need."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_STUB_WRITERS = frozenset(
    f"shibokensupport/signature/lib/{name}.py" for name in ("enum_sig", "pyi_generator")
)


def leave_tls_out_of_asyncio() -> None:
    """Import asyncio without `ssl`: the window's own loop speaks no TLS.

    Its server is for this machine alone, and providers are reached by the model worker. Modules
    that want `ssl` itself find it as always.
    """
    if "ssl" in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType] - so an import is refused
    try:
        importlib.import_module("asyncio")
    finally:
        del sys.modules["ssl"]


def leave_openssl_out_of_hashlib() -> None:
    """Import hashlib without OpenSSL, which takes 3.4 MB: Python has these hashes of its own.

    Where a build of Python lacks one of them, nothing changes.
    """
    from importlib.util import find_spec

    newer = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    own = ("_md5", "_sha1", newer, "_sha3", "_blake2")
    if "_hashlib" in sys.modules or not all(map(find_spec, own)):
        return
    sys.modules["_hashlib"] = None  # pyright: ignore[reportArgumentType] - so an import is refused
    try:
        for name in ("hashlib", "hmac"):
            importlib.import_module(name)
    finally:
        del sys.modules["_hashlib"]


def leave_sources_unread() -> None:
    """Keep PySide6 from searching each imported module's source for its own name.

    It searches (`shibokensupport.feature`) for modules that may use `from __feature__ import …`,
    which this program never does. That takes a tenth of the time to the first paint, and all that
    text stays in memory. If another version of PySide6 works differently, nothing changes.
    """
    _import_without_stub_writers()  # puts shibokensupport in its place
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        feature.__dict__["_mod_uses_pyside"] = _uses_no_feature


def _import_without_stub_writers() -> None:
    """Import PySide6 without the two modules that only write stub files for type checkers.

    It compiles its support modules from a zip file at each start. Of the time to the first paint
    these two would take a twentieth.
    """
    really: Any = builtins.compile

    def compile_the_others(source: object, filename: object, *rest: Any, **options: Any) -> Any:
        is_left_out = str(filename) in _STUB_WRITERS
        return really("" if is_left_out else source, filename, *rest, **options)

    builtins.compile = compile_the_others
    try:
        importlib.import_module("PySide6.QtCore")
    finally:
        builtins.compile = really


def _uses_no_feature(_module: ModuleType) -> bool:
    return False
