"""Records of what runs and undos did, on the disk, below the folder of one watched folder."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from playhead.undo_worker.applying import move_folder, remove
from playhead.undo_worker.comparing import Step, Steps, as_entry
from playhead.undo_worker.pack import Image, as_image
from playhead.undo_worker.scanning import FOLDER_FLAGS, Entries, Entry, Tree

AGE_S = 30 * 24 * 3600.0
"""Effects are kept so long."""
_COPIED_BYTES = 2_000_000_000
"""A larger environment stays where it is if Playhead's data are on another file system."""
_RECENT = 2
"""So many effects are also kept in memory."""
_ID = re.compile(r"[0-9a-zA-Z-]{1,64}")


class Effect:
    """The effect of one run or undo: its steps, and which of the new paths are files that moved.

    `of` is the effect that it took back. `aside` maps paths that were moved away to their state:
    `waiting`, `keep` or `delete`, or `folder` for one that only held such files. `is_whole`: it
    took all of that effect back. `is_bounded`: the run was in a sandbox.
    """

    def __init__(
        self,
        id_: str,
        steps: Steps,
        moves: dict[str, str],
        conversation: str = "",
        of: str = "",
        *,
        is_whole: bool = False,
        is_bounded: bool = False,
    ) -> None:
        self.id = id_
        self.steps = steps
        self.moves = moves
        self.conversation = conversation
        self.of = of
        self.aside: dict[str, str] = {}
        self.is_whole = is_whole
        self.is_bounded = is_bounded

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
            is_whole=fields["is_whole"],
            is_bounded=fields["is_bounded"],
        )
        effect.aside = fields["aside"]
        return effect


def _step(fields: Any) -> Step:
    before, image, after = fields
    return Step(as_entry(before), as_image(image), as_entry(after))


class Before(NamedTuple):
    """The state before a run of a conversation; `at_ns` 0 if it is not known when that was."""

    conversation: str
    is_bounded: bool
    entries: Entries
    at_ns: int = 0


class EffectsStore:
    """The records of one watched folder: effects, runs that have not ended, the undo under way."""

    def __init__(self, folder: Path) -> None:
        self._effects = folder / "effects"
        self._runs = folder / "runs"
        self._unreported = folder / "unreported"
        self._journal = folder / "journal"
        for one in (self._effects, self._runs, self._unreported):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._recent: dict[str, Effect] = {}
        self._late: Effect | None = None

    def put(self, effect: Effect) -> None:
        """Write an effect. Raises OSError."""
        write_whole(self._effects / expect_id(effect.id), effect.encode())
        self._remember(effect)

    def put_late(self, effect: Effect) -> None:
        """Know an effect, which `write_late` writes."""
        self._late = effect
        self._remember(effect)

    def write_late(self) -> None:
        """Write the effect that was put late, and forget the journal. Raises OSError."""
        effect, self._late = self._late, None
        if effect is not None:
            self.put(effect)
            self.end_journal()

    def _remember(self, effect: Effect) -> None:
        self._recent.pop(effect.id, None)
        self._recent[effect.id] = effect
        for id_ in list(self._recent)[:-_RECENT]:
            del self._recent[id_]

    def get(self, id_: str) -> Effect | None:
        """Return an effect; None if it is not kept, or damaged."""
        effect = self._recent.get(id_) or self._read(self._effects / expect_id(id_))
        if effect is not None:
            self._remember(effect)
        return effect

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

    def begin_run(self, run: str, before: Before) -> None:
        """Write the state before a run, for the case that nobody sees its end. Raises OSError."""
        (self._runs / expect_id(run)).write_text(json.dumps(before), "ascii")

    def end_run(self, run: str) -> None:
        """Forget the state before a run."""
        (self._runs / expect_id(run)).unlink(missing_ok=True)

    def open_runs(self) -> Iterator[tuple[str, Before | None]]:
        """Yield the runs whose end nobody has seen; what was not written whole is None."""
        for path in sorted(self._runs.iterdir(), key=lambda path: path.stat().st_mtime):
            before = None
            with suppress(OSError, ValueError, TypeError, AttributeError):
                conversation, is_bounded, entries, *at = json.loads(path.read_text("ascii"))
                known = {name: Entry(*one) for name, one in entries.items()}
                before = Before(conversation, is_bounded, known, *at)
            yield path.name, before

    def report_later(self, effect: Effect) -> None:
        """Have an effect be among those that were not reported. Raises OSError."""
        (self._unreported / expect_id(effect.id)).write_text(effect.conversation, "utf-8")

    def take_unreported(self, conversation: str) -> Iterator[Effect]:
        """Yield the effects of a conversation that were not reported, once."""
        for path in sorted(self._unreported.iterdir(), key=lambda path: path.stat().st_mtime):
            if path.read_text("utf-8") == conversation:
                path.unlink()
                if (effect := self.get(path.name)) is not None:
                    yield effect

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


class Shelf:
    """Owner of the folders that were moved away, below `folder`, by the effect and their path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        self._fd = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def take(self, tree: Tree, path: str, effect_id: str, was: Entry | None = None) -> None:
        """Move a folder away. Raises OSError; with EFBIG one that would have to be copied.

        `was`: the empty folder that was in its place before, and is there again.
        """
        source, name = tree.place(path)
        _move(source, name, self._fd, _name_of(effect_id, path))
        tree.forget(path)
        if was is not None:
            os.mkdir(name, 0o700, dir_fd=source)
            fd = os.open(name, FOLDER_FLAGS, dir_fd=source)
            try:
                os.fchmod(fd, was.mode)
                os.utime(fd, ns=(was.mtime_ns, was.mtime_ns))
            finally:
                os.close(fd)

    def put_back(self, tree: Tree, path: str, effect_id: str) -> None:
        """Move a folder to where it was. Raises OSError, also if something else is there."""
        with suppress(OSError):  # it may have been an empty folder before
            os.rmdir(tree.place(path)[1], dir_fd=tree.place(path)[0])
        if tree.look(path) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        target, name = tree.place(path)
        _move(self._fd, _name_of(effect_id, path), target, name)

    def delete(self, effect_id: str, path: str) -> None:
        """Delete a folder that was moved away."""
        with suppress(OSError):
            remove(self._fd, _name_of(effect_id, path))

    def shrink(self, effects: Container[str]) -> None:
        """Delete the folders of effects that are not kept any more."""
        for name in os.listdir(self._folder):
            if name.rpartition(".")[0] not in effects:
                with suppress(OSError):
                    remove(self._fd, name)

    def close(self) -> None:
        """Close the folder."""
        os.close(self._fd)


def _move(source: int, name: str, target: int, new_name: str) -> None:
    """Move a folder, whatever file system it is on. Raises OSError."""
    try:
        os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        move_folder(source, name, target, new_name, _COPIED_BYTES)


def _name_of(effect_id: str, path: str) -> str:
    return f"{effect_id}.{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"
