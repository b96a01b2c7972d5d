"""What the running line costs: a kernel with it beside plain Python, by the CPU they use."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.benchmarks.bare_kernel import BareKernel, PlainPython

REPEATS = 28
"""Many short pairs: a busy machine is fast in one second and slow in the next, for both."""
WORK = {
    "loop": "total = 0\nfor n in range(500_000):\n    total += n\n    total ^= n\n",
    "calls": (
        "def fib(n):\n    if n < 2:\n        return n\n    return fib(n - 1) + fib(n - 2)\n"
        "for n in range(5):\n    fib(23)\n"
    ),
    "numpy": (
        "import numpy\nfield = numpy.arange(200_000.0)\n"
        "for n in range(150):\n    field = numpy.sqrt(field * 1.5 + n)\n    field.sum()\n"
    ),
    "io": (
        "import tempfile\nwith tempfile.TemporaryFile() as file:\n"
        "    for n in range(60_000):\n        file.write(b'x' * 200)\n        file.tell()\n"
    ),
}
SAMPLED_S = 1.0
FIND_SAMPLER = (
    "import gc, time\n"
    "(sampler,) = [o for o in gc.get_objects() if type(o).__name__ == 'LineSampler']\n"
)
SAMPLED_LOOP = f"""
began = time.perf_counter()
while time.perf_counter() - began < {SAMPLED_S}:
    for n in range(10_000):
        n ^= 1
else:
    print('samples', sum(sampler.counts().values()))
"""
_CPU = re.compile(r"cpu ([\d.]+)")
_LINE = re.compile(rb'"t":"line"[^}]*"line":(\d+)')


def running_line() -> dict[str, float]:
    """CPU seconds of each block over those of plain `exec`, interleaved, the least of each."""
    with tempfile.TemporaryDirectory() as folder:
        kernel, plain = BareKernel(Path(folder)), PlainPython()
        try:
            figures = {
                f"line_{name}_ratio": round(_ratio(kernel, plain, code), 3)
                for name, code in WORK.items()
                if _has_what_it_needs(plain, code)
            }
            return figures | _sampling(kernel)
        finally:
            kernel.close()
            plain.close()


def _ratio(kernel: BareKernel, plain: PlainPython, code: str) -> float:
    timed = (
        "import time\ncpu_began = time.process_time()\n"
        f"{code}print('cpu', time.process_time() - cpu_began)\n"
    )
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(REPEATS):
        theirs.append(_cpu_s(plain.output_of(timed)))
        ours.append(_cpu_s(kernel.output_of(timed).decode(errors="replace")))
    return min(ours) / min(theirs)


def _cpu_s(output: str) -> float:
    found = _CPU.search(output)
    if found is None:
        raise RuntimeError(f"The block did not say what it used: {output[-500:]}")
    return float(found[1])


def _has_what_it_needs(plain: PlainPython, code: str) -> bool:
    """Whether the packages that it imports are here."""
    if "numpy" not in code:
        return True
    found = "import importlib.util\nprint(importlib.util.find_spec('numpy') is not None)"
    return plain.output_of(found) == "True\n"


def _sampling(kernel: BareKernel) -> dict[str, float]:
    """Samples a second in a loop of pure byte code, and the lines seen where there are calls."""
    kernel.output_of(FIND_SAMPLER)
    found = re.search(rb"samples (\d+)", kernel.output_of(SAMPLED_LOOP))
    if found is None:
        raise RuntimeError("The sampler could not be counted.")
    lit = {int(line) for line in _LINE.findall(kernel.output_of(WORK["calls"] * 4))}
    return {
        "line_loop_samples_per_s": round(int(found[1]) / SAMPLED_S, 1),
        "line_calls_lines": len(lit),
    }
