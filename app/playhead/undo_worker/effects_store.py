"""Records of what runs and undos did, on the disk, below the folder of one watched folder."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from playhead.undo_worker.comparing import Step, Steps
from playhead.undo_worker.pack import Image, as_image
from playhead.undo_worker.scanning import Entries, Entry

AGE_S = 30 * 24 * 3600.0
"""Effects are kept so long."""
_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")


class Effect:
    """The effect of one run or undo: its steps, and which of the new paths are files that moved.

    `of` is the effect that it took back. `aside` maps paths that were moved away to their state:
    `waiting`, `keep` or `delete`. One that was not reported yet is not `is_reported`.
    """

    def __init__(
        self,
        id_: str,
        steps: Steps,
        moves: dict[str, str],
        conversation: str = "",
        of: str = "",
        *,
        is_reported: bool = True,
    ) -> None:
        self.id = id_
        self.steps = steps
        self.moves = moves
        self.conversation = conversation
        self.of = of
        self.aside: dict[str, str] = {}
        self.is_reported = is_reported

    def encode(self) -> str:
        """Return it as JSON."""
        fields = {name: value for name, value in vars(self).items() if name != "steps"}
        return json.dumps(fields | {"steps": self.steps})

    @staticmethod
    def decode(text: str) -> Effect:
        """Return the effect of a JSON text. Raises ValueError, KeyError or TypeError."""
        fields: dict[str, Any] = json.loads(text)
        effect = Effect(
            fields["id"],
            {path: _step(step) for path, step in fields["steps"].items()},
            fields["moves"],
            fields["conversation"],
            fields["of"],
            is_reported=fields["is_reported"],
        )
        effect.aside = fields["aside"]
        return effect


def as_entry(fields: Any) -> Entry | None:
    """Return an entry of the list that it is written as; None for none."""
    return None if fields is None else Entry(*fields)


def _step(fields: Any) -> Step:
    before, image, after = fields
    return Step(as_entry(before), as_image(image), as_entry(after))


class EffectsStore:
    """The records of one watched folder: effects, runs that have not ended, the undo under way."""

    def __init__(self, folder: Path) -> None:
        self._effects = folder / "effects"
        self._runs = folder / "runs"
        self._journal = folder / "journal"
        for one in (self._effects, self._runs):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)

    def put(self, effect: Effect) -> None:
        """Write an effect. Raises OSError."""
        write_whole(self._effects / expect_id(effect.id), effect.encode())

    def get(self, id_: str) -> Effect | None:
        """Return an effect; None if it is not kept, or damaged."""
        return self._read(self._effects / expect_id(id_))

    def _read(self, path: Path) -> Effect | None:
        try:
            return Effect.decode(path.read_text("ascii"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def all(self) -> Iterator[Effect]:
        """Yield all effects."""
        for path in list(self._effects.iterdir()):
            if (effect := self._read(path)) is not None:
                yield effect

    def images(self) -> Iterator[Image]:
        """Yield all images that an effect needs."""
        for effect in self.all():
            yield from (step.image for step in effect.steps.values() if step.image is not None)

    def drop_old(self, keep: int | None = None) -> bool:
        """Delete effects that are too old, or all but the newest ones; whether there were any."""
        found = sorted(self._effects.iterdir(), key=lambda path: path.stat().st_mtime)
        oldest = time.time() - AGE_S
        spare = len(found) - keep if keep is not None else 0
        old = [p for n, p in enumerate(found) if n < spare or p.stat().st_mtime < oldest]
        for path in old:
            path.unlink()
        return bool(old)

    def begin_run(self, run: str, conversation: str, entries: Entries) -> None:
        """Write the state before a run, for the case that nobody sees its end. Raises OSError."""
        fields = {"conversation": conversation, "entries": entries}
        (self._runs / expect_id(run)).write_text(json.dumps(fields), "ascii")

    def end_run(self, run: str) -> None:
        """Forget the state before a run."""
        (self._runs / expect_id(run)).unlink(missing_ok=True)

    def open_runs(self) -> Iterator[tuple[str, str, Entries]]:
        """Yield the runs whose end nobody has seen: id, conversation, the state before."""
        for path in sorted(self._runs.iterdir(), key=lambda path: path.stat().st_mtime):
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
                fields = json.loads(path.read_text("ascii"))
                entries = {name: Entry(*one) for name, one in fields["entries"].items()}
                yield path.name, fields["conversation"], entries

    def write_journal(self, fields: dict[str, Any]) -> None:
        """Write what an undo is about to do, before it does anything. Raises OSError."""
        write_whole(self._journal, json.dumps(fields))

    def journal(self) -> dict[str, Any] | None:
        """Return what an undo had begun to do when the worker was ended."""
        try:
            return json.loads(self._journal.read_text("ascii"))
        except (OSError, ValueError):
            return None

    def end_journal(self) -> None:
        """Forget the journal: all of it is done."""
        self._journal.unlink(missing_ok=True)


def expect_id(id_: str) -> str:
    """Return an id that can be a file's name. Raises KeyError for another one."""
    if not _ID.fullmatch(id_):
        raise KeyError(id_)
    return id_


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.rename(path)
