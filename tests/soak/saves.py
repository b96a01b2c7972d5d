"""Kills kernels at random moments while their variables are saved: `saves [N]`.

What the next kernel gets is always one whole save, and never an older one than the last that had
finished before the kill.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import tempfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.event_loop import run
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from tests.support.kernels import request, text_of
from tests.support.kernels import run as run_code
from tests.support.waiting import until

_STEP = """\
n = globals().get("n", 0) + 1
import numpy as np
numbers, words, table = np.full(300_000, n), [str(n)] * 20_000, {"n": [n], "same": None}
table["same"] = table["n"]
"""
_LOOK = """\
found = globals().get("n", 0)
whole = found == 0 or (
    {found} == set(numbers.tolist()) == {table["n"][0]} and set(words) == {str(found)}
    and table["same"] is table["n"]
)
print(found, whole)
"""


async def kill_while_saving(folder: Path, kills: int, seed: int) -> int:
    """Kill so many kernels; return how many saves had finished. Raises AssertionError."""
    chance = random.Random(seed)
    keeper = VariableKeeper(
        VariableStore(folder / "variables"), lambda: Saving(restores="always"), idle_s=0.0
    )
    made = ProcessExecutor(folder / "output", keeper=keeper)
    saved_before = finished = 0
    try:
        for _ in range(kills):
            found, whole = text_of(await run_code(made, request(folder, _LOOK))).split()
            assert whole == "True", "names of different saves came back"
            assert int(found) >= saved_before, (found, saved_before)
            for _ in range(chance.randint(1, 3)):
                await run_code(made, request(folder, _STEP))
                if chance.random() < 0.3:
                    await until(lambda: not keeper.is_waiting("conversation"))
                    saved_before = int(text_of(await run_code(made, request(folder, "print(n)"))))
                    finished += 1
            await asyncio.sleep(chance.random() * 0.12)
            pid = made.status("conversation").pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            await until(lambda: made.status("conversation").state == "none")
    finally:
        await made.close()
    return finished


def main(kills: int = 200) -> int:
    """Kill so many; return the exit status."""
    app = QCoreApplication([])
    with tempfile.TemporaryDirectory() as place:
        finished = run(kill_while_saving(Path(place), kills, random.randrange(2**32)), app)
    print(f"{kills} kernels killed, {finished} saves waited for: nothing lost, nothing mixed")
    return 0
