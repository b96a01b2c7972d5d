from __future__ import annotations

from pathlib import Path

import pytest

from playhead.execution.run_output import TAIL_LIMIT, RunOutput, file_name


def test_short_output_is_shown_as_it_is_and_leaves_no_file(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt")
    assert output.add("hello\n") == "hello\n"
    assert output.close() == ""
    assert output.path is None
    assert list(tmp_path.iterdir()) == []


def test_long_output_shows_its_head_and_tail_and_keeps_all_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.txt"
    output = RunOutput(path, shown=1000)
    text = "".join(f"line {number}\n" for number in range(50_000))
    shown = "".join(output.add(text[at : at + 777]) for at in range(0, len(text), 777))
    rest = output.close()
    assert shown.startswith(text[:1000])
    assert len(shown) < 1200
    assert rest.endswith(text[-TAIL_LIMIT:])
    assert f"{len(text) - 1000 - TAIL_LIMIT:,} bytes not shown, whole output in {path}" in rest
    assert path.read_text() == text
    assert output.path == str(path)


def test_a_little_more_than_is_shown_loses_nothing(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=10)
    head = output.add("0123456789abc")
    assert head.startswith("0123456789")
    assert output.close() == "abc"


def test_the_file_has_a_limit_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    output = RunOutput(path, shown=10, kept=100)
    output.add("x" * 200_000)
    assert "the first" in output.close()
    assert path.stat().st_size == 100


def test_a_disk_that_takes_nothing_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where a folder should be")
    output = RunOutput(tmp_path / "blocked" / "run.txt", shown=10)
    assert output.add("0123456789" + "x" * 200_000).startswith("0123456789")
    assert "could not be kept" in output.close()
    assert output.path is None


def test_a_run_id_cannot_lead_out_of_the_folder() -> None:
    assert file_name("../../etc/passwd") == "______etc_passwd"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full_ends_no_run(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.symlink_to("/dev/full")
    output = RunOutput(path, shown=10)
    output.add("x" * (TAIL_LIMIT + 100))
    rest = output.close()
    assert "could not be kept: No space left on device" in rest
    assert output.path is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_does_not_matter_to_output_that_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.symlink_to("/dev/full")
    output = RunOutput(path)
    assert output.add("hello\n") == "hello\n"
    assert output.close() == ""
