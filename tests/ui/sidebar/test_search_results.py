"""The search of the sidebar in a real window, on a real database."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.search import SearchFound, SearchHit, terms_of
from playhead.domain.history import ConversationSummary
from playhead.session.session import Session
from playhead.ui.sidebar.search_results import ResultRow, count_words, result_rows
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened

NOW = time.time()


def told(bench: Bench, title: str, *texts: str) -> Session:
    """A conversation of the user's messages."""
    session = bench.sessions.new()
    for text in texts:
        session.conversation.apply(Chunk(role="user", type="message", content=text))
    bench.sessions.rename(session.conversation.id, title)
    return session


def found(bench: Bench) -> list[tuple[str, str]]:
    return [(row.kind, row.text) for row in bench.parts.sidebar.finder.model.rows]


async def typed(bench: Bench, text: str) -> None:
    """Type when all is on the disk, and wait until the answer is shown."""
    await bench.sessions._history.conversations()
    field = bench.parts.sidebar.search
    field.setFocus()
    QTest.keyClicks(field, text)
    await until(lambda: bench.parts.sidebar.finder._is_answered)


async def test_titles_and_messages_are_found_as_one_types(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        told(bench, "Sales", "how many rows?", "and columns")
        told(bench, "Rowing", "boats")
        told(bench, "Other", "nothing")
        await until(lambda: len(bench.parts.sidebar.model.rows) == 4)
        await typed(bench, "row")
        titles = [("title", "Rowing"), ("title", "Sales"), ("hit", "how many rows?")]
        await until(lambda: found(bench) == titles)
        sidebar = bench.parts.sidebar
        assert sidebar.finder.status.text() == "2 conversations, 1 place"
        assert sidebar.finder.results.isVisible()
        assert not sidebar.list.isVisible()
        QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
        assert sidebar.list.isVisible()
        assert not sidebar.finder.isVisible()


async def test_nothing_found_is_said(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        told(bench, "Sales", "rows")
        await typed(bench, 'zebra "% ')
        await until(lambda: "Nothing found" in bench.parts.sidebar.finder.status.text())
        assert "zebra" in bench.parts.sidebar.finder.status.text()
        assert not bench.parts.sidebar.finder.results.isVisible()


async def test_the_keyboard_goes_to_the_place_and_stays_in_the_field(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        first = "\n\n".join(f"line {number}" for number in range(200)) + "\n\nthe zébra 🎈 stands"
        session = told(bench, "Animals", "nothing", first, *["more"] * 30)
        told(bench, "Other", "nothing")
        timeline = bench.parts.timeline
        await typed(bench, "zebra")
        await until(lambda: len(found(bench)) == 2)
        field = bench.parts.sidebar.search
        QTest.keyClick(field, Qt.Key.Key_Down)
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: bench.session is session)
        await until(lambda: timeline.canvas.selected_text() == "zébra")
        assert timeline.canvas.selection is not None
        row = timeline.canvas.selection.first.row
        column = timeline.canvas.sheet.card(row).column
        assert column is not None
        y = timeline.canvas.card_rect(row).top() + column.y_of(
            timeline.canvas.selection.first.place
        )
        assert 0 < y < timeline.viewport().height()
        assert bench.window.focusWidget() is field


async def test_a_click_on_a_place_of_another_branch_changes_the_branch(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        session = told(bench, "Branches", "the old zebra", "below it")
        old = session.conversation.messages
        session.conversation.change(MoveTo(None))
        session.conversation.apply(Chunk(role="user", type="message", content="the new way"))
        await typed(bench, "zebra")
        await until(lambda: len(found(bench)) == 2)
        results = bench.parts.sidebar.finder.results
        place = results.visualRect(results.model().index(1, 0)).center()
        QTest.mouseClick(results.viewport(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: bench.parts.timeline.canvas.selected_text() == "zebra")
        assert session.conversation.messages == old


async def test_the_rest_of_a_conversations_places_is_a_click_away(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        many = told(bench, "Many", *[f"zebra {number}" for number in range(8)])
        await typed(bench, "zebra")
        await until(lambda: found(bench)[-1:] == [("more", "5 more")])
        results = bench.parts.sidebar.finder.results
        QTest.keyClick(bench.parts.sidebar.search, Qt.Key.Key_Down)
        for _ in range(4):
            QTest.keyClick(results, Qt.Key.Key_Down)
        bench.sessions.rename(many.conversation.id, "Several")
        await until(lambda: found(bench)[0] == ("title", "Several"))
        QTest.keyClick(results, Qt.Key.Key_Return)
        await until(lambda: [kind for kind, _ in found(bench)] == ["title", *["hit"] * 8])
        assert results.currentIndex().row() == 4  # where one was
        QTest.keyClicks(bench.parts.sidebar.search, " 7")
        await until(lambda: found(bench)[1:] == [("hit", "zebra 7")])
        assert not results.currentIndex().isValid()


async def test_what_is_deleted_while_it_is_found_leaves_the_results(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        session = told(bench, "Gone", "zebra")
        await typed(bench, "zebra")
        await until(lambda: found(bench))
        bench.parts.sidebar.delete_requested.emit([session.conversation.id])
        await until(lambda: not found(bench))


async def test_drafts_stay_with_their_conversations_while_one_looks_around(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        one, other = told(bench, "One", "zebra"), told(bench, "Other", "lion")
        for session, draft in ((one, "half a thought"), (other, "another")):
            bench.window.open_conversation(session.conversation.id)
            await until(lambda session=session: bench.session is session)
            QTest.keyClicks(bench.parts.composer.text_edit, draft)
        await typed(bench, "zebra")
        await until(lambda: found(bench))
        QTest.keyClick(bench.parts.sidebar.search, Qt.Key.Key_Return)
        await until(lambda: bench.session is one)
        assert bench.parts.composer.text == "half a thought"


# Deleting in the window


def banners(bench: Bench) -> list[str]:
    return [banner.title for banner in bench.parts.notifications.banners]


async def test_a_deletion_can_be_taken_back_with_what_was_shown(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        bench.send("hi there")
        await bench.rests()
        session = bench.session
        bench.parts.sidebar.list.setFocus()
        await until(lambda: bench.parts.sidebar.list.currentIndex().isValid())
        QTest.keyClick(bench.parts.sidebar.list, Qt.Key.Key_Delete)
        await until(lambda: not bench.parts.sidebar.model.rows)
        assert banners(bench) == ["“hi there” was deleted."]
        assert bench.session is not session
        bench.click(bench.parts.notifications.banners[0].button)
        await until(lambda: bench.session is session)
        assert [row.title for row in bench.sessions.summaries] == ["hi there"]
        assert banners(bench) == []


async def test_several_deletions_are_one_banner_and_end_with_its_time(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        ids = [told(bench, title, "text").conversation.id for title in ("a", "b", "c")]
        for id_ in ids[:2]:
            bench.parts.sidebar.delete_requested.emit([id_])
        assert banners(bench) == ["2 conversations were deleted."]
        await until(lambda: len(bench.sessions.summaries) == 1)
        bench.window.verbs.countdown.timeout.emit()  # as when the time is over
        await until(lambda: bench.sessions.get(ids[0]) is None)
        assert banners(bench) == []
        bench.parts.sidebar.undo_requested.emit()
        assert [row.title for row in bench.sessions.summaries] == ["c"]


async def test_closing_the_banner_deletes_at_once(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        gone = told(bench, "a", "text").conversation.id
        bench.parts.sidebar.delete_requested.emit([gone])
        bench.parts.notifications.banners[0].closed.emit()
        await until(lambda: bench.sessions.get(gone) is None)


async def test_a_copy_is_shown_at_once(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        session = told(bench, "Sales", "rows")
        bench.parts.sidebar.duplicate_requested.emit(session.conversation.id)
        await until(lambda: bench.session.conversation.title == "Sales (copy)")
        assert [message.text for message in bench.session.conversation.messages] == ["rows"]


async def test_a_title_that_is_being_typed_keeps_the_keyboard(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path) as bench:
        session = told(bench, "Sales", "rows")
        sidebar = bench.parts.sidebar
        await until(lambda: sidebar.model.index_of(session.conversation.id).isValid())
        place = sidebar.list.visualRect(sidebar.model.index_of(session.conversation.id)).center()
        QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseDClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: bench.session is session)
        assert sidebar.is_renaming
        field = QApplication.focusWidget() or bench.window.focusWidget()
        QTest.keyClicks(field, "Better")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: session.conversation.title == "Better")


# The rows, without a window


def row(id_: str, title: str, age: float = 0) -> ConversationSummary:
    return ConversationSummary(id=id_, title=title, created_at=NOW - age, updated_at=NOW - age)


def hits(*places: tuple[str, str]) -> tuple[SearchHit, ...]:
    return tuple(
        SearchHit(
            conversation_id=id_,
            message_id=text,
            role="user",
            type="message",
            excerpt=text,
            marks=(),
        )
        for id_, text in places
    )


def kinds(rows: Sequence[ResultRow]) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in rows]


def test_places_stand_under_their_conversation_titles_first() -> None:
    summaries = [row("a", "no"), row("b", "the word"), row("c", "nor"), row("d", "word", 9)]
    found = SearchFound(hits(("a", "1"), ("c", "2"), ("a", "3"), ("d", "4")), {"a": 7}, True)
    rows = result_rows(summaries, terms_of("word"), found, {})
    assert kinds(rows) == [
        *(("title", "the word"), ("title", "word"), ("hit", "4")),
        *(("title", "no"), ("hit", "1"), ("hit", "3"), ("more", "7 more")),
        *(("title", "nor"), ("hit", "2")),
        ("note", "There is more. Type further words to narrow it down."),
    ]
    assert count_words(rows) == "4 conversations, 4 places"
    assert rows[0].marks == ((4, 8),)


def test_of_very_many_titles_the_newest_are_shown() -> None:
    summaries = [row(str(number), "word", number) for number in range(500)]
    rows = result_rows(summaries, terms_of("word"), SearchFound(), {})
    assert len(rows) == 101
    assert (rows[0].conversation_id, rows[-1].kind) == ("0", "note")
