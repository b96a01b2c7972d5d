"""Kills kernels in the sandbox, what makes it, and the program, at random moments.

After each kill no process of it may be left, no mount, and no file where there was none: in the
home, the working folder or the folders that other programs share. All else must go on: the next
run works. A program of its own runs blocks without a pause, so that starts are hit as well.
"""

from __future__ import annotations

import ctypes
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import aclosing, suppress
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.domain.execution import RunRequest
from playhead.domain.trust import Policy, Reach
from playhead.errors import ExecutionError
from playhead.event_loop import run
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import Availability, look_for_sandbox
from playhead.sandbox.landlock_rules import landlock_version
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.supervisor.outside_view import children, descendants, stat_fields
from tests.support.guards import command_line

KILLS = 1000
SEED = 20_261_123
_LONGEST_S = 0.6
_GONE_LIMIT_S, _NEXT_RUN_LIMIT_S = 5.0, 60.0
_SUBREAPER = 36
_EARLY = 0.2
"""How often it is killed while it starts."""
_WAITING = 0.2
"""How often another supervisor is in waiting, for this block or for none."""
_TESTS = 0.05
"""How often the boundary test is made between two blocks."""
BY_RULES = bool(os.environ.get("BY_RULES"))
"""Whether the weaker sandbox is killed, that of rules."""
_HELPERS = ("gate", "catcher")
"""Without them the network is shut, and all else goes on."""
_VICTIMS = ("app", "kernel", "kernel")
if not BY_RULES:
    _VICTIMS += ("bwrap", "init", "supervisor", *_HELPERS)
"""With the supervisor of the weaker one goes what would end processes that detached themselves."""
_SHARED = ("/tmp", "/var/tmp", "/dev/shm")
_BLOCKS = (
    ("python", "print(1)"),
    ("python", "open('made.txt', 'w').write('x'); open('/tmp/x', 'w').close()"),
    ("python", "import subprocess as s; s.Popen(['sleep', '600'], start_new_session=True)"),
    ("python", "import time; time.sleep(0.3)"),
    ("python", "import os; [os.fork() for _ in range(3)]; os.setsid() if os.getpid() > 9 else 0"),
    ("bash", "sleep 600 & (sleep 600 & disown); ls /proc | wc -l"),
    ("bash", "getent hosts one.example; (exec 3<>/dev/tcp/two.example/80); ls ../shown"),
)


def sandbox(home: Path) -> Sandbox:
    """Return the sandbox of the program that is killed; by rules where a variable wants that."""
    data = home / "data"
    places = PrivatePlaces(home=str(home), homes=data / "homes", outside=(str(data),))
    if BY_RULES:
        return Sandbox(places, lambda: Availability(landlock=landlock_version()))
    return Sandbox(places)


async def work(home: Path) -> None:
    """Run blocks until somebody kills this; say so after each."""
    chosen = random.Random(time.time_ns())
    bounds = sandbox(home)
    made = ProcessExecutor(home / "data" / "output", sandbox=bounds)
    await made.prepare()
    for number in range(1_000_000):
        if chosen.random() < _TESTS:
            await bounds.test()
        language, code = chosen.choice(_BLOCKS)
        request = RunRequest(
            run_id=f"run-{number}",
            conversation_id=f"c{chosen.randrange(2)}",
            language=language,
            code=code,
            folder=str(home / "work"),
            interpreter=sys.executable,
            policy=Policy(files="folder", network="off"),
        )
        if not BY_RULES and chosen.random() < _WAITING:
            made.expect("a conversation that runs nothing", request.policy)
        shown = (str(home / "shown"),) if chosen.random() < 0.5 else ()
        with suppress(ExecutionError):  # it was killed before it was there
            if not BY_RULES:
                await made.set_reach(request.conversation_id, Reach(readable=shown))
            async with aclosing(made.run(request)) as chunks:
                async for _ in chunks:
                    pass
            print(number, flush=True)


class Kills:
    """Starts the program that is killed, kills it or a part of it, and looks at what is left."""

    def __init__(self, home: Path) -> None:
        self._home = home
        (home / "work" / ".git" / "hooks").mkdir(parents=True)
        (home / "shown").mkdir()
        self._random = random.Random(SEED)
        self._before = self._files()
        self._app: subprocess.Popen[bytes] | None = None
        self.kinds: Counter[str] = Counter()
        self.longest_s = 0.0
        self.complaints: list[str] = []

    def kill(self) -> None:
        """Kill one at a random moment."""
        app = self._running_app()
        time.sleep(self._random.uniform(0.0, _LONGEST_S))
        chain = self._chain(app.pid)
        kind = self._random.choice(_VICTIMS)
        kind = kind if kind in chain else list(chain)[-1]
        gone = started({pid for name, pid in chain.items() if name != "app"})
        if kind == "app":
            gone = started(descendants(app.pid) | {app.pid})
        elif kind in _HELPERS:
            gone = started({chain[one] for one in _HELPERS if one in chain})
        with suppress(ProcessLookupError):
            os.kill(chain[kind], signal.SIGKILL)
        self.kinds[kind] += 1
        if kind == "app":
            app.wait()
            self._app = None
        self._wait_until_gone(kind, gone)
        self._look(kind)
        if kind != "app":
            self._expect_run(app)

    def close(self) -> None:
        """End the program."""
        app = self._running_app()
        app.kill()
        app.wait()
        self._app = None
        self._wait_until_gone("end", set())

    def _running_app(self) -> subprocess.Popen[bytes]:
        if self._app is None:
            self._app = subprocess.Popen(
                [sys.executable, "-m", "tests.soak.sandbox_kills", str(self._home)],
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            if self._random.random() > _EARLY:
                self._expect_run(self._app)
                self._look_at_spools(self._app.pid)
        return self._app

    def _chain(self, app: int) -> dict[str, int]:
        """Return what lives of app, supervisor, bwrap, its inner process and kernel, by kind.

        With the supervisor's helpers, if they are there.
        """
        supervisors = [pid for pid in children(app) if "supervisor" in command_line(pid)]
        found, pid = {"app": app}, app
        for kind in ("supervisor", *(() if BY_RULES else ("bwrap", "init")), "kernel"):
            below = supervisors if kind == "supervisor" else list(children(pid))
            if kind == "bwrap":
                others = sorted((one for one in below if not is_bwrap(one)), key=start_of)
                found |= dict(zip(_HELPERS, others, strict=False))
                below = [one for one in below if is_bwrap(one)]
            if not below:
                break
            is_one = kind == "supervisor"
            pid = self._random.choice(below) if is_one else min(below, key=start_of)
            found[kind] = pid
        return found

    def _wait_until_gone(self, kind: str, gone: set[tuple[int, str]]) -> None:
        began = time.monotonic()
        while left := {one for one in gone if one in started({one[0]})} | self._orphans():
            if time.monotonic() - began > _GONE_LIMIT_S:
                words = [f"{pid} {stat_fields(pid)[:2]} {command_line(pid)}" for pid, _ in left]
                self.complaints.append(f"{kind} was killed, left: {', '.join(words)}")
                for pid, _ in left:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                return
            time.sleep(0.005)
        self.longest_s = max(self.longest_s, time.monotonic() - began)

    def _orphans(self) -> set[tuple[int, str]]:
        """Return what has lost its parent and is ours by that; those that have ended are taken."""
        own = {self._app.pid} if self._app is not None else set[int]()
        for pid in set(children(os.getpid())) - own:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return started(set(children(os.getpid())) - own)

    def _expect_run(self, app: subprocess.Popen[bytes]) -> None:
        assert app.stdout is not None
        for _ in range(2):  # the first may have ended before
            ready, _, _ = select.select([app.stdout], [], [], _NEXT_RUN_LIMIT_S)
            if not ready or not os.read(app.stdout.fileno(), 4096):
                self.complaints.append("no run after a kill")
                app.kill()
                app.wait()
                self._app = None
                return

    def _look(self, kind: str) -> None:
        """Look for mounts and files that nobody made."""
        if left := mounts(str(self._home)):
            self.complaints.append(f"{kind} was killed, mounted: {left}")
        new = self._files() - self._before - {"work/made.txt", "data"}
        if self._app is not None or kind == "app":  # a test goes on, or was killed
            new = {path for path in new if _PASSING not in path}
        if new:
            self.complaints.append(f"{kind} was killed, there is {sorted(new)[:5]}")

    def _look_at_spools(self, app: int) -> None:
        """Look for folders of kernels that an app did not remove when it started."""
        for path in (self._home / "data" / "output").glob("*/kernel-*"):
            if not path.name.startswith(f"kernel-{app}-"):
                self.complaints.append(f"left after another start: {path}")

    def _files(self) -> set[str]:
        """Return what is in the home and the working folder, and ours in shared folders."""
        found = {entry.name for entry in os.scandir(self._home)}
        for folder, folders, files in os.walk(self._home / "work"):
            place = os.path.relpath(folder, self._home)
            found |= {os.path.join(place, name) for name in (*folders, *files)}
        for shared in _SHARED:
            own = [path for path in Path(shared).glob("*playhead-test-*") if _is_ours(path)]
            found |= set(map(str, own))
        return found


_PASSING = "playhead-test-"
"""In names of files of the boundary test: the next one removes those of one that was killed."""


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except OSError:
        return False


def mounts(home: str) -> list[str]:
    """Return the mounts here that have to do with the home; others may make their own meanwhile."""
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if home in line]


def start_of(pid: int) -> int:
    """Return when a process was started, in ticks: ids begin again at some point."""
    return int((stat_fields(pid) or ["0"] * 20)[19])


def started(pids: set[int]) -> set[tuple[int, str]]:
    """Return the processes that live, each with its start: ids are given again."""
    found: set[tuple[int, str]] = set()
    for pid in pids:
        fields = stat_fields(pid)
        if fields and fields[0] not in "XZ":
            found.add((pid, fields[19]))
    return found


def is_bwrap(pid: int) -> bool:
    """Return whether a process has become the command that makes a sandbox."""
    return os.path.basename(command_line(pid).split(" ")[0]) == "bwrap"


def main(count: int = KILLS) -> int:
    """Kill, and say how it went."""
    if problem := look_for_sandbox().problem:
        print(f"no sandbox here: {problem}")
        return 1
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)  # what loses its parent comes to us
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = Kills(Path(folder))
        for number in range(count):
            before = len(made.complaints)
            made.kill()
            for words in made.complaints[before:]:
                print(f"kill {number + 1}: {words}", flush=True)
        made.close()
    print(f"{dict(made.kinds)}; all gone after at most {made.longest_s:.2f} s")
    print(f"{len(made.complaints)} complaints" if made.complaints else "nothing left")
    return 1 if made.complaints else 0


if __name__ == "__main__":
    run(work(Path(sys.argv[1])), QCoreApplication([]))
