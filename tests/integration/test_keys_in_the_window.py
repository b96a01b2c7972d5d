"""A key that is typed into the settings goes into the keyring and into no file."""

from __future__ import annotations

from pathlib import Path

from playhead.conversation.requests import AppSettings, Profile
from playhead.conversation.secret import Secret
from playhead.dialects.document_formats import DocumentKind
from playhead.dialects.documents import write_document
from playhead.dialects.profiles_toml import to_toml
from playhead.providers.catalog import ModelCatalog
from playhead.storage.kept_keys import ENTRY, KeptKeys
from playhead.storage.key_document import decode
from playhead.storage.key_store import KeyStore
from playhead.storage.settings import SettingsFile
from playhead.ui.settings_dialog import SettingsDialog
from playhead.ui.theme import Theme
from tests.integration.test_keys_stay_secret import KEY, check_clean, check_files
from tests.support.key_backends import BackendEntries, MemoryBackend
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import opened

KINDS: tuple[DocumentKind, ...] = ("md", "ipynb", "py", "json")
RESOURCES = Path(__file__).parents[2] / "resources"


async def test_a_typed_key_is_in_the_keyring_and_in_no_file(qapp: object, tmp_path: Path):
    theme = Theme(RESOURCES, "light")
    backend = MemoryBackend()
    keys = KeyStore({}, kept=KeptKeys(BackendEntries(backend)))
    settings = SettingsFile(tmp_path / "settings.json")
    await settings.save(AppSettings(model="openai/gpt-5-mini"))
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        ports = bench.ports
        dialog = SettingsDialog(
            settings, keys, ModelCatalog(()), ports.interpreters, bench.provider, bench.api
        )
        dialog.open()
        await dialog.tasks.settled()
        dialog.form.api_key.setText(KEY)
        saved: list[object] = []
        dialog.saved.connect(saved.append)
        dialog.save()
        await until(lambda: saved)
        assert decode(backend.kept[ENTRY]) == {"openai": Secret(KEY)}
        bench.send("hello")
        await until(lambda: bench.provider.requests)
        await bench.rests()
        conversation = bench.session.conversation
        for kind in KINDS:
            check_clean(write_document(kind, conversation.messages, "Title").data, kind)
        profile = Profile("Fast", model="openai/test", instructions="Be brief.")
        check_clean(to_toml((profile,)).encode(), "exported profiles")
    keys.close()
    theme.deleteLater()
    assert check_files(tmp_path) >= 2  # settings and history
