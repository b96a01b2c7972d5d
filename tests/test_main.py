"""The command line: what it says when it cannot open a window."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from playhead import __version__
from playhead.__main__ import display_problem

APP = Path(__file__).parents[1] / "app"


def playhead(
    *arguments: str, asked: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    without = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
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
def test_without_a_display_it_says_so_and_goes_on_in_the_terminal():
    said = playhead()
    assert said.returncode == 0  # nobody sits there, and nothing was asked
    assert "no display" in said.stderr
    assert "xvfb-run" in said.stderr
    assert "playhead chat" in said.stderr
    assert "standard input was empty" in said.stderr
    assert "make run ARGS=--yes" in said.stderr
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


def test_another_python_is_refused_in_words(monkeypatch: pytest.MonkeyPatch, capsys):
    from playhead.__main__ import main

    monkeypatch.setattr(sys, "version_info", (3, 14, 0, "final", 0))
    assert main(["--version"]) == 1
    assert "3.11, 3.12 or 3.13" in capsys.readouterr().err


def test_a_display_whose_name_is_none_is_refused_in_words() -> None:
    assert "does not answer" in display_problem({"DISPLAY": "garbage"})
