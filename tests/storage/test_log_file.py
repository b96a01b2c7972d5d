import logging

from playhead.storage.log_file import RotatedFile


def test_a_log_that_is_long_enough_goes_on_in_a_new_file_and_three_are_kept(tmp_path):
    log = RotatedFile(tmp_path / "playhead.log", limit_bytes=100)
    for number in range(60):
        log.handle(logging.makeLogRecord({"msg": f"{number} {'x' * 40}"}))
    log.close()
    files = ["playhead.log", "playhead.log.1", "playhead.log.2", "playhead.log.3"]
    assert sorted(path.name for path in tmp_path.iterdir()) == files[1:]
    last = (tmp_path / "playhead.log.1").read_text("utf-8").splitlines()
    assert [line.partition(" ")[0] for line in last] == ["57", "58", "59"]


def test_a_log_that_cannot_be_kept_does_not_stop_what_it_is_of(tmp_path, capsys):
    log = RotatedFile(tmp_path / "playhead.log", limit_bytes=10)
    for name in ("playhead.log.2", "playhead.log.3"):
        (tmp_path / name / "of another").mkdir(parents=True)
    log.handle(logging.makeLogRecord({"msg": "longer than the limit"}))
    log.close()
    assert "longer than the limit" in (tmp_path / "playhead.log").read_text("utf-8")
    assert "Error" in capsys.readouterr().err
