"""Changes of a copy carried out in the folder that it was made of, by descriptors only.

Files are copied, not moved: what code in the copy still holds open stays in the copy.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress

from playhead.undo_worker.pack import SMALL_BYTES, Image, Pack, Uncovered, is_cloned
from playhead.undo_worker.scanning import (
    FILE_FLAGS,
    TEMPORARY,
    Entry,
    Tree,
    entry_of,
)
from playhead.undo_worker.undoing import Undo, Wishes, set_facts
from playhead.undo_worker.upper_layer import image_of, is_opaque, is_whiteout, opened

_COPY_BYTES = 8_000_000
_BLOCK_BYTES = 4096
_TOO_FAR = "It is too large to be copied to the disk that Playhead's data is on."


def of_copy(entry: Entry) -> Entry:
    """Return an entry of a copy under a name that no file of the folder can have."""
    return entry._replace(inode=-entry.inode)


class Apply(Undo):
    """Carries out the wishes with the files of a copy's layer, of which they have the entries."""

    def __init__(self, tree: Tree, pack: Pack, wishes: Wishes, token: str, upper: Tree) -> None:
        super().__init__(tree, pack, wishes, {}, token)
        self._upper = upper

    def _make(self, path: str, want: Entry, image: Image | None) -> None:
        def make(name: str, fd: int) -> None:
            if want.kind == "file":
                source, own_name = self._upper.place(path)
                copy_file(source, own_name, fd, name, want)
                return
            if want.kind == "link":
                os.symlink(want.target, name, dir_fd=fd)
            else:
                os.mkfifo(name, stat.S_IMODE(want.mode), dir_fd=fd)
            _set_times(fd, name, want)

        self._put(path, make)


def copy_file(source: int, name: str, target: int, new_name: str, want: Entry | None) -> None:
    """Copy a file of a layer, with what can be said of it; it is still as `want` has it."""
    facts = os.stat(name, dir_fd=source, follow_symlinks=False)
    if want is not None and (-facts.st_ino, facts.st_ctime_ns) != want.key:
        raise Uncovered("changing")
    with opened(source, name, FILE_FLAGS) as fd:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        to = os.open(new_name, flags, 0o600, dir_fd=target)
        try:
            _copy(fd, to, facts)
            set_facts(to, entry_of(facts), image_of(fd))
        finally:
            os.close(to)


def _copy(source: int, target: int, facts: os.stat_result) -> None:
    """Copy a content: shared blocks where the system can, holes stay holes."""
    if not facts.st_size:
        return
    if facts.st_size <= SMALL_BYTES and facts.st_blocks * 512 >= facts.st_size:
        data = os.read(source, facts.st_size + 1)
        if len(data) != facts.st_size or os.write(target, data) != len(data):
            raise Uncovered("changing")
        return
    if is_cloned(source, target):
        return
    os.ftruncate(target, facts.st_size)
    at = 0
    while at < facts.st_size:
        try:
            start = os.lseek(source, at, os.SEEK_DATA)
            end = os.lseek(source, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # no more data
                break
            raise
        at = start
        while at < end:
            data = os.pread(source, min(end - at, _COPY_BYTES), at)
            if not data:
                raise Uncovered("changing")
            os.pwrite(target, data, at)
            at += len(data)


def _set_times(fd: int, name: str, want: Entry) -> None:
    with suppress(OSError, NotImplementedError):
        times = (want.mtime_ns, want.mtime_ns)
        os.utime(name, ns=times, dir_fd=fd, follow_symlinks=False)


class Merge:
    """Copies a folder of a layer into one that is only counted, such as `node_modules`.

    Nothing of it can be undone. `token` is in the names of files on their way.
    """

    def __init__(self, token: str) -> None:
        self._temporary = f"{TEMPORARY}{token}"
        self.failed: list[str] = []

    def run(self, upper: Tree, tree: Tree, path: str) -> None:
        """Carry it out as far as possible; `failed` has the paths that the system refused."""
        try:
            source, name = upper.place(path)
            target, _ = tree.place(path)
            self._folder(source, target, name, path)
        except (OSError, RecursionError):  # code may have made it as deep as it likes
            self.failed.append(path)

    def copy(self, source: int, name: str, target: int) -> None:
        """Copy a folder that is in another one. Raises OSError."""
        self._folder(source, target, name, name)

    def _folder(self, source: int, target: int, name: str, path: str) -> None:
        with opened(source, name) as layer:
            facts = os.fstat(layer)
            if is_opaque(layer) or not _is_folder(target, name):
                remove(target, name)
                os.mkdir(name, 0o700, dir_fd=target)
            with opened(target, name) as folder:
                for one in sorted(os.listdir(layer)):
                    try:
                        self._one(layer, folder, one, f"{path}/{one}")
                    except (OSError, Uncovered):
                        self.failed.append(f"{path}/{one}")
                set_facts(folder, entry_of(facts), image_of(layer))

    def _one(self, layer: int, folder: int, name: str, path: str) -> None:
        facts = os.stat(name, dir_fd=layer, follow_symlinks=False)
        if is_whiteout(facts):
            remove(folder, name)
            return
        if stat.S_ISDIR(facts.st_mode):
            self._folder(layer, folder, name, path)
            return
        if _is_folder(folder, name):
            remove(folder, name)
        with suppress(FileNotFoundError):
            os.unlink(self._temporary, dir_fd=folder)
        if stat.S_ISLNK(facts.st_mode):
            os.symlink(os.readlink(name, dir_fd=layer), self._temporary, dir_fd=folder)
            _set_times(folder, self._temporary, entry_of(facts))
        elif stat.S_ISREG(facts.st_mode):
            copy_file(layer, name, folder, self._temporary, None)
        else:
            return
        os.rename(self._temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def move_folder(source: int, name: str, target: int, new_name: str, most_bytes: int) -> None:
    """Move a folder to another file system: copied as a whole, then deleted. Raises OSError."""
    part = f"{TEMPORARY}{os.urandom(6).hex()}"
    try:
        if _size(source, name, most_bytes) > most_bytes:
            raise OSError(errno.EFBIG, _TOO_FAR)
        os.mkdir(part, 0o700, dir_fd=target)
        merge = Merge(part)
        with opened(target, part) as held:
            merge.copy(source, name, held)
            if merge.failed:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            os.rename(name, new_name, src_dir_fd=held, dst_dir_fd=target)
    except RecursionError as error:
        raise OSError(errno.EFBIG, _TOO_FAR) from error
    finally:
        remove(target, part)
    os.rename(name, part, src_dir_fd=source, dst_dir_fd=source)  # at once for who looks
    remove(source, part)


def _size(fd: int, name: str, most_bytes: int) -> int:
    """Return the bytes of a folder, or some number over the most; small files count as blocks."""
    total = 0
    with opened(fd, name) as folder:
        for one in os.listdir(folder):
            facts = os.stat(one, dir_fd=folder, follow_symlinks=False)
            total += max(_BLOCK_BYTES, facts.st_blocks * 512)
            if stat.S_ISDIR(facts.st_mode) and total <= most_bytes:
                total += _size(folder, one, most_bytes - total)
            if total > most_bytes:
                break
    return total


def _is_folder(fd: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def remove(fd: int, name: str) -> None:
    """Delete a file, or a folder with all that is in it; no link is followed.

    Code may have made it as deep as it likes: folders in folders are moved up before.
    """
    if not _is_folder(fd, name):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=fd)
        return
    _unlock(fd, name)
    with opened(fd, name) as top:
        waiting = os.listdir(top)
        while waiting:
            waiting += _remove_flat(top, waiting.pop())
    os.rmdir(name, dir_fd=fd)


def _remove_flat(top: int, name: str) -> list[str]:
    """Delete a file or a folder; return the names that the folders in it have beside it now."""
    below: list[str] = []
    if not _is_folder(top, name):
        os.unlink(name, dir_fd=top)
        return below
    _unlock(top, name)
    with opened(top, name) as folder:
        for one in os.listdir(folder):
            if _is_folder(folder, one):
                _unlock(folder, one)
                below.append(os.urandom(12).hex())
                os.rename(one, below[-1], src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(one, dir_fd=folder)
    os.rmdir(name, dir_fd=top)
    return below


def _unlock(fd: int, name: str) -> None:
    """Allow a folder to be changed; overlayfs makes some that may not even be read."""
    if sys.platform == "linux":
        held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        try:
            os.chmod(f"/proc/self/fd/{held}", 0o700)
        finally:
            os.close(held)
