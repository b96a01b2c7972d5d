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
from contextlib import contextmanager
from pathlib import Path

import pytest
from jeepney.io.blocking import DBusConnection
from keyring.backends.SecretService import Keyring as SecretServiceKeyring
from secretstorage import dbus_init

from playhead.domain.secret import KeyInfo, Secret
from playhead.errors import KeyStoreError
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import ENTRY, KeyringKeys, decode_keys, encode_keys
from tests.support.key_backends import BackendEntries, MemoryBackend
from tests.support.secret_service import CONFIG, SecretService, private_bus
from tests.support.waiting import LIMIT_S, STEP_S, until

KEY = "sk-test-0123456789"

PRELUDE = """
    import asyncio, json, sys
    from playhead.domain.secret import Secret
    from playhead.storage.keys.system_keyring import KeyringKeys
    from playhead.storage.keys.key_store import KeyStore
    from playhead.storage.keys.system_keyring import KeyringEntries
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
        timeout=LIMIT_S,
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
    # It starts no services by itself: a second daemon would come before ours is heard of.
    config = tmp_path / "session.conf"
    config.write_text(CONFIG.format(socket=tmp_path / "session"))
    yield ("dbus-run-session", f"--config-file={config}", "--", str(script))
    shutil.rmtree(tmp_path / "run", ignore_errors=True)


WAIT_FOR_DAEMON = """
    async def ready(store):
        for _ in range(3000):  # the daemon takes its bus name a moment after its start
            if (await store.status()).is_usable:
                return
            await asyncio.sleep(0.02)
        raise SystemExit("no secret service: " + str((await store.status()).error))
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
def test_a_real_keyring_keeps_what_is_long_whole_or_in_parts(secret_service):
    code = (
        WAIT_FOR_DAEMON
        + """
    async def main():
        for limit in (None, 1200):
            long = "".join(chr(65 + number % 26) for number in range(20_000)) + str(limit)
            store = KeyStore({}, kept=KeyringKeys(KeyringEntries(limit)))
            await ready(store)
            await store.set("vertex", Secret(long))
            store.close()
            again = KeyStore({}, kept=KeyringKeys(KeyringEntries(limit)))
            print(json.dumps([(await again.get("vertex")).secret.reveal() == long]))
            again.close()
        entries = KeyringEntries()
        print(json.dumps([entries.get("keys#a.0") is not None]))
        store = KeyStore({}, kept=KeyringKeys(entries))
        await store.set("vertex", Secret("short"))
        print(json.dumps(said(await store.get("vertex"))))
        print(json.dumps([entries.get("keys#a.0")]))
        store.close()
    asyncio.run(main())
    """
    )
    said = run_script(code, without_desktop(), *secret_service)
    assert said == [[True], [True], [True], ["short", "keyring", ""], [None]]


SESSION_ONLY = """
    async def main():
        store = KeyStore({})
        status = await store.status()
        print(json.dumps([status.is_usable, str(status.error)]))
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


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A session bus with nobody on it, which is the session's for the test."""
    connections: list[DBusConnection] = []

    def connect() -> DBusConnection:  # keyring leaves those of a refused prompt open
        connections.append(dbus_init())
        return connections[-1]

    monkeypatch.setattr("secretstorage.dbus_init", connect)
    with private_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address
        for connection in connections:
            connection.close()


@pytest.fixture
def locked(bus: str) -> Iterator[SecretService]:
    """A locked keyring whose prompt nobody answers until the test says how."""
    with SecretService(bus, is_locked=True) as service:
        service.answer = "wait"
        yield service


@contextmanager
def opened(*, limit_s: float = LIMIT_S, long_s: float = LIMIT_S) -> Iterator[KeyStore]:
    """A store on the session's real bus."""
    entries = BackendEntries(SecretServiceKeyring())
    store = KeyStore({}, kept=KeyringKeys(entries), limit_s=limit_s, long_s=long_s)
    try:
        yield store
    finally:
        store.close()


requires_bus = pytest.mark.requires_system("dbus-daemon")


@requires_bus
async def test_a_locked_keyring_is_asked_for_once_and_nothing_waits_but_who_needs_a_key(
    locked: SecretService,
):
    locked.items[ENTRY] = encode_keys({"openai": Secret(KEY)}).encode()
    with opened() as store:
        asking = [asyncio.create_task(store.get("openai")) for _ in range(3)]
        status = asyncio.create_task(store.status())
        await until(lambda: locked.prompts)
        turns = 0
        while turns < 100:  # the loop goes on
            await asyncio.sleep(0)
            turns += 1
        assert not any(task.done() for task in (*asking, status))
        locked.answer = "unlock"
        assert {await task for task in asking} == {KeyInfo(Secret(KEY), "keyring")}
        assert (await status).is_usable
        assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")
        assert locked.prompts == 1
        assert locked.reads == 1


@requires_bus
async def test_waiting_for_the_unlock_can_be_cancelled_and_a_later_unlock_counts(
    locked: SecretService,
):
    locked.items[ENTRY] = encode_keys({"openai": Secret(KEY)}).encode()
    with opened() as store:
        asking = asyncio.create_task(store.get("openai"))
        await until(lambda: locked.prompts)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        locked.answer = "unlock"
        assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")
        assert locked.prompts == 1


@requires_bus
async def test_a_prompt_that_was_dismissed_comes_again_only_when_asked_for(locked: SecretService):
    locked.items[ENTRY] = encode_keys({"openai": Secret(KEY)}).encode()
    locked.answer = "dismiss"
    with opened() as store:
        for _ in range(3):
            assert await store.get("openai") == KeyInfo()
            status = await store.status()
            assert status.is_locked
            assert "stayed locked" in str(status.error)
        assert locked.prompts == 1
        locked.answer = "unlock"
        assert (await store.unlock()).is_usable
        assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")
        assert locked.prompts == 2


@requires_bus
async def test_a_key_that_is_entered_asks_once_more_and_else_lives_for_this_run(
    locked: SecretService,
):
    locked.answer = "dismiss"
    with opened() as store:
        assert await store.get("openai") == KeyInfo()
        assert await store.set("openai", Secret(KEY)) == "session"
        assert await store.get("openai") == KeyInfo(Secret(KEY), "session")
        assert locked.prompts == 2
        assert locked.items == {}
        locked.answer = "unlock"
        assert await store.set("openai", Secret(KEY)) == "keyring"
        assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")


@requires_bus
async def test_a_key_whose_keeping_was_cancelled_is_not_kept_by_a_late_unlock(
    locked: SecretService,
):
    with opened() as store:
        setting = asyncio.create_task(store.set("openai", Secret(KEY)))
        await until(lambda: locked.prompts)
        setting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await setting
        locked.answer = "unlock"
        assert await store.get("openai") == KeyInfo()
        assert locked.items == {}


@requires_bus
async def test_a_keyring_that_does_not_answer_holds_nobody_up_for_long(locked: SecretService):
    locked.items[ENTRY] = encode_keys({"openai": Secret(KEY)}).encode()
    with opened(limit_s=0.05) as store:
        locked.hold()
        assert await store.get("openai") == KeyInfo()
        assert "does not answer" in str((await store.status()).error)
        assert await store.set("cohere", Secret("mine")) == "session"
        assert await store.get("cohere") == KeyInfo(Secret("mine"), "session")
        locked.answer = "unlock"
        locked.let_go()
        await until_has(store, "openai")
        assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")


@requires_bus
async def test_who_waits_for_the_keyring_is_told_and_told_when_it_is_over(locked: SecretService):
    told: list[bool] = []
    with opened(long_s=0.01) as store:
        store.on_waiting(told.append)
        asking = asyncio.create_task(store.get("openai"))
        await until(lambda: told == [True])
        assert not asking.done()
        locked.answer = "unlock"
        await asking
        await until(lambda: not told[-1])


@requires_bus
async def test_a_service_that_refuses_to_write_keeps_the_key_out_of_its_words(
    bus: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG")
    with SecretService(bus) as service, opened() as store:
        service.refuses_writing = True  # its error repeats what it was given
        assert await store.set("openai", Secret(KEY)) == "session"
        assert KEY not in caplog.text


@requires_bus
async def test_long_keys_of_several_providers_are_one_entry(bus: str):
    long = "k" * 20_000
    with SecretService(bus) as service:
        with opened() as store:
            await store.set("vertex_ai", Secret(long))
            await store.set("openai", Secret(KEY))
        assert list(service.items) == [ENTRY]
        with opened() as again:
            assert await again.get("vertex_ai") == KeyInfo(Secret(long), "keyring")
            assert await again.get("openai") == KeyInfo(Secret(KEY), "keyring")
            assert service.reads >= 1
            await again.set("openai", Secret("rotated"))
            await again.delete("vertex_ai")
            await again.delete("vertex_ai")
            assert await again.get("openai") == KeyInfo(Secret("rotated"), "keyring")
            assert await again.get("vertex_ai") == KeyInfo()
        assert decode_keys(service.items[ENTRY].decode()) == {"openai": Secret("rotated")}


@requires_bus
async def test_a_user_without_a_keyring_is_asked_to_make_one_only_once(bus: str):
    with SecretService(bus, has_collection=False) as service, opened() as store:
        service.answer = "dismiss"
        for _ in range(3):
            assert await store.get("openai") == KeyInfo()
        assert service.prompts == 1
        service.answer = "unlock"
        assert await store.set("openai", Secret(KEY)) == "keyring"


@requires_bus
async def test_a_bus_with_nobody_on_it_is_looked_at_again_later(bus: str):
    with opened() as store:
        assert await store.get("openai") == KeyInfo()
        assert not (await store.status()).is_usable
        with SecretService(bus) as service:
            service.items[ENTRY] = encode_keys({"openai": Secret(KEY)}).encode()
            assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")


async def until_has(store: KeyStore, name: str) -> None:
    for _ in range(int(LIMIT_S / STEP_S)):
        if (await store.get(name)).secret:
            return
        await asyncio.sleep(STEP_S)
    raise AssertionError(f"still no key for {name}")


def in_memory(
    environment: dict[str, Secret] | None = None, variables: dict[str, str] | None = None
) -> tuple[KeyStore, MemoryBackend]:
    backend = MemoryBackend()
    return KeyStore(environment or {}, variables, KeyringKeys(BackendEntries(backend))), backend


async def test_calls_to_the_keyring_never_run_in_the_loop_s_thread():
    threads: set[str] = set()

    class Noting(MemoryBackend):
        def get_password(self, service: str, username: str) -> str | None:
            threads.add(threading.current_thread().name)
            return None

    store = KeyStore({}, kept=KeyringKeys(BackendEntries(Noting())))
    await asyncio.gather(*(store.get(name) for name in "abc"))
    assert threads == {"playhead-keyring"}
    store.close()
    await until(lambda: "playhead-keyring" not in {t.name for t in threading.enumerate()})


async def test_the_environment_comes_first_and_is_never_copied():
    store, backend = in_memory({"OPENAI_API_KEY": Secret("env")})
    assert await store.set("openai", Secret(KEY)) == "keyring"
    assert await store.get("openai") == KeyInfo(Secret("env"), "environment", "OPENAI_API_KEY")
    assert decode_keys(backend.kept[ENTRY]) == {"openai": Secret(KEY)}
    store.close()


async def test_a_key_s_variable_can_be_named():
    store, _ = in_memory({"CO_API_KEY": Secret("env")}, {"cohere": "CO_API_KEY"})
    assert await store.get("cohere") == KeyInfo(Secret("env"), "environment", "CO_API_KEY")
    store.close()


async def test_a_keyring_that_will_not_forget_is_an_error_and_keeps_what_it_has():
    store, backend = in_memory()
    await store.set("openai", Secret(KEY))
    backend.writes_left = 0
    with pytest.raises(KeyStoreError, match="refused"):
        await store.delete("openai")
    assert await store.get("openai") == KeyInfo(Secret(KEY), "keyring")
    store.close()


async def test_a_key_that_cannot_be_written_leaves_the_old_one_for_the_next_start():
    store, backend = in_memory()
    await store.set("openai", Secret("old"))
    backend.writes_left = 0
    assert await store.set("openai", Secret(KEY)) == "session"
    assert decode_keys(backend.kept[ENTRY]) == {"openai": Secret("old")}
    store.close()


def test_the_keyring_module_is_not_loaded_before_it_is_needed():
    code = "KeyStore({}); print(json.dumps(['keyring' in sys.modules]))"
    assert run_script(code, without_desktop()) == [[False]]
