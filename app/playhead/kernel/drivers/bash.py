"""Bash, as a persistent shell."""

from __future__ import annotations

import re

from .shell import Shell

_INSTALL = {
    "linux": "Install the package bash (`sudo apt install bash`).",
    "darwin": "It is a part of macOS: see whether /bin is on the PATH.",
}


class Bash(Shell):
    """One Bash for all blocks, from 3.2 on (as macOS has it)."""

    word = "bash"
    name = "Bash"
    aliases = ("sh", "shell")
    programs = ("bash",)
    install = _INSTALL
    script = "bash.sh"
    check = ("-O", "extglob", "-n")  # the block may switch it on itself
    complaint = re.compile(r"line (\d+): (.*)")

    def options(self) -> list[str]:
        """Neither those of a login nor those of a terminal."""
        return ["--norc", "--noprofile"]

    def variables(self) -> dict[str, str]:
        """Scripts have a start file, too."""
        return {**super().variables(), "BASH_ENV": ""}
