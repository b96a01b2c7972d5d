from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel.marks import error_of, of_kind
from tests.support import programs
from tests.support.waiting import LIMIT_S


@pytest.fixture(scope="module")
def kernel(make_talk: Callable[..., Any]) -> Any:
    return make_talk()


def stop(talk: Any, code: str) -> tuple[str, Any]:
    """Run code up to its last statement, then interrupt it."""
    last = code.strip().count("\n") + 1
    run = talk.begin(code.strip())
    marks: list[Any] = []
    while not marks or marks[-1].kind != "line" or marks[-1].integer("line") < last:
        marks = talk.read_until("line")[1]
    talk.send("stop", run=run)
    talk.process.send_signal(signal.SIGINT)
    text, marks = talk.read_until("idle")
    return text, marks[-1]


@pytest.mark.parametrize("code", [programs.SLEEP, "x = 1\nwhile x: pass", "import time\ninput()"])
def test_a_stopped_block_says_its_line_and_keeps_the_names(talk: Any, code: str) -> None:
    talk.run("kept = 42")
    text, idle = stop(talk, code)
    assert (idle.text("state"), idle.integer("line")) == ("interrupted", 2)
    assert "KeyboardInterrupt" in text
    assert talk.run("kept")[0] == "42\n"


@pytest.mark.parametrize("code", programs.HARMLESS.values(), ids=programs.HARMLESS)
def test_the_next_block_shows_its_own_output(kernel: Any, code: str) -> None:
    kernel.run(code)
    assert kernel.run("6 * 7")[0].replace("late\n", "") == "42\n"


def test_a_crash_shows_where_it_was(new_talk: Callable[..., Any]) -> None:
    talk = new_talk()
    talk.begin("x = 1\nimport ctypes\nctypes.string_at(0)")
    talk.process.wait(LIMIT_S)
    output = talk.process.stdout.read().decode()
    talk.process.stdin.close()
    talk.process.stdout.close()
    assert 'File "<block 1>", line 3' in output


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit on addresses")
def test_too_large_a_step_is_a_memory_error_in_words(talk: Any) -> None:
    text, marks = talk.run("kept = 1\nbytearray(10 ** 10)", memory=200_000_000)
    assert error_of(marks).text("name") == "MemoryError"
    remedy = error_of(marks).text("remedy")
    assert remedy.startswith("This run may take 200 MB")
    assert "the limit in the settings" in remedy
    assert text.endswith(f"MemoryError\n{remedy}\n")
    text, marks = talk.run("x = bytearray(10 ** 9)\nkept", memory=0)
    assert text == "1\n"
    assert of_kind(marks, "error") == []
