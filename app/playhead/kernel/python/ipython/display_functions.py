"""`display` and its relatives, as code written for notebooks expects them."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any, Callable, cast

from .. import representations

if TYPE_CHECKING:
    from ..display_publisher import DisplayPublisher


_STAYS = "clear_output changes nothing here: what was shown stays in the conversation.\n"
_FORMS = ("html", "markdown", "latex", "svg", "png", "jpeg", "javascript", "json", "pretty", "pdf")


def install(display: DisplayPublisher) -> dict[str, Any]:
    """Put `display` where every block finds it; its relatives, by the names that notebooks have."""

    def show(
        *values: Any,
        raw: bool = False,
        display_id: Any = None,
        **options: Any,  # include, exclude, metadata, transient: ignored here
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
    return {**_relatives(display, show), **_raw_shows(display)}


def _relatives(display: DisplayPublisher, show: Callable[..., Any]) -> dict[str, Any]:
    said: list[bool] = []

    def clear_output(wait: bool = False) -> None:
        """Print once that nothing is cleared."""
        if not said:
            said.append(True)
            sys.stdout.write(_STAYS)

    def update_display(value: Any, *, display_id: Any = None, **options: Any) -> None:
        """Show the newer value, below what was there."""
        show(value, **options)

    def publish_display_data(data: dict[str, Any], **options: Any) -> None:
        """Show data by its MIME types."""
        show(data, raw=True)

    def make_handle(display_id: Any = None) -> DisplayHandle:
        return DisplayHandle(display, display_id)

    return {
        "clear_output": clear_output,
        "update_display": update_display,
        "publish_display_data": publish_display_data,
        "DisplayHandle": make_handle,
    }


def _raw_shows(display: DisplayPublisher) -> dict[str, Any]:
    """Return `display_html` and its like: an object's one form, or with `raw` the data itself."""
    kinds = {"html": "text/html", "markdown": "text/markdown", "latex": "text/latex"}
    kinds.update(svg="image/svg+xml", png="image/png", jpeg="image/jpeg", pretty="text/plain")
    kinds.update(javascript="application/javascript", json="application/json")

    def of(mime: str) -> Callable[..., None]:
        def show_one(*values: Any, raw: bool = False, **options: Any) -> None:
            for value in values:
                if raw:
                    _show_bundle(display, {mime: value, "text/plain": value})
                else:
                    display.show(value)

        return show_one

    return {f"display_{word}": of(kinds.get(word, "")) for word in _FORMS}


def _show_bundle(display: DisplayPublisher, bundle: dict[str, Any]) -> None:
    shown = representations.from_bundle(bundle)
    if shown is not None:
        display.send(shown)
    else:
        display.show_text(str(bundle.get("text/plain", bundle)))


class DisplayHandle:
    """The handle of `display(…, display_id=True)`: an update is shown below the earlier output."""

    def __init__(self, display: DisplayPublisher, display_id: Any) -> None:
        self._display = display
        self.display_id = display_id

    def __repr__(self) -> str:
        return f"<display handle {self.display_id}>"

    def display(self, value: Any, **options: Any) -> None:
        """Show another value."""
        self._display.show(value)

    update = display
