"""Every example of docs/api.md, run as it stands there against the running server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from playhead.domain.key_route import KeyRoute
from tests.clients.conftest import NEWEST_OPENAI
from tests.clients.node import FOLDER, NODE
from tests.support.display import NO_BUS
from tests.support.driver import ROOT, write_settings
from tests.support.model_server import ModelServer
from tests.support.served import PROVIDER_KEY, Served

PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
QUOTIENT = "1.4166666666666667"
_SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^```(sh|python|javascript)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CLIENTS = {
    "curl",
    "openai, Python",
    "openai, JavaScript",
    "openai Responses, Python",
    "openai Assistants, Python",
    "openai Assistants, JavaScript",
    "AI SDK",
    "cohere, Python",
    "Server-sent events, Python",
    "Server-sent events, JavaScript",
    "Kernel messages, JavaScript",
    "Kernel messages, Python",
    "Sessions, Python",
    "Python, without a server",
}
FOR_ADMINISTRATORS = {"The server", "Watching what runs"}
"""Their lines start servers; other tests start the same ones."""


def programs() -> dict[str, list[tuple[str, str]]]:
    """The language and text of each section's examples."""
    found = {title: _PROGRAM.findall(text) for title, text in _SECTION.findall(PAGE)}
    return {title: blocks for title, blocks in found.items() if blocks}


def example(title: str) -> str:
    """The only example of a section."""
    ((_, text),) = programs()[title]
    return text


def run(command: Sequence[str | Path], server: Served, given: str = "", **environment: str) -> str:
    """What the example prints; it must end well and complain of nothing."""
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(server.home),
        "PLAYHEAD_ADDRESS": server.address,
        "PLAYHEAD_TOKEN": server.token,
        "PYTHONWARNINGS": "error",
    }
    done = subprocess.run(
        command,
        env={**own, **environment},
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:] + done.stdout[-2000:]
    return done.stdout


def javascript(folder: Path, server: Served, text: str) -> str:
    """Runs a module that finds the SDKs as in a project of its own."""
    (folder / "node_modules").symlink_to(FOLDER / "node_modules")
    (folder / "example.mjs").write_text(text, "utf-8")
    return run([NODE, folder / "example.mjs"], server)


def test_every_example_is_run_here():
    assert set(programs()) == CLIENTS | FOR_ADMINISTRATORS


@pytest.mark.requires_system("curl")
def test_curl(server: Served, model: ModelServer):
    printed = run(["sh", "-c", example("curl")], server)
    assert '"confirmation"' in printed
    assert '"34 / 24"' in printed


@pytest.mark.parametrize("is_newest", [True, False], ids=["newest SDK", "litellm's SDK"])
def test_openai_python(server: Served, model: ModelServer, is_newest: bool):
    path = str(NEWEST_OPENAI) if is_newest else ""
    command = [sys.executable, "-c", example("openai, Python")]
    printed = run(command, server, given="yes\n", PYTHONPATH=path)
    assert "```python\n34 / 24\n```" in printed
    assert f"```output\n{QUOTIENT}\n```" in printed
    assert printed.count("Do you want to run this code?") == 1
    assert printed.rstrip().endswith(f"The tool said: {QUOTIENT}.")


@pytest.mark.parametrize("is_newest", [True, False], ids=["newest SDK", "litellm's SDK"])
def test_responses_python(server: Served, model: ModelServer, is_newest: bool):
    path = str(NEWEST_OPENAI) if is_newest else ""
    command = [sys.executable, "-c", example("openai Responses, Python")]
    printed = run(command, server, given="yes\n", PYTHONPATH=path)
    assert "```python\n34 / 24\n```" in printed
    assert f"It printed: {QUOTIENT}\n" in printed
    assert f"The tool said: {QUOTIENT}." in printed


def test_openai_javascript(server: Served, model: ModelServer, tmp_path: Path):
    printed = javascript(tmp_path, server, example("openai, JavaScript"))
    assert "Running: 34 / 24" in printed
    assert QUOTIENT in printed


@pytest.mark.parametrize("place", ["newest-openai", "", "openai-1.20"])
def test_assistants_python(server: Served, model: ModelServer, place: str):
    path = str(Path(sys.prefix) / place) if place else ""
    if path and not Path(path).is_dir():
        pytest.skip(f"{place} is not installed")
    command = [sys.executable, "-c", example("openai Assistants, Python")]
    own = {"PYTHONPATH": path, "PYTHONWARNINGS": "ignore"}  # of what OpenAI turns away from
    printed = run(command, server, **own)
    assert printed.startswith(f"Running: 34 / 24\n{QUOTIENT}\n")
    assert printed.endswith(f"The tool said: {QUOTIENT}.\ncompleted\n")


def test_assistants_javascript(server: Served, model: ModelServer, tmp_path: Path):
    printed = javascript(tmp_path, server, example("openai Assistants, JavaScript"))
    assert printed == f"Running: 34 / 24\nThe tool said: {QUOTIENT}.\n"


def test_ai_sdk(server: Served, model: ModelServer, tmp_path: Path):
    printed = javascript(tmp_path, server, example("AI SDK"))
    assert "Running: 34 / 24" in printed
    assert QUOTIENT in printed


@pytest.mark.parametrize("version", ["newest", "5.20"])
def test_cohere_python(server: Served, model: ModelServer, version: str):
    place = Path(sys.prefix) / f"cohere-{version}"
    if not place.is_dir():
        pytest.skip(f"cohere {version} is not installed")
    command = [sys.executable, "-c", example("cohere, Python")]
    own = {"PYTHONPATH": str(place), "PYTHONWARNINGS": "ignore"}  # of its use of other packages
    printed = run(command, server, **own)
    assert printed.startswith("34 / 24\n")
    assert f"```output\n{QUOTIENT}\n```" in printed
    assert printed.rstrip().endswith(f"The tool said: {QUOTIENT}.")


def test_events_in_python(server: Served, model: ModelServer):
    command = [sys.executable, "-I", "-c", example("Server-sent events, Python")]
    printed = run(command, server)
    assert printed.startswith(f"34 / 24{QUOTIENT}\n")
    assert printed.endswith(f"The tool said: {QUOTIENT}.\n")


def test_events_in_javascript(server: Served, model: ModelServer, tmp_path: Path):
    printed = javascript(tmp_path, server, example("Server-sent events, JavaScript"))
    assert printed.startswith(f"34 / 24{QUOTIENT}\n")
    assert printed.endswith(f"The tool said: {QUOTIENT}.\n")


def test_messages_of_the_kernel_in_javascript(server: Served, model: ModelServer, tmp_path: Path):
    printed = javascript(tmp_path, server, example("Kernel messages, JavaScript"))
    assert printed == f"Running: 34 / 24\nThe tool said: {QUOTIENT}."


def test_sessions(server: Served, model: ModelServer):
    command = [sys.executable, "-I", "-c", example("Sessions, Python")]
    printed = run(command, server)
    assert printed == f"34 / 24\n{QUOTIENT}\n\nThe tool said: {QUOTIENT}.\n['A quotient']\n"


def test_messages_of_the_kernel_in_python(server: Served, model: ModelServer, tmp_path: Path):
    own = own_home(tmp_path, model)
    printed = run([sys.executable, "-c", example("Kernel messages, Python")], server, **own)
    assert printed == f"The tool said: {QUOTIENT}."


def test_the_generator_with_the_settings_of_the_window(
    server: Served, model: ModelServer, tmp_path: Path
):
    own = own_home(tmp_path, model)
    command = [sys.executable, "-c", example("Python, without a server")]
    printed = run(command, server, **own)
    assert printed.startswith(f"34 / 24\nrunning: 34 / 24\n{QUOTIENT}\n")
    assert printed.endswith(f"The tool said: {QUOTIENT}.")
    assert model.requests[-1].headers["authorization"] == f"Bearer {PROVIDER_KEY}"


def own_home(tmp_path: Path, model: ModelServer) -> dict[str, str]:
    """The environment of a program with settings of its own."""
    write_settings(
        tmp_path, model="openai/test", api_base=model.base_url, interpreter=sys.executable
    )
    return {
        "HOME": str(tmp_path),
        "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
        "PLAYHEAD_DATA_DIR": str(tmp_path / "data"),
        "PLAYHEAD_CACHE_DIR": str(tmp_path / "cache"),
        "DBUS_SESSION_BUS_ADDRESS": NO_BUS,
        "PLAYHEAD_PROVIDER_KEY": PROVIDER_KEY,
        "PLAYHEAD_KEY_ROUTE": KeyRoute(address=model.base_url).digest,  # as its refusal names it
        "PYTHONPATH": str(ROOT / "app"),
    }
