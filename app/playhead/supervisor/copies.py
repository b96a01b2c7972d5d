"""Puts an overlay over the working folder, so that code below works in a copy of it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OPTIONS = "userxattr,volatile,index=off,metacopy=off"
_NEWNS, _NEWUSER = 0x00020000, 0x10000000
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def cover(command: dict[str, Any]) -> None:
    """Put the copy of a folder over it, for all that is started from here. Raises OSError.

    `folder` is its path and `identity` its device and inode, `upper` and `work` are the folders
    that overlayfs wants. Here has to be a user and a mount namespace of our own.
    """
    folder = os.open(command["folder"], _FOLDER)
    try:
        facts = os.fstat(folder)
        if [facts.st_dev, facts.st_ino] != command["identity"]:
            raise OSError(116, "another folder has its place")  # ESTALE
        # The path of the layer is seen in the list of mounts, by which the app knows it again.
        layers = "lowerdir=%s,upperdir=%s,workdir=%s" % (
            _by_descriptor(folder),
            _escaped(command["upper"]),
            _escaped(command["work"]),
        )
        _mount("overlay", _by_descriptor(folder), "overlay", 0, "%s,%s" % (layers, _OPTIONS))
    finally:
        os.close(folder)


def leave_namespaces() -> None:
    """Make a user and a mount namespace of our own, in which we are who we were. Raises OSError."""
    import ctypes

    uid, gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEWUSER | _NEWNS):
        _raise(ctypes.get_errno())
    for name, words in (
        ("setgroups", "deny"),
        ("uid_map", "%d %d 1" % (uid, uid)),
        ("gid_map", "%d %d 1" % (gid, gid)),
    ):
        with open("/proc/self/%s" % name, "w") as file:
            file.write(words)
    _mount("none", "/", "", _PRIVATE | _RECURSIVE, "")


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace(",", "\\,")


def _by_descriptor(fd: int) -> str:
    return "/proc/self/fd/%d" % fd


def _mount(source: str, target: str, kind: str, flags: int, data: str) -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    words = [os.fsencode(word) for word in (source, target, kind, data)]
    if libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]):
        _raise(ctypes.get_errno())


def _raise(number: int) -> None:
    raise OSError(number, os.strerror(number))
