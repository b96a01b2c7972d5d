from playhead.ui.timeline.model.console_text import PLAIN_STYLE, ConsoleStyle, styled_spans


def styled(line: str) -> list[tuple[str, ConsoleStyle]]:
    return [(text, style) for text, style in styled_spans(line) if text]


def test_the_sixteen_colours_and_their_end():
    assert styled("a\x1b[31mb\x1b[92mc\x1b[0md") == [
        ("a", PLAIN_STYLE),
        ("b", ConsoleStyle(ink=1)),
        ("c", ConsoleStyle(ink=10)),
        ("d", PLAIN_STYLE),
    ]


def test_palette_and_true_colours():
    assert styled("\x1b[38;5;196ma\x1b[48;2;1;2;3mb\x1b[38;5;240mc\x1b[38:5:3md") == [
        ("a", ConsoleStyle(ink="#FF0000")),
        ("b", ConsoleStyle(ink="#FF0000", ground="#010203")),
        ("c", ConsoleStyle(ink="#585858", ground="#010203")),
        ("d", ConsoleStyle(ink=3, ground="#010203")),
    ]


def test_attributes_are_switched_one_by_one():
    assert styled("\x1b[1;3;4;7ma\x1b[22;24mb\x1b[27;23mc") == [
        ("a", ConsoleStyle(is_bold=True, is_italic=True, is_underlined=True, is_reversed=True)),
        ("b", ConsoleStyle(is_italic=True, is_reversed=True)),
        ("c", PLAIN_STYLE),
    ]


def test_a_broken_sequence_changes_nothing_and_its_escape_is_not_shown():
    assert styled("a\x1b[38;5mb\x1b[") == [("a", PLAIN_STYLE), ("b[", PLAIN_STYLE)]
