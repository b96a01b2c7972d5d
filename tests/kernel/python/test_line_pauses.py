from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.kernel.marks import of_kind


def pause_of(talk: Any) -> tuple[str, int | None]:
    """What was printed up to the next pause, and its line."""
    text, marks = talk.read_until("paused")
    return text, marks[-1].integer("line")


def names_of(talk: Any) -> dict[str, str]:
    """The variables of a kernel that is paused, or at rest."""
    talk.send("variables", ask="1", frames=[])
    answer = of_kind(talk.read_until("answer")[1], "answer")[-1]
    rows = json.loads((talk.spool / answer.text("file")).read_text())["variables"]
    return {row["name"]: row["value"] for row in rows}


def steps(talk: Any, code: str, count: int, breakpoints: list[int]) -> list[int | None]:
    """The lines of the pause at a breakpoint and of so many steps; then the block goes on."""
    run = talk.begin(code, breakpoints=breakpoints)
    seen = [pause_of(talk)[1]]
    for _ in range(count):
        talk.send("step", run=run)
        seen.append(pause_of(talk)[1])
    talk.send("resume", run=run)
    talk.read_until("idle")
    return seen


STEPPED = {
    "nested function": (
        "def outer():\n    def inner():\n        return 1\n    return inner()\nx = outer()\ny = x",
        [5],
        [5, 2, 4, 3, 6],
    ),
    "generator": (
        "def numbers():\n    yield 1\n    yield 2\nfor n in numbers():\n    last = n\nlast",
        [4],
        [4, 2, 5, 4, 3, 5, 4, 6],
    ),
    "finally": (
        (
            "def fail():\n    try:\n        1 / 0\n    finally:\n        a = 1\n"
            "try:\n    fail()\nexcept ZeroDivisionError:\n    b = 2\nc = 3"
        ),
        [7],
        [7, 2, 3, 5, 8, 9, 10],
    ),
    "async": (
        (
            "import asyncio\nasync def work():\n    await asyncio.sleep(0)\n    return 3\n"
            "found = await work()\nfound"
        ),
        [5],
        [5, 3, 4, 6],
    ),
    "library": ("import json\nx = json.dumps(\n    [1],\n    indent=2,\n)\ny = 2", [2], [2, 6]),
    "decorated": (
        "import functools\n@functools.lru_cache(1)\ndef f():\n    return 1\nz = f()",
        [3],
        [2, 5, 4],
    ),
}


@pytest.mark.parametrize(("code", "breakpoints", "lines"), STEPPED.values(), ids=STEPPED)
def test_steps_go_from_statement_to_statement_of_the_block(
    talk: Any, code: str, breakpoints: list[int], lines: list[int]
) -> None:
    assert steps(talk, code, len(lines) - 1, breakpoints) == lines


def test_a_breakpoint_pauses_before_its_line_each_time(talk: Any) -> None:
    run = talk.begin("total = 0\nfor n in range(3):\n    total += n\nprint(total)", breakpoints=[3])
    for expected in ("0", "0", "1"):
        assert pause_of(talk) == ("", 3)
        assert names_of(talk)["total"] == expected
        talk.send("resume", run=run)
    text, marks = talk.read_until("idle")
    assert text == "3\n"
    assert marks[-1].text("state") == "finished"


def test_the_names_are_those_of_the_function_that_is_paused(talk: Any) -> None:
    run = talk.begin("a = 1\ndef f(b):\n    c = b + 1\n    return c\nf(5)", breakpoints=[4])
    pause_of(talk)
    assert names_of(talk) == {"b": "5", "c": "6"}
    talk.send("resume", run=run)
    talk.read_until("idle")
    assert "a" in names_of(talk)


def test_a_pause_that_is_asked_for_comes_at_the_next_line_of_the_block(talk: Any) -> None:
    code = "n = 0\nprint('go', flush=True)\nwhile n < 10 ** 9:\n    n += 1\nprint('end')"
    run = talk.begin(code)
    while "go" not in talk.read_until("line")[0]:
        pass
    talk.send("pause", run=run)
    assert pause_of(talk)[1] in (3, 4)
    before = int(names_of(talk)["n"])
    assert int(names_of(talk)["n"]) == before
    talk.send("step", run=run)
    pause_of(talk)
    talk.send("stop", run=run)
    talk.process.send_signal(signal.SIGINT)
    text, marks = talk.read_until("idle")
    assert marks[-1].text("state") == "interrupted"
    assert text.count("KeyboardInterrupt") == 1
    assert "line_pauses" not in text
    assert talk.run(f"n >= {before}")[0] == "True\n"


def test_breakpoints_can_be_changed_while_the_block_runs(talk: Any) -> None:
    run = talk.begin("a = 1\nend = False\nwhile not end:\n    x = 1\n    y = 2")
    for _ in range(3):
        talk.read_until("line")
    talk.send("breakpoints", run=run, lines=[5])
    assert pause_of(talk)[1] == 5
    talk.send("breakpoints", run=run, lines=[4])
    talk.send("resume", run=run)
    assert pause_of(talk)[1] == 4
    talk.send("stop", run=run)
    assert talk.read_until("idle")[1][-1].text("state") == "interrupted"


def test_nothing_watches_the_lines_where_no_pause_is_wanted(talk: Any) -> None:
    look = (
        "import sys\n"
        "print(sys.gettrace(), [getattr(sys, 'monitoring').get_tool(n) for n in range(6)]"
        " if hasattr(sys, 'monitoring') else [])"
    )
    before = talk.run(look)[0]
    run = talk.begin("x = 1\ny = 2", breakpoints=[2])
    pause_of(talk)
    talk.send("resume", run=run)
    talk.read_until("idle")
    assert talk.run(look)[0] == before
    assert "playhead" not in before


def test_a_process_that_the_block_forks_is_not_paused(talk: Any) -> None:
    code = "import os\nchild = os.fork()\nif not child:\n    os._exit(3)\nprint(os.wait()[1] >> 8)"
    run = talk.begin(code, breakpoints=[4, 5])
    assert pause_of(talk)[1] == 5
    talk.send("resume", run=run)
    assert talk.read_until("idle")[0] == "3\n"


def test_a_block_that_took_away_the_builtins_is_paused_nevertheless(talk: Any) -> None:
    code = "import builtins\nbuiltins.__dict__.clear()\nx = 1\ny = 2"
    run = talk.begin(code, breakpoints=[3])
    assert pause_of(talk)[1] == 3
    talk.send("step", run=run)
    assert pause_of(talk)[1] == 4
    talk.send("resume", run=run)
    assert talk.read_until("idle")[1][-1].text("state") == "finished"


def test_a_pause_right_behind_the_command_to_go_on_is_a_pause(talk: Any) -> None:
    run = talk.begin("n = 0\nwhile True:\n    n += 1", breakpoints=[2])
    pause_of(talk)
    talk.send("breakpoints", run=run, lines=[])
    for _ in range(20):
        talk.send("resume", run=run)
        talk.send("pause", run=run)
        pause_of(talk)
    talk.send("stop", run=run)
    assert talk.read_until("idle")[1][-1].text("state") == "interrupted"


def test_code_that_comes_to_no_line_is_stopped_once(talk: Any) -> None:
    run = talk.begin("import time\nx = 1\ntime.sleep(1000)\ny = 2", breakpoints=[2])
    pause_of(talk)
    talk.send("resume", run=run)
    while talk.read_until("line")[1][-1].integer("line") != 3:
        pass
    talk.send("pause", run=run)
    talk.send("stop", run=run)
    talk.process.send_signal(signal.SIGINT)
    text, marks = talk.read_until("idle")
    assert marks[-1].text("state") == "interrupted"
    assert text.count("KeyboardInterrupt") == 1
    assert talk.run("x")[0] == "1\n"
