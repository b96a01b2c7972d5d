"""The saved variables of conversations on the disk, each file of them authenticated.

A pickle is code. So a kernel gets one only after it was found to be, bit by bit, what a kernel of
the same conversation has written: the name of a file is a keyed hash of its content, and the index
that lists them has a keyed hash of its own. The key is in a file that only the user may read, which
the sandbox hides. An index without the files that it lists, as after a crash, is not used.
"""

from __future__ import annotations

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

from playhead.atomic_file import read_plain, replacing
from playhead.domain.saved_variables import Checkpoint, SavedGroup, SavedName

_KEY_BYTES = 32
_INDEX = "index"
_INDEX_LIMIT = 32_000_000
_BUDGET = 5_000_000_000
_SHARE_OF_FREE = 10
_PIECE = 1 << 20
_PLAN = "restored.json"


class VariableStore:
    """Owner of a folder with one folder per conversation; any thread may call it.

    `budget` is what all of them may take in bytes, and never more than a tenth of the free disk:
    the oldest go first.
    """

    def __init__(self, folder: Path, budget: int = _BUDGET) -> None:
        self._folder = folder
        self._budget = budget
        self._using = threading.RLock()
        self._key = b""

    def limit(self) -> int:
        """Return how many bytes one conversation may take now."""
        with suppress(OSError):
            free = shutil.disk_usage(self._folder if self._folder.exists() else "/").free
            return max(0, min(self._budget, (free + self._size()) // _SHARE_OF_FREE))
        return 0

    def read(self, conversation_id: str) -> Checkpoint | None:
        """Return what was saved last; None if there is nothing, or not what we have written."""
        with self._using:
            try:
                data = read_plain(self._place(conversation_id) / _INDEX, _INDEX_LIMIT) or b""
                mac, _, body = data.partition(b"\n")
                expected = self._mac(conversation_id, "index").update_with(body)
                if not hmac.compare_digest(mac, expected.encode("ascii")):
                    return None
                return msgspec.json.decode(body, type=Checkpoint)
            except (OSError, msgspec.MsgspecError, UnicodeError):
                return None

    def take(
        self,
        conversation_id: str,
        found: Mapping[str, Any],
        fetch: Callable[[str, Path, int], bool],
        bounds: str = "",
    ) -> Checkpoint:
        """Keep what a kernel has saved, in place of what was there; `fetch` moves a file out.

        Raises ValueError where the kernel's answer is not one, OSError where nothing can be kept.
        """
        with self._using:
            before = self.read(conversation_id)
            blobs = {group.key: group.blob for group in before.groups} if before else {}
            names = msgspec.convert(found["names"], tuple[SavedName, ...])
            place = self._place(conversation_id)
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            groups: list[SavedGroup] = []
            for row in found["groups"]:
                group = msgspec.convert(row, SavedGroup)
                blob = self._take_file(conversation_id, row["file"], fetch) if row["file"] else ""
                blob = blob or blobs.get(group.key, "")
                if not blob or not (place / blob).exists():
                    raise ValueError(f"no file of {', '.join(group.names)}")
                groups.append(msgspec.structs.replace(group, blob=blob))
            checkpoint = Checkpoint(
                conversation_id=conversation_id,
                at=time.time(),
                python=str(found["python"]),
                names=names,
                groups=tuple(groups),
                bounds=bounds,
            )
            self._write_index(checkpoint)
            self._collect(conversation_id, {group.blob for group in groups})
            return checkpoint

    def lay_out(self, checkpoint: Checkpoint, folder: Path) -> tuple[str, list[SavedName]]:
        """Copy what is as it was written into a kernel's folder, with the plan that lists it.

        Return the plan's name, and the names whose files are not what we have written.
        """
        groups: list[dict[str, Any]] = []
        lost: list[SavedName] = []
        rows = {row.name: row for row in checkpoint.names}
        for number, group in enumerate(checkpoint.groups):
            file = f"restored-{number}.values"
            if self._copy_checked(checkpoint.conversation_id, group.blob, folder / file):
                groups.append({"file": file, "names": group.names, "is_sealed": group.is_sealed})
            else:
                known = [rows[name] for name in group.names if name in rows]
                lost += [
                    msgspec.structs.replace(row, verdict="lost", why="missing") for row in known
                ]
        plan = {
            "python": checkpoint.python,
            "imports": [r for r in map(msgspec.to_builtins, checkpoint.names) if r["module"]],
            "classes": [r for r in map(msgspec.to_builtins, checkpoint.names) if r["source"]],
            "groups": groups,
        }
        (folder / _PLAN).write_text(json.dumps(plan), encoding="ascii")
        return _PLAN, lost

    def delete(self, conversation_id: str) -> None:
        """Delete what was saved of a conversation."""
        with self._using:
            shutil.rmtree(self._place(conversation_id), ignore_errors=True)

    def clear(self) -> None:
        """Delete what was saved of all conversations."""
        with self._using:
            for place in self._places():
                shutil.rmtree(place, ignore_errors=True)

    def _place(self, conversation_id: str) -> Path:
        return self._folder / hashlib.sha256(conversation_id.encode()).hexdigest()[:32]

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
        arrived = place / "arrived"
        if not fetch(name, arrived, self._budget):
            return ""
        descriptor = os.open(arrived, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            mac = self._mac(conversation_id, "values")
            blob = mac.update_with_all(_pieces(descriptor))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.chmod(arrived, 0o600)
        os.replace(arrived, place / blob)
        return blob

    def _copy_checked(self, conversation_id: str, blob: str, target: Path) -> bool:
        mac = self._mac(conversation_id, "values")
        path = self._place(conversation_id) / os.path.basename(blob)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
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

    def _write_index(self, checkpoint: Checkpoint) -> None:
        body = msgspec.json.encode(checkpoint)
        mac = self._mac(checkpoint.conversation_id, "index").update_with(body)
        with replacing(self._place(checkpoint.conversation_id) / _INDEX) as file:
            file.write(mac.encode("ascii") + b"\n" + body)

    def _collect(self, conversation_id: str, used: set[str]) -> None:
        """Delete files that no index lists, then the oldest conversations over the budget."""
        own = self._place(conversation_id)
        for path in own.iterdir():
            if path.name != _INDEX and path.name not in used:
                path.unlink(missing_ok=True)
        size, limit = self._size(), self.limit()
        others = [place for place in self._places() if place != own]
        for place in sorted(others, key=_changed_at):
            if size <= limit:
                return
            size -= _folder_size(place)
            shutil.rmtree(place, ignore_errors=True)

    def _size(self) -> int:
        return sum(map(_folder_size, self._places()))


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


def _pieces(descriptor: int) -> Generator[bytes]:
    while piece := os.read(descriptor, _PIECE):
        yield piece


def _copied(pieces: Generator[bytes], write: Callable[[bytes], object]) -> Generator[bytes]:
    for piece in pieces:
        write(piece)
        yield piece


def _changed_at(place: Path) -> float:
    try:
        return (place / _INDEX).stat().st_mtime
    except OSError:
        return 0.0


def _folder_size(place: Path) -> int:
    size = 0
    with suppress(OSError):
        for entry in os.scandir(place):
            size += entry.stat(follow_symlinks=False).st_size
    return size
