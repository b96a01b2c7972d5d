"""What an idle kernel says of its names, and text for what its children read."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RowOrder, Table
from playhead.domain.execution import Candidate, Completions, Description
from playhead.errors import ExecutionError
from playhead.execution import live_kernel
from tests.support import programs
from tests.support.kernels import executor, report_of, request, run, text_of
from tests.support.waiting import until


async def test_the_names_of_a_kernel_are_told_with_what_they_are(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "old = 'a text'"))
        await run(made, request(tmp_path, "numbers = [1, 2, 3]\nimport os"))
        found = {variable.name: variable for variable in await made.variables("conversation")}
    assert (found["old"].type, found["old"].value) == ("str", "'a text'")
    assert "[1, 2, 3]" in found["numbers"].value
    assert (found["old"].is_changed, found["numbers"].is_changed) == (False, True)
    assert "__name__" not in found


async def test_without_a_kernel_there_are_no_names_and_no_tables(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        assert await made.variables("conversation") == []
        with pytest.raises(ExecutionError, match="no Python kernel"):
            await made.table("conversation", "x", 0, 10)


async def test_a_busy_kernel_is_not_asked(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        task = asyncio.create_task(run(made, request(tmp_path, programs.FOREVER)))
        await until(lambda: made.status("conversation").state == "busy")
        with pytest.raises(ExecutionError, match="busy"):
            await made.variables("conversation")
        await made.interrupt("conversation")
        assert report_of(await task).state == "interrupted"


async def test_what_is_no_table_is_refused_in_words(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 3"))
        for name in ("x", "missing", "x.y", "__import__('os')"):
            with pytest.raises(ExecutionError):
                await made.table("conversation", name, 0, 10)


async def test_a_page_of_a_frame_is_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    code = "import pandas\nframe = pandas.DataFrame({'a': range(500), 'b': 'x'})"
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
        page = await made.table("conversation", "frame", 490, 100)
        shown = await run(made, request(tmp_path, "frame"))
    assert (page.columns, page.total_rows, page.name) == (("a", "b"), 500, "frame")
    assert page.rows[0] == (490, "x")
    assert len(page.rows) == 10
    kinds = [chunk.type for chunk in shown if chunk.type in {"console", "table"}]
    assert "table" in kinds
    assert kinds.index("table") > kinds.index("console")
    assert "500 rows" in text_of(shown) or "a" in text_of(shown)


SLOW = """
import pandas, time
class Slow:
    def __lt__(self, other):
        time.sleep(0.01)
        return False
frame = pandas.DataFrame({"slow": [Slow() for _ in range(5_000)]})
kept = 42
"""


async def test_a_frame_is_sorted_by_the_kernel(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    code = "import pandas\npandas.DataFrame({'a': [*range(900), -1]})"
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
        (shown,) = [chunk.content for chunk in chunks if isinstance(chunk.content, Table)]
        assert shown.index_columns == 0
        page = await made.table("conversation", shown.key, 0, 2, RowOrder(0))
        assert (page.rows, page.positions, page.key) == (((-1,), (0,)), (900, 0), shown.key)
        later = await made.table("conversation", shown.key, 899, 9, RowOrder(0, is_falling=True))
        assert (later.rows, later.positions) == (((0,), (-1,)), (0, 900))


async def test_a_sorting_is_stopped_and_the_names_are_still_there(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, SLOW))
        sorting = asyncio.create_task(made.table("conversation", "frame", 0, 10, RowOrder(0)))
        waiting = asyncio.create_task(made.table("conversation", "frame", 0, 1))
        await asyncio.wait([waiting], timeout=0.3)
        assert not waiting.done(), "one question after the other, however long that takes"
        sorting.cancel()
        assert len((await waiting).rows) == 1
        with pytest.raises(asyncio.CancelledError):
            await sorting
        assert text_of(await run(made, request(tmp_path, "kept", "run-2"))) == "42\n"


async def test_code_that_is_run_ends_a_sorting_with_a_reason(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, SLOW))
        sorting = asyncio.create_task(made.table("conversation", "frame", 0, 10, RowOrder(0)))
        await asyncio.wait([sorting], timeout=0.3)
        assert text_of(await run(made, request(tmp_path, "kept", "run-2"))) == "42\n"
        with pytest.raises(ExecutionError, match="sorting was stopped") as caught:
            await sorting
        assert caught.value.remedy


async def test_a_kernel_that_does_not_answer_in_time_is_given_up_and_still_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_kernel, "ANSWER_LIMIT_S", 0.0)
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 42"))
        with pytest.raises(ExecutionError, match="did not answer"):
            await made.variables("conversation")
        assert text_of(await run(made, request(tmp_path, "x"))) == "42\n"


async def test_a_kernel_that_dies_over_a_question_says_so(tmp_path: Path) -> None:
    code = "import os\nclass Trap:\n    def __repr__(self):\n        os._exit(3)\ntrap = Trap()"
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
        try:
            found = await made.variables("conversation")
        except ExecutionError as error:
            assert "did not answer" in str(error)  # noqa: PT017 - either way will do
        else:
            assert "trap" in {variable.name for variable in found}
        assert text_of(await run(made, request(tmp_path, "print(42)"))) == "42\n"


async def test_text_and_its_end_reach_a_child_that_reads(tmp_path: Path) -> None:
    code = "import subprocess, sys\nprint('ready', flush=True)\ndone = subprocess.run(['cat'])"
    chunks: list[Chunk] = []
    async with executor(tmp_path) as made:
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == "ready\n":
                    await made.send_text("conversation", "one\ntw")
                    await made.send_text("conversation", "o\n", is_end=True)
        assert text_of(chunks) == "ready\none\ntwo\n"
        assert text_of(await run(made, request(tmp_path, "6 * 7"))) == "42\n"


async def test_a_kernel_completes_and_describes_code(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        assert await made.complete("conversation", "x.", is_asked=True) == Completions()
        assert await made.describe("conversation", "x", is_call=False) == Description()
        await run(made, request(tmp_path, "def turn(by, far=1): 'Turn it.'\nnumbers = [1]"))
        found = await made.complete("conversation", "numbers.app", is_asked=False)
        assert found == Completions(3, (Candidate("append", "function"),))
        told = await made.describe("conversation", "turn(1, ", is_call=True)
        assert (told.name, told.argument, told.documentation) == ("turn", 1, "Turn it.")
        assert told.parameters == ("by", "far = 1")
        told = await made.describe("conversation", "numbers", is_call=False)
        assert (told.type, told.value, told.is_callable) == ("list", "[1]", False)
