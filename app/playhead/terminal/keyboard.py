"""Input that a person types: answers to questions, edited code, input for running code."""

from __future__ import annotations

import contextlib
import getpass
import os
import select
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping
from pathlib import Path

from playhead.client.server_process import start_thread

_SUFFIXES = {"python": ".py", "bash": ".sh", "shell": ".sh", "javascript": ".js", "r": ".R"}


def is_interactive() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def take_typed() -> str:
    """Take what was typed before a question is printed: it cannot be the answer to it.

    A line that has no end yet is taken, too.
    """
    if sys.platform == "win32":
        import msvcrt

        typed = ""
        while msvcrt.kbhit():
            typed += msvcrt.getwch()
        return typed.replace("\r", "\n")
    import termios

    stdin = sys.stdin.fileno()
    try:
        before = termios.tcgetattr(stdin)
        by_keys = [*before[:3], before[3] & ~termios.ICANON, *before[4:]]
        termios.tcsetattr(stdin, termios.TCSANOW, by_keys)
        try:
            return waiting_lines()
        finally:
            termios.tcsetattr(stdin, termios.TCSANOW, before)
    except termios.error:
        return ""


_PASTE_BINDINGS = (
    "set enable-bracketed-paste on",
    "set bell-style none",  # our completer finds nothing, which would ring
    r'"\e[5200~": possible-completions',
    r'"\e[5201~": bracketed-paste-begin',
    r'"\e[200~": "\e[5200~\e[5201~"',
)
"""Has GNU readline call the completer, the only function of ours that a key can, at each paste."""
_OLDEST_READLINE = 0x0700
_UNMARKED = ("", "dumb", "linux", "unknown")
"""Terminals that do not mark what is pasted."""


class Prompt:
    """Asks for lines and knows which of them were typed letter for letter.

    `is_typed` is whether the last one was. A line that was pasted, offered, or waiting before the
    prompt was there is not; nor is any line after a paste, as the keys of the history and of the
    line editor can bring the pasted text back. Nothing is where pastes look like keys.
    """

    def __init__(self) -> None:
        self.is_typed = False
        self._was_pasted = not _marks_pastes()
        self._is_ahead = False
        self._others: set[str] = set()
        readline = sys.modules.get("readline")
        if readline is None or self._was_pasted:
            return
        for binding in _PASTE_BINDINGS:
            readline.parse_and_bind(binding)
        readline.set_completer(self._on_paste)
        readline.set_pre_input_hook(self._on_prompt)

    def ask(self, prompt: str, offered: str = "") -> str:
        """Ask for a line, with `offered` to edit. Raises EOFError and KeyboardInterrupt."""
        self._is_ahead = bool(offered)
        line = _ask_prefilled(prompt, offered)
        if self._is_ahead:
            self._others.add(line.strip())
        self.is_typed = not self._was_pasted and line.strip() not in self._others
        return line

    def _on_paste(self, _text: str, _state: int) -> None:
        self._was_pasted = True

    def _on_prompt(self) -> None:
        """Notice what waits already: it may have been pasted while no one marked that."""
        self._is_ahead = self._is_ahead or bool(select.select([sys.stdin], [], [], 0)[0])


def _marks_pastes() -> bool:
    """Return whether the line editor and the terminal tell pasted text from keys."""
    readline = sys.modules.get("readline")
    if readline is None or "libedit" in (readline.__doc__ or ""):
        return False
    version = getattr(readline, "_READLINE_RUNTIME_VERSION", 0)
    is_edited = is_interactive() and sys.stdout.isatty()
    return is_edited and version >= _OLDEST_READLINE and os.environ.get("TERM", "") not in _UNMARKED


def _ask_prefilled(prompt: str, offered: str) -> str:
    readline = sys.modules.get("readline")
    if readline is None or not offered:
        return input(prompt)
    readline.set_startup_hook(lambda: readline.insert_text(offered))
    try:
        return input(prompt)
    finally:
        readline.set_startup_hook()


def ask_line(prompt: str) -> str:
    """Ask for a line that is kept out of the history. Raises EOFError and KeyboardInterrupt."""
    with _no_history():
        return input(prompt)


def ask_secret(prompt: str) -> str:
    """Ask for a line that is not echoed."""
    return getpass.getpass(prompt)


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """Return the command of the user's editor, or of one that every system has."""
    chosen = environment.get("VISUAL") or environment.get("EDITOR")
    if chosen:
        return shlex.split(chosen, posix=sys.platform != "win32")
    return ["notepad"] if sys.platform == "win32" else ["vi"]


def edit_code(code: str, language: str) -> str:
    """Return the code as edited in the user's editor. Raises OSError if that cannot be started."""
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


_READ_BYTES = 65_536


class TypeAhead:
    """Reads all that is typed between `begin` and `end`, as the only reader of the terminal.

    `send(text, is_end, run)` is called in its thread. Answers to questions of the code take the
    same way, so that no line typed before a question was shown can miss it or answer another. Text
    that the code did not read is in `unread`. Not available on Windows, where one cannot wait for a
    console and for a signal to stop at once.
    """

    def __init__(self, send: Callable[[str, bool, int], None]) -> None:
        self.unread = ""
        self._send = send
        self._run = 0
        self._sent: list[tuple[str, bool]] = []
        self._thread: threading.Thread | None = None
        self._stop = -1
        self._reading = threading.Lock()
        self._is_hidden = False
        self._has_new_line = False

    @property
    def is_on(self) -> bool:
        """Return whether what is typed goes to the code."""
        return self._thread is not None

    def begin(self) -> None:
        """Send what is typed to the code, a run of which begins."""
        self._run += 1
        terminal = None if self.is_on else _opened_terminal()
        if terminal is None:
            return
        stopped, self._stop = os.pipe()
        self._thread = start_thread(lambda: self._read(terminal, stopped), "typing")

    def end(self, read_bytes: int = 0) -> None:
        """Send no more; `read_bytes` of what was sent to this run have been read."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        os.close(self._stop)
        thread.join()  # it never waits but for this
        self._show()
        sent, self._sent = self._sent, []
        for text, is_secret in sent:
            data = text.encode()
            rest, read_bytes = data[read_bytes:], max(0, read_bytes - len(data))
            if not is_secret:
                self.unread += rest.decode("utf-8", "replace")

    def hide(self) -> None:
        """Do not show the next line that is typed."""
        with self._reading:
            self._is_hidden = _set_echo(False)

    def take_new_line(self) -> bool:
        """Return whether the terminal has moved to a new line since the last call."""
        was_new, self._has_new_line = self._has_new_line, False
        return was_new

    def _read(self, terminal: int, stopped: int) -> None:
        try:
            while stopped not in select.select([terminal, stopped], [], [])[0]:
                with self._reading:
                    try:
                        data = os.read(terminal, _READ_BYTES)  # a line, or text submitted by Ctrl-D
                    except BlockingIOError:
                        continue  # Ctrl-C has just taken it away
                    is_secret = self._is_hidden
                    self._show()
                self._has_new_line = data.endswith(b"\n") and not is_secret
                text = data.decode("utf-8", "replace")
                self._sent.append((text, is_secret))
                self._send(text, not data, self._run)
                if not data:
                    return  # nothing after an end is for the code
        except (OSError, ValueError):
            return  # the terminal is gone
        finally:
            os.close(stopped)
            os.close(terminal)

    def _show(self) -> None:
        if self._is_hidden:
            self._is_hidden = False
            _set_echo(True)


def waiting_lines() -> str:
    """Take the whole lines that were typed and not read yet."""
    terminal, lines = _opened_terminal(), b""
    if terminal is None:
        return ""
    try:
        while data := os.read(terminal, _READ_BYTES):
            lines += data
    except OSError:  # there are no more lines
        pass
    finally:
        os.close(terminal)
    return lines.decode("utf-8", "replace")


def _opened_terminal() -> int | None:
    """Open the terminal a second time in non-blocking mode; return None if that is not possible.

    Other users of standard input would be affected if it became non-blocking itself.
    """
    if sys.platform == "win32" or not is_interactive():
        return None
    stdin = sys.stdin.fileno()
    with contextlib.suppress(OSError):
        return os.open(_terminal_path(stdin), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    return None


def _terminal_path(stdin: int) -> str:
    """Return a path of the terminal that can be opened even when it belongs to another user."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.tcgetpgrp(stdin)
            return "/dev/tty"
        return os.ttyname(stdin)
    return "CONIN$"


def _set_echo(is_on: bool) -> bool:
    """Switch the echo of typed text on or off; return whether that was possible."""
    if sys.platform == "win32":
        return False
    import termios

    stdin = sys.stdin.fileno()
    try:
        attributes = termios.tcgetattr(stdin)
        flags = attributes[3] & ~termios.ECHO
        attributes[3] = flags | (termios.ECHO if is_on else 0)
        termios.tcsetattr(stdin, termios.TCSANOW, attributes)
    except termios.error:
        return False
    return True
