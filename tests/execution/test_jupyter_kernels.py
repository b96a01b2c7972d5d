"""Kernels of Jupyter under the executor: real ones, and one that does odd things."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest, Table
from playhead.domain.execution import Place, RunRequest
from playhead.errors import ExecutionError
from playhead.execution.environments.place_finder import find_kernels, read_spec
from playhead.execution.process_executor import ProcessExecutor
from playhead.place_worker.backlog import Backlog
from playhead.place_worker.block_results import table_in
from playhead.place_worker.jupyter_messages import Message, MessageCodec, MessageGaps
from playhead.place_worker.kernel_connection import KernelConnection
from tests.support.jupyter import ODD_KERNEL, described
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of

LINES = """import time
for turn in range(2):
    time.sleep(0.12)
    print(turn)
"""


class Runs:
    """Runs blocks of one place in one conversation."""

    def __init__(self, made: ProcessExecutor, place: Place, folder: Path) -> None:
        self.made = made
        self._place = place
        self._folder = folder
        self._count = 0

    def request(self, code: str) -> RunRequest:
        self._count += 1
        wanted = request(self._folder, code, f"run-{self._count}")
        return replace(wanted, language=self._place.language, interpreter=self._place.id)

    async def all(self, code: str) -> list[Chunk]:
        return await run(self.made, self.request(code))

    async def answered(self, code: str, *answers: str) -> list[Chunk]:
        left, chunks = list(answers), list[Chunk]()
        async with aclosing(self.made.run(self.request(code))) as stream:
            async for chunk in stream:
                if isinstance(chunk.content, InputRequest):
                    await self.made.answer_input("conversation", chunk.content.id, left.pop(0))
                chunks.append(chunk)
        return chunks

    async def stopped(self, code: str, at: str | int) -> list[Chunk]:
        """Stop when a line is lit or a text is printed."""
        chunks = list[Chunk]()
        async with aclosing(self.made.run(self.request(code))) as stream:
            async for chunk in stream:
                if chunk.content == at:
                    await self.made.interrupt("conversation")
                chunks.append(chunk)
        return chunks

    async def disturbed(self, code: str, at: Mapping[str, Callable[[], None]]) -> list[Chunk]:
        """Do something as soon as a line of output has come."""
        left, chunks, seen = dict(at), list[Chunk](), ""
        async with aclosing(self.made.run(self.request(code))) as stream:
            async for chunk in stream:
                seen += str(chunk.content) if chunk.format == "output" else ""
                for line in [line for line in left if line in seen]:
                    left.pop(line)()
                chunks.append(chunk)
        return chunks


@pytest.mark.slow_group("jupyter")
async def test_ipykernel_is_as_our_own_kernel(tmp_path: Path) -> None:
    place = described(tmp_path / "kernels" / "python3")
    async with executor(tmp_path) as made:
        runs = Runs(made, place, tmp_path)

        seen = await runs.all(LINES + "1 + 1")
        assert text_of(seen) == "0\n1\n2\n"
        assert [one for one in lines_of(seen) if one][:3] == [1, 2, 3]  # the loop's line by samples
        assert lines_of(seen)[-2:] == [5, None]
        assert not made.status("conversation").is_silent
        assert report_of(seen).state == "finished"

        seen = await runs.all("import os\nos.system('echo child')\nprint(os.getcwd())")
        assert text_of(seen) == f"child\n0\n{tmp_path}\n".replace("0\n", "", 1)

        seen = await runs.all("def half(n):\n    return n / 0\nhalf(3)")
        error = error_of(seen)
        assert error is not None
        assert (error.name, [frame.line for frame in error.frames]) == ("ZeroDivisionError", [3, 2])
        assert 'File "<block 3>", line 2, in half' in text_of(seen)
        assert "interactiveshell" not in text_of(seen)

        seen = await runs.all("first = 1\n)")
        assert text_of(seen).endswith("SyntaxError: unmatched ')'\n")

        frame = "import pandas\nframe = pandas.DataFrame({'n': range(300)})\nframe"
        tables = [one.content for one in await runs.all(frame) if isinstance(one.content, Table)]
        assert [table.total_rows for table in tables] == [300]
        page = await made.table("conversation", "frame", 298, 5)
        assert page.rows == ((298,), (299,))

        (tmp_path / "broken.py").write_text("1 / 0")
        assert "ZeroDivisionError" in text_of(await runs.all("%run broken.py"))  # a magic's error

        seen = await runs.answered("name = input('Who? ')\nprint('Hello', name)", "Ann")
        assert text_of(seen) == "Hello Ann\n"
        await runs.all("os.close(1)")
        assert text_of(await runs.all("print('again')")) == "again\n"

        html = (
            "from IPython.display import HTML, display\ndisplay(HTML('<b>1</b>'))\nprint('after')"
        )
        kinds = [one.type for one in await runs.all(html) if one.type in ("code", "console")]
        assert kinds.index("code") < len(kinds) - 1  # what is printed after it comes after it

        names = {one.name: one.value for one in await made.variables("conversation")}
        assert names["name"] == "'Ann'"
        assert not names.keys() & {"In", "Out", "exit", "quit", "get_ipython"}

        seen = await runs.stopped("kept = 7\nimport time\ntime.sleep(60)", 3)
        report = report_of(seen)
        assert (report.state, report.line) == ("interrupted", 3)
        assert text_of(await runs.all("kept")) == "7\n"

        seen = await runs.all("for n in range(200_000): print(n)")
        assert report_of(seen).state == "finished"
        assert made.status("conversation").state == "idle"

        report = report_of(await runs.all("import os\nos._exit(3)"))
        assert (report.state, report.exit_status) == ("killed", 3)


@pytest.mark.slow_group("jupyter")
async def test_another_kernel_shows_what_its_messages_say(tmp_path: Path) -> None:
    place = described(tmp_path / "kernels" / "odd", ODD_KERNEL, "odd", "Odd")
    async with executor(tmp_path) as made:
        runs = Runs(made, place, tmp_path)

        assert text_of(await runs.all("print one\nlate 3")) == "one\nlate 0\nlate 1\nlate 2\n"
        assert made.status("conversation").is_silent  # about its lines

        error = error_of(await runs.all("print one\nfail bad"))
        assert error is not None
        assert (error.name, error.message, error.frames[0].line) == ("Odd", "bad", 2)

        cells = "<tr><td>1</td><td>b</td></tr>"
        head = "<thead><tr><th>n</th><th>word</th></tr></thead>"
        seen = await runs.all(f"show text/html <table>{head}<tbody>{cells}</tbody></table>")
        tables = [one.content for one in seen if isinstance(one.content, Table)]
        assert [(table.columns, table.rows) for table in tables] == [(("n", "word"), (("1", "b"),))]

        assert text_of(await runs.answered("ask Who?", "Ann")) == "Ann\n"

        lines = text_of(await runs.all("flood 5000")).splitlines()
        shown = [line for line in lines if line.isdigit()]
        told = [re.match(r"\[([\d,]+) messages are missing", line) for line in lines]
        missing = sum(int(one[1].replace(",", "")) for one in told if one)
        assert len(shown) + missing == 5000  # what it drops, where we are slow, is counted
        assert shown[-1] == "4999"

        seen = await runs.stopped("print go\nsleep 60", "go\n")
        assert report_of(seen).state == "interrupted"
        assert text_of(await runs.all("print alive")) == "alive\n"  # it was interrupted only once

        assert report_of(await runs.all("die 4")).exit_status == 4


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    dies = described(tmp_path / "kernels" / "dies", (*ODD_KERNEL, "--dies"), "odd", "Odd")
    gone = described(tmp_path / "kernels" / "gone", ("/nowhere/odd",), "odd", "Gone")
    async with executor(tmp_path) as made:
        with pytest.raises(ExecutionError, match="It cannot be started here"):
            await Runs(made, dies, tmp_path).all("print one")
        with pytest.raises(ExecutionError, match="There is no /nowhere/odd"):
            await Runs(made, gone, tmp_path).all("print one")


def test_html_that_is_no_table_is_no_error() -> None:
    assert table_in("<table><![foo[x]]><tr><td>1") is None


def test_a_variable_that_cannot_be_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="could not be started"):
        KernelConnection([sys.executable], {"odd=name": "1"}, str(tmp_path))
    assert not [one for one in tmp_path.iterdir() if one.name.startswith("j-")]


def test_kernels_are_found_by_their_files(tmp_path: Path) -> None:
    for name, language, label in (
        ("ir", "R", "R 4.2"),
        ("py", "python", "Lab: Python"),
        ("x", "", ""),
    ):
        described(tmp_path / "kernels" / name, language=language, label=label)
    (tmp_path / "kernels" / "broken").mkdir()
    (tmp_path / "kernels" / "broken" / "kernel.json").write_text("[")
    found = find_kernels([], lambda: [tmp_path / "kernels"] * 2)
    assert [(one.language, one.label) for one in found] == [
        ("python", "Lab: Python"),
        ("r", "R 4.2"),
    ]


def test_windows_has_no_kernels_and_a_chosen_one_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = described(tmp_path / "kernels" / "python3")
    monkeypatch.setattr(sys, "platform", "win32")
    assert find_kernels([], lambda: [tmp_path / "kernels"]) == []
    with pytest.raises(ExecutionError) as refused:
        read_spec(place)
    assert "On Windows" in refused.value.detail


@pytest.mark.parametrize(
    ("ids", "missing"),
    [
        (["k_1_4", "k_1_5", "k_1_6"], 0),
        (["k_1_4", "k_1_9", "k_1_6"], 3),
        (["k_1_1", "m_2_7", "k_1_3"], 1),
        (["9b2e-11", "", "k_", "k_x", "k_1_" + "9" * 400], 0),  # of other kernels, and of none
    ],
)
def test_messages_that_never_came_are_counted(ids: list[str], missing: int) -> None:
    gaps = MessageGaps()
    for one in ids:
        gaps.take(Message("stream", one, "", {}, {}))
    assert gaps.missing == missing


def test_a_message_is_read_as_it_was_written_and_not_with_another_key() -> None:
    codec = MessageCodec(b"key")
    name, parts = codec.encode("execute_request", {"code": "1"}, {"more": 2}, {"msg_id": "asked"})
    found = codec.decode([b"route", *parts, b"buffer"])
    assert found is not None
    assert (found.kind, found.id, found.parent) == ("execute_request", name, "asked")
    assert found.content == {"code": "1"}
    assert MessageCodec(b"other").decode(parts) is None
    assert codec.decode(parts[:-1]) is None
    assert codec.decode([]) is None


def test_what_nobody_takes_waits_on_the_disk_in_its_order(tmp_path: Path) -> None:
    backlog = Backlog(str(tmp_path), limit_bytes=10)
    sent = [(f"c{n}", [bytes([n]) * n, b"x"]) for n in range(8)]
    for _ in range(2):  # the file is used again
        for channel, parts in sent:
            backlog.put(channel, parts)
        assert [backlog.get() for _ in sent] == sent
    assert not list(tmp_path.iterdir())


def test_what_a_full_disk_does_not_take_stays_in_memory(tmp_path: Path) -> None:
    backlog = Backlog(str(tmp_path), limit_bytes=10)
    sent = [(f"c{n}", [bytes([n]) * 600]) for n in range(4)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        for channel, parts in sent:
            backlog.put(channel, parts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [backlog.get() for _ in sent] == sent
