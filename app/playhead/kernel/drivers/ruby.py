"""Ruby, as one process for all blocks."""

from __future__ import annotations

import re

from .child import ChildDriver

_INSTALL = {
    "linux": "Install the package ruby (`sudo apt install ruby`).",
    "darwin": "Install it with `brew install ruby`.",
    "": "Install it from https://www.ruby-lang.org.",
}


class Ruby(ChildDriver):
    """One Ruby for all blocks; needs Ruby 2.7."""

    word = "ruby"
    name = "Ruby"
    aliases = ("rb", "irb")
    programs = ("ruby",)
    install = _INSTALL
    script = "ruby.rb"
    suffix = ".rb"
    memory_error = re.compile(r"^NoMemoryError")

    def command(self, script: str) -> list[str]:
        """Return the command, with UTF-8 for all text, whatever the locale is."""
        return [self.context.program, "-Eutf-8", script]
