"""`python -m tests.packaging.elsewhere PROGRAM`: the short check for systems without Xvfb.

Needs nothing but a desktop: the window paints; a terminal's dialogue goes through server, model
worker and kernel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.packaging.checks import QUESTION
from tests.support.driver import write_settings
from tests.support.model_server import ModelServer, default_script

PAINT_S = 120
END_S = 60


def main() -> int:
    """The exit status says whether both went well."""
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        write_settings(home, interpreter=sys.executable)
        check_paint(program, home)
        check_dialogue(in_terminal(program), home)
    print(f"{program}: paints, and does the dialogue in a terminal.")
    return 0


def check_paint(program: Path, home: Path) -> None:
    """The window has painted as soon as the log file says so."""
    process = subprocess.Popen([program], env=environment(home))
    try:
        deadline = time.monotonic() + PAINT_S
        while "first_paint_ms" not in log_of(home):
            assert process.poll() is None, f"It ended ({process.returncode}):\n{log_of(home)}"
            assert time.monotonic() < deadline, f"It did not paint:\n{log_of(home)}"
            time.sleep(0.2)
    finally:
        process.terminate()
        process.wait(END_S)


def check_dialogue(program: Path, home: Path) -> None:
    """`chat` starts a server for itself, that one the worker and the kernel."""
    with ModelServer(default_script) as model:
        command = [program, "chat", "--model", "openai/test", "--api-base", model.base_url, "--yes"]
        done = subprocess.run(
            [*command, QUESTION],
            env={**environment(home), "PLAYHEAD_PROVIDER_KEY": "key"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    assert "1.41666" in done.stdout, done.stdout


def in_terminal(program: Path) -> Path:
    """On Windows the program of the window has no console."""
    return program.with_name("playhead-console.exe") if sys.platform == "win32" else program


def environment(home: Path) -> dict[str, str]:
    """Folders of its own."""
    folders = {name: str(home / name) for name in ("data", "config", "cache")}
    own = {f"PLAYHEAD_{name.upper()}_DIR": place for name, place in folders.items()}
    return {**os.environ, **own}


def log_of(home: Path) -> str:
    """All that it has logged."""
    files = sorted((home / "data" / "logs").glob("*.log*"))
    return "\n".join(file.read_text("utf-8", "replace") for file in files)


if __name__ == "__main__":
    sys.exit(main())
