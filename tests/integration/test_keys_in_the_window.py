"""A key that is typed into the settings goes into the keyring and into no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.domain.model import ModelSettings
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings, Profile
from playhead.formats.documents.document import write_document
from playhead.formats.documents.document_formats import DocumentKind
from playhead.formats.documents.profiles_toml import to_toml
from playhead.providers.catalog import ModelCatalog
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import ENTRY, KeyringKeys, decode_keys
from playhead.storage.settings import SettingsFile
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.widgets.theme import Theme
from tests.integration.test_keys_stay_secret import KEY, check_clean, check_files
from tests.support.key_backends import BackendEntries, MemoryBackend
from tests.support.ports import (
    ApiInMemory,
    OneInterpreter,
    ScriptedProvider,
    SettingsInMemory,
    said,
)
from tests.support.waiting import until
from tests.support.window import opened

KINDS: tuple[DocumentKind, ...] = ("md", "ipynb", "py", "json")
RESOURCES = Path(__file__).parents[2] / "resources"


async def test_a_typed_key_is_in_the_keyring_and_in_no_file(qapp: object, tmp_path: Path):
    theme = Theme(RESOURCES, "light")
    backend = MemoryBackend()
    keys = KeyStore({}, kept=KeyringKeys(BackendEntries(backend)))
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
        assert decode_keys(backend.kept[ENTRY])["openai"] == Secret(KEY)
        bench.send("hello")
        await until(lambda: bench.provider.requests)
        await bench.rests()
        conversation = bench.session.conversation
        for kind in KINDS:
            check_clean(write_document(kind, conversation.messages, "Title").data, kind)
        profile = Profile(name="Fast", model="openai/test", instructions="Be brief.")
        check_clean(to_toml((profile,)).encode(), "exported profiles")
    keys.close()
    theme.deleteLater()
    assert check_files(tmp_path) >= 2  # settings and history


class Asked(ScriptedProvider):
    """Remembers with what each check was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.checked: list[ModelSettings] = []

    async def check(self, model: ModelSettings) -> str:
        self.checked.append(model)
        return f"{model.model} answered."


@pytest.mark.parametrize(
    ("typed", "is_own"),
    [
        ("https://api.openai.com/v1", True),
        ("https://API.OpenAI.com:443/v1/", True),
        ("http://api.openai.com/v1", False),  # everybody on the way could read it
        ("https://api.openai.com.example.org/v1", False),
        ("https://api.openai.com:8443/v1", False),
        ("https://gateway.example.com/v1", False),
    ],
)
async def test_a_kept_key_is_asked_for_again_where_the_address_is_another(
    qapp: object, tmp_path: Path, typed: str, is_own: bool
):
    backend = MemoryBackend()
    keys = KeyStore({}, kept=KeyringKeys(BackendEntries(backend)))
    await keys.set("openai", Secret(KEY))
    settings = SettingsInMemory(AppSettings(model="openai/gpt-5-mini"))
    provider = Asked()
    dialog = SettingsDialog(
        settings, keys, ModelCatalog(()), OneInterpreter(), provider, ApiInMemory(settings)
    )
    dialog.open()
    try:
        await dialog.tasks.settled()
        dialog.form.address.setText(typed)
        await dialog.tasks.settled()
        dialog.check()
        await until(lambda: provider.checked)
        assert provider.checked[0].api_base == typed
        sent = provider.checked[0].api_key
        assert (sent == Secret(KEY)) is is_own
        assert (sent is None) is not is_own
        await until(lambda: dialog.form.remove_key.isHidden() is not is_own)
    finally:
        dialog.reject()
        dialog.deleteLater()
        keys.close()
