"""A session of 60 cells on a real kernel, with variables kept or not: its CPU time, as JSON."""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.event_loop import run
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from tests.support.kernels import request
from tests.support.kernels import run as run_code
from tests.support.waiting import until

_IDLE_S = 0.05
_REST_S = 0.15
_WARM_RUNS = 200
_START = """\
import json, math, random, collections, dataclasses, functools, itertools
import numpy as np
import pandas as pd
import matplotlib
import matplotlib.pyplot as plt
"""
_MADE = """\
rng = np.random.default_rng(1)
sales = pd.DataFrame({"day": np.arange(200_000) % 365, "shop": rng.integers(0, 50, 200_000),
                      "price": rng.random(200_000), "count": rng.integers(1, 9, 200_000)})
image = rng.random((1500, 1500))
words = [f"word {n % 977}" for n in range(200_000)]
"""
_COUNTER = """\
def count():
    n = [0]
    def up():
        n[0] += 1
        return n[0]
    return up
step = count()
"""
_CLUSTERS = """\
def clusters(points, count):
    centres = points[:count]
    for turn in range(10):
        nearest = ((points[:, None] - centres) ** 2).sum(2).argmin(1)
        centres = np.array([points[nearest == n].mean(0) for n in range(count)])
    return centres, nearest
"""
_CELLS = (
    "sales.head()",
    "sales.describe()",
    "by_shop = sales.groupby('shop').price.mean()",
    "print(by_shop.sort_values().tail(3))",
    "by_day = sales.groupby('day')[['price', 'count']].sum()",
    "plt.plot(by_day.price); plt.title('by day')",
    "smooth = by_day.rolling(7).mean()",
    "fig, ax = plt.subplots(); ax.hist(image.ravel(), 50)",
    "total = float(sales.price.sum()); print(total)",
    "@dataclasses.dataclass\nclass Shop:\n    number: int\n    mean: float\n",
    "shops = [Shop(n, m) for n, m in by_shop.items()]",
    "best = max(shops, key=lambda shop: shop.mean); print(best)",
    _COUNTER,
    "print(step(), step())",
    "spectrum = np.abs(np.fft.fft2(image))",
    "print(spectrum.shape, spectrum.max())",
    "inverse = np.linalg.inv(image[:400, :400])",
    "counts = collections.Counter(words)",
    "print(counts.most_common(3))",
    "stream = (w for w in words); print(next(stream))",
    "table = sales.pivot_table(index='day', columns='shop', values='price', aggfunc='sum')",
    "plt.imshow(table.to_numpy(), aspect='auto')",
    "merged = sales.merge(by_shop.rename('mean'), left_on='shop', right_index=True)",
    "merged['over'] = merged.price - merged['mean']",
    "print(merged.over.abs().max())",
    "settings = {'alpha': 1, 'beta': [1, 2]}",
    "settings['beta'].append(3); print(settings)",
    "primes = [n for n in range(2, 6000) if all(n % d for d in range(2, int(n ** 0.5) + 1))]",
    "text = ' '.join(words[:1000]); print(len(text))",
    "corr = np.corrcoef(image[:300])",
    _CLUSTERS,
    "centres, nearest = clusters(sales[['price', 'count']].to_numpy(), 6)",
    "means = [float(rng.choice(by_day.price, 365).mean()) for n in range(3000)]",
    "fit = np.linalg.lstsq(image[:, :200], image[:, 200], rcond=None)[0]",
    "inside = sum(random.random() ** 2 + random.random() ** 2 < 1 for n in range(1_000_000))",
    "plt.figure(figsize=(12, 8)); plt.scatter(sales.day[:20000], sales.price[:20000], s=1)",
)
_PICKLED = """\
import pickle as _p
def _size(v):
    try:
        return len(_p.dumps(v, 5))
    except Exception:
        return 0
print(sum(_size(v) for k, v in list(globals().items()) if k[0] != "_"))
del _p, _size
"""


async def _session(folder: Path, mode: str) -> dict[str, float]:
    """Run the cells; with `kept` the kernel is saved after each, with `all` pickled whole."""
    store = VariableStore(folder / "variables")
    keeper = VariableKeeper(store, Saving, idle_s=_IDLE_S) if mode == "kept" else None
    made = ProcessExecutor(folder / "output", keeper=keeper)
    written = pickled = behind = 0.0
    pauses: list[float] = []
    seen: set[str] = set()
    cells = [_START, _MADE, *_CELLS, *_CELLS[::-1][:22]]
    for cell in cells:
        chunks = await run_code(made, request(folder, cell))
        assert not any(chunk.type == "error" for chunk in chunks), (cell, chunks)
        if mode == "all":
            shown = await run_code(made, request(folder, _PICKLED))
            pickled += float("".join(str(c.content) for c in shown if c.format == "output"))
        if keeper is None:
            await asyncio.sleep(_REST_S)
            continue
        began = time.monotonic()
        await until(lambda: not keeper.is_waiting("conversation"))
        pauses.append(time.monotonic() - began)
        behind += keeper.is_behind("conversation")
        for blob in folder.glob("variables/*/*"):  # noqa: ASYNC240
            written += blob.stat().st_size if blob.name not in seen and len(blob.name) == 64 else 0
            seen.add(blob.name)
    found = store.read("conversation")
    warm = await _warm(made, folder)
    await made.close()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "cpu_s": sum(one.ru_utime + one.ru_stime for one in used),
        "own_s": used[0].ru_utime + used[0].ru_stime,
        "system_s": used[1].ru_stime,
        "warm_us": warm,
        "written": written,
        "pickled": pickled,
        "behind": behind,
        "saved_s": max(pauses, default=0.0),
        "kept": sum(one.comes_back for one in found.names) if found else 0,
        "names": len(found.names) if found else 0,
    }


async def _warm(made: ProcessExecutor, folder: Path) -> float:
    """Return the CPU time of this process and the wait for one warm run, in microseconds."""
    times: list[float] = []
    for _ in range(_WARM_RUNS):
        began = time.perf_counter()
        await run_code(made, request(folder, "print(1 + 1)"))
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def main() -> None:
    """Print the figures of one session."""
    with tempfile.TemporaryDirectory() as place:
        app = QCoreApplication([])
        print(json.dumps(run(_session(Path(place), sys.argv[1]), app)))


if __name__ == "__main__":
    main()
