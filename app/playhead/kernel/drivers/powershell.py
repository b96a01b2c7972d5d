"""PowerShell, as one process for all blocks; not run here, where it cannot be installed.

The Windows PowerShell of old is not meant: pipes with numbers are what Linux and macOS have.
"""

from __future__ import annotations

from .child import ChildDriver

_INSTALL = {
    "linux": "Install it as https://aka.ms/powershell says for your distribution.",
    "darwin": "Install it with `brew install powershell`.",
}


class PowerShell(ChildDriver):
    """One `pwsh` for all blocks; a stop ends it, and its names with it."""

    word = "powershell"
    name = "PowerShell"
    aliases = ("pwsh", "ps1")
    programs = ("pwsh",)
    install = _INSTALL
    script = "powershell.ps1"
    suffix = ".ps1"
    renews_input = False

    def command(self, script: str) -> list[str]:
        """Return the command, without the user's profile and without questions to a terminal."""
        options = ["-NoLogo", "-NoProfile", "-NonInteractive"]
        return [self.context.program, *options, "-File", script]

    def variables(self) -> dict[str, str]:
        """Return variables for no colours in a pipe, and no update check or telemetry."""
        return {
            "NO_COLOR": "1",
            "POWERSHELL_UPDATECHECK": "Off",
            "POWERSHELL_TELEMETRY_OPTOUT": "1",
        }
