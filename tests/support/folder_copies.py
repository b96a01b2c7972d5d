"""Folders with copies that another process works in, as code in the sandbox does."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from playhead.undo_worker.reviewed_folder import ReviewedFolder
from tests.support.file_mixes import Facts

_ROOT = Path(__file__).parents[2]
OWN_CODE = {"PYTHONPATH": f"{_ROOT}:{_ROOT / 'app'}", "PYTHONDONTWRITEBYTECODE": "1"}
"""The environment of a process that imports the code under test."""
_PROGRAM = """
import json, os, pickle, sys
from pathlib import Path
from playhead.supervisor import copies
from tests.support.file_mixes import FileMix, facts_of
found = []
copies.leave_namespaces()
for command, seed, code in json.loads(sys.stdin.read()):
    copies.cover(command)
    os.chdir(command["folder"])
    if code:
        exec(code)
        found.append((["code"], facts_of(Path(command["folder"]))))
        continue
    mix = FileMix(Path(command["folder"]), seed + 1_000_000)
    mix.run(6)
    found.append((mix.done, facts_of(Path(command["folder"]))))
sys.stdout.buffer.write(pickle.dumps(found))
"""


def copy_of(folder: ReviewedFolder, conversation: str = "conversation") -> dict[str, Any]:
    """Begin a copy, as the app does; return the command that mounts it."""
    facts = os.stat(folder.path)
    fields = folder.begin_copy(conversation)
    return {"folder": folder.path, "identity": [facts.st_dev, facts.st_ino], **fields}


def work_in(
    copies: list[tuple[dict[str, Any], int, str]],
) -> list[tuple[list[str], Facts]]:
    """Run a mix of operations, or code, in each copy; return what it did and what it then saw."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps(copies).encode(),
        stdout=subprocess.PIPE,
        env=OWN_CODE,
        check=True,
    )
    return pickle.loads(done.stdout)


def without_links(facts: Facts) -> Facts:
    """Return facts without the other names of files: a copy parts them."""
    return {path: (*one[:7], (), *one[8:]) for path, one in facts.items()}
