"""Keys go to the system's keyring, and never anywhere else."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordSetError

from playhead.conversation.requests import KeyInfo
from playhead.conversation.secret import Secret
from playhead.errors import KeyStoreError
from playhead.storage.key_store import KeyStore
from playhead.storage.keyring_entries import KeyringEntries
from tests.support.waiting import until

KEY = "sk-test-0123456789"

PRELUDE = """
    import asyncio, json, sys
    from playhead.conversation.secret import Secret
    from playhead.storage.key_store import KeyStore
    from playhead.storage.keyring_entries import KeyringEntries
    KEY = "sk-test-0123456789"
    def said(info):
        return [info.secret.reveal() if info.secret else None, info.source, info.variable]
"""


def run_script(code: str, environment: dict[str, str], *wrapper: str) -> list[object]:
    """Run the code in a process of its own; the JSON values that it printed, one a line."""
    source = textwrap.dedent(PRELUDE) + textwrap.dedent(code)
    done = subprocess.run(
        [*wrapper, sys.executable, "-W", "error", "-c", source],
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("[", '"'))]


def without_desktop() -> dict[str, str]:
    """The environment with no way to the user's own keyring."""
    owned = ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "PYTHON_KEYRING_BACKEND")
    return {name: value for name, value in os.environ.items() if name not in owned}


@pytest.fixture
def secret_service(tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """A command prefix: a session bus with an unlocked keyring that ends with the command."""
    script = tmp_path / "with-keyring"
    script.write_text(
        "#!/bin/sh\n"
        "echo test | gnome-keyring-daemon --foreground --unlock --components=secrets \\\n"
        '    >"$0.log" 2>&1 &\n'
        "daemon=$!\n"
        '"$@"\n'
        "status=$?\n"
        "kill $daemon; wait $daemon\n"
        "exit $status\n"
    )
    script.chmod(0o700)
    yield ("dbus-run-session", "--", str(script))
    shutil.rmtree(tmp_path / "run", ignore_errors=True)


WAIT_FOR_DAEMON = """
    async def ready(store):
        for _ in range(500):  # the daemon takes its bus name a moment after its start
            if (await store.status()).is_usable:
                return
            await asyncio.sleep(0.02)
        raise SystemExit("no secret service: " + (await store.status()).message)
"""


@pytest.mark.requires_system("dbus-run-session", "gnome-keyring-daemon")
def test_a_real_keyring_keeps_a_key_encrypted(secret_service):
    code = (
        WAIT_FOR_DAEMON
        + """
    async def main():
        store = KeyStore({})
        await ready(store)
        print(json.dumps((await store.status()).backend))
        print(json.dumps([await store.set("openai", Secret(KEY))]))
        store.close()
        again = KeyStore({})
        print(json.dumps(said(await again.get("openai"))))
        print(json.dumps(said(await again.get("other"))))
        await again.set("openai", Secret("new"))
        print(json.dumps(said(await again.get("openai"))))
        await again.delete("openai")
        await again.delete("openai")
        print(json.dumps(said(await again.get("openai"))))
        again.close()
    asyncio.run(main())
    """
    )
    said = run_script(code, without_desktop(), *secret_service)
    assert "SecretService" in str(said[0])
    assert said[1:] == [
        ["keyring"],
        [KEY, "keyring", ""],
        [None, "none", ""],
        ["new", "keyring", ""],
        [None, "none", ""],
    ]
    home = Path(os.environ["HOME"])
    kept = [file for file in home.rglob("*") if file.is_file()]
    assert kept  # the keyring's own file
    assert not [file for file in kept if KEY.encode() in file.read_bytes()]


@pytest.mark.requires_system("dbus-run-session", "gnome-keyring-daemon")
def test_a_long_secret_is_kept_in_parts_and_forgotten_whole(secret_service):
    code = (
        WAIT_FOR_DAEMON
        + """
    async def main():
        entries = KeyringEntries(limit=100)
        store = KeyStore({}, entries=entries)
        await ready(store)
        long = "".join(chr(65 + number % 26) for number in range(1050))
        await store.set("vertex", Secret(long))
        print(json.dumps([(await store.get("vertex")).secret.reveal() == long]))
        print(json.dumps([len(entries.get("vertex#10").reveal())]))
        await store.set("vertex", Secret("short"))
        print(json.dumps(said(await store.get("vertex"))))
        print(json.dumps([entries.get(f"vertex#{index}") for index in range(12)]))
        store.close()
    asyncio.run(main())
    """
    )
    said = run_script(code, without_desktop(), *secret_service)
    assert said == [[True], [50], ["short", "keyring", ""], [None] * 12]


SESSION_ONLY = """
    async def main():
        store = KeyStore({})
        status = await store.status()
        print(json.dumps([status.is_usable, status.message]))
        print(json.dumps([await store.set("openai", Secret(KEY))]))
        print(json.dumps(said(await store.get("openai"))))
        await store.delete("openai")
        print(json.dumps(said(await store.get("openai"))))
        store.close()
    asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="D-Bus")
def test_with_no_keyring_a_key_lives_for_this_run_and_the_reason_is_told():
    environment = without_desktop() | {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
    status, *rest = run_script(SESSION_ONLY, environment)
    assert status[0] is False  # pyright: ignore[reportIndexIssue]
    assert "kept for this run only" in str(status)
    assert "apt install gnome-keyring" in str(status)
    assert rest == [["session"], [KEY, "session", ""], [None, "none", ""]]
    written = [file for file in Path(os.environ["HOME"]).rglob("*") if file.is_file()]
    assert not [file for file in written if KEY.encode() in file.read_bytes()]


@pytest.mark.requires_system("dbus-run-session")
def test_a_bus_without_a_keyring_is_no_usable_keyring():
    status, kept, *_ = run_script(SESSION_ONLY, without_desktop(), "dbus-run-session", "--")
    assert status[0] is False  # pyright: ignore[reportIndexIssue]
    assert kept == ["session"]


def test_a_backend_that_writes_plain_text_is_refused(tmp_path):
    package = tmp_path / "keyrings" / "alt"
    package.mkdir(parents=True)
    (package / "file.py").write_text(
        "from keyring.backend import KeyringBackend\n"
        "class PlaintextKeyring(KeyringBackend):\n"
        "    priority = 1\n"
        "    def get_password(self, service, name): return 'plain'\n"
        "    def set_password(self, service, name, text): open('leak', 'w').write(text)\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})" + textwrap.dedent(SESSION_ONLY)
    environment = without_desktop() | {
        "PYTHON_KEYRING_BACKEND": "keyrings.alt.file.PlaintextKeyring"
    }
    status, *rest = run_script(code, environment)
    assert "unencrypted" in str(status)
    assert rest == [["session"], [KEY, "session", ""], [None, "none", ""]]


class SlowEntries(KeyringEntries):
    """A keyring whose unlock prompt nobody answers until told so."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = threading.Event()
        self.kept: dict[str, Secret] = {}

    def get(self, name: str) -> Secret | None:
        self.answered.wait(30)
        return self.kept.get(name)

    def set(self, name: str, secret: Secret) -> None:
        self.answered.wait(30)
        self.kept[name] = secret

    def delete(self, name: str) -> None:
        raise KeyStoreError("refused")

    def check(self) -> str:
        self.answered.wait(30)
        return "slow"


async def test_a_keyring_that_does_not_answer_holds_nothing_up():
    entries = SlowEntries()
    store = KeyStore({}, entries=entries, limit_s=0.05)
    assert await store.get("openai") == KeyInfo()
    assert await store.set("openai", Secret(KEY)) == "session"
    assert "does not answer" in (await store.status()).message
    assert await store.get("openai") == KeyInfo(Secret(KEY), "session")
    entries.answered.set()
    store.close()


async def test_calls_to_the_keyring_never_run_in_the_loop_s_thread():
    threads: set[str] = set()

    class Noting(SlowEntries):
        def get(self, name: str) -> Secret | None:
            threads.add(threading.current_thread().name)
            return None

    store = KeyStore({}, entries=Noting())
    await asyncio.gather(*(store.get(name) for name in "abc"))
    assert threads == {"playhead-keyring"}
    store.close()
    await until(lambda: "playhead-keyring" not in {t.name for t in threading.enumerate()})


async def test_the_environment_comes_first_and_is_never_copied():
    entries = SlowEntries()
    entries.answered.set()
    store = KeyStore({"OPENAI_API_KEY": Secret("env")}, entries=entries)
    assert await store.set("openai", Secret(KEY)) == "keyring"
    assert await store.get("openai") == KeyInfo(Secret("env"), "environment", "OPENAI_API_KEY")
    assert entries.kept == {"openai": Secret(KEY)}
    store.close()


async def test_a_key_s_variable_can_be_named():
    store = KeyStore({"CO_API_KEY": Secret("env")}, {"cohere": "CO_API_KEY"}, SlowEntries())
    assert await store.get("cohere") == KeyInfo(Secret("env"), "environment", "CO_API_KEY")
    store.close()


async def test_a_keyring_that_will_not_forget_is_an_error():
    store = KeyStore({}, entries=SlowEntries())
    with pytest.raises(KeyStoreError, match="refused"):
        await store.delete("openai")
    store.close()


def test_the_keyring_module_is_not_loaded_before_it_is_needed():
    code = "KeyStore({}); print(json.dumps(['keyring' in sys.modules]))"
    assert run_script(code, without_desktop()) == [[False]]


class FullBackend(KeyringBackend):
    """A keyring that keeps what it has and takes nothing new."""

    priority = 1  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def get_password(self, service: str, username: str) -> str | None:
        return "old" if username == "openai" else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError("no room")

    def delete_password(self, service: str, username: str) -> None:
        raise AssertionError("the old key is all there is")


def test_a_key_that_cannot_be_written_leaves_the_old_one():
    class FullEntries(KeyringEntries):
        def backend(self) -> KeyringBackend:
            return FullBackend()

    entries = FullEntries()
    with pytest.raises(KeyStoreError):
        entries.set("openai", Secret("new"))
    kept = entries.get("openai")
    assert kept is not None
    assert kept.reveal() == "old"
