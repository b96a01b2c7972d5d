"""The whole window over real sessions and a real history; model and kernel are scripted."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox, QPushButton

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.domain.model import DIRECT_MODEL
from playhead.domain.settings import AppSettings
from playhead.errors import ProviderError
from playhead.ui.settings.settings_dialog import SettingsDialog
from playhead.ui.timeline.cards.card import Intent
from playhead.ui.widgets.theme import Theme
from tests.support import kernels
from tests.support.ports import (
    coded,
    said,
)
from tests.support.waiting import until
from tests.support.window import Bench, opened


async def test_a_message_becomes_code_that_runs_after_a_click(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, [*said("Let me see."), *coded("print(7)")]) as bench:
        bench.send("What is seven?")
        await bench.asked()
        assert bench.parts.pane.text() == "print(7)"
        assert bench.parts.header.state_pill.text() == "waiting for you"
        assert bench.ran == []
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["print(7)"])
        await bench.rests()
        assert bench.parts.approval.isHidden()
        assert bench.parts.composer.text == ""
        assert bench.parts.composer.send_button.text() == "Send"
        rows = [row.text for row in bench.parts.sidebar.model.rows]
        assert rows[0] == "Today"
        assert "seven" in rows[1]


async def test_what_runs_is_what_was_edited(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        bench.send("go")
        await bench.asked()
        bench.click(bench.parts.approval.edit_button)
        bench.type_code("x = 1; ")
        await until(lambda: "as you edited it" in bench.parts.approval.accessibleName())
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["x = 1; print(7)"])
        await bench.rests()
        assert not bench.parts.pane.is_edited


async def test_the_editors_run_button_answers_the_question_it_shows(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        bench.send("go")
        await bench.asked()
        bench.type_code("y")
        bench.parts.pane.request_run()
        await until(lambda: bench.ran == ["yprint(7)"])
        await bench.rests()


async def test_skipping_runs_nothing_and_tells_the_model(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(7)"), said("All right.")) as bench:
        bench.send("go")
        await bench.asked()
        bench.click(bench.parts.approval.skip_button)
        await bench.rests()
        assert bench.ran == []
        results = [m.text for m in bench.session.conversation.messages if m.type == "tool_result"]
        assert "chose not to run" in results[0]


async def test_stop_ends_running_code_and_auto_run_needs_no_question(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("wait for it")) as bench:
        bench.parts.composer.buttons.choice.auto_run.trigger()
        assert "auto-run" in bench.parts.composer.buttons.choice.text()
        bench.send("go")
        await until(lambda: bench.ran)
        await until(lambda: bench.parts.pane.header.run.text() == "Stop")
        assert bench.parts.approval.isHidden()
        bench.click(bench.parts.composer.send_button)
        await bench.rests()


async def test_code_of_the_users_own_runs_from_the_editor(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.type_code("1 + 1")
        bench.window.actions_by_name["run"].trigger()
        await until(lambda: bench.ran == ["1 + 1"])
        await bench.rests()
        assert bench.parts.pane.text() == "1 + 1"
        assert bench.parts.pane.header.newer.isHidden()


async def test_whoever_sends_sees_what_comes_of_it_wherever_they_were_reading(
    theme: Theme, tmp_path: Path
) -> None:
    long = said("\n\n".join(f"Paragraph {number}." for number in range(80)))
    async with opened(theme, tmp_path, long, said("More.")) as bench:
        timeline = bench.parts.timeline
        bench.send("go")
        await bench.rests()
        await until(lambda: timeline.canvas.max_top() > 500)
        timeline.canvas.scroll_to(0)
        assert not timeline.canvas.is_following()
        bench.send("and then")
        await bench.rests()
        await until(
            lambda: (
                timeline.canvas.is_following() and timeline.canvas.top == timeline.canvas.max_top()
            )
        )


async def test_what_is_sent_to_a_busy_conversation_waits_for_its_turn(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)"), said("Seven."), said("More.")) as bench:
        bench.send("go")
        await bench.asked()
        bench.send("and then")
        assert bench.parts.composer.text == ""
        assert [row.message.text for row in bench.parts.composer.queue_rows.rows] == ["and then"]
        bench.click(bench.parts.approval.run_button)
        await until(lambda: len(bench.provider.requests) == 3)
        await bench.rests()
        assert not bench.parts.composer.queue_rows.isVisible()
        texts = [m.text for m in bench.session.conversation.messages if m.type == "message"]
        assert texts == ["go", "Seven.", "and then", "More."]


async def test_another_conversation_is_shown_while_one_waits(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        bench.send("first")
        await bench.asked()
        first = bench.session.conversation.id
        bench.window.new_conversation()
        assert bench.parts.approval.isHidden()
        assert bench.sessions.state_of(first) == "awaiting_approval"
        QTest.keyClicks(bench.parts.composer.text_edit, "half a thought")
        bench.window.open_conversation(first)
        await bench.asked()
        assert bench.parts.composer.text == ""
        assert bench.parts.pane.text() == "print(7)"
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["print(7)"])
        await bench.rests()


async def test_a_conversation_can_be_renamed_and_deleted(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        bench.send("hi there")
        await bench.rests()
        gone = bench.session.conversation.id
        await until(lambda: bench.parts.sidebar.model.index_of(gone).isValid())
        bench.parts.sidebar.renamed.emit(gone, "Greetings")
        await until(lambda: bench.parts.header.title_label.toolTip() == "Greetings")
        bench.parts.sidebar.delete_requested.emit([gone])
        await until(lambda: not bench.parts.sidebar.model.rows)
        assert bench.session.conversation.id != gone
        assert bench.session.conversation.messages == []


async def test_conversations_are_there_again_and_say_that_names_are_gone(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("a = 1")) as bench:
        bench.parts.composer.buttons.choice.auto_run.trigger()
        bench.send("make a")
        await until(lambda: bench.ran)
        await bench.rests()
        kept = bench.session.conversation.id
    async with opened(theme, tmp_path) as bench:
        assert bench.parts.sidebar.model.index_of(kept).isValid()
        notes: list[str] = []
        add_note = bench.parts.timeline.add_note
        bench.parts.timeline.add_note = lambda kind, title, *rest: (  # type: ignore[method-assign]
            notes.append(title),
            add_note(kind, title, *rest),
        )
        bench.window.open_conversation(kept)
        await until(lambda: notes)
        assert "kernel" in notes[0]
        assert bench.parts.pane.text() == "a = 1"


async def test_first_start_offers_the_server_of_this_machine(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, settings=AppSettings()) as bench:
        start = bench.parts.start
        assert start.isVisible()
        assert "Direct mode" in start.sentence.text()
        await until(lambda: any("Ollama" in one.text() for one in start.buttons))
        assert bench.catalog.probes == 1
        bench.click(next(one for one in start.buttons if "Ollama" in one.text()))
        await until(lambda: bench.settings.current.model == "ollama_chat/llama3")
        assert bench.settings.current.api_base == "http://127.0.0.1:11434"
        await until(lambda: "llama3" in bench.parts.composer.buttons.choice.text())


async def test_an_empty_conversation_needs_no_timeline(theme: Theme, tmp_path: Path) -> None:
    """Making it takes longer than a frame: it is made in steps, or when there is a message."""
    async with opened(theme, tmp_path) as bench:
        assert not bench.parts.has_timeline
        bench.window.new_conversation()
        assert not bench.parts.has_timeline


async def test_with_a_model_set_nothing_is_probed(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        assert not bench.window._servers.isActive()
        assert bench.catalog.probes == 0


async def test_a_missing_module_can_be_installed_after_approval(
    theme: Theme, tmp_path: Path
) -> None:
    from playhead.domain.conversation.payloads import CodeError

    async with opened(theme, tmp_path, said("Hm.")) as bench:
        notes: list[tuple[str, Callable[[], object]]] = []
        bench.parts.timeline.add_note = (  # type: ignore[method-assign]
            lambda kind, title, detail="", action=None: action and notes.append(action)
        )
        error = CodeError(name="ModuleNotFoundError", message="No module named 'yaml.nodes'")
        bench.session.conversation.apply(Chunk(role="computer", type="error", content=error))
        bench.send("so?")
        await until(lambda: notes)
        label, act = notes[0]
        assert label == "Install yaml"
        act()
        await bench.asked()
        proposal = bench.parts.approval.proposal
        assert proposal is not None
        assert "pyyaml" in proposal.code
        assert bench.ran == []
        bench.click(bench.parts.approval.skip_button)
        await bench.rests()


def notes_of(bench: Bench) -> dict[str, Callable[[], object]]:
    rows = bench.parts.timeline.model.rows
    return dict(row.note.action for row in rows if row.note is not None and row.note.action)


async def test_after_an_install_the_block_that_failed_runs_again_at_a_click(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.session.run_code("python", "need yaml")
        await until(lambda: "Install yaml" in notes_of(bench))
        notes_of(bench)["Install yaml"]()
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: "Run it again" in notes_of(bench))
        assert bench.ran == ["need yaml", "%pip install pyyaml"]
        notes_of(bench)["Run it again"]()
        await until(lambda: bench.ran[2:] == ["need yaml"])
        await bench.rests()
        assert notes_of(bench) == {}


async def test_an_install_by_hand_offers_the_block_that_failed_too(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.session.run_code("python", "need yaml")
        await until(lambda: "Install yaml" in notes_of(bench))
        bench.session.run_code("python", "%pip install pyyaml")
        await until(lambda: "Run it again" in notes_of(bench))
        await bench.rests()


async def test_an_install_that_did_not_run_offers_nothing_to_run_again(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.session.run_code("python", "need yaml")
        await until(lambda: "Install yaml" in notes_of(bench))
        notes_of(bench)["Install yaml"]()
        await bench.asked()
        bench.click(bench.parts.approval.skip_button)
        await bench.rests()
        assert notes_of(bench) == {}


async def test_errors_reach_the_screen_in_words(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.show_error(ProviderError("The key was refused.", remedy="Check the key."))
        assert bench.parts.notifications.banners[0].title == "The key was refused."
        bench.window.set_folder(str(tmp_path / "missing"))
        assert "is not a folder" in bench.parts.notifications.banners[0].title


def drop(bench: Bench, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(300, 300), actions, data, button, keys)
    QApplication.sendEvent(bench.parts, enter)
    assert bench.parts.drop.overlay.isVisible()
    QApplication.sendEvent(bench.parts, QDropEvent(QPointF(300, 300), actions, data, button, keys))
    assert not bench.parts.drop.overlay.isVisible()


async def test_dropped_files_are_attached_and_a_dropped_folder_is_worked_in(
    theme: Theme, tmp_path: Path
) -> None:
    folder = tmp_path / "my data"
    folder.mkdir()
    file = folder / "a b.csv"
    file.write_text("x")
    async with opened(theme, tmp_path / "home") as bench:
        drop(bench, file)
        assert [one.path for one in bench.parts.composer.chips.attachments] == [str(file)]
        drop(bench, folder)
        assert bench.session.folder == str(folder)
        assert bench.parts.pane.status.folder.text() == "my data"
        await bench.window.tasks.settled()
        assert bench.settings.current.folder == str(folder)


async def test_a_narrow_window_folds_the_editor_then_the_sidebar(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("print(7)")) as bench:
        parts = bench.parts
        assert parts.is_editor_shown
        bench.window.resize(899, 600)
        assert not parts.is_editor_shown
        assert parts.is_sidebar_shown
        bench.window.resize(639, 480)
        assert not parts.is_sidebar_shown
        bench.send("go")
        await bench.asked()
        bench.click(parts.approval.edit_button)
        assert parts.is_editor_shown  # the user asked for it
        bench.window.resize(1200, 800)
        assert parts.is_editor_shown
        assert parts.is_sidebar_shown
        bench.window.view.stop()
        await bench.rests()


async def test_a_window_that_is_never_closed_is_remembered_too(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        window = bench.window
        await until(lambda: window.memory.is_following)
        window.memory.rest.setInterval(0)
        window.resize(1210, 730)
        bench.window.actions_by_name["editor"].trigger()

        def is_kept() -> bool:
            return bench.settings.current.window.get("editor") == "folded"

        await until(is_kept)
        kept = bench.settings.current
    async with opened(theme, tmp_path, settings=kept) as bench:
        assert not bench.parts.is_editor_shown
    assert kept.window["geometry"]


async def test_folding_by_hand_is_remembered(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.window.actions_by_name["sidebar"].trigger()
        assert not bench.parts.is_sidebar_shown
    settings = bench.settings.current
    assert settings.window["geometry"]
    async with opened(theme, tmp_path, settings=settings) as bench:
        assert not bench.parts.is_sidebar_shown
        assert bench.parts.is_editor_shown


async def test_closing_is_a_request_until_the_window_was_shut_down(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        asked: list[bool] = []
        bench.window.close_requested.connect(lambda: asked.append(True))
        bench.window.close()
        assert asked == [True]
        assert bench.window.isVisible()
    assert not bench.window.isVisible()


async def test_a_link_shows_where_it_leads_before_it_is_opened(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.timeline.link_activated.emit("https://example.com/a")
        banner = bench.parts.notifications.banners[0]
        assert banner.detail == "https://example.com/a"
        assert banner.button.text() == "Open"
        bench.parts.timeline.link_activated.emit("file:///etc/passwd")
        assert "not opened" in bench.parts.notifications.banners[0].title


async def test_the_last_message_can_be_edited_and_sent_again(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("One."), said("Two.")) as bench:
        bench.send("first try")
        await bench.rests()
        control = Qt.KeyboardModifier.ControlModifier
        QTest.keyClick(bench.parts.composer.text_edit, Qt.Key.Key_Up, control)
        assert bench.parts.composer.text == "first try"
        bench.send(" again")
        await until(lambda: len(bench.provider.requests) == 2)
        await bench.rests()
        texts = [m.text for m in bench.session.conversation.messages]
        assert texts == ["first try again", "Two."]


async def test_the_keys_lead_from_pane_to_pane(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("One.")) as bench:
        bench.window.activateWindow()
        bench.send("first")
        await bench.rests()
        bench.parts.composer.setFocus()
        visited = []
        for _ in range(4):
            bench.parts.focus_next_pane()
            focused = bench.window.focusWidget()
            assert focused is not None
            visited.append(focused.accessibleName().partition(",")[0])
        assert visited == ["Conversation", "Code editor", "Conversations", "Message"]


async def test_code_typed_for_direct_mode_runs_at_enter_and_pasted_code_asks(
    theme: Theme, tmp_path: Path
) -> None:
    answers = (coded("print(7)"), said("Done."), coded("print(8)"))
    async with opened(theme, tmp_path, *answers, settings=AppSettings()) as bench:
        bench.send("print(7)")
        await until(lambda: bench.ran == ["print(7)"])
        await bench.rests()
        QApplication.clipboard().setText("8")
        QTest.keyClicks(bench.parts.composer.text_edit, "print(")
        bench.parts.composer.text_edit.paste()
        bench.send(")")
        await bench.asked()
        assert bench.ran == ["print(7)"]


@pytest.mark.parametrize(
    ("settings", "typed", "proposed"),
    [
        (AppSettings(asks_typed_code=True), "print(7)", "print(7)"),
        (AppSettings(model="openai/test"), "print(7)", "print(7)"),
        (AppSettings(), "What's 34/24?", "34 / 24"),
        (AppSettings(), "print(7", "print(7"),
    ],
    ids=["the setting", "a model", "words", "a typo"],
)
async def test_other_code_than_typed_code_of_direct_mode_asks(
    theme: Theme, tmp_path: Path, settings: AppSettings, typed: str, proposed: str
) -> None:
    async with opened(theme, tmp_path, coded(proposed), settings=settings) as bench:
        bench.send(typed)
        await bench.asked()
        assert bench.ran == []
        words = bench.parts.approval.accessibleName()
        assert ("'(' was never closed (line 1)" in words) == (proposed == "print(7")


async def test_the_keys_reach_the_first_page(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.composer.setFocus()
        bench.parts.focus_next_pane()
        assert bench.window.focusWidget() is bench.parts.start.buttons[0]
        bench.parts.start.set_servers(await bench.catalog.local_servers())
        assert bench.window.focusWidget() is bench.parts.start.buttons[0], "it is another now"
        bench.parts.focus_next_pane()
        assert bench.window.focusWidget() is bench.parts.pane.editor.widget.focusProxy()


async def test_what_is_typed_goes_into_the_message_from_anywhere(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("One.")) as bench:
        parts, field = bench.parts, bench.parts.composer.text_edit
        bench.send("first")
        await bench.rests()
        for target in (parts.timeline, parts.sidebar.list, parts.sidebar.settings_button):
            target.setFocus()
            for letter in "Wh":
                QTest.keyClicks(bench.window.focusWidget(), letter)
            assert bench.window.focusWidget() is field
        QTest.keyClicks(field, "y?")
        assert parts.composer.text == "WhWhWhy?"
        parts.sidebar.search.setFocus()
        QTest.keyClicks(parts.sidebar.search, "first")
        assert (parts.sidebar.search.text(), parts.composer.text) == ("first", "WhWhWhy?")


async def test_the_open_conversation_stays_marked_while_another_row_is_chosen(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("One."), said("Two.")) as bench:
        bench.send("first")
        await bench.rests()
        bench.window.new_conversation()
        bench.send("second")
        await bench.rests()
        rows, model = bench.parts.sidebar.list, bench.parts.sidebar.model
        await until(lambda: model.index_of(bench.session.conversation.id).isValid())
        shown = model.index_of(bench.session.conversation.id)
        bench.window.activateWindow()
        await until(bench.window.isActiveWindow)
        rows.setFocus()
        QTest.keyClick(rows, Qt.Key.Key_Down)
        assert rows.currentIndex() != shown
        assert model.is_open(shown)
        assert not model.is_open(rows.currentIndex())
        bench.parts.timeline.setFocus()
        assert rows.currentIndex() == shown
        assert rows.selectedIndexes() == [shown]


async def test_direct_mode_that_can_only_answer_offers_the_settings(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("No model."), settings=AppSettings()) as bench:
        bench.send("Sort my photos")
        await bench.rests()
        rows = bench.parts.timeline.model.rows
        (note,) = [row.note for row in rows if row.note is not None]
        assert "settings" in note.title
        assert note.action is not None
        note.action[1]()
        dialog = bench.window.findChild(SettingsDialog)
        assert dialog is not None
        assert dialog.isVisible()


async def test_a_starting_model_is_named_until_it_answers(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        pill = bench.parts.header.state_pill
        bench.window.set_model_starting(True)
        assert (pill.isVisible(), pill.text()) == (True, "starting the model…")
        bench.parts.header.set_state("running")
        assert pill.text() == "running"
        bench.parts.header.set_state("idle")
        bench.window.set_model_starting(False)
        assert not pill.isVisible()


async def test_a_restart_names_the_variables_that_it_would_lose(
    theme: Theme, tmp_path: Path
) -> None:
    code = coded("alpha, beta = 1, 2")
    async with (
        kernels.executor(tmp_path) as made,
        opened(theme, tmp_path, code, executor=made) as bench,
    ):
        bench.session.set_interpreter(sys.executable)
        bench.send("make two")
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await bench.rests()
        restart = bench.parts.pane.status.restart
        assert restart.text() == "Restart"
        await until(restart.isEnabled)
        bench.click(restart)
        await until(lambda: boxes(bench))
        [box] = boxes(bench)
        assert box.informativeText() == "2 variables are lost: alpha, beta."
        QTest.keyClick(box, Qt.Key.Key_Escape)
        assert [one.name for one in await bench.session.questions.variables()] == ["alpha", "beta"]
        bench.window.actions_by_name["restart"].trigger()
        await until(lambda: any(map(QMessageBox.isVisible, boxes(bench))))
        box = next(filter(QMessageBox.isVisible, boxes(bench)))
        bench.click(next(one for one in box.findChildren(QPushButton) if one.text() == "Restart"))
        await until(lambda: bench.session.kernel.state == "none")
        await until(lambda: bench.session.has_lost_variables)
        own, settings = bench.session.conversation.id, bench.settings
        await settings.save(replace(settings.current, model=DIRECT_MODEL))
        bench.window.new_conversation()
        bench.window.open_conversation(own)
        await until(lambda: bench.session.conversation.id == own)
        notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
        [lost] = [note.detail for note in notes if "were lost" in note.detail]
        assert lost == "Variables and data of the code that ran before were lost."  # no model here


async def test_a_restart_with_nothing_to_lose_asks_nothing(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, coded("print(1)")) as bench:
        bench.window.actions_by_name["restart"].trigger()
        await until(lambda: bench.executor.restarts == 1)
        assert boxes(bench) == []


async def test_a_question_that_was_cut_off_offers_to_be_asked_again(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Never.")) as bench:
        bench.provider.gate = asyncio.Semaphore(0)
        bench.send("first try")
        await until(lambda: bench.provider.requests != [])
        cut = bench.session.conversation.id
    async with opened(theme, tmp_path, said("At last.")) as bench:
        bench.window.open_conversation(cut)
        await until(lambda: bench.session.conversation.id == cut)
        failure = bench.session.conversation.messages[-1]
        assert isinstance(failure.content, Failure)
        assert failure.content.title.startswith("Interrupted")
        assert bench.parts.timeline.model.rows[-1].key == failure.id
        bench.parts.timeline.activate(Intent("retry", failure.id), 1)
        await until(lambda: bench.session.conversation.messages[-1].text == "At last.")


async def test_a_question_that_a_crash_left_alone_offers_the_same(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("At last.")) as bench:
        talk = bench.session.conversation
        talk.apply(Chunk(role="user", type="message", content="first try"))
        bench.window.open_conversation(talk.id)
        await until(lambda: bench.parts.timeline.model.rows[-1].note is not None)
        note = bench.parts.timeline.model.rows[-1].note
        assert note is not None
        assert note.action is not None
        assert (note.title[:9], note.action[0]) == ("No answer", "Retry")
        note.action[1]()
        await until(lambda: talk.messages[-1].text == "At last.")
        assert [row.kind for row in bench.parts.timeline.model.rows] == ["question", "answer"]


def boxes(bench: Bench) -> list[QMessageBox]:
    return bench.window.findChildren(QMessageBox)
