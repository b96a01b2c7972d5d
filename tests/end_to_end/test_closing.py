"""Closing the real program while code runs: hidden, raised by the next start, stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.display import virtual_display
from tests.support.driver import FROM_SOURCE, App, program_environment, running_app, write_settings

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool"),
    pytest.mark.timeout(120),
]
WAIT = "[time.sleep(0.01) for _ in iter(lambda: os.path.exists({path!r}), True)]"


def test_a_hidden_window_goes_on_and_the_next_start_raises_it(tmp_path: Path) -> None:
    work = tmp_path / "work"  # the sandbox shows no other
    work.mkdir()
    write_settings(tmp_path, theme="light", interpreter=sys.executable, folder=str(work))
    go_on = work / "go-on"
    with virtual_display("1440x900x24") as display, running_app(tmp_path, display) as app:
        begin_run(app, go_on)
        close(app)
        app.press("Return")  # hide and go on
        app.wait_for("no window", lambda: not is_shown(app))
        go_on.touch()
        app.wait_for_message("computer", "run", "finished")
        again = subprocess.run(
            FROM_SOURCE, env=program_environment(tmp_path, display), timeout=60, check=False
        )
        assert again.returncode == 0
        app.wait_for("the window again", lambda: is_shown(app))
        app.press("ctrl+q")
        assert app.process.wait(timeout=30) == 0
        assert not app.complaints()


def test_a_signal_ends_it_in_order_without_a_question(tmp_path: Path) -> None:
    write_settings(tmp_path, theme="light", interpreter=sys.executable)
    with virtual_display("1440x900x24") as display, running_app(tmp_path, display) as app:
        begin_run(app, tmp_path / "never")
        app.process.send_signal(signal.SIGTERM)
        assert app.process.wait(timeout=30) == 0
        [*_, last] = app.messages()
        assert last.type == "run"
        assert "conversation_ended" in last.content
        assert not app.complaints()


def begin_run(app: App, go_on: Path) -> None:
    """Run code that ends when there is a file of that name."""
    app.resize(1280, 800)
    app.type(f"import os, time; {WAIT.format(path=str(go_on))}")
    app.press("Return")
    app.wait_for_message("computer", "run", "started")


def close(app: App) -> None:
    """Press the keys that close the window; the question is a window of its own."""
    app.press("alt+F4")
    app.wait_for("the question", lambda: app.has_window("Close Playhead"))


def is_shown(app: App) -> bool:
    return app.has_window("Playhead")
