"""Z shell, as a persistent shell."""

from __future__ import annotations

import re

from .shell import Shell

_INSTALL = {
    "linux": "Install the package zsh (`sudo apt install zsh`).",
    "darwin": "It is a part of macOS: see whether /bin is on the PATH.",
}


class Zsh(Shell):
    """One zsh for all blocks."""

    word = "zsh"
    name = "Z shell"
    aliases = ("sh", "shell")
    programs = ("zsh",)
    install = _INSTALL
    script = "zsh.zsh"
    check = ("-f", "-n")
    complaint = re.compile(r">:(\d+): (.*)")

    def options(self) -> list[str]:
        """None but the system's own /etc/zshenv, which zsh reads in any case."""
        return ["-f"]
