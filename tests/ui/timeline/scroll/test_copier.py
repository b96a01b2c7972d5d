"""Copying and selecting by keyboard and menu, and the ring around entries."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QMenu

from playhead.domain.conversation.chunk import Chunk

LEFT = Qt.MouseButton.LeftButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
Key = Qt.Key


@pytest.fixture
def told(view, talk):
    """A turn with code and output, and a second one."""
    talk.ask("How **many**?")
    talk.answer("It is **this**.")
    talk.code("print(2)")
    talk.output("2\n")
    talk.answer("Two.")
    talk.ask("Thanks")
    talk.answer("Welcome.")
    view.resize(700, 900)
    view.set_conversation(talk)
    view.setFocus()
    return talk


def clipboard():
    return QGuiApplication.clipboard().text()


def choose(view, index, label):
    menu = view._pointer.menu_at(view.canvas.card_rect(index).center())
    [action] = [one for one in menu.actions() if one.text() == label]
    action.trigger()
    menu.close()


def test_an_entry_is_copied_as_markdown_or_as_text(view, told):
    choose(view, 1, "Copy this entry as Markdown")
    assert clipboard() == "It is **this**."
    choose(view, 1, "Copy this entry as text")
    assert clipboard() == "It is this."
    choose(view, 2, "Copy this entry as Markdown")
    assert clipboard() == "```python\nprint(2)\n```"
    choose(view, 3, "Copy this entry as Markdown")
    assert clipboard() == "```text\n2\n```"


def test_a_turn_is_copied_whole_and_alone(view, told):
    choose(view, 2, "Copy this turn as Markdown")
    text = clipboard()
    assert text.startswith("## You\n\nHow **many**?\n\n## Assistant\n\nIt is **this**.")
    assert "```python\nprint(2)\n```" in text
    assert text.endswith("Two.")
    choose(view, 2, "Copy this turn as text")
    assert clipboard() == "How **many**?\n\nIt is this.\n\nprint(2)\n\n2\n\nTwo."


def test_a_selection_is_copied_as_markdown_by_its_keys(view, told, qtbot):
    qtbot.keyClick(view, Key.Key_A, CTRL)
    qtbot.keyClick(view, Key.Key_C, CTRL | SHIFT)
    assert "```python\nprint(2)\n```" in clipboard()
    choose(view, 0, "Copy as text")
    assert "It is this.\n\nprint(2)" in clipboard()


def test_shift_and_arrows_select_across_entries(view, told, qtbot):
    point = view.canvas.card_rect(1).topLeft() + QPoint(1, 12)
    qtbot.mouseClick(view.viewport(), LEFT, NONE, point)
    for _ in range(2):
        qtbot.keyClick(view, Key.Key_Right, SHIFT)
    assert view.canvas.selected_text() == "It"
    qtbot.keyClick(view, Key.Key_Right, SHIFT | CTRL)
    assert view.canvas.selected_text() in ("It ", "It is ")
    qtbot.keyClick(view, Key.Key_End, SHIFT)
    assert view.canvas.selected_text() == "It is this."
    qtbot.keyClick(view, Key.Key_Down, SHIFT)
    qtbot.keyClick(view, Key.Key_End, SHIFT)
    assert view.canvas.selected_text() == "It is **this**.\n\nprint(2)"  # an entry that is whole
    qtbot.keyClick(view, Key.Key_End, SHIFT | CTRL)
    assert view.canvas.selected_text().endswith("Thanks\n\nWelcome.")
    qtbot.keyClick(view, Key.Key_Home, SHIFT | CTRL)
    assert view.canvas.selected_text().startswith("How **many**?")


def test_shift_and_a_click_select_from_the_last_click(view, told, qtbot):
    first = view.canvas.card_rect(1).topLeft() + QPoint(1, 12)
    last = view.canvas.card_rect(4).topLeft() + QPoint(600, 12)
    qtbot.mouseClick(view.viewport(), LEFT, NONE, first)
    qtbot.mouseClick(view.viewport(), LEFT, SHIFT, last)
    assert view.canvas.selected_text().startswith("It is")
    assert view.canvas.selected_text().endswith("Two.")


def test_the_ring_goes_from_entry_to_entry_and_copies(view, told, qtbot):
    view.canvas.scroll_to(0)
    rows = view.canvas.sheet.rows
    qtbot.keyClick(view, Key.Key_Down)
    assert view.canvas.ringed == rows[0].key
    qtbot.keyClick(view, Key.Key_Down)
    assert view.canvas.ringed == rows[1].key
    qtbot.keyClick(view, Key.Key_C)
    assert clipboard() == "It is **this**."
    qtbot.keyClick(view, Key.Key_Up)
    assert view.canvas.ringed == rows[0].key
    qtbot.keyClick(view, Key.Key_Escape)
    assert view.canvas.ringed == ""


def test_the_ring_reaches_every_entry_of_a_long_conversation_in_sight(view, talk, qtbot):
    for number in range(12):
        talk.ask(f"Question {number}")
        talk.answer("word " * 300)
    view.set_conversation(talk)
    view.canvas.scroll_to(0)
    seen = []
    for _ in range(200):
        qtbot.keyClick(view, Key.Key_Down)
        if view.canvas.ringed not in seen:
            seen.append(view.canvas.ringed)
            rect = view.canvas.card_rect(view.model.index_of(view.canvas.ringed))
            assert rect.intersects(view.viewport().rect())
    assert seen == [row.key for row in view.canvas.sheet.rows]


def test_enter_opens_what_is_folded(view, talk, qtbot):
    key = talk.code("\n".join(f"x = {number}" for number in range(30)))
    view.set_conversation(talk)
    view.setFocus()
    qtbot.keyClick(view, Key.Key_Down)
    assert view.canvas.ringed == key
    qtbot.keyClick(view, Key.Key_Return)
    assert view.canvas.sheet.rows[0].is_open
    assert view.canvas.ringed == key
    qtbot.keyClick(view, Key.Key_Return)
    assert not view.canvas.sheet.rows[0].is_open


def test_a_picture_is_copied_as_a_picture(view, talk, qtbot, tmp_path):
    path = tmp_path / "a.png"
    QImage(1_200, 90, QImage.Format.Format_RGB32).save(str(path))
    talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
    view.set_conversation(talk)
    view.setFocus()
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(view, Key.Key_Down)
    qtbot.keyClick(view, Key.Key_C, CTRL)
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    assert QGuiApplication.clipboard().image().width() == 1_200


def test_the_menu_key_opens_the_menu_of_the_entry_with_the_ring(view, told, qtbot):
    view.canvas.scroll_to(0)
    qtbot.keyClick(view, Key.Key_Down)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(300, 300), QPoint())
    QApplication.sendEvent(view, event)
    menu = view.findChild(QMenu, "timeline_menu")
    labels = [action.text() for action in menu.actions()]
    assert "Edit and send again" in labels
    assert {"Find in conversation…", "Select all", "Delete this turn"} <= set(labels)
    menu.close()


def test_code_in_the_users_own_words_names_its_language(view, talk, painted):
    talk.ask("Look:\n```python\nx = 1\n```\nand tell.")
    view.set_conversation(talk)
    painted()
    tips = [spot.tip for spot in view.canvas.sheet.card(0).spots(False)]
    assert "Copy code" in tips
    header, index = next(iter(view.canvas.sheet.card(0).column.fence_headers()))
    assert view.canvas.sheet.card(0).column.block(index).language == "python"
    box = view.canvas.sheet.card(0).text_box()
    image = view.viewport().grab().toImage()
    corner = view.canvas.card_rect(0).topLeft() + box.topLeft() + header.topLeft()
    strip = {
        image.pixelColor(corner.x() + x, corner.y() + y).name()
        for x in range(12, 80)
        for y in range(4, 26)
    }
    assert len(strip) > 3
