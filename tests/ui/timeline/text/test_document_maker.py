import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextDocument, QTextListFormat

from playhead.ui.timeline.text.document_maker import DocumentMaker
from playhead.ui.timeline.text.markdown_stream import Block
from playhead.ui.widgets.theme import READABLE
from tests.ui.widgets.test_theme import contrast


class Blue:
    """Colours every `if`."""

    def spans(self, language, code):
        at = code.find("if")
        return [(at, 2, "keyword")] if at >= 0 else []


def inks(document: QTextDocument) -> dict[str, str]:
    found = {}
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            colour = fragment.charFormat().foreground().color().name().upper()
            found[fragment.text()] = colour
            iterator += 1
        block = block.next()
    return found


@pytest.fixture
def maker(theme):
    return DocumentMaker(theme, Blue())


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "http://x.example/y.png", "data:image/png;,"]
)
def test_a_picture_in_a_text_is_never_loaded_and_its_name_is_shown(maker, address):
    document = maker.make(Block(kind="prose", source=f"See ![the plan]({address}) here."))
    assert "[image:" in document.toPlainText()
    assert document.resource(QTextDocument.ResourceType.ImageResource, address) is None


def test_markup_is_shown_and_not_obeyed(maker):
    document = maker.make(Block(kind="prose", source="a <b>bold</b> <script>x</script>"))
    assert document.toPlainText() == "a <b>bold</b> <script>x</script>"


def test_links_have_the_accent_s_colour_unless_their_scheme_is_not_safe(maker, theme):
    text = "[good](https://example.org) [bad](file:///etc/passwd)"
    found = inks(maker.make(Block(kind="prose", source=text)))
    assert found["good"] == theme.tokens.accent
    assert found["bad"] == theme.tokens.text


def test_a_definition_elsewhere_makes_a_link(maker, theme):
    block = Block(kind="prose", source="See [ref].")
    assert "ref" not in inks(maker.make(block))
    found = inks(maker.make(block, definitions="[ref]: https://example.org\n"))
    assert found["ref"] == theme.tokens.accent


def test_code_wears_the_colourer_s_colours(maker, theme):
    found = inks(maker.make(Block(kind="code", source="x if y", language="python")))
    assert found["if"] == theme.tokens.keyword
    assert found["x "] == theme.tokens.text


def test_code_without_a_language_is_plain(maker, theme):
    assert inks(maker.make(Block(kind="code", source="x if y"))) == {"x if y": theme.tokens.text}


def test_output_wears_the_terminal_s_colours_across_lines(maker, theme):
    found = inks(maker.make(Block(kind="console", source="\x1b[31mred\nstill\x1b[0m no")))
    assert found["red"] == found["still"] == QColor(theme.tokens.ansi[1]).name().upper()
    assert found[" no"] == theme.tokens.text


def test_the_pieces_of_a_long_table_have_one_head(maker):
    head = "| a | b |\n|---|---|\n"
    first = maker.make(Block(kind="table", source=head + "| 1 | 2 |\n"))
    second = maker.make(Block(kind="table", source=head + "| 3 | 4 |\n", header=head))
    assert "a" in first.toPlainText()
    assert "a" not in second.toPlainText()
    assert "3" in second.toPlainText()


def test_code_begins_at_the_left_in_any_script(maker):
    code = maker.make(Block(kind="code", source="# הערה\nprint(1)", language="python"))
    prose = maker.make(Block(kind="prose", source="שלום"))
    assert code.lastBlock().textDirection() == code.firstBlock().textDirection()
    assert code.firstBlock().textDirection() == Qt.LayoutDirection.LeftToRight
    assert prose.firstBlock().textDirection() == Qt.LayoutDirection.RightToLeft


@pytest.mark.parametrize("sign", "-*+")
def test_the_signs_of_a_list_tell_its_depth_whatever_was_typed(maker, sign):
    document = maker.make(
        Block(kind="prose", source=f"{sign} one\n  {sign} two\n    {sign} three\n")
    )
    styles = [document.findBlockByNumber(line).textList().format().style() for line in range(3)]
    known = QTextListFormat.Style
    assert styles == [known.ListDisc, known.ListCircle, known.ListSquare]


def test_a_rule_takes_less_room_than_a_line_of_text(maker):
    rule, words = (
        maker.make(Block(kind="prose", source=text)) for text in ("---\n", "Words.\n\nMore.")
    )
    assert rule.size().height() < words.size().height() - 10


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f"])
def test_signs_that_turn_the_order_of_code_can_be_seen(maker, sign):
    document = maker.make(Block(kind="code", source=f"user{sign} # check", language="text"))
    assert document.toPlainText() == "user\ufffd # check"


def test_a_task_list_has_ticks_and_its_other_items_keep_their_dots(maker):
    source = "- [x] done\n- [ ] to be done\n  - [X] nested\n- plain\n"
    document = maker.make(Block(kind="prose", source=source))
    document.setTextWidth(400)
    assert [state for _, state in document.tasks()] == ["done", "open", "done", "none"]
    assert document.toPlainText() == "done\nto be done\nnested\nplain"
    lefts = [box.left() for box, _ in document.tasks()]
    assert 0 <= lefts[0] == lefts[1] == lefts[3] < lefts[2]
    tops = [box.top() for box, _ in document.tasks()]
    assert tops == sorted(tops)
    plain = maker.make(Block(kind="prose", source="- a\n- b [x]\n"))
    assert not plain.has_tasks


def test_footnotes_are_numbers_where_they_are_meant_and_lines_where_they_stand(maker):
    source = (
        "One[^1] and two[^long-name], not `[^code]`.\n\n[^1]: First note.\n[^long-name]: Second."
    )
    document = maker.make(Block(kind="prose", source=source))
    lines = document.toPlainText().replace("\u2028", "\n").split("\n")
    assert lines == [
        "One[1] and two[long-name], not [^code].",
        "[1] First note.",
        "[long-name] Second.",
    ]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_of_a_program_can_be_read_on_every_ground(maker, theme, mode):
    theme.set_mode(mode)
    grounds = [*range(40, 48), *range(100, 108), 49, "48;5;196", "48;2;120;120;120"]
    inks_ = [*range(30, 38), *range(90, 98), 39, "38;5;17", "38;2;128;128;128", "2;34", "7;33"]
    for ground in grounds:
        line = "".join(f"\x1b[0;{ground};{ink}m{ink}" for ink in inks_)
        document = maker.make(Block(kind="console", source=line))
        iterator, count = document.begin().begin(), 0
        while not iterator.atEnd():
            look = iterator.fragment().charFormat()
            filled = look.background().style() != Qt.BrushStyle.NoBrush
            under = look.background().color().name() if filled else theme.tokens.code_bg
            assert contrast(look.foreground().color().name(), under) >= READABLE
            iterator += 1
            count += 1
        assert count > 4
