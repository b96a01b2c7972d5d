"""What a copy of the folder costs, and to apply it; one JSON line.

To apply is timed with 10,000 files that code changed, created or deleted: the worst of the three,
each the best of its turns, in processor time. Files are created in memory where that keeps what a
copy needs: ext4 does not give the number of a deleted file again for a minute or more, and looks at
each of them for a new one, so that a turn there costs up to three times what the one before did,
and what it costs depends on where on the disk the folder and its copy happen to be.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from playhead.domain.execution import RunRequest
from playhead.domain.trust import Policy
from playhead.event_loop import run
from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.undo_worker.reviewed_folder import ReviewedFolder
from tests.support.folder_copies import copy_of, work_in

FILES, TURNS, COPY_TURNS = 10_000, 3, 9
PLAIN = Policy()
REVIEWED = Policy(files="folder", network="off", is_reviewed=True)
WORK = {
    "changed": "for n in range({files}): open(f'{{n % 100}}/{{n}}', 'w').write('after' * 300)",
    "created": "for n in range({files}): open(f'{{n % 100}}/new{{n}}', 'w').write('x' * 1500)",
    "deleted": "for n in range({files}): os.unlink(f'{{n % 100}}/{{n}}')",
}
CREATE = """import os, time, shutil
os.mkdir('made')
began = time.perf_counter()
for n in range(1500):
    with open(f'made/{n}', 'w') as file: file.write('x' * 1000)
    with open(f'made/{n}') as file: file.read()
print(time.perf_counter() - began)
shutil.rmtree('made')"""


def apply_figures(home: Path) -> dict[str, float]:
    """Milliseconds of looking, applying and undoing, by what the code did."""
    found: dict[str, float] = {}
    for name, code in WORK.items():
        folder, store = home / name, home / f"{name}.store"
        folder.mkdir()
        store.mkdir()
        for number in range(100):
            (folder / f"{number}").mkdir()
        for number in range(FILES):
            (folder / f"{number % 100}/{number}").write_text("before" * 200)
        watched = ReviewedFolder(str(folder), store, None)
        watched.before("run", "conversation", 60)
        work_in([(copy_of(watched), 0, code.format(files=FILES))])
        for _ in range(TURNS):
            watched.before("run", "conversation", 60)
            _time(found, "review_ms", watched.review, "conversation")
            applied = _time(found, f"apply_{name}_ms", watched.apply, "conversation", [])
            _time(found, f"undo_of_{name}_ms", watched.undo, applied["id"], [])
        watched.close()
    return found | {"apply_ms": max(found[f"apply_{name}_ms"] for name in WORK)}


def _time(
    found: dict[str, float], name: str, act: Callable[..., dict[str, Any]], *arguments: object
) -> dict[str, Any]:
    began = time.process_time()  # one process does all of it, and others need not wait
    result = act(*arguments)
    taken = (time.process_time() - began) * 1000
    found[name] = round(min(taken, found.get(name, taken)), 1)
    return result


async def copy_ratio(home: Path) -> float:
    """The time to create and read small files in a copy, over that without a sandbox."""
    folder, data = home / "work", home / "data"
    folder.mkdir()
    files = FileWatch(data / "undo", data)
    places = PrivatePlaces(home=str(home), homes=data / "homes")
    executor = ProcessExecutor(data / "output", files=files, sandbox=Sandbox(places))

    async def taken(policy: Policy) -> float:
        request = RunRequest(
            run_id=f"run-{time.time_ns()}",
            conversation_id=policy.files,
            language="python",
            code=CREATE,
            folder=str(folder),
            interpreter=sys.executable,
            policy=policy,
            shows_lines=False,
        )
        async with aclosing(executor.run(request)) as chunks:
            said = [str(chunk.content) async for chunk in chunks if chunk.format == "output"]
        return float("".join(said))

    try:
        turns = [(await taken(PLAIN), await taken(REVIEWED)) for _ in range(COPY_TURNS)]
    finally:
        await executor.close()
        await files.close()
    return round(min(copy for _, copy in turns) / min(plain for plain, _ in turns), 2)


def review_figures(application: QCoreApplication) -> dict[str, float]:
    """Return all of these figures."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # the disk's time is its own
    with tempfile.TemporaryDirectory(dir=memory) as place:
        found = apply_figures(Path(place))
    home = memory if memory and _keeps_attributes(memory) else os.environ.get("HOME")
    with tempfile.TemporaryDirectory(dir=home) as place:
        found["copy_create_ratio"] = run(copy_ratio(Path(os.path.realpath(place))), application)
    return found


def _keeps_attributes(folder: str) -> bool:
    """Return whether overlayfs can have its layer there (in memory from Linux 6.6 on)."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        try:
            os.setxattr(file.name, "user.playhead", b"1")
        except OSError:
            return False
    return True


if __name__ == "__main__":
    print(json.dumps(review_figures(QCoreApplication([]))))
