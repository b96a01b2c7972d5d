"""Finding words in the conversation, by keyboard."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Table
from playhead.ui.timeline.find.timeline_finder import reveal
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.find_query import FindQuery

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def find(view, qtbot):
    """Types what is looked for, and waits until all of the conversation was searched."""

    def look(text):
        view.find_bar.open()
        view.find_bar.words.clear()
        qtbot.keyClicks(view.find_bar.words, text)
        qtbot.waitUntil(lambda: not view.find_bar.finder.is_searching)
        return view.find_bar.count.text()

    return look


def enter(qtbot, view, modifier=NONE):
    qtbot.keyClick(view.find_bar.words, Qt.Key.Key_Return, modifier)
    return view.find_bar.count.text()


def shown_line(view):
    """The text of the line in which the current place stands, and where it is on the screen."""
    column, block, start = view.maker.current
    document = column._document(block)
    line = document.findBlock(start).text()
    index = next(
        index
        for index in view.canvas.visible_rows()
        if view.canvas.sheet.card(index).column is column
    )
    card = view.canvas.sheet.card(index)
    y = view.canvas.card_rect(index).top() + card.text_box().top() + column.y_of((block, start))
    return line, y


def test_a_place_in_a_row_that_waits_for_its_frame_is_gone_to(view, talk, find, qtbot):
    talk.ask("first")
    view.set_conversation(talk)
    view.coalescer._timer.start(60_000)  # a frame that does not end by itself
    talk.ask("a needle")
    talk.ask("another needle")
    assert find("needle").endswith("of 2")
    assert enter(qtbot, view).endswith("of 2")
    assert shown_line(view)[0].endswith("needle")


def test_places_are_counted_and_gone_through_round_the_end(view, talk, find, qtbot):
    for number in range(30):
        talk.ask(f"Question {number} about apples")
        talk.answer(f"Answer {number}: an **app**le, and an Apple.\n\nNo pear.")
    view.set_conversation(talk)
    view.canvas.scroll_to(0)
    assert find("apple") == "1 of 90"
    assert enter(qtbot, view) == "2 of 90"
    line, y = shown_line(view)
    assert line == "Answer 0: an apple, and an Apple."
    assert 0 <= y < view.viewport().height()
    assert enter(qtbot, view, SHIFT) == "1 of 90"
    assert enter(qtbot, view, SHIFT) == "90 of 90"
    line, y = shown_line(view)
    assert line.startswith("Answer 29")
    assert 0 <= y < view.viewport().height()
    assert enter(qtbot, view) == "1 of 90"


def test_case_counts_when_it_is_asked_for(view, talk, find, qtbot):
    talk.answer("apple Apple APPLE äpfel")
    view.set_conversation(talk)
    assert find("apple").endswith("of 3")
    view.find_bar.case_button.click()
    qtbot.waitUntil(lambda: not view.find_bar.finder.is_searching)
    assert view.find_bar.count.text() == "1 of 1"


def test_a_folded_card_opens_for_what_is_in_its_fold(view, talk, find, qtbot):
    code = talk.code("\n".join(f"line_{number} = {number}" for number in range(40)))
    talk.say("assistant", "reasoning", "I think of a hidden needle here.")
    view.set_conversation(talk)
    assert find("line_33") == "1 of 1"
    assert view.canvas.sheet.rows[view.model.index_of(code)].is_open
    assert shown_line(view)[0] == "line_33 = 33"
    assert find("needle") == "1 of 1"
    assert "needle" in shown_line(view)[0]


def test_outputs_are_searched_as_they_are_shown(view, talk, find):
    talk.code("print(1)")
    talk.output("\x1b[31mred\x1b[0m alert\nprogress 1%\rprogress 2%\n" + "x\n" * 100 + "the end\n")
    view.set_conversation(talk)
    assert find("red alert") == "1 of 1"
    assert find("progress 1%") == "Nothing found"
    assert find("progress 2") == "1 of 1"


def test_a_table_that_has_the_words_is_shown_with_a_ring(view, talk, find):
    table = Table(
        columns=("city", "people"),
        dtypes=("str", "int"),
        rows=(("Paris", 2), ("Berlin", 3)),
        total_rows=2,
    )
    key = talk.apply(Chunk(role="computer", type="table", content=table))
    view.set_conversation(talk)
    assert find("berlin") == "1 of 1"
    assert view.canvas.ringed == key


def test_a_frame_shows_the_column_and_the_row_that_has_the_words(view, talk, find) -> None:
    rows = tuple(tuple(f"r{row}c{column}" for column in range(40)) for row in range(30))
    table = Table(
        columns=tuple(f"column {number}" for number in range(40)),
        dtypes=("str",) * 40,
        rows=rows,
        total_rows=30,
    )
    for number in range(8):
        talk.answer(f"before {number}\n\n" * 3)
    key = talk.apply(Chunk(role="computer", type="table", content=table))
    view.set_conversation(talk)
    index = view.model.index_of(key)

    def shown() -> list[str]:
        view.canvas.flush()
        card = view.canvas.sheet.card(index)
        return [table.columns[column] for column, _, _ in card._layout()]

    assert "column 33" not in shown()
    assert find("r20c33") == "1 of 1"
    assert "column 33" in shown()
    assert view.canvas.sheet.rows[index].is_open
    at = view.canvas.sheet.card(index).bring_in(view.canvas.maker.wanted)
    assert at is not None
    y = view.canvas.sheet.top_of(index) + at[0] - view.canvas.top
    assert 0 < y < view.canvas.port.height()
    assert find("column 2") == "1 of 1"
    assert "column 2" in shown()


def test_a_wide_table_is_moved_to_the_words_and_back(view, talk, find, qtbot):
    titles = " | ".join(f"a long title {number}" for number in range(12))
    talk.answer(f"| first | {titles} | last one |\n{'|---' * 14}|\n{'| cell ' * 14}|\n")
    view.set_conversation(talk)
    card = view.canvas.sheet.card(0)
    assert find("last one").endswith("1 of 1")
    qtbot.waitUntil(lambda: card.column.wide_tables.shift(0) > 0)
    [(_, _, shift, most)] = card.column.wide_tables.strips(card.column.width)
    assert shift > most - 60
    assert find("first").endswith("1 of 1")
    qtbot.waitUntil(lambda: card.column.wide_tables.shift(0) == 0)


def test_what_is_marked_is_painted_in_the_colours_of_the_theme(view, talk, find, theme):
    talk.answer("needle and needle")
    view.set_conversation(talk)
    assert find("needle") == "1 of 2"
    image = view.viewport().grab().toImage()
    rect = view.canvas.card_rect(0)
    colours = {
        image.pixelColor(x, y).name().upper()
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    }
    assert theme.tokens.accent.upper() in colours
    assert theme.tokens.selection.upper() in colours


def test_escape_closes_the_bar_and_gives_the_focus_back(view, talk, find, qtbot):
    talk.answer("needle")
    view.set_conversation(talk)
    view.activateWindow()
    view.setFocus()
    find("needle")
    qtbot.keyClick(view.find_bar.words, Qt.Key.Key_Escape)
    assert view.find_bar.isHidden()
    assert view.maker.wanted is None
    assert view.window().focusWidget() is view


def test_the_bar_covers_nothing_and_moves_nothing(view, talk, find, qtbot):
    for number in range(30):
        talk.answer(f"needle {number}\n\n" + "word " * 90)
    view.set_conversation(talk)
    view.canvas.scroll_to(700)
    row = view.canvas.visible_rows()[1]

    def on_screen():
        return view.viewport().mapTo(view, view.canvas.card_rect(row).topLeft()).y()

    before = on_screen()
    view.find_bar.open()
    assert on_screen() == before
    qtbot.keyClick(view.find_bar.words, Qt.Key.Key_Escape)
    assert on_screen() == before
    view.canvas.scroll_to(0)
    find("needle 0")
    first = view.viewport().mapTo(view, view.canvas.card_rect(0).topLeft()).y()
    assert first > view.find_bar.geometry().bottom()


def test_nothing_found_is_said(view, talk, find):
    talk.answer("hay")
    view.set_conversation(talk)
    assert find("needle") == "Nothing found"
    assert not view.find_bar.next_button.isEnabled()


def test_what_streams_in_is_counted_too(view, talk, find, qtbot, painted):
    talk.answer("needle")
    view.set_conversation(talk)
    assert find("needle") == "1 of 1"
    talk.answer("another needle")
    painted()
    qtbot.waitUntil(lambda: view.find_bar.count.text() == "1 of 2")


def test_ten_thousand_messages_are_searched_in_slices(view, talk, find, qtbot):
    for number in range(5_000):
        talk.ask(f"Question {number}")
        talk.answer(f"Answer {number} with *many* words, " + "word " * 80)
    view.set_conversation(talk)
    steps = []
    finder = view.find_bar.finder
    tick = finder._on_tick

    def timed():
        began = time.thread_time()
        tick()
        steps.append(time.thread_time() - began)

    finder._timer.timeout.disconnect()
    finder._timer.timeout.connect(timed)
    made = view.maker.made
    assert find("many words").endswith("of 5,000")
    assert len(steps) > 3
    assert view.maker.made - made < 200
    print(f"worst {max(steps) * 1000:.1f} ms of {len(steps)}")


@pytest.mark.parametrize(
    ("source", "wanted", "is_there"),
    [
        ("a **bold**ness", "boldness", True),
        ("[text](http://x.y/secret) more", "secret", True),
        ("snake_case", "snake_case", True),
        ("two\nlines", "two lines", True),
        ("Ünïcode", "unicode", True),
        ("abc", "abd", False),
    ],
)
def test_blocks_that_cannot_have_the_words_are_passed_over(source, wanted, is_there):
    assert FindQuery(wanted).may_be_in(source) == is_there


def test_a_long_output_is_counted_in_many_steps(talk):
    row = Row(key="key", kind="console")
    row.set_text("a line with a needle in it\n" * 40_000)
    steps = list(FindQuery("needle").counts(row, ""))
    assert len(steps) > 40
    assert sum(steps) == 2_500


def test_a_row_that_keeps_changing_does_not_keep_the_search_from_its_end(
    view, talk, find, qtbot, painted
):
    for number in range(300):
        talk.answer(f"needle {number}")
    view.set_conversation(talk)
    talk.begin("assistant", "message")
    view.find_bar.open()
    view.find_bar.words.setText("needle")
    for _ in range(20):
        talk.apply(Chunk(role="assistant", type="message", content="needle "))
        painted()
        view.find_bar.finder._again.timeout.emit()
    qtbot.waitUntil(lambda: view.find_bar.count.text().endswith("of 320"))


def test_a_place_behind_another_tab_is_shown(view, talk, find, qtbot):
    talk.ask("first")
    first, second = talk.code("a = 1"), talk.code("b = 'needle'")
    talk.propose(first, "a = 1")
    view.set_conversation(talk)
    view.canvas.flush()
    rows = [row for row in view.model.rows if row.kind == "code"]
    assert [row.is_hidden for row in rows] == [False, True]
    find("needle")
    qtbot.waitUntil(lambda: [row.is_hidden for row in rows] == [True, False])
    assert "needle" in shown_line(view)[0]
    view.model.choose(first)
    view.canvas.flush()
    assert reveal(view.canvas, second, "needle")
    assert [row.is_hidden for row in rows] == [True, False]
