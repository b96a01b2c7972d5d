"""How late the window's loop is while an answer streams, and what a chunk costs it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.answers import many_chunks
from tests.benchmarks.child import Child, Event
from tests.benchmarks.homes import measured_home
from tests.benchmarks.raw_rows import keep_rows, median
from tests.benchmarks.worker_alone import worker_rows
from tests.support.model_server import ModelServer

PACED_CHUNKS = 1000
PACE_S = 0.005
FLAT_OUT_CHUNKS = 4000
ROUNDS = 5


def stream() -> dict[str, float]:
    """One paced answer beside a bare loop, one as fast as the server can, the worker alone."""
    with (
        ModelServer(many_chunks) as server,
        measured_home(model="openai/test", api_base=server.base_url) as environment,
    ):
        child = Child("tests.benchmarks.measured_app", environment)
        idle = Child("tests.benchmarks.bare_loop", environment)
        child.wait_for("usable")
        idle.wait_for("ready")
        _turn(child, 10)  # waits until the model worker is warm
        server.pace_s = PACE_S
        idle.ask("start")
        paced, _ = _turn(child, PACED_CHUNKS)
        idle_late = idle.ask("stop")["late_ms"]
        server.pace_s = 0
        flat_out, seconds = _turn(child, FLAT_OUT_CHUNKS)
        idle.close()
        turns = [{"drawn_us": _thread_us(child), "paced_us": 0.0} for _ in range(ROUNDS)]
        server.pace_s = PACE_S
        for turn in turns:
            turn["paced_us"] = _thread_us(child, PACED_CHUNKS // 2)
        server.pace_s = 0
        child.ask("minimize")
        for turn in turns:
            turn["undrawn_us"] = _thread_us(child)
        child.close()
        rows = worker_rows(
            server.base_url, environment, chunks=FLAT_OUT_CHUNKS, turns=1, rounds=ROUNDS
        )
    keep_rows("stream", rows)
    keep_rows("stream_window", turns)
    worker_us, httpx_us = median(rows, "worker_us"), median(rows, "httpx_us")
    late = paced["late_ms"]
    return {
        "late_p50_ms": round(_percentile(late, 0.5), 2),
        "late_p99_ms": round(_percentile(late, 0.99), 2),
        "late_max_ms": round(late[-1], 2),
        "idle_late_p99_ms": round(_percentile(idle_late, 0.99), 2),
        "chunks_per_s": round(FLAT_OUT_CHUNKS / seconds, 1),
        "window_cpu_us_per_chunk": round(flat_out["cpu_s"] * 1e6 / FLAT_OUT_CHUNKS, 1),
        "window_us_per_chunk": round(median(turns, "undrawn_us"), 1),
        "drawn_us_per_chunk": round(median(turns, "drawn_us"), 1),
        "drawn_us_per_paced_chunk": round(median(turns, "paced_us"), 1),
        "worker_us_per_chunk": round(worker_us, 1),
        "httpx_us_per_chunk": round(httpx_us, 1),
        "worker_ratio_per_chunk": round(worker_us / httpx_us, 3),
    }


def _turn(child: Child, chunks: int) -> tuple[Event, float]:
    """Ask for an answer of so many chunks; the probe's figures and the seconds it took."""
    began = child.ask("start")["at"]
    child.send(f"send {chunks} chunks, please")
    ended = child.wait_for("turn_over")["at"]
    return child.ask("stop"), ended - began


def _thread_us(child: Child, chunks: int = FLAT_OUT_CHUNKS) -> float:
    """The CPU of the window's own thread for each chunk of an answer."""
    began_s = child.ask("clear")["thread_s"]
    child.send(f"send {chunks} chunks, please")
    return (child.wait_for("turn_over")["thread_s"] - began_s) * 1e6 / chunks


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
