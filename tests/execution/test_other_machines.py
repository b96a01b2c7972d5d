"""Code runs on another machine: a real sshd, reached by the system's ssh over a bad way."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import FileChanges, InputRequest
from playhead.domain.execution import Place, RunRequest
from playhead.domain.places import PlaceQuestion
from playhead.domain.secret import Secret
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import lines_of, report_of, request, run, text_of
from tests.support.machines import Machine, machine
from tests.support.waiting import until

pytestmark = pytest.mark.requires_system("ssh", "sshd", "bwrap")


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with one home for all tests of this file."""
    with machine(tmp_path_factory.mktemp("machine")) as made:
        yield made


@asynccontextmanager
async def executor(far: Machine, folder: Path) -> AsyncGenerator[ProcessExecutor]:
    """An executor whose kernels end with the block, here and there."""
    far.configure()
    made = ProcessExecutor(folder / "output", variables=far.variables)
    try:
        yield made
    finally:
        await made.close()


def there(far: Machine, here: Path, code: str, **place: str) -> RunRequest:
    """A run of Python on the machine."""
    where = Place(
        kind="ssh",
        language="python",
        label="gpu-box",
        address=far.host,
        program=place.pop("program", sys.executable),
        **place,
    )
    return replace(request(here, code), interpreter=where.id)


async def test_code_runs_there_with_its_line_its_names_and_its_files(
    far: Machine, tmp_path: Path
) -> None:
    (far.home / "data").mkdir()
    async with executor(far, tmp_path) as made:
        code = "import os\nx = 40\nopen('new.txt', 'w').write('hi')\nprint(os.getcwd())"
        chunks = await run(made, there(far, tmp_path, code, folder="~/data"))
        assert text_of(chunks) == f"{far.home / 'data'}\n"
        assert lines_of(chunks)[:4] == [1, 2, 3, 4]
        changes = next(c.content for c in chunks if isinstance(c.content, FileChanges))
        assert [one.path for one in changes.created] == ["new.txt"]
        assert report_of(chunks).state == "finished"
        chunks = await run(made, there(far, tmp_path, "print(x + 2)", folder="~/data"))
        assert text_of(chunks) == "42\n"
        names = {one.name: one.value for one in await made.variables("conversation")}
        assert names["x"] == "40"
        assert made.status("conversation").link == ""
    kept = far.home / ".cache" / "playhead"
    assert oct(kept.stat().st_mode & 0o777) == "0o700"
    await until(lambda: not list(kept.glob("kept-*")))


async def test_stop_reaches_code_on_another_machine_and_keeps_its_names(
    far: Machine, tmp_path: Path
) -> None:
    async with executor(far, tmp_path) as made:
        await run(made, there(far, tmp_path, "x = 5"))
        sleep = "import subprocess\nprint('on')\nsubprocess.run(['sleep', '600'])\nx = 6"
        chunks: list[Chunk] = []
        async with aclosing(made.run(there(far, tmp_path, sleep))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == "on\n":
                    await made.interrupt("conversation")
        assert report_of(chunks).state == "interrupted"
        assert report_of(chunks).line == 3
        assert text_of(await run(made, there(far, tmp_path, "print(x)"))) == "5\n"
        swallow = (
            "import time\nwhile True:\n try:\n  print('.', flush=True); time.sleep(600)\n"
            " except BaseException: pass"
        )
        chunks = []
        async with aclosing(made.run(there(far, tmp_path, swallow))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == ".\n":
                    await made.interrupt("conversation")
        assert report_of(chunks).state == "killed"
        assert text_of(await run(made, there(far, tmp_path, "print('new')"))) == "new\n"


async def test_what_code_asks_for_and_shows_crosses_the_link(far: Machine, tmp_path: Path) -> None:
    code = (
        "import getpass\nname = input('Name: ')\nword = getpass.getpass()\n"
        "class Picture:\n def _repr_png_(self): return b'\\x89PNG' + bytes(300_000)\n"
        "class Page:\n def _repr_html_(self): return '<b>' + name * 9000 + word + '</b>'\n"
        "display(Picture()); Page()"
    )
    async with executor(far, tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(there(far, tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if isinstance(chunk.content, InputRequest):
                    text = "secret" if chunk.content.is_secret else "anna"
                    await made.answer_input("conversation", chunk.content.id, text)
        picture = next(
            c.content for c in chunks if c.type == "image" and c.format == "path" and c.content
        )
        assert isinstance(picture, str)
        assert len(await asyncio.to_thread(Path(picture).read_bytes)) == 300_004
        page = "".join(str(c.content) for c in chunks if c.format == "html" and c.content)
        assert page == f"<b>{'anna' * 9000}secret</b>"


async def test_a_run_is_whole_after_the_link_was_cut_again_and_again(
    far: Machine, tmp_path: Path
) -> None:
    code = (
        "import itertools, os, time\nfor i in itertools.count():\n print(i, flush=True)\n"
        " time.sleep(0.003)\n if os.path.exists('enough'): break"
    )
    async with executor(far, tmp_path) as made:
        links: list[str] = []
        made.subscribe(lambda _, status: links.append(status.link))
        await run(made, there(far, tmp_path, "1"))
        chunks: list[Chunk] = []
        before = far.way.accepted
        async with aclosing(made.run(there(far, tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                cuts = far.way.accepted - before
                if chunk.format == "output" and not made.status("conversation").link:
                    far.way.cut() if cuts < 3 else (far.home / "enough").touch()
        printed = text_of(chunks).split()
        assert printed == [str(number) for number in range(len(printed))]
        assert "lost" in links
        assert made.status("conversation").link == ""


async def test_stop_waits_for_a_link_that_is_lost(far: Machine, tmp_path: Path) -> None:
    async with executor(far, tmp_path) as made:
        chunks: list[Chunk] = []
        code = "x = 1\nimport time\nprint('on')\ntime.sleep(600)"
        async with aclosing(made.run(there(far, tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == "on\n":
                    far.way.is_refusing = True
                    far.way.cut()
                    await until(lambda: made.status("conversation").link == "lost")
                    await made.interrupt("conversation")
                    assert made.status("conversation").state == "stopping"
                    far.way.is_refusing = False
        assert report_of(chunks).state == "interrupted"
        assert text_of(await run(made, there(far, tmp_path, "print(x)"))) == "1\n"


def has_text(folder: Path, text: str) -> bool:
    """Whether a file below a folder has it."""
    kept = [path for path in folder.rglob("*") if path.is_file()]
    return any(text.encode() in path.read_bytes() for path in kept)


def asked_of(made: ProcessExecutor, answers: Mapping[str, str | None]) -> list[PlaceQuestion]:
    """Answer what ssh asks by the first of these that its words have; return what was asked."""
    asked: list[PlaceQuestion] = []

    def answer(question: PlaceQuestion) -> None:
        asked.append(question)
        if question.text:
            found = next(text for part, text in answers.items() if part in question.text)
            given = None if found is None else Secret(found)
            made.far_side.questions.answer(question.id, given)

    made.far_side.questions.subscribe(answer)
    return asked


async def test_what_ssh_asks_is_asked_in_its_own_words(far: Machine, tmp_path: Path) -> None:
    async with executor(far, tmp_path) as made:
        far.configure(known="", key="locked")
        asked = asked_of(made, {"authenticity of host": "yes", "passphrase": far.passphrase})
        assert text_of(await run(made, there(far, tmp_path, "print(1)"))) == "1\n"
    host, key, *_ = [one for one in asked if one.text]
    assert "ED25519 key fingerprint is SHA256:" in host.text
    assert (host.place, host.is_choice, host.is_secret) == ("gpu-box", True, False)
    assert str(far.folder / "locked") in key.text
    assert (key.is_choice, key.is_secret) == (False, True)
    assert not has_text(tmp_path, far.passphrase)


async def test_a_question_that_is_refused_gives_the_connection_up(
    far: Machine, tmp_path: Path
) -> None:
    async with executor(far, tmp_path) as made:
        far.configure(known="")
        asked = asked_of(made, {"authenticity of host": None})
        with pytest.raises(ExecutionError, match="was given up"):
            await run(made, there(far, tmp_path, "1"))
    assert [bool(one.text) for one in asked] == [True]


async def test_code_that_was_left_is_found_again_by_another_program(
    far: Machine, tmp_path: Path
) -> None:
    code = (
        "import os, time\nx = 7\nprint('on')\n"
        "while not os.path.exists('go on'): time.sleep(0.02)\nprint('done')"
    )
    async with executor(far, tmp_path) as made:
        chunks: list[Chunk] = []
        async with aclosing(made.run(there(far, tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == "on\n":
                    await made.far_side.leave("conversation")
        assert report_of(chunks).state == "killed"
    (far.home / "go on").touch()
    async with executor(far, tmp_path) as made:
        chunks = await run(made, there(far, tmp_path, "print(x)"))
        assert text_of(chunks).endswith("on\ndone\n7\n")
    assert not has_text(tmp_path, '"token"')


async def test_a_file_goes_there_and_another_comes_back(far: Machine, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a,b\n" * 200_000)
    async with executor(far, tmp_path) as made:
        side, parts = made.far_side, list[float]()
        where = there(far, tmp_path, "").interpreter
        source = str(tmp_path / "sales.csv")
        path = await side.put_file("conversation", where, source, parts.append)
        assert path == str(far.home / "sales.csv")
        assert parts
        code = "open('sums.csv', 'w').write(open('sales.csv').read()[:4])"
        await run(made, there(far, tmp_path, code))
        copy = await side.fetch_file("conversation", "sums.csv", str(tmp_path / "copy.csv"))
        assert await asyncio.to_thread(Path(copy).read_bytes) == b"a,b\n"
        with pytest.raises(ExecutionError, match="No such file"):
            await side.fetch_file("conversation", "none.csv", str(tmp_path / "none.csv"))


@pytest.mark.parametrize(
    ("change", "place", "title", "detail"),
    [
        ({"key": "stranger"}, {}, "“gpu-box” does not let you in.", "Permission denied"),
        ({"known": "stranger"}, {}, "“gpu-box” does not prove", "Host key verification failed"),
        ({"HostName": "no.such.host.invalid"}, {}, "The machine “gpu-box” is not known.", "Could"),
        ({"Port": "1"}, {}, "The machine “gpu-box” cannot be reached.", "Connection refused"),
        ({}, {"program": "/no/python"}, "There is no Python 3.9 or newer on “gpu-box”.", ""),
        ({}, {"folder": "~/none"}, "There is no such folder on “gpu-box”.", "~/none"),
        ({"ProxyCommand": "sh -c 'exit 3'"}, {}, "“gpu-box” could not be connected.", "closed"),
    ],
    ids=["key", "host key", "unknown", "unreachable", "no python", "no folder", "other"],
)
async def test_why_a_machine_cannot_be_had_is_said_with_what_to_do(
    far: Machine,
    tmp_path: Path,
    change: dict[str, str],
    place: dict[str, str],
    title: str,
    detail: str,
) -> None:
    async with executor(far, tmp_path) as made:
        far.configure(**change)
        with pytest.raises(ExecutionError) as caught:
            await run(made, there(far, tmp_path, "1", **place))
    assert caught.value.title.startswith(title)
    assert detail in caught.value.detail
    assert caught.value.remedy


async def test_another_language_is_not_run_here_instead(far: Machine, tmp_path: Path) -> None:
    async with executor(far, tmp_path) as made:
        wanted = replace(there(far, tmp_path, "touch here"), language="shell")
        with pytest.raises(ExecutionError, match="What can be run: python"):
            await run(made, wanted)
    assert not has_text(tmp_path, "")


async def test_without_ssh_that_is_what_is_missing(far: Machine, tmp_path: Path) -> None:
    made = ProcessExecutor(tmp_path / "output", variables={**os.environ, "PATH": str(tmp_path)})
    with pytest.raises(ExecutionError) as caught:
        await run(made, there(far, tmp_path, "1"))
    assert caught.value.title == "There is no program “ssh” on this computer."
    await made.close()
