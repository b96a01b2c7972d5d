"""The saved variables of conversations on the disk, each file of them authenticated.

A pickle is code. So a kernel gets one only after it was found to be, bit by bit, what a kernel of
the same conversation has written: the name of a file is a keyed hash of its content, and each list
of such files, a checkpoint, has a keyed hash of its own. The key is in a file that only the user
may read, which the sandbox hides. There is a checkpoint for each run, the newest counts for the
next kernel; what has not changed is in the files that are there already. A file that was cut off,
as by a crash, is not used: the checkpoint before it is.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import hmac
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.atomic_file import read_plain
from playhead.domain.conversation.payloads import VariableChanges
from playhead.domain.saved_variables import (
    Checkpoint,
    Origin,
    SavedGroup,
    SavedName,
    changes_between,
)

_KEY_BYTES = 32
_CHECKPOINT = "checkpoint-"
_CHECKPOINT_LIMIT = 32_000_000
"""A longer list of names is neither written nor read; the checkpoint before it counts."""
_BUDGET = 5_000_000_000
_SHARE_OF_FREE = 10
_ROOM = 95
_PIECE = 1 << 20
_PLAN = "restored.json"
_MOST_KEYS = 2_000
_COUNTED_S = 60.0
"""Other processes store, too: the size of all is counted again after so long."""


class _Entry(Struct, frozen=True, kw_only=True):
    """A checkpoint's head; its names and groups follow, or are those of the entry `same`."""

    number: int
    at: float
    origin: Origin
    bounds: str
    changes: VariableChanges | None
    blobs: tuple[str, ...]
    same: int = 0

    @property
    def holder(self) -> int:
        """Return the number of the entry that has its names and groups."""
        return self.same or self.number


class _Shelf:
    """The checkpoints of one conversation, the oldest first, as they are known here."""

    def __init__(self) -> None:
        self.entries: dict[int, _Entry] = {}
        self.newest: Checkpoint | None = None
        self.blobs: dict[tuple[str, str], str] = {}
        self.is_swept = False

    def learn(self, checkpoint: Checkpoint) -> None:
        """Remember which files have which content, for kernels in the same sandbox."""
        for group in checkpoint.groups:
            self.blobs[group.key, checkpoint.bounds] = group.blob
        while len(self.blobs) > _MOST_KEYS:
            del self.blobs[next(iter(self.blobs))]

    def find(self, effect_id: str) -> _Entry | None:
        """Return the newest checkpoint of a run or undo."""
        found = (one for one in reversed(self.entries.values()) if one.origin.id == effect_id)
        return next(found, None)

    @property
    def last(self) -> _Entry | None:
        """Return the newest one."""
        return next(reversed(self.entries.values()), None)

    def used(self) -> set[str]:
        """Return the files that some checkpoint lists."""
        return {blob for entry in self.entries.values() for blob in entry.blobs}


class VariableStore:
    """Owner of a folder with one folder per conversation; any thread may call it.

    `budget` is what all of them may take in bytes, and never more than a tenth of the free disk:
    the oldest checkpoints go first, the last one of a conversation only with the conversation.
    """

    def __init__(self, folder: Path, budget: int = _BUDGET) -> None:
        self._folder = folder
        self._budget = budget
        self._using = threading.RLock()
        self._key = b""
        self._shelves: dict[str, _Shelf] = {}
        self._total, self._counted_at = 0, -_COUNTED_S
        self._seen: dict[str, tuple[int, ...]] = {}

    def limit(self) -> int:
        """Return how many bytes one conversation may take now."""
        with suppress(OSError):
            free = shutil.disk_usage(self._folder if self._folder.exists() else "/").free
            return max(0, min(self._budget, (free + self._size()) // _SHARE_OF_FREE))
        return 0

    def read(self, conversation_id: str) -> Checkpoint | None:
        """Return what counts for the next kernel; None if there is nothing that we have written."""
        with self._using:
            shelf = self._shelf(conversation_id)
            if shelf.newest is None and shelf.last is not None:
                shelf.newest = self._read_entry(conversation_id, shelf.last)
                if shelf.newest is not None:
                    shelf.learn(shelf.newest)
            return shelf.newest

    def find(self, conversation_id: str, effect_id: str) -> Checkpoint | None:
        """Return the state after a run or an undo; that before all of them for ''."""
        with self._using:
            newest = self.read(conversation_id)
            if newest is None or newest.origin.id == effect_id:
                return newest
            if not effect_id:
                return Checkpoint(conversation_id=conversation_id, at=0.0, python=newest.python)
            entry = self._shelf(conversation_id).find(effect_id)
            return self._read_entry(conversation_id, entry) if entry is not None else None

    def origins(self, conversation_id: str) -> list[tuple[Origin, VariableChanges | None]]:
        """Return what was saved after, the oldest first, with the changes of each."""
        with self._using:
            entries = self._shelf(conversation_id).entries.values()
            return [(one.origin, one.changes) for one in entries]

    def known(self, conversation_id: str, bounds: str) -> list[str]:
        """Return the keys of the contents that a kernel in a sandbox need not write again."""
        with self._using:
            self.read(conversation_id)
            blobs = self._shelf(conversation_id).blobs
            return [key for key, inside in blobs if inside in ("", bounds)]

    def take(
        self,
        conversation_id: str,
        found: Mapping[str, Any],
        fetch: Callable[[str, Path, int], bool],
        bounds: str = "",
        origin: Origin | None = None,
        base: Checkpoint | None = None,
        living: Checkpoint | None = None,
    ) -> Checkpoint:
        """Keep what a kernel has saved; `fetch` moves a file out. `base` is what it was before.

        An answer that names what is gone has only the names that are not as in `living`.
        Raises ValueError where the kernel's answer is not one, OSError where nothing can be kept.
        """
        with self._using:
            self.read(conversation_id)
            self._sweep(conversation_id)
            names = msgspec.convert(found["names"], tuple[SavedName, ...])
            if living is not None and (gone := found["gone"]) is not None:
                changed = {one.name for one in names}.union(gone)
                names = (*(one for one in living.names if one.name not in changed), *names)
            groups = msgspec.convert(found["groups"], tuple[SavedGroup, ...])
            place, blobs = str(self._place(conversation_id)), self._shelf(conversation_id).blobs
            taken: list[SavedGroup] = []
            for row, group in zip(found["groups"], groups, strict=True):
                blob = self._take_file(conversation_id, row["file"], fetch) if row["file"] else ""
                blob = blob or blobs.get((group.key, bounds)) or blobs.get((group.key, ""), "")
                if not blob or not os.path.exists(f"{place}{os.sep}{blob}"):
                    for known in [key for key, one in blobs.items() if one == blob]:
                        del blobs[known]  # else no kernel would ever write it again
                    raise ValueError(f"no file of {', '.join(group.names)}")
                taken.append(replace(group, blob=blob))
            checkpoint = Checkpoint(
                conversation_id=conversation_id,
                at=time.time(),
                python=str(found["python"]),
                names=names,
                groups=tuple(taken),
                bounds=bounds,
                origin=origin or Origin(),
            )
            changes = changes_between(base, checkpoint) if base is not None else None
            return self.put(replace(checkpoint, changes=changes))

    def put(self, checkpoint: Checkpoint) -> Checkpoint:
        """Store a checkpoint, whose files are here already, as the newest. Raises OSError."""
        with self._using:
            before = self.read(checkpoint.conversation_id)
            shelf = self._shelf(checkpoint.conversation_id)
            last = shelf.last
            is_same = before is not None and _state(before) == _state(checkpoint)
            entry = _Entry(
                number=last.number + 1 if last is not None else 1,
                at=checkpoint.at,
                origin=checkpoint.origin,
                bounds=checkpoint.bounds,
                changes=checkpoint.changes,
                blobs=tuple({group.blob for group in checkpoint.groups}),
                same=last.holder if last is not None and is_same else 0,
            )
            self._write_entry(checkpoint, entry)
            shelf.entries[entry.number] = entry
            shelf.newest = checkpoint
            shelf.learn(checkpoint)
            self._make_room(checkpoint.conversation_id)
            return checkpoint

    def lay_out(
        self,
        checkpoint: Checkpoint,
        folder: Path,
        names: frozenset[str] | None = None,
        *,
        is_copied: bool = True,
    ) -> tuple[dict[str, Any], list[SavedName]]:
        """Put files that are as they were written into a kernel's folder, for these names or all.

        Unless they are to be copied the kernel reads them where they are: one in no sandbox can.
        Return the plan that lists them, and the names whose files are not what we have written.
        """
        rows = {one.name: one for one in checkpoint.names if names is None or one.name in names}
        groups: list[dict[str, Any]] = []
        lost: list[SavedName] = []
        for number, group in enumerate(checkpoint.groups):
            wanted = [name for name in group.names if name in rows]
            file = f"restored-{number}.values"
            if not wanted:
                continue
            if not is_copied and (path := self._checked(checkpoint.conversation_id, group.blob)):
                file = str(path)
            elif not self._copy_checked(checkpoint.conversation_id, group.blob, folder / file):
                file = ""
            if file:
                fields = {"key": group.key, "size": group.size, "is_sealed": group.is_sealed}
                groups.append({"file": file, "names": wanted, **fields})
            else:
                gone = (replace(rows.pop(name), verdict="lost", why="missing") for name in wanted)
                lost += gone
        listed = [msgspec.to_builtins(one) for one in rows.values()]
        plan = {
            "python": checkpoint.python,
            "delete": [],
            "rows": listed,
            "imports": [one for one in listed if one["verdict"] == "import"],
            "classes": [one for one in listed if one["verdict"] == "source"],
            "groups": groups,
        }
        return plan, lost

    def write_plan(self, plan: Mapping[str, Any], folder: Path) -> str:
        """Write a plan beside its files; return its name."""
        path = folder / _PLAN
        path.unlink(missing_ok=True)  # code that runs there may have put a link in its place
        with open(path, "x", encoding="ascii") as file:
            json.dump(plan, file)
        return _PLAN

    def clear_away(self, plan: Mapping[str, Any], folder: Path) -> None:
        """Delete a plan and its files once they were read."""
        for name in (_PLAN, *(group["file"] for group in plan["groups"])):
            if os.path.basename(name) == name:
                with suppress(OSError):
                    (folder / name).unlink()

    def delete(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation."""
        with self._using:
            self._shelves.pop(conversation_id, None)
            self._counted_at = -_COUNTED_S
            shutil.rmtree(self._place(conversation_id), ignore_errors=True)

    def _shelf(self, conversation_id: str) -> _Shelf:
        """Return the checkpoints of a conversation, which are read once."""
        if (shelf := self._shelves.get(conversation_id)) is None:
            shelf = self._shelves[conversation_id] = _Shelf()
            for number in _numbers(self._place(conversation_id)):
                if (entry := self._parts(conversation_id, number)) is not None:
                    shelf.entries[number] = entry[0]
        return shelf

    def _parts(self, conversation_id: str, number: int) -> tuple[_Entry, bytes] | None:
        """Return an entry and what follows it; None if it is not as we have written it."""
        with suppress(OSError, msgspec.MsgspecError, UnicodeError, ValueError):
            path = self._place(conversation_id) / f"{_CHECKPOINT}{number}"
            data = read_plain(path, _CHECKPOINT_LIMIT) or b""
            first, _, body = data.partition(b"\n")
            mac, _, length = first.partition(b" ")
            expected = self._mac(conversation_id, "checkpoint").update_with(length + b" " + body)
            if hmac.compare_digest(mac, expected.encode("ascii")):
                entry = msgspec.json.decode(body[: int(length)], type=_Entry)
                return (entry, body[int(length) :]) if entry.number == number else None
        return None

    def _read_entry(self, conversation_id: str, entry: _Entry) -> Checkpoint | None:
        parts = self._parts(conversation_id, entry.holder)
        if parts is None:
            return None
        with suppress(msgspec.MsgspecError):
            state = msgspec.json.decode(parts[1], type=Checkpoint)
            return replace(state, origin=entry.origin, changes=entry.changes, at=entry.at)
        return None

    def _write_entry(self, checkpoint: Checkpoint, entry: _Entry) -> None:
        """Write the one file of a checkpoint; it is not synced, but found out when it is cut."""
        place = self._place(checkpoint.conversation_id)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        head = msgspec.json.encode(entry)
        rest = b"" if entry.same else msgspec.json.encode(replace(checkpoint, changes=None))
        length = str(len(head)).encode()
        mac = self._mac(checkpoint.conversation_id, "checkpoint")
        first = mac.update_with(length + b" " + head + rest).encode() + b" " + length + b"\n"
        if len(first) + len(head) + len(rest) > _CHECKPOINT_LIMIT:  # nobody would read it again
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), "a list of too many variables")
        draft = place / "draft"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(draft, flags, 0o600), "wb") as file:
            file.write(first + head + rest)
        os.replace(draft, place / f"{_CHECKPOINT}{entry.number}")
        self._total += len(first) + len(head) + len(rest)

    def _place(self, conversation_id: str) -> Path:
        return self._folder / _folder_name(conversation_id)

    def _places(self) -> list[Path]:
        with suppress(OSError):
            return [one for one in self._folder.iterdir() if one.is_dir() and len(one.name) == 32]
        return []

    def _mac(self, conversation_id: str, kind: str) -> _Mac:
        return _Mac(self._secret(), f"{kind}\n{conversation_id}\n".encode())

    def _secret(self) -> bytes:
        """Return the key; it is made when it is first needed."""
        if self._key:
            return self._key
        path = self._folder / "key"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.write(descriptor, os.urandom(_KEY_BYTES))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        key = read_plain(path, _KEY_BYTES) or b""
        if len(key) != _KEY_BYTES:  # made by a process that was killed: nothing was kept by it
            path.unlink()
            return self._secret()
        self._key = key
        return key

    def _take_file(
        self, conversation_id: str, name: str, fetch: Callable[[str, Path, int], bool]
    ) -> str:
        """Take a file out of the kernel's folder; return the name that its content gives it."""
        place = self._place(conversation_id)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        arrived = place / "arrived"
        if not fetch(name, arrived, self._budget):
            return ""
        descriptor = os.open(arrived, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            size = os.fstat(descriptor).st_size
            mac = self._mac(conversation_id, "values")
            blob = mac.update_with_all(_pieces(descriptor))
        finally:
            os.close(descriptor)
        os.chmod(arrived, 0o600)
        self._total += 0 if (place / blob).exists() else size
        os.replace(arrived, place / blob)
        with open(place / blob, "rb") as file:
            self._seen[blob] = _signature(file.fileno())
        return blob

    def _checked(self, conversation_id: str, blob: str) -> Path | None:
        """Return a file that is as we have written it; it is read again only if it was touched."""
        path = (self._place(conversation_id) / os.path.basename(blob)).absolute()
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                if self._seen.get(blob) == (seen := _signature(descriptor)):
                    return path
                mac = self._mac(conversation_id, "values")
                if hmac.compare_digest(mac.update_with_all(_pieces(descriptor)), blob):
                    self._seen[blob] = seen
                    return path
            finally:
                os.close(descriptor)
        return None

    def _copy_checked(self, conversation_id: str, blob: str, target: Path) -> bool:
        mac = self._mac(conversation_id, "values")
        path = self._place(conversation_id) / os.path.basename(blob)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
        target.unlink(missing_ok=True)
        try:
            descriptor = os.open(path, flags)
            try:
                with open(target, "xb") as copy:
                    found = mac.update_with_all(_copied(_pieces(descriptor), copy.write))
            finally:
                os.close(descriptor)
        except OSError:
            found = ""
        is_ours = hmac.compare_digest(found, blob)
        if not is_ours:
            target.unlink(missing_ok=True)
        return is_ours

    def _make_room(self, conversation_id: str) -> None:
        """Delete the oldest checkpoints over the budget, then the oldest conversations."""
        limit = self.limit()
        if self._size() <= limit:
            return
        limit = limit * _ROOM // 100  # not to look through all of them at each save
        own = self._place(conversation_id)
        places = {place: _unchecked_entries(place) for place in self._places()}
        older = (
            (group[-1].at, str(place), group)
            for place, entries in places.items()
            for group in _families(entries)[:-1]
        )
        for _, name, group in sorted(older, key=lambda one: one[:2]):
            if self._size() <= limit:
                return
            self._drop(Path(name), group, places[Path(name)])
        for place in sorted(places, key=_changed_at):
            if place == own:
                continue
            if self._size() <= limit:
                return
            self._total -= _folder_size(place)
            self._forget(place)
            shutil.rmtree(place, ignore_errors=True)

    def _drop(self, place: Path, group: list[_Entry], entries: dict[int, _Entry]) -> None:
        """Delete checkpoints, and then the files that no other one lists."""
        for entry in group:
            del entries[entry.number]
            self._unlink(place / f"{_CHECKPOINT}{entry.number}")
        used = {blob for entry in entries.values() for blob in entry.blobs}
        for blob in {blob for entry in group for blob in entry.blobs} - used:
            self._unlink(place / os.path.basename(blob))
        self._forget(place, [entry.number for entry in group])

    def _forget(self, place: Path, numbers: list[int] | None = None) -> None:
        """Forget what is known of a conversation, or these checkpoints of it."""
        owner = next((one for one in self._shelves if self._place(one) == place), None)
        if owner is not None and numbers is None:
            del self._shelves[owner]
        elif owner is not None:
            shelf = self._shelves[owner]
            for number in numbers or ():
                shelf.entries.pop(number, None)
            used = shelf.used()
            shelf.blobs = {key: blob for key, blob in shelf.blobs.items() if blob in used}

    def _unlink(self, path: Path) -> None:
        with suppress(OSError):
            size = path.lstat().st_size
            path.unlink()
            self._seen.pop(path.name, None)
            self._total -= size

    def _sweep(self, conversation_id: str) -> None:
        """Delete what no checkpoint lists: what was left by a crash."""
        place, shelf = self._place(conversation_id), self._shelf(conversation_id)
        if shelf.is_swept:
            return
        shelf.is_swept = True
        used = shelf.used() | {f"{_CHECKPOINT}{number}" for number in shelf.entries}
        with suppress(OSError):
            for entry in os.scandir(place):
                if entry.name not in used:
                    self._unlink(Path(entry.path))

    def _size(self) -> int:
        """Return the size of all, which is counted now and then."""
        if time.monotonic() > self._counted_at + _COUNTED_S:
            self._total = sum(map(_folder_size, self._places()))
            self._counted_at = time.monotonic()
        return self._total


class _Mac:
    """A keyed hash of one content."""

    def __init__(self, key: bytes, head: bytes) -> None:
        self._hash = hmac.new(key, head, "sha256")

    def update_with(self, data: bytes) -> str:
        """Return the hash of some bytes."""
        self._hash.update(data)
        return self._hash.hexdigest()

    def update_with_all(self, pieces: Generator[bytes]) -> str:
        """Return the hash of all pieces."""
        for piece in pieces:
            self._hash.update(piece)
        return self._hash.hexdigest()


@functools.lru_cache(maxsize=100)
def _folder_name(conversation_id: str) -> str:
    return hashlib.sha256(conversation_id.encode()).hexdigest()[:32]


def _signature(descriptor: int) -> tuple[int, ...]:
    """Return what changes with each write to a file; the last time cannot be set."""
    facts = os.fstat(descriptor)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _pieces(descriptor: int) -> Generator[bytes]:
    while piece := os.read(descriptor, _PIECE):
        yield piece


def _copied(pieces: Generator[bytes], write: Callable[[bytes], object]) -> Generator[bytes]:
    for piece in pieces:
        write(piece)
        yield piece


def _state(checkpoint: Checkpoint) -> tuple[object, ...]:
    return checkpoint.names, checkpoint.groups, checkpoint.bounds, checkpoint.python


def _unchecked_entries(place: Path) -> dict[int, _Entry]:
    """Return what the checkpoints of a folder say, which is enough to delete them."""
    found: dict[int, _Entry] = {}
    for number in _numbers(place):
        with suppress(OSError, ValueError, LookupError, msgspec.MsgspecError):
            data = read_plain(place / f"{_CHECKPOINT}{number}", _CHECKPOINT_LIMIT) or b""
            first, _, body = data.partition(b"\n")
            found[number] = msgspec.json.decode(body[: int(first.split(b" ")[1])], type=_Entry)
    return found


def _families(entries: Mapping[int, _Entry]) -> list[list[_Entry]]:
    """Return the checkpoints with those that are the same as they, the oldest first."""
    found: dict[int, list[_Entry]] = {}
    for entry in entries.values():
        found.setdefault(entry.holder, []).append(entry)
    return sorted(found.values(), key=lambda group: group[-1].number)


def _numbers(place: Path) -> list[int]:
    """Return the numbers of the checkpoints in a folder, the oldest first."""
    with suppress(OSError):
        names = (one.name.removeprefix(_CHECKPOINT) for one in os.scandir(place))
        return sorted(int(name) for name in names if name.isdecimal())
    return []


def _changed_at(place: Path) -> float:
    try:
        return max(one.stat().st_mtime for one in place.glob(f"{_CHECKPOINT}*"))
    except (OSError, ValueError):
        return 0.0


def _folder_size(place: Path) -> int:
    size = 0
    with suppress(OSError):
        for entry in os.scandir(place):
            size += entry.stat(follow_symlinks=False).st_size
    return size
