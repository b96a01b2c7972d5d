"""What the driver of the real program says when that has ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.driver import exit_in_words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise SystemExit(3)", "Ended with exit status 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "Ended by SIGKILL"),
    ],
)
def test_how_a_process_ended_is_said_in_words(code: str, words: str):
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert exit_in_words(done.returncode) == words


def test_a_signal_without_a_name_is_said_by_its_number():
    assert exit_in_words(-50) == "Ended by signal 50"
