"""Shows values and figures: the last expression's value, matplotlib's figures, PNG images."""

from __future__ import annotations

import builtins
import itertools
import os
import sys
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from types import ModuleType

    from .channel import Channel
    from .line_sampler import LineSampler

_PYPLOT = "matplotlib.pyplot"


class Display:
    """The way to the screen; images go through files in the spool folder, never through a mark."""

    def __init__(self, channel: Channel, sampler: LineSampler, spool: str) -> None:
        self._channel = channel
        self._sampler = sampler
        self._spool = spool
        self._numbers = itertools.count(1)

    def show_value(self, value: object) -> None:
        """The `sys.displayhook` of the kernel."""
        if value is None:
            return
        builtins._ = value  # type: ignore[attr-defined]
        if self._show_as_image(value):
            return
        text = repr(value) + "\n"
        self._channel.send("display")
        sys.stdout.write(text)
        sys.stdout.flush()

    def show_open_figures(self) -> None:
        """Show and close all figures of pyplot, in the order of their making."""
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            self._show_figure(pyplot.figure(number))

    def drop_open_figures(self) -> None:
        """Close all figures of pyplot unseen: those of a stopped block are not the next one's."""
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is not None and hasattr(pyplot, "close"):
            pyplot.close("all")

    def patch_pyplot(self, pyplot: ModuleType) -> None:
        """Let `show` show here: the Agg backend would only warn that it has no window."""

        def show(*args: Any, **kwargs: Any) -> None:  # a function: pyplot sets attributes on it
            self.show_open_figures()

        def show_one(figure: Any, warn: bool = True) -> None:
            self._show_figure(figure)

        pyplot.show = show  # type: ignore[attr-defined]
        pyplot.Figure.show = show_one  # type: ignore[attr-defined]

    def _show_as_image(self, value: object) -> bool:
        figures = sys.modules.get("matplotlib.figure")
        if figures is not None and isinstance(value, figures.Figure):
            self._show_figure(value)
            return True
        method = getattr(type(value), "_repr_png_", None)
        data = method(value) if callable(method) else None
        if not isinstance(data, bytes):
            return False
        self._send_image(lambda path: _write(path, data))
        return True

    def _show_figure(self, figure: Any) -> None:
        self._send_image(lambda path: figure.savefig(path, format="png", bbox_inches="tight"))
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is not None:
            pyplot.close(figure)

    def _send_image(self, save: Callable[[str], None]) -> None:
        name = "%d-%d.png" % (os.getpid(), next(self._numbers))
        save(os.path.join(self._spool, name))
        self._sampler.forget()
        self._channel.send("show", kind="png", file=name)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
