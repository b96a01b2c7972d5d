"""Stop, kill, crash: a run always ends, the next one works, nothing is left behind."""

from __future__ import annotations

import ast
import asyncio
import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import GoingOn
from playhead.execution import kernel_process
from playhead.execution.process_executor import ProcessExecutor
from tests.support import programs
from tests.support.guards import descendants
from tests.support.kernels import error_of, executor, report_of, request, run, text_of
from tests.support.waiting import until, until_now

ROOT = Path(__file__).parents[2]


async def run_and_stop(made: ProcessExecutor, folder: Path, code: str, grace_s: float = 5.0):
    """Run until the code says that it is ready or its last statement begins, then stop."""
    chunks: list[Chunk] = []
    last_line = ast.parse(code).body[-1].lineno
    async with aclosing(made.run(request(folder, code, grace_s=grace_s))) as stream:
        async for chunk in stream:
            if chunk.content == ("ready\n" if "ready" in code else last_line):
                await made.interrupt("conversation")
            chunks.append(chunk)
    return chunks


async def works(made: ProcessExecutor, folder: Path, code: str = "6 * 7") -> bool:
    return text_of(await run(made, request(folder, code, "next"))).endswith("42\n")


def is_running(pid: int) -> bool:
    """Whether the process is there and no zombie (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("code", [programs.FOREVER, programs.SLEEP, programs.FLOOD, programs.YES])
async def test_stop_ends_it_and_keeps_the_names(tmp_path: Path, code: str) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "answer = 42"))
        pid = made.status("conversation").pid
        chunks = await run_and_stop(made, tmp_path, code)
        assert report_of(chunks).state == "interrupted"
        assert report_of(chunks).line is not None
        assert made.status("conversation").pid == pid
        assert await works(made, tmp_path, "answer")


@pytest.mark.parametrize("code", [programs.FOREVER, programs.YES])
async def test_stop_works_in_a_program_that_ignores_the_signal(tmp_path: Path, code: str) -> None:
    """As one that was started by nohup, or by a script in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        async with executor(tmp_path) as made:
            await run(made, request(tmp_path, "answer = 42"))
            chunks = await run_and_stop(made, tmp_path, code, grace_s=60)
            assert report_of(chunks).state == "interrupted"
            assert await works(made, tmp_path, "answer")
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("code", [programs.DEAF_PRINTER, programs.DETACHED_PRINTER])
async def test_what_a_stopped_run_still_prints_is_not_in_the_next(
    tmp_path: Path, code: str
) -> None:
    async with executor(tmp_path) as made:
        before = set(descendants())
        await run(made, request(tmp_path, "answer = 42"))
        kernel = set(descendants())
        assert report_of(await run_and_stop(made, tmp_path, code)).state == "interrupted"
        assert not [pid for pid in set(descendants()) - kernel - before if is_running(pid)]
        chunks = await run(made, request(tmp_path, "print(answer)", "next"))
        assert text_of(chunks) == "42\n"


async def test_stop_during_a_shell_command_does_not_go_on_with_the_block(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run_and_stop(made, tmp_path, programs.SHELL_SLEEP)
        assert report_of(chunks).state == "interrupted"
        assert report_of(chunks).line == 2
        assert "went on" not in text_of(chunks)


async def test_children_are_signalled_once_the_kernel_knows_of_the_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_process, "_COMMAND_LEAD_LIMIT_MS", 600_000)
    async with executor(tmp_path) as made:
        chunks = await run_and_stop(made, tmp_path, programs.SHELL_SLEEP, grace_s=60)
        assert report_of(chunks).state == "interrupted"
        assert "went on" not in text_of(chunks)


@pytest.mark.parametrize("code", [programs.DEAF, programs.STUBBORN])
async def test_what_does_not_stop_is_killed_and_said_with_the_line(
    tmp_path: Path, code: str
) -> None:
    async with executor(tmp_path) as made:
        chunks = await run_and_stop(made, tmp_path, code, grace_s=0.5)
        report = report_of(chunks)
        assert report.state == "killed"
        assert report.end == RunEnd(kind="stopped", grace_s=0.5)
        assert report.line is not None
        assert await works(made, tmp_path)


async def test_a_child_that_ignores_stop_ends_with_the_kernel(tmp_path: Path) -> None:
    before = set(descendants())
    async with executor(tmp_path) as made:
        chunks = await run_and_stop(made, tmp_path, programs.DEAF_CHILD)
        assert report_of(chunks).state in {"interrupted", "killed"}
        assert await works(made, tmp_path)
    await until(lambda: not set(descendants()) - before)


async def test_what_a_stopped_run_has_started_ends_and_what_earlier_ones_did_goes_on(
    tmp_path: Path,
) -> None:
    def pid_in(name: str) -> int:
        return int((tmp_path / name).read_text())

    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, programs.BACKGROUND))
        chunks = await run_and_stop(made, tmp_path, programs.LEFT_BEHIND)
        assert report_of(chunks).state == "interrupted"
        await until(lambda: not is_running(pid_in("plain")) and not is_running(pid_in("deaf")))
        assert is_running(pid_in("server"))
        assert await works(made, tmp_path)


async def test_what_ignores_stop_is_killed_however_late_that_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_process, "_LEFTOVERS_LIMIT_MS", 0)
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, programs.BACKGROUND))
        await run_and_stop(made, tmp_path, programs.LEFT_BEHIND)
        deaf = int((tmp_path / "deaf").read_text())
        await until(lambda: not is_running(deaf))


async def test_a_stopped_run_leaves_nothing_that_has_left_its_session(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "kept = 42"))
        kernel = set(descendants())
        chunks = await run_and_stop(made, tmp_path, programs.DETACHED)
        assert report_of(chunks).state == "interrupted"
        assert not is_running(int((tmp_path / "detached").read_text()))
        assert not [pid for pid in set(descendants()) - kernel if is_running(pid)]
        assert await works(made, tmp_path, "kept")


async def test_stop_while_it_waits_for_an_answer(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        async with aclosing(made.run(request(tmp_path, "x = input()"))) as stream:
            chunks: list[Chunk] = []
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.type == "input":
                    await made.interrupt("conversation")
        assert report_of(chunks).state == "interrupted"
        assert await works(made, tmp_path)


async def test_stop_while_the_kernel_starts_ends_the_run(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        task = asyncio.create_task(run(made, request(tmp_path, "1")))
        await until(lambda: made.status("conversation").state == "starting")
        await made.interrupt("conversation")
        assert report_of(await task).state == "interrupted"
        assert await works(made, tmp_path)


async def test_stop_with_nothing_running_does_nothing(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await made.interrupt("conversation")
        await run(made, request(tmp_path, "answer = 42"))
        await made.interrupt("conversation")
        assert await works(made, tmp_path, "answer")


@pytest.mark.parametrize("name", programs.CRASHES)
async def test_a_dead_kernel_ends_the_run_in_words_and_the_next_works(
    tmp_path: Path, name: str
) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, programs.CRASHES[name]))
        assert report_of(chunks).state == "killed"
        end = report_of(chunks).end
        assert end is not None
        assert end.kind in ("exited", "signalled")
        assert await works(made, tmp_path)


async def test_output_before_a_crash_is_not_lost(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, programs.CRASHES["os._exit"]))
    assert text_of(chunks) == "before\n"
    assert report_of(chunks).end == RunEnd(kind="exited", exit_status=3)


async def test_a_segmentation_fault_is_named(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, programs.CRASHES["segmentation fault"]))
    assert report_of(chunks).end == RunEnd(kind="signalled", signal=signal.SIGSEGV)


async def test_a_kernel_killed_from_outside_ends_the_run(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(request(tmp_path, programs.SLEEP))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == 2:
                    os.kill(made.status("conversation").pid or 0, signal.SIGKILL)
        assert report_of(chunks).state == "killed"
        assert report_of(chunks).end == RunEnd(kind="signalled", signal=signal.SIGKILL)
        assert await works(made, tmp_path)


@pytest.mark.parametrize("name", programs.HARMLESS)
async def test_a_kernel_survives(tmp_path: Path, name: str) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, programs.HARMLESS[name]))
        assert report_of(chunks).state == "finished"
        pid = made.status("conversation").pid
        if name == "builtins overwritten":
            return
        assert await works(made, tmp_path)
        assert made.status("conversation").pid == pid


async def test_sys_exit_is_an_error_of_the_block(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        error = error_of(await run(made, request(tmp_path, programs.HARMLESS["sys.exit"])))
    assert error is not None
    assert (error.name, error.message) == ("SystemExit", "3")


async def test_closing_the_run_kills_its_processes(tmp_path: Path) -> None:
    before = set(descendants())
    async with executor(tmp_path) as made:
        async with aclosing(made.run(request(tmp_path, programs.DEAF_CHILD))) as stream:
            async for chunk in stream:
                if chunk.format == "output":
                    break
        assert made.status("conversation").state == "none"
        await until(lambda: not set(descendants()) - before)
        assert await works(made, tmp_path)


async def test_cancelling_the_reader_kills_the_run(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        task = asyncio.create_task(run(made, request(tmp_path, programs.FOREVER)))
        await until(lambda: made.status("conversation").state == "busy")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert made.status("conversation").state == "none"


async def test_restart_in_the_middle_of_a_run_ends_it(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        task = asyncio.create_task(run(made, request(tmp_path, programs.FOREVER)))
        await until(lambda: made.status("conversation").state == "busy")
        await made.restart("conversation")
        report = report_of(await task)
        assert (report.state, report.end) == ("killed", RunEnd(kind="restarted"))


async def test_a_flood_leaves_the_loop_free_and_memory_flat(tmp_path: Path) -> None:
    before = resident()
    async with executor(tmp_path) as made:
        task = asyncio.create_task(run(made, request(tmp_path, programs.YES)))
        files = (tmp_path / "output").rglob
        await until(lambda: any(file.stat().st_size > 100_000_000 for file in files("*")))
        assert resident() - before < 40_000_000
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def test_forged_marks_spoil_at_most_their_own_picture(tmp_path: Path) -> None:
    """The code reads the nonce out of the kernel and forges an end, an image and another run."""
    code = """
import gc, os
(channel,) = [thing for thing in gc.get_objects() if type(thing).__name__ == "Channel"]
channel.send("show", kind="png", file="../../secret.png")
channel.send("line", line="x")
channel.run, real = "other", channel.run
channel.send("idle", state="finished")
channel.run = real
os.write(1, b"\\x1b_guess;{}\\x1b\\\\ still here\\n")
"""
    (tmp_path / "secret.png").write_text("secret")
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
        assert "still here" in text_of(chunks)
        assert all(chunk.type != "image" for chunk in chunks)
        assert await works(made, tmp_path)
    assert (tmp_path / "secret.png").exists()


HOST = """
import asyncio, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from playhead.domain.execution import RunRequest
from playhead.event_loop import EventLoop
from playhead.execution.process_executor import ProcessExecutor

async def main():
    folder, code = sys.argv[1:]
    made = ProcessExecutor(Path(folder) / "output")
    request = RunRequest(
        run_id="r",
        conversation_id="c",
        language="python",
        code=code,
        folder=folder,
        interpreter=sys.executable,
    )
    async for chunk in made.run(request):
        if chunk.format == "output":
            print(chunk.content, end="", flush=True)

app = QCoreApplication([])
asyncio.Runner(loop_factory=lambda: EventLoop(app)).run(main())
"""


@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(600)",
        "os.system('sleep 600')",
        "ctypes.PyDLL(None).sleep(600)",
        "subprocess.Popen(['sleep', '600']); os.kill(os.getpid(), 9)",
        "subprocess.Popen(['sleep', '600'], start_new_session=True); time.sleep(600)",
        "os.system('setsid sleep 600 &'); ctypes.PyDLL(None).sleep(600)",
    ],
)
def test_nothing_outlives_a_killed_host(tmp_path: Path, work: str) -> None:
    before = set(descendants())
    code = f"import ctypes, os, subprocess, time\nprint('here')\n{work}"
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path), code],
        env=os.environ | {"PYTHONPATH": str(ROOT / "app")},
        stdout=subprocess.PIPE,
    )
    assert host.stdout is not None
    assert host.stdout.readline() == b"here\n"
    host.kill()
    host.wait()
    host.stdout.close()
    until_now(lambda: not set(descendants()) - before)


async def test_a_child_with_a_session_of_its_own_ends_with_its_kernel(tmp_path: Path) -> None:
    before = set(descendants())
    code = "import subprocess\nchild = subprocess.Popen(['sleep', '600'], start_new_session=True)"
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, code))
        await made.restart("conversation")
        await until(lambda: not set(descendants()) - before)


async def test_a_run_that_a_restart_ends_says_so_though_another_waits(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        restart = after = None
        restart = after = None
        async with aclosing(made.run(request(tmp_path, programs.SLEEP))) as stream:
            async for chunk in stream:
                if chunk.content == 1:
                    restart = asyncio.create_task(made.restart("conversation"))
                    after = asyncio.create_task(run(made, request(tmp_path, "6 * 7", "next")))
                chunks.append(chunk)
        assert restart is not None
        assert after is not None
        await restart
        assert report_of(chunks).end == RunEnd(kind="restarted")
        assert text_of(await after) == "42\n"


COMPUTING_THREAD = "import threading\ndef work():\n    while True: pass\n"
COMPUTING_THREAD += "threading.Thread(target=work, daemon=True).start()"
COMPUTING_CHILD = "import subprocess\nchild = subprocess.Popen(['sh', '-c', 'while :; do :; done'])"


@pytest.mark.skipif(sys.platform != "linux", reason="seen in /proc")
async def test_stop_ends_what_computes_on_after_a_run(tmp_path: Path) -> None:
    """A process alone, threads only with their kernel."""
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, COMPUTING_CHILD))
        await until(lambda: made.status("conversation").going_on == GoingOn(processes=1))
        await made.interrupt("conversation")
        await until(lambda: not made.status("conversation").going_on)
        assert text_of(await run(made, request(tmp_path, "child.poll() is not None"))) == "True\n"
        await run(made, request(tmp_path, COMPUTING_THREAD))
        await until(lambda: made.status("conversation").going_on == GoingOn(threads=1))
        await made.interrupt("conversation")
        await until(lambda: made.status("conversation").state == "none")
        assert await works(made, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="seen in /proc")
async def test_a_supervisor_that_code_stops_or_kills_is_noticed(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        stop = "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)"
        assert report_of(await run(made, request(tmp_path, stop))).state == "finished"
        kill = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)"
        report = report_of(await run(made, request(tmp_path, kill)))
        assert (report.state, report.end) == ("killed", RunEnd(kind="signalled", signal=9))
        assert await works(made, tmp_path)
