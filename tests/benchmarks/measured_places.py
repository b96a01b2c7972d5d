"""A kernel of Jupyter under the executor, in turns with a bare client of one; ours by ssh, too.

The bare client is Jupyter's own, which takes what the kernel sends and does nothing with it.
"""

from __future__ import annotations

import asyncio
import functools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from playhead.domain.execution import Place, RunRequest
from playhead.domain.secret import Secret
from playhead.event_loop import EventLoop
from playhead.execution.process_executor import ProcessExecutor
from playhead.place_worker.http_requests import ServerRequests
from playhead.place_worker.jupyter_messages import (
    PROTOCOL,
    MessageHeaders,
    decode_frame,
    encode_frame,
)
from tests.benchmarks.measured_executor import STOPPED, Bench
from tests.support.jupyter import BESIDE, IPYKERNEL, described
from tests.support.jupyter_servers import TOKEN, jupyter_server
from tests.support.machines import HAS_SSHD, machine

ENDS, PAIRS, STOPS = 30, 5, 5
LINES = 200_000
FLUSHED = "for n in range(20_000): print(n, flush=True)"
FLUSHED_BYTES = sum(len(f"{n}\n") for n in range(20_000))
LONG = 13_107_200
LOOP = "total = 0\nfor n in range(3_000_000):\n    total += n\n"
CALLS = "def add(a, b):\n    return a + b\n\nfor n in range(1_500_000):\n    add(n, 1)\n"
TIMED = "import time\n_began = time.process_time()\n{code}print(time.process_time() - _began)"


class PlaceBench(Bench):
    """The same with another place for its code."""

    def __init__(
        self, folder: Path, place: Place, variables: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(folder, variables)
        self._place = place

    def request(self, code: str) -> RunRequest:
        """Return a run of the place."""
        return replace(super().request(code), interpreter=self._place.id)

    async def printed(self, code: str) -> str:
        """Return what a block prints."""
        texts = [
            str(chunk.content)
            async for chunk in self.executor.run(self.request(code))
            if chunk.format == "output"
        ]
        return "".join(texts)


class BareClient:
    """Jupyter's own client of a kernel of the same kind."""

    def __init__(self) -> None:
        sys.path.insert(0, str(BESIDE))
        theirs: Any = import_module("jupyter_client")
        self._manager = theirs.KernelManager(transport="ipc")
        self._manager._kernel_spec = theirs.kernelspec.KernelSpec(
            argv=list(IPYKERNEL), language="python"
        )
        self._manager.start_kernel()
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=30)
        self._texts: list[str] = []

    def printed(self, code: str) -> str:
        """Return what a block prints."""
        self._texts = []
        self._client.execute_interactive(code, output_hook=self._take, timeout=120)
        return "".join(self._texts)

    def run_s(self, code: str) -> float:
        """Run a block; the seconds that it takes."""
        began = time.perf_counter()
        self.printed(code)
        return time.perf_counter() - began

    def close(self) -> None:
        """End the kernel."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def _take(self, message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            self._texts.append(message["content"]["text"])


async def figures(folder: Path) -> dict[str, float]:
    """All of them."""
    for name in ("place", "own", "far"):
        (folder / name).mkdir()
    bench = PlaceBench(folder / "place", described(folder / "kernels" / "python3"))
    own = Bench(folder / "own")
    bare = await asyncio.to_thread(BareClient)
    try:
        for one in (bench, own):
            await one.run_s("import os")
        return {
            "zmq_end_ratio": await _ratio(bench, bare, "print(1+1)", ENDS, statistics.median),
            "zmq_lines_ratio": round(1 / await _ratio(bench, bare, _lines(), PAIRS, min), 2),
            "line_loop_ratio": await _cpu_ratio(bench, bare, LOOP),
            "line_calls_ratio": await _cpu_ratio(bench, bare, CALLS),
            "stop_ratio": await _stop_ratio(bench, own),
        }
    finally:
        await asyncio.to_thread(bare.close)
        await bench.executor.close()
        await own.executor.close()


async def far_figures(folder: Path) -> dict[str, float]:
    """Those of our own kernel by ssh, in turns with one that is here; none without sshd."""
    if not HAS_SSHD:
        return {}
    own = Bench(folder / "own")
    with machine(folder / "machine") as there:
        place = Place(
            kind="ssh",
            language="python",
            label=there.host,
            address=there.host,
            program=sys.executable,
        )
        far = PlaceBench(folder / "far", place, there.variables)
        try:
            for one in (far, own):
                await one.run_s("import os")
            theirs, ours = [], []
            for _ in range(ENDS):
                theirs.append(await own.run_s("print(1+1)"))
                ours.append(await far.run_s("print(1+1)"))
            ratio = statistics.median(ours) / statistics.median(theirs)
            return {
                "ssh_end_ratio": round(ratio, 2),
                "ssh_stop_ratio": await _stop_ratio(far, own),
            }
        finally:
            await far.executor.close()
            await own.executor.close()


def _lines() -> str:
    return f"for n in range({LINES}): print(n)"


class ServerBench(PlaceBench):
    """The same with a kernel of a Jupyter server."""

    def __init__(self, folder: Path, address: str) -> None:
        place = Place(
            kind="server", language="python", label="x", address=address, program="python3"
        )
        super().__init__(folder, place)
        self.executor = ProcessExecutor(folder / "outputs", token_of=_token_of)


async def _token_of(place: Place) -> Secret:
    return Secret(TOKEN)


class BareSocket:
    """A client that takes what a server sends of its kernel, and does nothing with it."""

    def __init__(self, address: str) -> None:
        self._runner = asyncio.Runner()
        self._requests = ServerRequests(address, TOKEN)
        self._headers = MessageHeaders("bare")
        self._socket = self._runner.run(self._connect())

    def run_s(self, code: str) -> float:
        """Run a block; the seconds that it takes."""
        return self._runner.run(self._run_s(code))

    def close(self) -> None:
        """End the kernel."""
        self._runner.run(self._requests.delete(f"api/kernels/{self._kernel}"))
        self._runner.run(self._requests.close())
        self._runner.close()

    async def _connect(self) -> Any:
        self._kernel = (await self._requests.post("api/kernels", {"name": "python3"}))["id"]
        path = f"api/kernels/{self._kernel}/channels"
        return await self._requests.socket(path, {"session_id": "bare"}, PROTOCOL, 64_000_000)

    async def _run_s(self, code: str) -> float:
        header = self._headers.new("execute_request")
        content = {"code": code, "silent": False, "user_expressions": {}, "allow_stdin": False}
        began = time.perf_counter()
        frame = encode_frame("shell", [header, {}, {}, content], [], is_v1=True)
        await self._socket.send_bytes(frame)
        left = {"execute_reply", "status"}
        while left:
            message = decode_frame((await self._socket.receive()).data, is_v1=True)
            if message is None or message.parent != header["msg_id"]:
                continue
            is_idle = message.content.get("execution_state") == "idle"
            left -= {message.kind} if message.kind != "status" or is_idle else set()
        return time.perf_counter() - began


async def server_figures(folder: Path) -> dict[str, float]:
    """A kernel of a server, and the bytes that are lost at the server's own limits."""
    with jupyter_server(folder) as address:
        bench = ServerBench(folder, address)
        bare = await asyncio.to_thread(BareSocket, address)
        try:
            await bench.run_s("import os")
            end_ratio = await _ratio(bench, bare, "print(1+1)", ENDS, statistics.median)
            lines_ratio = round(1 / await _ratio(bench, bare, _lines(), PAIRS, min), 2)
            lost = FLUSHED_BYTES - len(await bench.printed(FLUSHED))
            await bench.run_s(f"print('x' * {LONG - 1})")
            kept = max(one.stat().st_size for one in (folder / "outputs").rglob("*.txt"))
            lost += max(0, LONG - kept)
        finally:
            await asyncio.to_thread(bare.close)
            await bench.executor.close()
    return {"ws_end_ratio": end_ratio, "ws_lines_ratio": lines_ratio, "lost_bytes": lost}


async def _ratio(
    bench: PlaceBench,
    bare: BareClient | BareSocket,
    code: str,
    turns: int,
    choose: Callable[[Sequence[float]], float],
) -> float:
    """Return the seconds of a block in ours over those in theirs, in turns."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(turns):
        theirs.append(await asyncio.to_thread(bare.run_s, code))
        ours.append(await bench.run_s(code))
    return round(choose(ours) / choose(theirs), 2)


async def _cpu_ratio(bench: PlaceBench, bare: BareClient, code: str) -> float:
    """Return the CPU of a block's kernel with the running line over that without."""
    block = TIMED.format(code=code)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(PAIRS):
        theirs.append(float(await asyncio.to_thread(bare.printed, block)))
        ours.append(float(await bench.printed(block)))
    return round(min(ours) / min(theirs), 3)


async def _stop_ratio(bench: PlaceBench, own: Bench) -> float:
    """Return the time from Stop to the end over that of our own kernel, in turns."""
    ours: list[float] = []
    theirs: list[float] = []
    for name in ("sleep", "loop") * STOPS:
        theirs.append(await own.stop_ms(STOPPED[name]))
        ours.append(await bench.stop_ms(STOPPED[name]))
    return round(statistics.median(ours) / statistics.median(theirs), 2)


def main() -> int:
    """Print the figures."""
    app = QCoreApplication(sys.argv)
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=functools.partial(EventLoop, app)) as runner,
    ):
        found = runner.run(figures(Path(folder)))
        found |= runner.run(far_figures(Path(folder)))
        (served := Path(folder, "server")).mkdir()
        print(json.dumps(found | runner.run(server_figures(served))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
