"""A conversation is played in a window: its messages, its runs and their running line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.playback import course_of
from playhead.ui.playback.playback_view import PlaybackView
from playhead.ui.widgets.theme import Theme
from tests.support.recorded_runs import run, said
from tests.support.waiting import until

CODE = "first()\nsecond()"
LEFT = Qt.MouseButton.LeftButton


def shown(theme: Theme, window: QWidget) -> PlaybackView:
    conversation = Conversation()
    said(conversation, "user", "message", "Count.", 1000.0)
    said(conversation, "assistant", "message", "I count.", 1002.0)
    run(conversation, CODE, "a\nb\n", 1003.0)
    said(conversation, "user", "message", "Thanks.", 1600.0)
    course = course_of(conversation.messages, conversation.printed)
    view = PlaybackView(course, conversation.title, theme, window)
    view.show()
    return view


async def test_a_conversation_over_many_years_can_be_played(theme: Theme) -> None:
    window = QWidget()
    conversation = Conversation()
    said(conversation, "user", "message", "Count.", 1.0)
    said(conversation, "user", "message", "Thanks.", 1.7e9)
    view = PlaybackView(course_of(conversation.messages, conversation.printed), "", theme, window)
    view.slider.setValue(view.slider.maximum())
    assert view.player.is_at_end
    view.show()
    slider = view.slider.grab().toImage()
    assert slider.pixelColor(slider.width() // 2, slider.height() // 2) == theme.colour("accent")
    view.close()


async def test_a_conversation_without_times_is_at_its_end_at_once(theme: Theme) -> None:
    conversation = Conversation()
    said(conversation, "user", "message", "Count.", 1000.0)
    window = QWidget()
    view = PlaybackView(course_of(conversation.messages, conversation.printed), "", theme, window)
    view.player.play()
    await until(lambda: not view.player.is_playing)
    assert view.slider.value() == view.slider.maximum()
    view.close()


async def test_it_plays_seeks_and_stops_with_the_running_line(theme: Theme) -> None:
    window = QWidget()
    view = shown(theme, window)
    player, timeline = view.player, view.timeline
    assert (player.length_s, len(player.copy.messages)) == (600.0, 0)
    player.seek(8.5)  # of the run from 8 to 12
    assert [one.text for one in player.copy.messages[:2]] == ["Count.", "I count."]
    assert view.pane.editor.text() == CODE
    page = view.pane.pages.current
    await until(lambda: page.running_line.line == 1)
    player.seek(11.0)
    await until(lambda: page.running_line.line == 2)
    player.seek(1.0)  # back: of a new copy
    assert [one.text for one in player.copy.messages] == ["Count."]
    assert timeline.conversation is player.copy
    view.waits.setChecked(True)
    assert player.length_s < 12
    view.speed.setCurrentIndex(view.speed.findData(16.0))
    QTest.mouseClick(view.play_button, LEFT)
    assert view.play_button.text() == "Pause"
    await until(lambda: player.is_at_end and not player.is_playing)
    assert player.copy.messages[-1].text == "Thanks."
    assert view.slider.value() == view.slider.maximum()
    QTest.mouseClick(view.stop_button, LEFT)
    assert (player.position_s, player.copy.messages) == (0.0, [])
    view.close()
    window.deleteLater()


async def test_a_long_conversation_is_crossed_in_steps(theme: Theme) -> None:
    conversation = Conversation()
    for number in range(40):
        said(conversation, "user", "message", f"Question {number}", 1000.0 + 10 * number)
        said(conversation, "assistant", "message", "word " * 400, 1002.0 + 10 * number)
    course = course_of(conversation.messages, conversation.printed)
    assert len(course.whole) > 2000
    window = QWidget()
    view = PlaybackView(course, "Long", theme, window)
    view.show()
    player = view.player
    player.seek(player.length_s)
    await until(lambda: view.timeline.conversation is player.copy and player.is_at_end)
    assert [one.text for one in player.copy.messages] == [m.text for m in conversation.messages]
    player.seek(15.0)
    await until(lambda: view.timeline.conversation is player.copy)
    assert len(player.copy.messages) == 4
    view.close()
    window.deleteLater()
