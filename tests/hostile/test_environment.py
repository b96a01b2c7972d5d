"""Code that looks in its environment for secrets and for the way to the person's desktop."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.access import Access, missing_access
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import error_of, request, run, text_of

_DESKTOP = {
    "DISPLAY": ":4711",
    "WAYLAND_DISPLAY": "wayland-0",
    "WAYLAND_SOCKET": "7",
    "XAUTHORITY": "/home/ada/.Xauthority",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus",
    "DBUS_STARTER_ADDRESS": "unix:path=/nowhere/bus",
    "AT_SPI_BUS_ADDRESS": "unix:path=/nowhere/at-spi",
    "SESSION_MANAGER": "local/host:@/tmp/.ICE-unix/1",
    "ICEAUTHORITY": "/home/ada/.ICEauthority",
    "SWAYSOCK": "/nowhere/sway",
    "TMUX": "/tmp/tmux-1000/default,1,0",
    "STY": "1.screen",
    "KITTY_LISTEN_ON": "unix:@kitty",
    "SSH_AUTH_SOCK": "/nowhere/agent",
    "SSH_AGENT_PID": "1",
    "GPG_AGENT_INFO": "/nowhere/gpg:1:1",
    "KRB5CCNAME": "FILE:/tmp/krb5cc_1000",
    "VSCODE_GIT_IPC_HANDLE": "/nowhere/git",
}
_SECRETS = {
    "GITHUB_TOKEN": "s3cret",
    "AWS_SECRET_ACCESS_KEY": "s3cret",
    "AWS_PROFILE": "s3cret",
    "DATABASE_PASSWORD": "s3cret",
    "PGPASSWORD": "s3cret",
    "SMTP_PASS": "s3cret",
    "MYSQL_PWD": "s3cret",
    "WEATHER_API_KEY_2": "s3cret",
    "StripeSecretKey": "s3cret",
    "SENTRY_DSN": "s3cret",
    "DATABASE_URL": "postgres://ada:s3cret@db.example/x",
}
_WAYS = {
    "https_proxy": "http://ada:s3cret@proxy.example:3128",
    "PIP_INDEX_URL": "https://ada:s3cret@index.example/simple",
    "UV_EXTRA_INDEX_URL": "https://ada:s3cret@a.example/ https://:s3cret@b.example/",
}
_SHORT_WAYS = {
    "https_proxy": "http://proxy.example:3128",
    "PIP_INDEX_URL": "https://index.example/simple",
    "UV_EXTRA_INDEX_URL": "https://a.example/ https://b.example/",
}
_HARMLESS = {
    "KEYBOARD": "de",
    "MONKEY": "x",
    "TOKENIZERS_PARALLELISM": "false",
    "COMPASS": "n",
    "PASSAGE": "x",
    "OLD_PWD": "/",
    "KEYTIMEOUT": "1",
    "HOMEPAGE": "https://example.org/a:b",
    "no_proxy": "localhost",
}


@asynccontextmanager
async def kernels(folder: Path, **more: str) -> AsyncGenerator[ProcessExecutor]:
    """An executor in a session that has all of it, a real folder of sockets too."""
    base = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    made = ProcessExecutor(folder / "output", base | _DESKTOP | _SECRETS | _WAYS | _HARMLESS | more)
    try:
        yield made
    finally:
        await made.close()


async def seen(made: ProcessExecutor, folder: Path) -> dict[str, str]:
    """What code finds, in the kernel and in a child of it."""
    code = (
        "import json, os, subprocess, sys\n"
        "child = subprocess.check_output([sys.executable, '-c', "
        "'import json, os; print(json.dumps(dict(os.environ)))'])\n"
        "first = open('/proc/self/environ', 'rb').read().decode().split('\\0')"
        " if os.path.exists('/proc/self/environ') else []\n"
        "print(json.dumps({**dict(e.split('=', 1) for e in first if '=' in e), "
        "**json.loads(child), **os.environ}))"
    )
    return json.loads(text_of(await run(made, request(folder, code))))


async def test_code_finds_neither_secrets_nor_the_way_to_the_desktop(tmp_path: Path) -> None:
    async with kernels(tmp_path) as made:
        found = await seen(made, tmp_path)
        assert not found.keys() & (_DESKTOP.keys() | _SECRETS.keys() | {"XDG_RUNTIME_DIR"})
        assert "s3cret" not in json.dumps(found)
        assert found.items() >= _HARMLESS.items()
        assert found.items() >= _SHORT_WAYS.items()  # else pip would ask another index
        assert made.left_out("conversation", "secrets") == tuple(sorted(_SECRETS | _WAYS))


async def test_a_way_gets_its_login_back_and_loses_it_again(tmp_path: Path) -> None:
    async with kernels(tmp_path) as made:
        code = "import os; print(os.environ['PIP_INDEX_URL'])"
        await run(made, request(tmp_path, code))
        for is_on, ways in ((True, _WAYS), (False, _SHORT_WAYS)):
            made.allow("conversation", "secrets", is_on)
            printed = text_of(await run(made, request(tmp_path, code)))
            assert printed == f"{ways['PIP_INDEX_URL']}\n"


async def test_other_languages_get_it_from_their_next_kernel_on(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("there is no bash")
    async with kernels(tmp_path) as made:
        code = "echo ${SSH_AUTH_SOCK-none} ${DISPLAY-none}"
        asked = replace(request(tmp_path, code), language=made.canonical("bash") or "bash")
        assert text_of(await run(made, asked)) == "none none\n"
        made.allow("conversation", "agent")
        await made.restart("conversation")
        assert text_of(await run(made, asked)) == "/nowhere/agent none\n"


async def test_no_process_above_the_code_has_it_for_the_code_to_read(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("there is no /proc")
    code = (
        "import os\n"
        "def parent(pid):\n"
        "    return int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])\n"
        "pid, found = os.getpid(), ''\n"
        f"while pid != {os.getpid()}:\n"
        "    found += open(f'/proc/{pid}/environ').read()\n"
        "    pid = parent(pid)\n"
        "print([name for name in ('s3cret', 'DISPLAY=', 'SSH_AUTH_SOCK=') if name in found])"
    )
    async with kernels(tmp_path) as made:
        assert text_of(await run(made, request(tmp_path, code))) == "[]\n"


@pytest.mark.parametrize(
    ("access", "given", "still"),
    [
        ("display", {"DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"}, {"SSH_AUTH_SOCK", "TMUX"}),
        ("desktop", {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"}, {"DISPLAY", "GITHUB_TOKEN"}),
        ("agent", {"SSH_AUTH_SOCK", "KRB5CCNAME"}, {"DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}),
        ("secrets", set(_SECRETS), {"DISPLAY", "SSH_AUTH_SOCK"}),
    ],
)
async def test_a_living_kernel_gets_what_is_allowed_and_nothing_else(
    tmp_path: Path, access: Access, given: set[str], still: set[str]
) -> None:
    async with kernels(tmp_path) as made:
        assert not (await seen(made, tmp_path)).keys() & given
        await run(made, request(tmp_path, "kept = 7"))
        made.allow("conversation", access)
        found = await seen(made, tmp_path)
        assert found.keys() >= given
        assert not found.keys() & still
        assert text_of(await run(made, request(tmp_path, "print(kept)"))) == "7\n"
        made.allow("conversation", access, is_on=False)
        assert not (await seen(made, tmp_path)).keys() & given


async def test_what_is_allowed_stays_within_its_conversation_and_outlives_a_restart(
    tmp_path: Path,
) -> None:
    async with kernels(tmp_path) as made:
        made.allow("conversation", "display")
        await seen(made, tmp_path)
        await made.restart("conversation")
        assert "DISPLAY" in await seen(made, tmp_path)
        other = replace(
            request(tmp_path, "import os; print('DISPLAY' in os.environ)"), conversation_id="other"
        )
        assert text_of(await run(made, other)) == "False\n"


async def test_pictures_of_matplotlib_need_no_display(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    async with kernels(tmp_path) as made:
        code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
        chunks = await run(made, request(tmp_path, code))
    assert error_of(chunks) is None
    assert any(chunk.type == "image" for chunk in chunks)


_TRIES = {
    "a window of tkinter": ("import tkinter; tkinter.Tk()", "display"),
    "a backend of matplotlib with windows": (
        "import matplotlib.pyplot as plt; plt.switch_backend('TkAgg'); plt.figure()",
        "display",
    ),
    "an application of Qt": (
        "from PySide6.QtGui import QGuiApplication; QGuiApplication([])",
        "display",
    ),
    "the name of the display": ("import os; os.environ['DISPLAY']", "display"),
    "the bus": ("import os; os.environ['DBUS_SESSION_BUS_ADDRESS']", "desktop"),
    "the agent": ("import os; os.environ['SSH_AUTH_SOCK']", "agent"),
    "keys of the agent": ("import subprocess; subprocess.run(['ssh-add', '-l'])", "agent"),
}


@pytest.mark.parametrize("name", _TRIES)
async def test_code_that_fails_for_want_of_it_is_known(tmp_path: Path, name: str) -> None:
    code, access = _TRIES[name]
    for needed in ("tkinter", "matplotlib"):
        if needed in code:
            pytest.importorskip(needed)
    async with kernels(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
        error = error_of(chunks)
        if error is not None and error.name == "FileNotFoundError":
            pytest.skip("there is no ssh-add here")
        printed = f"{text_of(chunks)}{error.name if error else ''}: {error and error.message}"
    assert missing_access(printed) == access


@pytest.mark.parametrize(
    ("printed", "access"),
    [
        ("qt.qpa.xcb: could not connect to display \nAborted", "display"),
        ("Error: Can't open display: (null)", "display"),
        ("git@github.com: Permission denied (publickey).", "agent"),
        ("git@x: Permission denied (publickey,password).", "agent"),
        ("Could not open a connection to your authentication agent.", "agent"),
        ("xdg-open: no method available for opening 'x'", "display"),
        ("Failed to connect to bus: No medium found", "desktop"),
        ("keyring.errors.NoKeyringError: No recommended backend was available.", "desktop"),
        ("PermissionError: [Errno 13] Permission denied: '/root/x'", None),
        ("display(df)  # shows 3 rows", None),
        ("ValueError: no", None),
    ],
)
def test_what_programs_print_says_what_they_lack(printed: str, access: Access | None) -> None:
    assert missing_access(printed) == access
