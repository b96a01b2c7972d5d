"""What the desktop is told while the window is not in front; bus, service and tray are real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from playhead.domain.settings import AppSettings
from playhead.ui.desktop.notifications import DesktopNotification
from playhead.ui.settings.appearance_page import AppearancePage
from playhead.ui.widgets.theme import Theme
from tests.support.note_server import NoteServer, PrivateBus, private_bus
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

pytestmark = pytest.mark.requires_system("dbus-daemon")


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateBus]:
    with private_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def server(bus: str) -> Iterator[NoteServer]:
    running = NoteServer(bus)
    yield running
    running.close()


async def behind(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another window is in front, whatever the window manager of the test thinks.

    It brings each new window to the front, sooner or later: afterwards there is no word of it.
    """
    await until(bench.window.isActiveWindow)
    monkeypatch.setattr(bench.window, "isActiveWindow", lambda: False)


async def begun(server: NoteServer) -> None:
    await until(lambda: server.events != [])


async def test_code_that_waits_is_told_without_what_it_says(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print('secret')")) as bench:
        await behind(bench, monkeypatch)
        bench.send("Find the secret")
        await until(lambda: len(server.notes) == 1)
        name, replaced, icon, title, text, actions, hints, lasts = server.notes[0]["values"]
        assert (name, replaced, icon, lasts) == ("Playhead", 0, "playhead", -1)
        assert title == "Find the secret"
        assert text == "Code waits for your decision"
        assert actions == ["default", ""]
        assert hints["desktop-entry"] == ["s", "playhead"]
        bench.session.stop()
        await bench.rests()


@pytest.mark.qt_log_ignore("does not support raise", extend=True)  # a platform without windows
async def test_a_click_brings_the_window_to_that_conversation(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print(1)"), said("Two.")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await until(lambda: len(server.notes) == 1)
        asked = bench.session
        bench.window.new_conversation()
        bench.window.hide()
        server.click(server.notes[0]["number"])
        await until(lambda: bench.session is asked)
        assert bench.window.isVisible()
        asked.stop()
        await bench.rests()


async def test_a_note_goes_when_its_question_is_settled(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await until(lambda: len(server.notes) == 1)
        await until(bench.parts.approval.isVisible)
        bench.session.stop()
        await until(lambda: server.notes[0]["number"] in server.closed)
        await bench.rests()
        assert len(server.notes) == 1, "a short turn that ends is not worth a note"


async def test_whoever_comes_to_the_window_has_seen_it(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await until(lambda: len(server.notes) == 1)
        QApplication.sendEvent(bench.window, QEvent(QEvent.Type.WindowActivate))
        await until(lambda: server.notes[0]["number"] in server.closed)
        bench.session.stop()
        await bench.rests()


@pytest.mark.parametrize("way", ["settled", "seen", "deleted"])
async def test_a_note_goes_although_it_is_over_before_the_desktop_has_shown_it(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    await begun(server)
    server.do("hold")
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        await behind(bench, monkeypatch)
        passed: list[str] = []
        bench.window.desk.notes.withdrawn.connect(passed.append)
        bench.send("One?")
        await until(lambda: len(server.notes) == 1)
        await bench.asked()
        asked = bench.session
        match way:
            case "settled":
                asked.stop()
            case "seen":
                QApplication.sendEvent(bench.window, QEvent(QEvent.Type.WindowActivate))
            case _:
                await bench.sessions.delete(asked.conversation.id)
        await until(lambda: passed == [asked.conversation.id])
        assert server.closed == []
        server.do("answer")
        await until(lambda: server.closed == [server.notes[0]["number"]])
        asked.stop()
        await until(lambda: asked.state == "idle")


async def test_what_is_over_before_the_bus_is_open_is_not_shown(
    theme: Theme,
    tmp_path: Path,
    bus: PrivateBus,
    server: NoteServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await begun(server)
    bus.pause()
    async with opened(theme, tmp_path, coded("print(1)"), coded("print(2)")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await bench.asked()
        bench.session.stop()
        await bench.rests()
        bench.window.new_conversation()
        bench.send("Two?")
        await bench.asked()
        bus.go_on()
        await until(lambda: server.notes)
        assert [note["values"][3] for note in server.notes] == ["Two?"]
        bench.session.stop()
        await until(lambda: server.closed == [server.notes[0]["number"]])
        await bench.rests()


async def test_a_long_turn_that_ends_is_told(
    theme: Theme, tmp_path: Path, server: NoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print(1)"), said("Done.")) as bench:
        await behind(bench, monkeypatch)
        times = iter([0.0])
        monkeypatch.setattr(bench.window.desk.notes, "_clock", lambda: next(times, 60.0))
        bench.send("Take a minute")
        await bench.asked()
        await until(lambda: server.notes)
        bench.click(bench.parts.approval.run_button)
        await until(lambda: len(server.notes) == 2)
        assert [note["values"][4] for note in server.notes][1] == "Finished"


@pytest.mark.parametrize("settings", [AppSettings(notifies=False), None])
async def test_nothing_is_told_when_switched_off_or_in_front(
    theme: Theme,
    tmp_path: Path,
    server: NoteServer,
    monkeypatch: pytest.MonkeyPatch,
    settings: AppSettings | None,
) -> None:
    await begun(server)
    async with opened(theme, tmp_path, coded("print(1)"), settings=settings) as bench:
        await until(bench.window.isActiveWindow)
        is_in_front = settings is None
        monkeypatch.setattr(bench.window, "isActiveWindow", lambda: is_in_front)
        posted: list[DesktopNotification] = []
        bench.window.desk.notes.posted.connect(posted.append)
        bench.send("One?")
        await bench.asked()
        bench.session.stop()
        await bench.rests()
        assert posted == []
    assert server.notes == []


async def test_a_bus_without_a_service_and_no_bus_at_all_are_no_failure(
    theme: Theme, tmp_path: Path, bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(theme, tmp_path, coded("print(1)"), coded("print(2)")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await bench.asked()
        await bench.window.tasks.settled()
        bench.session.stop()
        await bench.rests()
        assert bench.parts.notifications.banners == []
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        await behind(bench, monkeypatch)
        bench.send("One?")
        await bench.asked()
        await bench.window.tasks.settled()
        bench.session.stop()
        await bench.rests()
        assert bench.parts.notifications.banners == []


@pytest.mark.qt_log_ignore("does not support raise", extend=True)  # a platform without windows
async def test_the_tray_wears_a_dot_for_what_waits_and_leads_back(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        tray = bench.window.desk.make_tray()
        assert tray.state == "rests"
        at_rest = tray.icon().pixmap(64, 64).toImage()
        bench.send("One?")
        await until(lambda: tray.state == "waits")
        assert tray.icon().pixmap(64, 64).toImage() != at_rest
        assert tray.toolTip() == "Playhead: something waits for you"
        bench.window.hide()
        show, new, _line, leave = tray.menu.actions()
        show.trigger()
        assert bench.window.isVisible()
        asked = bench.session
        new.trigger()
        assert bench.session is not asked
        asked.stop()
        await until(lambda: tray.state == "rests")
        left: list[bool] = []
        bench.window.close_requested.connect(lambda: left.append(True))
        leave.trigger()
        assert left == [True]


@pytest.mark.usefixtures("theme")
async def test_the_settings_switch_both_and_an_untouched_box_answers_nothing() -> None:
    page = AppearancePage(AppSettings())
    assert page.values(AppSettings()) == AppSettings()
    page.notifies_aloud.setChecked(True)
    assert page.values(AppSettings()).notifies_aloud
    page.notifies_aloud.setChecked(False)
    page.notifies.setChecked(False)
    assert not page.notifies_aloud.isEnabled()
    page.keeps_running.setChecked(True)
    changed = page.values(AppSettings())
    assert (changed.notifies, changed.close_keeps_running) == (False, "yes")
    page.keeps_running.setChecked(False)
    assert page.values(changed).close_keeps_running == "no"
    page.deleteLater()
