"""Undoes random runs, and undoes that: files and variables are as before: `variables [N]`.

Each sequence mixes runs that make, change, share and delete variables and files with undos, redos
and moves to earlier states. After each undo that is done again at once nothing may be different,
and after all of them are done again everything is as it was.
"""

from __future__ import annotations

import random
import tempfile
import uuid
from contextlib import AsyncExitStack
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from playhead.domain.conversation.conversation import Conversation
from playhead.event_loop import run
from playhead.execution.file_watch import FileWatch
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.session.past.run_files import RunFiles
from playhead.storage.variable_store import VariableStore
from tests.support.kernels import request, text_of
from tests.support.kernels import run as run_code
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with
from tests.support.waiting import until

_NAMES = "abcdef"
_SETUP = "import os; a, b = [1], {'x': [2]}; c = b['x']; d = 'text'; e = 5\n"
_STEPS = (
    "{one} = [{number}]",
    "{one} = {other}",
    "{one} = {number}",
    "{one} = {{'in': {other}}}",
    "{one}.append({number})",
    "{one} = [{other}, {other}]",
    "del {one}",
    "{one} = list(range(3000)) + [{number}]",
    "{one} = (n for n in range({number}))",
    "class {one}:\n    x = {number}",
    "{one} = {other}()",
    "{one}.x = [{number}]",
    "{one} = lambda: {other}",
    "open('{one}.txt', 'w').write('{number}')",
    "open('{one}.txt', 'a').write('{number}')",
    "os.remove('{one}.txt')",
    "os.rename('{one}.txt', '{other}.txt')",
)
_LOOK = """\
def _look(value, seen, depth=0):
    if id(value) in seen:
        return "same %d" % seen[id(value)]
    kind = type(value).__name__
    if kind in ("int", "str", "NoneType"):
        return repr(value)
    seen[id(value)] = len(seen)
    if depth > 6:
        return kind
    if isinstance(value, (list, tuple)):
        return kind + str([_look(one, seen, depth + 1) for one in value[:5]]) + str(len(value))
    if isinstance(value, dict):
        return str({key: _look(one, seen, depth + 1) for key, one in value.items()})
    if isinstance(value, type):
        return "class %s %s" % (value.__name__, _look(value.x, seen, depth + 1))
    if kind == "function":
        return "function"
    if kind == "generator":
        return kind
    return "%s %s" % (_look(type(value), seen, depth + 1), _look(vars(value), seen, depth + 1))
_seen = {}
print({name: _look(globals()[name], _seen) for name in "abcdef" if name in globals()})
del _look, _seen
"""


class UndoneRuns:
    """A conversation with a kernel, its files and what can be undone of its runs."""

    def __init__(
        self,
        folder: Path,
        made: ProcessExecutor,
        keeper: VariableKeeper,
        files: FileWatch,
        chance: random.Random,
    ) -> None:
        self._folder, self._made, self._keeper, self._chance = folder, made, keeper, chance
        self._conversation = Conversation("conversation")
        ports = ports_with(ScriptedProvider(), RecordingExecutor())
        ports = replace(ports, files=files, saved_variables=keeper)
        self._files = RunFiles(ports, self._conversation, lambda: None, lambda: None)
        self.log: list[str] = []

    async def sequence(self, length: int) -> None:
        """Do one sequence, from a state that is set up for it."""
        self.log.clear()
        clear = "".join(f"globals().pop({name!r}, None);" for name in _NAMES)
        await self._run(clear + _SETUP)
        for _ in range(length):
            await self._step()
        undone: list[str] = []
        before = await self._state()
        for effect in self._files.left("undo")[:3]:
            undone += filter(None, [await self._undo(effect.changes.id)])
        for undo_id in reversed(undone):
            await self._redo(undo_id)
        self._expect(before, await self._state())

    def _expect(self, before: object, after: object) -> None:
        assert after == before, "\n".join([*self.log, str(before), str(after)])

    async def _step(self) -> None:
        left = self._files.left("undo")
        match self._chance.random():
            case odds if odds < 0.55 or not left:
                await self._run("".join(self._line() for _ in range(self._chance.randint(1, 4))))
            case odds if odds < 0.9:
                effect = self._chance.choice(left[:4])
                before = await self._state()
                undo_id = await self._undo(effect.changes.id)
                if undo_id and self._chance.random() < 0.7:
                    await self._redo(undo_id)
                    self._expect(before, await self._state())
            case _ if redo := self._files.left("redo"):
                await self._redo(redo[0].changes.id)
            case _:
                pass

    def _line(self) -> str:
        """Return a statement that may fail; the others are carried out all the same."""
        one, other = self._chance.choice(_NAMES), self._chance.choice(_NAMES)
        step = self._chance.choice(_STEPS)
        line = step.format(one=one, other=other, number=self._chance.randint(1, 9))
        block = "\n".join(f"    {part}" for part in line.split("\n"))
        return f"try:\n{block}\nexcept Exception:\n    pass\n"

    async def _undo(self, effect_id: str) -> str:
        done = await self._files.undo_run(effect_id)
        self.log.append(f"undo {effect_id}: {done.id} {done.variables}")
        has_variables = done.variables is not None and done.variables.names
        return done.id if done.listed or has_variables else ""

    async def _redo(self, undo_id: str) -> None:
        done = await self._files.redo_run(undo_id)
        self.log.append(f"redo {undo_id}: {done.id} {done.variables}")

    async def _run(self, code: str) -> None:
        run_id = uuid.uuid4().hex
        self.log.append(f"run {run_id}\n{code}")
        for chunk in await run_code(self._made, request(self._folder, code, run_id)):
            self._conversation.apply(chunk)
        await until(lambda: not self._keeper.is_waiting("conversation"))

    async def _state(self) -> tuple[str, dict[str, str]]:
        """Return what there is, and which names share which objects."""
        seen = await run_code(self._made, request(self._folder, _LOOK, uuid.uuid4().hex))
        found = {path.name: path.read_text() for path in sorted(self._folder.glob("*.txt"))}
        await until(lambda: not self._keeper.is_waiting("conversation"))
        return text_of(seen), found


async def undo_sequences(folder: Path, count: int, seed: int, length: int = 8) -> None:
    """Do so many sequences. Raises AssertionError with what was done."""
    async with AsyncExitStack() as parts:
        keeper = VariableKeeper(VariableStore(folder / "variables"), Saving, idle_s=0.0)
        files = FileWatch(folder / "undo", folder / "nothing")
        parts.push_async_callback(files.close)
        made = ProcessExecutor(folder / "output", keeper=keeper, files=files)
        parts.push_async_callback(made.close)
        work = folder / "work"
        work.mkdir()
        runs = UndoneRuns(work, made, keeper, files, random.Random(seed))
        for _ in range(count):
            await runs.sequence(length)


def main(count: int = 500) -> int:
    """Do so many; return the exit status."""
    app = QCoreApplication([])
    seed = random.randrange(2**32)
    with tempfile.TemporaryDirectory() as place:
        run(undo_sequences(Path(place), count, seed), app)
    print(f"{count} sequences (seed {seed}): undo of undo changes neither files nor variables")
    return 0
