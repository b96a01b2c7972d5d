"""The command line: what it says when it cannot open a window."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from playhead import __version__
from playhead.__main__ import NEXT, OLDEST, display_problem, main

APP = Path(__file__).parents[1] / "app"


def playhead(
    *arguments: str, asked: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    without = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "MAKELEVEL"}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return subprocess.run(
        [sys.executable, "-m", "playhead", *arguments],
        env={**kept, "PYTHONPATH": str(APP), **environment},
        input=asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_version_is_said_without_loading_qt():
    said = playhead("--version")
    assert (said.returncode, said.stdout.strip()) == (0, f"Playhead {__version__}")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
@pytest.mark.parametrize(
    ("environment", "command", "piped"),
    [({}, "playhead", "playhead --yes"), ({"MAKELEVEL": "1"}, "make run", "make run ARGS=--yes")],
    ids=["installed", "by make"],
)
def test_without_a_display_it_says_so_and_goes_on_in_the_terminal(
    environment: dict[str, str], command: str, piped: str
):
    said = playhead(**environment)
    assert said.returncode == 0  # nobody sits there, and nothing was asked
    assert "no display" in said.stderr
    assert f"`xvfb-run -a {command}`" in said.stderr
    assert "playhead chat" in said.stderr
    assert "standard input was empty" in said.stderr
    assert said.stderr.endswith(f" | {piped}\n")
    assert "Traceback" not in said.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_the_arguments_are_those_of_the_chat():
    said = playhead("--log-level=info", "--yes", asked="What's 34/24?\n")
    assert said.returncode == 0, said.stderr
    assert "1.4166666666666667" in said.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_words_are_files_as_they_are_for_the_window():
    said = playhead("no such.csv", "--yes")
    assert said.returncode == 2
    assert said.stderr.endswith("There is no no such.csv.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_a_display_that_does_not_answer_is_named():
    said = playhead(DISPLAY=":4711")
    assert said.returncode == 0
    assert ":4711 does not answer" in said.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_a_display_over_tcp_is_asked():
    with socket.create_server(("127.0.0.1", 6099)):
        assert display_problem({"DISPLAY": "127.0.0.1:99"}) == ""
    assert "does not answer" in display_problem({"DISPLAY": "127.0.0.1:99"})


@pytest.mark.parametrize(("version", "reason"), [((3, 15), "litellm"), ((3, 10), "3.11 to 3.14")])
def test_another_python_is_refused_with_the_way_out(
    version: tuple[int, int], reason: str, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setattr(sys, "version_info", (*version, 0, "final", 0))
    assert main(["--version"]) == 1
    said = capsys.readouterr().err
    assert reason in said
    assert f"this is 3.{version[1]}." in said
    assert "make run PYTHON=python3.14" in said


def test_the_package_asks_for_the_pythons_that_the_program_takes():
    project = tomllib.loads((APP.parent / "pyproject.toml").read_text("utf-8"))["project"]
    oldest, following = (f"{major}.{minor}" for major, minor in (OLDEST, NEXT))
    assert project["requires-python"] == f">={oldest},<{following}"
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    assert named == [f"3.{minor}" for minor in range(OLDEST[1], NEXT[1])]


def test_a_display_whose_name_is_none_is_refused_in_words() -> None:
    assert "does not answer" in display_problem({"DISPLAY": "garbage"})
