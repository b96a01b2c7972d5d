"""What imports cost once PySide6 is loaded: it would read the source text of every module."""

from __future__ import annotations

import importlib
from types import ModuleType


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
