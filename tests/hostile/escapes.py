"""The attempts to get out, made by an ordinary user: without a sandbox, in one, by a kernel in one.

A program, since root has to become somebody else for it: `python -m tests.hostile.escapes
control|inside|rules|copy|LANGUAGE` prints JSON. `escaped` starts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from playhead.domain.trust import Attempt, Policy
from playhead.sandbox import attempts, boundary_test
from playhead.sandbox.boundary_test import Claim, Stage
from playhead.sandbox.bubblewrap import Availability, look_for_sandbox
from playhead.sandbox.landlock_rules import landlock_version
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox

LIMIT_S = 120
_TRIAL = """import subprocess, sys
import PySide6.QtCore, tests.hostile.escapes
subprocess.run([sys.executable, "-c", ""], check=True)"""

_NOBODY = "65534"
_COMMANDS = {
    "python": "import subprocess\n"
    "subprocess.run({words!r}, stdin=open('plan'), stdout=open('said', 'w'))",
    "bash": "{shell} < plan > said",
    "javascript": "const {{openSync}} = require('fs');\n"
    "require('child_process').spawnSync({program!r}, {rest!r},"
    " {{stdio: [openSync('plan'), openSync('said', 'w'), 'inherit']}})",
    "r": "system({line!r})",
    "ruby": "system({line!r})",
    "java": 'new ProcessBuilder("sh", "-c", {quoted}).start().waitFor();',
}


def control(home: Path) -> tuple[Attempt, ...]:
    """Return what the attempts reach where nothing is in their way."""
    with Stage(str(home)) as stage:
        stage.plan["is_control"] = True
        command = boundary_test.attempts_command(sys.executable)
        variables = {**os.environ, "PLAYHEAD_TEST_API_KEY": stage.mark}
        claims, _ = boundary_test.make_attempts(stage, command, variables)
        return stage.judge(claims)


def sandbox(home: Path, look: Callable[[], Availability] = look_for_sandbox) -> Sandbox:
    """Return the sandbox of this home."""
    data = home / ".local" / "share" / "playhead"
    places = PrivatePlaces(home=str(home), homes=data / "homes", never_inside=(str(data),))
    return Sandbox(places, look)


def by_rules(home: Path) -> tuple[Attempt, ...]:
    """Return what the boundary test finds of the weaker sandbox."""
    return inside(home, lambda: Availability(landlock=landlock_version()))


def inside(home: Path, look: Callable[[], Availability] = look_for_sandbox) -> tuple[Attempt, ...]:
    """Return what the boundary test finds."""
    report = asyncio.run(sandbox(home, look).test())
    if report.problem:
        raise SystemExit(report.problem)
    return report.attempts


def by_kernel(home: Path, language: str) -> tuple[Attempt, ...]:
    """Return what a kernel's code reaches, by the way in which all code is started."""
    from PySide6.QtCore import QCoreApplication

    from playhead.event_loop import run

    return run(_by_kernel(home, language, is_reviewed=False), QCoreApplication([]))


def in_copy(home: Path) -> tuple[Attempt, ...]:
    """Return what a kernel's code reaches that works in a copy of the folder."""
    from PySide6.QtCore import QCoreApplication

    from playhead.event_loop import run

    return run(_by_kernel(home, "python", is_reviewed=True), QCoreApplication([]))


async def _by_kernel(home: Path, language: str, *, is_reviewed: bool) -> tuple[Attempt, ...]:
    from playhead.domain.execution import RunRequest
    from playhead.execution.file_watch import FileWatch
    from playhead.execution.process_executor import ProcessExecutor

    data = home / ".local" / "share" / "playhead"
    variables = {**os.environ, "PLAYHEAD_TEST_API_KEY": "", "OTHER_API_KEY": "x"}
    files = FileWatch(data / "undo", data) if is_reviewed else None
    executor = ProcessExecutor(
        data / "output", variables=variables, sandbox=sandbox(home), files=files
    )
    python = sys.executable
    with Stage(str(home)) as stage:
        shutil.copy(attempts.__file__, stage.folder / "attempts.py")
        stage.plan["is_long"] = language == "python"
        (stage.folder / "plan").write_text(json.dumps(stage.plan))
        words = [python, "-I", "-S", str(stage.folder / "attempts.py")]
        line = " ".join(words) + " < plan > said"
        code = _COMMANDS[language].format(
            words=words,
            shell=" ".join(words),
            program=words[0],
            rest=words[1:],
            line=line,
            quoted=json.dumps(f"cd {stage.folder}; {line}"),
        )
        request = RunRequest(
            run_id="run-1",
            conversation_id="escapes",
            language=language,
            code=code,
            folder=str(stage.folder),
            interpreter=python,
            policy=Policy(files="folder", network="off", is_reviewed=is_reviewed),
        )
        said = ""
        try:
            async with contextlib.aclosing(executor.run(request)) as chunks:
                async for chunk in chunks:
                    said += str(chunk.content) if chunk.format == "output" else ""
        finally:
            await executor.close()
            if files is not None:
                await files.close()
        uppers = list((data / "undo").glob("*/copies/*/upper"))
        claims = _claims(uppers[0] if uppers else _place_of(stage))
        if len(claims) < sum(not way.is_slow for way in attempts.ways()):
            raise SystemExit(f"only {len(claims)} attempts: {said}")
        return stage.judge(claims)


def _place_of(stage: Stage) -> Path:
    moved = Path(f"{stage.folder}-moved")
    return moved if moved.exists() else stage.folder


def _claims(place: Path) -> list[Claim]:
    names = ("group", "name", "outcome", "detail")
    found: list[dict[str, Any]] = [
        json.loads(line) for line in (place / "said").read_text().splitlines()
    ]
    return [Claim(*(fields[name] for name in names)) for fields in found]


@functools.cache
def ordinary_python() -> tuple[str, ...]:
    """Return the command of a Python of this version that runs without rights; () for none."""
    drop = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
    before = drop if os.geteuid() == 0 else ()
    for python in (sys.executable, "/usr/bin/python3"):
        command = (*before, python)
        with contextlib.suppress(OSError):
            asked = subprocess.run(
                [*command, "-c", _TRIAL],
                env=_variables(),
                cwd="/",
                capture_output=True,
                check=False,
            )
            if asked.returncode == 0:
                return command
    return ()


def _variables() -> dict[str, str]:
    paths = [path for path in sys.path if path and "/lib/python3" not in path]
    paths += [path for path in sys.path if path.endswith("-packages")]
    root = str(Path(__file__).parents[2])
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([root, *paths]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "QT_QPA_PLATFORM": "offscreen",
        "LANG": "C.UTF-8",
    }


def escaped(what: str) -> list[Attempt]:
    """Return what became of the attempts of an ordinary user."""
    home = Path(tempfile.mkdtemp(prefix="playhead-home-", dir="/var/tmp"))
    try:
        if os.geteuid() == 0:
            os.chown(home, int(_NOBODY), int(_NOBODY))
        done = subprocess.run(
            [*ordinary_python(), "-m", "tests.hostile.escapes", what],
            env=_variables() | {"HOME": str(home)},
            cwd=home,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return msgspec.json.decode(done.stdout, type=list[Attempt])
    finally:
        shutil.rmtree(home, ignore_errors=True)


def main(what: str) -> None:
    home = Path(os.environ["HOME"])
    acts = {"control": control, "inside": inside, "rules": by_rules, "copy": in_copy}
    found = acts[what](home) if what in acts else by_kernel(home, what)
    print(msgspec.json.encode(found).decode())


if __name__ == "__main__":
    main(sys.argv[1])
