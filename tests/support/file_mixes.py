"""Random mixes of file operations in a folder, and everything that is to be said of its files."""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from playhead.undo_worker.watched_folder import WatchedFolder

Facts = dict[str, tuple[object, ...]]


def facts_of(folder: Path, *, times_of_folders: bool = True) -> Facts:
    """Return all that can be said of every file: content, facts, its other names, holes."""
    found: Facts = {}
    names: dict[int, list[str]] = {}
    paths = [folder, *sorted(folder.rglob("*"))]
    for path in paths:
        facts = path.lstat()
        if stat.S_ISREG(facts.st_mode):
            names.setdefault(facts.st_ino, []).append(str(path.relative_to(folder)))
    for path in paths:
        facts = path.lstat()
        name = str(path.relative_to(folder))
        is_folder, is_file = stat.S_ISDIR(facts.st_mode), stat.S_ISREG(facts.st_mode)
        attributes: tuple[object, ...] = ()
        if is_folder or is_file:
            attributes = tuple(sorted((n, os.getxattr(path, n)) for n in os.listxattr(path)))
        found[name] = (
            stat.S_IFMT(facts.st_mode),
            stat.S_IMODE(facts.st_mode),
            0 if is_folder else facts.st_size,
            facts.st_mtime_ns if times_of_folders or not is_folder else 0,
            path.read_bytes() if is_file else b"",
            os.readlink(path) if path.is_symlink() else "",
            attributes,
            tuple(names.get(facts.st_ino, ())) if is_file else (),
            is_file and facts.st_blocks * 512 < facts.st_size - 65536,
        )
    return found


def undo_and_redo(folder: Path, seed: int, operations: int) -> str:
    """Undo a mix of operations in an empty folder, and redo it; return what was not exact."""
    work, store = folder / "work", folder / "store"
    work.mkdir()
    store.mkdir()
    mix = FileMix(work, seed)
    mix.make()
    with closing(WatchedFolder(str(work), store, None)) as watched:
        watched.before("run", "conversation", 10)
        before = facts_of(work)
        mix.run(operations)
        after = facts_of(work)
        watched.after("run")
        undone = watched.undo("run", [])
        if undone["conflicts"] or facts_of(work) != before:
            return f"undo after {mix.done}: {undone['conflicts']}"
        redone = watched.undo(undone["id"], [])
        if redone["conflicts"] or facts_of(work) != after:
            return f"redo after {mix.done}: {redone['conflicts']}"
    return ""


class FileMix:
    """A folder of about 20 files and operations on it that are the same for the same seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self.done: list[str] = []
        self._acts: tuple[Callable[[], None], ...] = (
            self._create, self._write, self._truncate, self._append, self._delete, self._rename,
            self._make_folder, self._remove_tree, self._chmod, self._utime, self._symlink,
            self._hard_link, self._attribute, self._sparse, self._replace, self._rewrite_as_before,
            self._rename_over, self._fifo, self._swap_kind,
        )  # fmt: skip

    def make(self) -> None:
        """Make the folder."""
        for name in ("a", "a/b", "a/b/c", "d", "empty", ".git", ".git/objects"):
            (self._folder / name).mkdir(parents=True)
        for number in range(12):
            path = self._any_folder() / f"file{number}"
            path.write_bytes(self._bytes())
        os.link(next(self._folder.rglob("file1")), self._folder / "second-name")
        (self._folder / "link").symlink_to("a/b")
        (self._folder / "dangling").symlink_to("nowhere")
        with suppress(OSError):
            os.setxattr(self._folder / "d", "user.note", b"1")
            os.setxattr(next(self._folder.rglob("file2")), "user.note", b"two")
        with (self._folder / "holes").open("wb") as file:
            file.truncate(600_000)
            file.seek(300_000)
            file.write(b"middle")
        for path in self._folder.rglob("*"):
            os.utime(
                path, ns=(10**18, 10**18 + self._random.randrange(10**9)), follow_symlinks=False
            )

    def run(self, count: int) -> None:
        """Do so many operations; those that the system refuses do nothing."""
        for _ in range(count):
            act = self._random.choice(self._acts)
            self.done.append(act.__name__)
            with suppress(OSError, IndexError):
                act()

    def _bytes(self) -> bytes:
        return self._random.randbytes(self._random.choice((0, 3, 100, 5000)))

    def _any(self, kinds: str = "fdl") -> Path:
        found = [
            path
            for path in sorted(self._folder.rglob("*"))
            if ("l" if path.is_symlink() else "d" if path.is_dir() else "f") in kinds
        ]
        return self._random.choice(found)

    def _file(self) -> Path:
        path = self._any("f")
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError
        return path

    def _any_folder(self) -> Path:
        return self._any("d") if self._random.random() < 0.8 else self._folder

    def _new(self) -> Path:
        return self._any_folder() / f"new{self._random.randrange(1000)}"

    def _create(self) -> None:
        self._new().write_bytes(self._bytes())

    def _write(self) -> None:
        self._file().write_bytes(self._bytes())

    def _truncate(self) -> None:
        os.truncate(self._file(), self._random.randrange(200))

    def _append(self) -> None:
        with self._file().open("ab") as file:
            file.write(b"more")

    def _delete(self) -> None:
        self._any("fl").unlink()

    def _rename(self) -> None:
        self._any().rename(self._new())

    def _rename_over(self) -> None:
        self._any("fl").rename(self._any("fl"))

    def _make_folder(self) -> None:
        path = self._new()
        path.mkdir()
        (path / "inside").write_bytes(self._bytes())

    def _remove_tree(self) -> None:
        shutil.rmtree(self._any("d"))

    def _chmod(self) -> None:
        self._any("fd").chmod(self._random.choice((0o700, 0o755, 0o640, 0o744, 0o500)))

    def _utime(self) -> None:
        os.utime(self._any("fd"), ns=(0, self._random.randrange(10**18)))

    def _symlink(self) -> None:
        self._new().symlink_to(self._random.choice(("a", "../outside", "/etc")))

    def _hard_link(self) -> None:
        os.link(self._file(), self._new())

    def _attribute(self) -> None:
        path = self._any("fd")
        if os.listxattr(path) and self._random.random() < 0.5:
            os.removexattr(path, "user.note")
        else:
            os.setxattr(path, "user.note", self._random.randbytes(4))

    def _sparse(self) -> None:
        with self._new().open("wb") as file:
            file.truncate(400_000)

    def _replace(self) -> None:
        path = self._file()
        beside = path.with_name("beside")
        beside.write_bytes(self._bytes())
        beside.rename(path)

    def _rewrite_as_before(self) -> None:
        """Change a content, but neither the size nor the time."""
        path = self._file()
        facts = path.stat()
        path.write_bytes(bytes(facts.st_size))
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    def _fifo(self) -> None:
        os.mkfifo(self._new())

    def _swap_kind(self) -> None:
        """Put a file where a folder was, or the other way round."""
        path = self._any("fd")
        if path.is_dir():
            shutil.rmtree(path)
            path.write_bytes(self._bytes())
        else:
            path.unlink()
            path.mkdir()
            (path / "inside").touch()
