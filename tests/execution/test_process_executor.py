"""Blocks on real kernels."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.left_out import printed_lines
from playhead.domain.conversation.payloads import (
    InputRequest,
    LineTiming,
    OutputTail,
    RunReport,
    Table,
)
from playhead.domain.execution import KernelStatus
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from playhead.execution.run_output import LIVE_LIMIT, SHOWN_LIMIT, TAIL_LIMIT
from playhead.storage.history.no_history import NoHistory
from tests.support.kernels import (
    error_of,
    executor,
    lines_of,
    report_of,
    request,
    run,
    text_of,
)
from tests.support.waiting import LIMIT_S, until

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


PNG_VALUE = f"""\
class Shown:
    def _repr_png_(self):
        return {PNG!r}
"""


async def test_the_dialogue_comes_out_chunk_for_chunk(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, "34 / 24"))
    started, *core, timing, finished = chunks
    assert started.content == RunReport(state="started")
    assert core == [
        Chunk(role="computer", type="console", start=True, id="run-1"),
        Chunk(role="computer", type="console", format="active_line", content=1),
        Chunk(role="computer", type="console", format="output", content="1.4166666666666667\n"),
        Chunk(role="computer", type="console", format="active_line", content=None),
        Chunk(role="computer", type="console", end=True),
    ]
    assert isinstance(timing.content, LineTiming)
    assert isinstance(finished.content, RunReport)
    assert (finished.content.state, finished.content.output_path) == ("finished", None)


async def test_what_a_conversation_leaves_behind_goes_with_it(tmp_path: Path) -> None:
    code = f"{PNG_VALUE}\nprint('x' * 3_000_000)\nShown()"
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    folder = tmp_path / "output" / "conversation"
    (picture,) = (Path(str(c.content)) for c in chunks if c.type == "image" and c.content)
    whole = report_of(chunks).output_path
    assert whole is not None
    assert (picture.parent, Path(whole).parent) == (folder, folder)
    await NoHistory(tmp_path / "output").delete("conversation")
    assert list((tmp_path / "output").iterdir()) == []


async def test_the_tail_of_a_long_output_goes_on_and_the_line_counts_are_the_programs(
    tmp_path: Path,
) -> None:
    code = "for number in range(400_000):\n    print('line', number)"
    conversation = Conversation()
    tails: list[OutputTail] = []
    conversation.subscribe(lambda event: tails.append(event.tail) if event.tail else None)
    async with executor(tmp_path) as made:
        for chunk in await run(made, request(tmp_path, code)):
            conversation.apply(chunk)
    (console,) = (one for one in conversation.messages if one.type == "console")
    assert printed_lines(console.text) == 400_000
    assert len(console.text) < SHOWN_LIMIT + TAIL_LIMIT + 1000
    assert len(tails) > 1
    ends = [tail.lines + tail.text.count("\n") for tail in tails]
    assert ends == sorted(ends)
    assert all(len(tail.text) <= LIVE_LIMIT for tail in tails)
    head = console.text.partition("[… ")[0].count("\n")
    for tail in tails:
        assert tail.text.startswith(f"line {head + tail.lines}\n")


async def test_names_live_on_and_the_kernel_is_the_same(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 41"))
        pid = made.status("conversation").pid
        assert text_of(await run(made, request(tmp_path, "x + 1"))) == "42\n"
        assert made.status("conversation").pid == pid


async def test_prints_of_python_of_children_and_of_c_keep_their_order(tmp_path: Path) -> None:
    code = (
        "import os, sys\nprint('one')\nos.system('echo two')\nos.write(2, b'three\\n')\n"
        "print('four', file=sys.stderr)\nprint('five', end='')\nos.system('echo six')"
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    assert text_of(chunks) == "one\ntwo\nthree\nfour\nfivesix\n0\n"
    assert lines_of(chunks) == [1, 2, 3, 4, 5, 6, 7, None]


async def test_lines_inside_a_loop_and_a_function_are_lit(tmp_path: Path) -> None:
    code = "import time\ndef wait():\n    time.sleep(0.2)\nfor _ in range(2):\n    wait()"
    async with executor(tmp_path) as made:
        lines = lines_of(await run(made, request(tmp_path, code)))
    assert lines[:3] == [1, 2, 4]
    assert 3 in lines


async def test_an_error_is_data_and_a_traceback(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "def half(x):\n    return x / 0"))
        chunks = await run(made, request(tmp_path, "a = 1\nhalf(a)"))
    error = error_of(chunks)
    assert error is not None
    assert (error.name, error.message) == ("ZeroDivisionError", "division by zero")
    assert [(frame.file, frame.line) for frame in error.frames] == [("", 2), ("<block 1>", 2)]
    assert "    return x / 0" in text_of(chunks)
    assert "playhead" not in text_of(chunks)
    assert report_of(chunks).state == "finished"


async def test_a_missing_module_is_named(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        error = error_of(await run(made, request(tmp_path, "import nowhere_to_be_found")))
    assert error is not None
    assert error.name == "ModuleNotFoundError"
    assert error.message == "No module named 'nowhere_to_be_found'"


async def test_an_image_becomes_a_file_in_the_output_folder(tmp_path: Path) -> None:
    code = f"class P:\n    def _repr_png_(self):\n        return {PNG!r}\nprint('a')\nP()"
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    kinds = [chunk.type for chunk in chunks if chunk.type in {"console", "image"}]
    assert kinds[-3:] == ["image"] * 3
    (content,) = [c.content for c in chunks if c.type == "image" and c.content]
    (path,) = (tmp_path / "output" / "conversation").iterdir()
    assert str(path) == content
    assert path.read_bytes() == PNG


async def test_figures_come_in_their_order_shown_or_not(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code = (
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('between')\n"
        "plt.plot([2, 1])\nplt.figure()\nx = plt.plot([1])"
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    seen = [
        c.type if c.type == "image" else c.content
        for c in chunks
        if c.format in {"path", "output"} and c.content
    ]
    assert seen == ["image", "between\n", "image", "image"]


async def test_a_question_is_answered(tmp_path: Path) -> None:
    code = "name = input('Name? ')\nprint('Hello ' + name)"
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if isinstance(chunk.content, InputRequest):
                    assert chunk.content.prompt == "Name? "
                    await made.answer_input("conversation", chunk.content.id, "Ada Ö")
    assert text_of(chunks) == "Hello Ada Ö\n"


async def test_half_a_character_in_an_answer_leaves_the_kernel_listening(tmp_path: Path) -> None:
    code = "first = input()\nprint(input())"
    async with executor(tmp_path) as made, asyncio.timeout(LIMIT_S):
        chunks: list[Chunk] = []
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if isinstance(chunk.content, InputRequest):
                    answer = "\ud83d" if chunk.content.id.endswith("-1") else "whole"
                    await made.answer_input("conversation", chunk.content.id, answer)
    assert text_of(chunks) == "whole\n"


async def test_a_password_is_asked_as_a_secret(tmp_path: Path) -> None:
    code = "from getpass import getpass\nlen(getpass())"
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if isinstance(chunk.content, InputRequest):
                    assert chunk.content.is_secret
                    await made.answer_input("conversation", chunk.content.id, "geheim")
    assert text_of(chunks) == "6\n"


async def test_a_child_reads_the_line_after_the_one_that_input_read(tmp_path: Path) -> None:
    code = "import os\na = input()\nos.system('read line; echo child got $line')\nprint(a)"
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if isinstance(chunk.content, InputRequest):
                    await made.answer_input("conversation", chunk.content.id, "first\nsecond")
    assert text_of(chunks) == "child got second\nfirst\n"


async def test_another_folder_moves_the_kernel_and_its_imports(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"only_in_{name}.py").write_text("")
    code = "import os, sys\nprint(os.getcwd(), sys.path[0])"
    async with executor(tmp_path) as made:
        one = text_of(await run(made, request(tmp_path / "one", code + "\nimport only_in_one")))
        pid = made.status("conversation").pid
        two = text_of(await run(made, request(tmp_path / "two", code + "\nimport only_in_two")))
        assert made.status("conversation").pid == pid
    assert one == f"{tmp_path}/one {tmp_path}/one\n"
    assert two == f"{tmp_path}/two {tmp_path}/two\n"


@pytest.mark.parametrize("word", ["python", "bash"])
async def test_a_folder_that_was_replaced_under_its_name_is_entered_again(
    tmp_path: Path, word: str
) -> None:
    """Code stays where it went by itself, in the new folder as in the old one."""
    folder, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.mkdir()
    to, where = {
        "python": ("import os\nos.makedirs({0!r}, exist_ok=True)\nos.chdir({0!r})", _WHERE),
        "bash": ("mkdir -p {0!r}; cd {0!r}", "pwd -P; stat -c %i ."),
    }[word]

    def replaced(*, inner: str = "", is_deleted: bool = False) -> None:
        if is_deleted:
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / f"old-{len(list(tmp_path.iterdir()))}")
        (folder / inner).mkdir(parents=True)

    async with executor(tmp_path) as made:

        async def at(place: Path, code: str = "") -> None:
            await run(made, replace(request(folder, code), language=word))
            found = text_of(await run(made, replace(request(folder, where), language=word)))
            assert found.split() == [str(place), str(os.stat(place).st_ino)]

        await at(folder)
        replaced()
        await at(folder)
        assert made.status("conversation").folder == ""
        await at(folder / "sub", to.format("sub"))
        assert made.status("conversation").folder == str(folder / "sub")
        replaced(inner="sub")
        await at(folder / "sub")
        replaced(is_deleted=True)
        await at(folder)
        await at(elsewhere, to.format(str(elsewhere)))
        replaced()
        await at(elsewhere)


_WHERE = "import os\nprint(os.getcwd(), os.stat('.').st_ino)"


async def test_another_interpreter_gets_a_fresh_kernel(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 1"))
        other = replace(request(tmp_path, "x"), interpreter=str(link))
        error = error_of(await run(made, other))
        assert made.status("conversation").interpreter == str(link)
    assert error is not None
    assert error.name == "NameError"


async def test_restart_forgets_the_names(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 1"))
        await made.restart("conversation")
        assert made.status("conversation") == KernelStatus()
        error = error_of(await run(made, request(tmp_path, "x")))
    assert error is not None
    assert error.name == "NameError"


async def test_code_that_comes_during_a_restart_runs_in_the_new_kernel(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 1"))
        restart = asyncio.create_task(made.restart("conversation"))
        await asyncio.sleep(0)
        chunks = await run(made, request(tmp_path, "print('x' in globals())"))
        await restart
    assert text_of(chunks) == "False\n"


@pytest.mark.parametrize("spoil", ["os.close(0)", "os.dup2(os.open(os.devnull, os.O_RDONLY), 0)"])
async def test_standard_input_that_a_block_took_away_is_back(tmp_path: Path, spoil: str) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, f"import os, stat\n{spoil}"))
        code = "stat.S_ISFIFO(os.fstat(0).st_mode)"
        assert text_of(await run(made, request(tmp_path, code))) == "True\n"


async def test_a_folder_that_refuses_is_an_error_and_the_names_stay(tmp_path: Path) -> None:
    code = (
        "import sys\nx = 1\n"
        "def refuse(event, told):\n"
        "    if event == 'os.chdir' and str(told[0]).endswith('other'):\n"
        "        raise PermissionError(13, 'no', told[0])\n"
        "sys.addaudithook(refuse)"
    )
    (tmp_path / "other").mkdir()
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
        refused = await run(made, request(tmp_path / "other", "x = 2"))
        again = await run(made, request(tmp_path, "x"))
    error = error_of(refused)
    assert error is not None
    assert error.name == "PermissionError"
    assert text_of(again) == "1\n"


async def test_exit_handlers_run_when_a_kernel_is_closed(tmp_path: Path) -> None:
    code = "import atexit, pathlib\natexit.register(pathlib.Path('bye').touch)"
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
    assert (tmp_path / "bye").exists()


async def test_what_comes_between_two_runs_is_shown_with_the_next(tmp_path: Path) -> None:
    code = (
        "import pathlib, threading, time\n"
        "def late():\n"
        "    while not pathlib.Path('go').exists():\n        time.sleep(0.01)\n"
        "    print('late')\n    pathlib.Path('done').touch()\n"
        "threading.Thread(target=late).start()"
    )
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
        (tmp_path / "go").touch()
        await until((tmp_path / "done").exists)
        chunks = await run(made, request(tmp_path, "print('now')", "run-2"))
    assert text_of(chunks) in {"[printed between two runs]\nlate\nnow\n", "late\nnow\n"}


async def test_listeners_hear_of_every_state_and_of_memory(tmp_path: Path) -> None:
    heard: list[KernelStatus] = []
    async with executor(tmp_path) as made:
        unsubscribe = made.subscribe(lambda _, status: heard.append(status))
        await run(made, request(tmp_path, "1"))
        memory = made.status("conversation").memory_bytes
        await made.restart("conversation")
        unsubscribe()
        await run(made, request(tmp_path, "1"))
    states = list(dict.fromkeys(status.state for status in heard))
    assert states == ["starting", "idle", "busy", "none"]
    assert heard[-1].state == "none"
    assert memory is not None
    assert memory > 1_000_000


async def test_a_failing_listener_is_logged_and_harms_nobody(tmp_path: Path, expect_log) -> None:
    expect_log("a listener of kernel states failed")
    heard: list[str] = []

    def fail(_: str, __: KernelStatus) -> None:
        raise RuntimeError("broken listener")

    async with executor(tmp_path) as made:
        made.subscribe(fail)
        made.subscribe(lambda owner, _: heard.append(owner))
        assert text_of(await run(made, request(tmp_path, "1"))) == "1\n"
    assert set(heard) == {"conversation"}


@pytest.mark.parametrize("interpreter", ["/nowhere/python", "/bin/false", __file__])
async def test_an_interpreter_that_does_not_start_is_an_error_in_words(
    tmp_path: Path, interpreter: str
) -> None:
    async with executor(tmp_path) as made:
        with pytest.raises(ExecutionError) as caught:
            await run(made, replace(request(tmp_path, "1"), interpreter=interpreter))
        assert interpreter in caught.value.detail
        assert made.status("conversation") == KernelStatus()
        assert text_of(await run(made, request(tmp_path, "1"))) == "1\n"


async def test_without_a_place_for_output_it_is_said_and_the_next_run_may_start(
    tmp_path: Path,
) -> None:
    place = tmp_path / "outputs"
    place.write_text("in the way")
    made = ProcessExecutor(place)
    with pytest.raises(ExecutionError, match="place for the output"):
        await run(made, request(tmp_path, "1"))
    assert made.status("conversation") == KernelStatus()
    place.unlink()
    assert text_of(await run(made, request(tmp_path, "1"))) == "1\n"
    await made.close()


async def test_a_folder_that_is_gone_is_an_error_in_words(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        with pytest.raises(ExecutionError, match="folder"):
            await run(made, request(tmp_path / "gone", "1"))


async def test_an_unknown_language_is_an_error_in_words(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        with pytest.raises(ExecutionError, match="cobol"):
            await run(made, replace(request(tmp_path, "1"), language="cobol"))


async def test_variables_that_are_ours_do_not_reach_the_code(tmp_path: Path) -> None:
    ours = {
        "QT_QPA_PLATFORM": "x",
        "PYTHONPATH": "x",
        "PLAYHEAD_DATA_DIR": "x",
        "OPENAI_API_KEY": "x",
    }
    made = ProcessExecutor(tmp_path / "output", os.environ | ours, drop=["OPENAI_API_KEY"])
    code = f"import os\n[name for name in {list(ours)} if name in os.environ]"
    try:
        assert text_of(await run(made, request(tmp_path, code))) == "[]\n"
    finally:
        await made.close()


async def test_the_users_modules_are_not_hidden_by_the_kernels(tmp_path: Path) -> None:
    names = ["protocol", "display", "runner", "errors", "host", "channel", "streams", "boot"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(f"mine = {name!r}")
    code = "\n".join(f"import {name}; print({name}.mine)" for name in names)
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    assert text_of(chunks).split() == names


async def test_two_conversations_have_two_kernels(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 1"))
        other = replace(request(tmp_path, "x"), conversation_id="other")
        error = error_of(await run(made, other))
        assert made.status("other").pid != made.status("conversation").pid
    assert error is not None
    assert error.name == "NameError"


async def test_long_output_is_cut_and_kept_whole(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, "for i in range(1_000_000):\n    print(i)"))
    text = text_of(chunks)
    whole = "".join(f"{number}\n" for number in range(1_000_000))
    path = report_of(chunks).output_path
    (kept,) = (tmp_path / "output" / "conversation").iterdir()
    assert path == str(kept)
    assert kept.read_text() == whole
    assert len(text) < 1_200_000
    assert text.endswith("999999\n")
    assert f"whole output in {path}" in text


async def test_invalid_utf8_is_shown(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, "import os\nn = os.write(1, b'caf\\xe9\\n')"))
    assert text_of(chunks) == "caf\\xe9\n"


async def test_a_shown_frame_is_read_on_until_its_kernel_ends(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    code = "import pandas\npandas.DataFrame({'a': range(900)})"
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
        (shown,) = [chunk.content for chunk in chunks if isinstance(chunk.content, Table)]
        await run(made, request(tmp_path, "1", "run-2"))
        page = await made.table("conversation", shown.key, 800, 2)
        assert (page.rows, page.total_rows) == (((800,), (801,)), 900)
        await made.restart("conversation")
        with pytest.raises(ExecutionError, match="Run the code again"):
            await made.table("conversation", shown.key, 800, 2)
        await run(made, request(tmp_path, "1", "run-3"))
        with pytest.raises(ExecutionError, match="Run the code again"):
            await made.table("conversation", shown.key, 800, 2)


def width_of(chunks: list[Chunk]) -> int:
    """The width in pixels of the one picture of a run."""
    (path,) = [str(chunk.content) for chunk in chunks if chunk.type == "image" and chunk.content]
    return int.from_bytes(Path(path).read_bytes()[16:20], "big")


async def test_figures_are_as_sharp_as_the_screen_that_was_told_last(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code = (
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "plt.figure(figsize=(2, 1))\nplt.plot([1]);"
    )
    widths: list[int] = []
    async with executor(tmp_path) as made:
        for ratio in (1, 3):
            made.set_screen_ratio(ratio)
            chunks = await run(made, request(tmp_path, code, f"run-{ratio}"))
            widths.append(width_of(chunks))
    assert 2.5 < widths[1] / widths[0] < 3.5
