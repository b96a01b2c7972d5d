"""A locked keyring is unlocked in the settings: the dialog, the store and a real Secret Service."""

from __future__ import annotations

from pathlib import Path

import pytest
from keyring.backends.SecretService import Keyring as SecretServiceKeyring
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from secretstorage import dbus_init

from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings
from playhead.storage.keys.key_store import KeyStore
from playhead.storage.keys.system_keyring import ENTRY, KeyringKeys, encode_keys
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.widgets.theme import Theme
from tests.support.key_backends import BackendEntries
from tests.support.ports import (
    ApiInMemory,
    OneInterpreter,
    ScriptedProvider,
    SettingsInMemory,
    SmallCatalog,
)
from tests.support.secret_service import SecretService, private_bus
from tests.support.waiting import until


@pytest.mark.requires_system("dbus-daemon")
async def test_a_keyring_that_stayed_locked_is_unlocked_by_a_button(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections = []
    monkeypatch.setattr(
        "secretstorage.dbus_init", lambda: connections.append(dbus_init()) or connections[-1]
    )
    with private_bus(tmp_path) as address, SecretService(address, is_locked=True) as service:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        service.items[ENTRY] = encode_keys({"openai": Secret("sk-kept")}).encode()
        service.answer = "dismiss"
        keys = KeyStore({}, kept=KeyringKeys(BackendEntries(SecretServiceKeyring())))
        settings = SettingsInMemory(AppSettings(model="openai/gpt-4o"))
        dialog = SettingsDialog(
            settings,
            keys,
            SmallCatalog(),
            OneInterpreter(),
            ScriptedProvider(),
            ApiInMemory(settings),
        )
        dialog.show()
        form = dialog.form
        try:
            await until(lambda: "stayed locked" in form.key_note.text())
            assert "Choose “Unlock” in the settings" in form.key_note.text()
            assert form.unlock_keyring.isVisible()
            service.answer = "wait"  # the system's prompt is open, and the window goes on
            QTest.mouseClick(form.unlock_keyring, Qt.MouseButton.LeftButton)
            await until(lambda: service.prompts == 2)
            assert form.key_note.text() == "Waiting for the keyring…"
            service.answer = "unlock"
            await until(lambda: "Type another to replace it." in form.key_note.text())
            assert not form.unlock_keyring.isVisible()
            assert form.remove_key.isVisible()
        finally:
            await dialog.tasks.settled()
            dialog.close()
            dialog.deleteLater()
            keys.close()
            for connection in connections:
                connection.close()
