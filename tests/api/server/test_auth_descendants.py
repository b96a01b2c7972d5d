"""Who is at the other end: a stranger, or a program that this process has started."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager

import pytest

from playhead.api.server import auth
from playhead.api.server.auth import descendants, is_descendant

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")

CLIENT = """
import ctypes, socket, subprocess, sys
family, host, port, *rest = sys.argv[1:]
if rest and rest[0] == "child":
    sys.exit(subprocess.call([sys.executable, "-c", sys.orig_argv[2], family, host, port]))
if rest and rest[0] == "hidden":
    ctypes.CDLL(None).prctl(4, 0)
sock = socket.socket(getattr(socket, family))
sock.connect((host, int(port)))
sys.stdin.read()
"""
Ends = tuple[tuple[str, int], tuple[str, int]]


@contextmanager
def connected(
    *how: str, family: str = "AF_INET", host: str = "127.0.0.1", server: str = "127.0.0.1"
) -> Generator[Ends]:
    """A connection from a child of this process, as both ends call themselves."""
    kind = socket.AF_INET6 if ":" in server else socket.AF_INET
    with closing(socket.create_server((server, 0), family=kind)) as listener:
        port = str(listener.getsockname()[1])
        command = [sys.executable, "-c", CLIENT, family, host, port, *how]
        child = subprocess.Popen(command, stdin=subprocess.PIPE)
        try:
            connection, theirs = listener.accept()
            with closing(connection):
                yield theirs[:2], connection.getsockname()[:2]
        finally:
            child.communicate()


@contextmanager
def own_connection() -> Generator[Ends]:
    """A connection that this process holds itself."""
    listener = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(listener.getsockname())
    connection, theirs = listener.accept()
    with closing(listener), closing(client), closing(connection):
        yield theirs, client.getpeername()


def test_a_child_and_its_child_descend_from_us() -> None:
    for how in ((), ("child",)):
        with connected(*how) as (theirs, ours):
            assert is_descendant(theirs, ours, os.getpid())


def test_the_same_over_ipv6_and_by_an_ipv6_socket_over_ipv4() -> None:
    with connected(family="AF_INET6", host="::ffff:127.0.0.1") as (theirs, ours):
        assert is_descendant(theirs, ours, os.getpid())
    with connected(family="AF_INET6", host="::1", server="::1") as (theirs, ours):
        assert is_descendant(theirs, ours, os.getpid())


def test_who_was_not_started_by_us_is_a_stranger() -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with connected() as (theirs, ours):
        assert not is_descendant(theirs, ours, stranger.pid)
    stranger.communicate(b"\n")


def test_our_own_client_is_no_descendant() -> None:
    with own_connection() as (theirs, ours):
        assert not is_descendant(theirs, ours, os.getpid())


@pytest.mark.skipif(sys.platform == "linux" and os.geteuid() == 0, reason="nothing hides from root")
def test_a_child_that_hides_its_files_is_found_out_but_for_the_trusted() -> None:
    before = set(descendants(os.getpid()))
    with connected("hidden") as (theirs, ours):
        (pid,) = set(descendants(os.getpid())) - before
        assert is_descendant(theirs, ours, os.getpid())
        assert not is_descendant(theirs, ours, os.getpid(), trusted={pid, *before})


def test_a_hidden_child_counts_only_where_nobody_else_holds_the_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    look = auth._holds
    before = set(descendants(os.getpid()))
    with connected() as (theirs, ours):
        (pid,) = set(descendants(os.getpid())) - before
        monkeypatch.setattr(
            auth, "_holds", lambda at, inode: None if at == pid else look(at, inode)
        )
        assert is_descendant(theirs, ours, os.getpid())
        assert not is_descendant(theirs, ours, os.getpid(), trusted={pid, *before})
        with own_connection() as (others, own):
            assert not is_descendant(others, own, os.getpid())


def test_a_connection_that_has_ended_is_of_nobody() -> None:
    with own_connection() as (theirs, ours):
        pass
    assert not is_descendant(theirs, ours, os.getpid())


async def test_a_request_says_whether_its_client_descends_from_us() -> None:
    from aiohttp import web

    async def asked(request: web.BaseRequest) -> web.Response:
        return web.Response(text=str(await auth.descends_from_us(request)))

    server = web.Server(asked)
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    script = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}').read())"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    assert out == b"b'True'\n"
    listener.close()
    await server.shutdown(1)
