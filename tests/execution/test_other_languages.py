"""Languages with a program for each block, those that cannot be run here, and one's own."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import RunRequest
from playhead.execution import environment, languages
from playhead.execution.languages import Languages
from playhead.execution.process_executor import ProcessExecutor
from playhead.execution.supervisors.supervisor_process import SupervisorLine
from playhead.kernel.drivers.child import ChildDriver
from playhead.kernel.drivers.registry import DRIVERS
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "languages.md"


def block(folder: Path, word: str, code: str) -> RunRequest:
    return replace(request(folder, code), language=word)


async def run_and_stop(made: ProcessExecutor, wanted: RunRequest) -> list[Chunk]:
    """Run until it prints, then stop."""
    chunks: list[Chunk] = []
    async with aclosing(made.run(wanted)) as stream:
        async for chunk in stream:
            if chunk.format == "output":
                await made.interrupt("conversation")
            chunks.append(chunk)
    return chunks


def put_program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.slow_group("languages")
@pytest.mark.requires_system("java")
async def test_a_java_program_is_compiled_and_run(tmp_path: Path) -> None:
    program = (
        "public class Hello {\n  public static void main(String[] args) {\n"
        '    System.out.println("hé");\n    System.exit(3);\n  }\n}\n'
    )
    statements = (
        "import java.util.stream.IntStream;\nint x = IntStream.range(0, 5).sum();\n"
        'System.out.println("sum " + x);\nnew Scanner(System.in).nextLine();\nint y = nowhere;'
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, "java", program))
        assert (text_of(chunks), report_of(chunks).exit_status) == ("hé\n", 3)
        chunks = await run(made, block(tmp_path, "java", statements))
        assert "block_2.java:5: error: cannot find symbol" in text_of(chunks)
        statements = statements.replace("int y = nowhere;", "")
        chunks = []
        async with aclosing(made.run(block(tmp_path, "java", statements))) as stream:
            async for chunk in stream:
                if chunk.format == "output":
                    await made.send_text("conversation", "on\n")
                chunks.append(chunk)
        assert text_of(chunks) == "sum 10\n"
        waiting = 'System.out.println("ready"); Thread.sleep(60000);'
        chunks = await run_and_stop(made, block(tmp_path, "java", waiting))
        assert report_of(chunks).state == "interrupted"


async def test_each_block_has_a_program_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "osascript", '#!/bin/sh\nexec sh "$1"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    folder = tmp_path / "work"
    folder.mkdir()
    async with executor(tmp_path) as made:
        chunks = await run(made, block(folder, "applescript", "x=1; echo $x; pwd; exit 4"))
        assert text_of(chunks) == f"1\n{folder}\n"
        assert (report_of(chunks).state, report_of(chunks).exit_status) == ("finished", 4)
        chunks = await run(made, block(folder, "applescript", 'echo "<$x>"; kill -9 $$'))
        assert text_of(chunks) == "<>\nAppleScript ended by signal 9.\n"
        assert report_of(chunks).exit_status == 137
        chunks = []
        async with aclosing(made.run(block(folder, "applescript", "echo on; cat"))) as stream:
            async for chunk in stream:
                if chunk.content == "on\n":
                    await made.send_text("conversation", "text\n", is_end=True)
                chunks.append(chunk)
        assert text_of(chunks) == "on\ntext\n"
        for sleeping in ("echo ready; sleep 60", "echo ready; trap '' INT; sleep 60"):
            chunks = await run_and_stop(made, block(folder, "applescript", sleeping))
            assert report_of(chunks).state == "interrupted"
        assert text_of(await run(made, block(folder, "applescript", "echo next"))) == "next\n"
        assert lines_of(chunks) == [None]


@pytest.mark.skipif(sys.platform != "linux", reason="the supervisor is Linux's")
async def test_a_late_kill_of_what_a_stop_left_hits_no_later_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command to kill reaches the supervisor late; the run ends after the kill, not before."""
    put_program(tmp_path / "bin", "osascript", '#!/bin/sh\nexec sh "$1"\n')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    held: list[bool] = []
    send = SupervisorLine.send

    def slow(line: SupervisorLine, kind: str, **fields: Any) -> None:
        def late() -> None:
            held.append(False)
            send(line, kind, **fields)

        if kind != "clear":
            send(line, kind, **fields)
        elif not held:
            held.append(True)
            asyncio.get_running_loop().call_later(0.5, late)

    monkeypatch.setattr(SupervisorLine, "send", slow)
    async with executor(tmp_path) as made:
        sleeping = block(tmp_path, "applescript", "echo ready; trap '' INT; sleep 60")
        assert report_of(await run_and_stop(made, sleeping)).state == "interrupted"
        assert held
        runs = 0
        while runs < 3 or held[-1]:
            chunks = await run(made, block(tmp_path, "applescript", "sleep 0.1; echo next"))
            assert text_of(chunks) == "next\n"
            runs += 1


@pytest.mark.parametrize("word", ["bash", "zsh", "javascript", "r", "ruby"])
async def test_half_a_character_in_the_code_does_no_harm(tmp_path: Path, word: str) -> None:
    async with executor(tmp_path) as made:
        if word not in made.languages:
            pytest.skip(f"no {word} here")
        pid = None
        sign = "//" if word == "javascript" else "#"
        for code in (f"{sign} \ud800 \udcff", f"{sign} on"):
            report = report_of(await run(made, block(tmp_path, word, code)))
            assert report.state == "finished"
            assert pid in (None, made.status("conversation").pid)
            pid = made.status("conversation").pid


DELETED = {
    "bash": ("mkdir gone; cd gone; rmdir ../gone", "echo on"),
    "zsh": ("mkdir gone; cd gone; rmdir ../gone", "echo on"),
    "javascript": (
        (
            "const { mkdirSync, rmdirSync } = require('fs');"
            "mkdirSync('gone'); process.chdir('gone'); rmdirSync('../gone')"
        ),
        "console.log('on')",
    ),
    "ruby": ("Dir.mkdir 'gone'; Dir.chdir 'gone'; Dir.rmdir '../gone'", "puts 'on'"),
}


@pytest.mark.parametrize("word", DELETED)
async def test_blocks_run_on_where_the_folder_was_deleted(tmp_path: Path, word: str) -> None:
    async with executor(tmp_path) as made:
        if word not in made.languages:
            pytest.skip(f"no {word} here")
        delete, go_on = DELETED[word]
        await run(made, block(tmp_path, word, delete))
        text = text_of(await run(made, block(tmp_path, word, go_on)))
        assert text.splitlines()[-1] == "on"
        assert "drivers" not in text


async def test_of_what_a_stop_has_killed_the_next_block_of_bash_says_nothing(
    tmp_path: Path,
) -> None:
    deaf = "trap '' INT; sleep 60 & trap - INT; echo ready; sleep 60"
    async with executor(tmp_path) as made:
        stopped = await run_and_stop(made, block(tmp_path, "bash", deaf))
        assert report_of(stopped).state == "interrupted"
        assert text_of(await run(made, block(tmp_path, "bash", "echo on"))) == "on\n"


def test_what_is_not_installed_is_not_offered_and_said(tmp_path: Path) -> None:
    bare = Languages(str(tmp_path))
    assert bare.offered == ("python", "html")
    advice = {word: bare.why_not(word) for word in ("r", "ruby", "pwsh", "java", "applescript")}
    if sys.platform.startswith("linux"):
        assert advice["applescript"] == "AppleScript does not run on this system."
        assert "sudo apt install r-base" in advice["r"]
        assert "sudo apt install ruby" in advice["ruby"]
    assert all(advice.values())


def test_every_script_lies_beside_its_driver() -> None:
    folder = ROOT / "app" / "playhead" / "kernel" / "drivers"
    scripts = [driver.script for driver in DRIVERS if issubclass(driver, ChildDriver)]
    assert all((folder / script).is_file() for script in scripts)


def test_the_guide_names_every_language() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for driver in DRIVERS:
        assert f"| {driver.name} |" in guide, driver.name
        assert all(f"`{word}`" in guide for word in (driver.word, *driver.aliases)), driver.name


def follow_the_guide(folder: Path) -> Path:
    """A copy of the kernel with the guide's example put into it as the guide says."""
    kernel = folder / "kernel"
    shutil.copytree(ROOT / "app" / "playhead" / "kernel", kernel)
    drivers = kernel / "drivers"
    guide = GUIDE.read_text(encoding="utf-8")
    for name, text in re.findall(r"`drivers/([\w.]+)`:\n\n```\w+\n(.*?)```", guide, re.DOTALL):
        (drivers / name).write_text(text, encoding="utf-8")
    registry = (drivers / "registry.py").read_text(encoding="utf-8")
    registry = registry.replace("\nDRIVERS", "\nfrom .perl import Perl\n\nDRIVERS", 1)
    registry = re.sub(r"Html,?\n?\)", "Html, Perl)", registry, count=1)
    (drivers / "registry.py").write_text(registry, encoding="utf-8")
    return kernel


class Perl(ChildDriver):
    """What the window has to know of the guide's example, which lies in the copy alone."""

    word = "perl"
    name = "Perl"
    programs = ("perl",)


@pytest.mark.requires_system("perl")
async def test_the_language_of_the_guide_works_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = follow_the_guide(tmp_path)
    monkeypatch.setattr(environment, "BOOT", kernel / "boot.py")
    monkeypatch.setattr(languages.Languages.__init__, "__defaults__", ((*DRIVERS, Perl),))
    async with executor(tmp_path) as made:
        chunks = await run(made, block(tmp_path, "perl", '$x = 41; print "set\\n";'))
        assert (text_of(chunks), lines_of(chunks)) == ("set\n", [1, None])
        assert text_of(await run(made, block(tmp_path, "perl", "print $x + 1;"))) == "42"
        error = error_of(await run(made, block(tmp_path, "perl", '\ndie "no luck";')))
        assert error is not None
        assert [frame.line for frame in error.frames] == [2]
        chunks = await run_and_stop(made, block(tmp_path, "perl", 'print "ready\\n"; sleep 60;'))
        assert report_of(chunks).state == "interrupted"
        chunks = []
        async with aclosing(
            made.run(block(tmp_path, "perl", "print $x, scalar <STDIN>;"))
        ) as stream:
            async for chunk in stream:
                if chunk.content == 1:
                    await made.send_text("conversation", " text", is_end=True)
                chunks.append(chunk)
        assert text_of(chunks) == "41 text"
        chunks = await run(made, block(tmp_path, "perl", "exit 3;"))
        assert report_of(chunks).exit_status == 3
