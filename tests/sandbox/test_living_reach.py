"""Network by names, and what is granted and revoked while a kernel in the sandbox lives."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.trust import Policy, Reach
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.supervisor.outside_view import children
from tests.support.echo_world import LISTED, NAMES, PUBLIC, REFUSED_NAMES, SIXTH, echo
from tests.support.kernels import error_of, report_of, run, text_of
from tests.support.package_index import PackageIndex
from tests.support.sandboxes import FOLDER, Place
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
NEAR = (
    *("127.0.0.1", "0.0.0.0", "10.0.0.1", "172.16.1.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "192.0.0.8", "::1", "::"),
    *("fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:93.184.216.34"),
    *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "2001:db8::1", "x"),
)
"""What is no address of the world."""


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    found = look_for_sandbox()
    assert "Error:" not in found.lacks_space  # it was tried as it should be
    if problem := found.problem or found.lacks_space:
        pytest.skip(f"no sandbox here: {problem}")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def said(made: ProcessExecutor, place: Place, code: str, policy: Policy = LISTED) -> str:
    return text_of(await run(made, place.request(code, policy)))


TRY = """
import json, socket
def attempt(name, port, kind=socket.SOCK_STREAM):
    try:
        with socket.socket(socket.AF_INET6 if ":" in name else socket.AF_INET, kind) as ours:
            ours.settimeout(5)
            ours.connect((name, port))
            ours.send(b"got out")
            return ours.recv(100).decode() or "ended"
    except (OSError, UnicodeError, TypeError) as error:
        return type(error).__name__
"""


async def test_a_listed_name_is_reached_and_no_trick_leads_anywhere_else(place: Place) -> None:
    with echo() as world, socket.create_server(("127.0.0.1", 0)) as own:
        own.setblocking(False)
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await said(made, place, TRY)
            good = "attempt('api.example', 443), attempt('API.Example.', 80)"
            assert await said(made, place, f"print({good}, attempt('db.example', 5432))") == (
                "got out got out got out\n"
            )
            world.heard.clear()
            ports = 443, own.getsockname()[1]
            attempts = [(name, port) for name in REFUSED_NAMES for port in ports]
            attempts += [("api.example", 22), ("api.example", 8443), ("db.example", 443)]
            code = f"print(json.dumps([attempt(*one) for one in {attempts!r}]))"
            chunks = await run(made, place.request(code, LISTED))
            assert error_of(chunks) is None
            found = json.loads(text_of(chunks))
            through = [one for one, word in zip(attempts, found, strict=True) if "out" in word]
            assert through == []
            assert world.heard == []
            with pytest.raises(BlockingIOError):
                own.accept()
            refused = {one.target: one.count for one in report_of(chunks).refused}
            assert refused["evil.example:443"] == 1
            assert refused["api.example:8443"] == refused["db.example:443"] == 1
            assert refused[f"{PUBLIC}:443"] == refused["169.254.169.254:443"] == 1
            assert not any("127.0.0.1" in one for one in refused)


async def test_datagrams_go_nowhere_and_are_reported(place: Place) -> None:
    with echo() as world, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind(("127.0.0.1", 0))
        own.setblocking(False)
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await said(made, place, TRY + "one = socket.socket(type=socket.SOCK_DGRAM)")
            assert report_of(await run(made, place.request("1 + 1", LISTED))).refused == ()
            chunks = await run(made, place.request("one.sendto(b'x', ('8.8.4.4', 53))", LISTED))
            assert [one.target for one in report_of(chunks).refused] == ["8.8.4.4:53/udp"]
            flood = (
                "import time\n"
                "for at in range(10):\n"
                "    for port in range(1, 101):\n"
                "        one.sendto(b'x', (f'8.8.4.{at}', port))\n"
                "    time.sleep(0.03)"  # what is refused is reported all the while
            )
            assert len(report_of(await run(made, place.request(flood, LISTED))).refused) == 200
            ways = [("api.example", 443), ("127.0.0.1", own.getsockname()[1]), ("8.8.8.8", 53)]
            code = f"print([attempt(*one, socket.SOCK_DGRAM) for one in {ways!r}])"
            chunks = await run(made, place.request(code, LISTED))
            assert text_of(chunks) == f"{['ConnectionRefusedError'] * 3}\n"
            targets = [one.target for one in report_of(chunks).refused]
            assert targets == ["8.8.8.8:53/udp", "api.example:443/udp"]
        with pytest.raises(BlockingIOError):
            own.recv(10)


async def test_what_a_name_leads_to_is_looked_at_outside(place: Place) -> None:
    names = {f"n{number}.example": [address] for number, address in enumerate(NEAR)}
    names["both.example"] = ["10.0.0.1", PUBLIC]
    names["nowhere.example"] = []
    names["sixth.example"] = [SIXTH]
    every = replace(LISTED, hosts=tuple(names))
    with echo() as world:
        async with place.executor(place.sandbox(outside=world.outside(names))) as made:
            await said(made, place, TRY, every)
            code = f"print(json.dumps([attempt(name, 443) for name in {[*names]!r}]))"
            chunks = await run(made, place.request(code, every))
            found = dict(zip(names, json.loads(text_of(chunks)), strict=True))
            assert {name for name, word in found.items() if word == "got out"} == {
                "both.example",
                "sixth.example",
            }
            refused = {one.target for one in report_of(chunks).refused}
            assert "n0.example" in refused
            assert "nowhere.example" not in refused


async def test_with_the_network_on_the_world_is_open_and_what_is_near_is_shut(place: Place) -> None:
    everything = replace(FOLDER, network="on")
    with echo() as world, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0playhead-{os.getpid()}")
        abstract.listen()
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await said(made, place, TRY, everything)
            near = f"('127.0.0.1', {world.port}), ('rebound.example', 443), ('{PUBLIC}', 443)"
            code = f"print(attempt('evil.example', 443), *[attempt(*one) for one in ({near})])"
            words = (await said(made, place, code, everything)).split(maxsplit=2)
            assert words[:2] == ["got", "out"]
            assert "got out" not in words[2]
            code = f"socket.socket(socket.AF_UNIX).connect('\\0playhead-{os.getpid()}')"
            chunks = await run(made, place.request(code, everything))
            assert error_of(chunks) is not None


async def test_a_grant_and_a_revoke_reach_a_living_kernel(place: Place) -> None:
    for name in ("shown/a.txt", "out/.git/hooks/x"):
        (place.home / name).parent.mkdir(parents=True)
        (place.home / name).write_text(name)
    file = place.home / "one.csv"
    file.write_text("1")
    apart = Path("/var/tmp") / f"playhead-{os.getpid()}"
    apart.mkdir()
    (apart / "far.txt").write_text("far")
    reach = Reach(
        hosts=("other.example:8443",),
        readable=(str(place.home / "shown"), str(file), str(apart)),
        writable=(str(place.home / "out"),),
    )
    look = f"""
from pathlib import Path
def look():
    found = []
    for path in ("shown/a.txt", "one.csv", "{apart}/far.txt", "out/.git/hooks/x"):
        try: found.append(Path.home().joinpath(path).read_text())
        except OSError as error: found.append(type(error).__name__)
    for path in ("shown/new", "one.csv", "{apart}/new", "out/new", "out/.git/hooks/x"):
        try: Path.home().joinpath(path).write_text("new"); found.append("wrote")
        except OSError as error: found.append(error.strerror)
    return found
kept = 1
"""
    print_all = "print(json.dumps([kept, attempt('other.example', 8443), *look()]))"
    read_only = "Read-only file system"
    try:
        with echo() as world:
            async with place.executor(place.sandbox(outside=world.outside())) as made:
                await said(made, place, TRY + look, FOLDER)
                code = f"print(*[Path(one).exists() for one in {reach.readable!r}])"
                assert await said(made, place, code, FOLDER) == "False False False\n"
                assert made.takes("conversation", reach)
                await made.set_reach("conversation", reach)
                assert json.loads(await said(made, place, print_all, FOLDER)) == [
                    *(1, "got out", "shown/a.txt", "1", "far", "out/.git/hooks/x"),
                    *(read_only, read_only, read_only, "wrote", read_only),
                ]
                await made.set_reach("conversation", Reach())
                assert await said(made, place, "print(kept)\n" + code, FOLDER) == (
                    "1\nFalse False False\n"
                )
    finally:
        (apart / "far.txt").unlink()
        apart.rmdir()
    assert (place.home / "out" / "new").read_text() == "new"
    assert sorted(os.listdir(next((place.data / "homes").glob("[0-9a-f]*")))) == [
        *(".packages", ".packages-r", "data", "work")  # no empty places that look like a person's
    ]


async def test_the_network_is_turned_on_and_off_under_a_living_kernel(place: Place) -> None:
    attempts = "print(kept, attempt('api.example', 443), attempt('other.example', 443))"
    refused = "ConnectionRefusedError"
    with echo() as world:
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await said(
                made, place, TRY + "import os; kept = os.environ['PLAYHEAD_SANDBOX']", FOLDER
            )
            everything = replace(FOLDER, network="on")
            for policy, words in (
                (FOLDER, f"off {refused} {refused}"),
                (LISTED, f"off got out {refused}"),
                (everything, "off got out got out"),
                (FOLDER, f"off {refused} {refused}"),
            ):
                assert made.takes("conversation", Reach(), policy)
                assert await said(made, place, attempts, policy) == words + "\n"
            code = "print(os.environ['PLAYHEAD_SANDBOX'], os.environ.get('PIP_RETRIES'))"
            assert await said(made, place, code, LISTED) == "listed None\n"
            assert not made.takes("conversation", Reach(), replace(FOLDER, files="look"))


async def test_revoking_a_name_cuts_its_connections_and_no_others(place: Place) -> None:
    with echo() as world:
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await made.set_reach("conversation", Reach(hosts=("other.example",)))
            await said(
                made,
                place,
                "import socket\nlost = socket.create_connection(('other.example', 443))\n"
                "kept = socket.create_connection(('api.example', 443))\n"
                "for one in (lost, kept): one.sendall(b'x'); one.recv(1)",
            )
            await made.set_reach("conversation", Reach())
            assert await until_true(lambda: world.ended.acquire(blocking=False))
            words = "kept.sendall(b'y'); print(kept.recv(1))\nprint(lost.recv(1))"
            chunks = await run(made, place.request(words, LISTED))
            assert text_of(chunks).startswith("b'y'\n")
            error = error_of(chunks)
            assert error is not None
            assert error.name == "ConnectionResetError"


async def until_true(condition: Any) -> bool:
    await until(condition)
    return True


async def test_much_goes_through_in_both_directions(place: Place) -> None:
    code = """
import hashlib, socket, threading
data = bytes(range(256)) * 40_000
ours = socket.create_connection(("api.example", 443))
def send(): ours.sendall(data); ours.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
got = hashlib.sha256(); size = 0
while part := ours.recv(1 << 16): got.update(part); size += len(part)
print(size == len(data), got.digest() == hashlib.sha256(data).digest())
"""
    with echo() as world:
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            assert await said(made, place, code) == "True True\n"


async def test_packages_come_from_a_listed_index_and_from_no_other(place: Place) -> None:
    index = PackageIndex()
    index.add("tiny", {"tiny.py": "one = 1\n"})
    world = {
        "names": NAMES,
        "ways": {f"{PUBLIC}:80": ["127.0.0.1", int(index.url.split(":")[2].split("/")[0])]},
    }
    get = "%pip install --trusted-host {0} -i http://{0}/simple tiny"
    with index.serving():
        async with place.executor(place.sandbox(outside=world)) as made:
            for policy, why in ((FOLDER, "has no network"), (LISTED, "not among the places")):
                refused = await run(made, place.request(get.format("evil.example"), policy))
                assert {one.target for one in report_of(refused).refused} == {"evil.example:80"}
                assert "Retrying" not in text_of(refused)
                error = error_of(refused)
                assert error is not None
                assert error.name == "InstallError"
                assert why in error.message
                assert "A person can allow evil.example" in error.message
            assert index.asked == []
            words = await said(made, place, get.format("api.example"))
            assert await said(made, place, "import tiny; print(tiny.one)") == "1\n", words


IMPATIENT = "import os; os.environ['RES_OPTIONS'] = 'timeout:1 attempts:1'"
"""Names are looked up for one second and not for ten, where no server answers."""


async def test_the_end_of_the_gate_shuts_the_network_and_of_the_supervisor_all(
    place: Place, expect_log: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    expect_log("the network of a sandbox is shut")
    expect_log("cannot be given its reach")
    with echo() as world:
        async with place.executor(place.sandbox(outside=world.outside())) as made:
            await said(made, place, TRY + f"kept = 1\n{IMPATIENT}")
            (supervisor,) = made.supervisors()
            kernel = made.status("conversation").pid
            os.kill(min(children(supervisor)), signal.SIGKILL)
            await until(lambda: "the network of a sandbox is shut" in caplog.text)
            world.heard.clear()
            words = await said(made, place, "print(kept, attempt('api.example', 443))")
            assert words.startswith("1 ")
            assert "out" not in words
            assert world.heard == []
            given = Reach(hosts=("other.example",))
            await made.set_reach("conversation", given)
            await until(lambda: made.status("conversation").state == "none")
            await said(made, place, "kept = 2")
            (supervisor,) = made.supervisors()
            kernel = made.status("conversation").pid
            os.kill(supervisor, signal.SIGKILL)
            await until(lambda: not Path(f"/proc/{kernel}").exists())


async def test_without_namespaces_of_our_own_only_what_needs_none_is_offered(place: Place) -> None:
    sandbox = place.sandbox(lacks_space="AppArmor refuses them.")
    async with place.executor(sandbox) as made:
        assert await said(made, place, "kept = 1\nprint(kept)", FOLDER) == "1\n"
        reach = Reach(readable=(str(place.home / "diary.txt"),))
        assert not made.takes("conversation", reach)
        with pytest.raises(ExecutionError, match=r"(?s)some names only.*AppArmor refuses them"):
            await run(made, place.request("print(1)", LISTED))
