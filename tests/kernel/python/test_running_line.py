from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.conftest import PYTHONS
from tests.kernel.marks import error_of, lines_of, of_kind, times_of

MONITORED = "sys.version_info >= (3, 12)"
COUNT_LOOKS = """\
import sys, time
looks, look = 0, sys._current_frames
def counted():
    global looks
    looks += 1
    return look()
def be_seen(times):
    end = looks + times
    while looks < end: time.sleep(0.001)
sys._current_frames = counted
"""
"""Lets a block go on as soon as the kernel has looked at its line so many times."""


def test_a_block_is_run_as_the_main_program(talk: Any) -> None:
    code = "def main():\n    print('in main')\nif __name__ == '__main__': main()"
    text, marks = talk.run(code)
    assert text == "in main\n"
    assert lines_of(marks)[:2] == [1, 3]


def test_statements_on_one_line_are_announced_one_by_one(talk: Any) -> None:
    text, marks = talk.run("print(1); print(2)\nif True: print(3); print(4)")
    assert text == "1\n2\n3\n4\n"
    assert [line for line in lines_of(marks) if line] == [1, 1, 2]


def test_decorators_and_classes_begin_where_python_says(talk: Any) -> None:
    code = (
        "import functools\n@functools.lru_cache(\n    None\n)\ndef f():\n    return 1\n"
        "class A:\n    x = f()\nA.x"
    )
    text, marks = talk.run(code)
    assert text == "1\n"
    assert lines_of(marks)[:4] == [1, 2, 7, 9]


def test_a_line_inside_a_loop_is_seen(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    assert 3 in lines_of(talk.run("x = 1\nfor i in range(3):\n    be_seen(2)\n    pass")[1])


def test_to_be_seen_keeps_no_variable_of_the_code_alive(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    code = """import gc, weakref
class Large: pass
def f():
    large = Large()
    be_seen(3)
    return weakref.ref(large)
gc.disable()
seen = f()
be_seen(2)  # so that no look is still under way
print(seen())
gc.enable()"""
    assert talk.run(code)[0] == "None\n"


def test_the_calling_line_stays_lit_in_a_function_of_an_earlier_block(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    _, marks = talk.run("x = 1\nbe_seen(3)")
    assert lines_of(marks) == [1, 2]


def test_only_the_main_threads_line_is_shown(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    code = (
        "import threading\n"
        "def work():\n"
        "    be_seen(3)\n"
        "thread = threading.Thread(target=work)\n"
        "thread.start()\n"
        "thread.join()"
    )
    assert 3 not in lines_of(talk.run(code)[1])


def test_top_level_await_shows_the_line_that_waits(talk: Any) -> None:
    code = (
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.1)\n    return 5\n"
        "print(await f())"
    )
    text, marks = talk.run(code)
    assert text == "5\n"
    assert lines_of(marks)[:3] == [1, 2, 5]


def test_switched_off_no_line_is_shown_and_times_come_all_the_same(talk: Any) -> None:
    code = "import time\nfor i in range(3):\n    time.sleep(0.1)"
    _, marks = talk.run(code, lines=False)
    assert lines_of(marks) == []
    assert [row[0] for row in times_of(marks)] == [1, 2]
    assert lines_of(talk.run("1")[1]) == [1]


def test_only_the_first_text_of_a_block_is_its_docstring(talk: Any) -> None:
    talk.run("'first'\nx = 1\n'second'\nx = 2")
    assert talk.run("print(__doc__)")[0] == "first\n"
    assert talk.run("def f():\n    'of f'\nprint(f.__doc__)")[0] == "of f\n"


def test_a_warning_of_one_place_comes_once_in_a_block(talk: Any) -> None:
    code = "import warnings\ndef f():\n    warnings.warn('again')\nf()\nf()\nf()"
    assert talk.run(code)[0].count("UserWarning: again") == 1


def test_a_syntax_error_only_the_whole_block_has_is_found(talk: Any) -> None:
    text, marks = talk.run("x = 1\nprint('ran')\nfrom __future__ import annotations")
    assert error_of(marks).text("name") == "SyntaxError"
    assert "ran\n" not in text.splitlines(keepends=True)


def test_line_numbers_in_errors_are_those_of_the_block(talk: Any) -> None:
    code = "x = '''\n\n'''\n\n# comment\nassert (\n    x ==\n    1\n), 'no'"
    assert error_of(talk.run(code)[1]).rows("frames")[-1][1] in {6, 7}


def test_times_say_where_a_statement_ends(talk: Any) -> None:
    rows = times_of(talk.run("x = 1\nif x:\n    y = 2\n\nz = (\n  3\n)")[1])
    assert [(row[0], row[2], row[3]) for row in rows] == [(1, 1, None), (2, 3, None), (5, 7, None)]


def test_the_share_of_a_loop_inside_a_statement_is_told(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    code = (
        "x = 1\n"
        "def work():\n"
        "    for i in range(2):\n"
        "        be_seen(1)\n"
        "    while i < 20:\n"
        "        be_seen(1)\n"
        "        i += 1\n"
        "work()"
    )
    rows = [row for row in times_of(talk.run(code)[1]) if row[3] is not None]
    (main,) = [row for row in rows if row[0] == 5]
    assert main[2] == 7
    assert 0.5 < main[3] <= 1
    assert all(row[3] < 0.5 for row in rows if row[0] == 3)


@pytest.mark.parametrize("python", PYTHONS)
def test_single_lines_are_timed_where_python_can(python: str, new_talk: Callable[..., Any]) -> None:
    code = (
        "import sys, time\n"
        "def work():\n"
        "    total = 0\n"
        "    for i in range(20):\n"
        "        time.sleep(0.02)\n"
        "        total += i\n"
        "work()\n"
        f"{MONITORED}"
    )
    talk = new_talk(python)
    text, marks = talk.run(code, times=True)
    rows = {row[0]: row for row in times_of(marks) if row[3] is not None and row[0] == row[2]}
    if text == "False\n":
        assert rows == {}
        return
    assert max(rows, key=lambda line: rows[line][3]) == 5
    assert 6 in rows
    _, later = talk.run(f"work()\n{MONITORED}")
    assert not [row for row in times_of(later) if row[0] == row[2] and row[3] is not None]
    assert talk.run("sys.monitoring.get_tool(4), sys.monitoring.get_tool(3)")[0] == "(None, None)\n"


def test_the_child_of_a_fork_goes_on_without_the_kernels_threads(talk: Any) -> None:
    code = (
        "import os, sys\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    print('child')\n"
        "    sys.exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    text, marks = talk.run(code)
    assert "child\n" in text
    assert text.endswith("7\n")
    assert "DeprecationWarning" not in text
    assert len(of_kind(marks, "idle")) == 1
    assert talk.run("6 * 7")[0] == "42\n"


def test_exit_ends_the_block_and_keeps_the_names(talk: Any) -> None:
    text, marks = talk.run("kept = 1\nimport sys\nsys.exit()\nprint('went on')")
    assert text == ""
    assert of_kind(marks, "error") == []
    text, marks = talk.run("raise SystemExit('the reason')")
    assert text == "SystemExit: the reason\n"
    assert error_of(marks).text("message") == "the reason"
    assert talk.run("kept")[0] == "1\n"


SPAWNERS = {
    "a pool": "with context.Pool(2) as pool:\n    pool.map(square, [1, 2])",
    "a process": "p = context.Process(target=square, args=(2,))\np.start()\np.join()",
    "an executor": (
        "from concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(1, mp_context=context) as pool:\n"
        "    list(pool.map(square, [1, 2]))"
    ),
    "an instance of a class": (
        "class A: pass\nwith context.Pool(1) as pool:\n    pool.map(len, [A()])"
    ),
}


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("code", SPAWNERS.values(), ids=SPAWNERS)
def test_what_a_spawned_process_cannot_find_is_said_at_once(
    talk: Any, method: str, code: str
) -> None:
    if "futures" in code and talk.run("import sys\nsys.version_info < (3, 10)")[0] == "True\n":
        pytest.skip("its executor sometimes waits for ever after what cannot be pickled")
    text, marks = talk.run(
        "import multiprocessing\ndef square(x): return x * x\n"
        f"context = multiprocessing.get_context('{method}')\n{code}"
    )
    error = error_of(marks)
    assert error.text("name") == "PicklingError"
    assert "module file" in error.text("message")
    assert "get_context('fork')" in text
    assert talk.run("square(3)")[0] == "9\n"


def test_a_spawned_process_runs_what_a_module_holds(talk: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def square(x): return x * x")
    text, _ = talk.run(
        "import multiprocessing, mine\n"
        "with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "    print(pool.map(mine.square, [1, 2, 3]), pool.map(len, ['__main__', '']))"
    )
    assert text == "[1, 4, 9] [8, 0]\n"


@pytest.mark.skipif(sys.platform == "darwin", reason="fork is not the default there")
def test_forked_workers_know_the_functions_of_blocks(talk: Any) -> None:
    talk.run("def square(x): return x * x")
    text, _ = talk.run(
        "from concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(2) as pool:\n"
        "    print(list(pool.map(square, [1, 2, 3])))\n"
        "import multiprocessing\n"
        "with multiprocessing.Pool(2) as pool:\n"
        "    print(pool.map(square, [4, 5]))"
    )
    assert text == "[1, 4, 9]\n[16, 25]\n"


def test_a_start_method_that_is_chosen_holds(talk: Any) -> None:
    text, _ = talk.run(
        "import multiprocessing\nmultiprocessing.set_start_method('spawn')\n"
        "print(multiprocessing.get_context().get_start_method())"
    )
    assert text == "spawn\n"


def test_of_very_many_statements_each_is_announced_and_only_the_last_shown(talk: Any) -> None:
    code = "x = 1\n'text'\n" * 1500 + "x + 41"
    text, marks = talk.run(code)
    assert text == "42\n"
    assert [line for line in lines_of(marks) if line] == list(range(1, 3002))
    assert len(times_of(marks)) == 200


def test_a_mistake_at_the_very_end_lets_nothing_run(talk: Any) -> None:
    text, marks = talk.run("print('ran')\n" * 1500 + "x = = 1")
    assert "ran" not in text.split("x = = 1")[0].replace("print('ran')", "")
    assert error_of(marks).text("name") == "SyntaxError"
    assert lines_of(marks) == []
