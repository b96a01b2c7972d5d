"""Who wants to hear of a session's changes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)
_Event = TypeVar("_Event")


class Listeners(Generic[_Event]):
    """Tells each of them in order; one that fails is logged and does not stop the others."""

    def __init__(self, whose: str) -> None:
        self._whose = whose
        self._all: list[Callable[[_Event], None]] = []

    def add(self, listener: Callable[[_Event], None]) -> Callable[[], None]:
        """Call `listener` at every event; returns what ends that."""
        self._all.append(listener)

        def remove() -> None:
            if listener in self._all:
                self._all.remove(listener)

        return remove

    def tell(self, event: _Event) -> None:
        """Tell all of them."""
        for listener in tuple(self._all):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one broken view must not stop the others
                _log.exception("a listener of %s failed", self._whose)
