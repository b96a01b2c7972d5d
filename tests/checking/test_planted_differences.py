"""A check finds what was planted, and nothing where nothing was."""

from __future__ import annotations

from pathlib import Path

from tests.support.planted_differences import CLEAN, PLANTED, missed, reports_of


async def test_some_planted_differences_are_found_and_clean_notebooks_pass(tmp_path: Path) -> None:
    samples = [one for one in (*PLANTED, *CLEAN) if one.is_quick]
    assert missed(samples, await reports_of(samples, tmp_path)) == []
