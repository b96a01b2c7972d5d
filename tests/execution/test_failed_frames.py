"""The variables of a failure's frames, of real kernels: asked later, held until the next run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from playhead.domain.conversation.payloads import Frame
from playhead.domain.execution import Variable
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import error_of, executor, request, run, text_of


async def frames_of(made: ProcessExecutor, folder: Path, code: str) -> Sequence[Frame]:
    error = error_of(await run(made, request(folder, code)))
    assert error is not None
    return error.frames


async def failed(folder: Path, code: str) -> list[Variable]:
    """The variables of the frames of code that fails."""
    async with executor(folder) as made:
        frames = await frames_of(made, folder, code)
        return await made.variables("conversation", frames)


def told(variables: list[Variable]) -> dict[str, str]:
    return {variable.name: variable.value for variable in variables}


async def test_locals_and_what_the_statement_used_come_with_their_frames(tmp_path: Path) -> None:
    code = """
import math
unused, base = 1, 10
class Point:
    def __repr__(self): return "Point at home"
def inner(a):
    here, big = Point(), "x" * 10_000
    return math.sqrt(a) / 0
def outer():
    return [inner(base) for _ in range(3)]
outer()
"""
    variables = await failed(tmp_path, code)
    by_frame = [(one.frame, one.name, one.type) for one in variables if one.name in ("a", "here")]
    last = max(one.frame for one in variables)
    assert by_frame == [(last, "a", "int"), (last, "here", "Point")]
    values = told(variables)
    assert (values["a"], values["here"]) == ("10", "Point at home")
    assert len(values["big"]) < 200
    assert not values.keys() & {"math", "unused", "inner", "outer", "Point"}


async def test_a_block_alone_shows_what_its_statement_used(tmp_path: Path) -> None:
    assert told(await failed(tmp_path, "x, y, z = 1, 0, 5\nx / y")) == {"x": "1", "y": "0"}


async def test_code_that_is_not_python_has_no_variables(tmp_path: Path) -> None:
    assert await failed(tmp_path, "x =") == []


async def test_of_a_deep_recursion_the_last_frames_are_there(tmp_path: Path) -> None:
    variables = await failed(tmp_path, "def f(n):\n    return f(n + 1)\nf(0)")
    numbers = [int(one.value) for one in variables if one.name == "n"]
    assert len(numbers) == 10
    assert numbers == list(range(numbers[0], numbers[0] + 10))
    assert numbers[0] > 500


async def test_a_class_that_does_harm_is_asked_in_a_child_that_is_killed(tmp_path: Path) -> None:
    code = """
import os, time
class Slow:
    def __repr__(self): time.sleep(100)
class Deadly:
    def __repr__(self): os._exit(3)
    def __getattribute__(self, name): os._exit(4)
class Changing:
    def __repr__(self): touched.append(1); return "changed"
touched = []
def f():
    a, b, c = Changing(), Deadly(), Slow()
    1 / 0
f()
"""
    async with executor(tmp_path) as made:
        frames = await frames_of(made, tmp_path, code)
        values = told(await made.variables("conversation", frames))
        assert (values["a"], values["b"], values["c"]) == ("changed", "<Deadly>", "<Slow>")
        assert text_of(await run(made, request(tmp_path, "touched"))) == "[]\n"


HELD = """
class Held:
    def __init__(self, what): self.what = what
    def __repr__(self): return "still here"
    def __del__(self): print("freed", self.what[:1])
def f():
    held = Held(%s)
    raise %s
f()
"""


async def test_what_is_held_is_let_go_when_the_next_run_begins(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        frames = await frames_of(made, tmp_path, HELD % ("'small'", "ValueError"))
        assert told(await made.variables("conversation", frames)) == {"held": "still here"}
        assert text_of(await run(made, request(tmp_path, "print('next')"))).endswith(
            "freed s\nnext\n"
        )
        with pytest.raises(ExecutionError, match="Other code has run since"):
            await made.variables("conversation", frames)


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("'x' * 100_000_000", "ValueError"),
        ("['x' * 1_000_000 for _ in range(100)]", "ValueError"),
        ("[[[n] for n in range(300)] for _ in range(300)]", "ValueError"),
        ("'small'", "MemoryError"),
    ],
)
async def test_what_is_large_or_hard_to_weigh_is_not_held(
    tmp_path: Path, what: str, error: str
) -> None:
    code = "import gc; gc.disable()\n" + HELD % (what, error)
    async with executor(tmp_path) as made:
        frames = await frames_of(made, tmp_path, code.replace("freed", "freed early"))
        assert told(await made.variables("conversation", frames)) == {"held": "<Held>"}
