"""What the boundary test found is kept for this machine as it is, and for no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from playhead.domain.trust import BoundaryReport, Policy
from playhead.storage.recorded_sandbox import RecordedSandbox, machine_mark
from tests.support.ports import HELD, ReportedSandbox
from tests.support.waiting import until

UNTESTED = BoundaryReport()


def fresh() -> ReportedSandbox:
    """A sandbox as it is at a start of the program."""
    box = ReportedSandbox(UNTESTED)
    box.next_report = HELD
    return box


async def test_a_report_is_kept_over_a_restart_and_a_test_is_not_made_again(tmp_path: Path):
    path, box = tmp_path / "boundary.json", fresh()
    first = RecordedSandbox(box, path)
    await first.test_if_due()
    assert box.tests == 1
    again = RecordedSandbox(fresh(), path)
    seen: list[BoundaryReport] = []
    again.subscribe(seen.append)
    assert again.report == UNTESTED
    await again.load()
    await again.test_if_due()
    assert again.report == HELD
    assert seen == [HELD]
    assert path.stat().st_mode & 0o077 == 0


async def test_who_waits_for_a_test_that_is_held_back_gets_what_it_found(tmp_path: Path):
    box = fresh()
    box.may_end.clear()
    recorded = RecordedSandbox(box, tmp_path / "boundary.json")
    await recorded.settled(is_needed=False)  # nothing is expected
    recorded.expect_test()
    waiting = asyncio.create_task(recorded.settled(is_needed=False))
    test = asyncio.create_task(recorded.test_if_due())
    await until(lambda: box.tests == 1)
    assert not waiting.done()
    box.may_end.set()
    await waiting
    assert recorded.report == HELD
    await test
    recorded.expect_test()
    recorded.expect_nothing()  # the start has failed
    await recorded.settled(is_needed=False)


async def test_another_machine_a_damaged_file_and_a_missing_sandbox_are_untested(tmp_path: Path):
    path = tmp_path / "boundary.json"
    await RecordedSandbox(fresh(), path, lambda: "here").test()
    elsewhere = RecordedSandbox(fresh(), path, lambda: "there")
    await elsewhere.load()
    assert elsewhere.report == UNTESTED
    for damage in (b"", b"{", b'{"machine": 3}', b"\xff" * 2_000_000):
        path.write_bytes(damage)
        damaged = RecordedSandbox(fresh(), path)
        await damaged.load()
        assert damaged.report == UNTESTED
    box = fresh()
    box.next_report = replace(UNTESTED, problem="There is no bubblewrap.")
    missing = RecordedSandbox(box, path)
    await missing.test()
    assert not path.exists()
    assert "bubblewrap" in str(missing.why_not(Policy(files="folder", network="off"), "/work"))
    assert missing.why_not(Policy(), "/work") is None


def test_the_mark_changes_with_the_program_that_builds_the_view(tmp_path: Path, monkeypatch):
    builder = tmp_path / "bwrap"
    builder.write_text("#!/bin/sh\n")
    builder.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    before = machine_mark()
    assert before == machine_mark()
    builder.write_text("#!/bin/sh\n# newer\n")
    assert machine_mark() != before
