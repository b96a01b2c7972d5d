"""A folder of a stranger is worked in: nothing in it runs but the code that a person approves."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.display import virtual_display
from tests.support.driver import running_app, write_settings
from tests.support.model_server import ModelServer, default_script
from tests.support.planted_folder import PlantedFolder

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool"),
    pytest.mark.timeout(300),
]
COMMAND = (sys.executable, "-P", "-m", "playhead")


def test_nothing_of_a_planted_folder_runs_but_code_that_is_approved(tmp_path: Path) -> None:
    """Started in it, with it on the PATH: asked, proposed, menus and settings opened."""
    home = tmp_path / "home"
    planted = PlantedFolder(home / "project", tmp_path / "fired")
    recorder = tmp_path / "bin" / "python3.20"
    recorder.parent.mkdir()
    recorder.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexit 1\n")
    recorder.chmod(0o755)
    parts = [planted.folder / ".venv" / "bin", "", ".", recorder.parent, os.environ["PATH"]]
    path = os.pathsep.join(map(str, parts))

    def asked() -> int:
        return (tmp_path / "asked").read_text().count("\n") if (tmp_path / "asked").exists() else 0

    with (
        virtual_display("1440x900x24") as display,
        ModelServer(default_script, pace_s=0.001) as server,
    ):
        write_settings(
            home,
            model="openai/test",
            api_base=server.base_url,
            theme="light",
            folder=str(planted.folder),
            interpreter=sys.executable,
        )
        environment = {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        with running_app(
            home, display, command=COMMAND, start_folder=planted.folder, variables=environment
        ) as app:
            app.type("What's 34/24?")
            app.press("Return")
            app.wait_for_run_button()
            app.press("ctrl+k")
            app.type("interpreter")
            app.press("Return")
            app.wait_for("the list of interpreters", lambda: asked() or None)
            app.press("Escape", "ctrl+comma")
            app.wait_for("the settings", lambda: asked() > 1 and app.has_window("Settings"))
            app.press_in_front("Escape")
            app.wait_for("the settings gone", lambda: not app.has_window("Settings"))
            assert planted.fired == []
            app.click(app.wait_for_run_button())
            app.wait_for_message("computer", "console", "1.4166666666666667")
            assert planted.fired == []
            assert app.close() == 0
            assert not app.complaints()
