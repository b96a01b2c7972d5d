"""Back to the defaults: a dated backup first, then settings, and keys and conversations if wished.

Real files and a real database; the keyring is one in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.bootstrap.maintenance import Reset
from playhead.domain.app_data import ResetOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.errors import StorageError
from playhead.session.sessions import Sessions
from playhead.storage import paths
from playhead.storage.history.sqlite_history import SqliteHistory
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import KeyringKeys
from playhead.storage.settings import SettingsFile
from tests.support.key_backends import BackendEntries, MemoryBackend
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with

MINE = AppSettings(model="openai/mine", theme="dark", max_steps=7)


class Home:
    """Settings, a key and a conversation with a file, as somebody has them."""

    def __init__(self) -> None:
        self.settings = SettingsFile(paths.settings_path())
        self.keyring = MemoryBackend()
        self.keys = KeyStore({}, kept=KeyringKeys(BackendEntries(self.keyring)))
        ports = ports_with(ScriptedProvider(), RecordingExecutor())
        history = SqliteHistory(paths.history_path(), paths.outputs_dir())
        self.sessions = Sessions(replace(ports, settings=self.settings), history)
        self.resetting = Reset(self.settings, self.keys, history, self.sessions)

    @property
    def titles(self) -> list[str]:
        return [row.title for row in self.sessions.summaries]


def all_text(folder: Path) -> str:
    """What the files of a folder say."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return "".join(file.read_text("utf-8", "replace") for file in files)


@asynccontextmanager
async def lived_in() -> AsyncIterator[Home]:
    home = Home()
    await home.sessions.start()
    await home.settings.save(MINE)
    await home.keys.set("openai", Secret("sk-1"))
    await home.keys.set("cohere", Secret("sk-2"))
    session = home.sessions.new()
    session.add([Chunk(role="user", type="message", content="keep me")])
    home.sessions.rename(session.conversation.id, "Mine")
    outputs = paths.outputs_dir() / session.conversation.id
    outputs.mkdir()
    (outputs / "plot.png").write_bytes(b"picture")
    try:
        yield home
    finally:
        await home.sessions.close()
        home.keys.close()


async def test_settings_go_back_and_the_backup_has_them_and_says_how_to_return():
    async with lived_in() as home:
        backup = Path(await home.resetting.reset(ResetOptions()))
        assert home.settings.current == AppSettings()
        assert SettingsFile(paths.settings_path()).current == AppSettings()
        assert SettingsFile(backup / "settings.json").current == MINE
        assert str(paths.config_dir()) in (backup / "README.txt").read_text("utf-8")
        assert backup.parent == paths.data_dir() / "backups"
        assert home.titles == ["Mine"]
        assert (await home.keys.get("openai")).source == "keyring"
        assert not (backup / "history.sqlite3").exists()


async def test_conversations_go_into_the_backup_with_their_files():
    async with lived_in() as home:
        backup = Path(await home.resetting.reset(ResetOptions(takes_conversations=True)))
        assert home.titles == []
        assert list(paths.outputs_dir().iterdir()) == []
        (picture,) = (backup / "outputs").rglob("*.png")
        assert picture.read_bytes() == b"picture"
        with closing(sqlite3.connect(backup / "history.sqlite3")) as database:
            rows = database.execute("SELECT title, content FROM conversation, message").fetchall()
        assert rows == [("Mine", "keep me")]
    again = SqliteHistory(paths.history_path())
    assert await again.open() == ""
    assert await again.conversations() == []
    await again.close()


async def test_keys_go_only_when_that_is_wished_and_are_in_no_backup():
    async with lived_in() as home:
        backup = Path(await home.resetting.reset(ResetOptions(takes_keys=True)))
        assert (await home.keys.get("openai")).secret is None
        assert (await home.keys.get("cohere")).secret is None
        assert json.loads(home.keyring.kept["keys"])["keys"] == {}
        assert "sk-1" not in all_text(backup)


async def test_what_was_put_away_can_be_copied_back():
    async with lived_in() as home:
        backup = Path(await home.resetting.reset(ResetOptions(takes_conversations=True)))
    paths.history_path().write_bytes((backup / "history.sqlite3").read_bytes())
    again = SqliteHistory(paths.history_path())
    await again.open()
    assert [row.title for row in await again.conversations()] == ["Mine"]
    await again.close()


async def test_two_resets_at_once_have_a_backup_each():
    async with lived_in() as home:
        first = await home.resetting.reset(ResetOptions())
        second = await home.resetting.reset(ResetOptions())
        assert first != second


async def test_without_a_place_for_the_backup_nothing_is_reset():
    async with lived_in() as home:
        (paths.data_dir() / "backups").write_text("in the way")
        with pytest.raises(StorageError, match="Nothing was reset"):
            await home.resetting.reset(ResetOptions(takes_keys=True, takes_conversations=True))
        assert home.settings.current == MINE
        assert home.titles == ["Mine"]
        assert (await home.keys.get("openai")).source == "keyring"
