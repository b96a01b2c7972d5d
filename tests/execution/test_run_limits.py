"""Runs that take more than the settings allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import RunLimits, RunRequest
from tests.support import programs
from tests.support.kernels import error_of, executor, report_of, request, run, text_of

HUNGRY = "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * 2_000_000)"
HELD = "import signal\nkept = bytearray(b'x') * 120_000_000\nsignal.pause()"
HUNGRY_CHILDREN = f"""
import subprocess, sys
children = [subprocess.Popen([sys.executable, "-c", {HELD!r}]) for _ in range(2)]
[child.wait() for child in children]
"""
"""Each of them is within the limit, which it inherits: together they are over it."""


async def test_a_run_over_its_time_is_stopped_and_the_names_stay(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        await run(made, request(tmp_path, "x = 42"))
        limited = replace(request(tmp_path, programs.FOREVER), limits=RunLimits(seconds=0.3))
        report = report_of(await run(made, limited))
        assert report.state == "interrupted"
        assert report.end == RunEnd(kind="time_limit", limit=0.3)
        assert report.seconds >= 0.3
        assert text_of(await run(made, request(tmp_path, "x"))) == "42\n"


async def test_a_run_within_its_limits_is_not_disturbed(tmp_path: Path) -> None:
    limits = RunLimits(seconds=60, memory_bytes=4_000_000_000)
    async with executor(tmp_path) as made:
        chunks = await run(made, replace(request(tmp_path, "6 * 7"), limits=limits))
    assert (report_of(chunks).state, report_of(chunks).end) == ("finished", None)


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
LIMITED = RunLimits(memory_bytes=200_000_000)


@needs_proc
async def test_a_run_whose_children_are_over_its_memory_is_stopped(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        report = report_of(
            await run(made, replace(request(tmp_path, HUNGRY_CHILDREN), limits=LIMITED))
        )
        assert report.end is not None
        assert (report.end.kind, report.end.limit) == ("memory_limit", 200_000_000)
        assert text_of(await run(made, request(tmp_path, "6 * 7"))) == "42\n"


TOO_LARGE = {
    "python": ("x = bytearray(10**10)", "MemoryError"),
    "r": ("x <- numeric(1e9)", "Error"),
    "ruby": ("x = 'a' * 2_000_000_000", "NoMemoryError"),
}


other = pytest.mark.slow_group("languages")


@needs_proc
@pytest.mark.parametrize(
    "language",
    [
        "python",
        pytest.param("r", marks=[other, pytest.mark.requires_system("Rscript")]),
        pytest.param("ruby", marks=[other, pytest.mark.requires_system("ruby")]),
    ],
)
async def test_too_large_a_step_is_an_error_that_names_the_limit(
    tmp_path: Path, language: str
) -> None:
    code, name = TOO_LARGE[language]

    def block(code: str) -> RunRequest:
        return replace(request(tmp_path, code), language=language, limits=LIMITED)

    async with executor(tmp_path) as made:
        await run(made, block("kept = 42"))
        error = error_of(await run(made, block(code)))
        assert error is not None
        assert error.name == name
        assert "This run may take 200 MB" in error.remedy
        assert "42" in text_of(await run(made, block("kept")))


@needs_proc
@pytest.mark.slow_group("languages")
@pytest.mark.requires_system("java")
async def test_a_limit_lets_programs_start_that_reserve_much(tmp_path: Path) -> None:
    code = "import subprocess\nsubprocess.run(['java', '-version'], capture_output=True).returncode"
    limits = RunLimits(memory_bytes=600_000_000)
    async with executor(tmp_path) as made:
        chunks = await run(made, replace(request(tmp_path, code), limits=limits))
    assert text_of(chunks) == "0\n"


async def test_a_limit_of_output_keeps_head_and_tail(tmp_path: Path) -> None:
    code = "for n in range(500_000):\n    print(n)"
    limits = RunLimits(output_bytes=2_000_000)
    async with executor(tmp_path) as made:
        chunks = await run(made, replace(request(tmp_path, code), limits=limits))
        path = Path(report_of(chunks).output_path or "")
        kept = path.read_text()  # noqa: ASYNC240 - a test's own file
    assert kept.startswith("0\n1\n2\n")
    assert kept.endswith("499998\n499999\n")
    assert "bytes are missing here: the limit of the settings" in kept
    assert len(kept) < 2_100_000
