"""The system calls that code in the sandbox does not get, as a program for the kernel's seccomp.

All that is not named is allowed. Each refusal is an error that programs know, so that libraries go
on without the call; only calls of another architecture end the process. No input or output.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping, Sequence

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
"""Places in `struct seccomp_data`; of an argument its lower half comes first."""
_X32 = 0x40000000

ARCHITECTURES: Mapping[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FORBIDDEN: Mapping[str, tuple[int | None, int | None]] = {
    # x86_64, aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
}
"""Calls that fail with EPERM, whatever their arguments, by their numbers."""
CLONE, UNSHARE, CLONE3 = (56, 220), (272, 97), (435, 435)
SOCKET, SOCKETPAIR, IOCTL = (41, 198), (53, 199), (16, 29)
_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
_NEW_TIME = 0x80
FAMILIES = (1, 2, 10, 16)
"""Of sockets: UNIX, INET, INET6, NETLINK."""
_UNIX, _DATAGRAM_BIT = 1, 2
"""The bit is in the kinds of sockets that can be turned to another address."""
SHARED_FORBIDDEN: Mapping[str, tuple[int, int]] = {
    "pidfd_open": (434, 434),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "shmget": (29, 194),
    "shmctl": (31, 195),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "semop": (65, 193),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "inotify_add_watch": (254, 27),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "removexattrat": (466, 466),
}
"""Calls that reach the rest of the system where no namespace is between."""
OWN_ONLY: Mapping[str, tuple[tuple[int, int], tuple[int, ...]]] = {
    "setpriority": ((141, 140), (0, 1)),
    "prlimit64": ((302, 261), (0,)),
    "sched_setaffinity": ((203, 122), (0,)),
    "sched_setscheduler": ((144, 119), (0,)),
    "sched_setparam": ((142, 118), (0,)),
    "sched_setattr": ((314, 274), (0,)),
}
"""Calls that name a process: there these arguments have to be 0, which is who calls."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""They type into a terminal."""


def filter_program(machine: str, *, shared_network: bool | None = None) -> bytes:
    """Return the program for a machine as `uname` names it. Raises KeyError for an unknown one.

    Where there are no namespaces `shared_network` is whether code gets the system's network: then
    no call reaches other processes, and no socket other programs of this computer.
    """
    kind = list(ARCHITECTURES).index(machine)
    program = [
        _step(_LOAD, _ARCHITECTURE_AT),
        _step(_EQUAL, ARCHITECTURES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER_AT),
    ]
    if machine == "x86_64":
        program += [_step(_AT_LEAST, _X32, 0, 1), _refuse(errno.ENOSYS)]
    is_shared = shared_network is not None
    for numbers in (*FORBIDDEN.values(), *(SHARED_FORBIDDEN.values() if is_shared else ())):
        if (number := numbers[kind]) is not None:
            program += [_step(_EQUAL, number, 0, 1), _refuse(errno.EPERM)]
    # Its flags are in memory, where no filter can look: who gets ENOSYS takes `clone`.
    program += [_step(_EQUAL, CLONE3[kind], 0, 1), _refuse(errno.ENOSYS)]
    for call, bits in ((CLONE, _NEW_NAMESPACES & ~_NEW_TIME), (UNSHARE, _NEW_NAMESPACES)):
        # The lowest byte of the flags of `clone` is a signal, so that NEWTIME cannot be in them.
        program += _when(call[kind], 0, [_step(_ANY_BIT, bits, 0, 1), _refuse(errno.EPERM)])
    if is_shared:
        program += _shared_steps(kind, FAMILIES[1:] if shared_network else ())
    else:
        for call in (SOCKET, SOCKETPAIR):
            program += _when(call[kind], 0, _one_of(FAMILIES, errno.EAFNOSUPPORT))
    typing = [_step(_EQUAL, _TIOCSTI, 1, 0), _step(_EQUAL, _TIOCLINUX, 0, 1), _refuse(errno.EPERM)]
    program += _when(IOCTL[kind], 1, typing)
    return b"".join([*program, _step(_RETURN, _ALLOW)])


def _shared_steps(kind: int, families: Sequence[int]) -> list[bytes]:
    program = _when(SOCKET[kind], 0, _one_of(families, errno.EPERM))
    pair = [
        *_one_of((_UNIX,), errno.EAFNOSUPPORT),
        _step(_LOAD, _ARGUMENTS_AT + 8),
        _step(_ANY_BIT, _DATAGRAM_BIT, 0, 1),
        _refuse(errno.EPERM),
    ]
    program += _when(SOCKETPAIR[kind], 0, pair)
    for numbers, arguments in OWN_ONLY.values():
        rest = [_step(_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]
        for argument in arguments[1:]:
            rest += [_step(_LOAD, _ARGUMENTS_AT + 8 * argument), *rest[:2]]
        program += _when(numbers[kind], arguments[0], rest)
    return program


def _one_of(values: Sequence[int], error: int) -> list[bytes]:
    """Return steps that refuse all but these values with an error."""
    count = len(values)
    return [*(_step(_EQUAL, one, count - n, 0) for n, one in enumerate(values)), _refuse(error)]


def _when(number: int, argument: int, steps: list[bytes]) -> list[bytes]:
    """Return the steps for one call, with an argument loaded: it is allowed if they are passed."""
    body = [_step(_LOAD, _ARGUMENTS_AT + 8 * argument), *steps, _step(_RETURN, _ALLOW)]
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _refuse(number: int) -> bytes:
    return _step(_RETURN, _ERRNO | number)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
