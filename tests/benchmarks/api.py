"""What the server for other programs delivers, what it costs, and what the window feels of it.

Everything is real: clients over sockets, the window's process with its server, the model worker
and a model server that answers as fast as it can.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from tests.benchmarks.answers import many_chunks
from tests.benchmarks.api_client import (
    ASSISTANTS,
    CHAT,
    COHERE,
    KERNEL,
    RESPONSES,
    Route,
    Streamed,
    stream_together,
)
from tests.benchmarks.child import Child
from tests.benchmarks.homes import measured_home
from tests.benchmarks.large_requests import LargeRequest, large_requests, small_request
from tests.benchmarks.raw_rows import keep_rows, median
from tests.benchmarks.worker_alone import worker_rows
from tests.support.model_server import ModelServer, text

ROUNDS = 5
IDLE_S = 1.0
TOKEN = "benchmark-token"
CHUNKS = {1: 3000, 10: 300, 100: 40}
"""Chunks of each answer, by the number of clients."""
COMPARED = 1000
"""Chunks of each answer where two formats are compared."""
ROUTES = {"responses": RESPONSES, "cohere": COHERE, "kernel": KERNEL, "assistants": ASSISTANTS}
"""The other formats, each with ten clients."""


def api() -> dict[str, float]:
    """Events per second with 1, 10 and 100 clients and in other formats, lateness of the window,
    CPU per chunk, what large requests hold up."""
    port = _free_port()
    with (
        ModelServer(many_chunks) as server,
        measured_home(
            model="openai/test",
            api_base=server.base_url,
            api_enabled=True,
            api_port=port,
            api_rate_limit=0,
        ) as environment,
    ):
        child = Child("tests.benchmarks.measured_app", environment | {"PLAYHEAD_TOKEN": TOKEN})
        child.wait_for("usable")
        _wait_until_it_listens(port)
        _ask(port, 1, 10)  # waits until the model worker is warm
        figures: dict[str, float] = {}
        for clients, chunks in CHUNKS.items():
            child.ask("start")
            streamed = _ask(port, clients, chunks)
            measured = child.ask("stop")
            figures[f"events_per_s_{clients}"] = round(_rate(streamed), 1)
            if clients == 1:
                cpu_s = measured["cpu_s"]
            if clients == 10:
                figures["late_p99_ms_10"] = round(_p99(measured["late_ms"]), 2)
        figures |= _beside_the_worker(child, port, server.base_url, environment)
        for name, route in ROUTES.items():
            figures[f"{name}_events_per_s"] = round(_rate(_ask(port, 10, CHUNKS[10], route)), 1)
        figures["responses_over_chat"] = _responses_over_chat(port)
        server.script = text("Yes", ".")
        figures |= _large_requests(child, port)
        child.close()
        bare_s = _bare_cpu_s(server.base_url, environment, CHUNKS[1])
    figures["overhead_us_per_chunk"] = round((cpu_s - bare_s) * 1e6 / CHUNKS[1], 1)
    figures["bare_us_per_chunk"] = round(bare_s * 1e6 / CHUNKS[1], 1)
    return figures


def _ask(port: int, clients: int, chunks: int, route: Route = CHAT) -> list[Streamed]:
    prompt = f"{chunks} chunks for client"
    return asyncio.run(stream_together(port, TOKEN, prompt, clients, route))


def _rate(streamed: Sequence[Streamed]) -> float:
    """Events of all clients over the time from the first of them to the last."""
    seconds = max(s.last_at for s in streamed) - min(s.first_at for s in streamed)
    return sum(s.events for s in streamed) / seconds


def _responses_over_chat(port: int) -> float:
    """The events per second of Responses over those of chat completions, in turns."""
    rows: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        chat = _rate(_ask(port, 10, COMPARED))
        rows.append({"ratio": _rate(_ask(port, 10, COMPARED, RESPONSES)) / chat})
    return round(median(rows, "ratio"), 2)


def _beside_the_worker(
    child: Child, port: int, api_base: str, environment: Mapping[str, str]
) -> dict[str, float]:
    """The rate of ten clients over that of the worker alone, and how much later the window is than
    at rest; all in turns."""
    rows: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        child.ask("start")
        time.sleep(IDLE_S)
        idle_ms = child.ask("stop")["late_ms"]
        child.ask("start")
        rate = _rate(_ask(port, 10, CHUNKS[10]))
        child.ask("stop")
        child.ask("start")
        _ask(port, 10, CHUNKS[1])  # a second of it, for enough ticks
        measured = child.ask("stop")
        (alone,) = worker_rows(api_base, environment, chunks=10 * CHUNKS[10], turns=10, rounds=1)
        rows.append(
            {
                "events_per_s": rate,
                "worker_per_s": alone["worker_per_s"],
                "late_p99_ms": _p99(measured["late_ms"]),
                "busy_p99_ms": _p99(measured["busy_ms"]),
                "idle_p99_ms": _p99(idle_ms),
            }
        )
    keep_rows("api", rows)
    ratios = [{"ratio": row["events_per_s"] / row["worker_per_s"]} for row in rows]
    late = [{"late": row["late_p99_ms"] - row["idle_p99_ms"]} for row in rows]
    return {
        "worker_events_per_s_10": round(median(rows, "worker_per_s"), 1),
        "events_ratio_10": round(median(ratios, "ratio"), 3),
        "late_over_idle_p99_ms_10": round(median(late, "late"), 2),
        "late_by_own_cpu_p99_ms_10": round(median(rows, "busy_p99_ms"), 2),
    }


def _p99(ordered: Sequence[float]) -> float:
    return ordered[int(len(ordered) * 0.99)]


def _large_requests(child: Child, port: int) -> dict[str, float]:
    """The longest step of a loop in any large request, and the longest that another one took."""
    steps_ms, others_ms = [0.0], [0.0]
    for request in large_requests("of a benchmark"):
        child.ask("start")
        others_ms += _post_beside_others(port, request)
        steps_ms += child.ask("stop")["steps_ms"].values()
    return {
        "worst_request_step_ms": round(max(steps_ms), 1),
        "beside_large_request_ms": round(max(others_ms), 1),
    }


def _post_beside_others(port: int, request: LargeRequest) -> list[float]:
    """Milliseconds that small questions took while the large request was answered."""
    small = small_request()
    has_ended = threading.Event()

    def ask() -> None:
        status, _ = _post(port, request)
        has_ended.set()
        if status != request.status:
            raise RuntimeError(f"{request.name} got the status {status}.")

    taken_ms: list[float] = []
    asking = threading.Thread(target=ask)
    asking.start()
    while not has_ended.wait(0.01):
        taken_ms.append(_post(port, small)[1])
    asking.join()
    return taken_ms


def _post(port: int, request: LargeRequest) -> tuple[int, float]:
    """The status of an answer, and the milliseconds to its end."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", request.path, request.body, headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, (time.monotonic() - began) * 1000


def _bare_cpu_s(api_base: str, environment: Mapping[str, str], chunks: int) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bare_reader", api_base, f"{chunks} chunks", "1"],
        env=dict(environment),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(done.stdout.splitlines()[-1])["cpu_s"]


def _wait_until_it_listens(port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
