"""Questions of programs for names, as bytes that code may have made up, and what may be reached."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from hypothesis import given, strategies

from playhead.supervisor.gate import is_public
from playhead.supervisor.names import MOST_NAMES, Allowed, Pool, Question
from playhead.supervisor.protocol import host_of


def asked(*labels: bytes, kind: int = 1, flags: int = 0x0100, count: int = 1) -> bytes:
    name = b"".join(bytes([len(one)]) + one for one in labels) + b"\0"
    return struct.pack(">6H", 7, flags, count, 0, 0, 0) + name + struct.pack(">2H", kind, 1)


def test_a_question_for_a_name_is_answered_with_its_address() -> None:
    question = Question(asked(b"API", b"example"))
    assert (question.name, question.is_for_address) == ("api.example", True)
    answer = question.answer(b"\xc6\x12\0\1")
    assert answer[:8] == struct.pack(">4H", 7, 0x8180, 1, 1)
    assert answer.endswith(b"\0\4\xc6\x12\0\1")
    assert not Question(asked(b"api", b"example", kind=28)).is_for_address


@pytest.mark.parametrize(
    "labels",
    [
        (b"example",),
        (b"api.example", b"evil"),
        (b"api\0", b"example"),
        (b"a_b", b"example"),
        (b"-a", b"example"),
        (b"a:80", b"example"),
        (b"a", b"0x7f"),
        (b"127", b"1"),
        (b"\xc3\xa4", b"example"),
        (b"\xe2\x84\xaa", b"example"),
        (b"a" * 63, b"b" * 63, b"c" * 63, b"d" * 63, b"example"),
        (),
    ],
)
def test_what_is_no_name_of_the_internet_has_none(labels: tuple[bytes, ...]) -> None:
    assert Question(asked(*labels)).name == ""


@given(strategies.binary(max_size=80))
def test_any_bytes_are_a_question_or_none(data: bytes) -> None:
    for made in (data, struct.pack(">6H", 1, 0, 1, 0, 0, 0) + data):
        with suppress(ValueError):
            question = Question(made)
            assert host_of(question.name)[0] == question.name
            assert len(question.answer(b"\0\0\0\0")) >= len(question.answer(None))


def test_the_addresses_of_names_are_their_own_and_not_without_end() -> None:
    pool = Pool()
    given = {pool.address(f"n{number}.example") for number in range(MOST_NAMES)}
    assert len(given) == MOST_NAMES
    assert not any(is_public(".".join(map(str, one))) for one in given if one is not None)
    assert pool.address("one.more.example") is None
    assert pool.name(pool.address("n5.example") or b"") == "n5.example"
    assert pool.name(b"\1\1\1\1") == ""


def test_a_list_allows_its_names_at_their_ports() -> None:
    allowed = Allowed("listed", ["API.example.", "db.example:5432", "1.2.3.4", "evil", "a.b:0"])
    assert allowed.hosts == {"api.example": {80, 443}, "db.example": {5432}}
    assert allowed.has("api.example", 443)
    assert not allowed.has("api.example", 22)
    assert not allowed.has("sub.api.example", 443)
    assert not allowed.knows("evil.example")
    assert Allowed("on").has("evil.example", 22)
    assert host_of("a.example:65536") == host_of("a.example:٣") == host_of("a.\u212a") == ("", 0)
