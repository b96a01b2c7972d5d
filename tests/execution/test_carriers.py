"""A carrier keeps its kernel through whatever happens to the link, and to itself."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.carriers import Carried, carried
from tests.support.machines import Machine, machine
from tests.support.waiting import until_now

pytestmark = pytest.mark.requires_system("ssh", "sshd", "bwrap")
QUICK = {"ping_s": 0.1, "lost_s": 0.5}


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine for all tests of this file."""
    with machine(tmp_path_factory.mktemp("machine")) as made:
        yield made


def slow_lines(count: int) -> str:
    """Code that prints so many lines for about a second."""
    return f"import time\nfor i in range({count}):\n print(i, flush=True); time.sleep(1 / {count})"


def lines(count: int) -> str:
    """The text of these lines."""
    return "".join(f"{i}\n" for i in range(count))


def test_a_half_open_link_is_noticed_and_nothing_is_lost(far: Machine, tmp_path: Path) -> None:
    with carried(tmp_path / "spool", far.variables, QUICK) as kernel:
        kernel.mark("ready")
        kernel.execute(slow_lines(200), "one")
        kernel.text("5\n")
        far.way.is_swallowing = True
        before = kernel.text_until("link", "")
        far.way.is_swallowing = False
        assert before + kernel.text_until("link", "") + kernel.text_until("idle", "one") == lines(
            200
        )


def test_a_slow_link_is_not_taken_for_a_lost_one(far: Machine, tmp_path: Path) -> None:
    with carried(tmp_path / "spool", far.variables, {"ping_s": 0.3, "lost_s": 2.0}) as kernel:
        kernel.mark("ready")
        far.way.delay_s = 0.2
        kernel.execute(slow_lines(100), "one")
        assert kernel.text_until("idle", "one") == lines(100)
        far.way.delay_s = 0.0


WAITS = """
import os, time
x = 5
print('on')
while not os.path.exists('gate'): time.sleep(0.02)
print('off')
"""


def facts_of(kernel: Carried) -> dict[str, str]:
    """What it takes to come back to a kernel."""
    found = kernel.mark("resume").fields["facts"]
    assert isinstance(found, dict)
    return found


def test_who_comes_back_sees_the_same_run_go_on_from_its_start(
    far: Machine, tmp_path: Path
) -> None:
    first = Carried(tmp_path / "first", far.variables)
    facts = facts_of(first)
    first.mark("ready")
    first.execute(slow_lines(300), "one")
    first.text("20\n")
    first.send("exit", how="leave")
    assert first.process.wait() == 0
    first.end()
    with carried(tmp_path / "second", far.variables, {"resume": facts}) as second:
        second.mark("ready")
        second.send("continue", run="one")
        assert second.text_until("idle", "one") == lines(300)
        second.execute("print(i)", "two")
        assert second.text_until("idle", "two") == "299\n"


def test_after_a_crash_of_the_carrier_the_kernel_is_still_there(
    far: Machine, tmp_path: Path
) -> None:
    first = Carried(tmp_path / "first", far.variables)
    facts = facts_of(first)
    first.mark("ready")
    first.execute(WAITS, "one")
    first.text("on")
    first.process.kill()
    first.end()
    with carried(tmp_path / "second", far.variables, {"resume": facts}) as second:
        second.mark("ready")
        second.execute("print(x)", "two")
        second.text("still runs")
        (far.home / "gate").touch()
        assert second.text_until("idle", "two").endswith("]\non\noff\n5\n")


def test_a_kernel_that_another_window_takes_is_not_taken_back(far: Machine, tmp_path: Path) -> None:
    first = Carried(tmp_path / "first", far.variables)
    facts = facts_of(first)
    first.mark("ready")
    with carried(tmp_path / "second", far.variables, {"resume": facts}) as second:
        second.mark("ready")
        failed = first.mark("failed", code="taken")
        assert "Another window" in failed.text("title")
        first.process.wait()
        first.end()
        second.execute("print(1)", "two")
        assert second.text_until("idle", "two") == "1\n"


def test_a_restart_without_a_link_ends_the_old_kernel_at_the_next_connection(
    far: Machine, tmp_path: Path
) -> None:
    kept = far.home / ".cache" / "playhead"
    until_now(lambda: not list(kept.glob("kept-*")))
    first = Carried(tmp_path / "first", far.variables)
    first.mark("ready")
    first.execute("import time; print('on', flush=True); time.sleep(600)", "one")
    first.text("on")
    far.way.is_refusing = True
    far.way.cut()
    first.mark("link", state="lost")
    first.send("exit", how="restart")
    facts = facts_of(first)
    first.process.wait()
    first.end()
    far.way.is_refusing = False
    (old,) = kept.glob("kept-*")
    with carried(tmp_path / "second", far.variables, {"resume": facts}) as second:
        second.mark("ready")
        until_now(lambda: not old.exists())
        second.execute("print(1)", "two")
        assert second.text_until("idle", "two") == "1\n"


def test_a_kernel_that_is_gone_is_said_to_be_gone(far: Machine, tmp_path: Path) -> None:
    far.way.is_refusing = False
    kernel = Carried(tmp_path / "spool", far.variables)
    pid = kernel.mark("ready").integer("pid")
    kernel.execute("import os, time\nprint(os.getppid(), flush=True)\ntime.sleep(600)", "one")
    kernel.text("\n")
    supervisor = int(next(one for one in kernel.pieces if isinstance(one, bytes)))
    keeper = int(Path(f"/proc/{supervisor}/stat").read_text().rpartition(")")[2].split()[1])
    far.way.is_refusing = True
    far.way.cut()
    kernel.mark("link", state="lost")
    os.kill(keeper, 9)
    until_now(lambda: not Path(f"/proc/{pid}").exists())
    far.way.is_refusing = False
    kernel.mark("failed", code="gone")
    kernel.process.wait()
    kernel.end()


def test_files_are_brought_and_fetched_whole_through_cuts(far: Machine, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "sales.csv").write_bytes(data)
    (far.home / "sales.csv").write_text("another one")
    with carried(tmp_path / "spool", far.variables) as kernel:
        kernel.mark("ready")
        path = str(tmp_path / "sales.csv")
        kernel.send("put", ask="a", path=path, name="sales.csv")
        kernel.mark("progress", ask="a")
        far.way.cut()
        brought = json.loads(
            (kernel.spool / kernel.mark("answer", ask="a").text("file")).read_text()
        )
        assert Path(brought["path"]).read_bytes() == data
        assert (far.home / "sales.csv").read_text() == "another one"
        kernel.send("get", ask="b", path=brought["path"], file="copy.csv")
        kernel.mark("progress", ask="b")
        far.way.cut()
        kernel.mark("answer", ask="b")
        assert (kernel.spool / "copy.csv").read_bytes() == data
        kernel.send("get", ask="c", path="none.csv", file="none.csv")
        answer = json.loads(
            (kernel.spool / kernel.mark("answer", ask="c").text("file")).read_text()
        )
        assert answer["error"] == "No such file or directory"
    assert not [path for path in far.home.iterdir() if path.name.endswith(".part")]


DOCKER = """#!/bin/sh
shift 2
name=$1
shift
case $name in
web) exec env -i PATH="$PATH" HOME='{home}' SHELL=/bin/sh "$@" ;;
small) exec bwrap --dev-bind / / --size 65536 --tmpfs '{home}' --setenv HOME '{home}' "$@" ;;
bare) echo 'OCI runtime exec failed: exec: "sh": executable file not found in $PATH' >&2 ;;
off) echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.' >&2 ;;
*) echo "Error response from daemon: No such container: $name" >&2 ;;
esac
exit 1
"""


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("web", ""),
        ("small", "disk_full"),
        ("bare", "no_shell"),
        ("off", "no_daemon"),
        ("none", "no_container"),
    ],
)
def test_a_container_is_reached_by_its_program(name: str, code: str, tmp_path: Path) -> None:
    if (
        name == "small"
        and subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"], check=False).returncode
    ):
        pytest.skip("needs bwrap")
    home, programs = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    programs.mkdir()
    (programs / "docker").write_text(DOCKER.format(home=home))
    (programs / "docker").chmod(0o755)
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    place = {"kind": "container", "address": f"docker:{name}", "program": ""}
    with carried(tmp_path / "spool", variables, place) as kernel:
        if code:
            failed = kernel.mark("failed")
            assert (failed.text("code"), bool(failed.text("remedy"))) == (code, True)
            kernel.process.wait()
            return
        kernel.mark("ready")
        kernel.execute("import os; print(os.path.expanduser('~'))", "one")
        assert kernel.text_until("idle", "one") == f"{home}\n"


def test_a_python_that_is_too_old_is_not_taken(far: Machine, tmp_path: Path) -> None:
    for status in (99, 2):  # what ours says in an old one, and Python 2 to an option it lacks
        old = far.home / f"python{status}"
        old.write_text(f"#!/bin/sh\nexit {status}\n")
        old.chmod(0o755)
        with carried(tmp_path / old.name, far.variables, {"program": str(old)}) as kernel:
            assert "no Python 3.9 or newer" in kernel.mark("failed").text("title")
            kernel.process.wait()


def test_no_secret_of_a_kernel_is_in_an_argument_or_in_the_environment(
    far: Machine, tmp_path: Path
) -> None:
    with carried(tmp_path / "spool", far.variables) as kernel:
        facts = facts_of(kernel)
        kernel.mark("ready")
        secrets = [facts[name].encode() for name in ("id", "token", "secret")]
        for process in Path("/proc").glob("[0-9]*"):
            for name in ("cmdline", "environ"):
                try:
                    data = (process / name).read_bytes()
                except OSError:
                    continue
                assert not any(secret in data for secret in secrets), process
