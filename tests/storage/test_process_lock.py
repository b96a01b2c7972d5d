"""One process at a time, and no trouble after a killed one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from playhead.storage.process_lock import ProcessLock


def test_only_one_holds_it(tmp_path):
    first, second = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_killed_holder_leaves_it_free(tmp_path):
    code = (
        "import sys, time; from pathlib import Path;"
        "from playhead.storage.process_lock import ProcessLock;"
        "lock = ProcessLock(Path(sys.argv[1])); print(lock.acquire(), flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lock")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        lock = ProcessLock(tmp_path / "lock")
        assert not lock.acquire()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert lock.acquire()
        lock.release()
