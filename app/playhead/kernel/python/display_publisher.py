"""Show values and figures: what `display` is given, the last expression's value, open figures."""

from __future__ import annotations

import builtins
import itertools
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Iterable

from . import frames, representations
from .frames import KeptFrames

if TYPE_CHECKING:
    from ..channel import Channel
    from .lines.block_lines import LineSampler


_PYPLOT = "matplotlib.pyplot"
_text_of = repr  # blocks may put anything in its place


class DisplayPublisher:
    """The way to the screen; all but text goes through files in the spool folder.

    `dpi` is the screen's (0: as figures are), `figure_format` png or svg.
    """

    def __init__(self, channel: Channel, sampler: LineSampler, spool: str, dpi: float = 0) -> None:
        self._channel = channel
        self._sampler = sampler
        self._spool = spool
        self._numbers = itertools.count(1)
        self.dpi = dpi
        self.figure_format = "png"
        self.kept = KeptFrames()
        self.captured: list[Any] | None = None
        """Collects what is to be shown while a block captures it."""

    def show_value(self, value: object) -> None:
        """Show a value; the `sys.displayhook` of the kernel."""
        if value is None:
            return
        builtins._ = value  # type: ignore[attr-defined]
        self.show(value)

    def show(self, value: object) -> None:
        """Show a value in the best form it has."""
        if self.captured is not None:
            self.captured.append(value)
            return
        if self._is_figure(value):
            self.show_figure(value)
            return
        if frames.is_frame(value):
            self._show_table(value)
            return
        shown = representations.find(value)
        if shown is not None:
            self.send(shown)
        elif not representations.shows_itself(value):
            self.show_text(_text_of(value))

    def show_text(self, text: str) -> None:
        """Show a text that is kept whole."""
        self._channel.send("display")
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def send(self, shown: representations.Representation) -> None:
        """Show data in a form that was found already."""
        name = self._new_name(shown.suffix)
        with open(os.path.join(self._spool, name), "wb") as file:
            file.write(shown.data)
        self._announce(shown.kind, name)

    def show_open_figures(self) -> None:
        """Show and close all figures of pyplot, in the order of their making."""
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is None or not hasattr(pyplot, "get_fignums"):
            return
        for number in pyplot.get_fignums():
            self.show_figure(pyplot.figure(number))

    def drop_open_figures(self) -> None:
        """Close all figures of pyplot unseen: those of a stopped block are not the next one's."""
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is not None and hasattr(pyplot, "close"):
            pyplot.close("all")

    def show_figure(self, figure: Any) -> None:
        """Draw a figure of matplotlib as sharp as the screen, and close it."""
        if self.captured is not None:
            self._close(figure)
            self.captured.append(figure)
            return
        form = self.figure_format
        name = self._new_name(form)
        path = os.path.join(self._spool, name)
        dpi = max(self.dpi, figure.dpi)
        figure.savefig(path, format=form, bbox_inches="tight", dpi=dpi)
        self._announce(form, name)
        self._close(figure)

    def _close(self, figure: Any) -> None:
        pyplot = sys.modules.get(_PYPLOT)
        if pyplot is not None:
            pyplot.close(figure)

    def _is_figure(self, value: object) -> bool:
        figures = sys.modules.get("matplotlib.figure")
        kind = getattr(figures, "Figure", None)
        return kind is not None and isinstance(value, kind)

    def _show_table(self, value: object) -> None:
        """Show a frame's text, for people and for the model, and its first rows."""
        text = _text_of(value)
        self.show_text(text)
        try:
            page = self._page(value) if frames.has_cells(value) else None
            data = json.dumps({**page, "text": text}).encode("ascii") if page else b""
        except Exception:  # noqa: BLE001 - code of others; the text is there
            return
        if data:
            self.send(representations.Representation("table", data, "json"))

    def _page(self, value: Any) -> dict[str, Any]:
        """Return the first rows; a frame that has more to tell is kept for further requests."""
        page = frames.page(value, name=_variable_of(value), render=frames.own_cell)
        if not frames.is_told(page):
            page["key"] = self.kept.keep(value)
        return page

    def _new_name(self, suffix: str) -> str:
        return "%d-%d.%s" % (os.getpid(), next(self._numbers), suffix)

    def _announce(self, kind: str, name: str) -> None:
        self._sampler.forget()
        self._channel.send("show", kind=kind, file=name)


def _variable_of(value: object) -> str:
    """Return the name that the block's code has for a value, "" if it has none."""
    names = vars(sys.modules["__main__"]).items()
    found = (name for name, one in names if one is value and not name.startswith("_"))
    return next(found, "")


def choose_formats(display: DisplayPublisher, formats: Iterable[str]) -> None:
    """Draw figures as the first of these that is known; "retina" is what dpi is for."""
    for name in formats:
        if name in ("svg", "png", "retina"):
            display.figure_format = "svg" if name == "svg" else "png"
            return
