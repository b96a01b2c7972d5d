"""What a piece of a model's answer costs on its way to the window, and how soon a stop is seen."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.answers import many_chunks
from tests.benchmarks.child import Child, Event
from tests.benchmarks.homes import measured_home
from tests.support.model_server import ModelServer, hang

CHUNKS = 4000
STOPS = 5


def providers() -> dict[str, float]:
    """The real window and its worker on one long answer, some stops, and httpx on the same answer.

    `window_us_per_chunk` is what the window's side of the pipe takes until a piece is in the
    conversation; `drawn_us_per_chunk` is all that the real window does meanwhile, its frames too,
    of which there are the more for each piece the slower the machine is.
    """
    with (
        ModelServer(many_chunks) as server,
        measured_home(model="openai/test", api_base=server.base_url) as environment,
    ):
        child = Child("tests.benchmarks.measured_app", environment)
        child.wait_for("usable")
        _turn(child, 10)  # waits until the model worker is warm
        worker = _worker_of(child.process.pid)
        worker_s = _cpu_s(worker)
        window_s = _turn(child, CHUNKS)["cpu_s"]
        worker_s = _cpu_s(worker) - worker_s
        stops_ms = [_stop_ms(child, server) for _ in range(STOPS)]
        child.close()
        server.script = many_chunks
        bare = _bare(server.base_url, environment)
    return {
        "worker_us_per_chunk": round(worker_s * 1e6 / CHUNKS, 1),
        "window_us_per_chunk": round(bare["ours_s"] * 1e6 / CHUNKS, 1),
        "drawn_us_per_chunk": round(window_s * 1e6 / CHUNKS, 1),
        "httpx_us_per_chunk": round(bare["cpu_s"] * 1e6 / bare["count"], 1),
        "first_token_overhead_ms": round(bare["overhead_ms"], 1),
        "cancel_seen_ms": round(statistics.median(stops_ms), 1),
    }


def _turn(child: Child, chunks: int) -> Event:
    child.ask("start")
    child.send(f"send {chunks} chunks, please")
    child.wait_for("turn_over")
    return child.ask("stop")


def _stop_ms(child: Child, server: ModelServer) -> float:
    """From the click on Stop to the moment when the model's server sees the connection close."""
    server.script = hang("Some ", "text")
    asked = len(server.requests)
    child.send("send never ends")
    if not server.wait_for_requests(asked + 1):
        raise RuntimeError("The model was not asked.")
    time.sleep(0.3)  # in mid-answer, as a user would
    stopped_at = child.ask("halt")["at"]
    if not server.requests[-1].disconnected.wait(30):
        raise RuntimeError("The stop was never seen.")
    seen_at = time.monotonic()
    child.wait_for("turn_over")
    return (seen_at - stopped_at) * 1000


def _bare(api_base: str, environment: Mapping[str, str]) -> Event:
    """What the yardstick reports."""
    command = [sys.executable, "-m", "tests.benchmarks.bare_httpx", api_base, str(CHUNKS)]
    ended = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(ended.stdout.splitlines()[-1])


def _worker_of(pid: int) -> int:
    """The model worker among the children of the window."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if parent == pid and b"playhead.model_worker" in command:
            return int(stat.parent.name)
    raise RuntimeError("The window has no model worker.")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
