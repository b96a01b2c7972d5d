"""Where the server listens, and what it says when it cannot."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playhead.api.server.sockets import ListenError, bind, check_reach, tls_context


def has_ipv6() -> bool:
    try:
        with closing(socket.socket(socket.AF_INET6)) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of 127.0.0.1 on which another program listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


def ports_of(host: str, port: int) -> dict[str, int]:
    sockets = bind(host, port)
    addresses = [sock.getsockname() for sock in sockets]
    for sock in sockets:
        sock.close()
    return {address[0]: address[1] for address in addresses}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]"])
def test_loopback_is_both_of_its_addresses_on_one_port(host: str) -> None:
    ports = ports_of(host, 0)
    assert set(ports) == {"127.0.0.1", "::1"} if has_ipv6() else {"127.0.0.1"}
    assert len(set(ports.values())) == 1


def test_a_port_can_be_used_again_at_once() -> None:
    (port,) = set(ports_of("127.0.0.1", 0).values())
    assert set(ports_of("127.0.0.1", port).values()) == {port}


def test_a_taken_port_is_named(taken: int) -> None:
    with pytest.raises(ListenError) as refusal:
        bind("127.0.0.1", taken)
    assert refusal.value.code == "port_taken"
    assert str(taken) in refusal.value.title
    assert "another port" in refusal.value.remedy


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_a_port_that_is_taken_on_one_address_only_is_taken() -> None:
    with closing(socket.create_server(("::1", 0), family=socket.AF_INET6)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ListenError) as refusal:
            bind("127.0.0.1", port)
        assert refusal.value.code == "port_taken"
    assert ports_of("127.0.0.1", port)  # what was bound before the refusal was let go


def test_without_ipv6_one_address_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    make = socket.socket

    def without_ipv6(family: int = -1, kind: int = -1, protocol: int = -1) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(97, "Address family not supported by protocol")
        return make(family, kind, protocol)

    monkeypatch.setattr(socket, "socket", without_ipv6)
    assert set(ports_of("localhost", 0)) == {"127.0.0.1"}


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-machine.invalid"])
def test_an_address_of_another_machine_is_said_to_be_one(host: str) -> None:
    with pytest.raises(ListenError) as refusal:
        bind(host, 0)
    assert refusal.value.code == "address_unknown"
    assert host in refusal.value.title


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "box.example"])
def test_other_machines_are_let_in_only_with_tls_and_a_name(host: str) -> None:
    for has_tls, names in ((False, ["box.example"]), (True, []), (True, [""]), (False, [])):
        with pytest.raises(ListenError) as refusal:
            check_reach(host, has_tls=has_tls, allowed_hosts=names)
        assert refusal.value.code == "tls_required"
    check_reach(host, has_tls=True, allowed_hosts=["box.example"])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.5"])
def test_loopback_needs_neither(host: str) -> None:
    check_reach(host, has_tls=False, allowed_hosts=[])


def test_a_certificate_that_is_none_is_refused_in_words(tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("no certificate")
    for certificate, key in (
        (str(nonsense), str(nonsense)),
        (str(nonsense), ""),
        (str(tmp_path / "absent.pem"), ""),
        ("", str(nonsense)),
    ):
        with pytest.raises(ListenError) as refusal:
            tls_context(certificate, key)
        assert refusal.value.code == "bad_certificate"
        assert "PEM" in refusal.value.remedy


def test_no_certificate_is_no_tls() -> None:
    assert tls_context("", "") is None
