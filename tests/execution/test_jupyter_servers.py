"""Kernels of real Jupyter servers under the executor, also over links that fail."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Table
from playhead.domain.execution import Place
from playhead.domain.secret import Secret
from tests.execution.test_jupyter_kernels import LINES, Runs
from tests.support.jupyter_servers import TOKEN, LinkProxy, jupyter_server
from tests.support.kernels import error_of, executor, lines_of, report_of, text_of

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with jupyter_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def place_at(address: str, program: str = "python3", language: str = "python") -> Place:
    return Place(kind="server", language=language, label="lab: x", address=address, program=program)


def picture_in(chunks: list[Chunk]) -> bytes:
    paths = [str(one.content) for one in chunks if one.type == "image" and one.content]
    return Path(paths[0]).read_bytes()


async def token_of(place: Place) -> Secret:
    return Secret(TOKEN)


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_of_a_server_is_as_our_own(tmp_path: Path, server: str) -> None:
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(server), tmp_path)
        seen = await runs.all(LINES + "1 + 1")
        assert text_of(seen) == "0\n1\n2\n"
        assert [one for one in lines_of(seen) if one][:3] == [1, 2, 3]

        seen = await runs.all("import os\nos.system('echo child')\nprint('after')")
        assert text_of(seen) == "child\nafter\n"

        seen = await runs.all("def half(n):\n    return n / 0\nhalf(3)")
        error = error_of(seen)
        assert error is not None
        assert (error.name, [frame.line for frame in error.frames]) == ("ZeroDivisionError", [3, 2])
        assert "interactiveshell" not in text_of(seen)

        frame = "import pandas\nframe = pandas.DataFrame({'n': range(300)})\nframe"
        tables = [one.content for one in await runs.all(frame) if isinstance(one.content, Table)]
        assert [table.total_rows for table in tables] == [300]
        page = await made.table("conversation", "frame", 298, 5)
        assert page.rows == ((298,), (299,))
        names = {one.name: one.shape for one in await made.variables("conversation")}
        assert "frame" in names

        picture = (
            "from IPython.display import Image, display\nimport base64\n"
            f"display(Image(data=base64.b64decode({PICTURE!r})))"
        )
        assert picture_in(await runs.all(picture)) == base64.b64decode(PICTURE)

        seen = await runs.answered("name = input('Who? ')\nprint('Hello', name)", "Ann")
        assert text_of(seen) == "Hello Ann\n"

        seen = await runs.stopped("kept = 7\nimport time\ntime.sleep(60)", 3)
        assert (report_of(seen).state, report_of(seen).line) == ("interrupted", 3)
        assert text_of(await runs.all("kept")) == "7\n"

        flushed = "for n in range(20_000): print(n, flush=True)"
        assert text_of(await runs.all(flushed)) == "".join(f"{n}\n" for n in range(20_000))
        seen = await runs.all("print('x' * 13_107_199)")
        assert sum(len(str(one.content)) for one in seen if one.format == "output") > 1_000_000
        sizes = [one.stat().st_size for one in (tmp_path / "output").rglob("*.txt")]
        assert 13_107_200 in sizes


@pytest.mark.slow_group("jupyter")
async def test_a_run_is_whole_after_the_link_was_gone_for_a_while(
    tmp_path: Path, server: str
) -> None:
    link = LinkProxy(urlsplit(server).port or 0)
    slow = "import time\nfor n in range(200):\n    print(n)\n    time.sleep(0.005)"
    whole = "".join(f"{n}\n" for n in range(200))
    states: list[str] = []
    async with executor(tmp_path, token_of=token_of) as made:
        made.subscribe(lambda owner, status: states.append(status.link))
        runs = Runs(made, place_at(link.address), tmp_path)
        assert text_of(await runs.all("print(1)")) == "1\n"

        assert text_of(await runs.disturbed(slow, {"20\n": link.cut, "90\n": link.cut})) == whole
        assert "lost" in states
        assert states[-1] == ""

        link.delay_s = 0.05
        assert text_of(await runs.disturbed(slow, {"20\n": link.cut})) == whole
        link.delay_s = 0
    link.close()
