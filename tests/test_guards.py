"""What a test leaves behind makes the run fail, and is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEAKING = "tests/data/leaking.py"


def run_leaking(*arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-q", "--tb=short", LEAKING, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTEST_LIMIT_S": "0.3", "PLAYHEAD_REQUIRE_ALL": "0", **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout


@pytest.fixture(scope="module")
def report() -> str:
    return run_leaking()


def outcomes(report: str, *words: str) -> set[str]:
    found = re.findall(rf"^({'|'.join(words)}) {LEAKING}::(\w+)", report, re.MULTILINE)
    return {name for _, name in found}


def test_every_leak_fails_its_test_and_no_other(report: str):
    tests = set(re.findall(r"def (test_\w+)", (ROOT / LEAKING).read_text()))
    fine = {"test_fine_nothing", "test_fine_an_expected_warning"}
    assert outcomes(report, "FAILED", "ERROR") == tests - fine - {"test_a_missing_program"}
    assert outcomes(report, "PASSED") >= fine


@pytest.mark.parametrize(
    "words",
    [
        "thread left behind",
        "process left behind: .* sleep 60",
        "PYTHONPATH left behind",
        "unexpected in the log: WARNING somewhere: careful",
        "expected in the log but not there: never said",
        "the test left asyncio tasks behind",
        "running timer left behind",
        "window left behind",
        "ZeroDivisionError",
        "was never awaited",
        "ValueError: lost",
        "unclosed file",
    ],
)
def test_a_leak_is_named(report: str, words: str):
    assert re.search(words, report), report


def test_a_missing_program_is_named_and_skipped(report: str):
    assert "needs no-such-program: run make system" in report
    assert "1 skipped" in report


def test_where_everything_must_be_there_a_missing_program_fails():
    report = run_leaking("-k", "missing_program", PLAYHEAD_REQUIRE_ALL="1")
    assert "needs no-such-program" in report
    assert "1 error" in report


def test_each_test_has_a_home_and_no_keys():
    code = (
        "import os; print(os.environ['HOME'], os.environ['PLAYHEAD_DATA_DIR'],"
        " os.environ.get('OPENAI_API_KEY'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    home, data, key = done.stdout.split()
    assert home != str(Path("~root").expanduser())
    assert Path(data).parent == Path(home)
    assert key == "None"


def test_a_plain_test_needs_no_qt():
    code = "import sys, tests.conftest; print('PySide6' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr
