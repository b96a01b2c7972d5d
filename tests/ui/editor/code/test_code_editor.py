"""Both editors keep the promises of the protocol, with real widgets and keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
from pytestqt.qtbot import QtBot

from playhead.ui.editor.code.code_editor import DISPLAY_LINE_LIMIT, editor_colours
from playhead.ui.editor.code.plain_editor import PlainEditor
from playhead.ui.editor.code.scintilla_editor import ScintillaEditor
from playhead.ui.widgets.theme import Theme
from tests.support.editor_marks import is_running, line_error, line_note

Editor = ScintillaEditor | PlainEditor
CODE = "import math\n\n\ndef größe(x):\n    # ünï\n    return math.sqrt(x) + 1.5\n"


@pytest.fixture(params=[ScintillaEditor, PlainEditor])
def editor(request: pytest.FixtureRequest, qtbot: QtBot, theme: Theme) -> Editor:
    made = request.param()
    qtbot.addWidget(made)
    made.set_colours(editor_colours(theme))
    made.set_language("python")
    made.resize(600, 300)
    made.show()
    return made


def type_into(editor: Editor, text: str) -> None:
    QTest.keyClicks(_keyboard(editor), text)


def _keyboard(editor: Editor) -> QWidget:
    target = editor.focusProxy()
    assert target is not None
    return target


def test_text_comes_back_as_it_was_shown(editor: Editor) -> None:
    editor.show_text(CODE)
    assert editor.text() == CODE


def test_streamed_text_is_one_undo_step(editor: Editor) -> None:
    editor.show_text("")
    for character in CODE:
        editor.append(character)
    editor.end_stream()
    assert editor.text() == CODE
    editor.undo()
    assert editor.text() == ""


def test_typing_is_told_and_programmed_changes_are_not(editor: Editor) -> None:
    told: list[str] = []
    editor.edited.connect(lambda: told.append("edited"))
    editor.show_text(CODE)
    editor.append("x")
    editor.end_stream()
    editor.replace_text("y = 1")
    assert told == []
    type_into(editor, "z")
    assert told


def test_a_replaced_text_can_be_undone(editor: Editor) -> None:
    editor.show_text("a = 1")
    editor.replace_text("b = 2")
    assert editor.text() == "b = 2"
    editor.undo()
    assert editor.text() == "a = 1"


def test_a_read_only_editor_takes_no_keys_but_streams(editor: Editor) -> None:
    editor.show_text("")
    editor.set_read_only(True)
    type_into(editor, "abc")
    editor.append("streamed")
    assert editor.text() == "streamed"
    assert not editor.can_undo


def test_the_cursor_counts_characters_not_bytes(editor: Editor) -> None:
    editor.show_text("ä")
    QTest.keyClick(_keyboard(editor), Qt.Key.Key_End)
    assert editor.cursor() == (1, 2)


def test_the_running_mark_is_on_one_line_and_goes_away(editor: Editor) -> None:
    editor.show_text(CODE)
    editor.set_running_line(4, "running")
    editor.set_running_line(6, "running")
    assert [line for line in range(1, 8) if is_running(editor, line)] == [6]
    editor.set_running_line(None)
    assert not any(is_running(editor, line) for line in range(1, 8))


def test_a_timing_stays_after_the_running_line_has_moved_over_it(editor: Editor) -> None:
    editor.show_text(CODE)
    editor.set_line_note(1, "38 ms")
    editor.set_running_line(1, "running")
    editor.set_running_line(None)
    assert "38 ms" in line_note(editor, 1)


def test_errors_and_notes_vanish_with_another_text(editor: Editor) -> None:
    editor.show_text(CODE)
    editor.set_line_note(1, "38 ms")
    editor.show_error(6, "NameError: x")
    assert "NameError" in line_error(editor, 6)
    editor.show_text(CODE + "\n")
    assert line_note(editor, 1).strip() == ""
    assert line_error(editor, 6) == ""


def test_a_very_long_line_is_cut_for_display_and_kept_whole(editor: Editor) -> None:
    long = "x" * (DISPLAY_LINE_LIMIT * 3)
    editor.show_text(f"a = 1\n{long}\nb = 2")
    assert editor.text() == f"a = 1\n{long}\nb = 2"
    assert len(editor.display_text()) < DISPLAY_LINE_LIMIT + 200
    type_into(editor, "q")  # typing there would lose what is hidden
    assert editor.text() == f"a = 1\n{long}\nb = 2"


def test_a_line_that_does_not_exist_is_no_harm(editor: Editor) -> None:
    editor.show_text("a = 1")
    editor.set_running_line(40, "running")
    editor.set_line_note(41, "1 s")
    editor.show_error(42, "SyntaxError")
    assert editor.text() == "a = 1"


def test_every_keystroke_is_announced_with_its_place(editor: Editor) -> None:
    places: list[tuple[int, int]] = []
    editor.cursor_moved.connect(lambda line, column: places.append((line, column)))
    editor.show_text("")
    type_into(editor, "ab")
    editor.grab()
    assert (1, 3) in places


@pytest.mark.parametrize("language", ["python", "shell", "r", "json", "html", "no such language"])
def test_any_language_can_be_put_on(
    qtbot: QtBot, theme: Theme, language: str, pixels: Callable[[QWidget], set[int]]
) -> None:
    editor = ScintillaEditor()
    qtbot.addWidget(editor)
    editor.set_colours(editor_colours(theme))
    editor.set_language(language)
    editor.show_text("if true then x <- 'a' # 12")
    assert pixels(editor)


def test_the_band_reaches_under_the_line_numbers(
    qtbot: QtBot, theme: Theme, pixels: Callable[[QWidget], set[int]]
) -> None:
    editor = ScintillaEditor()
    qtbot.addWidget(editor)
    editor.set_colours(editor_colours(theme))
    editor.resize(400, 200)
    editor.show_text("a = 1\nb = 2\n")
    editor.show()
    editor.set_running_line(1, "running")
    image = editor.grab().toImage()
    wanted, got = theme.colour("running"), image.pixelColor(3, 8)
    distance = max(
        abs(wanted.red() - got.red()),
        abs(wanted.green() - got.green()),
        abs(wanted.blue() - got.blue()),
    )
    assert distance <= 4
    assert image.pixelColor(300, 8) == wanted


def test_keywords_wear_the_colour_of_the_theme(
    qtbot: QtBot, theme: Theme, pixels: Callable[[QWidget], set[int]]
) -> None:
    editor = ScintillaEditor()
    qtbot.addWidget(editor)
    editor.set_colours(editor_colours(theme))
    editor.set_language("python")
    editor.resize(400, 200)
    editor.show_text("import import import")
    editor.show()
    before = pixels(editor)
    assert theme.colour("keyword").rgb() in before


@pytest.fixture
def pixels() -> Callable[[QWidget], set[int]]:
    """All colours of a widget's picture."""

    def look(widget: QWidget) -> set[int]:
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        return {
            image.pixel(x, y) for y in range(image.height()) for x in range(min(image.width(), 200))
        }

    return look


def test_a_note_that_is_gone_leaves_no_room_to_scroll_to(editor: Editor) -> None:
    inside = (editor, *editor.findChildren(QWidget))
    area = next(one for one in inside if isinstance(one, QAbstractScrollArea))
    bar = area.horizontalScrollBar()
    editor.show_text("x" * 58)
    editor.grab()
    assert bar.maximum() == 0
    editor.set_running_line(1, "running, and for a long time")
    editor.grab()
    editor.set_running_line(None)
    editor.grab()
    assert bar.maximum() == 0
