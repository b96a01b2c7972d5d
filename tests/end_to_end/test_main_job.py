"""The main job with the real program: ask, watch, approve, see it run, find it again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.display import virtual_display
from tests.support.driver import App, StoredMessage, running_app, write_settings
from tests.support.model_server import ModelServer, default_script
from tests.support.workers import SharedWorker

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool"),
    pytest.mark.timeout(300),
]
QUESTION = "What's 34/24?"
OUTPUT = "1.4166666666666667"


@pytest.fixture
def display() -> Iterator[dict[str, str]]:
    with virtual_display("1440x900x24") as environment:
        yield environment


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(default_script, pace_s=0.01) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, server: ModelServer) -> Path:
    write_settings(tmp_path, model="openai/test", api_base=server.base_url, theme="light")
    return tmp_path


def interrupted(app: App) -> Iterator[StoredMessage]:
    return (message for message in app.messages() if message.state == "interrupted")


def test_a_question_becomes_code_that_runs_after_a_click_and_is_there_again(
    home: Path, display: dict[str, str], server: ModelServer, model_worker: SharedWorker
) -> None:
    with running_app(home, display) as app:
        app.type(QUESTION)
        app.press("Return")
        button = app.wait_for_run_button()
        assert app.wait_for_message("assistant", "code", "34 / 24")
        assert not any(message.type == "console" for message in app.messages())
        app.click(button)
        app.wait_for_message("computer", "console", OUTPUT)
        app.wait_for_message("assistant", "message", "approximately 1.42.")
        app.wait_for("what both answers took", lambda: app.messages()[-1].type == "usage")
        before = app.messages()
        assert app.close() == 0
        assert not app.complaints()
    assert len(server.requests) >= 2

    with running_app(home, display, command=model_worker.program) as again:
        assert again.messages() == before
        assert again.close() == 0
        assert not again.complaints()


def test_typed_code_runs_at_enter_without_a_model_and_pasted_code_after_a_click(
    tmp_path: Path, display: dict[str, str]
) -> None:
    write_settings(tmp_path, theme="light", interpreter=sys.executable)
    with running_app(tmp_path, display) as app:
        app.type("print(6 * 7, file=open('result.txt', 'w')); print(6 * 7)")
        app.press("Return")
        app.wait_for_message("computer", "console", "42")
        (folder,) = (tmp_path / "Documents" / "Playhead").iterdir()
        assert " print(6 7, file" in folder.name
        assert (folder / "result.txt").exists()
        app.type("8")
        app.press("ctrl+a", "ctrl+x")
        app.type("print(6 * ")
        app.press("ctrl+v")
        app.type(")")
        app.press("Return")
        button = app.wait_for_run_button()
        assert not any("48" in m.content for m in app.messages() if m.type == "console")
        app.click(button)
        app.wait_for_message("computer", "console", "48")
        assert app.close() == 0
        assert not app.complaints()


def test_what_streamed_before_a_kill_is_there_again(
    home: Path, display: dict[str, str], server: ModelServer, model_worker: SharedWorker
) -> None:
    server.pace_s = 0.05
    with running_app(home, display, command=model_worker.program) as app:
        app.type("A long text, please: long")
        app.press("Return")
        app.wait_for("half an answer", lambda: app.streamed_text().count(" ") > 20 or None)
        app.kill()
        cut = app.streamed_text()

    with running_app(home, display, command=model_worker.program) as again:
        answer = again.wait_for("the cut answer", lambda: next(interrupted(again), None))
        assert answer.content == cut
        assert again.close() == 0
        assert not again.complaints()


def test_with_no_display_it_goes_on_in_the_terminal(tmp_path: Path) -> None:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2] / "app")
    done = subprocess.run(
        [sys.executable, "-m", "playhead"],
        env=environment,
        cwd=tmp_path,
        input="What's 34/24?",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "no display" in done.stderr
    assert "xvfb-run" in done.stderr
    assert "34 / 24" in done.stdout
    assert "nobody could approve it" in done.stderr
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
