"""`python -m tests.packaging.smoke FOLDER`: start the frozen program, have it do all it can."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from playhead.domain.execution import CodePlace
from playhead.domain.secret import Secret
from playhead.execution.code_reader import WORKER_FLAG, CodeReader
from playhead.providers.catalog import ModelCatalog
from playhead.storage.keys.system_keyring import ENTRY, encode_keys
from playhead.storage.recorded_sandbox import KeptReport
from tests.packaging import checks
from tests.support.display import virtual_display
from tests.support.driver import App, program_environment, running_app, write_settings
from tests.support.model_server import ModelServer, Reply, Request, default_script, execute, text
from tests.support.secret_service import SecretService, private_bus
from tests.support.served import served

KEY = "sk-of-the-keyring"
IS_ITSELF = "import sqlite3, ssl, sys; print(40 + 2, sys.executable)"
LOOKS_AROUND = (
    "import os, pathlib; print(os.path.exists('../diary'), os.environ['PLAYHEAD_SANDBOX'],"
    " pathlib.Path('made').write_text('x'))"
)
MOST_ATTEMPTS = 100
LITELLMS_MODEL = "nvidia_nim/test"
"""One that is not asked by HTTP."""
WHICH = "import os, sys; print(sys.prefix, os.environ['PATH'])"


def main() -> int:
    """Run all checks; the first that fails ends it with its reason."""
    program = Path(sys.argv[1]).resolve() / "playhead"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("Playhead "), said.stdout
    with virtual_display() as display:
        for check in (check_main_job, check_own_kernel, check_sandbox, check_double_click):
            check(program, display)
            print(f"  {check.__doc__}", flush=True)
    for check in (check_server, check_undo, check_terminal, check_completion):
        check(program)
        print(f"  {check.__doc__}", flush=True)
    print(f"{program}: all of this works.")
    return 0


def check_main_job(program: Path, display: Mapping[str, str]) -> None:
    """A dialogue with a tool, its key from the keyring; a picture by "Open with"."""
    with (
        tempfile.TemporaryDirectory() as folder,
        private_bus(Path(folder)) as bus,
        SecretService(bus) as keyring,
        ModelServer(checks.answers) as server,
    ):
        entry = ModelCatalog().key_name(checks.SEEING_MODEL, server.base_url)
        keyring.items[ENTRY] = encode_keys({entry: Secret(KEY)}).encode()
        display = {**display, "DBUS_SESSION_BUS_ADDRESS": bus}
        settings = {"model": checks.SEEING_MODEL, "api_base": server.base_url}
        start = ("env", "-u", "OPENAI_API_KEY", str(program))
        with program_at_work(start, display, **settings) as app:
            checks.run_the_dialogue(app)
            assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
            picture = checks.draw_picture(app.home / "red.png")
            opener = second_start(program, app.home, display, picture)
            checks.check_open_with(app, server, picture, opener)


def check_own_kernel(program: Path, display: Mapping[str, str]) -> None:
    """Code without any other Python: a shell, each module of the standard library, our own."""
    with program_at_work((str(program),), display, interpreter=str(program)) as app:
        checks.run_code(app, IS_ITSELF, f"42 {program}")
        checks.run_code(app, "!echo $((40+2)) by a shell", "42 by a shell")
        checks.put_script_inside(app.home)
        checks.check_bundle(app)
        checks.stop_code(app)


def check_sandbox(program: Path, display: Mapping[str, str]) -> None:
    """The boundary test, made by the program itself; its own kernel and others' in the sandbox."""
    with program_at_work((str(program),), display) as app:
        report = app.home / "data" / "boundary.json"
        app.wait_for("the boundary test", report.exists)
        found = msgspec.json.decode(report.read_bytes(), type=KeptReport).report
        assert found.status in ("held", "partly"), found
        assert len(found.attempts) > MOST_ATTEMPTS, found
    command = (str(program), "--sandbox", "folder", "--network", "off")
    for interpreter in (str(program), sys.executable):
        with program_at_work(command, display, interpreter=interpreter) as app:
            (app.home / "diary").write_text("mine", "utf-8")
            checks.run_code(app, LOOKS_AROUND, "False off 1")


def check_double_click(program: Path, display: Mapping[str, str]) -> None:
    """A start with a desktop's bare PATH finds the Python that only the login shell knows."""
    bare = ("env", "-u", "PYENV_ROOT", "PATH=/usr/bin:/bin", "SHELL=/bin/bash", str(program))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        own = home / "mine" / "python3"
        own.parent.mkdir()
        base: str = sys._base_executable  # type: ignore[attr-defined]
        own.write_text(f'#!/bin/sh\nexec "{base}" "$@"\n', "utf-8")
        own.chmod(0o755)
        (home / ".bash_profile").write_text(f"export PATH={own.parent}:$PATH\n", "utf-8")
        with at_work_in(home, bare, display) as app:
            checks.run_code(app, WHICH, str(own.parent))
            said = app.wait_for_message("computer", "console", str(own.parent)).content
            assert said.startswith(str(home / "data" / "environments")), said
            made_from = (home / "data/environments/default/pyvenv.cfg").read_text("utf-8")
            assert os.path.dirname(base) in made_from, made_from
            assert "\nuv = " in made_from, made_from  # the bundle has its own


def check_server(program: Path) -> None:
    """`serve`, with no display: its documents, and a run that is approved over HTTP."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ModelServer(default_script) as model,
        served(Path(folder), program=[str(program)], api_base=model.base_url) as server,
        httpx.Client(
            base_url=server.address, headers=server.headers, timeout=checks.COLD_START_S
        ) as client,
    ):
        assert client.get("/openapi.json").json()["paths"]
        assert client.get("/api.json").json()["item"]
        asked = [{"role": "user", "type": "message", "content": checks.QUESTION}]
        waiting = client.post("/v1/chat", json={"messages": asked}).json()["messages"]
        go = {"role": "user", "type": "command", "content": "go"}
        after = client.post("/v1/chat", json={"messages": [*asked, *waiting, go]}).json()
        assert after["messages"][0]["content"] == "1.4166666666666667\n", after


def check_undo(program: Path) -> None:
    """`serve`: a run in the sandbox made a file, an undo by the program's own worker removes it."""
    asked = {"role": "user", "type": "message", "content": "write"}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ModelServer(writes_a_file) as model,
        served(
            Path(folder),
            program=[str(program)],
            api_base=model.base_url,
            arguments=["--allow-auto-run", "--sandbox", "folder"],
        ) as server,
        httpx.Client(
            base_url=server.address, headers=server.headers, timeout=checks.COLD_START_S
        ) as client,
    ):
        session = client.post("/v1/sessions", json={}).json()["session_id"]
        turn = {"session_id": session, "auto_run": True, "messages": [asked]}
        assert "Done." in client.post("/v1/chat", json=turn).text
        made = server.working_folder / "made.txt"
        assert made.read_text("utf-8") == "x"
        effects = f"/v1/sessions/{session}/effects"
        (effect,) = client.get(effects).json()["effects"]
        assert effect["is_bounded"], effect
        undone = client.post(f"{effects}/{effect['id']}/undo", json={})
        assert undone.status_code == 200, undone.text
        assert not made.exists()


def writes_a_file(request: Request) -> Reply:
    """A model that writes a file and is content."""
    return text("Done.") if request.has_result else execute("open('made.txt', 'w').write('x')")


def check_terminal(program: Path) -> None:
    """`chat`, with no display, on a server that it starts; a model that only litellm serves."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        ModelServer(default_script) as model,
    ):
        write_settings(Path(folder), interpreter=sys.executable)
        command = [program, "chat", "--model", LITELLMS_MODEL, "--api-base", model.base_url]
        done = subprocess.run(
            [*command, "--yes", checks.QUESTION],
            env={
                **program_environment(Path(folder), {"DISPLAY": ""}),
                "PLAYHEAD_PROVIDER_KEY": KEY,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=checks.COLD_START_S,
        )
        assert done.returncode == 0, done.stderr
        assert "1.41666" in done.stdout, done.stdout
        assert "approximately 1.42" in done.stdout, done.stdout


def check_completion(program: Path) -> None:
    """Completion before a run, by the stubs in the bundle and by the files of a Python."""
    for interpreter in ("", sys.executable):
        found = asyncio.run(complete(program, "import os\nos.pa", interpreter))
        assert {"path", "pathsep", "pardir"} <= found, (interpreter, found)
        assert "dumps" in asyncio.run(complete(program, "import json\njson.d", interpreter))


async def complete(program: Path, code: str, interpreter: str) -> set[str]:
    """What the program's own code worker offers."""
    with tempfile.TemporaryDirectory() as folder:
        reader = CodeReader(Path(folder), command=(str(program), WORKER_FLAG))
        try:
            found = await reader.complete(CodePlace(code), folder, interpreter, is_asked=True)
        finally:
            await reader.close()
    return {one.text for one in found.candidates}


def second_start(
    program: Path, home: Path, display: Mapping[str, str], picture: Path
) -> tuple[str, ...]:
    """What a file manager does with a file that is dropped on the icon."""
    wanted = program_environment(home, display)
    return (
        "env",
        *(f"{name}={value}" for name, value in wanted.items()),
        str(program),
        str(picture),
    )


@contextmanager
def program_at_work(
    command: tuple[str, ...], display: Mapping[str, str], **settings: Any
) -> Iterator[App]:
    """A start of the frozen program in a home of its own, closed as a person does."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        at_work_in(Path(folder), command, display, **settings) as app,
    ):
        yield app


@contextmanager
def at_work_in(
    home: Path, command: tuple[str, ...], display: Mapping[str, str], **settings: Any
) -> Iterator[App]:
    """The same in a home that is there."""
    folder = str(checks.working_folder(home))
    write_settings(home, theme="light", folder=folder, **settings)
    with running_app(home, display, command=command) as app:
        yield app
        checks.close(app)


if __name__ == "__main__":
    sys.exit(main())
