from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.marks import error_of, lines_of, of_kind, times_of


def test_every_statement_is_announced_with_its_first_line(talk: Any) -> None:
    text, marks = talk.run(
        "a = 1\n\nif a:\n    b = 2\n\n\n@staticmethod\ndef f():\n    pass\n(\na\n)"
    )
    assert lines_of(marks) == [1, 3, 7, 10]
    assert text == "1\n"


def test_only_the_last_expression_is_displayed(talk: Any) -> None:
    text, marks = talk.run("1\n2\n3")
    assert text == "3\n"
    assert len(of_kind(marks, "display")) == 1
    assert talk.run("_ + 1")[0] == "4\n"


@pytest.mark.parametrize("code", ["None", "4;", "x = 4", ""])
def test_nothing_is_displayed_for(talk: Any, code: str) -> None:
    text, marks = talk.run(code)
    assert text == ""
    assert marks[-1].text("state") == "finished"


def test_await_works_at_the_top_and_the_loop_is_kept(talk: Any) -> None:
    talk.run("import asyncio\nfirst = asyncio.get_event_loop_policy() and None")
    text, _ = talk.run("import asyncio\nevent = asyncio.Event()\nevent.set()\nawait event.wait()")
    assert text == "True\n"
    assert talk.run("await asyncio.sleep(0, 'slept')")[0] == "'slept'\n"
    assert talk.run("async def f():\n    return 7\nasyncio.run(f())")[0] == "7\n"
    assert talk.run("await f()")[0] == "7\n"


def test_future_flags_hold_for_later_statements_and_blocks(talk: Any) -> None:
    talk.run("from __future__ import annotations\nx: Nowhere = 1")
    text, marks = talk.run("def f(a: Unknown): pass\nf.__annotations__")
    assert text == "{'a': 'Unknown'}\n"
    assert of_kind(marks, "error") == []


def test_a_syntax_error_runs_nothing_and_points_to_its_line(talk: Any) -> None:
    text, marks = talk.run("print('first')\nx = = 1")
    assert "first\n" not in text
    assert "line 2" in text
    assert error_of(marks).text("name") == "SyntaxError"
    assert of_kind(marks, "error")[0].rows("frames")[-1][:2] == ["", 2]
    assert lines_of(marks) == []


@pytest.mark.parametrize("code", ["return 1", "break", "await = 1", "x = '\0'"])
def test_what_only_the_compiler_refuses_is_an_error_of_the_block(talk: Any, code: str) -> None:
    _, marks = talk.run("ran = True\n" + code)
    assert error_of(marks).text("name") in {"SyntaxError", "ValueError"}
    assert talk.run("'ran' in dir()")[0] == "False\n"


def test_a_syntax_warning_comes_once(talk: Any) -> None:
    text, _ = talk.run("x = 1\nif x is 1: pass")
    assert text.count("SyntaxWarning") == 1


def test_tracebacks_show_the_source_of_this_and_of_earlier_blocks(talk: Any) -> None:
    talk.run("def inner():\n    # comment\n    raise KeyError('k')")
    text, marks = talk.run("def outer():\n    inner()\n\nouter()")
    assert "raise KeyError('k')" in text
    assert "    outer()\n" in text
    assert "runner.py" not in text
    rows = of_kind(marks, "error")[0].rows("frames")
    assert [row[:2] for row in rows] == [["", 4], ["", 2], ["<block 1>", 3]]


def test_a_traceback_shows_its_cause_without_our_frames(talk: Any) -> None:
    text, _ = talk.run(
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise OSError('x') from e"
    )
    assert "direct cause" in text
    assert "_playhead_kernel" not in text
    assert "runner.py" not in text


def test_an_error_under_await_has_no_frames_of_the_loop(talk: Any) -> None:
    text, marks = talk.run("import asyncio\nawait asyncio.sleep(0)\nawait (lambda: 1 / 0)()")
    assert error_of(marks).text("name") == "ZeroDivisionError"
    assert "run_until_complete" not in text


def test_an_error_in_a_repr_is_an_error_of_the_block(talk: Any) -> None:
    text, marks = talk.run("class A:\n    def __repr__(self):\n        return 1 / 0\nA()")
    assert error_of(marks).text("name") == "ZeroDivisionError"
    assert "display.py" not in text


def test_a_huge_error_fits_into_a_mark(talk: Any) -> None:
    _, marks = talk.run("raise ValueError('ß' * 100_000)")
    message = of_kind(marks, "error")[0].text("message")
    assert message.startswith("ßßß")


def test_a_surrogate_can_be_printed(talk: Any) -> None:
    assert talk.run("print('\\udc80')")[0] == "\\udc80\n"


def test_statements_are_timed(talk: Any) -> None:
    _, marks = talk.run("import time\ntime.sleep(0.05)")
    times = times_of(marks)
    assert [row[0] for row in times] == [1, 2]
    assert times[1][1] >= 0.05


def test_many_statements_are_timed_in_marks_that_fit(talk: Any) -> None:
    _, marks = talk.run("\n".join(f"x{number} = {number}" for number in range(500)))
    times = times_of(marks)
    assert len(times) == 200
    assert len(lines_of(marks)) == 500


def test_classes_of_a_block_can_be_pickled(talk: Any) -> None:
    code = "import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__module__"
    assert talk.run(code)[0] == "'__main__'\n"


def test_multiprocessing_works_by_fork(talk: Any) -> None:
    code = (
        "import multiprocessing\ndef square(x): return x * x\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    print(pool.map(square, [1, 2, 3]))"
    )
    assert "[1, 4, 9]" in talk.run(code)[0]


def test_marks_name_their_run(talk: Any) -> None:
    assert {mark.run for mark in talk.run("1")[1]} == {"run-1"}
    assert {mark.run for mark in talk.run("1")[1]} == {"run-2"}


def test_kernel_leaves_no_module_names_behind(talk: Any) -> None:
    names = ("protocol", "display", "runner", "host", "streams", "boot")
    talk.run("import sys")
    assert talk.run(f"[name for name in {names} if name in sys.modules]")[0] == "[]\n"
    assert talk.run("[name for name in dir() if name[:2] != '__']")[0] == "['sys']\n"
