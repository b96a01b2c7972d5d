"""`display` and its relatives, as code written for notebooks expects them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, cast

from . import rich

if TYPE_CHECKING:
    from .display import Display


def install(display: Display) -> None:
    """Put `display` where every block finds it."""

    def show(
        *values: Any,
        raw: bool = False,
        display_id: Any = None,
        **options: Any,  # include, exclude, metadata, transient: nothing to do with them here
    ) -> Any:
        """Show values in their best form, one after the other."""
        for value in values:
            if raw and isinstance(value, dict):
                _show_bundle(display, cast("dict[str, Any]", value))
            else:
                display.show(value)
        return DisplayHandle(display, display_id) if display_id else None

    show.__name__ = show.__qualname__ = "display"
    builtins.display = show  # type: ignore[attr-defined]


def _show_bundle(display: Display, bundle: dict[str, Any]) -> None:
    shown = rich.from_bundle(bundle)
    if shown is not None:
        display.send(shown)
    else:
        display.show_text(str(bundle.get("text/plain", bundle)))


class DisplayHandle:
    """What `display(…, display_id=True)` gives: an update is shown below what was there."""

    def __init__(self, display: Display, display_id: Any) -> None:
        self._display = display
        self.display_id = display_id

    def display(self, value: Any, **options: Any) -> None:
        """Show another value."""
        self._display.show(value)

    update = display
