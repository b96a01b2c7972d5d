"""`python -m tests.packaging.smoke FOLDER`: start the frozen program, do the main job."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.display import virtual_display
from tests.support.driver import App, running_app, write_settings
from tests.support.model_server import ModelServer, default_script
from tests.support.served import served

IS_ITSELF = "import sqlite3, ssl, sys; print(40 + 2, sys.executable)"


def main() -> int:
    """Run all checks; the first that fails ends it with its reason."""
    program = Path(sys.argv[1]).resolve() / "playhead"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("Playhead "), said.stdout
    with virtual_display() as display:
        check_main_job(program, display)
        check_own_kernel(program, display)
    check_server(program)
    print(f"{program}: starts, asks a model, runs code by a Python and by itself, serves.")
    return 0


def check_main_job(program: Path, display: dict[str, str]) -> None:
    """The frozen model worker with tools, and a kernel of this machine's Python."""
    with (
        ModelServer(default_script) as server,
        program_at_work(program, display, model="openai/test", api_base=server.base_url) as app,
    ):
        app.type("What's 34/24?")
        app.press("Return")
        app.click(app.wait_for_run_button())
        app.wait_for_message("computer", "console", "1.4166666666666667")
        app.wait_for_message("assistant", "message", "approximately 1.42.")


def check_own_kernel(program: Path, display: dict[str, str]) -> None:
    """Direct mode on the bundled standard library, as where there is no Python at all."""
    with program_at_work(program, display, interpreter=str(program)) as app:
        app.type(IS_ITSELF)
        app.press("Return")
        app.click(app.wait_for_run_button())
        app.wait_for_message("computer", "console", f"42 {program}")


def check_server(program: Path) -> None:
    """`serve`, with no display: its documents, and a run that is approved over HTTP."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ModelServer(default_script) as model,
        served(Path(folder), program=[str(program)], api_base=model.base_url) as server,
        httpx.Client(base_url=server.address, headers=server.headers, timeout=60) as client,
    ):
        assert client.get("/openapi.json").json()["paths"]
        assert client.get("/api.json").json()["item"]
        asked = [{"role": "user", "type": "message", "content": "What's 34/24?"}]
        waiting = client.post("/v1/chat", json={"messages": asked}).json()["messages"]
        go = {"role": "user", "type": "command", "content": "go"}
        after = client.post("/v1/chat", json={"messages": [*asked, *waiting, go]}).json()
        assert after["messages"][0]["content"] == "1.4166666666666667\n", after


@contextmanager
def program_at_work(program: Path, display: dict[str, str], **settings: Any) -> Iterator[App]:
    """A start of the frozen program in a home of its own, closed as a person does."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        write_settings(home, theme="light", **settings)
        with running_app(home, display, command=[str(program)]) as app:
            yield app
            assert app.close() == 0
            assert not app.complaints(), app.log


if __name__ == "__main__":
    sys.exit(main())
