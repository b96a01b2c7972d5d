"""The numbers of the filter are those of libseccomp; its program decides as it is meant to."""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import struct

import pytest

from playhead.sandbox.syscall_filter import (
    ARCHITECTURES,
    CLONE,
    CLONE3,
    FORBIDDEN,
    IOCTL,
    OWN_ONLY,
    SHARED_FORBIDDEN,
    SOCKET,
    SOCKETPAIR,
    UNSHARE,
    filter_program,
)

ALLOWED, KILLED = 0x7FFF0000, 0x80000000
KIND = {name: kind for kind, name in enumerate(ARCHITECTURES)}
OTHERS = {
    "clone": CLONE,
    "clone3": CLONE3,
    "unshare": UNSHARE,
    "socket": SOCKET,
    "socketpair": SOCKETPAIR,
    "ioctl": IOCTL,
    **{name: numbers for name, (numbers, _) in OWN_ONLY.items()},
}


def decide(
    machine: str,
    number: int,
    *arguments: int,
    architecture: int | None = None,
    shared_network: bool | None = None,
) -> int:
    """What the program answers to a call, run here step by step."""
    data = struct.pack("<iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *arguments, *[0] * (6 - len(arguments)))  # fmt: skip  # noqa: E501
    steps = list(
        struct.iter_unpack("<HBBI", filter_program(machine, shared_network=shared_network))
    )
    at, held = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        if code == 0x06:
            return value
        if code == 0x20:
            held = int(struct.unpack_from("<I", data, value)[0])
            at += 1
            continue
        is_so = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
        at += 1 + (if_true if is_so else if_false)


def refused(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_numbers_are_those_of_the_system(machine: str) -> None:
    name = ctypes.util.find_library("seccomp")
    if name is None:
        pytest.skip("needs libseccomp")
    library = ctypes.CDLL(name)
    known = 0
    for call, numbers in {**FORBIDDEN, **SHARED_FORBIDDEN, **OTHERS}.items():
        found = library.seccomp_syscall_resolve_name_arch(ARCHITECTURES[machine], call.encode())
        if found != -1:  # a call that is newer than the library
            known += 1
            assert (numbers[KIND[machine]] or -1) == max(found, -1), call
    assert known > len(FORBIDDEN) + len(SHARED_FORBIDDEN) - 5


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_each_forbidden_call_is_refused_and_others_are_not(machine: str) -> None:
    kind = KIND[machine]
    forbidden = {numbers[kind] for numbers in FORBIDDEN.values()} - {None}
    special = {numbers[kind] for numbers in OTHERS.values()}
    for number in range(470):
        if number not in special:
            expected = refused(errno.EPERM) if number in forbidden else ALLOWED
            assert decide(machine, number) == expected, number


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_arguments_decide_about_namespaces_sockets_and_terminals(machine: str) -> None:
    kind = KIND[machine]
    thread, fork = 0x3D0F00, 0x1200011
    for flags, is_allowed in ((thread, True), (fork, True), (0x10000011, False), (0x20000, False)):
        is_fine = decide(machine, CLONE[kind], flags) == ALLOWED
        assert is_fine == is_allowed, hex(flags)
    assert decide(machine, UNSHARE[kind], 0x400) == ALLOWED
    assert decide(machine, UNSHARE[kind], 0x10000000) == refused(errno.EPERM)
    assert decide(machine, UNSHARE[kind], 0x80) == refused(errno.EPERM)
    assert decide(machine, CLONE3[kind]) == refused(errno.ENOSYS)
    for call in (SOCKET, SOCKETPAIR):
        open_families = [n for n in range(64) if decide(machine, call[kind], n) == ALLOWED]
        assert open_families == [1, 2, 10, 16]
    assert decide(machine, IOCTL[kind], 0, 0x5412) == refused(errno.EPERM)
    assert decide(machine, IOCTL[kind], 0, 0x541C) == refused(errno.EPERM)
    assert decide(machine, IOCTL[kind], 0, 0x5413) == ALLOWED


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_without_namespaces_calls_reach_no_other_process_and_no_other_socket(machine: str) -> None:
    kind = KIND[machine]

    def is_open(number: int, *arguments: int, network: bool = False) -> bool:
        return decide(machine, number, *arguments, shared_network=network) == ALLOWED

    for numbers in (*FORBIDDEN.values(), *SHARED_FORBIDDEN.values()):
        number = numbers[kind]
        assert number is None or not is_open(number)
    for numbers, places in OWN_ONLY.values():
        assert is_open(numbers[kind], 0, 0, 9)
        for place in places:
            assert not is_open(numbers[kind], *(int(place == n) for n in range(2)), 9)
    socket, pair = SOCKET[kind], SOCKETPAIR[kind]
    assert [n for n in range(64) if is_open(socket, n)] == []
    assert [n for n in range(64) if is_open(socket, n, network=True)] == [2, 10, 16]
    assert [n for n in range(8) if is_open(pair, 1, n)] == [0, 1, 4, 5]
    assert not is_open(pair, 2, 1)


def test_calls_of_another_architecture_end_the_process() -> None:
    assert decide("x86_64", 0, architecture=0x40000003) == KILLED
    assert decide("x86_64", 0x40000000 | 39) == refused(errno.ENOSYS)
