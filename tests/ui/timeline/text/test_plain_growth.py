from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.ui.timeline.text.document_maker import DocumentMaker
from playhead.ui.timeline.text.markdown_stream import MarkdownStream
from playhead.ui.timeline.text.plain_growth import grows_plainly

WORDS = (" and more", "word ", "text, ", " so", "foo", "a", "e.g. ", "1986", "é", "漢字", "א", "🙂")
SIGNS = (
    *("**", "*", "_", "`", "``", "~~", "[", "]", "(", ")", "](http://x.y", "[^1]", "![", "<b>"),
    *("\n", "\n\n", "- ", "1", "1. ", "2) ", "> ", "# ", "#", "$", "\\", "|", "---", "===", "="),
    *("http://a.b/", "www.", "@", "x@y.zz", "&", "amp;", ":", ";", "'", '"', '"title', "/path"),
    *(
        " ",
        "  ",
        "    ",
        "\t",
        "\u00a0",
        "[ ] ",
        "[x] ",
        "[foo]: <u>",
        "bar_baz",
        "(see ",
        "-",
        "!",
    ),
)
PIECES = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(SIGNS)), max_size=25)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PIECES)
def test_words_that_are_added_to_a_document_are_as_in_one_made_of_the_whole_text(theme, pieces):
    maker = DocumentMaker(theme, None)
    stream, text, shown = MarkdownStream(), "", None
    for piece in pieces:
        text += piece
        stream.feed(piece)
        whole = MarkdownStream()
        whole.feed(text)
        assert (whole.tail(), whole.closed) == (stream.tail(), stream.closed)
        last = stream.tail()[-1] if stream.tail() else None
        if last is None or last.kind != "prose":
            shown = None
        elif shown is None or not maker.extend(shown[1], shown[0], last):
            shown = last, maker.make(last)
        else:
            shown = last, shown[1]
            assert shown[1].toHtml() == maker.make(last).toHtml()


def test_words_need_no_second_look_at_what_precedes_them():
    assert grows_plainly("Some **weight** and", " more words")
    assert grows_plainly("- an item of", " a list (with")
    assert grows_plainly("text\n> and a quotation ", "that goes on, too.")


def test_what_may_end_something_does():
    assert not grows_plainly("an *emphasis", " ends*")
    assert not grows_plainly("see http://example", ".org")
    assert not grows_plainly("a `name`", "s")
    assert not grows_plainly("1", ". a list")
    assert not grows_plainly("words", "\n")
    assert not grows_plainly("from $5 to", " 7")
