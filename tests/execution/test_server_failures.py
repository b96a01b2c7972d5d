"""What becomes of a run when the link, the server or its kernel fails; each is said."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from playhead.domain.execution import Place
from playhead.domain.secret import Secret
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from tests.execution.test_jupyter_kernels import Runs
from tests.execution.test_jupyter_servers import place_at, token_of
from tests.support.jupyter_servers import TOKEN, LinkProxy, jupyter_server
from tests.support.kernels import executor, report_of, text_of
from tests.support.waiting import until

SLOW = "import time\nfor n in range(200):\n    print(n)\n    time.sleep(0.005)"
DATA = bytes(range(256)) * 10_000
WHOLE = "".join(f"{n}\n" for n in range(200))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with jupyter_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def ask(address: str, path: str, method: str = "GET") -> object:
    """The answer of the server itself."""
    headers = {"Authorization": f"token {TOKEN}"}
    asked = urllib.request.Request(f"{address}/api/{path}", headers=headers, method=method)
    with urllib.request.urlopen(asked) as answer:
        data = answer.read()
    return json.loads(data) if data else None


def kernels_of(address: str) -> list[str]:
    found = ask(address, "kernels")
    assert isinstance(found, list)
    return [str(one["id"]) for one in found]


@pytest.mark.slow_group("jupyter")
async def test_a_run_is_whole_after_a_link_that_was_half_open(tmp_path: Path, server: str) -> None:
    link = LinkProxy(urlsplit(server).port or 0)
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(link.address), tmp_path)
        await runs.all("1")
        made.subscribe(lambda owner, status: link.heal() if status.link == "lost" else None)
        assert text_of(await runs.disturbed(SLOW, {"20\n": link.blackhole})) == WHOLE
    link.close()


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_that_the_server_has_ended_is_not_replaced_in_silence(
    tmp_path: Path, server: str
) -> None:
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(server), tmp_path)
        await runs.all("kept = 1")
        for one in kernels_of(server):
            ask(server, f"kernels/{one}", "DELETE")
        end = report_of(await runs.all("print('kept' in globals())")).end
        assert end is not None
        assert "127.0.0.1 has ended the kernel" in end.words
        assert text_of(await runs.all("print('kept' in globals())")) == "False\n"


@pytest.mark.slow_group("jupyter")
async def test_a_restart_by_somebody_else_ends_the_run_with_its_reason(
    tmp_path: Path, server: str
) -> None:
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(server), tmp_path)
        await runs.all("kept = 1")
        (kernel,) = kernels_of(server)

        def restart() -> None:
            ask(server, f"kernels/{kernel}/restart", "POST")

        seen = await runs.disturbed(SLOW, {"20\n": restart})
        report = report_of(seen)
        assert report.state in ("killed", "interrupted")  # Jupyter interrupts it first
        seen = await runs.all("print(1)")
        assert "restarted" in text_of(seen) + str(report_of(seen).end) + str(report.end)
        assert text_of(await runs.all("print('kept' in globals())")).endswith("False\n")
        assert kernels_of(server) == [kernel]  # the run went on in the same one


@pytest.mark.slow_group("jupyter")
async def test_a_place_worker_that_crashes_comes_back_to_its_kernel(
    tmp_path: Path, server: str
) -> None:
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(server), tmp_path)
        await runs.all("kept = 7")
        os.kill(made.supervisors()[0], signal.SIGKILL)
        await until(lambda: made.status("conversation").state == "none")
        assert text_of(await runs.all("print(kept)")).endswith("7\n")


@pytest.mark.slow_group("jupyter")
async def test_a_kernel_without_our_parts_says_when_output_may_be_missing(
    tmp_path: Path, server: str
) -> None:
    link = LinkProxy(urlsplit(server).port or 0)
    place = place_at(link.address, "odd", "odd")
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place, tmp_path)
        assert text_of(await runs.all("print one\nlate 3")) == "one\nlate 0\nlate 1\nlate 2\n"
        seen = text_of(await runs.disturbed("print go\nsleep 2\nprint end", {"go\n": link.cut}))
        assert "output of that time may be missing" in seen
        assert seen.endswith("end\n")
        seen_after = await runs.stopped("print go\nsleep 60", "go\n")
        assert report_of(seen_after).state == "interrupted"
    link.close()


@pytest.mark.slow_group("jupyter")
async def test_a_joined_kernel_shares_its_names_and_lives_on(tmp_path: Path, server: str) -> None:
    async with executor(tmp_path, token_of=token_of) as made:
        runs = Runs(made, place_at(server), tmp_path)
        await runs.all("shared = 1")
        (kernel,) = kernels_of(server)
        async with executor(tmp_path / "other", token_of=token_of) as other:
            joined = replace(place_at(server), kernel_id=kernel)
            theirs = Runs(other, joined, tmp_path)
            assert text_of(await theirs.all("shared += 1\nprint(shared)")) == "2\n"
        assert kernels_of(server) == [kernel]


@pytest.mark.slow_group("jupyter")
async def test_code_that_is_left_runs_on_and_files_go_there_and_back(
    tmp_path: Path, server: str
) -> None:
    place, parts = place_at(server), list[float]()
    async with executor(tmp_path, token_of=token_of) as made:
        far = made.far_side
        (tmp_path / "data.bin").write_bytes(DATA)
        there = await far.put_file(
            "conversation", place.id, str(tmp_path / "data.bin"), parts.append
        )
        assert parts[-1] == 1
        runs = Runs(made, place, tmp_path)
        assert text_of(
            await runs.all(f"kept = open({there!r}, 'rb').read()\nprint(len(kept))")
        ) == (f"{len(DATA)}\n")
        await far.fetch_file("conversation", there, str(tmp_path / "back.bin"))
        assert (tmp_path / "back.bin").read_bytes() == DATA
        await far.leave("conversation")
    assert len(kernels_of(server)) == 1
    async with executor(tmp_path, token_of=token_of) as later:
        seen = text_of(await Runs(later, place, tmp_path).all("print(len(kept))"))
        assert seen == f"{len(DATA)}\n"
    assert not kernels_of(server)


@pytest.mark.slow_group("jupyter")
async def test_a_refused_token_says_so(tmp_path: Path, server: str) -> None:
    async def wrong(place: Place) -> Secret:
        return Secret("wrong")

    made = ProcessExecutor(tmp_path / "output", token_of=wrong)
    with pytest.raises(ExecutionError, match="refuses the token"):
        await Runs(made, place_at(server), tmp_path).all("1")
    await made.close()
