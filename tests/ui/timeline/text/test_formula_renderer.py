import threading

import pytest
from PySide6.QtGui import QTextDocument
from shiboken6 import Shiboken

from playhead.ui.timeline.text.block_column import END, START, BlockColumn
from playhead.ui.timeline.text.document_maker import DocumentMaker
from playhead.ui.timeline.text.formula_renderer import FormulaDrawing, FormulaRenderer, draw_formula
from playhead.ui.timeline.text.markdown_stream import Block
from playhead.ui.timeline.text.math_document import alternatives
from tests.support.waiting import LIMIT_S

OBJECT = "\ufffc"


@pytest.fixture(scope="module")
def formulas(qapp):
    return FormulaRenderer()


@pytest.fixture
def maker(theme, formulas):
    return DocumentMaker(theme, None, formulas)


def whole(qtbot, maker, text: str):
    qtbot.waitUntil(lambda: not maker.make(Block(kind="prose", source=text)).is_waiting)
    return maker.make(Block(kind="prose", source=text))


def test_a_formula_stands_as_its_source_until_it_is_drawn(qtbot, maker):
    document = maker.make(Block(kind="prose", source="So $a_1*b*c$."))
    assert document.is_waiting
    assert document.toPlainText() == "So $a_1*b*c$."
    document = whole(qtbot, maker, "So $a_1*b*c$.")
    assert document.toPlainText() == f"So {OBJECT}."


def test_a_formula_is_drawn_in_the_ink_of_the_theme(qtbot, maker, theme):
    document = whole(qtbot, maker, "$\\frac{a}{b}$")
    look = document.begin().begin().fragment().charFormat().toImageFormat()
    picture = document.resource(QTextDocument.ResourceType.ImageResource, look.name())
    middle = [
        picture.pixelColor(x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() > 200
    ]
    ink = theme.colour("text")
    assert middle
    assert all(abs(one.lightness() - ink.lightness()) < 5 for one in middle)


def test_copying_a_formula_gives_its_source(qtbot, maker):
    text = "First $x$, then \\(y\\) and\n\n$$\nz\n$$"
    whole(qtbot, maker, text)
    column = BlockColumn(maker)
    column.set_blocks(
        [
            Block(kind="prose", source="First $x$, then \\(y\\)."),
            Block(kind="prose", source="$$\nz\n$$"),
        ]
    )
    column.lay_out(600, 0, 600)
    qtbot.waitUntil(lambda: not column.renew())
    assert column.text_between(START, END) == "First $x$, then \\(y\\).\n\n$$\nz\n$$"


def test_objects_that_are_no_formulas_have_no_words(qtbot, maker):
    document = whole(qtbot, maker, f"a {OBJECT} $x$")
    assert alternatives(document, 0, 100) == ["", "$x$"]


@pytest.mark.parametrize("text", ["- item\n\n      $code$", "- `$a$`\n  ```\n  $b$\n  ```"])
def test_code_keeps_its_dollars(maker, text):
    assert OBJECT not in maker.make(Block(kind="prose", source=text)).toPlainText()


def test_what_is_not_latex_stays_as_it_was_written_and_says_so(qtbot, maker):
    document = whole(qtbot, maker, "$\\frac{a$ here")
    assert document.toPlainText() == "$\\frac{a$ here"
    assert document.begin().begin().fragment().charFormat().toolTip()


@pytest.mark.parametrize(
    "latex",
    [
        "\\nosuch{x}",
        "\\frac{a",
        "",
        "\x00",
        "\ud800",
        "a" * 3000,
        "\\newcommand{\\a}{\\a}\\a",
        "{" * 400,
        "\\sqrt{" * 39 + "}" * 39,
        "\\hspace{99999em}x",
    ],
)
def test_a_formula_that_cannot_be_drawn_says_why(latex):
    drawing = draw_formula(latex, 14, False, 1.0)
    assert drawing.image.isNull()
    assert drawing.problem


def test_a_formula_without_an_end_of_its_own_is_given_up():
    assert "long" in draw_formula("a+" * 990, 14, False, 1.0).problem


def test_a_wide_formula_is_made_as_narrow_as_its_line(qtbot, maker):
    text = "$$" + "+".join(f"a_{{{n}}}" for n in range(30)) + "$$"
    whole(qtbot, maker, text)
    column = BlockColumn(maker)
    column.set_blocks([Block(kind="prose", source=text)])
    assert column.natural_width(300) <= 300


def test_the_end_waits_for_one_formula_and_not_for_all_that_are_asked_for(monkeypatch, qapp):
    begun, gate = threading.Semaphore(0), threading.Event()
    drawn: list[str] = []

    def draw(latex: str, *_rest: object) -> FormulaDrawing:
        drawn.append(latex)
        begun.release()
        gate.wait(LIMIT_S)
        return FormulaDrawing()

    monkeypatch.setattr("playhead.ui.timeline.text.formula_renderer.draw_formula", draw)
    asked = FormulaRenderer()
    for latex in ("a", "b", "c"):
        asked.get(latex, 14, True)
    assert begun.acquire(timeout=LIMIT_S)
    asked.destroyed.connect(gate.set)
    Shiboken.delete(asked)
    assert drawn == ["a"]
