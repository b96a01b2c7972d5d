"""The worker's life: it ends with the app, however the app ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from playhead.providers.worker import LITELLM
from playhead.providers.worker_start import worker_command, worker_environment
from tests.support.waiting import LIMIT_S, until_now

# Starts a worker that inherits our stdin's writing end too, so that only the death signal is left.
_APP = """
import subprocess, sys, time
reader, writer = __import__("os").pipe()
worker = subprocess.Popen(sys.argv[1:], stdin=reader, stdout=subprocess.PIPE, pass_fds=[writer])
worker.stdout.readline()
print(worker.pid, flush=True)
time.sleep(600)
"""


def test_the_worker_dies_with_the_app_though_its_stdin_stays_open():
    command = [sys.executable, "-c", _APP, *worker_command()]
    environment = worker_environment(os.environ)
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as app:
        assert app.stdout is not None
        worker = os.pidfd_open(int(app.stdout.readline()))
        app.send_signal(signal.SIGKILL)
    try:
        ended, _, _ = select.select([worker], [], [], 30)
        assert ended
    finally:
        os.close(worker)


# Python runs this before anything of ours; the import of litellm does not come to its end.
_PAUSE = """
import sys, time
def pause(event, words):
    if event == "import" and words[0] == "litellm":
        open(REACHED, "w").close()
        while True:
            time.sleep(0.01)
sys.addaudithook(pause)
"""


def test_the_worker_ends_with_its_stdin_while_it_imports(tmp_path: Path):
    reached = tmp_path / "reached"
    (tmp_path / "sitecustomize.py").write_text(f"REACHED = {str(reached)!r}\n{_PAUSE}")
    environment = worker_environment(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join((str(tmp_path), environment["PYTHONPATH"]))
    with subprocess.Popen(
        [*worker_command(), LITELLM], stdin=subprocess.PIPE, env=environment
    ) as worker:
        try:
            until_now(reached.exists, LIMIT_S)
            assert worker.stdin is not None
            worker.stdin.close()
            assert worker.wait(LIMIT_S) == 0
        finally:
            worker.kill()
