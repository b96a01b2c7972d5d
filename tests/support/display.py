"""A virtual screen of its own for real windows: Xvfb with a window manager.

`python -m tests.support.display -- COMMAND …` runs a command on one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.isolation import REQUIRE_ALL

SCREEN = "1600x1000x24"
START_TIMEOUT_S = 30
NO_BUS = "unix:path=/nonexistent"
"""Without any address libdbus would start a session bus, which nobody ends."""
WINDOW_MANAGER = Path(__file__).parents[1] / "data" / "openbox.xml"


class DisplayError(RuntimeError):
    """The virtual screen could not be had."""


def is_available() -> bool:
    """Whether this machine has what a virtual screen needs."""
    return all(shutil.which(program) for program in ("Xvfb", "openbox", "xdotool"))


def detached_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without the user's own desktop: no screen, no session bus, no keyring."""
    owned = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP"}
    kept = {name: value for name, value in environment.items() if name not in owned}
    return kept | {"DBUS_SESSION_BUS_ADDRESS": NO_BUS}


@contextmanager
def virtual_display(screen: str = SCREEN) -> Iterator[dict[str, str]]:
    """A screen for the time of the block; yields the environment that leads to it."""
    environment = detached_environment(os.environ)
    server, display = _start_server(screen)
    environment |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    try:
        quiet = subprocess.DEVNULL
        command = ["openbox", "--config-file", str(WINDOW_MANAGER)]
        manager = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
        try:
            _wait_for_manager(manager, environment)
            yield environment
        finally:
            _end(manager)
    finally:
        _end(server)


def _start_server(screen: str) -> tuple[subprocess.Popen[bytes], str]:
    """Xvfb picks a free number itself, so that parallel runs cannot meet."""
    reading, writing = os.pipe()
    # Without -noreset the server starts anew, and loses its clients, whenever the last one leaves.
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", screen, "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    if not number:
        _end(server)
        raise DisplayError("Xvfb did not start.")
    return server, f":{number}"


def _wait_for_manager(manager: subprocess.Popen[bytes], environment: Mapping[str, str]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    question = ["xdotool", "get_num_desktops"]
    while subprocess.run(question, env=environment, capture_output=True, check=False).returncode:
        if manager.poll() is not None or time.monotonic() > deadline:
            raise DisplayError("The window manager did not start.")
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main(arguments: list[str]) -> int:
    """Run a command on a virtual screen; without Xvfb on Qt's offscreen one, and say so."""
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    if is_available():
        with virtual_display() as environment:
            return subprocess.run(command, env=environment, check=False).returncode
    if os.environ.get(REQUIRE_ALL) == "1":
        raise DisplayError("Xvfb, openbox and xdotool are required here.")
    print("No Xvfb, openbox and xdotool here: windows are drawn offscreen.", file=sys.stderr)
    environment = detached_environment(os.environ) | {"QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
