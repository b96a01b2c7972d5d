"""Find what a run changed in its folder: snapshots before and after, in a thread, with a limit."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from playhead.domain.conversation.payloads import FileChange, FileChanges

FILE_LIMIT = 50_000
TEXT_LIMIT = 200_000
ALL_TEXTS_LIMIT = 20_000_000
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".ipynb_checkpoints", "site-packages"}
    | {".cache", ".matplotlib"}
)
_NO_TEXT = re.compile(
    r"\.(png|jpe?g|gif|bmp|webp|tiff?|ico|pdf|zip|gz|xz|bz2|zst|7z|tar|whl|so|dll|exe|pyc"
    r"|np[yz]|pkl|parquet|feather|h5|sqlite|db|mp[34]|mov|wav|ttf)$",
    re.IGNORECASE,
)
IsCancelled = Callable[[], bool]


class Stamp(NamedTuple):
    """The facts that identify one state of a file without reading it."""

    mtime_ns: int
    size: int
    inode: int


class Snapshot(Struct, frozen=True):
    """The files by their path from the folder on, with slashes; `skipped` names folders.

    `is_whole` is False when there were too many, or the search was given up.
    """

    files: dict[str, Stamp]
    skipped: frozenset[str] = frozenset()
    is_whole: bool = True


def take(folder: str, without: str, is_given_up: IsCancelled) -> Snapshot:
    """Look at all files below a folder but those below `without`; links are not followed."""
    files: dict[str, Stamp] = {}
    skipped: set[str] = set()
    waiting = [("", folder)]
    while waiting:
        prefix, path = waiting.pop()
        for entry, is_folder in _entries(path):
            if not is_folder:
                _add(files, prefix + entry.name, entry)
            elif entry.name in _SKIPPED or _is_environment(entry.path):
                skipped.add(entry.name)
            elif not _is_same(entry, without):
                waiting.append((f"{prefix}{entry.name}/", entry.path))
        if len(files) > FILE_LIMIT or is_given_up():
            return Snapshot(files, frozenset(skipped), is_whole=False)
    return Snapshot(files, frozenset(skipped))


def _entries(path: str) -> Iterator[tuple[os.DirEntry[str], bool]]:
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                yield entry, entry.is_dir(follow_symlinks=False)
    except OSError:
        return  # a folder that may not be read, or that has just gone


def _is_same(entry: os.DirEntry[str], folder: str) -> bool:
    """Return whether it is that folder; the system is asked only if the names agree."""
    if entry.name != os.path.basename(folder):
        return False
    try:
        return os.path.samefile(entry.path, folder)
    except OSError:
        return False


def _add(files: dict[str, Stamp], path: str, entry: os.DirEntry[str]) -> None:
    try:
        facts = entry.stat(follow_symlinks=False)
    except OSError:
        return
    files[path] = Stamp(facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _is_environment(path: str) -> bool:
    return os.path.exists(os.path.join(path, "pyvenv.cfg"))


class KnownTexts(Struct):
    """Texts of small files, kept for the diff to come; each belongs to one stamp of its file."""

    _known: dict[str, tuple[Stamp, str]] = msgspec.field(
        default_factory=dict[str, tuple[Stamp, str]]
    )
    _bytes: int = 0

    def learn(self, folder: str, snapshot: Snapshot, is_given_up: IsCancelled) -> None:
        """Read what is not known yet, the files changed last first, as far as there is room."""
        for path in [path for path in list(self._known) if path not in snapshot.files]:
            self._forget(path)
        newest = sorted(snapshot.files.items(), key=lambda item: -item[1].mtime_ns)
        for path, stamp in newest:
            if self.get(path, stamp) is not None or not _could_be_text(path, stamp):
                continue
            if self._bytes + stamp.size > ALL_TEXTS_LIMIT or is_given_up():
                return
            self._keep(path, stamp, read_text(os.path.join(folder, path), stamp))

    def get(self, path: str, stamp: Stamp) -> str | None:
        """Return the text that the file had in that state, if it is known."""
        known = self._known.get(path)
        return known[1] if known is not None and known[0] == stamp else None

    def _keep(self, path: str, stamp: Stamp, text: str | None) -> None:
        self._forget(path)
        if text is not None:
            self._known[path] = stamp, text
            self._bytes += stamp.size

    def _forget(self, path: str) -> None:
        known = self._known.pop(path, None)
        if known is not None:
            self._bytes -= known[0].size


def read_text(path: str, stamp: Stamp) -> str | None:
    """Return the text of a file in this state; None if it is binary, too long or has changed."""
    if stamp.size > TEXT_LIMIT:
        return None
    try:
        # Not blocking, no link followed: what was a file a moment ago may be a pipe now.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NOT_BLOCKING)
    except OSError:
        return None
    try:
        data = os.read(fd, TEXT_LIMIT + 1)
        facts = os.fstat(fd)
    except OSError:
        return None
    finally:
        os.close(fd)
    is_same = Stamp(facts.st_mtime_ns, facts.st_size, facts.st_ino) == stamp
    if not is_same or not stat.S_ISREG(facts.st_mode) or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def _could_be_text(path: str, stamp: Stamp) -> bool:
    return stamp.size <= TEXT_LIMIT and not _NO_TEXT.search(path)


LISTED_LIMIT = 200
"""Of each kind; a block that unpacks an archive has made thousands."""
_DIFF_LINES = 400
_DIFF_WIDTH = 400
_COMPARED_LINES = 2_000
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg"})


class Comparison:
    """Two snapshots of one folder; `texts` are those known from before."""

    def __init__(self, folder: str, before: Snapshot, after: Snapshot, texts: KnownTexts) -> None:
        self._folder = folder
        self._before = before
        self._after = after
        self._texts = texts

    def changes(self, is_given_up: IsCancelled) -> FileChanges:
        """Return what was created, changed and deleted; without diffs once it was given up."""
        old, new = self._before.files, self._after.files
        created = sorted(new.keys() - old.keys())
        deleted = sorted(old.keys() - new.keys())
        changed = sorted(path for path, stamp in new.items() if old.get(path, stamp) != stamp)
        return FileChanges(
            folder=self._folder,
            created=tuple(self._change(path, is_given_up) for path in created[:LISTED_LIMIT]),
            changed=tuple(self._change(path, is_given_up) for path in changed[:LISTED_LIMIT]),
            deleted=tuple(self._change(path, is_given_up) for path in deleted[:LISTED_LIMIT]),
            note=self._note(),
            created_total=_total(created),
            changed_total=_total(changed),
            deleted_total=_total(deleted),
        )

    def _change(self, path: str, is_given_up: IsCancelled) -> FileChange:
        old, new = self._before.files.get(path), self._after.files.get(path)
        size = (new or old or Stamp(0, 0, 0)).size
        if PurePosixPath(path).suffix.lower() in _IMAGES:
            return FileChange(path=path, size_bytes=size, kind="image")
        if is_given_up():
            return FileChange(path=path, size_bytes=size)
        old_text = "" if old is None else self._texts.get(path, old)
        new_text = "" if new is None else read_text(os.path.join(self._folder, path), new)
        if old_text is None or new_text is None:
            is_text = old_text is not None if new is None else new_text is not None
            return FileChange(path=path, size_bytes=size, kind="text" if is_text else "other")
        return FileChange(
            path=path, size_bytes=size, kind="text", diff=diff_of(path, old_text, new_text)
        )

    def _note(self) -> str:
        skipped = sorted(self._before.skipped | self._after.skipped)
        return f"Not looked at: {', '.join(skipped)}." if skipped else ""


def _total(paths: list[str]) -> int:
    """Return the number of paths if not all of them are listed, else 0."""
    return len(paths) if len(paths) > LISTED_LIMIT else 0


def diff_of(path: str, old: str, new: str) -> str:
    """Return a unified diff of bounded length; "" for no difference."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    if max(len(old_lines), len(new_lines)) > _COMPARED_LINES and old and new:
        return ""  # to compare them could take seconds
    names = ("/dev/null" if not old else f"a/{path}", "/dev/null" if not new else f"b/{path}")
    import difflib  # not needed for the first paint

    lines = list(difflib.unified_diff(old_lines, new_lines, *names, lineterm=""))
    more = len(lines) - _DIFF_LINES
    kept = [line[:_DIFF_WIDTH] for line in lines[:_DIFF_LINES]]
    return "\n".join([*kept, f"… {more:,} more lines"] if more > 0 else kept)


BEFORE_LIMIT_S = 0.25
TEXTS_LIMIT_S = 0.03
AFTER_LIMIT_S = 0.16
_LAST_MOMENT_S = 0.03
_CLOSE_LIMIT_S = 1.0
_FOLDERS_KEPT = 3
T = TypeVar("T")
_MISSES_LIMIT = 3
_TOO_SLOW = (
    "What it did to the files was not looked at: that would have taken too long at this moment."
)
_TOO_MUCH = (
    "What it did to the files was not looked at, nor will it be for the next runs: there are more "
    "of them in this folder than can be looked at in a moment."
)


class WatchedFolder(Struct):
    """The snapshots of one folder between runs; one slow search is allowed on a busy machine."""

    path: str
    texts: KnownTexts = msgspec.field(default_factory=KnownTexts)
    misses: int = 0

    @property
    def is_too_large(self) -> bool:
        """Return whether the folder is no longer searched."""
        return self.misses >= _MISSES_LIMIT


class FileWatch:
    """Owner of what is known of the last folders; `without` is a folder of our own files."""

    def __init__(self, without: str) -> None:
        self._without = without
        self._folders: dict[str, WatchedFolder] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def look(self, path: str) -> RunObservation:
        """Begin to look at the folder for one run."""
        folder = self._folders.pop(path, None) or WatchedFolder(path)
        self._folders[path] = folder  # the last one used is the last one forgotten
        while len(self._folders) > _FOLDERS_KEPT:
            del self._folders[next(iter(self._folders))]
        return RunObservation(folder, self._without, self._start)

    async def close(self) -> None:
        """Wait a moment for threads that were given up."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_LIMIT_S)

    def _start(self, work: Callable[[], Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(asyncio.to_thread(work), name="files of a run")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class RunObservation:
    """One run's view: `before()`, the run, then `after()`; `give_up()` ends its threads soon."""

    def __init__(
        self,
        folder: WatchedFolder,
        without: str,
        start: Callable[[Callable[[], Any]], asyncio.Task[Any]],
    ) -> None:
        self._folder = folder
        self._without = without
        self._start = start
        self._given_up = threading.Event()
        self._before: Snapshot | None = None
        self._was_too_large = folder.is_too_large

    async def before(self) -> None:
        """Take the first snapshot, and read texts as far as that goes in a moment."""
        if self._was_too_large:
            return
        self._before = before = await self._within(BEFORE_LIMIT_S, self._take)
        if before is not None:
            learning = self._start(lambda: self._learn(before))
            await asyncio.wait({learning}, timeout=TEXTS_LIMIT_S)

    async def after(self) -> FileChanges | None:
        """Return the changes; None without any. What was not searched is reported once."""
        before = self._before
        if before is None:
            return self._complaint()
        changes = await self._within(AFTER_LIMIT_S, lambda: self._compare(before))
        if changes is None:
            return self._complaint()
        self._folder.misses = 0
        has_any = changes.created or changes.changed or changes.deleted
        return changes if has_any else None

    def give_up(self) -> None:
        """Let the threads end."""
        self._given_up.set()

    def _complaint(self) -> FileChanges | None:
        if self._was_too_large:
            return None
        self._folder.misses += 1
        note = _TOO_MUCH if self._folder.is_too_large else _TOO_SLOW
        return FileChanges(folder=self._folder.path, note=note)

    async def _within(self, limit_s: float, work: Callable[[], T | None]) -> T | None:
        """Return the result of work in a thread; None if it takes too long."""
        task = self._start(work)
        done, _ = await asyncio.wait({task}, timeout=limit_s)
        if not done:
            self.give_up()  # it may be about to have a result, if without its details
            done, _ = await asyncio.wait({task}, timeout=_LAST_MOMENT_S)
        return task.result() if done else None

    def _take(self) -> Snapshot | None:
        found = take(self._folder.path, self._without, self._given_up.is_set)
        if not found.is_whole and not self._given_up.is_set():
            self._folder.misses = _MISSES_LIMIT  # so many that time makes no difference
        return found if found.is_whole else None

    def _learn(self, snapshot: Snapshot) -> None:
        self._folder.texts.learn(self._folder.path, snapshot, self._given_up.is_set)

    def _compare(self, before: Snapshot) -> FileChanges | None:
        after = self._take()
        if after is None:
            return None
        comparison = Comparison(self._folder.path, before, after, self._folder.texts)
        return comparison.changes(self._given_up.is_set)
