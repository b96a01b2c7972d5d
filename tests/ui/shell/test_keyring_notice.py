"""The window says when it waits for the keyring, and a turn that waits can be stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playhead.domain.secret import KeyInfo, Secret
from playhead.ui.shell.notices import show_keyring_wait
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import opened


async def test_the_notice_comes_once_and_goes_when_the_keyring_answers(
    theme: Theme, tmp_path: Path
):
    async with opened(theme, tmp_path) as bench:
        notifications = bench.parts.notifications
        show_keyring_wait(notifications, is_waiting=True)
        show_keyring_wait(notifications, is_waiting=True)
        assert [banner.title for banner in notifications.banners] == [
            "Waiting for the system's keyring"
        ]
        show_keyring_wait(notifications, is_waiting=False)
        assert notifications.banners == []


async def test_a_turn_that_waits_for_a_locked_keyring_freezes_nothing_and_can_be_stopped(
    theme: Theme, tmp_path: Path
):
    unlocked = asyncio.Event()
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        waiting: list[str] = []

        async def get(name: str) -> KeyInfo:
            waiting.append(name)
            await unlocked.wait()
            return KeyInfo(Secret("sk-1"), "keyring")

        bench.ports.keys.get = get  # type: ignore[method-assign]
        bench.send("hello")
        await until(lambda: waiting)
        assert bench.session.state != "idle"
        bench.parts.composer.stop_requested.emit()
        await bench.rests()
        assert bench.provider.requests == []
        unlocked.set()
        bench.send("again")
        await until(lambda: bench.provider.requests)
        await bench.rests()
