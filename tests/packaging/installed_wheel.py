"""`python -m tests.packaging.installed_wheel WHEEL PIPX`: install it as a developer would, use it.

pipx puts it into an environment of its own below a temporary home, with the locked dependencies.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import httpx

from tests.packaging import checks
from tests.support.display import virtual_display
from tests.support.driver import ROOT, program_environment, running_app, write_settings
from tests.support.model_server import ModelServer, default_script
from tests.support.served import served

BY_IMPORT = """
import sys
from playhead import interpreter
interpreter.llm.model, interpreter.llm.api_base, interpreter.llm.api_key = sys.argv[1:]
interpreter.auto_run = True
for chunk in interpreter.chat("What's 34/24?", stream=True, display=False):
    print(chunk)
"""


def main() -> int:
    """Install, use, remove; the first that fails ends it."""
    wheel, pipx = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        own = environment_of_pipx(place)
        install(wheel, pipx, place, own)
        use_window(place)
        use_server(place)
        use_import(place)
        subprocess.run([pipx, "uninstall", "playhead"], env=own, check=True, capture_output=True)
        assert not (place / "bin" / "playhead").exists()
    print(f"{wheel.name}: installed by pipx; window, `playhead serve` and `interpreter` work.")
    return 0


def environment_of_pipx(place: Path) -> dict[str, str]:
    """Where it puts things instead of the user's home."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    folders = {"PIPX_HOME": "pipx", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man"}
    return kept | {name: str(place / folder) for name, folder in folders.items()}


def install(wheel: Path, pipx: Path, place: Path, own: Mapping[str, str]) -> None:
    """With the versions of the lock: what comes out tomorrow is not what is tested here."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    versions = re.findall(r"^([\w.\-\[\]]+==[^ \\]+(?: ; [^\\\n]+)?)", lock, re.MULTILINE)
    constraints = place / "constraints.txt"
    constraints.write_text("\n".join(versions), "utf-8")
    command = [pipx, "install", "--python", sys.executable, wheel]
    arguments = f"--constraint={constraints} --quiet --disable-pip-version-check"
    subprocess.run([*command, f"--pip-args={arguments}"], env=dict(own), check=True)
    said = subprocess.run(
        [place / "bin" / "playhead", "--version"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("Playhead "), said.stdout


def use_window(place: Path) -> None:
    """The program's main job, with all that the wheel brings for the eyes."""
    with virtual_display() as display, ModelServer(default_script) as server:
        home = place / "home"
        write_settings(home, theme="light", model="openai/test", api_base=server.base_url)
        with running_app(home, display, command=without_sources(place)) as app:
            checks.run_the_dialogue(app)
            checks.close(app)


def use_server(place: Path) -> None:
    """`playhead serve`."""
    home = place / "served"
    home.mkdir()
    with (
        ModelServer(default_script) as model,
        served(home, program=without_sources(place), api_base=model.base_url) as server,
        httpx.Client(
            base_url=server.address, headers=server.headers, timeout=checks.COLD_START_S
        ) as client,
    ):
        asked = [{"role": "user", "type": "message", "content": checks.QUESTION}]
        waiting = client.post("/v1/chat", json={"messages": asked}).json()["messages"]
        assert waiting[-1]["type"] == "confirmation", waiting
        assert client.get("/api.json").json()["item"]


def use_import(place: Path) -> None:
    """`from playhead import interpreter`, in the Python that it was installed for."""
    home = place / "imported"
    home.mkdir()
    (python,) = (place / "pipx" / "venvs").glob("playhead/bin/python")
    write_settings(home, interpreter=sys.executable)
    variables = program_environment(home, {"DISPLAY": ""})
    del variables["PYTHONPATH"]
    with ModelServer(default_script) as server:
        done = subprocess.run(
            [python, "-P", "-c", BY_IMPORT, "openai/test", server.base_url, "key"],
            env=variables,
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
            timeout=checks.COLD_START_S,
        )
    assert done.returncode == 0, done.stderr
    assert "1.4166666666666667" in done.stdout, done.stdout


def without_sources(place: Path) -> list[str]:
    """The command, which must not find the package where it is developed."""
    return ["env", "-u", "PYTHONPATH", str(place / "bin" / "playhead")]


if __name__ == "__main__":
    sys.exit(main())
