"""R, as one process for all blocks."""

from __future__ import annotations

import contextlib
import os
import re

from ..driver import DriverContext, Job
from .child import ChildDriver

_INSTALL = {
    "linux": "Install the package r-base (`sudo apt install r-base`).",
    "darwin": "Install it with `brew install r`, or from https://cran.r-project.org.",
    "": "Install it from https://cran.r-project.org.",
}
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")


class R(ChildDriver):
    """One R for all blocks; needs R 3.6.

    The script opens its input again for each question, since R cannot give a process another
    standard input; it stays the same pipe for all blocks.
    """

    word = "r"
    name = "R"
    aliases = ("rscript", "rlang")
    programs = ("Rscript",)
    install = _INSTALL
    script = "r.R"
    suffix = ".R"
    renews_input = False
    memory_error = re.compile(r"cannot allocate (vector|memory)|memory exhausted")

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._stop_file = ""

    def command(self, script: str) -> list[str]:
        """Return the command, without the user's profile and variables but with their packages."""
        options = ["--no-init-file", "--no-restore", "--no-save"]
        return [self.context.program, *options, script]

    def variables(self) -> dict[str, str]:
        """Return a UTF-8 locale: without it R writes other scripts than English as `<U+00E9>`."""
        chosen = next((os.environ[name] for name in _LOCALE if os.environ.get(name)), "")
        if "utf" in chosen.lower():
            return {}
        return {"LC_ALL": "", "LC_CTYPE": "C.UTF-8"}

    def interrupt(self) -> None:
        """Stop the block, also by a file: R ignores the signal while it waits for a command."""
        if self._stop_file:
            with contextlib.suppress(OSError):
                open(self._stop_file, "w", encoding="ascii").close()
        super().interrupt()

    def _fields(self, job: Job) -> list[str]:
        fields = super()._fields(job)
        self._stop_file = fields[1] + ".stop"
        return [*fields, str(job.dpi)]
