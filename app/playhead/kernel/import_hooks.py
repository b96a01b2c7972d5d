"""Changes modules of others as they are imported, wherever that happens."""

from __future__ import annotations

import sys
from typing import Any, Callable, Mapping, Sequence

Patch = Callable[[Any], None]


class ImportHooks:
    """A finder that lets the others find and adds a patch to the loader of what it knows."""

    def __init__(self, patches: Mapping[str, Patch]) -> None:
        self._patches = patches

    def install(self) -> None:
        """Stand before all other finders; what has been imported already is patched now."""
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        for name, patch in self._patches.items():
            if name in sys.modules:
                patch(sys.modules[name])

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """Wrap the loader that is found for a known name; every other module is left alone."""
        if name not in self._patches:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    _wrap(spec.loader, self._patches[name])
                return spec
        return None


def _wrap(loader: Any, patch: Patch) -> None:
    execute = loader.exec_module

    def exec_module(module: Any) -> None:
        execute(module)
        patch(module)

    loader.exec_module = exec_module
