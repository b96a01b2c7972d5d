"""What libraries would do at the start and nobody needs: kept from doing it, before the window."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


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


def leave_sources_unread() -> None:
    """Have PySide6 not search each imported module's source for its own name.

    It does so (`shibokensupport.feature`) to learn who may use `from __feature__ import …`, which
    nobody here does: a tenth of the way to the first paint, and all that text stays in memory.
    Where another version of PySide6 does it otherwise, nothing changes.
    """
    importlib.import_module("PySide6")  # puts shibokensupport in its place
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        feature.__dict__["_mod_uses_pyside"] = _uses_no_feature


def _uses_no_feature(_module: ModuleType) -> bool:
    return False
