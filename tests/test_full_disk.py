"""A disk that fills up under the running program: said, asked about at the end, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.namespaces import with_mount

ROOT = Path(__file__).parents[1]
SMALL = (
    "mount -t tmpfs -o size=6m none {place} && mkdir {place}/config &&"
    ' echo \'{{"interpreter": "/usr/bin/python3"}}\' > {place}/config/settings.json'
)


def test_what_a_full_disk_refused_is_saved_when_there_is_room_and_closing_asks_before(tmp_path):
    program = [sys.executable, str(ROOT / "tests" / "data" / "watched_full_disk.py")]
    place = tmp_path / "disk"
    command = with_mount(place, SMALL, [*program, "--data-dir", str(place)])
    done = subprocess.run(
        command,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "QT_QPA_PLATFORM": "offscreen",
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)]),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *banners, question = json.loads(done.stdout.splitlines()[-1])
    (words,) = [detail for title, detail in banners if "not being saved" in title]
    assert "The disk is full: free some space." in words
    assert "are not saved" in question[0]
    assert "Playhead saves by itself" in question[1]
