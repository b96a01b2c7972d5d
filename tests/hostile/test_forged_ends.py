"""No program shows as finished while its main thread computes, escapes Stop, or reaches others."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import GoingOn
from playhead.execution import processes
from playhead.execution.process_executor import ProcessExecutor
from tests.hostile.forgeries import ABOVE, ENDINGS, ESCAPES, FORGED, LATER, PRELUDE
from tests.support.kernels import error_of, executor, lines_of, report_of, request, text_of
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="seen in /proc"),
    pytest.mark.skipif(
        os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may do anything"
    ),
]


WENT_ON = "print('it went on', flush=True)"
READY = "print('ready', flush=True)\nwhile True:\n    time.sleep(0.01)"


class Kernels:
    """An executor whose kernels have no more rights than a person's."""

    def __init__(self, made: ProcessExecutor, folder: Path) -> None:
        self._made = made
        self._folder = folder
        self._runs = 0
        self._python = sys.executable
        if os.geteuid() == 0:  # what follows is about what a person's program can do
            drop = "exec setpriv --inh-caps=-all --bounding-set=-all"
            wrapper = folder / "python"
            wrapper.write_text(f'#!/bin/sh\n{drop} "{sys.executable}" "$@"\n')
            wrapper.chmod(0o700)
            self._python = str(wrapper)

    async def stream(
        self, code: str, whose: str, grace_s: float = 5
    ) -> AsyncGenerator[Chunk, None]:
        self._runs += 1
        wanted = request(self._folder, code, f"run-{self._runs}", grace_s=grace_s)
        wanted = replace(wanted, conversation_id=whose, interpreter=self._python)
        async with aclosing(self._made.run(wanted)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def run(self, code: str, whose: str = "conversation", grace_s: float = 5) -> list[Chunk]:
        return [chunk async for chunk in self.stream(code, whose, grace_s)]

    async def interrupt(self) -> None:
        await self._made.interrupt("conversation")

    async def restart(self) -> None:
        await self._made.restart("conversation")

    def is_disputed(self) -> bool:
        return self._made.status("conversation").is_disputed

    async def stop(self, code: str) -> list[Chunk]:
        """Run until it is ready, then stop."""
        chunks: list[Chunk] = []
        async for chunk in self.stream(code, "conversation"):
            chunks.append(chunk)
            if "ready" in str(chunk.content):
                await self.interrupt()
        return chunks

    def below(self) -> set[int]:
        """All that runs below the supervisors."""
        found = {pid for root in self._made.supervisors() for pid in processes.descendants(root)}
        return {pid for pid in found if (processes.fields_of(pid) or "Z")[0] not in "ZX"}

    def going_on(self) -> GoingOn:
        return self._made.status("conversation").going_on


@asynccontextmanager
async def hostile(folder: Path) -> AsyncGenerator[Kernels]:
    async with executor(folder) as made:
        kernels = Kernels(made, folder)
        await kernels.run(PRELUDE)
        yield kernels


async def test_no_program_is_over_before_its_main_thread_waits(tmp_path: Path) -> None:
    async with hostile(tmp_path) as kernels:
        before = kernels.below()
        for name, code in FORGED.items():
            chunks = await kernels.run(f"{code}\ncompute()\n{WENT_ON}")
            error = error_of(chunks)
            assert error is None, (name, error)
            assert report_of(chunks).state == "finished", (name, report_of(chunks))
            assert text_of(chunks).endswith("it went on\n"), (name, text_of(chunks))
        assert before <= kernels.below()  # the kernel is the same


async def test_an_earlier_run_ends_none_and_lights_no_line_of_a_later_one(tmp_path: Path) -> None:
    async with hostile(tmp_path) as kernels:
        await kernels.run("earlier = channel().run")
        for name, code in LATER.items():
            first = f"is_on = True\ndef on():\n    forged = lambda: {code}\n"
            first += "    while is_on:\n        forged()\n        time.sleep(0.002)\n"
            await kernels.run(first + "thread = threading.Thread(target=on)\nthread.start()")
            chunks = await kernels.run(
                "compute(0.1)\nprint('it went on')\nis_on = False\nthread.join()"
            )
            assert report_of(chunks).state == "finished", name
            assert "it went on\n" in text_of(chunks), name
        kept = await kernels.run("is_on = True\nold = channel().run\nolder = end()")
        assert report_of(kept).state == "finished"
        chunks = await kernels.run("os.write(1, older)\ncompute()\nprint('it went on')")
        assert text_of(chunks) == "it went on\n"
        assert lines_of(chunks)[-2:] == [3, None]


async def test_code_reaches_nothing_of_its_supervisor(tmp_path: Path) -> None:
    async with hostile(tmp_path) as kernels:
        await kernels.run("above = os.getppid()")
        for name, code in ABOVE.items():
            assert error_of(await kernels.run(code)) is not None, name


async def test_what_breaks_its_kernel_is_killed_or_runs_until_it_is_stopped(
    tmp_path: Path,
) -> None:
    async with hostile(tmp_path) as kernels:
        for name, code in ENDINGS.items():
            before = kernels.below()
            program = f"{PRELUDE}\nforge()\n{code}\nforge()\n{READY}"
            task = asyncio.create_task(kernels.run(program, grace_s=0.3))
            await until(lambda task=task: task.done() or kernels.is_disputed())
            await kernels.interrupt()
            assert report_of(await task).state in ("killed", "interrupted"), name
            await kernels.restart()
            assert report_of(await kernels.run("6 * 7")).state == "finished", name
            assert not kernels.below() & before, name


async def test_stop_ends_what_has_left_everything(tmp_path: Path) -> None:
    async with hostile(tmp_path) as kernels:
        before = kernels.below()
        for name, code in ESCAPES.items():
            report = report_of(
                await kernels.stop(
                    f"{code}\nprint('ready', flush=True)\nwhile True:\n    time.sleep(0.01)"
                )
            )
            assert report.state == "interrupted", (name, report)
            await until(lambda: kernels.below() == before)


async def test_no_program_reaches_the_kernel_of_another_conversation(tmp_path: Path) -> None:
    """Marks with all that a kernel can know without the other's memory, to all that is open."""
    async with hostile(tmp_path) as kernels:
        others = kernels.below()
        await kernels.run("1", "other")
        others = kernels.below() - others
        attack = (
            "mine = os.readlink('/proc/self/fd/1')\n"
            "for _ in range(20):\n"
            f"    for process in {sorted(others)}:\n"
            "        try:\n            names = os.listdir(f'/proc/{process}/fd')\n"
            "        except OSError:\n            continue\n"
            "        for name in names:\n"
            "            path = f'/proc/{process}/fd/{name}'\n"
            "            try:\n"
            "                if 'pipe' in os.readlink(path) != mine:\n"
            "                    fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)\n"
            '                    os.write(fd, end() + b\'\\n{"t":"exit"}\\n\' * 2)\n'
            "                    os.close(fd)\n"
            "            except OSError:\n                pass\n"
        )
        other = kernels.stream("import time\nprint('on')\ntime.sleep(0.3)\nprint('over')", "other")
        seen: list[Chunk] = []
        async for chunk in other:
            seen.append(chunk)
            if "on\n" in str(chunk.content) and len(text_of(seen)) == 3:
                await kernels.run(attack)
        assert text_of(seen).endswith("over\n")
        assert report_of(seen).state == "finished"
        assert report_of(await kernels.run("6 * 7", "other")).state == "finished"


async def test_a_main_thread_that_pretends_to_wait_is_said_to_go_on(tmp_path: Path) -> None:
    """The most that can be forged: it is seen where it waits for commands, and comes back."""
    async with hostile(tmp_path) as kernels:
        code = (
            "reader, *_ = [fd for fd in fd_of_pipe(os.O_RDONLY) if any(\n"
            "    os.readlink(f'/proc/self/fd/{fd}') == os.readlink(f'/proc/self/fd/{other}')\n"
            "    for other in fd_of_pipe(os.O_WRONLY)) and os.get_blocking(fd)\n"
            "    and os.readlink(f'/proc/self/fd/{fd}') != os.readlink('/proc/self/fd/0')]\n"
            "(writer,) = [fd for fd in fd_of_pipe(os.O_WRONLY)\n"
            "    if os.readlink(f'/proc/self/fd/{fd}') == os.readlink(f'/proc/self/fd/{reader}')]\n"
            "threading.Timer(0.2, os.write, (writer, b'c')).start()\n"
            "forge()\nos.read(reader, 1)\nwhile True:\n    pass"
        )
        assert report_of(await kernels.run(code)).state == "finished"
        await until(lambda: kernels.going_on().main)


def test_there_are_as_many_as_were_promised() -> None:
    assert len(FORGED) + len(LATER) >= 40
