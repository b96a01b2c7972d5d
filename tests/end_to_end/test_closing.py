"""Closing the real program while code runs: hidden, raised by the next start, stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.display import virtual_display
from tests.support.driver import (
    FROM_SOURCE,
    App,
    Box,
    program_environment,
    running_app,
    write_settings,
)

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool"),
    pytest.mark.timeout(120),
]
FIRST_ROW = Box(20, 160, 220, 184)
"""The conversation at the top of the list, in a window of 1280 x 800."""
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


def files_of(app: App) -> str:
    """What is stored of the files of runs."""
    return "".join(one.content for one in app.messages() if one.type == "files")


def is_shown(app: App) -> bool:
    return app.has_window("Playhead")


def test_what_a_run_did_is_listed_and_undone_after_the_window_was_killed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.md").write_text("old\n")
    write_settings(tmp_path, theme="light", interpreter=sys.executable, folder=str(work))
    with virtual_display("1440x900x24") as display:
        with running_app(tmp_path, display) as app:
            app.resize(1280, 800)
            app.type(
                "import os, time; [open(n, 'w').write('new') for n in ('notes.md', 'made.txt')]; "
                f"{WAIT.format(path=str(work / 'never'))}"
            )
            app.press("Return")
            app.wait_for("files of the run", lambda: (work / "made.txt").exists())
            app.kill()
        with running_app(tmp_path, display) as app:
            app.resize(1280, 800)
            app.wait_for("its files", lambda: app.click(FIRST_ROW) or files_of(app))
            files = files_of(app)
            assert "notes.md" in files
            app.press("ctrl+k")
            app.type_into_front("undo the last run")
            app.press_in_front("Return")
            app.wait_for("the files as before", lambda: not (work / "made.txt").exists())
            app.wait_for_message("computer", "files", "undo")
            assert (work / "notes.md").read_text() == "old\n"
            assert not app.complaints()
