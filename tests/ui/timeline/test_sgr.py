from playhead.ui.timeline.sgr import PLAIN, Style, spans


def styled(line: str) -> list[tuple[str, Style]]:
    return [(text, style) for text, style in spans(line) if text]


def test_the_sixteen_colours_and_their_end():
    assert styled("a\x1b[31mb\x1b[92mc\x1b[0md") == [
        ("a", PLAIN),
        ("b", Style(ink=1)),
        ("c", Style(ink=10)),
        ("d", PLAIN),
    ]


def test_palette_and_true_colours():
    assert styled("\x1b[38;5;196ma\x1b[48;2;1;2;3mb\x1b[38;5;240mc\x1b[38:5:3md") == [
        ("a", Style(ink="#FF0000")),
        ("b", Style(ink="#FF0000", ground="#010203")),
        ("c", Style(ink="#585858", ground="#010203")),
        ("d", Style(ink=3, ground="#010203")),
    ]


def test_attributes_are_switched_one_by_one():
    assert styled("\x1b[1;3;4;7ma\x1b[22;24mb\x1b[27;23mc") == [
        ("a", Style(is_bold=True, is_italic=True, is_underlined=True, is_reversed=True)),
        ("b", Style(is_italic=True, is_reversed=True)),
        ("c", PLAIN),
    ]


def test_a_broken_sequence_changes_nothing_and_its_escape_is_not_shown():
    assert styled("a\x1b[38;5mb\x1b[") == [("a", PLAIN), ("b[", PLAIN)]
