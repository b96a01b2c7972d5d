"""The languages that there are drivers for; a new one is a class and a line here."""

from __future__ import annotations

from ..driver import Driver
from .python import Python
from .script_languages import AppleScript, Html, Java, JavaScript, PowerShell, R, Ruby
from .shell import Bash, Zsh

DRIVERS: tuple[type[Driver], ...] = (
    Python,
    Bash,
    Zsh,
    JavaScript,
    R,
    Ruby,
    PowerShell,
    Java,
    AppleScript,
    Html,
)
"""In the order in which they are offered; of two with the same alias the first that can run."""


def driver_of(word: str) -> type[Driver]:
    """Return the class of a language by its own word. Raises LookupError."""
    for driver in DRIVERS:
        if driver.word == word:
            return driver
    raise LookupError(word)
