"""Namespaces of the supervisor's own, in which it makes mounts that code sees while it runs.

Its tree of mounts is shared, and that of a sandbox which is started in it follows it: what is
mounted here later, below a folder that the sandbox sees, appears there, too. Its network has no way
out. It loads nothing that a supervisor does not need before a start.
"""

from __future__ import annotations

import _socket
import ctypes
import errno
import fcntl
import os
import stat
import struct

_NEW_USER, _NEW_MOUNTS, _NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES = 0x1, 0x2, 0x4
BIND, RECURSIVE, PRIVATE, SHARED = 0x1000, 0x4000, 0x40000, 0x100000
_DETACH = 0x2
_MOUNT_SETATTR, _EMPTY_PATH, _ALL_BELOW = 442, 0x1000, 0x8000
_IP, _PACKET, _DATAGRAM, _NETLINK, _RAW = 2, 17, 2, 16, 3
_SET_FLAGS, _UP_AND_RUNNING = 0x8914, 0x41
_NAME_PORT = 53
_IP_PACKETS, _ATTACH_FILTER, HEADER_BYTES = 0x0800, 26, 64
_LOOPBACK_NUMBER, _LOCAL_TABLE, _BY_BOOT, _IS_LOCAL = 1, 255, 3, 2
_NEW_ROUTE, _REQUEST_CREATE_ACKNOWLEDGE = 24, 0x605
_libc = ctypes.CDLL(None, use_errno=True)


def enter() -> None:
    """Move this process into namespaces of its own, in which it is who it was. Raises OSError."""
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(_NEW_USER | _NEW_MOUNTS | _NEW_NETWORK), "namespaces")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", "%d %d 1" % (user, user)),
        ("gid_map", "%d %d 1" % (group, group)),
    ):
        fd = os.open("/proc/self/" + name, os.O_WRONLY)
        try:
            os.write(fd, text.encode("ascii"))
        finally:
            os.close(fd)
    mount("", "/", "", RECURSIVE | SHARED)
    _open_loopback()


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Call `mount`. Raises OSError."""
    words = [word.encode("utf-8", "surrogateescape") or None for word in (source, target, kind)]
    done = _libc.mount(
        words[0], words[1], words[2], ctypes.c_ulong(flags), data.encode("utf-8") or None
    )
    _check(done, target)


def unmount(target: str) -> None:
    """Take away the last mount at a path, with all below it, even while it is used."""
    _check(_libc.umount2(target.encode("utf-8", "surrogateescape"), _DETACH), target)


def set_flags(target: str, flags: int) -> None:
    """Set flags of a mount and of all below it. Raises OSError."""
    wanted = ctypes.create_string_buffer(struct.pack("QQQQ", flags, 0, 0, 0), 32)
    path = target.encode("utf-8", "surrogateescape")
    done = _libc.syscall(
        _MOUNT_SETATTR, -100, path, ctypes.c_uint(_ALL_BELOW), wanted, ctypes.c_size_t(32)
    )
    _check(done, target)


def _check(done: int, what: str) -> None:
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def _open_loopback() -> None:
    """Start the loopback device, and have it take all packets, whatever address they are for.

    So a connection to anywhere is refused at once, instead of being lost, and can be seen.
    """
    any_socket = _socket.socket(_IP, _DATAGRAM)
    fcntl.ioctl(any_socket.fileno(), _SET_FLAGS, struct.pack("16sH22x", b"lo", _UP_AND_RUNNING))
    any_socket.close()
    route = struct.pack("8BI", _IP, 0, 0, 0, _LOCAL_TABLE, _BY_BOOT, 254, _IS_LOCAL, 0)
    body = route + struct.pack("HHI", 8, 4, _LOOPBACK_NUMBER)
    routes = _socket.socket(_NETLINK, _RAW, 0)
    routes.bind((0, 0))
    header = (16 + len(body), _NEW_ROUTE, _REQUEST_CREATE_ACKNOWLEDGE, 1, 0)
    routes.send(struct.pack("IHHII", *header) + body)
    number = -struct.unpack("i", routes.recv(4096)[16:20])[0]
    routes.close()
    if number:
        raise OSError(number, os.strerror(number), "the loopback device")


def name_socket() -> _socket.socket:
    """Return the socket of the name server that all programs ask."""
    made = _socket.socket(_IP, _DATAGRAM)
    made.bind(("127.0.0.1", _NAME_PORT))
    return made


def packet_socket() -> _socket.socket:
    """Return a socket with the first packets of connections and all datagrams to other addresses.

    Those to this computer are not of interest, nor those to many at once.
    """
    steps = (
        (0x20, 0, 0, 0xFFFFF004),  # the kind of packet: those that arrive, not once more as sent
        (0x15, 0, 12, 0),
        (0x20, 0, 0, 16),  # the address it is for
        (0x35, 10, 0, 0xE0000000),  # many at once
        (0x54, 0, 0, 0xFF000000),
        (0x15, 8, 0, 0x7F000000),  # this computer
        (0x30, 0, 0, 9),
        (0x15, 5, 0, 17),  # a datagram
        (0x15, 0, 5, 6),
        (0xB1, 0, 0, 0),
        (0x50, 0, 0, 13),
        (0x54, 0, 0, 0x12),
        (0x15, 0, 1, 0x02),  # the first packet of a connection
        (0x06, 0, 0, HEADER_BYTES),
        (0x06, 0, 0, 0),
    )
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(program, len(program))
    seen = _socket.socket(_PACKET, _DATAGRAM, _socket.htons(_IP_PACKETS))
    words = struct.pack("HP", len(steps), ctypes.addressof(held))
    seen.setsockopt(_socket.SOL_SOCKET, _ATTACH_FILTER, words)
    return seen


class Place:
    """A place below a root, made where it is not there. Raises OSError.

    Code may have put links there: none is followed; with `clears` they are removed. `parent` and
    `here` are descriptors.
    """

    def __init__(self, root: str, inside: str, is_folder: bool, *, clears: bool = False) -> None:
        self._clears = clears
        *way, self.name = inside.split("/")
        self.parent = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        for part in way:
            self._make(part, True)
            inner = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=self.parent)
            os.close(self.parent)
            self.parent = inner
        self._make(self.name, is_folder)
        self.here = self.look()
        if stat.S_ISDIR(os.fstat(self.here).st_mode) != is_folder or self._is_link():
            raise OSError(errno.EEXIST, "there is something else", self.name)
        self._is_folder = is_folder
        self._held = os.open(path_of(self.here), os.O_RDONLY)
        fcntl.flock(self._held, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def look(self) -> int:
        """Return a descriptor of what is there now: of the last mount, if there is one."""
        return os.open(self.name, os.O_PATH | os.O_NOFOLLOW, dir_fd=self.parent)

    def _is_link(self) -> bool:
        return stat.S_ISLNK(os.fstat(self.here).st_mode)

    def _make(self, part: str, is_folder: bool) -> None:
        if self._clears:
            try:
                facts = os.stat(part, dir_fd=self.parent, follow_symlinks=False)
                if stat.S_ISLNK(facts.st_mode):
                    os.unlink(part, dir_fd=self.parent)
            except FileNotFoundError:
                pass
        try:
            if is_folder:
                os.mkdir(part, 0o700, dir_fd=self.parent)
            else:
                flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW
                os.close(os.open(part, flags, 0o600, dir_fd=self.parent))
        except FileExistsError:
            return

    def close(self) -> None:
        """Remove the place if it is empty and no other kernel's: its mount there would go, too."""
        try:
            if self._clears:
                fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_folder:
                    os.rmdir(self.name, dir_fd=self.parent)
                elif not os.fstat(self._held).st_size:
                    os.unlink(self.name, dir_fd=self.parent)
        except OSError:
            pass
        finally:
            for fd in (self._held, self.here, self.parent):
                os.close(fd)


def path_of(fd: int) -> str:
    """Return the path by which a descriptor is mounted or bound."""
    return "/proc/self/fd/%d" % fd
