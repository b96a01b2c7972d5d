"""`%%capture`: what a block prints and shows goes into a variable, that of its children too."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .display import Display

_STREAMS = ((1, "stdout"), (2, "stderr"))


class Captured:
    """What a block printed and showed; called or shown it comes out after all."""

    def __init__(self, stdout: str, stderr: str, outputs: list[Any], display: Display) -> None:
        self.stdout, self.stderr, self.outputs = stdout, stderr, outputs
        self._display = display

    def __str__(self) -> str:
        return self.stdout

    def __repr__(self) -> str:
        shown = len(self.outputs)
        return f"<captured: {len(self.stdout):,} characters, {shown} shown; .show() lets them out>"

    def show(self) -> None:
        """Let it out."""
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for value in self.outputs:
            self._display.show(value)

    __call__ = show


class Capture:
    """Owner of the files that stand in the place of the descriptors until `end`."""

    def __init__(self, display: Display, without: tuple[str, ...] = ()) -> None:
        self._display = display
        self._files: list[tuple[int, int, str, Any]] = []
        for fd, name in _STREAMS:
            if f"--no-{name}" not in without:
                self._divert(fd, name)
        if "--no-display" not in without:
            display.captured = []

    def end(self) -> Captured:
        """Give the descriptors back; what came meanwhile."""
        if self._display.captured is not None:
            self._display.show_open_figures()
        outputs, self._display.captured = self._display.captured or [], None
        texts = {"stdout": "", "stderr": ""}
        for fd, kept, name, file in self._files:
            _flush(name)
            os.dup2(kept, fd)
            os.close(kept)
            file.seek(0)
            texts[name] = file.read().decode("utf-8", "backslashreplace")
            file.close()
        self._files = []
        return Captured(texts["stdout"], texts["stderr"], outputs, self._display)

    def _divert(self, fd: int, name: str) -> None:
        _flush(name)
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._files.append((fd, os.dup(fd), name, file))
        os.dup2(file.fileno(), fd)


def _flush(name: str) -> None:
    try:
        getattr(sys, name).flush()
    except (AttributeError, OSError, ValueError):
        return  # replaced or closed by the block
