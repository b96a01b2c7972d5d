"""Drives the real program as a person would: a process, a screen, keys, clicks and eyes.

What happened is read where a user's data lies (the history file) and from the program's log;
where to click is found by looking at the screen for the colours of the theme.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from PIL import Image, ImageChops, ImageFilter, ImageGrab

from tests.support.display import NO_BUS

ROOT = Path(__file__).parents[2]
WAIT_S = 60.0
LOOK_EVERY_S = 0.05
_DRAG_STEPS = 8
Colour = tuple[int, int, int]
Found = TypeVar("Found")
FROM_SOURCE = (sys.executable, "-X", "faulthandler", "-m", "playhead")
"""A crash in C code then leaves its trace in the log; a variable would go to the kernels too."""


class Box(NamedTuple):
    """A rectangle on the screen; right and bottom are outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def middle(self) -> tuple[int, int]:
        """Where a person would click."""
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the history file has it."""

    role: str
    type: str
    format: str | None
    content: str
    state: str


class AppFailureError(AssertionError):
    """The program did not do what was waited for; says what it wrote to its log."""


def theme_colour(mode: str, name: str) -> Colour:
    """A colour of the program's own theme."""
    theme = json.loads((ROOT / "resources" / "themes" / f"{mode}.json").read_text("utf-8"))
    text: str = theme[name]
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def write_settings(home: Path, **values: Any) -> None:
    """The settings file as the program will find it at its next start."""
    folder = home / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values), "utf-8")


def program_environment(home: Path, display: Mapping[str, str]) -> dict[str, str]:
    """A home of its own for the program, and no key but the test's."""
    own = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "PLAYHEAD_DATA_DIR": str(home / "data"),
        "PLAYHEAD_CONFIG_DIR": str(home / "config"),
        "PLAYHEAD_CACHE_DIR": str(home / "cache"),
        "OPENAI_API_KEY": "test-key",
        "PYTHONPATH": str(ROOT / "app"),
    }
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("XDG_") and name not in ("WAYLAND_DISPLAY", "PYTEST_CURRENT_TEST")
    }
    own["DBUS_SESSION_BUS_ADDRESS"] = display.get("DBUS_SESSION_BUS_ADDRESS", NO_BUS)
    return inherited | own | {"DISPLAY": display["DISPLAY"], "QT_QPA_PLATFORM": "xcb"}


class App:
    """One run of the program on a virtual screen. Owned by `running_app`."""

    def __init__(
        self,
        home: Path,
        display: Mapping[str, str],
        mode: str = "light",
        command: Sequence[str] = FROM_SOURCE,
        start_folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.mode = mode
        self.log_path = home / "stderr.log"
        self._environment = program_environment(home, display) | dict(variables or {})
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--log-level", "info"],
                cwd=start_folder or home,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._window = self.wait_for("its window", self._find_window)

    @property
    def log(self) -> str:
        """What the program wrote to stderr."""
        return self.log_path.read_text("utf-8", "replace")

    def wait_for(
        self, what: str, look: Callable[[], Found | None], timeout_s: float = WAIT_S
    ) -> Found:
        """Look again and again until there is something."""
        deadline = time.monotonic() + timeout_s
        while True:
            if found := look():
                return found
            if (status := self.process.poll()) is not None:
                how = exit_in_words(status)
                raise AppFailureError(f"{how} while waiting for {what}:\n{self.log[-4000:]}")
            if time.monotonic() > deadline:
                raise AppFailureError(f"Waited in vain for {what}:\n{self.log[-4000:]}")
            time.sleep(LOOK_EVERY_S)

    def resize(self, width: int, height: int) -> None:
        """Give the window a size and put it into the corner of the screen."""
        self._xdotool("windowmove", self._window, "0", "0")
        self._xdotool("windowsize", self._window, str(width), str(height))
        self.wait_for("its size", lambda: self.picture().size == (width, height) or None)

    def type(self, text: str) -> None:
        """Press the keys of a text, into whatever has the focus."""
        self._xdotool("windowactivate", "--sync", self._window)
        self._xdotool("type", "--delay", "15", text)

    def press(self, *keys: str) -> None:
        """Press keys by their X names, such as `Return` or `ctrl+e`."""
        self._xdotool("key", *(_by_code(key) for key in keys))

    def type_into_front(self, text: str) -> None:
        """The same into whatever is in front, a dialog say."""
        self._xdotool("type", "--delay", "15", text)

    def press_in_front(self, *keys: str) -> None:
        """Press keys in the window that has the keyboard."""
        self._xdotool("key", *map(_by_code, keys))

    def has_window(self, title: str) -> bool:
        """Whether a window whose title begins like that is on the screen."""
        return bool(self._xdotool("search", "--onlyvisible", "--name", f"^{title}", check=False))

    def drag(self, start: Box, end: Box) -> None:
        """Press the button on one place and move to another, step by step as a hand does."""
        (left, top), (to_left, to_top) = start.middle, end.middle
        self._xdotool("mousemove", str(left), str(top), "mousedown", "1")
        for step in range(1, _DRAG_STEPS + 1):
            across = left + (to_left - left) * step // _DRAG_STEPS
            down = top + (to_top - top) * step // _DRAG_STEPS
            self._xdotool("mousemove", "--sync", str(across), str(down))

    def drop(self) -> None:
        """Let go of what is dragged."""
        self._xdotool("mouseup", "1")

    def click(self, box: Box) -> None:
        """Click into the middle of something that was seen."""
        left, top = box.middle
        self._xdotool("mousemove", str(left), str(top), "click", "1")

    def point_elsewhere(self) -> None:
        """Take the mouse off what it was over, which then has its usual colour again."""
        self._xdotool("mousemove", "0", "0")

    def look(self) -> Image.Image:
        """The whole screen as it is."""
        return ImageGrab.grab(xdisplay=self._environment["DISPLAY"]).convert("RGB")

    def picture(self) -> Image.Image:
        """The window alone."""
        geometry = dict(
            line.split("=")
            for line in self._xdotool("getwindowgeometry", "--shell", self._window).splitlines()
        )
        left, top = int(geometry["X"]), int(geometry["Y"])
        size = left + int(geometry["WIDTH"]), top + int(geometry["HEIGHT"])
        return self.look().crop((left, top, *size))

    def wait_for_run_button(self, timeout_s: float = WAIT_S) -> Box:
        """The approval bar's button, once it is in the colour of what can be pressed."""
        return self.wait_for("the Run button", self._find_run_button, timeout_s)

    def messages(self) -> list[StoredMessage]:
        """Every message in the history file, oldest first."""
        rows = self._rows("SELECT role, type, format, content, state FROM message ORDER BY seq")
        return [StoredMessage(row[0], row[1], row[2], row[3] or "", row[4]) for row in rows]

    def streamed_text(self) -> str:
        """The text so far of the answer that streams, as the history file's journal has it."""
        return "".join(row[0] for row in self._rows("SELECT text FROM delta ORDER BY seq"))

    def _rows(self, query: str) -> list[Any]:
        path = self.home / "data" / "history.sqlite3"
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
            try:
                return database.execute(query).fetchall()
            except sqlite3.OperationalError:  # the tables are being made
                return []

    def wait_for_message(self, role: str, kind: str, containing: str) -> StoredMessage:
        """A whole message of that role and type with the text in it, in the history file."""

        def look() -> StoredMessage | None:
            for message in self.messages():
                is_kind = (message.role, message.type) == (role, kind)
                if is_kind and containing in message.content and message.state == "complete":
                    return message
            return None

        return self.wait_for(f"{role}/{kind} with {containing!r}", look)

    def complaints(self) -> list[str]:
        """Lines of the log that a quiet run does not have: warnings, tracebacks, Qt's own."""
        loud = ("Traceback", "WARNING", "ERROR", "CRITICAL", "QObject", "qt.")
        return [line for line in self.log.splitlines() if any(word in line for word in loud)]

    def close(self) -> int:
        """Close the window as a person does; the exit status."""
        self._xdotool("windowactivate", "--sync", self._window)
        self._xdotool("key", _by_code("alt+F4"))
        return self.process.wait(timeout=30)

    def kill(self) -> None:
        """End it for good, whatever it does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def _find_window(self) -> str | None:
        command = ["search", "--onlyvisible", "--pid", str(self.process.pid), "--name", "Playhead"]
        found = self._xdotool(*command, check=False).split()
        return found[0] if found else None

    def _find_run_button(self) -> Box | None:
        screen = self.look()
        bar = find_colour(screen, theme_colour(self.mode, "warn_bg"))
        if bar is None:
            return None
        button = find_colour(screen.crop(bar), theme_colour(self.mode, "accent"))
        if button is None or button.right - button.left < 20:
            return None
        left, top = bar.left, bar.top
        return Box(button.left + left, button.top + top, button.right + left, button.bottom + top)

    def _xdotool(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            check=check,
            timeout=30,
        )
        return done.stdout


def exit_in_words(status: int) -> str:
    """How a process ended; of one that was killed from outside, the signal is all that tells."""
    if status >= 0:
        return f"Ended with exit status {status}"
    try:
        return f"Ended by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"Ended by signal {-status}"


def find_colour(picture: Image.Image, colour: Colour, thickness: int = 1) -> Box | None:
    """The rectangle around all that has exactly this colour, and is so thick (an odd number)."""
    difference = ImageChops.difference(picture, Image.new("RGB", picture.size, colour))
    mask = difference.convert("L").point(lambda value: 255 * (value == 0))
    if thickness == 1:
        box = mask.getbbox()
        return Box(*box) if box else None
    half = thickness // 2
    core = mask.filter(ImageFilter.MinFilter(thickness)).getbbox()
    return Box(core[0] - half, core[1] - half, core[2] + half, core[3] + half) if core else None


def _by_code(key: str) -> str:
    """Name a function key by its code: xdotool takes the Alt that newer keymaps have it under."""
    *held, last = key.split("+")
    if last[:1] == "F" and last[1:].isdigit():
        number = int(last[1:])
        last = str(number + (66 if number <= 10 else 84))  # as in the kernel's table, plus 8
    return "+".join([*held, last])


@contextmanager
def running_app(
    home: Path,
    display: Mapping[str, str],
    mode: str = "light",
    command: Sequence[str] = FROM_SOURCE,
    start_folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Iterator[App]:
    """The program for the time of the block; when that fails, a picture of the screen is kept."""
    app = App(home, display, mode, command, start_folder, variables)
    try:
        yield app
    except BaseException:
        folder = ROOT / "test-results"
        folder.mkdir(exist_ok=True)
        app.look().save(folder / f"{home.name}.png")
        (folder / f"{home.name}.log").write_text(app.log, "utf-8")
        raise
    finally:
        app.kill()
