"""The pane with both editors: search, line commands, changes, tabs, type, all by real keys."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from playhead.ui.editor.code.code_editor import DISPLAY_LINE_LIMIT
from playhead.ui.editor.code.plain_editor import PlainEditor
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.editor.tab import Tab
from playhead.ui.widgets.theme import Theme, TypeLook
from tests.support.editor_marks import line_change

CODE = "import os\n\n\ndef f(x):\n    return x\n\n\nprint(f(1))\n"
Ctrl, Shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(params=["scintilla", "plain"])
def pane(
    request: pytest.FixtureRequest,
    qtbot: QtBot,
    theme: Theme,
    monkeypatch: pytest.MonkeyPatch,
) -> EditorPane:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "playhead.ui.editor.code.scintilla_editor", None)
    made = EditorPane(theme)
    qtbot.addWidget(made)
    made.resize(640, 480)
    made.show()
    made.set_tabs([cell("m1", CODE)], "m1")
    made.focus_code()
    return made


def cell(key: str, code: str, title: str = "cell 1") -> Tab:
    return Tab(key=key, title=title, text=code, original=code, base=code)


def keyboard(pane: EditorPane) -> QWidget:
    target = pane.editor.widget.focusProxy()
    assert target is not None
    return target


def press(
    pane: EditorPane,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    QTest.keyClick(keyboard(pane), key, modifier)


def test_the_search_counts_while_one_types_and_steps_round(pane: EditorPane, qtbot: QtBot) -> None:
    press(pane, Qt.Key.Key_F, Ctrl)
    bar = pane.tools.bar
    assert bar.isVisible()
    QTest.keyClicks(bar.words, "f")
    qtbot.waitUntil(lambda: bar.count.text() == "3 found")
    bar.word_button.click()
    qtbot.waitUntil(lambda: bar.count.text() == "2 found")
    QTest.keyClick(bar.words, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 2"
    assert pane.editor.selection() == (CODE.index("f(x"), CODE.index("f(x") + 1)
    QTest.keyClick(bar.words, Qt.Key.Key_Return)
    QTest.keyClick(bar.words, Qt.Key.Key_Return)
    assert bar.count.text() == "1 of 2"
    QTest.keyClick(bar.words, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    press(pane, Qt.Key.Key_F3)
    assert pane.editor.selection()[0] == CODE.index("f(1")


def test_all_places_are_replaced_as_one_step(pane: EditorPane) -> None:
    press(pane, Qt.Key.Key_H, Ctrl)
    bar = pane.tools.bar
    QTest.keyClicks(bar.words, r"(\w+)\((\w)\)")
    bar.pattern_button.click()
    QTest.keyClicks(bar.other, r"\1[\2]")
    bar.replace_all_button.click()
    assert pane.text() == CODE.replace("f(x)", "f[x]").replace("f(1)", "f[1]")
    assert bar.count.text() == "2 replaced"
    pane.editor.undo()
    assert pane.text() == CODE
    pane.editor.redo()
    assert "f[x]" in pane.text()


def test_one_place_after_the_other_is_replaced(pane: EditorPane) -> None:
    press(pane, Qt.Key.Key_H, Ctrl)
    bar = pane.tools.bar
    QTest.keyClicks(bar.words, "f(")
    QTest.keyClicks(bar.other, "go(")
    bar.replace_button.click()  # goes to the first
    bar.replace_button.click()
    assert pane.text().count("go(") == 1
    bar.replace_button.click()
    assert pane.text().count("go(") == 2


def test_a_bad_pattern_is_said_in_the_bar(pane: EditorPane) -> None:
    press(pane, Qt.Key.Key_F, Ctrl)
    pane.tools.bar.pattern_button.click()
    QTest.keyClicks(pane.tools.bar.words, "(")
    assert pane.tools.bar.count.text() == "Missing closing parenthesis"


def test_a_selection_is_commented_and_indented(pane: EditorPane) -> None:
    pane.editor.select(CODE.index("def"), CODE.index("return") + 3)
    press(pane, Qt.Key.Key_Slash, Ctrl)
    assert "# def f(x):\n#     return x\n" in pane.text()
    press(pane, Qt.Key.Key_Slash, Ctrl)
    assert pane.text() == CODE
    press(pane, Qt.Key.Key_BracketRight, Ctrl)
    assert "    def f(x):\n        return x\n" in pane.text()
    press(pane, Qt.Key.Key_BracketLeft, Ctrl)
    assert pane.text() == CODE


def test_tab_and_shift_tab_move_the_selected_lines(pane: EditorPane) -> None:
    pane.editor.select(CODE.index("def"), CODE.index("return") + 3)
    press(pane, Qt.Key.Key_Tab)
    assert "    def f(x):\n        return x\n" in pane.text()
    press(pane, Qt.Key.Key_Backtab, Shift)
    assert pane.text() == CODE


def test_edits_are_marked_shown_and_reverted_one_by_one(pane: EditorPane, qtbot: QtBot) -> None:
    QTest.keyClicks(keyboard(pane), "# mine")
    press(pane, Qt.Key.Key_Return)
    place = pane.text().index("return x")
    pane.editor.replace_spans([(place, place + 8, "return 2")])
    qtbot.waitUntil(lambda: pane.header.changes.text() == "2 changes")
    assert line_change(pane.editor.widget, 1) == "added"
    assert line_change(pane.editor.widget, 6) == "changed"
    pane.header.changes.click()
    diff = pane.tools.diff
    assert "+ # mine" in diff.text.toPlainText()
    assert "-     return x\n+     return 2" in diff.text.toPlainText()
    diff.next_button.click()
    diff.revert_button.click()
    assert pane.text() == f"# mine\n{CODE}"
    diff.all_button.click()
    assert pane.text() == CODE
    QTest.keyClick(diff.text, Qt.Key.Key_Escape)
    assert not pane.tools.is_diff_shown
    assert not pane.is_edited


def line_height(pane: EditorPane) -> float:
    """Return how high the editor draws a line."""
    editor = pane.editor
    if isinstance(editor, PlainEditor):
        return keyboard(pane).fontMetrics().lineSpacing()
    return editor._sci.textHeight(0)  # type: ignore[attr-defined]


def test_type_has_the_font_and_the_zoom_of_the_theme_and_the_wheel_is_the_window_s(
    pane: EditorPane, theme: Theme
) -> None:
    assert pane.restore({"wrap": "on"}) is None
    assert pane.state() == {"wrap": "on"}
    line = line_height(pane)
    theme.set_type(TypeLook(zoom_percent=200))
    assert line_height(pane) == pytest.approx(2 * line, abs=2)
    theme.set_type(TypeLook(code_px=26))
    assert line_height(pane) == pytest.approx(2 * line, abs=2)
    target = keyboard(pane)
    assert isinstance(target, QWidget)
    viewport = target.viewport()  # type: ignore[attr-defined]
    place = QPointF(20, 20)
    wheel = QWheelEvent(
        place,
        QPointF(viewport.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Ctrl,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, wheel)
    assert not wheel.isAccepted()
    assert line_height(pane) == pytest.approx(2 * line, abs=2)


def test_wrapped_lines_need_no_scrolling_aside(pane: EditorPane, qtbot: QtBot) -> None:
    pane.replace_text("word " * 300)
    bar = keyboard(pane).horizontalScrollBar()  # type: ignore[attr-defined]
    qtbot.waitUntil(bar.isVisible)
    press(pane, Qt.Key.Key_Z, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: not bar.isVisible())


def test_each_tab_keeps_its_text_and_its_undo_steps(pane: EditorPane) -> None:
    pane.add_tab(cell("m2", "b = 2", "cell 2"))
    QTest.keyClicks(keyboard(pane), "x")
    press(pane, Qt.Key.Key_PageDown, Ctrl)
    assert pane.text() == "b = 2"
    assert pane.header.title.text() == "cell 2"
    assert pane.strip.accessibleTabName(0) == "cell 1, edited"
    press(pane, Qt.Key.Key_PageUp, Ctrl)
    press(pane, Qt.Key.Key_Z, Ctrl)
    assert pane.text() == CODE


def test_the_running_tab_is_marked_by_more_than_colour(pane: EditorPane) -> None:
    tab = cell("m2", "b = 2", "cell 2")
    pane.add_tab(tab)
    tab.state = "running"
    pane.refresh_tabs()
    assert pane.strip.accessibleTabName(1) == "cell 2, running"
    assert not pane.strip.tabIcon(1).isNull()
    assert pane.strip.tabIcon(0).isNull()


def test_ctrl_enter_and_f5_run_what_is_shown(pane: EditorPane) -> None:
    told: list[tuple[str, str]] = []
    pane.run_requested.connect(lambda *what: told.append(what))
    press(pane, Qt.Key.Key_Return, Ctrl)
    press(pane, Qt.Key.Key_F5)
    assert told == [("python", CODE)] * 2
    assert pane.text() == CODE


def test_only_languages_that_can_run_get_run(pane: EditorPane) -> None:
    pane.set_can_run(lambda word: word == "python")
    own = Tab(key="own:1", title="untitled 1", is_own=True, text="select 1")
    pane.add_tab(own)
    pane.show_tab("own:1")
    assert pane.header.run.isEnabled()
    pane.set_language("sql")
    assert not pane.header.run.isEnabled()
    assert pane.header.run.toolTip() == "SQL cannot be run here."
    assert pane.header.language.isEnabled()
    pane.show_tab("m1")
    assert not pane.header.language.isEnabled()


@pytest.mark.parametrize(
    "text",
    [
        "a\0b\x01\x7f",
        "half \ud800 of a character",
        "one\r\ntwo\r\n",
        "\n" * 100_000,
        "x" * 5_000_000,
        "no\u00a0break",
    ],
    ids=["controls", "surrogate", "crlf", "blank lines", "5 MB line", "no-break space"],
)
def test_odd_texts_stay_whole(pane: EditorPane, text: str) -> None:
    pane.set_tabs([cell("odd", text)], "odd")
    assert pane.text() == text
    assert not pane.is_edited
    assert len(pane.editor.display_text()) < DISPLAY_LINE_LIMIT * 6
    pane.grab()


def test_typing_beside_control_characters_keeps_them(pane: EditorPane) -> None:
    pane.set_tabs([cell("odd", "a\0b\u00a0c")], "odd")
    QTest.keyClicks(keyboard(pane), "x")
    assert pane.text() == "xa\0b\u00a0c"


def test_every_control_has_a_name_and_can_be_reached(pane: EditorPane) -> None:
    pane.tools.find(replaces=True)
    pane.tools.toggle_diff()
    controls: list[QWidget] = [
        *pane.findChildren(QAbstractButton),
        *pane.findChildren(QLineEdit),
        *pane.findChildren(QPlainTextEdit),
    ]
    for one in controls:
        if one.objectName().startswith("qt_"):
            continue
        name = one.accessibleName() or (one.text() if isinstance(one, QAbstractButton) else "")
        assert name, one


def test_the_plain_editor_says_why_it_stands_there(pane: EditorPane) -> None:
    is_plain = isinstance(pane.editor, PlainEditor)
    assert pane.status.plain.isHidden() != is_plain
    assert ("could not be loaded" in pane.notice.words.text()) == is_plain
    if is_plain:
        pane.notice.close_button.click()
        pane.add_tab(cell("m2", "b"))
        pane.show_tab("m2")
        assert pane.notice.isHidden()


def test_many_tabs_scroll_to_the_one_that_is_shown(pane: EditorPane) -> None:
    pane.set_tabs([cell(f"m{n}", "x", f"cell {n}") for n in range(60)], "m59")
    rect = pane.strip.tabRect(59)
    assert pane.strip.rect().contains(rect.center())
    assert pane.width() == 640


def test_the_ring_stands_around_the_code_only_while_the_keyboard_is_there(
    pane: EditorPane, qtbot: QtBot, theme: Theme
) -> None:
    def ring() -> str:
        return pane.pages.grab().toImage().pixelColor(0, 40).name()

    pane.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    assert ring() == theme.colour("accent").name()
    keyboard(pane).clearFocus()
    assert QApplication.focusWidget() is None
    assert ring() == theme.colour("bg").name()


def test_words_that_an_editor_cannot_draw_are_told_of_and_drawn_by_the_plain_one(
    pane: EditorPane,
) -> None:
    code = "# \u05d4\u05e2\u05e8\u05d4\nprint(1)\n"
    is_plain = isinstance(pane.editor, PlainEditor)
    before = pane.notice.words.text()
    pane.set_tabs([cell("m1", CODE), cell("m2", code)], "m2")
    if is_plain:
        assert pane.notice.words.text() == before
        return
    assert "right to left" in pane.notice.words.text()
    pane.notice.buttons[0].click()
    assert isinstance(pane.editor, PlainEditor)
    assert pane.text() == code
    assert pane.notice.isHidden()


def test_signs_that_turn_the_order_of_code_can_be_seen(pane: EditorPane) -> None:
    pictures = []
    for code in ("user # check", "user\u202e # check"):
        pane.set_tabs([cell(code, code)], code)
        pictures.append(pane.editor.widget.grab().toImage())
    assert pictures[0] != pictures[1]
    if isinstance(pane.editor, PlainEditor):
        assert "change the text direction" in pane.notice.words.text()
