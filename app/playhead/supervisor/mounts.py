"""Mounts of a person's files in the sandbox, made and taken away while it lives.

The parts of a list are made before the sandbox is, and by the same way after. A part is bound in a
place of this process's own first, where it gets its flags, since a change of flags does not follow
into the sandbox; and then to its place below a root that the sandbox sees.
"""

from __future__ import annotations

import errno
import os
import stat

from .namespaces import (
    BIND,
    NO_DEVICES,
    NO_SUID,
    PRIVATE,
    READ_ONLY,
    RECURSIVE,
    Place,
    mount,
    path_of,
    set_flags,
    unmount,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACES, _OWN, _EMPTY = "places", "own", "empty"
RESOLVER = "resolv.conf"
"""The file of the staging folder that names our own name server."""
_SIZES = {"tmp": "mode=1777,size=2000m", "run": "mode=755,size=50m"}
"""Of the places that can be written; the others are read-only."""


class Mounts:
    """Owner of what is mounted."""

    def __init__(self) -> None:
        self._staging = ""
        self._given: dict[Key, tuple[Place, int]] = {}
        self._number = 0

    def begin(self, staging: str, tops: list[str], made: list[tuple[str, bool]]) -> None:
        """Make the folders in memory that the sandbox is to see as these of the root folder.

        They are mounted below `staging`, an empty folder that others see empty. In them the files
        and folders are `made` that others are mounted on: nobody can later.
        """
        self._staging = staging
        mount("staging", self._staging, "tmpfs", NO_SUID | NO_DEVICES, "mode=755,size=2m")
        own = self._path(_OWN)
        os.mkdir(own)
        mount("own", own, "tmpfs", NO_SUID | NO_DEVICES, "mode=700,size=1m")
        mount("", own, "", PRIVATE)
        os.mkdir(os.path.join(own, _EMPTY))
        os.mkdir(self._path(_PLACES))
        for top in tops:
            place = self._path(_PLACES, top)
            os.mkdir(place)
            if top in _SIZES:
                mount(top, place, "tmpfs", NO_SUID | NO_DEVICES, _SIZES[top])
        for path, is_folder in made:
            place = self._path(_PLACES, path.lstrip("/"))
            os.makedirs(place if is_folder else os.path.dirname(place), exist_ok=True)
            if not is_folder:
                os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o600))
        with open(self._path(RESOLVER), "w") as file:
            file.write("nameserver 127.0.0.1\noptions timeout:10 attempts:1\n")

    def _path(self, *parts: str) -> str:
        return os.path.join(self._staging, *parts)

    def give(self, wanted: list[dict[str, Any]]) -> None:
        """Have these parts, and no others. Raises OSError; what was to go has gone then.

        What is mounted below a part that changes is mounted once more.
        """
        known = {(part["root"], part["inside"], part["kind"]): part for part in wanted}
        changed = [_path(key) for key in known.keys() ^ self._given.keys()]
        for key in sorted(self._given, reverse=True):
            if key not in known or _is_below(_path(key), changed):
                self._take_away(*self._given.pop(key))
        for key in sorted(known):
            if key not in self._given:
                self._given[key] = self._put(known[key])

    def _take_away(self, place: Place, mounted: int) -> None:
        try:
            unmount(path_of(mounted))
        except OSError as error:
            if error.errno != errno.EINVAL:  # else it has gone with the place that it was at
                raise
        finally:
            os.close(mounted)
            place.close()

    def _put(self, part: dict[str, Any]) -> tuple[Place, int]:
        source = _open_exactly(part["path"]) if part["kind"] != "hide" else -1
        try:
            is_folder = part["is_folder"] if source < 0 else _is_folder(source)
            root, inside = str(part["root"]), str(part["inside"])
            is_elsewhere = part["path"] != os.path.join(root, inside)
            place = Place(root, inside, is_folder, clears=is_elsewhere)
            try:
                own = self._prepared(part["kind"], source, is_folder)
                try:
                    mount(own, path_of(place.here), "", BIND | RECURSIVE)
                finally:
                    unmount(own)
                return place, place.look()
            except OSError:
                place.close()
                raise
        finally:
            if source >= 0:
                os.close(source)

    def _prepared(self, kind: str, source: int, is_folder: bool) -> str:
        """Return the path at which a part is mounted with its flags, for us alone."""
        self._number += 1
        own = self._path(_OWN, str(self._number))
        if is_folder:
            os.mkdir(own)
        else:
            os.close(os.open(own, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        empty = self._path(_OWN, _EMPTY) if is_folder else "/dev/null"
        mount(path_of(source) if source >= 0 else empty, own, "", BIND | RECURSIVE)
        try:
            # Else what is mounted on it would be mounted on its source, too, and on `own`.
            mount("", own, "", RECURSIVE | PRIVATE)
            set_flags(own, NO_SUID | NO_DEVICES | (0 if kind == "write" else READ_ONLY))
        except OSError:
            unmount(own)
            raise
        return own


Key = tuple[str, str, str]


def _path(key: Key) -> str:
    return os.path.join(key[0], key[1])


def _is_below(path: str, others: list[str]) -> bool:
    return any(path.startswith(other + "/") for other in others)


def _open_exactly(path: str) -> int:
    """Return a descriptor of a path that leads over no link. Raises OSError."""
    fd = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    if os.readlink(path_of(fd)) != path or stat.S_ISLNK(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "the way leads over a link", path)
    return fd


def _is_folder(fd: int) -> bool:
    return stat.S_ISDIR(os.fstat(fd).st_mode)
