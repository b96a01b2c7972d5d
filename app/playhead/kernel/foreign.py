"""Lets libraries that open windows or browsers show here instead, as soon as they are imported."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Callable, Iterable

if TYPE_CHECKING:
    from .display import Display

Patch = Callable[[Any], None]

_SHOWN_BY_METHOD = {
    "PIL.Image": "Image",
    "plotly.basedatatypes": "BaseFigure",
    "altair.vegalite.v5.api": "TopLevelMixin",
    "altair.vegalite.v6.api": "TopLevelMixin",
}
"""Classes whose `show` would start another program."""


def patches(display: Display) -> dict[str, Patch]:
    """What to do with which module."""
    shown = {module: _method(display, name) for module, name in _SHOWN_BY_METHOD.items()}
    return {
        **shown,
        "matplotlib.pyplot": _pyplot(display),
        "bokeh.io.showing": _function(display),
        "IPython.core.display_functions": _give_display,
        "matplotlib_inline.backend_inline": _formats(display),
    }


def choose_formats(display: Display, formats: Iterable[str]) -> None:
    """Draw figures as the first of these that is known; "retina" is what dpi is for."""
    for name in formats:
        if name in ("svg", "png", "retina"):
            display.figure_format = "svg" if name == "svg" else "png"
            return


def _pyplot(display: Display) -> Patch:
    """The Agg backend would only warn that it has no window."""

    def show(*args: Any, **kwargs: Any) -> None:  # a function: pyplot sets attributes on it
        display.show_open_figures()

    def show_one(figure: Any, warn: bool = True) -> None:
        display.show_figure(figure)

    def patch(pyplot: Any) -> None:
        pyplot.show = show
        pyplot.Figure.show = show_one

    return patch


def _method(display: Display, class_name: str) -> Patch:
    def show(self: Any, *args: Any, **kwargs: Any) -> None:
        display.show(self)

    def patch(module: Any) -> None:
        getattr(module, class_name).show = show

    return patch


def _function(display: Display) -> Patch:
    def show(obj: Any, *args: Any, **kwargs: Any) -> None:
        display.show(obj)

    def patch(module: Any) -> None:
        module.show = show

    return patch


def _give_display(functions: Any) -> None:
    """Without its shell IPython would print the text of everything."""
    functions.display = vars(builtins)["display"]


def _formats(display: Display) -> Patch:
    def set_formats(*formats: str, **kwargs: Any) -> None:
        choose_formats(display, formats)

    def patch(backend: Any) -> None:
        backend.set_matplotlib_formats = set_formats

    return patch
