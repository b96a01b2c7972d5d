"""What a person at the terminal is asked: whether code runs, and what code wants to know."""

from __future__ import annotations

import contextlib
import getpass
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

_SUFFIXES = {"python": ".py", "bash": ".sh", "shell": ".sh", "javascript": ".js", "r": ".R"}


def is_somebody_there() -> bool:
    """Whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def forget_typed() -> None:
    """Drop what was typed before the question was seen: it cannot be the answer to it."""
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios

        with contextlib.suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def ask_offering(prompt: str, offered: str) -> str:
    """One line, which a person may make of the one that is offered. Raises as `ask_line` does."""
    readline = sys.modules.get("readline")
    if readline is None or not offered:
        return input(prompt)
    readline.set_startup_hook(lambda: readline.insert_text(offered))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook()


def ask_line(prompt: str) -> str:
    """One line that does not enter the history. Raises EOFError and KeyboardInterrupt."""
    with _no_history():
        return input(prompt)


def ask_secret(prompt: str) -> str:
    """One line that is not shown."""
    return getpass.getpass(prompt)


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """The user's editor, or what every system has."""
    chosen = environment.get("VISUAL") or environment.get("EDITOR")
    if chosen:
        return shlex.split(chosen, posix=sys.platform != "win32")
    return ["notepad"] if sys.platform == "win32" else ["vi"]


def edited(code: str, language: str) -> str:
    """The code as the user's editor leaves it. Raises OSError if that could not be started."""
    with tempfile.TemporaryDirectory(prefix="playhead-") as folder:
        path = Path(folder, f"code{_SUFFIXES.get(language, '.txt')}")
        path.write_text(code, encoding="utf-8", newline="\n")
        subprocess.run([*editor_command(os.environ), str(path)], check=False)
        text = path.read_text(encoding="utf-8-sig")
    # Editors end the last line; code that had no such end did not mean one.
    return text if code.endswith("\n") else text.removesuffix("\n")


@contextlib.contextmanager
def _no_history() -> Generator[None]:
    """Keep answers out of what the arrow keys bring back."""
    readline = sys.modules.get("readline")
    if readline is None:
        yield
        return
    readline.set_auto_history(False)
    try:
        yield
    finally:
        readline.set_auto_history(True)
