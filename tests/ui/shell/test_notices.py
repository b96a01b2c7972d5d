"""What the window shows of programs that use it; sessions and window are real."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.history import ConversationSummary
from playhead.domain.settings import AppSettings
from playhead.errors import ProviderError
from playhead.session.ports import ApiStatus
from playhead.session.session import Session
from playhead.session.turn_settings import TurnOptions
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.shell.notices import show_ignored_switches, waiting_words
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened


def begun(bench: Bench, client: str, text: str) -> Session:
    """A conversation that a program begins over the API."""
    session = bench.sessions.new(is_kept=False, client=client)
    session.take([Chunk(role="user", type="message", content=text)], TurnOptions())
    return session


async def waiting(bench: Bench, client: str, text: str) -> Session:
    """One whose code waits for a decision."""
    session = begun(bench, client, text)
    await until(lambda: session.state == "awaiting_approval")
    return session


def titles(bench: Bench) -> list[str]:
    return [banner.title for banner in bench.parts.notifications.banners]


def rows(bench: Bench) -> list[tuple[str, str]]:
    return [(row.text, row.client) for row in bench.parts.sidebar.model.rows]


async def test_a_programs_conversation_is_a_row_only_while_it_works(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        session = await waiting(bench, "openai-python", "Seven?")
        marked = [("openai-python", "openai-python"), ("Seven?", "openai-python")]
        await until(lambda: rows(bench) == marked)
        index = bench.parts.sidebar.model.index_of(session.conversation.id)
        words = bench.parts.sidebar.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
        assert words == "Seven?, begun by openai-python, waiting for you"
        session.stop()
        await until(lambda: rows(bench) == [])


async def test_waiting_code_is_told_of_without_moving_what_the_user_does(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        mine = bench.session
        QTest.keyClicks(bench.parts.composer.text_edit, "half a ")
        session = await waiting(bench, "openai-python", "Seven?")
        await until(lambda: titles(bench) == ["openai-python wants to run code."])
        QTest.keyClicks(bench.window.focusWidget(), "thought")
        assert bench.parts.composer.text == "half a thought"
        assert bench.session is mine
        assert bench.parts.approval.isHidden()
        bench.click(bench.parts.notifications.banners[0].button)
        await bench.asked()
        assert bench.session is session
        assert bench.parts.header.client_label.text() == "from openai-python"
        assert titles(bench) == []
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["print(7)"])
        await bench.rests()


async def test_what_a_program_decides_itself_is_not_asked_any_more(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        session = await waiting(bench, "curl", "Seven?")
        await until(lambda: titles(bench) == ["curl wants to run code."])
        assert session.pending is not None
        session.reject(session.pending.id)
        await until(lambda: titles(bench) == [])
        await until(lambda: session.state == "idle")


async def test_several_that_wait_are_one_banner_which_leads_from_one_to_the_next(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("a"), coded("b"), coded("c")) as bench:
        sessions = [await waiting(bench, client, "Go") for client in ("one", "two", "three")]
        for session, words in zip(
            sessions,
            ("one and 2 more want", "two and 1 more want", "three wants"),
            strict=True,
        ):
            await until(lambda words=words: titles(bench) == [f"{words} to run code."])
            bench.click(bench.parts.notifications.banners[0].button)
            await until(lambda session=session: bench.session is session)
        assert titles(bench) == []
        for session in sessions:
            session.stop()
            await until(lambda session=session: session.state == "idle")


async def test_a_banner_that_was_closed_stays_away_until_another_waits(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("a"), coded("b")) as bench:
        first = await waiting(bench, "one", "Go")
        await until(lambda: titles(bench))
        bench.parts.notifications.banners[0].closed.emit()
        bench.window._list.due()
        assert titles(bench) == []
        second = await waiting(bench, "two", "Go")
        await until(lambda: titles(bench) == ["two wants to run code."])
        for session in (first, second):
            session.stop()
        await until(lambda: titles(bench) == [])


async def test_messages_do_not_push_out_what_waits(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("a")) as bench:
        session = await waiting(bench, "one", "Go")
        await until(lambda: titles(bench))
        for number in range(5):
            bench.window.show_error(ProviderError(f"Trouble {number}"))
        assert "one wants to run code." in titles(bench)
        session.stop()
        await until(lambda: session.state == "idle")


async def test_the_window_asks_for_attention_once_for_each(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alerts: list[object] = []
    monkeypatch.setattr(QApplication, "alert", lambda window, *_rest: alerts.append(window))
    async with opened(theme, tmp_path, coded("a")) as bench:
        bench.window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        monkeypatch.setattr(bench.window, "isActiveWindow", lambda: False)
        session = await waiting(bench, "one", "Go")
        await until(lambda: alerts)
        bench.window._list.due()
        assert alerts == [bench.window]
        session.stop()
        await until(lambda: session.state == "idle")


async def test_the_view_stays_when_the_row_goes_and_nothing_else_is_chosen(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Yes."), coded("a")) as bench:
        bench.send("my own")
        await bench.rests()
        session = await waiting(bench, "one", "Go")
        bench.window.open_conversation(session.conversation.id)
        await until(lambda: bench.session is session)
        sidebar = bench.parts.sidebar
        assert sidebar.list.currentIndex() == sidebar.model.index_of(session.conversation.id)
        session.stop()
        await until(lambda: [text for text, _ in rows(bench)] == ["Today", "my own"])
        assert bench.session is session
        assert not sidebar.list.currentIndex().isValid()
        assert not sidebar.list.selectedIndexes()


async def test_writing_in_a_programs_conversation_keeps_it(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Seven."), said("Eight.")) as bench:
        session = begun(bench, "one", "Seven?")
        bench.window.open_conversation(session.conversation.id)
        await until(lambda: bench.session is session and session.state == "idle")
        bench.send("And one more?")
        await bench.rests()
        await until(lambda: rows(bench) == [("Today", ""), ("Seven?", "")])
        kept = session.conversation.id
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(kept)
        await until(lambda: bench.session.conversation.id == kept)
        texts = [message.text for message in bench.session.conversation.messages]
        assert texts == ["Seven?", "Seven.", "And one more?", "Eight."]


async def test_what_the_user_writes_to_a_busy_program_waits_and_keeps_its_conversation(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("a"), said("Done."), said("More.")) as bench:
        session = await waiting(bench, "one", "Go")
        bench.window.open_conversation(session.conversation.id)
        await bench.asked()
        bench.send("and then?")
        assert [one.text for one in session.queue.messages] == ["and then?"]
        assert bench.sessions.is_kept(session.conversation.id)
        bench.click(bench.parts.approval.run_button)
        await until(lambda: session.conversation.messages[-1].text == "More.")
        await bench.rests()
        kept = session.conversation.id
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(kept)
        await until(lambda: bench.session.conversation.id == kept)
        texts = [one.text for one in bench.session.conversation.messages if one.type == "message"]
        assert texts == ["Go", "Done.", "and then?", "More."]


async def test_what_is_in_the_window_is_forgotten_only_after_the_user_left(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Seven."), said("Eight.")) as bench:
        session = begun(bench, "one", "Seven?")
        bench.window.open_conversation(session.conversation.id)
        await until(lambda: bench.session is session and session.state == "idle")
        await bench.sessions.forget(session.conversation.id)
        assert bench.sessions.get(session.conversation.id) is session
        bench.window.new_conversation()
        await until(lambda: bench.sessions.get(session.conversation.id) is None)


async def test_the_menu_of_a_programs_row_keeps_or_stops_it(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("a")) as bench:
        session = await waiting(bench, "one", "Go")
        sidebar, id_ = bench.parts.sidebar, session.conversation.id
        await until(lambda: sidebar.model.index_of(id_).isValid())
        actions = {one.text(): one for one in sidebar.menu_for(id_).actions()}
        assert set(actions) == {"Open", "Keep in the list", "", "Stop"}
        sidebar.delete_requested.emit([id_])
        sidebar.begin_rename(id_)
        assert bench.window.findChildren(SettingsDialog) == []
        actions["Stop"].trigger()
        await until(lambda: session.state == "idle")
        assert bench.ran == []
        actions["Keep in the list"].trigger()
        await until(lambda: rows(bench) == [("Today", ""), ("Go", "")])


async def test_a_listening_server_is_told_quietly_and_leads_to_its_settings(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, settings=AppSettings(api_enabled=True)) as bench:
        button = bench.parts.sidebar.api_button
        assert not button.isVisible()
        await bench.api.apply()
        assert (button.isVisible(), button.text()) == (True, "API on :5001")
        bench.click(button)
        dialog = bench.window.findChild(SettingsDialog)
        assert dialog is not None
        section = dialog.programs
        await until(lambda: not section.visibleRegion().isEmpty())
        await until(lambda: not section.rate_limit.visibleRegion().isEmpty())
        bench.api.tell(ApiStatus())
        assert not button.isVisible()


async def test_a_taken_port_is_said_with_the_way_out_until_it_is_mended(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, settings=AppSettings(api_enabled=True)) as bench:
        bench.api.taken = {5001}
        await bench.api.apply()
        banner = bench.parts.notifications.banners[0]
        assert banner.title == "Other programs cannot reach Playhead."
        assert "Choose another port" in banner.detail
        assert bench.parts.sidebar.api_button.text() == "API is not listening"
        bench.click(banner.button)
        dialog = bench.window.findChild(SettingsDialog)
        assert dialog is not None
        assert "Port 5001 is taken." in dialog.programs.state_note.text()
        dialog.programs.port.setText("5002")
        dialog.save()
        await until(lambda: bench.parts.sidebar.api_button.text() == "API on :5002")
        assert titles(bench) == []


def test_a_name_that_a_program_gives_itself_is_one_short_line() -> None:
    row = ConversationSummary(
        id="a",
        title="Go\n" * 99,
        created_at=0,
        updated_at=0,
        client="evil\n\u202eclient" + "x" * 99,
    )
    title, detail = waiting_words((row,))
    assert title.startswith("evil clientx")
    assert title.endswith("x… wants to run code.")
    assert len(title) < 70
    assert "\n" not in title + detail
    assert len(detail) <= 121


async def test_an_error_goes_with_the_next_thing_that_is_done(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Yes.")) as bench:
        bench.window.show_error(ProviderError("The key was refused."))
        bench.parts.notifications.show_notice("Read-only.", key="read-only")
        bench.send("Again?")
        await bench.rests()
        assert titles(bench) == ["Read-only."]


async def test_switches_that_only_the_file_has_are_named_and_lead_to_the_settings(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        wanted: list[bool] = []
        names = ["api_auto_run", "auto_run of work", "profile work"]
        area = bench.parts.notifications
        show_ignored_switches(area, names, lambda: wanted.append(True))
        (banner,) = area.banners
        assert "“Programs may have code run without asking”" in banner.detail
        assert "of the profile “work”" in banner.detail
        assert "“work” for all new conversations" in banner.detail
        bench.click(banner.button)
        assert wanted == [True]
