"""Ctrl+F belongs to the conversation or to the editor, whichever has the keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest
from playhead.ui.timeline.cards.input_line import InputLine
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import opened

CTRL = Qt.KeyboardModifier.ControlModifier


async def test_each_part_has_its_own_search(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("A needle in hay.")) as bench:
        window, view = bench.window, bench.parts.timeline
        window.activateWindow()
        await until(window.isActiveWindow)
        bench.send("Where is the needle?")
        await bench.rests()
        field = bench.parts.composer.text_edit
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_F, CTRL)
        words = view.find_bar.words
        assert words.isVisible()
        QTest.keyClicks(words, "needle")
        await until(lambda: view.find_bar.count.text().endswith("of 2"))
        QTest.keyClick(words, Qt.Key.Key_F3)
        await until(lambda: view.find_bar.count.text() == "2 of 2")
        QTest.keyClick(words, Qt.Key.Key_Escape)
        assert window.focusWidget() is field
        bench.parts.pane.focus_code()
        target = window.focusWidget()
        assert target is not None
        QTest.keyClick(target, Qt.Key.Key_F, CTRL)
        assert not view.find_bar.isVisible()


async def test_switching_to_another_conversation_closes_the_search(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("A needle.")) as bench:
        view = bench.parts.timeline
        bench.send("Where?")
        await bench.rests()
        view.find_bar.open()
        QTest.keyClicks(view.find_bar.words, "needle")
        bench.window.new_conversation()
        assert not view.find_bar.isVisible()
        assert view.maker.wanted is None


async def test_the_keyboard_is_where_it_was_when_the_code_s_question_is_answered(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        window, view = bench.window, bench.parts.timeline
        bench.send("Hello?")
        await bench.rests()
        composer = bench.parts.composer.text_edit
        composer.setFocus()
        question = Chunk(role="computer", type="input", content=InputRequest("i1", "Your name?"))
        bench.session.conversation.apply(question)
        await until(lambda: isinstance(window.focusWidget(), QLineEdit))
        field = window.focusWidget()
        assert field is not None
        QTest.keyClicks(field, "Ada")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: not view.findChildren(InputLine))
        assert window.focusWidget() is composer
