"""Files put back as they were, by descriptors only and in an order that can be taken up again.

Whatever else changes the folder meanwhile, and however, nothing outside of it is touched: each
component of each path is opened without following links. Files are written beside their place and
renamed into it, but for those that the run has changed in place.
"""

from __future__ import annotations

import base64
import errno
import itertools
import os
import stat
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from playhead.undo_worker.comparing import Steps, as_entry
from playhead.undo_worker.pack import Image, Pack, Uncovered, as_image
from playhead.undo_worker.scanning import FILE_FLAGS, TEMPORARY, Entries, Entry, Tree
from playhead.undo_worker.sharing import shared

_O_PATH = getattr(os, "O_PATH", 0)
_ALL_RIGHTS = 0o700
_OVER_FLAGS = os.O_WRONLY | FILE_FLAGS
_NEW_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Wish(NamedTuple):
    """One path on its way back: as it is now, as it is to be, and what that held."""

    now: Entry | None
    want: Entry | None
    image: Image | None


Wishes = dict[str, Wish]


class Conflict(NamedTuple):
    """A path that stays as it is, with the reason."""

    path: str
    reason: str
    detail: str = ""


class Undo:
    """Carries out the wishes; `moves` are files that only have to go from one path to another.

    `token` is in the names of files on their way. What was done already is not done again.
    """

    def __init__(
        self, tree: Tree, pack: Pack, wishes: Wishes, moves: dict[str, str], token: str
    ) -> None:
        self._tree = tree
        self._pack = pack
        self._wishes = wishes
        self._moves = moves
        self._temporary = f"{TEMPORARY}{token}"
        self._numbers = itertools.count()
        self._unlocked: dict[str, int] = {}
        self._anchors: dict[int, str] = {}
        self.conflicts: list[Conflict] = []
        self.done: Entries = {}
        """Files that are back, as they are now; of others a look tells."""

    def run(self) -> None:
        """Carry them out: moves, removals, folders, files, and at last what folders look like."""
        wishes = self._wishes
        for path in self._moves:
            self._guarded(path, self._move)
        for path in sorted(wishes, reverse=True):  # what is in a folder comes after it
            if _is_removed(wishes[path]) and path not in self._moves.values():
                self._guarded(path, self._remove)
        for path in sorted(wishes):
            if _is(wishes[path].want, "dir"):
                self._guarded(path, self._make_folder)
        for path in self._restore_plain(self._files()):
            self._guarded(path, self._restore)
        for path in sorted({*wishes, *self._unlocked}, reverse=True):
            if path in self._unlocked or _is(wishes[path].want, "dir"):
                self._guarded(path, self._finish_folder)

    def _files(self) -> list[str]:
        """Return the files to restore; of those with several names first one that is as it was."""
        found = [
            path
            for path, wish in self._wishes.items()
            if wish.want is not None and wish.want.kind not in ("dir", "left_out", "special")
        ]

        def order(path: str) -> tuple[bool, str]:
            wish = self._wishes[path]
            return not (wish.now and wish.want and wish.now.inode == wish.want.inode), path

        return sorted(found, key=order)

    def _restore_plain(self, paths: list[str]) -> list[str]:
        """Restore the ordinary files among these, by folders; return those that are left."""
        plain = [path for path in paths if self._is_plain(path)]
        if not plain:
            return paths
        self._pack.save()  # else each process would write what waits
        mask = os.umask(0)
        try:
            for path, inode, ctime in shared(plain, self._replace_plain):
                want = self._wishes[path].want
                assert want is not None  # noqa: S101 - as `_is_plain` has seen
                self.done[path] = Entry("file", want.mode, want.size, want.mtime_ns, inode, ctime)
        finally:
            os.umask(mask)
        return [path for path in paths if path not in self.done]

    def _is_plain(self, path: str) -> bool:
        """Return whether a file is to be written, and is no more than content and facts."""
        now, want, image = self._wishes[path]
        return (
            want is not None
            and want.kind == "file"
            and want.links == 1
            and image is not None
            and not (image.why or image.extents or image.attributes)
            and isinstance(image.place, list)
            and path not in self._moves
            and (now is None or (now.kind == "file" and now.links == 1))
        )

    def _replace_plain(self, paths: Iterable[str], part: int) -> list[tuple[str, int, int]]:
        """Write ordinary files; return those that are done, with the names of their states.

        Whatever is unexpected is left for the other way, which finds out what it is.
        """
        done: list[tuple[str, int, int]] = []
        folder, fd = "\0", -1
        temporary = f"{self._temporary}-{os.getpid()}-{part}"
        for path in paths:
            above, _, name = path.rpartition("/")
            if above != folder:
                folder, fd = above, self._plain_folder(above)
            if fd < 0:
                continue
            now, want, image = self._wishes[path]
            if want is None or image is None:
                continue
            try:
                if now is not None and self._goes_in_place(now, want):
                    facts = self._overwrite(fd, name, now, want, image)
                else:
                    facts = self._write_beside(fd, name, now, want, image, temporary)
            except (OSError, Uncovered):
                continue
            done.append((path, facts.st_ino, facts.st_ctime_ns))
        return done

    def _plain_folder(self, path: str) -> int:
        """Return a folder's descriptor; -1 if new files there get more than they are given."""
        try:
            fd = self._tree.folder(path)
        except OSError:
            return -1
        with suppress(OSError):  # a file system without attributes
            return -1 if "system.posix_acl_default" in os.listxattr(fd) else fd
        return fd

    def _goes_in_place(self, now: Entry, want: Entry) -> bool:
        """Return whether the run has changed a file in place, and so it goes back in place.

        Who has it open keeps it. It is never made shorter: who has it mapped would be ended.
        """
        if now.inode != want.inode or now.size > want.size:
            return False
        kept = self._pack.images.get(now.key)
        return kept is not None and not (kept.why or kept.attributes or kept.extents)

    def _overwrite(
        self, folder: int, name: str, now: Entry, want: Entry, image: Image
    ) -> os.stat_result:
        """Write a file's content over the present one, of which the pack has every byte."""
        fd = os.open(name, _OVER_FLAGS, dir_fd=folder)
        try:
            facts = os.fstat(fd)
            if (facts.st_ino, facts.st_ctime_ns) != now.key or facts.st_nlink != 1:
                raise OSError(errno.EEXIST, "changed meanwhile")
            if os.write(fd, self._pack.held(image)) != want.size:
                raise OSError(errno.EIO, "not written whole")
            if now.mode != want.mode or want.mode & ~0o777:
                os.fchmod(fd, want.mode)
            os.utime(fd, ns=(want.mtime_ns, want.mtime_ns))
            return os.fstat(fd)
        finally:
            os.close(fd)

    def _write_beside(
        self,
        folder: int,
        name: str,
        now: Entry | None,
        want: Entry,
        image: Image,
        temporary: str,
    ) -> os.stat_result:
        """Write a file beside its place and rename it there: nobody ever sees a part of it."""
        fd = os.open(temporary, _NEW_FLAGS, want.mode & 0o777, dir_fd=folder)
        try:
            if os.write(fd, self._pack.held(image)) != want.size:
                raise OSError(errno.EIO, "not written whole")
            if want.mode & ~0o777:
                os.fchmod(fd, want.mode)
            os.utime(fd, ns=(want.mtime_ns, want.mtime_ns))
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                found = None
            if found is not None and (now is None or (found.st_ino, found.st_ctime_ns) != now.key):
                raise OSError(errno.EEXIST, "changed meanwhile")
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            return os.fstat(fd)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        finally:
            os.close(fd)

    def _guarded(self, path: str, act: Callable[[str], None]) -> None:
        try:
            try:
                act(path)
            except PermissionError:
                self._unlock(path)
                act(path)
        except Uncovered as error:
            self.conflicts.append(Conflict(path, "not_kept", str(error)))
        except OSError as error:
            is_way = error.errno in (errno.ELOOP, errno.ENOTDIR)
            reason = "replaced" if is_way else "refused"
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.EISDIR):
                reason = "in_the_way"
            self.conflicts.append(Conflict(path, reason, os.strerror(error.errno or 0)))

    def _unlock(self, path: str) -> None:
        """Let the folders on the way to a path be written for a while."""
        parts = path.split("/")[:-1]
        for count in range(len(parts) + 1):
            folder = "/".join(parts[:count])
            with self._held(folder, "dir") as fd:
                mode = stat.S_IMODE(os.fstat(fd).st_mode)
                if mode & _ALL_RIGHTS != _ALL_RIGHTS:
                    _set_mode(fd, mode | _ALL_RIGHTS)
                    self._unlocked.setdefault(folder, mode)
                    self._tree.forget(folder)

    # Files.

    def _move(self, path: str) -> None:
        origin = self._moves[path]
        want = self._wishes[path].want
        if self._tree.look(path) is not None or want is None:
            return  # it is there, or something else is
        self._ensure_folder(path.rpartition("/")[0])
        found = self._tree.look(origin)
        if found is None or found.inode != want.inode:
            return
        source, name = self._tree.place(origin)
        target, new_name = self._tree.place(path)
        os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)

    def _remove(self, path: str) -> None:
        found = self._tree.look(path)
        if found is None:
            return
        wish = self._wishes[path]
        if wish.want is not None and wish.want.kind == found.kind:
            return  # made already
        _expect_still(found, wish.now)
        fd, name = self._tree.place(path)
        if found.kind == "dir":
            self._tree.forget(path)
            os.rmdir(name, dir_fd=fd)
        else:
            os.unlink(name, dir_fd=fd)

    def _restore(self, path: str) -> None:
        wish = self._wishes[path]
        want, found = wish.want, self._tree.look(path)
        assert want is not None  # noqa: S101 - only such paths are restored
        if found is not None and found.kind == "dir":
            raise OSError(errno.EISDIR, "a folder")
        if self._is_link_of_anchor(path, want, found):
            return
        if found is not None and self._is_content_right(path, found, wish):
            self._set_facts(path, found, want, wish.image)
        else:
            if path not in self._moves and not _looks_like(found, want):
                _expect_still(found, wish.now)
            self._ensure_folder(path.rpartition("/")[0])
            self._make(path, want, wish.image)
        if want.links > 1:
            self._anchors.setdefault(want.inode, path)

    def _is_link_of_anchor(self, path: str, want: Entry, found: Entry | None) -> bool:
        """Make a path another name of a file that is right already; False if there is none."""
        anchor = self._anchors.get(want.inode) if want.links > 1 else None
        if anchor is None:
            return False
        right = self._tree.look(anchor)
        if right is None:
            return False
        if found is None or found.inode != right.inode:
            self._ensure_folder(path.rpartition("/")[0])
            source, name = self._tree.place(anchor)

            def link(temporary: str, fd: int) -> None:
                os.link(name, temporary, src_dir_fd=source, dst_dir_fd=fd, follow_symlinks=False)

            self._put(path, link)
        return True

    def _is_content_right(self, path: str, found: Entry, wish: Wish) -> bool:
        """Return whether only facts about the file are to be set."""
        want = wish.want
        if want is None or found.kind != want.kind or found.inode != want.inode:
            return False
        if (found.size, found.target) != (want.size, want.target) or found.kind == "link":
            return (found.target, found.mtime_ns) == (want.target, want.mtime_ns) != ("", 0)
        if found.key == want.key or found.kind == "fifo":
            return True
        if wish.image is None or wish.image.why:  # never read: the times have to do
            return found.mtime_ns == want.mtime_ns
        try:
            with self._tree.file(path) as fd:
                return self._pack.holds(wish.image, fd)
        except PermissionError:
            with self._held(path, "file", found.inode) as fd:
                _set_mode(fd, want.mode)
            with self._tree.file(path) as fd:
                return self._pack.holds(wish.image, fd)

    def _set_facts(self, path: str, found: Entry, want: Entry, image: Image | None) -> None:
        if found.kind == "link" or (found.key == want.key and found.mode == want.mode):
            return
        with self._held(path, found.kind, found.inode) as fd:
            _set_all(fd, want, image)

    def _make(self, path: str, want: Entry, image: Image | None) -> None:
        if want.kind == "file" and (image is None or image.why):
            raise Uncovered(image.why if image is not None else "changing")

        def make(name: str, fd: int) -> None:
            if want.kind == "link":
                os.symlink(want.target, name, dir_fd=fd)
            elif want.kind == "fifo":
                os.mkfifo(name, 0o600, dir_fd=fd)
            else:
                target = os.open(name, _NEW_FLAGS, 0o600, dir_fd=fd)
                try:
                    assert image is not None  # noqa: S101 - as above
                    self._pack.write(image, target)
                    _set_all(target, want, image)
                finally:
                    os.close(target)
                return
            if want.kind == "fifo":
                with _held_at(fd, name) as held:
                    _set_all(held, want, image)
            with suppress(OSError, NotImplementedError):
                times = (want.mtime_ns, want.mtime_ns)
                os.utime(name, ns=times, dir_fd=fd, follow_symlinks=False)

        self._put(path, make)

    def _put(self, path: str, make: Callable[[str, int], None]) -> None:
        """Make something beside its place and rename it there: nobody ever sees a part of it."""
        fd, name = self._tree.place(path)
        temporary = f"{self._temporary}-{os.getpid()}-{next(self._numbers)}"
        is_other_name = False
        try:
            make(temporary, fd)
            is_other_name = self._wants_links(path)
            os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
        except BaseException:
            is_other_name = True
            raise
        finally:
            if is_other_name:  # a rename to another name of the same file does nothing
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=fd)

    def _wants_links(self, path: str) -> bool:
        want = self._wishes[path].want
        return want is not None and want.links > 1

    # Folders.

    def _ensure_folder(self, path: str) -> None:
        """Make the folders on the way to a path that are not there."""
        if not path or _is(self._tree.look_or_none(path), "dir"):
            return
        self._ensure_folder(path.rpartition("/")[0])
        fd, name = self._tree.place(path)
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=fd)

    def _make_folder(self, path: str) -> None:
        found = self._tree.look(path)
        if found is None:
            self._ensure_folder(path.rpartition("/")[0])
            fd, name = self._tree.place(path)
            os.mkdir(name, _ALL_RIGHTS, dir_fd=fd)
        elif found.kind != "dir":
            raise OSError(errno.EEXIST, "no folder")

    def _finish_folder(self, path: str) -> None:
        found = self._tree.look(path)
        if found is None or found.kind != "dir":
            return
        wish = self._wishes.get(path)
        want = wish.want if wish is not None else None
        with self._held(path, "dir") as fd:
            if wish is not None and want is not None:
                _set_all(fd, want, wish.image)
            elif path in self._unlocked:
                _set_mode(fd, self._unlocked[path])

    @contextmanager
    def _held(self, path: str, kind: str, inode: int = 0) -> Generator[int]:
        """Hold a file by a descriptor, also one that may not be read."""
        if not path:
            yield self._tree.fd
            return
        folder, name = self._tree.place(path)
        with _held_at(folder, name) as fd:
            facts = os.fstat(fd)
            if (inode and facts.st_ino != inode) or stat.S_ISDIR(facts.st_mode) != (kind == "dir"):
                raise OSError(errno.ENOTDIR, "another file")
            yield fd


@contextmanager
def _held_at(folder: int, name: str) -> Generator[int]:
    fd = os.open(
        name, _O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC if _O_PATH else FILE_FLAGS, dir_fd=folder
    )
    try:
        yield fd
    finally:
        os.close(fd)


def _is(entry: Entry | None, kind: str) -> bool:
    return entry is not None and entry.kind == kind


def _expect_still(found: Entry | None, now: Entry | None) -> None:
    """Raise OSError if a file is not the one that was looked at before, or has changed since.

    The time of a file with several names changes when one of them goes.
    """
    if found is None or (now is not None and found.kind == now.kind == "dir"):
        return
    if now is None:
        raise OSError(errno.EEXIST, "made meanwhile")
    has_changed = found.key != now.key and found.links == now.links == 1
    if found.inode != now.inode or has_changed:
        raise OSError(errno.EEXIST, "changed meanwhile")


def _looks_like(found: Entry | None, want: Entry) -> bool:
    """Return whether a file was put back already, before the worker was ended."""
    return found is not None and found[:4] == want[:4]


def _is_removed(wish: Wish) -> bool:
    """Return whether something has to go, for nothing or for something of another kind."""
    if wish.now is None:
        return False
    if wish.want is None:
        return True
    return wish.now.kind != wish.want.kind and "dir" in (wish.now.kind, wish.want.kind)


def _by_descriptor(fd: int) -> Any:
    """Return what names an open file for calls that take no descriptor of this kind."""
    return f"/proc/self/fd/{fd}" if _O_PATH else fd


def _set_mode(fd: int, mode: int) -> None:
    os.chmod(_by_descriptor(fd), mode)


def _set_all(fd: int, want: Entry, image: Image | None) -> None:
    """Set attributes, permissions and the time; the last of these is changed by the others."""
    at = _by_descriptor(fd)
    if hasattr(os, "setxattr") and image is not None:
        wanted = image.attributes or {}
        with suppress(OSError):
            for name in os.listxattr(at):
                if name not in wanted and not name.startswith("security."):
                    os.removexattr(at, name)
        for name, value in wanted.items():
            with suppress(OSError):
                os.setxattr(at, name, base64.b64decode(value))
    os.chmod(at, want.mode)
    os.utime(at, ns=(want.mtime_ns, want.mtime_ns))


set_facts = _set_all


# What of an undo is written before it begins.


def work_fields(
    wishes: Wishes, steps: Steps, moves: dict[str, str], kept: dict[str, Image], pack: Pack
) -> dict[str, Any]:
    """Return the work as a journal has it: what neither the steps nor the pack have already."""
    others: Wishes = {}
    by_steps: list[str] = []
    for path, wish in wishes.items():
        step = steps.get(path)
        if step is not None and (wish.now, wish.want, wish.image) == (
            step.after,
            step.before,
            step.image,
        ):
            by_steps.append(path)
        else:
            others[path] = wish
    unknown = {
        path: image
        for path, image in kept.items()
        if (now := wishes[path].now) is None or pack.images.get(now.key) is not image
    }
    return {"by_steps": by_steps, "wishes": others, "moves": moves, "kept": unknown}


def read_work(fields: dict[str, Any], steps: Steps, pack: Pack) -> tuple[Wishes, dict[str, Image]]:
    """Return the wishes of a journal, and the images that were kept for the way back."""
    wishes: Wishes = {}
    for path in fields["by_steps"]:
        if (step := steps.get(path)) is not None:
            wishes[path] = Wish(step.after, step.before, step.image)
    for path, (now, want, image) in fields["wishes"].items():
        wishes[path] = Wish(as_entry(now), as_entry(want), as_image(image))
    kept = {path: Image(*one) for path, one in fields["kept"].items()}
    for path, wish in wishes.items():
        if path not in kept and wish.now is not None and wish.now.key in pack.images:
            kept[path] = pack.images[wish.now.key]
    return wishes, kept


def is_on_its_way(found: Entry | None, wish: Wish) -> bool:
    """Return whether a path is as it was before an undo, or as that has left it already."""
    if found is None:
        return True
    ways = [one for one in (wish.now, wish.want) if one is not None]
    return any(
        found.kind == one.kind and (one.kind == "dir" or found[2:4] == one[2:4]) for one in ways
    )


def is_half_written(
    tree: Tree, path: str, found: Entry, wish: Wish, kept: Image, pack: Pack
) -> bool:
    """Return whether a file is the present one with the beginning of the wanted one over it."""
    now, want, image = wish
    if now is None or want is None or image is None or not found.inode == now.inode == want.inode:
        return False
    if found.kind != "file" or found.size > max(now.size, want.size) or kept.why or image.why:
        return False
    with suppress(OSError), tree.file(path) as fd:
        data = os.read(fd, found.size + 1)
        old, new = pack.content(kept), pack.content(image)
        alike = (n for n, (a, b) in enumerate(zip(data, new, strict=False)) if a != b)
        length = next(alike, min(len(data), len(new)))
        return data[length:] == old[length:]
    return False


def is_only_facts(now: Entry, want: Entry | None) -> bool:
    """Return whether a file keeps its content on its way back."""
    return want is not None and now[2:5] == want[2:5] and now.kind == want.kind


def sweep(folder: int, token: str) -> None:
    """Delete temporary files of one undo in a folder."""
    for name in os.listdir(folder):
        if name.startswith(f"{TEMPORARY}{token}"):
            os.unlink(name, dir_fd=folder)
