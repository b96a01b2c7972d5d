import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QPaintEvent,
    QTextCursor,
    QWheelEvent,
    QWindow,
)

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.payloads import Failure, InputRequest, RunReport
from playhead.ui.timeline.cards.input_line import InputLine

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def fill(talk, turns=60):
    for number in range(turns):
        talk.ask(f"Question {number}")
        talk.answer(f"Answer {number}\n\nwith *two* paragraphs")


def spot_point(view, tip, last=True):
    """Where a button with this name is on the screen."""
    rows = view.canvas.visible_rows()
    for index in reversed(rows) if last else rows:
        for spot in view.canvas.sheet.card(index).spots(True):
            if spot.tip == tip:
                return spot.rect.center() + view.canvas.card_rect(index).topLeft()
    raise AssertionError(f"no {tip}")


def tips_of(view):
    """The names of all buttons that are in sight."""
    cards = (view.canvas.sheet.card(index) for index in view.canvas.visible_rows())
    return [spot.tip for card in cards for spot in card.spots(True)]


def click(qtbot, view, point):
    qtbot.mouseMove(view.viewport(), point)
    qtbot.mouseClick(view.viewport(), LEFT, NONE, point)


def row_on_screen(view, key):
    return view.canvas.sheet.outer_top_of(view.model.index_of(key)) - view.canvas.top


def test_a_conversation_opens_at_its_end(view, talk):
    fill(talk)
    view.set_conversation(talk)
    assert view.canvas.top == view.canvas.max_top() > 0
    assert view.verticalScrollBar().value() == view.canvas.max_top()
    assert view.canvas.is_following()


def test_of_ten_thousand_messages_only_those_near_are_laid_out(view, talk):
    fill(talk, 5_000)
    view.set_conversation(talk)
    assert len(view.canvas.sheet.rows) == 10_000
    assert view.canvas.sheet.cards_made < 40
    assert view.maker.made < 80
    view.canvas.scroll_to(0)
    view.canvas.scroll_to(view.canvas.max_top() // 2)
    assert view.canvas.sheet.cards_made < 120


def test_what_is_read_does_not_move_when_something_streams_in_below(view, talk, painted):
    fill(talk)
    view.set_conversation(talk)
    view.canvas.scroll_by(-300)
    key = view.canvas.sheet.rows[view.canvas.visible_rows()[1]].key
    before = row_on_screen(view, key)
    fill(talk, 5)
    painted()
    assert row_on_screen(view, key) == before
    assert not view.canvas.is_following()


def test_at_the_end_the_view_follows_what_streams_in(view, talk, painted):
    fill(talk)
    view.set_conversation(talk)
    talk.begin("assistant", "message")
    for _ in range(50):
        talk.apply(Chunk(role="assistant", type="message", content="A line.\n\n"))
        painted()
        assert view.canvas.top == view.canvas.max_top()


def test_what_is_read_does_not_move_while_heights_above_are_corrected(view, talk):
    for number in range(40):
        talk.answer("word " * (20 + 97 * number % 400))
    view.set_conversation(talk)
    steps = 0
    while view.canvas.top > 70:
        key = view.canvas.sheet.rows[view.canvas.visible_rows()[-1]].key
        before = row_on_screen(view, key)
        view.canvas.scroll_by(-70)
        assert row_on_screen(view, key) == before + 70
        steps += 1
    assert steps > 60


class Paints(QObject):
    """Counts the times something is painted, and knows the top of the last."""

    count = top = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.count += 1
            self.top = event.rect().top()
        return super().eventFilter(watched, event)


def test_blitted_scrolling_shows_what_a_fresh_painting_shows(view, talk, qtbot):
    fill(talk)
    view.set_conversation(talk)
    view.viewport().repaint()
    paints = Paints(view)
    view.viewport().installEventFilter(paints)
    for delta in (-90, -33, 20, -250, 61):
        paints.count = 0
        view.canvas.scroll_by(delta)
        qtbot.waitUntil(lambda: paints.count > 0)
    seen = view.viewport().grab().toImage()
    screen = view.screen().grabWindow(view.winId()).toImage()
    if screen.isNull():
        pytest.skip("this platform cannot read the screen")
    corner = view.viewport().geometry().topLeft()
    part = screen.copy(corner.x(), corner.y(), 600, 380)  # above the floating button
    convert = QImage.Format.Format_RGB32
    assert part.convertToFormat(convert) == seen.copy(0, 0, 600, 380).convertToFormat(convert)


def test_what_streams_in_paints_no_block_above_it(view, talk, painted, qtbot):
    view.set_conversation(talk)
    talk.begin("assistant", "message")
    for content in ("# A heading\n\nA paragraph.", "\n\nThe last"):
        talk.apply(Chunk(role="assistant", type="message", content=content))
        painted()
    paints = Paints(view)
    view.viewport().installEventFilter(paints)
    top = 40
    for content in (" one", " with `code` and", "\n- an item", " of it\n\n```python\n", "x = 1\n"):
        before = view.viewport().grab().toImage()
        paints.count = 0
        talk.apply(Chunk(role="assistant", type="message", content=content))
        view.coalescer.flush_now()
        qtbot.waitUntil(lambda: paints.count > 0)
        assert paints.top >= top, content
        top = paints.top
        after = view.viewport().grab().toImage()
        assert after.copy(0, 0, 700, top) == before.copy(0, 0, 700, top)
        assert after != before


def test_the_button_to_the_latest_shows_only_away_from_the_end(view, talk, qtbot):
    fill(talk)
    view.set_conversation(talk)
    assert not view._jump.isVisible()
    view.canvas.scroll_by(-400)
    assert view._jump.isVisible()
    qtbot.mouseClick(view._jump, LEFT)
    assert view.canvas.top == view.canvas.max_top()
    assert not view._jump.isVisible()


def test_streaming_lays_out_no_more_than_the_open_blocks(view, talk, painted):
    view.set_conversation(talk)
    talk.begin("assistant", "message")

    def made_by(paragraphs):
        before = view.maker.made
        for _ in range(paragraphs):
            talk.apply(Chunk(role="assistant", type="message", content="Words of a paragraph. "))
            painted()
            talk.apply(Chunk(role="assistant", type="message", content="More of it.\n\n"))
            painted()
        return view.maker.made - before

    made_by(30)
    assert made_by(30) <= made_by(30) + 2
    assert made_by(60) <= 60 * 4
    card = view.canvas.sheet.card(0)
    assert card.parsed_chars < 30 * view.canvas.sheet.rows[0].size


def test_documents_far_away_are_given_back(view, talk, qtbot):
    talk.answer("\n\n".join(f"Paragraph {number}" for number in range(2_000)))
    view.set_conversation(talk)
    qtbot.waitUntil(lambda: not view.canvas.sheet.card(0).is_behind)
    for _ in range(20):
        view.canvas.scroll_by(-3_000)
    column = view.canvas.sheet.card(0).column
    assert len(column) == 2_000
    assert len(column._live) < 300


def test_text_is_selected_across_rows_with_the_mouse_and_copied(view, talk, qtbot):
    talk.ask("What is it?")
    talk.answer("It is **this**.\n\nAnd that.")
    talk.answer("Last one.")
    view.set_conversation(talk)
    port = view.viewport()
    first, last = view.canvas.card_rect(0), view.canvas.card_rect(2)
    qtbot.mousePress(port, LEFT, NONE, QPoint(first.left() + 1, first.top() + 1))
    qtbot.mouseMove(port, QPoint(last.right(), last.top() + 15))
    qtbot.mouseRelease(port, LEFT, NONE, QPoint(last.right(), last.top() + 15))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied == "What is it?\n\nIt is **this**.\n\nAnd that.\n\nLast one."


def test_a_double_click_selects_a_word_as_it_is_shown(view, talk, qtbot):
    talk.answer("**Revenue** grows")
    view.set_conversation(talk)
    point = view.canvas.card_rect(0).topLeft() + QPoint(20, 14)
    qtbot.mouseDClick(view.viewport(), LEFT, NONE, point)
    assert view.canvas.selected_text() == "Revenue"


def test_everything_can_be_selected_without_laying_it_out(view, talk, qtbot):
    fill(talk, 500)
    view.set_conversation(talk)
    made = view.maker.made
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    text = view.canvas.selected_text()
    assert text.startswith("Question 0\n\nAnswer 0")
    assert text.endswith("with *two* paragraphs")
    assert view.maker.made == made


def test_keys_scroll(view, talk, qtbot):
    fill(talk)
    view.set_conversation(talk)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.canvas.top == 0
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    page = view.canvas.top
    assert 300 < page < view.viewport().height()
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert view.canvas.top == 0
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.canvas.top == view.canvas.max_top()
    assert view.canvas.is_following()


def test_tab_reaches_each_button_and_enter_presses_it(view, talk, qtbot):
    talk.ask("Hello")
    answer = talk.answer("Hi")
    view.set_conversation(talk)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    tips = []
    while view._keys.tab(True):
        tips.append(view.canvas.focused[1].tip)
    assert tips == ["Copy message", "Edit and send again", "Copy answer", "Retry"]
    view._keys.tab(False)
    with qtbot.waitSignal(view.retry_requested) as asked:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert asked.args == [answer]


def test_buttons_of_messages_ask_the_window(view, talk, qtbot):
    question = talk.ask("Hello")
    answer = talk.answer("Hi **you**\n\n```python\nprint(1)\n```")
    view.set_conversation(talk)
    view.set_runnable(lambda word: word == "python", lambda word: "")
    with qtbot.waitSignal(view.edit_requested) as edited:
        click(qtbot, view, spot_point(view, "Edit and send again"))
    assert edited.args == [question]
    with qtbot.waitSignal(view.retry_requested) as retried:
        click(qtbot, view, spot_point(view, "Retry"))
    assert retried.args == [answer]
    with qtbot.waitSignal(view.run_requested) as ran:
        click(qtbot, view, spot_point(view, "Run this code"))
    assert ran.args == ["python", "print(1)"]
    click(qtbot, view, spot_point(view, "Copy answer"))
    assert QGuiApplication.clipboard().text() == "Hi **you**\n\n```python\nprint(1)\n```"


def test_code_that_cannot_be_run_here_says_what_to_install(view, talk, qtbot):
    talk.answer("```ruby\nputs 1\n```")
    view.set_conversation(talk)
    without = view.grab().toImage()
    view.set_runnable(lambda word: False, lambda word: f"{word.title()} is not installed here.")
    assert "Run this code" not in tips_of(view)
    assert "Copy code" in tips_of(view)
    assert view.grab().toImage() != without


def test_a_code_card_is_folded_opens_and_leads_to_the_editor(view, talk, qtbot):
    code = "\n".join(f"line_{number} = {number}" for number in range(27))
    message_id = talk.code(code)
    view.set_conversation(talk)
    folded = view.canvas.sheet.height
    click(qtbot, view, spot_point(view, "Show all 27 lines"))
    assert view.canvas.sheet.height > folded + 300
    click(qtbot, view, spot_point(view, "Copy code", last=False))
    assert QGuiApplication.clipboard().text() == code
    with qtbot.waitSignal(view.open_code_requested) as opened:
        view.canvas.scroll_to(0)
        click(qtbot, view, spot_point(view, "Open in the editor"))
    assert opened.args == [message_id]


def test_a_code_card_says_how_its_run_stands(view, talk, painted):
    message_id = talk.code("1")
    view.set_conversation(talk)
    card = view.canvas.sheet.card(0)
    assert card.state_text() == "1 line"
    talk.propose(message_id, "1")
    talk.report(RunReport(state="started"))
    talk.report(RunReport(state="finished", seconds=1.9))
    painted()
    assert card.state_text() == "ran in 1.9 s"
    view.show_going_on("2 threads go on")
    assert card.state_text() == "ran in 1.9 s · 2 threads go on"
    view.show_going_on("")
    assert card.state_text() == "ran in 1.9 s"
    view.set_code_state(message_id, "skipped")
    assert card.state_text() == "skipped"


def test_an_empty_output_has_no_card_and_a_long_one_is_folded(view, talk, qtbot, painted):
    view.set_conversation(talk)
    talk.output("")
    painted()
    assert not view.canvas.sheet.is_shown(0)
    talk.output("".join(f"{number}\n" for number in range(10_000)))
    painted()
    assert view.canvas.sheet.bottom_of(1) < 900
    made = view.maker.made
    click(qtbot, view, spot_point(view, "Show 2,500 of 10,000 lines"))
    assert view.canvas.sheet.bottom_of(1) > 40_000
    assert view.maker.made < made + 60


def test_thinking_is_folded_until_it_is_clicked(view, talk, qtbot):
    talk.say("assistant", "reasoning", "First this.\n\nThen that.")
    view.set_conversation(talk)
    height = view.canvas.sheet.height
    click(qtbot, view, spot_point(view, "Show"))
    assert view.canvas.sheet.height > height + 30
    click(qtbot, view, spot_point(view, "Fold"))
    assert view.canvas.sheet.height == height


def test_a_failure_can_be_tried_again(view, talk, qtbot):
    talk.ask("x")
    key = talk.apply(
        Chunk(
            role="server",
            type="error",
            content=Failure(code="x", title="No answer.", detail="", remedy="Try it."),
        )
    )
    view.set_conversation(talk)
    with qtbot.waitSignal(view.retry_requested) as asked:
        click(qtbot, view, spot_point(view, "Retry"))
    assert asked.args == [key]


def test_links_are_told_and_unsafe_ones_are_dead(view, talk, qtbot):
    talk.answer("[good](https://example.org/a)\n\n[bad](file:///etc/passwd)")
    view.set_conversation(talk)
    told = []
    view.link_activated.connect(told.append)
    corner = view.canvas.card_rect(0).topLeft()
    second = view.canvas.sheet.card(0).part_top(1)
    click(qtbot, view, corner + QPoint(10, second + 14))
    click(qtbot, view, corner + QPoint(10, 14))
    assert told == ["https://example.org/a"]


def test_a_question_of_the_code_is_answered_in_its_card(view, talk, qtbot):
    talk.apply(Chunk(role="computer", type="input", content=InputRequest("i1", "Your name?")))
    view.set_conversation(talk)
    [line] = view.findChildren(InputLine)
    assert line.isVisible()
    assert view.canvas.card_rect(0).contains(line.geometry())
    qtbot.keyClicks(line.field, "Ada")
    with qtbot.waitSignal(view.input_answered) as answered:
        qtbot.keyClick(line.field, Qt.Key.Key_Return)
    assert answered.args == ["i1", "Ada"]
    assert view.canvas.sheet.card(0).words() == "Ada"
    qtbot.waitUntil(lambda: not view.findChildren(InputLine))


def test_a_secret_is_masked_and_not_kept(view, talk, qtbot):
    request = InputRequest("i1", "Password:", is_secret=True)
    talk.apply(Chunk(role="computer", type="input", content=request))
    view.set_conversation(talk)
    [line] = view.findChildren(InputLine)
    assert line.field.echoMode() == line.field.EchoMode.Password
    qtbot.keyClicks(line.field, "hush")
    qtbot.keyClick(line.field, Qt.Key.Key_Return)
    assert "hush" not in view.canvas.sheet.card(0).words()
    view.canvas.select_all()
    assert "hush" not in view.canvas.selected_text()
    qtbot.waitUntil(lambda: not view.findChildren(InputLine))


def test_fields_move_with_their_cards(view, talk):
    fill(talk, 20)
    talk.apply(Chunk(role="computer", type="input", content=InputRequest("i1", "Name?")))
    view.set_conversation(talk)
    [line] = view.findChildren(InputLine)
    before = line.y()
    view.canvas.scroll_by(-60)
    assert line.y() == before + 60
    view.canvas.scroll_to(0)
    assert not line.isVisible()


def test_a_picture_is_decoded_beside_and_shown(view, talk, qtbot, tmp_path):
    path = tmp_path / "a plot.png"
    image = QImage(900, 300, QImage.Format.Format_RGB32)
    image.fill(0xFF3B5BDB)
    image.save(str(path))
    talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
    view.set_conversation(talk)
    qtbot.waitUntil(lambda: view.canvas.sheet.height != 200 + 12 + 20)
    column = view.canvas.column().width()
    assert abs(view.canvas.sheet.bottom_of(0) - 12 - column / 3) < 4
    middle = view.canvas.card_rect(0).center()
    assert view.grab().toImage().pixelColor(middle).name() == "#3b5bdb"


def test_a_picture_that_cannot_be_read_says_so(view, talk, qtbot, tmp_path):
    path = tmp_path / "broken.png"
    path.write_bytes(b"no picture")
    talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
    talk.apply(Chunk(role="computer", type="image", format="base64.png", content="!!!!"))
    view.set_conversation(talk)
    qtbot.waitUntil(lambda: view.canvas.sheet.bottom_of(1) < 200)


def test_another_branch_replaces_the_rows(view, talk, painted):
    question = talk.ask("Hello")
    talk.answer("One")
    view.set_conversation(talk)
    talk.change(MoveTo(question))
    talk.answer("Two")
    painted()
    assert [row.text for row in view.canvas.sheet.rows] == ["Hello", "Two"]


def test_a_note_offers_its_action(view, talk, qtbot, painted):
    talk.answer("x")
    view.set_conversation(talk)
    done = []
    view.add_note("info", "The names are gone.", "…", ("Run all again", lambda: done.append(1)))
    painted()
    click(qtbot, view, spot_point(view, "Run all again"))
    assert done == [1]
    view.clear_notes()
    assert len(view.canvas.sheet.rows) == 1


def test_the_menu_copies_an_entry(view, talk, qtbot):
    talk.answer("**x**")
    view.set_conversation(talk)
    point = view.canvas.card_rect(0).topLeft() + QPoint(5, 10)
    menu = view._pointer.menu_at(point)
    labels = {action.text(): action for action in menu.actions()}
    assert not labels["Copy"].isEnabled()
    labels["Copy this entry"].trigger()
    assert QGuiApplication.clipboard().text() == "**x**"


def test_the_theme_changes_what_is_painted(view, talk, theme, qtbot):
    talk.answer("Hello")
    view.set_conversation(talk)

    def ground():
        return view.grab().toImage().pixelColor(4, 4).name().upper()

    assert ground() == "#FFFFFF"
    theme.set_mode("dark")
    assert ground() == "#17181B"


def test_after_leaving_a_conversation_its_events_change_nothing(view, talk, painted):
    view.set_conversation(talk)
    view.set_conversation(None)
    talk.answer("x")
    painted()
    assert view.canvas.sheet.rows == []


def test_odd_texts_are_drawn(view, talk, painted):
    view.set_conversation(talk)
    for text in (
        "\ud800 lone",
        "\x00 nul",
        "x" * 50_000,
        "[",
        "```",
        "| a |\n|---|",
        "<div>",
        "a\n" * 500,
    ):
        talk.answer(text)
        talk.output(text)
        talk.ask(text)
        talk.code(text)
        painted()
    view.canvas.scroll_to(0)
    while view.canvas.top < view.canvas.max_top():
        view.canvas.scroll_by(480)
        painted()


def test_a_very_narrow_view_is_drawn(view, talk, painted):
    fill(talk, 3)
    talk.output("a b c " * 100)
    view.set_conversation(talk)
    view.resize(280, 300)
    painted()
    assert view.canvas.column().width() >= 120


def test_screen_readers_are_told_what_there_is(view, talk, painted):
    view.set_conversation(talk)
    talk.ask("Hello")
    talk.answer("Good day")
    painted()
    assert view.accessibleName() == "Conversation"
    assert view.accessibleDescription() == "2 entries. Good day"


def test_a_huge_stored_answer_is_taken_in_over_several_frames_to_its_end(view, talk, qtbot):
    paragraphs = [f"Paragraph {number} with **words**." for number in range(4_000)]
    talk.answer("\n\n".join(paragraphs))
    view.set_conversation(talk)
    card = view.canvas.sheet.card(0)
    assert card.is_behind
    qtbot.waitUntil(lambda: not card.is_behind)
    assert len(card.column) == len(paragraphs)
    assert view.canvas.top == view.canvas.max_top()
    assert view.maker.made < 2_000


def test_a_long_message_of_the_user_is_folded(view, talk, qtbot):
    talk.ask("\n".join(f"pasted {number}" for number in range(500)))
    talk.ask("y" * 60_000)
    view.set_conversation(talk)
    assert view.canvas.sheet.height < 2_000
    view.canvas.scroll_to(0)
    click(qtbot, view, spot_point(view, "Show all 500 lines", last=False))
    assert view.canvas.sheet.height > 10_000


def test_packed_code_is_cut_for_display_and_copied_whole(view, talk, qtbot):
    code = "x=1;" * 20_000
    talk.code(code)
    view.set_conversation(talk)
    assert view.canvas.sheet.height < 500
    click(qtbot, view, spot_point(view, "Copy code"))
    assert QGuiApplication.clipboard().text() == code


def test_an_answer_that_was_cut_off_says_so(view, talk, painted):
    whole = talk.answer("A whole answer")
    cut = talk.begin("assistant", "message")
    talk.apply(Chunk(role="assistant", type="message", content="Half an"))
    view.set_conversation(talk)
    card = view.canvas.sheet.card(view.model.index_of(cut))
    painted()
    assert not card.is_cut
    talk.close_open()
    painted()
    assert card.is_cut
    assert card.frame_height() > view.canvas.sheet.card(view.model.index_of(whole)).frame_height()


def wide_table(rows, columns=12):
    names = "|".join(f"column {number}" for number in range(columns))
    cells = "".join(
        "|".join(f"r{row}c{at}" for at in range(columns)) + "|\n" for row in range(rows)
    )
    return f"|{names}|\n{'|-' * columns}|\n{''.join(cells)}"


def left_cell(view, down=60):
    """Return the cell that is at the left edge of the first card."""
    card = view.canvas.sheet.card(0)
    box = card.text_box()
    first, last = card.column.around(
        card.place_at(box.left() + 20, box.top() + down),
        QTextCursor.SelectionType.WordUnderCursor,
    )
    return card.column.text_between(first, last)


@pytest.mark.parametrize("way", ["click", "wheel", "keys"])
def test_a_wide_table_is_moved_sideways_and_all_its_pieces_with_it(view, talk, qtbot, painted, way):
    talk.answer(wide_table(50))
    view.resize(700, 900)
    view.set_conversation(talk)
    view.canvas.scroll_to(view.canvas.max_top())
    painted()
    qtbot.waitUntil(lambda: not view.canvas.sheet.is_behind)
    card = view.canvas.sheet.card(0)
    [(_strip, index, shift, most)] = card.column.wide_tables.strips(600)
    assert (len(card.column), shift) == (3, 0)
    assert most >= 12 * 96 - 700
    assert left_cell(view).endswith("c0")
    if way == "click":
        click(qtbot, view, spot_point(view, "Columns to the right"))
    elif way == "keys":
        view.setFocus()
        view.canvas.focused = next(
            (0, spot) for spot in card.spots(True) if spot.tip == "Columns to the right"
        )
        qtbot.keyClick(view, Qt.Key.Key_Return)
    else:
        point = view.canvas.card_rect(0).center()
        point.setY(300)
        wheel(view, point, -360, Qt.KeyboardModifier.ShiftModifier)
    painted()
    [(_strip, _index, shift, _most)] = card.column.wide_tables.strips(600)
    assert 0 < shift <= most
    assert not left_cell(view).endswith("c0")
    assert card.column._origin(0).x() == card.column._origin(index).x() == -shift
    assert "r0c0" in card.source()


def test_a_table_that_fits_is_not_moved_and_a_wheel_over_it_scrolls_the_view(view, talk, painted):
    fill(talk, 20)
    talk.answer(wide_table(3, 3))
    view.set_conversation(talk)
    painted()
    card = view.canvas.sheet.card(len(view.canvas.sheet.rows) - 1)
    assert not list(card.column.wide_tables.strips(600))
    before = view.canvas.top
    wheel(view, QPoint(300, 400), 120, NONE)
    assert view.canvas.top < before


def wheel(view, point, turn, keys):
    across = QPoint(turn, 0) if keys == Qt.KeyboardModifier.AltModifier else QPoint(0, turn)
    event = QWheelEvent(
        QPointF(point), QPointF(view.viewport().mapToGlobal(point)), QPoint(), across,
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QGuiApplication.sendEvent(view.viewport(), event)


def test_nothing_is_laid_out_in_a_minimized_window_and_all_of_it_once_it_is_back(qtbot, view, talk):
    view.set_conversation(talk)
    talk.begin("assistant", "message")
    view.showMinimized()
    qtbot.waitUntil(lambda: view.windowHandle().visibility() == QWindow.Visibility.Minimized)
    made = view.maker.made
    for number in range(30):
        talk.apply(Chunk(role="assistant", type="message", content=f"line {number}\n\n"))
    qtbot.waitUntil(lambda: not view.coalescer._timer.isActive())
    assert view.maker.made == made
    view.showNormal()
    qtbot.waitUntil(lambda: view.maker.made > made)
    assert view.canvas.top == view.canvas.max_top() > 0
