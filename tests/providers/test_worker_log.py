"""The worker's log keeps to its size."""

from __future__ import annotations

from pathlib import Path

from playhead.providers import worker


def test_a_full_log_is_put_aside_once_and_a_new_one_begun(tmp_path: Path):
    log = tmp_path / "model.log"
    log.write_text("x" * (worker.LOG_LIMIT_BYTES + 1), encoding="utf-8")
    for text in ("one", "two"):
        worker._append(log, text)
    assert log.read_text(encoding="utf-8") == "one\ntwo\n"
    assert (tmp_path / "model.log.1").stat().st_size > worker.LOG_LIMIT_BYTES
