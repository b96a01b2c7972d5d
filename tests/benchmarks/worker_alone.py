"""The model worker alone on long answers, and bare httpx on the same ones, in turns."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from playhead.model_worker.protocol import Ask, Deltas, Done
from playhead.providers.worker import WorkerProcess
from playhead.providers.worker_start import worker_command, worker_environment
from tests.benchmarks.bare_httpx import read
from tests.benchmarks.raw_rows import Row


def worker_rows(
    api_base: str, environment: Mapping[str, str], *, chunks: int, turns: int, rounds: int
) -> list[Row]:
    """The rounds: CPU of a chunk in the worker and with httpx, and chunks a second of the worker.

    So many turns at once share the chunks.
    """
    numbers = map(str, (chunks, turns, rounds))
    command = [sys.executable, "-m", "tests.benchmarks.worker_alone", api_base, *numbers]
    done = subprocess.run(
        command, env=dict(environment), check=True, capture_output=True, text=True, timeout=300
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


async def main(api_base: str, chunks: int, turns: int, rounds: int) -> None:
    """Print a row for each round."""
    worker = await WorkerProcess.start(worker_command(), worker_environment(os.environ))
    try:
        await worker.ready()
        async with httpx.AsyncClient() as client:
            for number in range(rounds + 1):
                spent_s, began = _cpu_s(worker.pid), time.perf_counter()
                each = chunks // turns
                asking = (_read_turn(worker, api_base, f"{number}.{n}", each) for n in range(turns))
                count = sum(await asyncio.gather(*asking))
                seconds = time.perf_counter() - began
                worker_s = _cpu_s(worker.pid) - spent_s
                spent_s = time.process_time()
                bare_count, _ = await read(client, api_base, f"{chunks} chunks")
                bare_s = time.process_time() - spent_s
                row = {
                    "worker_us": worker_s * 1e6 / count,
                    "httpx_us": bare_s * 1e6 / bare_count,
                    "worker_per_s": count / seconds,
                }
                if number:  # the first one warms up
                    print(json.dumps(row))
    finally:
        await worker.close()


async def _read_turn(worker: WorkerProcess, api_base: str, turn: str, chunks: int) -> int:
    """Ask once; the deltas that came."""
    answers = worker.open(turn)
    question = [{"role": "user", "content": f"{chunks} chunks"}]
    await worker.send(
        Ask(turn=turn, model="openai/test", messages=question, api_base=api_base, api_key="k")
    )
    count = 0
    while True:
        match await answers.get():
            case Deltas(deltas=deltas):
                count += len(deltas)
            case Done():
                return count
            case other:
                raise RuntimeError(f"The worker did not answer: {other}")


def _cpu_s(pid: int) -> float:
    """The CPU time of all threads of a process, finer than the system's clock ticks."""
    stats = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(stat.read_text().split()[0]) for stat in stats) / 1e9


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
