"""The timeline's entries as Qt hands them to a screen reader."""

from __future__ import annotations

import gc

import shiboken6
from PySide6.QtCore import SIGNAL, QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface

from playhead.ui.timeline.scroll.accessibility import install_accessibility
from playhead.ui.timeline.view import TimelineView


def listed(view: TimelineView) -> QAccessibleInterface:
    install_accessibility()
    return QAccessible.queryAccessibleInterface(view)


def known(view: TimelineView, index: int) -> int:
    """Qt's number of an entry, by which a screen reader asks for it from then on."""
    return QAccessible.uniqueId(listed(view).child(index))


def name(number: int) -> str:
    return QAccessible.accessibleInterface(number).text(QAccessible.Text.Name)


def test_an_entry_that_was_read_stays_the_same_and_says_what_is_there_now(view, talk, painted):
    view.set_conversation(talk)
    code = talk.code("1 + 1")
    painted()
    number = known(view, 0)
    assert name(number) == "python Code: 1 + 1"
    talk.propose(code, "1 + 1")
    view.set_conversation(talk)  # with other rows of the same messages
    painted()
    assert known(view, 0) == number
    assert name(number) == "python Code, waiting for you: 1 + 1"


def test_qt_does_not_keep_entries_of_a_conversation_that_was_left(view, talk, painted):
    view.set_conversation(talk)
    talk.answer("Good day")
    painted()
    number = known(view, 0)
    view.set_conversation(None)
    gc.collect()
    assert QAccessible.accessibleInterface(number) is None


def test_qt_keeps_nothing_of_a_timeline_that_was_deleted(theme, talk, qapp):
    view = TimelineView(theme)
    view.set_conversation(talk)
    talk.answer("Good day")
    first = listed(view)
    numbers = [QAccessible.uniqueId(first), known(view, 0)]
    QObject.connect(view, SIGNAL("changed()"), view.update)  # now Qt asks for its interface again
    assert listed(view) is not first
    numbers += [QAccessible.uniqueId(listed(view)), known(view, 0)]
    shiboken6.delete(view)
    gc.collect()
    assert [QAccessible.accessibleInterface(number) for number in numbers] == [None] * 4
