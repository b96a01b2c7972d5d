"""Bash, as a persistent shell."""

from __future__ import annotations

from .child import ChildDriver


class Bash(ChildDriver):
    """One shell for all blocks."""

    word = "bash"
    name = "Bash"
    aliases = ("sh", "shell")
    programs = ("bash",)
    script = "bash.sh"
    suffix = ".sh"

    def command(self, script: str) -> list[str]:
        """Without the user's start files: what a block does is the same everywhere."""
        return [self.stage.program, "--norc", "--noprofile", script]
