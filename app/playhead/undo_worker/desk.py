"""The requests of the app, one after the other; files are read on while there is none."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from playhead.undo_worker.comparing import Listing, Step
from playhead.undo_worker.effects_store import AGE_S
from playhead.undo_worker.protocol import copies_of, copy_place, is_forgotten, is_unreported
from playhead.undo_worker.reviewed_folder import ReviewedFolder, delete_place
from playhead.undo_worker.scanning import (
    HAS_DESCRIPTORS,
    Entries,
    ScanProblem,
    scan_by_paths,
)
from playhead.undo_worker.watched_folder import FolderProblem

_FOLDERS_OPEN = 4
_STORES = 8
_NAME = "folder"
"""The file of a store that has the path of its folder."""


class Desk:
    """Answers requests; `store` is where contents are kept, `own` a folder that is left out."""

    def __init__(self, store: Path, own: str) -> None:
        self._store = store
        self._own = own
        self._folders: dict[str, ReviewedFolder] = {}
        self._locks: dict[str, int] = {}
        self._runs: dict[str, str] = {}
        self._plain: dict[str, Entries] = {}
        self._later: list[Callable[[], object]] = []
        self._reading: ReviewedFolder | None = None
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._old: list[Path] | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        number = {"number": request.get("number")}
        try:
            return number | self._answer(request)
        except FolderProblem as problem:
            return number | {"error": str(problem)}
        except ScanProblem as problem:
            return number | {"error": str(problem)}
        except KeyError as missing:
            return number | {"error": "not_kept", "detail": str(missing)}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        match request["verb"]:
            case "cover" | "before" if not HAS_DESCRIPTORS:
                return self._plain_before(request)
            case "after" if not HAS_DESCRIPTORS:
                return self._plain_after(request)
            case "cover":
                return self._cover(request)
            case "before":
                return self._before(request)
            case "after":
                return self._after(request)
            case "undo":
                with self._with_effect(request["folder"], request["effect"]) as folder:
                    self._later.append(folder.write_late)
                    return folder.undo(request["effect"], request["paths"])
            case "settle":
                path, is_kept = request["path"], request["is_kept"]
                with self._with_effect(request["folder"], request["effect"]) as folder:
                    return folder.settle(request["effect"], path, is_kept=is_kept)
            case "copy" | "review" | "apply" | "discard" | "forget":
                return self._with_copy(request)
            case "unreported":
                return {"effects": self._unreported(request["conversation"])}
            case verb:
                raise ValueError(verb)

    def _cover(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            folder = self._open(request["folder"])
        except (FolderProblem, ScanProblem) as problem:
            return {"folder": request["folder"], "problem": str(problem)}
        found = folder.cover(request["within_s"])
        self._reading = folder
        return found

    def _before(self, request: dict[str, Any]) -> dict[str, Any]:
        run = request["run"]
        try:
            folder = self._open(request["folder"])
        except (FolderProblem, ScanProblem) as problem:
            return {"folder": request["folder"], "problem": str(problem)}
        self._runs[run] = request["folder"]
        found = folder.before(
            run,
            request["conversation"],
            request["within_s"],
            is_bounded=request.get("is_bounded", False),
        )
        self._reading = folder
        self._later.append(lambda: folder.note_run(run))
        return found

    def _after(self, request: dict[str, Any]) -> dict[str, Any]:
        path = self._runs.pop(request["run"], "")
        folder = self._folders.get(path)
        if folder is None:
            return {}
        found = folder.after(request["run"], is_reported=request.get("is_reported", True))
        self._later.append(lambda: self._keep_on(path, folder))
        return found

    def _keep_on(self, path: str, folder: ReviewedFolder) -> None:
        """Begin to keep the files as a run has left them."""
        if self._folders.get(path) is folder:
            folder.cover(0)
            self._reading = folder

    def work_on(self) -> bool:
        """Do a little of what can wait; return whether there is more."""
        if self._later:
            self._later.pop(0)()
            return True
        if self._reading is not None:
            with suppress(FolderProblem):  # said with the next coverage
                if self._reading.read_on():
                    return True
            self._reading = None
        return self._delete_old()

    def _delete_old(self) -> bool:
        """Delete the contents of a folder in which nothing was done for long."""
        if self._old is None:
            self._delete_forgotten()
            oldest = time.time() - AGE_S
            self._old = [one for one in self._store.iterdir() if one.stat().st_mtime < oldest]
        if not self._old:
            return False
        store = self._old.pop()
        if (fd := _lock(store)) is not None:
            delete_place(store) if HAS_DESCRIPTORS else shutil.rmtree(store, ignore_errors=True)
            os.close(fd)
        return True

    def _delete_forgotten(self) -> None:
        """Delete the copies of deleted conversations, but for those that other processes hold."""
        held = {folder.store for folder in self._folders.values()}
        for place in filter(is_forgotten, copies_of(self._store)):
            store = place.parents[1]
            fd = None if store in held else _lock(store)
            if fd is None and store not in held:
                continue
            delete_place(place)
            if fd is not None:
                os.close(fd)

    def close(self) -> None:
        """Write what is left."""
        for path in list(self._folders):
            self._close(path)

    def _close(self, path: str) -> None:
        self._folders.pop(path).close()
        os.close(self._locks.pop(path))

    # Which folder.

    def _open(self, path: str) -> ReviewedFolder:
        """Return a folder, which has a store of its own. Raises FolderProblem."""
        folder = self._folders.get(path)
        if folder is not None and folder.is_there:
            self._folders[path] = self._folders.pop(path)
            return folder
        if folder is not None:
            self._close(path)
        for store in self._stores(path):
            store.mkdir(mode=0o700, parents=True, exist_ok=True)
            if (fd := _lock(store)) is not None:
                break
        else:
            raise FolderProblem("no_worker")
        try:
            return self._opened(path, store, fd)
        except BaseException:
            os.close(fd)
            raise

    def _opened(self, path: str, store: Path, fd: int) -> ReviewedFolder:
        os.utime(store)
        (store / _NAME).write_bytes(os.fsencode(path))
        folder = self._watched(path, store)
        self._folders[path], self._locks[path] = folder, fd
        for old in list(self._folders)[:-_FOLDERS_OPEN]:
            if old not in self._runs.values():
                self._close(old)
        return folder

    def _watched(self, path: str, store: Path) -> ReviewedFolder:
        try:
            return ReviewedFolder(path, store, _identity(self._own), is_home=_is_home(path))
        except OSError as error:
            raise FolderProblem("vanished") from error

    def _stores(self, path: str) -> list[Path]:
        """Return where the contents of a folder can be: each process has one of its own."""
        name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
        return [self._store / (f"{name}.{n}" if n else name) for n in range(_STORES)]

    @contextmanager
    def _with_effect(self, path: str, effect: str) -> Generator[ReviewedFolder]:
        """Hold the folder with the store that has an effect."""
        if not HAS_DESCRIPTORS:
            raise FolderProblem("unsupported")
        folder = self._open(path)
        for store in () if folder.has(effect) else self._stores(path):
            if store != folder.store and (store / "effects" / effect).exists():
                with self._elsewhere(path, store) as other:
                    yield other
                return
        yield folder

    def _with_copy(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request about the copy of a conversation, in the store that has it."""
        if not HAS_DESCRIPTORS:
            raise FolderProblem("unsupported")
        if request["verb"] == "forget":
            self._delete_forgotten()
            return {}
        path, conversation = request["folder"], request["conversation"]
        folder = self._open(path)
        if request["verb"] != "copy" and not folder.has_copy(conversation):
            folder = self._other_with_copy(path, conversation) or folder
        match request["verb"]:
            case "copy":
                if _is_home(path):
                    raise FolderProblem("home")
                return folder.begin_copy(conversation)
            case "review":
                return folder.review(conversation)
            case "apply":
                return folder.apply(conversation, request["paths"])
            case _:
                return folder.discard(conversation)

    def _other_with_copy(self, path: str, conversation: str) -> ReviewedFolder | None:
        """Return the folder with a store of which another process had made the copy."""
        for store in self._stores(path):
            if copy_place(store, conversation).is_dir() and (fd := _lock(store)) is not None:
                self._close(path)
                return self._opened(path, store, fd)
        return None

    def _unreported(self, conversation: str) -> list[dict[str, Any]]:
        """Return what was not reported, of all stores that no other process has."""
        found: list[dict[str, Any]] = []
        for store in sorted(self._store.iterdir()):
            if not is_unreported(store.parent, store.name):
                continue
            with suppress(OSError, FolderProblem, ScanProblem):
                path = os.fsdecode((store / _NAME).read_bytes())
                known = self._folders.get(path)
                if known is not None and known.store == store:
                    found += known.unreported(conversation)
                else:
                    with self._elsewhere(path, store) as folder:
                        found += folder.unreported(conversation)
        return found

    @contextmanager
    def _elsewhere(self, path: str, store: Path) -> Generator[ReviewedFolder]:
        """Open a folder with the store of an earlier process. Raises FolderProblem."""
        if (fd := _lock(store)) is None:
            raise FolderProblem("busy")
        try:
            with closing(self._watched(path, store)) as folder:
                yield folder
        finally:
            os.close(fd)

    # Where there are no descriptors.

    def _plain_before(self, request: dict[str, Any]) -> dict[str, Any]:
        fields = {"folder": request["folder"], "problem": "unsupported"}
        try:
            self._plain[request.get("run", "")] = scan_by_paths(request["folder"], self._own)
        except ScanProblem as problem:
            fields["problem"] = str(problem)
        self._runs[request.get("run", "")] = request["folder"]
        return fields

    def _plain_after(self, request: dict[str, Any]) -> dict[str, Any]:
        path, before = self._runs.pop(request["run"], ""), self._plain.pop(request["run"], None)
        if before is None:
            return {}
        after = scan_by_paths(path, self._own)
        steps = {
            one: Step(before.get(one), None, after.get(one))
            for one in before.keys() | after.keys()
            if before.get(one) != after.get(one)
        }
        if not steps:
            return {}
        listed = Listing(steps, {}, None, None).fields()
        return {"folder": path, "problem": "unsupported", **listed}


def _lock(store: Path) -> int | None:
    """Return a descriptor that holds a store for this process; None if another one has it."""
    import fcntl  # not on Windows, where nothing is kept

    fd = os.open(store / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd


def _identity(path: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _is_home(path: str) -> bool:
    """Return whether a folder is the home folder, or has that inside."""
    home = os.path.realpath(os.path.expanduser("~"))
    return f"{home}/".startswith(f"{path.rstrip('/')}/")
