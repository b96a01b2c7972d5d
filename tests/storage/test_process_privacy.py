"""Keys leave the environment, and the process hides."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from playhead.domain.secret import Secret
from playhead.storage.process_privacy import take_from_environment


def test_keys_are_taken_and_no_child_sees_them(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one ")
    monkeypatch.setenv("PLAYHEAD_API_KEY", "own")
    monkeypatch.setenv("PLAYHEAD_TOKEN", "own too")
    monkeypatch.setenv("EMPTY_API_KEY", "")
    taken = take_from_environment(["OPENAI_API_KEY", "EMPTY_API_KEY", "ABSENT_API_KEY"])
    assert taken == {
        "OPENAI_API_KEY": Secret("sk-one"),
        "PLAYHEAD_API_KEY": Secret("own"),
        "PLAYHEAD_TOKEN": Secret("own too"),
    }
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(*os.environ)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not set(taken) & set(child.stdout.split())


def test_our_other_variables_stay(monkeypatch):
    monkeypatch.setenv("PLAYHEAD_MODEL", "openai/small")
    assert take_from_environment([]) == {}
    assert os.environ["PLAYHEAD_MODEL"] == "openai/small"
    assert "PLAYHEAD_DATA_DIR" in os.environ


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_hidden_process_is_not_dumpable():
    code = (
        "import ctypes, os; from playhead.storage.process_privacy import hide_process;"
        "print(hide_process(), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0),"
        " os.stat('/proc/self/environ').st_uid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "0", "0"]  # the owner is now root


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_what_the_process_was_given_at_its_start_is_gone_from_its_memory():
    code = (
        "import os; from playhead.storage.process_privacy import take_from_environment as take;"
        "print(take(['OPENAI_API_KEY'])['OPENAI_API_KEY'].reveal());"
        "print(b'sk-0123456789' in open('/proc/self/environ', 'rb').read(),"
        " b'STAYS=here' in open('/proc/self/environ', 'rb').read(), os.environ['STAYS'])"
    )
    given = {"OPENAI_API_KEY": "sk-0123456789", "STAYS": "here"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **given, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["sk-0123456789", "False", "True", "here"]
